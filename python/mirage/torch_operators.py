"""Operators of ATen as Mirage's: how each is written into a graph (torch_layers.py has those of whole layers).
Imports torch."""

from __future__ import annotations

from typing import Any, Callable, Dict, Sequence, Tuple

import torch
from torch.fx import Node

from .dtypes import find_dtype
from .operators import DTensor

aten = torch.ops.aten

Writer = Callable[..., DTensor]
#: By targets. A writer takes the graph, the node, and its arguments with tensors of the graph in them.
WRITERS: Dict[Any, Writer] = {}


def writes(*targets: Any) -> Callable[[Writer], Writer]:
    def register(writer: Writer) -> Writer:
        for target in targets:
            WRITERS[target] = writer
        return writer

    return register


def find_targets(*names: str) -> Tuple[Any, ...]:
    """The operators of ATen that this torch has of these."""
    return tuple(getattr(aten, name).default for name in names if hasattr(aten, name))


def name_arguments(target: Any, args: Sequence[Any], options: Dict[str, Any]) -> Dict[str, Any]:
    """The arguments of a call by their names, with those that were not given: their order is not the
    same in all releases of torch."""
    arguments = target._schema.arguments
    named = {argument.name: argument.default_value for argument in arguments if argument.has_default_value()}
    named.update(zip((argument.name for argument in arguments), args))
    return {**named, **options}


def shape_of(node: Node) -> Tuple[int, ...]:
    return tuple(int(size) for size in value_of(node).shape)


def value_of(node: Node) -> Any:
    """What a node gives; of several results the first, which is the only one that Mirage computes."""
    value = node.meta.get("val")
    return value[0] if isinstance(value, (tuple, list)) and value and node.target in WRITERS else value


def cast(graph: Any, value: DTensor, dtype: Any) -> DTensor:
    return value if find_dtype(dtype) == value.dtype else graph.cast(value, dtype)


def _unary(target: Any, name: str) -> None:
    WRITERS[target] = lambda graph, node, x: getattr(graph, name)(x)


for _target, _name in ((aten.exp.default, "exp"), (aten.exp2.default, "exp2"), (aten.log.default, "log"),
                       (aten.sqrt.default, "sqrt"), (aten.rsqrt.default, "rsqrt"), (aten.neg.default, "neg"),
                       (aten.abs.default, "abs"), (aten.sigmoid.default, "sigmoid"), (aten.silu.default, "silu"),
                       (aten.relu.default, "relu"), (aten.tanh.default, "tanh"), (aten.erf.default, "erf"),
                       (aten.reciprocal.default, "reciprocal")):
    _unary(_target, _name)


@writes(aten.mm.default, aten.bmm.default)
def _matmul(graph, node, x, y):
    return graph.matmul(x, y)


@writes(aten.add.Tensor, aten.add.Scalar, aten.sub.Tensor, aten.sub.Scalar)
def _add(graph, node, x, y, alpha=1):
    if alpha != 1:
        y = graph.mul(y, alpha) if isinstance(y, DTensor) else y * alpha
    return graph.sub(x, y) if node.target in (aten.sub.Tensor, aten.sub.Scalar) else graph.add(x, y)


@writes(aten.rsub.Scalar)
def _rsub(graph, node, x, y, alpha=1):
    return graph.sub(y, graph.mul(x, alpha) if alpha != 1 else x)


@writes(aten.mul.Tensor, aten.mul.Scalar)
def _mul(graph, node, x, y):
    return graph.mul(x, y)


@writes(aten.div.Tensor, aten.div.Scalar)
def _div(graph, node, x, y):
    return graph.div(x, y)


@writes(aten.pow.Tensor_Scalar, aten.pow.Tensor_Tensor)
def _pow(graph, node, x, y):
    return graph.pow(x, y)


@writes(aten.maximum.default)
def _maximum(graph, node, x, y):
    return graph.maximum(x, y)


@writes(aten.minimum.default)
def _minimum(graph, node, x, y):
    return graph.minimum(x, y)


@writes(aten.clamp.default, aten.clamp_min.default, aten.clamp_max.default)
def _clamp(graph, node, x, lo=None, hi=None):
    if node.target == aten.clamp_max.default:
        lo, hi = None, lo
    return graph.clamp(x, -float("inf") if lo is None else lo, float("inf") if hi is None else hi)


@writes(aten.gelu.default)
def _gelu(graph, node, x, approximate="none"):
    return graph.gelu(x, approximate=approximate)


@writes(aten.addmm.default)
def _addmm(graph, node, bias, x, y, beta=1, alpha=1):
    product = graph.matmul(x, y)
    if alpha != 1:
        product = graph.mul(product, alpha)
    if beta == 0:  # "input will be ignored, and nan and inf in it will not be propagated" (torch.addmm)
        return product
    return graph.add(product, graph.mul(bias, beta) if beta != 1 else bias)


@writes(aten.t.default)
def _t(graph, node, x):
    return graph.transpose(x) if x.ndim == 2 else x


@writes(aten.transpose.int)
def _transpose(graph, node, x, dim0, dim1):
    return graph.transpose(x, dim0, dim1)


@writes(aten.permute.default)
def _permute(graph, node, x, dims):
    return graph.permute(x, dims)


@writes(aten.view.default, aten._unsafe_view.default, aten.reshape.default, aten.unsqueeze.default,
         aten.squeeze.dim, aten.squeeze.dims, aten.squeeze.default)
def _view(graph, node, x, *_):
    return graph.reshape(x, shape_of(node))


@writes(aten.expand.default)
def _expand(graph, node, x, *_, **__):
    shape = shape_of(node)
    if x.ndim < len(shape):
        x = graph.reshape(x, (1,) * (len(shape) - x.ndim) + x.shape)
    return x if x.shape == shape else graph.broadcast(x, shape)


@writes(aten.clone.default, aten.contiguous.default, aten.alias.default, aten.detach.default)
def _same(graph, node, x, **_):
    return x


@writes(aten._to_copy.default)
def _cast(graph, node, x, dtype=None, **_):
    return x if dtype is None else cast(graph, x, dtype)


@writes(torch.ops.prims.convert_element_type.default)
def _convert(graph, node, x, dtype):
    return cast(graph, x, dtype)


@writes(aten.cat.default)
def _cat(graph, node, tensors, dim=0):
    return graph.concat(list(tensors), dim=dim)


@writes(aten.slice.Tensor)
def _slice(graph, node, x, dim=0, start=None, end=None, step=1):
    starts, sizes, steps = [0] * x.ndim, list(shape_of(node)), [1] * x.ndim
    starts[dim] = slice(start, end).indices(x.shape[dim])[0]  # torch clamps as Python does
    steps[dim] = step
    return x if x.shape == tuple(sizes) else graph.slice(x, starts, sizes, steps)


@writes(aten.select.int)
def _select(graph, node, x, dim, index):
    starts, sizes = [0] * x.ndim, list(x.shape)
    starts[dim], sizes[dim] = index % x.shape[dim], 1
    return graph.reshape(graph.slice(x, starts, sizes), shape_of(node))


def _reduce(name: str):
    def write(graph, node, x, dim=None, keepdim=False, dtype=None):
        x = x if dtype is None else cast(graph, x, dtype)
        dims = list(range(x.ndim)) if dim is None or dim == [] else dim
        reduced = getattr(graph, name)(x, dims)
        return reduced if keepdim else graph.reshape(reduced, shape_of(node) or (1,))

    return write


WRITERS[aten.sum.dim_IntList] = _reduce("sum")
WRITERS[aten.mean.dim] = _reduce("mean")
WRITERS[aten.amax.default] = _reduce("max")


@writes(aten._softmax.default)
def _softmax(graph, node, x, dim, half_to_float):
    return graph.softmax(cast(graph, x, torch.float32) if half_to_float else x, dim)
