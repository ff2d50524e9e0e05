"""µGraphs in the JSON of the original: what its to_json and its searches write."""

import json
import math

import numpy as np
import pytest

import mirage as mi
from conftest import relative_error

F16, BF16, F32 = 940, 941, 950


# ------------------------------------------------------------------ as the original writes it
def tensor(guid, *dims, data_type=F16):
    return {"guid": guid, "data_type": data_type, "layout": "DmemRowMajor", "num_dims": len(dims),
            "dim": list(dims) + [0] * (4 - len(dims))}


def tile(guid, *dims, after_accum=False):
    return {**tensor(guid, *dims), "layout": "SmemRowMajor", "smem_offset": 0, "after_accum": after_accum}


def triple(x, y, z):
    return {"x": x, "y": y, "z": z}


def operation(op_type, inputs, outputs, **members):
    return {"op_type": op_type, "input_tensors": inputs, "output_tensors": outputs, **members}


def row_major(dims):
    return [int(np.prod(dims[number + 1:])) for number in range(len(dims))]


def kn_input(whole, strides=None):
    dims = whole["dim"][:whole["num_dims"]]
    return operation("kn_input_op", [], [whole], input_map=triple(-1, -1, -1), input_strides=strides or row_major(dims))


def kn_output(whole, strides=None):
    dims = whole["dim"][:whole["num_dims"]]
    return operation("kn_output_op", [whole], [], output_map=triple(-1, -1, -1),
                     output_strides=strides or row_major(dims))


def tb_input(whole, result, input_map, forloop_dim):
    return operation("tb_input_op", [], [result], dtensor=whole, input_map=triple(*input_map), forloop_dim=forloop_dim)


def tb_output(result, whole, output_map):
    return operation("tb_output_op", [result], [], dtensor=whole, output_map=triple(*output_map))


def kernel(inputs, outputs, operators, grid_dim=(1, 1, 1), block_dim=(128, 1, 1), forloop_range=1, reduction_dimx=64):
    block = {"graph_level": "thread_block_graph", "grid_dim": triple(*grid_dim), "block_dim": triple(*block_dim),
             "forloop_range": forloop_range, "reduction_dimx": reduction_dimx, "operators": operators, "smem_offset": 0}
    return operation("kn_customized_op", inputs, outputs, bgraph=block)


def exp_program(data_type=F16):
    x, y = tensor(1, 4, 64, data_type=data_type), tensor(2, 4, 64, data_type=data_type)
    return [kn_input(x), operation("kn_exp_op", [x], [y]), kn_output(y)]


def rms_linear(prefix="tb_forloop_accum", data_type=F16):
    """The normalised linear layer: one kernel of 4 blocks, whose loop cuts the rows of X."""
    x, w, o = (tensor(guid, *dims, data_type=data_type) for guid, dims in ((7, (16, 1024)), (8, (1024, 256)),
                                                                          (9, (16, 256))))
    tx, tw, tm = tile(20, 16, 64), tile(21, 64, 64), tile(22, 16, 64)
    rms, acc, out = tile(23, 16, 1, after_accum=True), tile(24, 16, 64, after_accum=True), tile(25, 16, 64)
    operators = [
        tb_input(x, tx, (-1, -1, -1), 1),
        tb_input(w, tw, (1, -1, -1), 0),
        operation(f"{prefix}_red_ld_rms_op", [tx], [rms]),
        operation("tb_matmul_op", [tx, tw], [tm]),
        operation(f"{prefix}_nored_op", [tm], [acc]),
        operation("tb_div_op", [acc, rms], [out]),
        tb_output(out, o, (1, -1, -1)),
    ]
    made = kernel([x, w], [o], operators, grid_dim=(4, 1, 1), forloop_range=16)
    return [kn_input(x), kn_input(w), made, kn_output(o)]


def load(graph, **options):
    return mi.from_json(json.dumps(graph), **options)


# ------------------------------------------------------------------ what loads
def test_a_program_of_kernels(rng):
    """Elementwise operators, a sum, a product, with inputs and outputs of strides."""
    x, w, scale = tensor(1, 8, 32), tensor(2, 32, 16), tensor(3, 1, 32)
    square, total, summed, root, normed = (tensor(4, 8, 32), tensor(5, 8, 1), tensor(6, 8, 32), tensor(7, 8, 1),
                                           tensor(8, 8, 32))
    product, left, right = tensor(9, 8, 16), tensor(10, 8, 8), tensor(11, 8, 8)
    graph = load([
        kn_input(x),
        kn_input(w, strides=[1, 32]),
        operation("kn_square_op", [x], [square]),
        operation("kn_reduction_1_op", [square], [total]),
        operation("kn_sqrt_op", [total], [root]),
        operation("kn_div_op", [x, root], [summed]),
        kn_input(scale),
        operation("kn_mul_op", [summed, scale], [normed]),
        operation("kn_matmul_op", [normed, w], [product]),
        operation("kn_chunk_1_op", [product], [left, right], chunk_size=2, chunk_dim=1),
        kn_output(right),
        kn_output(left, strides=[1, 8]),
    ])
    assert isinstance(graph, mi.KernelGraph)
    assert [(t.shape, t.dtype, t.strides) for t in graph.inputs] == [
        ((8, 32), mi.float16, (32, 1)), ((32, 16), mi.float16, (1, 32)), ((1, 32), mi.float16, (32, 1))]
    a, s = (rng.standard_normal(dims).astype(np.float16) for dims in ((8, 32), (1, 32)))
    b = np.asfortranarray(rng.standard_normal((32, 16)).astype(np.float16))
    second, first = graph([a, b, s])
    exact = a / np.sqrt((a.astype(float) ** 2).sum(1, keepdims=True)) * s.astype(float) @ b.astype(float)
    assert relative_error(first, exact[:, :8]) < 2e-3 and relative_error(second, exact[:, 8:]) < 2e-3
    assert first.strides == (2, 16) and second.strides == (16, 2)


@pytest.mark.parametrize("name, reference", [
    ("exp", np.exp),
    ("relu", lambda x: np.maximum(x, 0)),
    ("sigmoid", lambda x: 1 / (1 + np.exp(-x))),
    ("silu", lambda x: x / (1 + np.exp(-x))),
    ("gelu", lambda x: 0.5 * x * (1 + np.vectorize(math.erf)(x / np.sqrt(2)))),
    ("rms_norm", lambda x: x / np.sqrt((x**2).mean(-1, keepdims=True))),
])
def test_operators_of_one_tensor(rng, name, reference):
    """As kernels, and in a kernel's blocks."""
    x, y, z = tensor(1, 8, 64), tensor(2, 8, 64), tensor(3, 8, 64)
    tx, ty, acc = tile(1, 4, 64), tile(2, 4, 64), tile(3, 4, 64)
    blocks = kernel([x], [z], [tb_input(x, tx, (0, -1, -1), -1), operation(f"tb_{name}_op", [tx], [ty]),
                               operation("tb_forloop_accum_nored_op", [ty], [acc]), tb_output(acc, z, (0, -1, -1))],
                    grid_dim=(2, 1, 1))
    graph = load([kn_input(x), operation(f"kn_{name}_op", [x], [y]), blocks, kn_output(y), kn_output(z)])
    a = rng.standard_normal((8, 64)).astype(np.float16)
    for out in graph([a]):
        assert relative_error(out, reference(a.astype(float))) < 1e-3


def test_rms_linear(rng):
    graph = load(rms_linear())
    x = rng.standard_normal((16, 1024)).astype(np.float16)
    w = rng.standard_normal((1024, 256)).astype(np.float16)
    (out,) = graph(inputs=[x, w])
    exact = x.astype(float) / np.sqrt((x.astype(float) ** 2).mean(-1, keepdims=True)) @ w.astype(float)
    assert relative_error(out, exact) < 1e-3
    assert "mirage_block.graph grid(x = 4, y = 1, z = 1) threads(128) loop(16)" in graph.mlir
    # It is ours from there on.
    assert mi.from_json(graph.to_json()).to_json() == graph.to_json()


def test_reductions_in_blocks(rng):
    """To `reduction_dimx`, over a dimension, of maxima; and tiles side by side."""
    x, sums, maxima, means = tensor(1, 8, 256), tensor(2, 8, 16), tensor(3, 8, 64), tensor(4, 8, 1)
    tx, ts, tc = tile(1, 4, 64), tile(2, 4, 64), tile(3, 4, 128)
    ta, tm, half, total, mean = tile(4, 4, 16), tile(5, 4, 64), tile(6, 4, 16), tile(7, 4, 1), tile(8, 4, 1)
    operators = [
        tb_input(x, tx, (0, -1, -1), 1),
        operation("tb_square_op", [tx], [ts]),
        operation("tb_concat_1_op", [tx, ts], [tc], concat_dim=1),
        operation("tb_reduction_1_to_dimx_op", [tc], [half], reduce_dim=1, reduce_size=16),
        operation("tb_forloop_accum_redtox_ld_sum_op", [tc], [ta]),
        operation("tb_forloop_accum_max_op", [tx], [tm]),
        operation("tb_reduction_1_op", [half], [total], reduce_dim=1, reduce_size=1),
        operation("tb_forloop_accum_red_ld_mean_op", [total], [mean]),
        tb_output(ta, sums, (0, -1, -1)),
        tb_output(tm, maxima, (0, -1, -1)),
        tb_output(mean, means, (0, -1, -1)),
    ]
    made = kernel([x], [sums, maxima, means], operators, grid_dim=(2, 1, 1), block_dim=(64, 1, 1), forloop_range=4,
                  reduction_dimx=16)
    graph = load([kn_input(x), made, kn_output(sums), kn_output(maxima), kn_output(means)])
    a = rng.standard_normal((8, 256)).astype(np.float16)
    tiles = a.astype(float).reshape(8, 4, 64)
    joined = np.concatenate([tiles, tiles**2], 2)
    first, second, third = graph([a])
    assert relative_error(first, joined.sum(1).reshape(8, 8, 16).sum(1)) < 1e-3
    assert relative_error(second, tiles.max(1)) < 1e-6
    assert relative_error(third, joined.sum(2).mean(1)[:, None]) < 1e-3


def test_sums_rescaled_to_the_maximum(rng):
    """Attention with the softmax that goes along: reduction_max gives two tiles, of which the
    second is for rescaling."""
    heads, rows, keys, depth = 2, 64, 256, 64
    q, k, v, o = (tensor(guid, heads, *dims) for guid, dims in ((1, (rows, depth)), (2, (depth, keys)),
                                                               (3, (keys, depth)), (4, (rows, depth))))
    tq, tk, tv = tile(10, 1, rows, depth), tile(11, 1, depth, 64), tile(12, 1, 64, depth)
    scores, largest, grown, factor = tile(13, 1, rows, 64), tile(14, 1, rows, 1), tile(15, 1, rows, 1), tile(16, 1, rows, 1)
    shifted, weights, product = tile(17, 1, rows, 64), tile(18, 1, rows, 64), tile(19, 1, rows, depth)
    total, summed, out = tile(20, 1, rows, 1), tile(21, 1, rows, depth), tile(22, 1, rows, depth)
    operators = [
        tb_input(q, tq, (0, -1, -1), -1),
        tb_input(k, tk, (0, -1, -1), 2),
        tb_input(v, tv, (0, -1, -1), 1),
        operation("tb_matmul_op", [tq, tk], [scores]),
        operation("tb_reduction_2_max_op", [scores], [largest, grown], reduce_dim=2, reduce_size=-1),
        operation("tb_sub_op", [scores, largest], [shifted]),
        operation("tb_exp_op", [shifted], [weights]),
        operation("tb_exp_op", [grown], [factor]),
        operation("tb_matmul_op", [weights, tv], [product]),
        operation("tb_forloop_accum_red_ld_sum_rescale_op", [weights, factor], [total]),
        operation("tb_forloop_accum_nored_rescale_op", [product, factor], [summed]),
        operation("tb_div_op", [summed, total], [out]),
        tb_output(out, o, (0, -1, -1)),
    ]
    made = kernel([q, k, v], [o], operators, grid_dim=(heads, 1, 1), forloop_range=4)
    graph = load([kn_input(q), kn_input(k), kn_input(v), made, kn_output(o)])
    a, b, c = (rng.standard_normal(t.shape).astype(np.float16) for t in graph.inputs)
    (result,) = graph([a, b, c])
    scores = a.astype(float) @ b.astype(float)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    assert relative_error(result, weights / weights.sum(-1, keepdims=True) @ c.astype(float)) < 3e-3


def test_numbers_that_the_original_does_not_write(rng):
    """Of mul_scalar and clamp, where somebody has added them."""
    x, y, z = tensor(1, 8, 64), tensor(2, 8, 64), tensor(3, 8, 64)
    graph = load([kn_input(x), operation("kn_mul_scalar_op", [x], [y], scalar=0.5),
                  operation("kn_clamp_op", [y], [z], min_val=-0.25, max_val=0.25), kn_output(z)])
    a = rng.standard_normal((8, 64)).astype(np.float16)
    assert relative_error(graph([a])[0], np.clip(a * 0.5, -0.25, 0.25)) < 1e-3


# ------------------------------------------------------------------ lists and earlier versions
def test_what_a_search_keeps(tmp_path):
    """All µGraphs that it found, in one file."""
    path = tmp_path / "mirage_search_checkpoint.json"
    path.write_text(json.dumps([exp_program(), rms_linear()]))
    assert len(mi.from_json(path, index=0).inputs) == 1
    assert len(mi.KernelGraph.from_json(path.read_text(), index=1).inputs) == 2
    with pytest.raises(mi.GraphError, match="expects an index from 0 to 1, as there are 2 graphs, got none"):
        mi.from_json(path)
    with pytest.raises(mi.GraphError, match="expects an index from 0 to 1, got 2"):
        mi.from_json(path, index=2)
    assert mi.from_json(json.dumps([exp_program()])).to_json() == load(exp_program()).to_json()


def test_lists_of_before_september_2024():
    """An object with more, graphs without outputs and inputs without strides."""
    program = exp_program(data_type=921)[:-1]
    del program[0]["input_strides"], program[0]["input_map"]
    graph = load({"best_graph": None, "generated_graphs": [program], "search_finished": True})
    assert [t.dtype for t in (*graph.inputs, *graph.compile().outputs)] == [mi.float16, mi.float16]
    program[0]["output_tensors"][0]["layout"] = "DmemColumnMajor"
    assert load(program).inputs[0].strides == (1, 4)


def test_outputs_that_sum_over_the_loop(rng):
    """Before August 2024 there were no accumulators."""
    x, w, o = tensor(1, 8, 256), tensor(2, 256, 32), tensor(3, 8, 32)
    tx, tw, tm = tile(1, 8, 64), tile(2, 64, 16), tile(3, 8, 16)
    operators = [tb_input(x, tx, (-1, -1, -1), 1), tb_input(w, tw, (1, -1, -1), 0),
                 operation("tb_matmul_op", [tx, tw], [tm]), tb_output(tm, o, (1, -1, -1))]
    graph = load([kn_input(x), kn_input(w),
                  kernel([x, w], [o], operators, grid_dim=(2, 1, 1), forloop_range=4), kn_output(o)])
    a, b = (rng.standard_normal(t.shape).astype(np.float16) for t in graph.inputs)
    assert relative_error(graph([a, b])[0], a.astype(float) @ b.astype(float)) < 1e-3


@pytest.mark.parametrize("prefix, number, options, dtype", [
    ("tb_forloop_accum", 940, {}, mi.float16),
    ("tb_forloop_accum", 941, {}, mi.bfloat16),
    ("tb_forloop_accum", 950, {}, mi.float32),
    ("tb_forloop_accum", 940, {"dtypes": {940: mi.bfloat16}}, mi.bfloat16),
    ("tb_forloop_accum", 955, {"dtypes": {955: "float32"}}, mi.float32),
    ("tb_accum", 921, {}, mi.float16),
    ("tb_accum", 920, {}, mi.bfloat16),
    ("tb_accum", 930, {}, mi.float32),
    ("tb_accum", 940, {}, mi.bfloat16),
])
def test_numbers_of_types(prefix, number, options, dtype):
    """They have changed, and accumulators were renamed in between."""
    graph = load(rms_linear(prefix, data_type=number), **options)
    assert {t.dtype for t in (*graph.inputs, *graph.outputs)} == {dtype}


def test_8_bit_floats():
    x, y = tensor(1, 8, 64, data_type=930), tensor(2, 8, 64)
    assert load([kn_input(x), operation("kn_exp_op", [x], [y]), kn_output(y)]).inputs[0].dtype == mi.float8_e4m3


# ------------------------------------------------------------------ what does not
def change(path, value):
    """The graph of rms_linear with another value at a path, or, as None, without a member."""
    graph = json.loads(json.dumps(rms_linear()))  # in which nothing is shared
    at = graph
    for step in path[:-1]:
        at = at[step]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return graph


BLOCK = (2, "bgraph")


@pytest.mark.parametrize("graph, message", [
    ([], "expects a graph, got an empty list"),
    ([3], "[0]: expects an object, got 3"),
    ([rms_linear(), 3], "expects an index from 0 to 1, as there are 2 graphs, got none"),
    ([[3]], "[0][0]: expects an object, got 3"),
    ({"generated_graphs": 3}, "generated_graphs: expects an array, got 3"),
    (change((0,), 3), "[0]: expects an object, got 3"),
    # Operators.
    (change((0, "op_type"), None), "[0].op_type: expects a string, got nothing"),
    (change((0, "op_type"), 1001), "[0].op_type: expects a string, got 1001"),
    (change((2, "op_type"), "kn_allreduce_op"), '[2].op_type: expects an operator of programs that Mirage has, got "kn_allreduce_op"'),
    (change((2, "op_type"), "kn_unkown"), 'got "kn_unkown"'),
    (change((*BLOCK, "operators", 5, "op_type"), "tb_customized_op"),
     '[2].bgraph.operators[5].op_type: expects an operator of block graphs that Mirage has, got "tb_customized_op"'),
    (change((*BLOCK, "operators", 5, "op_type"), "tb_reduction_first_op_id"), 'got "tb_reduction_first_op_id"'),
    (change((*BLOCK, "operators", 5, "op_type"), "tb_mul_scalar_op"),
     "expects a member scalar, which the original does not write: add it by hand, got nothing"),
    (change((*BLOCK, "operators", 5, "op_type"), "tb_clamp_op"), "expects a member min_val"),
    (change((*BLOCK, "operators", 5, "op_type"), "tb_reduction_1_op"),
     "[2].bgraph.operators[5].input_tensors: expects 1 tensors, got 2"),
    # Tensors.
    (change((0, "output_tensors"), []), "[0].output_tensors: expects 1 tensors, got 0"),
    (change((0, "output_tensors", 0, "guid"), None), "[0].output_tensors[0].guid: expects an integer, got nothing"),
    (change((1, "output_tensors", 0, "guid"), 7), "[1].output_tensors[0].guid: expects a number that no other tensor has, got 7"),
    (change((3, "input_tensors", 0, "guid"), 10), "[3].input_tensors[0].guid: expects a tensor that an operator before gives, got 10"),
    (change((0, "output_tensors", 0, "num_dims"), 5), "num_dims: expects an integer from 0 to 4, got 5"),
    (change((0, "output_tensors", 0, "num_dims"), 0), "expects a rank of at least 1, got 0"),
    (change((0, "output_tensors", 0, "num_dims"), 4), "expects sizes of at least 1, got 0"),
    (change((0, "output_tensors", 0, "dim"), "16"), '[0].output_tensors[0].dim: expects an array, got "16"'),
    (change((0, "output_tensors", 0, "dim", 1), 2.5), "[0].output_tensors[0].dim[1]: expects an integer, got 2.5"),
    (change((0, "output_tensors", 0, "data_type"), 955),
     "data_type: expects the number of an element type among 921 (f16), 930 (f8E4M3FN), 940 (f16), 941 (bf16), 950 (f32), got 955"),
    (change((0, "input_strides"), [1]), "[0].input_strides: expects a stride for each of 2 dimensions, got 1"),
    (change((3, "output_strides"), [0, 1]), "[3].output_strides: expects a stride of at least 1 along dimension 0 of what is written"),
    (change((3, "output_strides"), None), "[3].output_strides: expects an array, got nothing"),
    (change((0, "input_map", "y"), 0), "[0].input_map: expects -1, as programs run on one GPU, got 0"),
    (change((2, "output_tensors", 0, "dim", 1), 512), "expects"),
    # Kernels.
    (change(BLOCK, None), "[2].bgraph"),
    (change((*BLOCK, "grid_dim", "x"), 0), "[2].bgraph.grid_dim.x: expects an integer from 1 to"),
    (change((*BLOCK, "grid_dim", "x"), 3), "[2].bgraph.operators[1].output_tensors[0].dim: expects sizes [64, 86], as operands and maps give them, got [64, 64]"),
    (change((*BLOCK, "block_dim", "x"), 33), "[2].bgraph: expects 32 to 1024 threads in multiples of 32, got 33"),
    (change((*BLOCK, "block_dim"), None), "[2].bgraph.block_dim"),
    (change((*BLOCK, "forloop_range"), 0), "[2].bgraph.forloop_range: expects an integer from 1 to"),
    (change((*BLOCK, "reduction_dimx"), "64"), '[2].bgraph.reduction_dimx: expects an integer, got "64"'),
    (change((*BLOCK, "operators"), []), "[2].bgraph.operators: expects an input for each of 2 tensors that the kernel takes, got 0"),
    (change((*BLOCK, "operators", 0, "dtensor", "guid"), 8), "[2].bgraph.operators[0].dtensor.guid: expects the kernel's tensors in their order, 7, got 8"),
    (change((*BLOCK, "operators", 0, "forloop_dim"), 5), "expects a map to dimensions below 2, got 5"),
    (change((*BLOCK, "operators", 1, "input_map", "x"), 5), "expects a map to dimensions below 2, got 5"),
    (change((*BLOCK, "operators", 1, "input_map", "x"), -2), "input_map: expects a map to dimensions, or to -1, got -2"),
    (change((*BLOCK, "operators", 3, "output_tensors", 0, "dim", 0), 32),
     "[2].bgraph.operators[3].output_tensors[0].dim: expects sizes [16, 64], as operands and maps give them, got [32, 64]"),
    (change((*BLOCK, "operators", 5, "input_tensors", 1, "guid"), 22),
     "[2].bgraph.operators[5]: div: expects operands of one phase"),
    (change((*BLOCK, "operators", 6, "input_tensors", 0, "guid"), 22), "expects an output from after the loop"),
    (change((*BLOCK, "operators", 6, "epilogue"), "tb_epilogue_allreduce"), 'expects tb_epilogue_none, as programs run on one GPU, got "tb_epilogue_allreduce"'),
    (change((*BLOCK, "operators", 6), {"op_type": "tb_exp_op", "input_tensors": [tile(25, 16, 64)],
                                       "output_tensors": [tile(26, 16, 64)]}),
     "[2].bgraph.operators: expects a tb_output_op, got none"),
    (change((*BLOCK, "operators", 4), operation("tb_forloop_accum_nored_rescale_op", [tile(22, 16, 64), tile(20, 16, 64)],
                                                [tile(24, 16, 64)])),
     "[2].bgraph.operators[4].input_tensors[1].guid: expects what a reduction_max gave, or its exponential, got 20"),
])
def test_mistakes(graph, message):
    with pytest.raises(mi.GraphError) as caught:
        load(graph)
    assert message in str(caught.value)


@pytest.mark.parametrize("options, message", [
    ({"index": -1}, "expects an index of at least 0, got -1"),
    ({"index": "a"}, "expects an index as an integer, got 'a'"),
    ({"index": 1}, "expects an index from 0 to 0, got 1"),
    ({"dtypes": {940: "int8"}}, "expects an element type among float16"),
    ({"dtypes": {"half": mi.float16}}, "expects a number in dtypes as an integer, got 'half'"),
])
def test_mistakes_of_callers(options, message):
    with pytest.raises(mi.GraphError) as caught:
        load(rms_linear(), **options)
    assert message in str(caught.value)


def test_our_own_form_is_one_graph():
    text = load(exp_program()).to_json()
    assert mi.from_json(text, index=0).to_json() == text
    with pytest.raises(mi.GraphError, match="expects an index of 0, as there is one graph, got 1"):
        mi.from_json(text, index=1)


def test_every_member_that_is_missing_or_another():
    """Whatever is wrong somewhere is an error or does not matter, and nothing else."""
    def places(value, path=()):
        yield path
        entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, entry in entries:
            yield from places(entry, path + (key,))

    for path in list(places(rms_linear()))[1:]:
        for value in (None, 3, -1, 2**62, "a", [], {}, True):
            try:
                load(change(path, value))
            except mi.GraphError as error:
                assert str(error)
