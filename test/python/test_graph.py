"""Programs, operator by operator: shapes, types, names, and errors at the line that makes them."""

import copy
import json
import math
import pickle
import re

import numpy as np
import pytest

import mirage as mi


def test_types_of_results(graph):
    x = graph.new_input(dims=(2, 8, 64), dtype=mi.float16, name="X")
    w = graph.new_input(dims=(64, 32), dtype="bfloat16")
    product = graph.matmul(x, w)
    assert product.shape == (2, 8, 32) and product.dtype == mi.float32  # which holds both
    assert graph.reduction(x, 2).shape == (2, 8, 1)
    assert graph.reduction(x, -1).shape == (2, 8, 1)
    assert graph.max(x, dim=(0, 1)).shape == (1, 1, 64)
    assert graph.exp(x).dtype == mi.float16
    assert graph.cast(x, mi.float32).dtype == mi.float32
    assert x.mT.shape == (2, 64, 8) and w.T.shape == w.mT.shape == (32, 64)
    assert graph.concat([x, graph.cast(x, mi.float32)], dim=1).dtype == mi.float32  # which holds both
    assert graph.permute(x, (2, 0, 1)).shape == (64, 2, 8)
    assert graph.reshape(x, (16, 64)).shape == (16, 64)
    assert graph.concat([x, x, x], dim=1).shape == (2, 24, 64)
    assert graph.repeat(x, (1, 2, 1)).shape == (2, 16, 64)
    assert graph.slice(x, (0, 2, 0), (2, 3, 64)).shape == (2, 3, 64)
    assert (x.name, w.name, x.num_dims, x.dim(2), x.ndim) == ("X", "input1", 3, 64, 3)
    assert repr(x) == "<DTensor X: [2, 8, 64] float16>"


def test_eight_bit_operands_give_f16(graph):
    x = graph.new_input(dims=(16, 64), dtype=mi.float8_e4m3)
    w = graph.new_input(dims=(64, 32), dtype=mi.float8_e5m2)
    assert graph.matmul(x, w).dtype == mi.float16


@pytest.mark.parametrize("dtype", [mi.float16, "float16", "f16", "half", np.float16, np.dtype("float16")])
def test_names_of_types(graph, dtype):
    assert graph.new_input(dims=(4, 4), dtype=dtype).dtype == mi.float16


def test_pythons_float_is_no_type_of_ours(graph):
    """NumPy and torch take it for float64; torch's own `float` is f32."""
    with pytest.raises(mi.GraphError, match="got <class 'float'>, which is float64 to NumPy and torch"):
        graph.cast(graph.new_input(dims=(4, 4)), float)
    assert graph.new_input(dims=(4, 4), dtype="float").dtype == mi.float32


def test_unmarked_outputs_are_all_that_nothing_takes(graph):
    x = graph.new_input(dims=(4, 8))
    y = graph.exp(x)
    graph.square(y)
    graph.sqrt(y)
    program = json.loads(graph.to_json())["graph"]
    assert len(program["outputs"]) == 2
    assert [program["operations"][number - 1]["operator"] for number in program["outputs"]] == ["square", "sqrt"]


def test_graphs_go_on_after_a_look(graph):
    x = graph.new_input(dims=(8, 64))
    y = graph.exp(x)
    assert "tensor<8x64xf16>" in graph.mlir
    assert graph.compile().outputs[0].shape == (8, 64)
    graph.reduction(y, 1)
    assert [spec.shape for spec in graph.compile().outputs] == [(8, 1)]


def test_copies(graph):
    x = graph.new_input(dims=(8, 64), name="X")
    graph.mark_output(graph.exp(x))
    for copied in (copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):
        assert copied.to_json() == graph.to_json()


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_copies_with_their_tensors(graph, duplicate):
    """Whatever was made first, inputs or results of kernels."""
    x = graph.new_input((2, 4), name="X")
    y = graph.exp(x)
    w = graph.new_input((4, 3), name="W")
    z = graph.matmul(y, w)
    v = graph.new_input((2, 3), name="V")
    again, *tensors = duplicate([graph, x, y, w, z, v])
    assert [tensor.name for tensor in again.inputs] == ["X", "W", "V"]
    assert [tensor.shape for tensor in tensors] == [tensor.shape for tensor in (x, y, w, z, v)]
    assert all(tensor.graph is again for tensor in tensors) and tensors[2] is again.inputs[1]
    again.mark_output(again.add(tensors[3], tensors[4]))
    again.mark_output(again.square(tensors[1]))
    ones = [np.ones(spec.shape, np.float16) for spec in again.compile().inputs]
    added, squared = again(ones)
    assert np.allclose(added, 4 * np.e + 1, atol=2e-2) and np.allclose(squared, np.e ** 2, atol=2e-2)


def test_copies_of_copies(graph):
    y = graph.exp(graph.new_input((2, 4)))
    w = graph.new_input((4, 3))
    tensors = copy.deepcopy(copy.deepcopy([y, w]))
    assert [tensor.shape for tensor in tensors] == [(2, 4), (4, 3)] and tensors[0].graph is tensors[1].graph
    assert copy.copy(y) is y


def test_names_of_inputs(graph):
    assert graph.new_input(dims=(4, 4), name="input1").name == "input1"
    assert graph.new_input(dims=(4, 4)).name == "input2"
    for name in ("input1", "", "a/b", "a=b", "a\nb", "a\0b", "a\udc80", 3):
        with pytest.raises(mi.GraphError, match="expects a name of one line, without '/' and '=', that no other input has"):
            graph.new_input(dims=(4, 4), name=name)


def test_marked_outputs_alone(graph):
    x = graph.new_input(dims=(4, 8))
    y = graph.exp(x)
    graph.square(y)
    graph.mark_output(y, strides=(1, 4))
    described = json.loads(graph.to_json())
    assert described["graph"]["outputs"] == [1] and described["outputStrides"] == [[1, 4]]


def test_json_comes_back(graph):
    x = graph.new_input(dims=(8, 64), strides=(1, 8), name="X")
    graph.mark_output(graph.rms_norm(x, normalized_shape=(64,)))
    text = graph.to_json()
    back = mi.KernelGraph.from_json(text)
    assert back.to_json() == text
    assert back.inputs[0].name == "X" and back.inputs[0].strides == (1, 8)
    assert [output.shape for output in back.outputs] == [(8, 64)]
    # It goes on like any other.
    assert back.exp(back.outputs[0]).shape == (8, 64)


def test_what_nobody_has_marked_stays_unmarked():
    """Of a copy, by JSON, pickle and copy: an operator that comes later is the output alone."""
    graph = mi.new_kernel_graph()
    graph.exp(graph.new_input((2, 3)))
    x = np.linspace(0.5, 1, 6).reshape(2, 3).astype(np.float16)
    for again in (mi.KernelGraph.from_json(graph.to_json()), pickle.loads(pickle.dumps(graph)), copy.deepcopy(graph)):
        assert again.outputs == [] and again.to_json() == graph.to_json()
        value = mi.DTensor(again, 1)
        again.log(value)
        (out,) = again([x])
        assert np.allclose(out, x, atol=2e-3)
    described = json.loads(graph.to_json())
    described["graph"]["outputs"] = [0]
    with pytest.raises(mi.GraphError, match="expects row-major outputs that no operation takes"):
        mi.KernelGraph.from_json(json.dumps(described))


def test_inputs_may_come_late(graph):
    x = graph.exp(graph.new_input(dims=(8, 64)))
    w = graph.new_input(dims=(64, 16), name="W")
    assert graph.matmul(x, w).shape == (8, 16)
    assert "mirage.name = \"W\"" in graph.mlir


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda g, x, w: g.matmul(x, x), "matmul: expects dim(lhs, 1) = dim(rhs, 0), got 64 and 8"),
        (lambda g, x, w: g.add(x, w), "add: expects shapes that broadcast, got [8, 64] and [64, 32]"),
        (lambda g, x, w: g.reduction(x, 2), "expects a dimension from -2 to 1 of X, got 2"),
        (lambda g, x, w: g.reshape(x, (2, 4, 64)).T, "expects a tensor of 2 dimensions for .T, got 3 of %2; .mT swaps"),
        (lambda g, x, w: g.new_input((4,)).T, "expects a tensor of 2 dimensions for .T, got 1 of input2; .mT swaps"),
        (lambda g, x, w: x.dim(2), "expects a dimension from -2 to 1 of X, got 2"),
        (lambda g, x, w: x**65, "pow: expects an exponent from -64 to 64, got 65"),
        (lambda g, x, w: (-2) ** x, "pow: expects powers of a constant above 0, got powers of -2"),
        (lambda g, x, w: x / 0, "div: expects a divisor that has a reciprocal in f32, got 0"),
        (lambda g, x, w: x + math.nan, "add: expects constants that are numbers, got NaN"),
        (lambda g, x, w: g.reshape(x, (7, 3)), "reshape: expects as many elements as the operand, 512, got 21"),
        (lambda g, x, w: g.new_input(dims=(4, 0)), "expects sizes of at least 1, got 0"),
        (lambda g, x, w: g.new_input(dims=(4, "a")), "expects dims as a tuple of integers, got (4, 'a')"),
        (lambda g, x, w: g.new_input(dims=(4, 4), dtype="int8"), "expects an element type among float16"),
        (lambda g, x, w: g.new_input(dims=(4, 4), strides=(1,)), "expects a stride for each of 2 dimensions, got 1"),
        (lambda g, x, w: g.rms_norm(x, normalized_shape=(32,)), "expects normalized_shape to be the last sizes of"),
        (lambda g, x, w: g.gelu(x, approximate="yes"), 'expects approximate of "none" or "tanh", got \'yes\''),
        (lambda g, x, w: g.exp(3), "expects a DTensor of this graph, got 3"),
        (lambda g, x, w: mi.new_kernel_graph().exp(x), "expects a tensor of this graph, got X of another one"),
        (lambda g, x, w: g.mark_output(x, strides=(0, 1)), "expects a stride of at least 1 along dimension 0 of what is written"),
        (lambda g, x, w: g.new_input(dims=(2**64 + 8, 64)), "expects dims as a tuple of integers"),
        (lambda g, x, w: g.new_input(dims=(8, 64), strides=(2**64 + 64, 1)), "expects strides as a tuple of integers"),
        (lambda g, x, w: g.reduction(x, None), "expects a dimension from -2 to 1 of X, got None"),
        (lambda g, x, w: g.causal_mask(x, "a"), "expects offset as an integer, got 'a'"),
        (lambda g, x, w: x * 10**400, "expects a number, got 1000"),
        (lambda g, x, w: mi.KernelGraph.from_json(None), "expects JSON as a string, got NoneType"),
        (lambda g, x, w: mi.from_mlir(3), "expects a module of MLIR as text or bytecode, got int"),
        (lambda g, x, w: g.concat([], dim=0), "expects at least one tensor, got none"),
        (lambda g, x, w: g.clamp(x, "a", 1), "expects a number as min_val, got 'a'"),
        (lambda g, x, w: g.clamp(x, 0, None), "expects a number as max_val, got None"),
        (lambda g, x, w: g.clamp(x, 0.1234567890123, -1e-9),
         "expects the lower bound, lo, to be at most the upper one, hi, got 0.1234567890123 and -1e-09"),
        (lambda g, x, w: g.rms_norm(x, eps="small"), "expects a number as eps, got 'small'"),
        (lambda g, x, w: g.superoptimize(config="cnn"), "expects config of \"attention\", \"mlp\", \"lora\" or None, got 'cnn'"),
        (lambda g, x, w: g.superoptimize(backend="triton"), 'expects backend="cuda", got \'triton\''),
        (lambda g, x, w: mi.KernelGraph.from_json("{"), "Expected object key"),
        (lambda g, x, w: g.customized([x], 3), "expects a threadblock graph, got 3"),
        (lambda g, x, w: mi.generate_cuda_program(g), "graph.compile().ptx"),
        (lambda g, x, w: mi.PersistentKernel(mode="offline"), "torch.compile(model"),
        (lambda g, x, w: mi.set_gpu_device_id(-1), "expects the number of a GPU, got -1"),
    ],
)
def test_mistakes(graph, call, message):
    x = graph.new_input(dims=(8, 64), name="X")
    w = graph.new_input(dims=(64, 32), name="W")
    with pytest.raises(mi.GraphError) as caught:
        call(graph, x, w)
    assert message in str(caught.value)


@pytest.mark.parametrize("name, instead", [
    ("generate_cuda_program", (r"\.ptx of what compile\(\) and superoptimize\(\) return", r"which is \.ptx$", None)),
    ("run", (r"call the graph, or what compile\(\)", "call the program with inputs=", None)),
    ("get_graph_structure", (r"to_json\(\) has it", r"mirage\.from_mlir\(program\.mlir\)\.to_json\(\) has it", None)),
    ("get_num_inputs", (r"len\(\.inputs\)", r"len\(\.inputs\)", None)),
    ("cygraph", ("stands for itself",) * 3),
    ("valid_kernels", ("CompileError", "CompileError", None)),
    ("attach_torch_tensor", ("torch.compile", "torch.compile", None)),
    ("nothing", (None,) * 3)])
def test_names_of_the_original(graph, name, instead):
    """An error says what is in their place, of the class that it is of."""
    graph.exp(graph.new_input((8, 64)))
    block = mi.new_threadblock_graph((1, 1, 1), (64, 1, 1), 1)
    for owner, there in zip((graph, graph.compile(), block), instead):
        says = f", as the original's have: .*{there}" if there else "$"
        with pytest.raises(AttributeError, match=f"^'{type(owner).__name__}' object has no attribute '{name}'{says}"):
            getattr(owner, name)
        assert not hasattr(owner, name)


def test_names_of_the_original_hide_none_that_are_here(graph):
    graph.exp(graph.new_input((8, 64)))
    for owner in (graph, graph.compile(), mi.new_threadblock_graph((1, 1, 1), (64, 1, 1), 1)):
        assert not owner._instead.keys() & {*dir(owner), *vars(owner)}


def test_what_a_property_lacks_is_what_its_error_says(graph, monkeypatch):
    monkeypatch.setattr(mi.KernelGraph, "mlir", property(lambda self: self.outputs.nothing))
    with pytest.raises(AttributeError, match="'list' object has no attribute 'nothing'"):
        graph.mlir


def test_names_of_the_original_package():
    with pytest.raises(AttributeError, match="'generate_triton_program', as the original has: Mirage makes PTX"):
        mi.generate_triton_program
    with pytest.raises(AttributeError, match="module 'mirage' has no attribute 'nothing'$"):
        mi.nothing


def test_mistakes_leave_the_graph_as_it_was(graph):
    x = graph.new_input(dims=(8, 64))
    before = graph.exp(x)
    with pytest.raises(mi.GraphError):
        graph.matmul(x, x)
    graph.mark_output(before)
    assert len(json.loads(graph.to_json())["graph"]["operations"]) == 1


def test_programs_without_operators(graph):
    graph.new_input(dims=(8, 64))
    with pytest.raises(mi.GraphError, match="expects a program with an output"):
        graph.compile()


# The original's quick start declares inputs of other shapes than its graph needs.
def test_shapes_of_the_published_attention(graph):
    q = graph.new_input(dims=(64, 1, 128), dtype=mi.float16)
    k = graph.new_input(dims=(64, 128, 4096), dtype=mi.float16)
    v = graph.new_input(dims=(64, 4096, 128), dtype=mi.float16)
    scores = graph.matmul(q, k)
    weights = graph.exp(scores)
    assert graph.matmul(graph.div(weights, graph.reduction(weights, 2)), v).shape == (64, 1, 128)
    with pytest.raises(mi.GraphError, match="got 128 and 64"):
        graph.matmul(q, graph.new_input(dims=(2, 64, 4096), dtype=mi.float16))


def test_shapes_of_the_published_norm(graph):
    x = graph.new_input(dims=(16, 4096), dtype=mi.float16)
    w = graph.new_input(dims=(406, 4096), dtype=mi.float16)
    with pytest.raises(mi.GraphError, match=r"expects dim\(lhs, 1\) = dim\(rhs, 0\), got 4096 and 406"):
        graph.matmul(graph.rms_norm(x), w)
