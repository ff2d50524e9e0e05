"""What Mirage takes of ATen, and why not the rest. Imports torch."""

from __future__ import annotations

import operator
from typing import Any, Callable, Dict, Optional

import torch
from torch.fx import Node

from .dtypes import find_dtype
from .torch_layers import ATTENTION
from .torch_operators import WRITERS, aten, find_targets, name_arguments, value_of

#: Operators that show elements and compute nothing: a part of these alone is not worth a kernel.
VIEWS = {aten.t.default, aten.transpose.int, aten.permute.default, aten.view.default, aten._unsafe_view.default,
         aten.reshape.default, aten.unsqueeze.default, aten.squeeze.dim, aten.squeeze.dims, aten.squeeze.default,
         aten.expand.default, aten.clone.default, aten.alias.default, aten.detach.default, aten.slice.Tensor,
         aten.select.int, aten.contiguous.default}


def _clamp(x: torch.Tensor, min: Optional[torch.Tensor] = None, max: Optional[torch.Tensor] = None) -> torch.Tensor:
    x = x if min is None else torch.maximum(x, min)
    return x if max is None else torch.minimum(x, max)


#: Of operators that torch makes of one another, where none of them is left out.
_OWN_DECOMPOSITIONS: Dict[Any, Callable[..., Any]] = {
    torch.ops.aten.clamp.Tensor: _clamp,
    torch.ops.aten.clamp_min.Tensor: torch.maximum,
    torch.ops.aten.clamp_max.Tensor: torch.minimum,
}


def make_decompositions() -> Dict[Any, Callable[..., Any]]:
    """What operators that Mirage does not have are made of."""
    from torch._inductor.decomposition import select_decomp_table

    # Those that are composite everywhere, which newer torches export as they are unless told.
    composite: Any = getattr(torch.export, "default_decompositions", dict)()
    table = {**dict(composite.items()), **select_decomp_table()}
    return {**{target: rule for target, rule in table.items() if target not in WRITERS}, **_OWN_DECOMPOSITIONS}


# ---------------------------------------------------------------------- why not


def is_result(node: Node) -> bool:
    """Whether a node is one of several results of another."""
    return node.op == "call_function" and node.target is operator.getitem


#: Those where the first query sees the first key alone, as Mirage has it; elsewhere the last sees the last.
_CAUSAL_FROM_THE_FIRST = find_targets("_scaled_dot_product_flash_attention_for_cpu",
                                      "_scaled_dot_product_efficient_attention")


def _explain_attention(node: Node) -> Optional[str]:
    given = name_arguments(node.target, node.args, node.kwargs)
    if given["dropout_p"] != 0:
        return f"expects dropout_p of 0, got {given['dropout_p']}"
    queries, keys = (value_of(given[name]).shape[-2] for name in ("query", "key"))
    if given["is_causal"] and queries != keys and node.target not in _CAUSAL_FROM_THE_FIRST:
        return f"expects as many queries as keys where is_causal, got {queries} and {keys}"
    return None


def _explain_slice(node: Node) -> Optional[str]:
    step = name_arguments(node.target, node.args, node.kwargs)["step"]
    return None if step >= 1 else f"expects a step of at least 1, got {step}"


#: Why not a call of an operator whose tensors are all right, by targets.
_CALLS: Dict[Any, Callable[[Node], Optional[str]]] = {
    aten.slice.Tensor: _explain_slice, **{target: _explain_attention for target in ATTENTION}}


def _explain_unsupported_value(value: Any) -> Optional[str]:
    if isinstance(value, (torch.SymInt, torch.SymFloat)):
        return "takes a number that is not known before it runs"
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return "is not of strided tensors alone"
    if find_dtype(value.dtype) is None:
        return f"is of {value.dtype}"
    if value.device.type not in ("cpu", "cuda"):
        return f"is of tensors on {value.device}"
    if any(not isinstance(number, int) for number in (*value.shape, *value.stride())):
        return "has sizes that are not known before it runs"
    if value.ndim == 0 or value.numel() == 0:
        return f"has a tensor without {'dimensions' if value.ndim == 0 else 'elements'}"
    return None


def explain_unsupported(node: Node) -> Optional[str]:
    """Why a node of an FX graph is not taken; None if it is."""
    if node.op != "call_function":
        return f"expects an operator, got {node.op}"
    if is_result(node):
        return explain_unsupported(node.args[0])
    if node.target not in WRITERS:
        return f"no operator of Mirage is {node.target}"
    others = [user.args[1] for user in node.users if is_result(user) and user.args[1] != 0]
    if others:
        return f"{node.target} is asked for its result {others[0]}, and Mirage computes the first alone"
    values = [value_of(node), *map(value_of, node.all_input_nodes)]
    reason = next(filter(None, map(_explain_unsupported_value, values)), None)
    if reason is not None:
        return f"{node.target} {reason}"
    devices = {value.device for value in values}
    if len(devices) > 1:
        return f"{node.target} is of tensors on {' and '.join(sorted(map(str, devices)))}"
    reason = _CALLS[node.target](node) if node.target in _CALLS else None
    return None if reason is None else f"{node.target} {reason}"
