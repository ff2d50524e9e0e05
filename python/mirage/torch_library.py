"""Programs as operators of torch."""

from __future__ import annotations

import re
from typing import Any, Sequence, Tuple

import torch

from . import tensors
from .dtypes import find_dtype
from .errors import GraphError, RunError
from .graph import KernelGraph
from .programs import CompiledGraph


def lay_out(tensor: torch.Tensor, strides: Tuple[int, ...]) -> torch.Tensor:
    """A tensor as a part wants it: operators between parts need not leave theirs as FX has them."""
    if tensor.stride() == strides and tensor.data_ptr() % 16 == 0:
        return tensor
    return torch.empty_strided(tensor.shape, strides, dtype=tensor.dtype, device=tensor.device).copy_(tensor)


def register_operator(name: str, program: "CompiledGraph | KernelGraph") -> Any:
    """Makes of a program an operator of torch, which torch.compile, torch.export and FX take as one and
    do not look into. Returns it; it is also `torch.ops.<namespace>.<name>`.

    name      "namespace::name"; an operator of that name which was made so is replaced
    program   what superoptimize() or load() returned, or a graph, which runs as it is written

    It takes the program's inputs one by one and returns its output, or a tuple of several. Inputs that
    lie in memory otherwise than the program wants are copied. It has no gradients: calls with tensors
    that need them raise RunError."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_]\w*::[A-Za-z_]\w*", name):
        raise GraphError(f'expects a name as "namespace::name", got {name!r}')
    if isinstance(program, KernelGraph):
        program = program.compile()
    if not isinstance(program, CompiledGraph):
        raise GraphError(f"expects a program or a graph, got {type(program).__name__}")
    inputs, outputs = program.inputs, program.outputs

    def return_all(results: Sequence[torch.Tensor]) -> Any:
        return results[0] if len(results) == 1 else tuple(results)

    def run(*given: torch.Tensor) -> Any:
        return return_all(program([lay_out(tensor, spec.strides) for tensor, spec in zip(given, inputs)]))

    def infer(*given: torch.Tensor) -> Any:
        device = (given[0].device.type, given[0].device.index or 0) if given else tensors.CPU
        for tensor, spec in zip(given, inputs):
            tensors.check(spec, "input", tensors.Bound(
                0, tuple(tensor.shape), find_dtype(tensor.dtype), str(tensor.dtype), spec.strides,
                (tensor.device.type, tensor.device.index or 0), tensor), device)
        return return_all([tensors.make_empty(spec, given[0]) for spec in outputs])

    def refuse(*_: Any, **__: Any) -> None:
        raise RunError(f"{name}: expects tensors that need no gradient, which Mirage does not compute; "
                       "call under torch.no_grad(), or detach() them")

    taken = ", ".join(f"Tensor input{number}" for number in range(len(inputs)))
    returned = "Tensor" if len(outputs) == 1 else f"({', '.join(['Tensor'] * len(outputs))})"
    made = torch.library.custom_op(name, run, mutates_args=(), schema=f"({taken}) -> {returned}")
    made.register_fake(infer)
    made.register_autograd(refuse, setup_context=refuse)
    return made
