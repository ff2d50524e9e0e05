"""Attention of a group of queries whose queries and keys are normalised (as in Chameleon), with a
softmax that does not overflow.

  python examples/python/qknorm.py
"""

import numpy as np

import mirage as mi

graph = mi.new_kernel_graph()
Q = graph.new_input(dims=(2, 256, 64), dtype=mi.float16)
K = graph.new_input(dims=(2, 4096, 64), dtype=mi.float16)
V = graph.new_input(dims=(2, 4096, 64), dtype=mi.float16)
scores = graph.matmul(graph.rms_norm(Q), graph.transpose(graph.rms_norm(K)))
graph.mark_output(graph.matmul(graph.softmax(scores * 0.125), V))
optimized = graph.superoptimize(config="attention")
print(optimized.result)

random = np.random.default_rng(0)
q, k, v = (random.standard_normal(tensor.dims).astype(np.float16) for tensor in (Q, K, V))
outputs = optimized([q, k, v])


def rms_norm(x):
    return x / np.sqrt((x**2).mean(-1, keepdims=True))


scores = rms_norm(q.astype(float)) @ rms_norm(k.astype(float)).transpose(0, 2, 1) * 0.125
weights = np.exp(scores - scores.max(-1, keepdims=True))
exact = weights / weights.sum(-1, keepdims=True) @ v.astype(float)
error = np.linalg.norm(outputs[0] - exact) / np.linalg.norm(exact)
print(f"relative error {error:.1e}")
assert error < 5e-3
