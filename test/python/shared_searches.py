"""What tests of searches by several workers have in common."""

import mirage as mi

OPTIONS = dict(seed=1, max_states=30000, measure=False)


def make_program():
    """A gated MLP, whose search has several boundaries to share out."""
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(8, 512))
    gate, up = graph.new_input(dims=(512, 256)), graph.new_input(dims=(512, 256))
    graph.mul(graph.silu(graph.matmul(graph.rms_norm(x), gate)), graph.matmul(x, up))
    return graph
