"""A step of a normalised transformer, superoptimized: norm(X + alpha * (norm(H) - X)), where norm
divides by the length of each row.

  python examples/python/normalized_transformer.py
"""

import numpy as np

import mirage as mi

graph = mi.new_kernel_graph()
X = graph.new_input(dims=(16, 4096), dtype=mi.float16)
H = graph.new_input(dims=(16, 4096), dtype=mi.float16)
alpha = graph.new_input(dims=(1, 4096), dtype=mi.float16)
O = graph.l2_norm(X + alpha * (graph.l2_norm(H) - X))
graph.mark_output(O)
optimized = graph.superoptimize()
print(optimized.result)

random = np.random.default_rng(0)
x, h = (random.standard_normal(tensor.dims).astype(np.float16) for tensor in (X, H))
a = random.uniform(0.01, 0.2, alpha.dims).astype(np.float16)
outputs = optimized([x, h, a])


def l2_norm(values):
    return values / np.linalg.norm(values, axis=-1, keepdims=True)


x, h, a = (tensor.astype(float) for tensor in (x, h, a))
exact = l2_norm(x + a * (l2_norm(h) - x))
error = np.linalg.norm(outputs[0] - exact) / np.linalg.norm(exact)
print(f"relative error {error:.1e}")
assert error < 2e-3
