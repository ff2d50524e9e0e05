"""A linear layer with a low-rank adapter, superoptimized: X W + (X A) B.

  python examples/python/lora.py
"""

import numpy as np

import mirage as mi

graph = mi.new_kernel_graph()
X = graph.new_input(dims=(16, 256), dtype=mi.float16)
W = graph.new_input(dims=(256, 4096), dtype=mi.float16)
A = graph.new_input(dims=(256, 16), dtype=mi.float16)
B = graph.new_input(dims=(16, 4096), dtype=mi.float16)
O = graph.add(graph.matmul(X, W), graph.matmul(graph.matmul(X, A), B))
graph.mark_output(O)
optimized = graph.superoptimize(config="lora")
print(optimized.result)

random = np.random.default_rng(0)
x, w, a, b = (random.standard_normal(tensor.dims).astype(np.float16) for tensor in (X, W, A, B))
outputs = optimized([x, w, a / 16, b])

x, w, a, b = (tensor.astype(float) for tensor in (x, w, a / 16, b))
exact = x @ w + x @ a @ b
error = np.linalg.norm(outputs[0] - exact) / np.linalg.norm(exact)
print(f"relative error {error:.1e}")
assert error < 2e-3
