"""Every operator of a program against NumPy in float64, in each type that results are stored in."""

import inspect
import math

import numpy as np
import pytest

import mirage as mi
from conftest import check_numbers
from mirage.operators import Operators

torch = pytest.importorskip("torch")


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gelu_tanh(x):
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def layer_norm(x, w=1, b=0, axis=-1, eps=1e-5):
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + eps) * w + b


def softmax(x, axis=-1):
    power = np.exp(x - x.max(axis, keepdims=True))
    return power / power.sum(axis, keepdims=True)


erf = np.vectorize(math.erf)
#: Positive numbers, numbers of both signs, a row, and a factor.
SHAPES = {"p": (8, 48), "x": (8, 48), "y": (8, 48), "w": (48,), "m": (48, 24)}

#: Operator: what is called, and what it is. Several are told apart by what stands in brackets.
CASES = {
    "add": (lambda g, x, y: g.add(x, y), lambda x, y: x + y),
    "add[broadcast]": (lambda g, x, w: x + w, lambda x, w: x + w),
    "add[number]": (lambda g, x: 0.3 + (x + 1.7), lambda x: x + 2),
    "sub": (lambda g, x, y: g.sub(x, y), lambda x, y: x - y),
    "sub[number]": (lambda g, x: x - 2.5, lambda x: x - 2.5),
    "sub[number first]": (lambda g, x: 2.5 - x, lambda x: 2.5 - x),
    "mul": (lambda g, x, y: g.mul(x, y), lambda x, y: x * y),
    "mul[number]": (lambda g, x: x * np.float32(1.5) * np.int64(3), lambda x: 4.5 * x),
    "div": (lambda g, x, p: g.div(x, p), lambda x, p: x / p),
    "div[by 10]": (lambda g, x: x / 10, lambda x: x / 10),
    "div[by 8]": (lambda g, x: x / 8, lambda x: x / 8),
    "div[1 first]": (lambda g, p: 1 / p, lambda p: 1 / p),
    "div[number first]": (lambda g, p: 3 / p, lambda p: 3 / p),
    "pow": (lambda g, p, x: g.pow(p, x), lambda p, x: p**x),
    **{f"pow[{exponent}]": (lambda g, p, e=exponent: p**e, lambda p, e=exponent: p**e)
       for exponent in (0, 1, 2, 3, 5, 6.5, 0.5, 1.5, -0.5, -1, -2.5, 0.3, -1.7)},
    "pow[3 of both signs]": (lambda g, x: x**3, lambda x: x**3),
    **{f"pow[of {base}]": (lambda g, x, b=base: b**x, lambda x, b=base: b**x) for base in (2, 10, 0.7, math.e)},
    "maximum": (lambda g, x, y: g.maximum(x, y), lambda x, y: np.maximum(x, y)),
    "maximum[0]": (lambda g, x: g.maximum(x, 0), lambda x: np.maximum(x, 0)),
    "maximum[number]": (lambda g, x: g.maximum(0.25, x), lambda x: np.maximum(x, 0.25)),
    "minimum": (lambda g, x, y: g.minimum(x, y), lambda x, y: np.minimum(x, y)),
    "minimum[number]": (lambda g, x: g.minimum(x, -0.5), lambda x: np.minimum(x, -0.5)),
    "mul_scalar": (lambda g, x: g.mul_scalar(x, -0.75), lambda x: -0.75 * x),
    "exp": (lambda g, x: g.exp(x), np.exp),
    "exp2": (lambda g, x: g.exp2(x), np.exp2),
    "log": (lambda g, p: g.log(p), np.log),
    "square": (lambda g, x: g.square(x), np.square),
    "sqrt": (lambda g, p: g.sqrt(p), np.sqrt),
    "rsqrt": (lambda g, p: g.rsqrt(p), lambda p: p**-0.5),
    "reciprocal": (lambda g, p: g.reciprocal(p), np.reciprocal),
    "neg": (lambda g, x: -x, np.negative),
    "abs": (lambda g, x: abs(x), np.abs),
    "sigmoid": (lambda g, x: g.sigmoid(x), sigmoid),
    "silu": (lambda g, x: g.silu(x), lambda x: x * sigmoid(x)),
    "gelu": (lambda g, x: g.gelu(x), lambda x: x / 2 * (1 + erf(x / math.sqrt(2)))),
    "gelu[tanh]": (lambda g, x: g.gelu(x, approximate="tanh"), gelu_tanh),
    "relu": (lambda g, x: g.relu(x), lambda x: np.maximum(x, 0)),
    "tanh": (lambda g, x: g.tanh(x), np.tanh),
    "erf": (lambda g, x: g.erf(x), erf),
    "clamp": (lambda g, x: g.clamp(x, -0.5, 0.75), lambda x: np.clip(x, -0.5, 0.75)),
    "clamp[one side]": (lambda g, x: g.clamp(x, -math.inf, 0.75), lambda x: np.minimum(x, 0.75)),
    "matmul": (lambda g, x, m: g.matmul(x, m), lambda x, m: x @ m),
    "matmul[batch]": (lambda g, x, m: g.reshape(x, (2, 4, 48)) @ m, lambda x, m: x.reshape(2, 4, 48) @ m),
    "reduction": (lambda g, x: g.reduction(x, 1), lambda x: x.sum(1, keepdims=True)),
    "sum": (lambda g, x: g.sum(x, (0, -1)), lambda x: x.sum(keepdims=True)),
    "mean": (lambda g, x: g.mean(x, 0), lambda x: x.mean(0, keepdims=True)),
    "max": (lambda g, x: g.max(x, -1), lambda x: x.max(1, keepdims=True)),
    "cast": (lambda g, x: g.cast(x, mi.float32), lambda x: x),
    "reshape": (lambda g, x: g.reshape(x, (16, 24)), lambda x: x.reshape(16, 24)),
    "concat": (lambda g, x, p: g.concat(x, p, 1), lambda x, p: np.concatenate([x, p], 1)),
    "concat[many]": (lambda g, x, y, p: g.concat([x, y, p], dim=-2), lambda x, y, p: np.concatenate([x, y, p], 0)),
    "rms_norm": (lambda g, x: g.rms_norm(x), lambda x: x / np.sqrt((x**2).mean(1, keepdims=True))),
    "rms_norm[weight]": (lambda g, x, w: g.rms_norm(x, (48,), weight=w, eps=0.1),
                         lambda x, w: x / np.sqrt((x**2).mean(1, keepdims=True) + 0.1) * w),
    "layer_norm": (lambda g, x: g.layer_norm(x), layer_norm),
    "layer_norm[all]": (lambda g, x: g.layer_norm(x, (8, 48), eps=0.2), lambda x: layer_norm(x, axis=(0, 1), eps=0.2)),
    "layer_norm[weight and bias]": (lambda g, x, w, y: g.layer_norm(x, weight=w, bias=y), layer_norm),
    "l2_norm": (lambda g, x: g.l2_norm(x), lambda x: x / np.sqrt((x**2).sum(1, keepdims=True))),
    "l2_norm[rows]": (lambda g, x: g.l2_norm(x, dim=0, eps=0.5), lambda x: x / np.sqrt((x**2).sum(0, keepdims=True) + 0.5)),
    "softmax": (lambda g, x: g.softmax(x), softmax),
    "softmax[rows]": (lambda g, x: g.softmax(x, dim=0), lambda x: softmax(x, 0)),
    "transpose": (lambda g, x: g.transpose(x), lambda x: x.T),
    "transpose[.T]": (lambda g, x: g.exp(x.T), lambda x: np.exp(x.T)),
    "transpose[.mT]": (lambda g, x: g.reshape(x, (2, 4, 48)).mT, lambda x: np.swapaxes(x.reshape(2, 4, 48), 1, 2)),
    "transpose[of three]": (lambda g, x: g.transpose(g.reshape(x, (2, 4, 48)), 0, 2),
                            lambda x: np.swapaxes(x.reshape(2, 4, 48), 0, 2)),
    "permute": (lambda g, x: g.permute(g.reshape(x, (2, 4, 48)), (1, -1, 0)),
                lambda x: x.reshape(2, 4, 48).transpose(1, 2, 0)),
    "broadcast": (lambda g, x: g.broadcast(g.reshape(x, (8, 1, 48)), (8, 3, 48)),
                  lambda x: np.broadcast_to(x[:, None], (8, 3, 48))),
    "repeat": (lambda g, x: g.repeat(x, (2, 3)), lambda x: np.tile(x, (2, 3))),
    "slice": (lambda g, x: g.slice(x, (1, 4), (3, 9), (2, 5)), lambda x: x[1:7:2, 4:48:5]),
    "slice[whole steps]": (lambda g, x: g.slice(x, (2, 0), (4, 48)), lambda x: x[2:6]),
    "causal_mask": (lambda g, x: g.causal_mask(x), lambda x: np.where(np.tri(8, 48), x, -math.inf)),
    "causal_mask[offset]": (lambda g, x: g.causal_mask(x, offset=7), lambda x: np.where(np.tri(8, 48, 7), x, -math.inf)),
}


def make_inputs(names, dtype):
    rng = np.random.default_rng(7)
    numbers = {name: rng.uniform(0.25, 4, shape) if name == "p" else rng.standard_normal(shape)
               for name, shape in SHAPES.items()}
    return [torch.from_numpy(numbers[name]).to(getattr(torch, dtype.name)) for name in names]


@pytest.mark.parametrize("dtype", [mi.float16, mi.bfloat16, mi.float32], ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("case", CASES)
def test_numbers(graph, case, dtype):
    call, reference = CASES[case]
    names = [name for name in inspect.signature(call).parameters if name in SHAPES]
    given = make_inputs(names, dtype)
    tensors = [graph.new_input(dims=tensor.shape, dtype=dtype, name=name) for name, tensor in zip(names, given)]
    result = call(graph, *tensors)
    assert isinstance(result, mi.DTensor) and result.dtype == (mi.float32 if case == "cast" else dtype)
    graph.mark_output(result)
    (computed,) = graph(given)
    expected = reference(*[tensor.double().numpy() for tensor in given])
    check_numbers(computed, expected, dtype.name)


def test_all_operators_are_there():
    """Whoever adds one adds its numbers."""
    public = {name for cls in (Operators, mi.KernelGraph) for name, value in vars(cls).items()
              if callable(value) and not name.startswith("_")}
    others = {"new_input", "mark_output", "customized", "superoptimize", "compile", "visualize", "to_json"}
    assert {case.partition("[")[0] for case in CASES} == public - others


@pytest.mark.parametrize("columns", [65504, 65505, 70000])
def test_softmax_of_more_columns_than_float16_counts(graph, columns):
    """The sum of so many ones is beyond the largest float16, 65504."""
    x = graph.new_input(dims=(1, columns), dtype=mi.float16)
    graph.mark_output(graph.softmax(x))
    (computed,) = graph([np.zeros((1, columns), dtype=np.float16)])
    check_numbers(computed, np.full((1, columns), 1 / columns), "float16")


@pytest.mark.parametrize("base", [2, 10])
def test_exponents_are_not_rounded(graph, base):
    """10 ** x is exp(x ln 10), whose product with the logarithm stays float32."""
    x = graph.new_input(dims=(1, 256), dtype=mi.float16)
    graph.mark_output(base**x)
    given = np.linspace(-4, 4, 256, dtype=np.float16)[None]
    (computed,) = graph([given])
    exact = float(base) ** given.astype(float)
    # Each by itself, half a unit in the last place of float16, and what exp of the GPU errs.
    assert (np.abs(computed - exact) / exact).max() < 2.0**-11 * 1.01


def test_a_program_with_softmax_is_superoptimized_as_one_kernel(graph):
    q, k, v = (graph.new_input(dims=dims) for dims in ((2, 64, 64), (2, 64, 256), (2, 256, 64)))
    graph.mark_output(graph.softmax(q @ k) @ v)
    optimized = graph.superoptimize()
    assert optimized.result.improved
    given = [torch.from_numpy(np.random.default_rng(1).standard_normal(tensor.shape)).half() for tensor in (q, k, v)]
    exact = [tensor.double().numpy() for tensor in given]
    check_numbers(optimized(given)[0], softmax(exact[0] @ exact[1]) @ exact[2])
    assert optimized.mlir.count("mirage_block.graph") == 1
