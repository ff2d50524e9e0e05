"""RMSNorm and a linear layer, superoptimized.

  python examples/python/rmsnorm_linear.py
"""

import numpy as np

import mirage as mi

graph = mi.new_kernel_graph()
X = graph.new_input(dims=(16, 4096), dtype=mi.float16)
W = graph.new_input(dims=(4096, 4096), dtype=mi.float16)
O = graph.matmul(graph.rms_norm(X), W)
graph.mark_output(O)
optimized = graph.superoptimize()
print(optimized.result)

random = np.random.default_rng(0)
x = random.standard_normal(X.dims).astype(np.float16)
w = (random.standard_normal(W.dims) / 64).astype(np.float16)
outputs = optimized(inputs=[x, w])

normalized = x / np.sqrt((x.astype(np.float32) ** 2).mean(-1, keepdims=True))
exact = normalized @ w.astype(np.float32)
error = np.linalg.norm(outputs[0] - exact) / np.linalg.norm(exact)
print(f"relative error {error:.1e}")
assert error < 1e-3
