"""Operators of ATen as Mirage's: which there are, and how each is written into a graph. Imports torch."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Tuple

import torch
from torch.fx import Node

from .dtypes import find_dtype
from .operators import DTensor

aten = torch.ops.aten

Writer = Callable[..., DTensor]
WRITERS: Dict[Any, Writer] = {}


def _writes(*targets: Any) -> Callable[[Writer], Writer]:
    def register(writer: Writer) -> Writer:
        for target in targets:
            WRITERS[target] = writer
        return writer

    return register


def _unary(target: Any, name: str) -> None:
    WRITERS[target] = lambda graph, node, x: getattr(graph, name)(x)


for _target, _name in ((aten.exp.default, "exp"), (aten.exp2.default, "exp2"), (aten.log.default, "log"),
                       (aten.sqrt.default, "sqrt"), (aten.rsqrt.default, "rsqrt"), (aten.neg.default, "neg"),
                       (aten.abs.default, "abs"), (aten.sigmoid.default, "sigmoid"), (aten.silu.default, "silu"),
                       (aten.relu.default, "relu"), (aten.tanh.default, "tanh"), (aten.erf.default, "erf"),
                       (aten.reciprocal.default, "reciprocal")):
    _unary(_target, _name)


@_writes(aten.mm.default, aten.bmm.default)
def _matmul(graph, node, x, y):
    return graph.matmul(x, y)


@_writes(aten.add.Tensor, aten.add.Scalar, aten.sub.Tensor, aten.sub.Scalar)
def _add(graph, node, x, y, alpha=1):
    if alpha != 1:
        y = graph.mul(y, alpha) if isinstance(y, DTensor) else y * alpha
    return graph.sub(x, y) if node.target in (aten.sub.Tensor, aten.sub.Scalar) else graph.add(x, y)


@_writes(aten.rsub.Scalar)
def _rsub(graph, node, x, y, alpha=1):
    return graph.sub(y, graph.mul(x, alpha) if alpha != 1 else x)


@_writes(aten.mul.Tensor, aten.mul.Scalar)
def _mul(graph, node, x, y):
    return graph.mul(x, y)


@_writes(aten.div.Tensor, aten.div.Scalar)
def _div(graph, node, x, y):
    return graph.div(x, y)


@_writes(aten.pow.Tensor_Scalar, aten.pow.Tensor_Tensor)
def _pow(graph, node, x, y):
    return graph.pow(x, y)


@_writes(aten.maximum.default)
def _maximum(graph, node, x, y):
    return graph.maximum(x, y)


@_writes(aten.minimum.default)
def _minimum(graph, node, x, y):
    return graph.minimum(x, y)


@_writes(aten.clamp.default, aten.clamp_min.default, aten.clamp_max.default)
def _clamp(graph, node, x, lo=None, hi=None):
    if node.target == aten.clamp_max.default:
        lo, hi = None, lo
    return graph.clamp(x, -float("inf") if lo is None else lo, float("inf") if hi is None else hi)


@_writes(aten.gelu.default)
def _gelu(graph, node, x, approximate="none"):
    return graph.gelu(x, approximate=approximate)


@_writes(aten.addmm.default)
def _addmm(graph, node, bias, x, y, beta=1, alpha=1):
    product = graph.matmul(x, y)
    if alpha != 1:
        product = graph.mul(product, alpha)
    return graph.add(product, graph.mul(bias, beta) if beta != 1 else bias)


@_writes(aten.t.default)
def _t(graph, node, x):
    return graph.transpose(x) if x.ndim == 2 else x


@_writes(aten.transpose.int)
def _transpose(graph, node, x, dim0, dim1):
    return graph.transpose(x, dim0, dim1)


@_writes(aten.permute.default)
def _permute(graph, node, x, dims):
    return graph.permute(x, dims)


@_writes(aten.view.default, aten._unsafe_view.default, aten.reshape.default, aten.unsqueeze.default,
         aten.squeeze.dim, aten.squeeze.dims, aten.squeeze.default)
def _view(graph, node, x, *_):
    return graph.reshape(x, shape_of(node))


@_writes(aten.expand.default)
def _expand(graph, node, x, *_, **__):
    shape = shape_of(node)
    if x.ndim < len(shape):
        x = graph.reshape(x, (1,) * (len(shape) - x.ndim) + x.shape)
    return x if x.shape == shape else graph.broadcast(x, shape)


@_writes(aten.clone.default, aten.contiguous.default, aten.alias.default, aten.detach.default)
def _same(graph, node, x, **_):
    return x


@_writes(aten._to_copy.default)
def _cast(graph, node, x, dtype=None, **_):
    return x if dtype is None or find_dtype(dtype) == x.dtype else graph.cast(x, dtype)


@_writes(torch.ops.prims.convert_element_type.default)
def _convert(graph, node, x, dtype):
    return _cast(graph, node, x, dtype)


@_writes(aten.cat.default)
def _cat(graph, node, tensors, dim=0):
    return graph.concat(list(tensors), dim=dim)


@_writes(aten.slice.Tensor)
def _slice(graph, node, x, dim=0, start=None, end=None, step=1):
    starts, sizes, steps = [0] * x.ndim, list(shape_of(node)), [1] * x.ndim
    start = start or 0
    starts[dim] = min(start + x.shape[dim] if start < 0 else start, x.shape[dim])
    steps[dim] = step
    return x if x.shape == tuple(sizes) else graph.slice(x, starts, sizes, steps)


def _reduce(name: str):
    def write(graph, node, x, dim=None, keepdim=False, dtype=None):
        if dtype is not None and find_dtype(dtype) != x.dtype:
            x = graph.cast(x, dtype)
        dims = list(range(x.ndim)) if dim is None or dim == [] else dim
        reduced = getattr(graph, name)(x, dims)
        return reduced if keepdim else graph.reshape(reduced, shape_of(node) or (1,))

    return write


WRITERS[aten.sum.dim_IntList] = _reduce("sum")
WRITERS[aten.mean.dim] = _reduce("mean")
WRITERS[aten.amax.default] = _reduce("max")


@_writes(aten._softmax.default)
def _softmax(graph, node, x, dim, half_to_float):
    wide = graph.cast(x, torch.float32) if half_to_float else x
    return graph.softmax(wide, dim)


def shape_of(node: Node) -> Tuple[int, ...]:
    return tuple(int(size) for size in node.meta["val"].shape)


_OF_ANY_SIZE = "has sizes that are not known; torch.compile(dynamic=False) compiles for each size anew"


def _explain_unsupported_value(value: Any) -> Optional[str]:
    if isinstance(value, torch.SymInt):
        return _OF_ANY_SIZE
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return "is not of strided tensors alone"
    if find_dtype(value.dtype) is None:
        return f"is of {value.dtype}"
    if value.device.type not in ("cpu", "cuda"):
        return f"is of tensors on {value.device}"
    if any(not isinstance(number, int) for number in (*value.shape, *value.stride())):
        return _OF_ANY_SIZE
    if value.ndim == 0 or value.numel() == 0:
        return f"has a tensor without {'dimensions' if value.ndim == 0 else 'elements'}"
    return None


def explain_unsupported(node: Node) -> Optional[str]:
    """Why a node of an FX graph is not taken; None if it is."""
    if node.op != "call_function":
        return f"expects an operator, got {node.op}"
    if node.target not in WRITERS:
        return f"no operator of Mirage is {node.target}"
    values = [node.meta.get("val")] + [argument.meta.get("val") for argument in node.all_input_nodes]
    for value in values:
        reason = _explain_unsupported_value(value)
        if reason is not None:
            return f"{node.target} {reason}"
    devices = {value.device for value in values}
    if len(devices) > 1:
        return f"{node.target} is of tensors on {' and '.join(sorted(map(str, devices)))}"
    if node.target is aten.slice.Tensor and len(node.args) > 4 and node.args[4] < 1:
        return "slices of steps below 1"
    return None


#: Operators that show elements and compute nothing: a part of these alone is not worth a kernel.
VIEWS = {aten.t.default, aten.transpose.int, aten.permute.default, aten.view.default, aten._unsafe_view.default,
         aten.reshape.default, aten.unsqueeze.default, aten.squeeze.dim, aten.squeeze.dims, aten.squeeze.default,
         aten.expand.default, aten.clone.default, aten.alias.default, aten.detach.default, aten.slice.Tensor,
         aten.contiguous.default}
