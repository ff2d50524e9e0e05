"""Kernels by hand: threadblock graphs as the original's examples write them."""

import numpy as np
import pytest

import mirage as mi
from conftest import relative_error


def make_rms_linear(rows=16, k=1024, columns=256, loop=16):
    """The original's example of a normalised linear layer."""
    graph = mi.new_kernel_graph()
    X = graph.new_input(dims=(rows, k), dtype=mi.float16)
    W = graph.new_input(dims=(k, columns), dtype=mi.float16)
    tb = mi.new_threadblock_graph(grid_dim=(4, 1, 1), block_dim=(128, 1, 1), forloop_range=loop, reduction_dimx=64)
    tX = tb.new_input(dtensor=X, input_map=(-1, -1, -1), forloop_dim=1)
    tW = tb.new_input(dtensor=W, input_map=(1, -1, -1), forloop_dim=0)
    tM = tb.matmul(tX, tW)
    tAccX = tb.forloop_accum(tX, "rms")
    tAccM = tb.forloop_accum(tM)
    tO = tb.div(tAccM, tAccX)
    tb.new_output(stensor=tO, output_map=(1, -1, -1))
    O = graph.customized([X, W], tb)
    graph.mark_output(O[0])
    return graph


def test_rms_linear(rng):
    graph = make_rms_linear()
    x = rng.standard_normal((16, 1024)).astype(np.float16)
    w = rng.standard_normal((1024, 256)).astype(np.float16)
    (out,) = graph(inputs=[x, w])
    exact = x.astype(float) / np.sqrt((x.astype(float) ** 2).mean(-1, keepdims=True)) @ w.astype(float)
    assert relative_error(out, exact) < 1e-3
    assert "mirage_block.graph grid(x = 4, y = 1, z = 1) threads(128) loop(16)" in graph.mlir


def test_online_softmax(rng):
    """Attention whose sums are rescaled from maximum to maximum."""
    heads, rows, keys, depth = 2, 64, 256, 64
    graph = mi.new_kernel_graph()
    Q = graph.new_input(dims=(heads, rows, depth), dtype=mi.float16)
    K = graph.new_input(dims=(heads, depth, keys), dtype=mi.float16)
    V = graph.new_input(dims=(heads, keys, depth), dtype=mi.float16)
    tb = mi.new_threadblock_graph(grid_dim=(heads, 1, 1), block_dim=(128, 1, 1), forloop_range=4, reduction_dimx=64)
    q = tb.new_input(Q, (0, -1, -1), -1)
    k = tb.new_input(K, (0, -1, -1), 2)
    v = tb.new_input(V, (0, -1, -1), 1)
    scores = tb.matmul(q, k)
    largest, difference = tb.reduction_max(scores, 2)
    weights = tb.exp(tb.sub(scores, largest))
    factor = tb.exp(difference)
    total = tb.forloop_accum_rescale(weights, factor, "sum")
    summed = tb.forloop_accum_rescale(tb.matmul(weights, v), factor)
    tb.new_output(tb.div(summed, total), (0, -1, -1))
    graph.mark_output(graph.customized([Q, K, V], tb)[0])
    q, k, v = (rng.standard_normal(t.shape).astype(np.float16) for t in graph.inputs)
    (out,) = graph([q, k, v])
    scores = q.astype(float) @ k.astype(float)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    assert relative_error(out, weights / weights.sum(-1, keepdims=True) @ v.astype(float)) < 3e-3


def test_other_operators(rng):
    graph = mi.new_kernel_graph()
    X = graph.new_input(dims=(8, 256), dtype=mi.float16)
    tb = mi.new_threadblock_graph(grid_dim=(2, 1, 1), block_dim=(64, 1, 1), forloop_range=4, reduction_dimx=16)
    x = tb.new_input(X, (0, -1, -1), 1)
    summed = tb.forloop_accum(tb.mul_scalar(tb.concat(x, tb.square(x), 1), 0.5), "sum_todimx")
    largest = tb.forloop_accum_max(x)
    tb.new_output(summed, (0, -1, -1), dtype=mi.float32)
    tb.new_output(largest, (0, -1, -1), dtype=mi.float32)
    outputs = graph.customized([X], tb)
    assert [output.shape for output in outputs] == [(8, 16), (8, 64)]
    x = rng.standard_normal((8, 256)).astype(np.float16)
    sums, maxima = graph([x])
    tiles = x.astype(float).reshape(8, 4, 64)
    joined = np.concatenate([tiles, tiles**2], 2) * 0.5
    assert relative_error(sums, joined.sum(1).reshape(8, 8, 16).sum(1)) < 1e-3
    assert relative_error(maxima, tiles.max(1)) < 1e-6


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda tb, x: tb.new_output(x, (0, -1, -1)), "expects an output from after the loop"),
        (lambda tb, x: tb.add(x, tb.forloop_accum(x)), "expects operands of one phase"),
        (lambda tb, x: tb.forloop_accum(x, "median"), "expects acc of "),
        (lambda tb, x: tb.forloop_accum_rescale(x, x), "expects to rescale by what reduction_max gave"),
        (lambda tb, x: tb.new_input(x, (0, -1, -1), 1), "expects a DTensor"),
        (lambda tb, x: tb.forloop_accum(x, "sum_todimx"), "expects a reduction_dimx that divides the last dimension"),
        (lambda tb, x: tb.new_output(tb.forloop_accum(x), (5, -1, -1)), "expects a map to dimensions below 2, got 5"),
        (lambda tb, x: tb.new_output(tb.forloop_accum(x), (0,)), "expects output_map with an entry for each of 3"),
    ],
)
def test_mistakes(graph, call, message):
    X = graph.new_input(dims=(8, 256))
    tb = mi.new_threadblock_graph((2, 1, 1), (64, 1, 1), 4, reduction_dimx=7)
    x = tb.new_input(X, (0, -1, -1), 1)
    with pytest.raises(mi.GraphError) as caught:
        call(tb, x)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "grid, block, loop, message",
    [
        ((1, 1, 1, 1), (64, 1, 1), 1, "expects a grid of at most 3 axes, got 4"),
        ((1, 1, 1), (33, 1, 1), 1, "expects 32 to 1024 threads in multiples of 32, got 33"),
        ((1, 1, 1), (2**32 + 64, 1, 1), 1, "expects 32 to 1024 threads in multiples of 32, got block_dim"),
        ((1, 1, 1), (-64, -1, 1), 1, "expects 32 to 1024 threads in multiples of 32, got block_dim"),
        ((1, 1, 1), (64, 1, 1), 2.9, "expects forloop_range as an integer, got 2.9"),
        ((0, 1, 1), (64, 1, 1), 1, "expects grid extents of at least 1, got 0"),
        ((1, 1, 1), (64, 1, 1), 0, "expects a loop of 1 to 2^40 iterations, got 0"),
    ],
)
def test_shapes_of_blocks(grid, block, loop, message):
    with pytest.raises(mi.GraphError) as caught:
        mi.new_threadblock_graph(grid, block, loop)
    assert message in str(caught.value)


def test_mistakes_leave_the_block_as_it_was(graph):
    X = graph.new_input(dims=(8, 256))
    tb = mi.new_threadblock_graph((2, 1, 1), (64, 1, 1), 1)
    y = tb.exp(tb.new_input(X, (0, -1, -1), -1))
    with pytest.raises(mi.GraphError):
        tb.new_output(y, (0, -1, -1), dtype="int8")
    tb.new_output(y, (0, -1, -1))
    assert [output.shape for output in graph.customized([X], tb)] == [(8, 256)]


def test_inputs_of_other_types(graph):
    X, Y = graph.new_input(dims=(8, 256)), graph.new_input(dims=(8, 128))
    tb = mi.new_threadblock_graph((2, 1, 1), (64, 1, 1), 1)
    tb.new_output(tb.exp(tb.new_input(X, (0, -1, -1), -1)), (0, -1, -1))
    with pytest.raises(mi.GraphError, match="expects inputs of the types the threadblock graph was made with"):
        graph.customized([Y], tb)


def test_too_large_for_shared_memory(graph):
    X = graph.new_input(dims=(512, 4096), dtype=mi.float32)
    tb = mi.new_threadblock_graph((1, 1, 1), (128, 1, 1), 2)
    tb.new_output(tb.forloop_accum(tb.exp(tb.new_input(X, (-1, -1, -1), 1))), (-1, -1, -1))
    graph.customized([X], tb)
    with pytest.raises(mi.CompileError, match="shared memory") as caught:
        graph.compile()
    assert caught.value.diagnostics[0].severity == "error"
