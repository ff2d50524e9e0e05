"""Attention of two heads, superoptimized: the original's quick start.

  python examples/python/attention.py
"""

import numpy as np

import mirage as mi

graph = mi.new_kernel_graph()
Q = graph.new_input(dims=(2, 256, 64), dtype=mi.float16)
K = graph.new_input(dims=(2, 64, 4096), dtype=mi.float16)
V = graph.new_input(dims=(2, 4096, 64), dtype=mi.float16)
A = graph.matmul(Q, K)
E = graph.exp(A)
S = graph.reduction(E, 2)
D = graph.div(E, S)
O = graph.matmul(D, V)
optimized = graph.superoptimize(config="attention")
print(optimized.result)

random = np.random.default_rng(0)
q, k, v = ((0.3 * random.standard_normal(tensor.dims)).astype(np.float16) for tensor in (Q, K, V))
outputs = optimized([q, k, v])

weights = np.exp(q.astype(float) @ k.astype(float))
exact = weights / weights.sum(-1, keepdims=True) @ v.astype(float)
error = np.linalg.norm(outputs[0] - exact) / np.linalg.norm(exact)
print(f"relative error {error:.1e}")
assert error < 2e-3
