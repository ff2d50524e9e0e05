"""Kernels by hand: threadblock graphs as the original's examples write them."""

import copy
import pickle

import numpy as np
import pytest

import mirage as mi
from conftest import check_numbers


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
    check_numbers(out, exact)
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
    check_numbers(out, weights / weights.sum(-1, keepdims=True) @ v.astype(float))


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
    check_numbers(sums, joined.sum(1).reshape(8, 8, 16).sum(1), "float32")
    check_numbers(maxima, tiles.max(1), "float32")


@pytest.mark.parametrize(
    "call, reference",
    [
        (lambda tb, x, y: tb.rms_norm(x), lambda x, y: x / np.sqrt((x**2).mean(-1, keepdims=True))),
        (lambda tb, x, y: tb.concat(x, tb.exp(x), 0), lambda x, y: np.concatenate([x, np.exp(x)], 0)),
        (lambda tb, x, y: tb.concat(x, y, 1), lambda x, y: np.concatenate([x, y], 1)),
        (lambda tb, x, y: tb.concat([y, x, tb.square(x)], dim=-1), lambda x, y: np.concatenate([y, x, x**2], 1)),
        (lambda tb, x, y: x**3, lambda x, y: x**3),
        (lambda tb, x, y: abs(x) ** -2.5, lambda x, y: np.abs(x) ** -2.5),
        (lambda tb, x, y: abs(x) ** 0.3, lambda x, y: np.abs(x) ** 0.3),
        (lambda tb, x, y: 10**x, lambda x, y: 10**x),
        (lambda tb, x, y: 2**x, lambda x, y: 2**x),
        (lambda tb, x, y: 1 - x / 3, lambda x, y: 1 - x / 3),
        (lambda tb, x, y: tb.maximum(x, 0) + tb.minimum(0.5, y), lambda x, y: np.maximum(x, 0) + np.minimum(0.5, y)),
        (lambda tb, x, y: tb.sum(x, 1) * tb.mean(y, (0, 1)), lambda x, y: x.sum(1, keepdims=True) * y.mean()),
    ],
)
def test_numbers_of_tiles(rng, call, reference):
    """Of two tensors of different types, whole in one block: results are float32."""
    torch = pytest.importorskip("torch")
    graph = mi.new_kernel_graph()
    X, Y = graph.new_input(dims=(16, 64), dtype=mi.float16), graph.new_input(dims=(16, 64), dtype=mi.bfloat16)
    tb = mi.new_threadblock_graph((1, 1, 1), (64, 1, 1), 1)
    x, y = (tb.new_input(tensor, (-1, -1, -1), -1) for tensor in (X, Y))
    tb.new_output(call(tb, x, y), (-1, -1, -1), dtype=mi.float32)
    graph.customized([X, Y], tb)
    x, y = (torch.from_numpy(rng.standard_normal((16, 64))).to(dtype) for dtype in (torch.float16, torch.bfloat16))
    (out,) = graph([x, y])
    check_numbers(out, reference(x.double().numpy(), y.double().numpy()), "float32")


@pytest.mark.parametrize("acc, reduce", [("sum", np.sum), ("mean", np.mean), ("max", np.max),
                                         ("rms", lambda x, **over: np.sqrt(np.mean(x**2, **over)))])
def test_accumulations_over_the_last_dimension(rng, graph, acc, reduce):
    X = graph.new_input(dims=(8, 256))
    tb = mi.new_threadblock_graph((2, 1, 1), (64, 1, 1), 4)
    tb.new_output(tb.forloop_accum(tb.new_input(X, (0, -1, -1), 1), acc), (0, -1, -1), dtype=mi.float32)
    graph.customized([X], tb)
    x = rng.standard_normal((8, 256)).astype(np.float16)
    check_numbers(graph([x])[0], reduce(x.astype(float), axis=1, keepdims=True), "float32")


def test_wholes_of_outputs(graph):
    """10 rows in blocks of 3 are 12 with what reaches beyond; of 8-bit floats results are f16."""
    X = graph.new_input(dims=(10, 64), dtype=mi.float8_e4m3)
    tb = mi.new_threadblock_graph((4, 1, 1), (64, 1, 1), 1)
    y = tb.exp(tb.new_input(X, (0, -1, -1), -1))
    tb.new_output(y, (0, -1, -1))
    tb.new_output(y, (0, -1, -1), dims=(10, 64))
    tb.new_output(y, (0, -1, -1), dims=(10, 64), dtype="bfloat16")
    tb.new_output(y, (0, -1, -1), dtype="float32")
    assert [(result.shape, result.dtype) for result in graph.customized([X], tb)] == [
        ((12, 64), mi.float16), ((10, 64), mi.float16), ((10, 64), mi.bfloat16), ((12, 64), mi.float32)]


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda tb, x: tb.new_output(x, (0, -1, -1)), "expects an output from after the loop"),
        (lambda tb, x: tb.add(x, tb.forloop_accum(x)), "expects operands of one phase"),
        (lambda tb, x: tb.forloop_accum(x, "median"), "expects acc of "),
        (lambda tb, x: tb.forloop_accum_rescale(x, x), "expects to rescale by what reduction_max gave"),
        (lambda tb, x: tb.new_input(x, (0, -1, -1), 1), "expects a DTensor"),
        (lambda tb, x: tb.forloop_accum(x, "sum_todimx"), "expects a size that divides dimension 1 of [4, 64], got 7"),
        (lambda tb, x: tb.new_output(tb.forloop_accum(x), (0, -1, -1), dims=(8,)), "expects dims of 2 sizes, as the tile"),
        (lambda tb, x: mi.new_threadblock_graph((1, 1, 1), (64, 1, 1), 1, reduction_dimx="a"), "expects reduction_dimx"),
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
        ((1, 1, 1), (2**32 + 64, 1, 1), 1, "expects at most 1024 threads of a block, got [4294967360, 1, 1]"),
        ((1, 1, 1), (-64, -1, 1), 1, "expects at least 1 thread along each axis of a block, got -64"),
        ((1, 1, 1), (64, 1, 1), 2.9, "expects forloop_range as an integer, got 2.9"),
        ((0, 1, 1), (64, 1, 1), 1, "expects grid extents of at least 1, got 0"),
        ((1, 1, 1), (64, 1, 1), 0, "expects a loop of 1 to 2^40 iterations, got 0"),
    ],
)
def test_shapes_of_blocks(grid, block, loop, message):
    with pytest.raises(mi.GraphError) as caught:
        mi.new_threadblock_graph(grid, block, loop)
    assert message in str(caught.value)


def test_what_the_original_says_of_an_input(graph):
    X = graph.new_input(dims=(8, 256))
    tb = mi.new_threadblock_graph((2, 1, 1), (64, 1, 1), 1)
    with pytest.warns(UserWarning, match="store_in_dmem: no effect"):
        tb.new_input(X, (0, -1, -1), -1, store_in_dmem=True)
    with pytest.raises(mi.GraphError, match="expects store_in_dmem of True or False, got 'yes'"):
        tb.new_input(X, (0, -1, -1), -1, store_in_dmem="yes")


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
    with pytest.raises(mi.GraphError, match="operand 0: expects the type that the block graph was made with, tensor<8x256xf16>, got"):
        graph.customized([Y], tb)


def test_too_large_for_shared_memory(graph):
    X = graph.new_input(dims=(512, 4096), dtype=mi.float32)
    tb = mi.new_threadblock_graph((1, 1, 1), (128, 1, 1), 2)
    tb.new_output(tb.forloop_accum(tb.exp(tb.new_input(X, (-1, -1, -1), 1))), (-1, -1, -1))
    graph.customized([X], tb)
    with pytest.raises(mi.CompileError, match="shared memory") as caught:
        graph.compile()
    assert caught.value.diagnostics[0].severity == "error"


@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickle.dumps])
def test_copies(graph, duplicate):
    tiles = mi.new_threadblock_graph((1, 1, 1), (64, 1, 1), 1)
    tile = tiles.new_input(graph.new_input((16, 64)), (-1, -1, -1), None)
    for value in (tiles, tile):
        with pytest.raises(mi.GraphError, match="expects a kernel graph to copy or pickle, got a threadblock graph"):
            duplicate(value)


@pytest.mark.parametrize("accumulate, expected", [
    (lambda block, tile: block.forloop_accum(tile, "max"), lambda x: x.max(1, keepdims=True)),
    (lambda block, tile: block.forloop_accum(block.exp(tile), "sum"), lambda x: np.exp(x).sum(1, keepdims=True)),
])
def test_a_last_tile_that_ends_beyond_its_tensor(accumulate, expected):
    graph, block = mi.new_kernel_graph(), mi.new_threadblock_graph((2, 1, 1), (64, 1, 1), 4, None)
    x = graph.new_input((5, 10), dtype=mi.float32)
    tile = block.new_input(x, (0, -1, -1), 1)
    block.new_output(accumulate(block, tile), (0, -1, -1), dims=(5, 1))
    graph.customized([x], block)
    given = -np.arange(1, 51, dtype=np.float32).reshape(5, 10) / 40
    assert np.allclose(graph([given])[0], expected(given), rtol=1e-6)


@pytest.mark.parametrize("over", ["mean", "rms"])
def test_averages_of_tiles_that_end_beyond_their_tensor(over):
    graph, block = mi.new_kernel_graph(), mi.new_threadblock_graph((1, 1, 1), (64, 1, 1), 4, None)
    x = graph.new_input((4, 10), dtype=mi.float32)
    block.new_output(block.forloop_accum(block.new_input(x, (-1, -1, -1), 1), over), (-1, -1, -1))
    with pytest.raises(mi.GraphError, match=r"expects a size that blocks and loop divide where tiles are averaged, "
                                            r"got tensor<4x10xf32> in tiles of tensor<4x3xf32>"):
        graph.customized([x], block)
