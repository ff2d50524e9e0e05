"""The first half of a gated MLP, superoptimized: silu(X W1) * (X W2).

  python examples/python/gated_mlp.py
"""

import numpy as np

import mirage as mi

graph = mi.new_kernel_graph()
X = graph.new_input(dims=(8, 4096), dtype=mi.float16)
W1 = graph.new_input(dims=(4096, 4096), dtype=mi.float16)
W2 = graph.new_input(dims=(4096, 4096), dtype=mi.float16)
O = graph.mul(graph.silu(graph.matmul(X, W1)), graph.matmul(X, W2))
graph.mark_output(O)
optimized = graph.superoptimize(config="mlp")
print(optimized.result)

random = np.random.default_rng(0)
x, w1, w2 = ((random.standard_normal(t.dims, dtype=np.float32) / 8).astype(np.float16) for t in (X, W1, W2))
outputs = optimized([x, w1, w2])

gate, up = (x.astype(np.float32) @ w.astype(np.float32) for w in (w1, w2))
exact = gate / (1 + np.exp(-gate)) * up
error = np.linalg.norm(outputs[0] - exact) / np.linalg.norm(exact)
print(f"relative error {error:.1e}")
assert error < 2e-3
