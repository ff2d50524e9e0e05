"""Programs as operators of torch, which compilers and FX take as one and do not look into."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import keyword
import re
import weakref
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import torch

from . import tensors
from .arguments import show
from .dtypes import find_dtype
from .errors import GraphError, RunError
from .graph import KernelGraph
from .locks import ForkSafeLock
from .programs import CompiledGraph

# ---------------------------------------------------------------------- a program on tensors of torch


def lay_out(tensor: torch.Tensor, strides: Tuple[int, ...]) -> torch.Tensor:
    """A tensor as a program wants it, copied where it lies otherwise: operators before a program need
    not leave theirs as they were traced. What cannot be laid out, as it lies nowhere or is of another rank,
    stays as it is: the program says what it expects."""
    try:
        address, found = tensor.data_ptr(), tensor.stride()
    except (AttributeError, RuntimeError):  # None, which torch takes as a tensor; a sparse or nested one
        return tensor
    if address == 0 or len(found) != len(strides):
        return tensor
    if address % 16 == 0:
        if found == strides:
            return tensor
        if all(size == 1 or a == b for size, a, b in zip(tensor.shape, found, strides)):
            return tensor.as_strided(tensor.shape, strides)
    return torch.empty_strided(tensor.shape, strides, dtype=tensor.dtype, device=tensor.device).copy_(tensor)


def run_program(program: CompiledGraph, given: Sequence[torch.Tensor]) -> List[torch.Tensor]:
    """On inputs of any layout. What it returns is new and no input's memory, as torch asks of operators."""
    return program([lay_out(tensor, spec.strides) for tensor, spec in zip(given, program.inputs)])


def infer_outputs(program: CompiledGraph, given: Sequence[torch.Tensor]) -> List[torch.Tensor]:
    """What `run_program` returns, but without values: of tensors that may be fake, and hold none."""
    device = (given[0].device.type, given[0].device.index or 0) if given else tensors.CPU
    for tensor, spec in zip(given, program.inputs):
        tensors.check(spec, "input", tensors.Bound(
            0, tuple(tensor.shape), find_dtype(tensor.dtype), str(tensor.dtype), spec.strides,
            (tensor.device.type, tensor.device.index or 0), tensor), device)
    return [tensors.make_empty(spec, given[0]) for spec in program.outputs]


def _describe(specs: Sequence[tensors.TensorSpec]) -> str:
    """What compilers know of tensors: not their names."""
    return ", ".join(f"{spec.dtype.name}{list(spec.shape)} of strides {list(spec.strides)}" for spec in specs)


# ---------------------------------------------------------------------- operators

#: Compilers hand operands over as they lay when they were traced, where a torch is new enough to
#: promise that; else in the same order of strides at least, and `lay_out` copies what is padded.
_LAYOUT = getattr(torch.Tag, "needs_exact_strides", torch.Tag.needs_fixed_stride_order)


def _define(name: str, schema: str, run: Callable[..., Any], infer: Callable[..., Any]) -> Tuple[torch.library.Library, Any]:
    """An operator of torch, and what holds it. Not by torch.library.custom_op, whose calls take about
    10 us more: it looks for outputs that are inputs, which programs never return."""
    namespace, _, operator = name.partition("::")
    library = torch.library.Library(namespace, "FRAGMENT")
    library.define(f"{operator}{schema}", tags=(torch.Tag.pt2_compliant_tag, _LAYOUT))
    library.impl(operator, run, "CompositeExplicitAutograd")
    torch.library.register_fake(name, infer, lib=library)
    return library, getattr(getattr(torch.ops, namespace), operator).default


@dataclasses.dataclass
class _Registered:
    """An operator that `register_operator` made, and the program that it runs now."""

    program: CompiledGraph
    library: Optional[torch.library.Library] = None
    operator: Any = None


_registered: Dict[str, _Registered] = {}


def register_operator(name: str, program: "CompiledGraph | KernelGraph") -> Any:
    """Makes of a program an operator of torch, which torch.compile, torch.export and FX take as one and
    do not look into. Returns it; it is also `torch.ops.<namespace>.<name>`.

    name      "namespace::name". Of an operator that was made so, the program is replaced by one of the
              same inputs and outputs: whoever holds the operator runs the new one from then on
    program   what superoptimize() or load() returned, or a graph, which runs as it is written

    It takes the program's inputs one by one and returns its output, or a tuple of several. Inputs that
    lie in memory otherwise than the program wants are copied. It has no gradients: calls with tensors
    that need them, or carry tangents of forward mode, raise RunError, and so do tensors of other ranks, sizes and types than the program's, and
    sparse ones."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_]\w*::[A-Za-z_]\w*", name, re.ASCII):
        raise GraphError(f'expects a name as "namespace::name", got {show(name)}')
    for word in name.split("::"):
        if keyword.iskeyword(word):
            raise GraphError(f"expects a name of words that Python leaves free, got {name!r}")
    if isinstance(program, KernelGraph):
        program = program.compile()
    if not isinstance(program, CompiledGraph):
        raise GraphError(f"expects a program or a graph, got {show(program)}")
    registered = _registered.get(name)
    if registered is None:
        registered = _registered[name] = _make_operator(name, program)
    else:
        _check_replacement(name, registered.program, program)
        registered.program = program
    return registered.operator


def _check_replacement(name: str, old: CompiledGraph, new: CompiledGraph) -> None:
    """Models were compiled for what the operator takes and returns."""
    for what, found, expected in (("inputs", new.inputs, old.inputs), ("outputs", new.outputs, old.outputs)):
        if _describe(found) != _describe(expected):
            raise GraphError(f"{name}: expects a program with the {what} of the one that has this name, "
                             f"{_describe(expected)}, got {_describe(found)}; another name takes any program")


def _make_operator(name: str, program: CompiledGraph) -> _Registered:
    namespace, _, short = name.partition("::")
    if namespace in ("aten", "prim", "prims", "torch"):
        raise GraphError(f"{name}: expects a name of its own, got one in a namespace of torch's")
    if hasattr(getattr(torch.ops, namespace), short):
        raise GraphError(f"{name}: expects a name of its own, got that of an operator that is not Mirage's")
    registered = _Registered(program)

    def return_all(results: Sequence[torch.Tensor]) -> Any:
        return results[0] if len(results) == 1 else tuple(results)

    def run(*given: torch.Tensor) -> Any:
        return return_all(run_program(registered.program, given))

    def infer(*given: torch.Tensor) -> Any:
        return return_all(infer_outputs(registered.program, given))

    def refuse_gradients(*given: torch.Tensor) -> Any:
        try:
            for tensor in given:
                if tensor is not None:
                    tensors.refuse_derivatives(tensor)
        except RunError as error:
            raise RunError(f"{name}: {error}") from None
        with torch._C._AutoDispatchBelowAutograd():
            return registered.operator(*given)

    taken = ", ".join(f"Tensor input{number}" for number in range(len(program.inputs)))
    returned = "Tensor" if len(program.outputs) == 1 else f"({', '.join(['Tensor'] * len(program.outputs))})"
    registered.library, registered.operator = _define(name, f"({taken}) -> {returned}", run, infer)
    registered.library.impl(short, refuse_gradients, "Autograd")
    return registered


# ---------------------------------------------------------------------- parts of models

# One operator for the parts of all models: what torch has once known as an operator it never quite
# forgets, and models are compiled again and again. It takes the part's name, which lives as long as
# the part's program does; whoever runs code with such calls in it holds the programs.
#
# Compilers keep code on disk, by the text of the graph that it is for. That text does not have what
# an operator returns, so the name must: shapes, types and strides are in its digest. The number tells
# apart parts that have these in common; it starts at 0 in each process and is given again when its
# program is gone, so that names, and the code that is kept, are the same from run to run.

_programs: "weakref.WeakValueDictionary[str, CompiledGraph]" = weakref.WeakValueDictionary()
_programs_lock = ForkSafeLock()


def name_part(program: CompiledGraph) -> str:
    """The name by which `call_part` knows a program, as long as it lives."""
    described = f"{_describe(program.inputs)} -> {_describe(program.outputs)}"
    digest = hashlib.sha256(described.encode()).hexdigest()[:16]
    with _programs_lock:
        name = next(name for name in map(f"{digest}.{{}}".format, itertools.count()) if name not in _programs)
        _programs[name] = program
    return name


def _find_part(name: str) -> CompiledGraph:
    program = _programs.get(name)
    if program is None:
        raise RunError(f"{name}: expects a part of a model that was compiled in this process and is still there")
    return program


#: mirage::part, which runs the program of a name.
_part_library, call_part = _define("mirage::part", "(str name, Tensor[] inputs) -> Tensor[]",
                                   lambda name, inputs: run_program(_find_part(name), inputs),
                                   lambda name, inputs: infer_outputs(_find_part(name), inputs))
