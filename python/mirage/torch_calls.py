"""The short way of a call on tensors of torch on one GPU. What stays the same is found out once; left
are comparisons, and one call of the library. benchmarks/calls/call_time.py measures it."""

from __future__ import annotations

import struct
import sys
from ctypes import c_void_p
from typing import Any, Callable, Dict, List, Optional, Sequence

from . import _library
from .errors import RunError
from .tensors import SEQUENCES, Device, TensorSpec

#: Takes inputs and outputs, or None for new ones, and returns the outputs; or None, having done nothing,
#: where something does not fit, which slower checks put into words.
TorchCall = Callable[[Sequence[Any], Optional[Sequence[Any]]], Optional[List[Any]]]


class Place:
    """Of torch, what a call on one device asks."""

    def __init__(self, device: Device):
        torch = sys.modules["torch"]
        cuda = torch._C
        self.ordinal = device[1]  #: what get_device() says of tensors
        self.device = torch.device("cuda", self.ordinal)
        self.get_stream = cuda._cuda_getCurrentRawStream
        self.get_device = cuda._cuda_getDevice
        # What torch's own compiled code allocates with: on the current device, and past the dispatcher.
        guards = getattr(getattr(cuda, "_dynamo", None), "guards", None)
        self.allocate = getattr(guards, "_empty_strided_cuda", None)


# A loop over tensors would take a fifth of the time again, so each program gets a function of its own, written
# out, as dataclasses get theirs. For two inputs and an output:
#
#     def call(given, out):
#         if not isinstance(given, sequences) or out is not None and not isinstance(out, sequences):
#             return None
#         try:
#             if forward_ad._current_level >= 0:
#                 return None
#             x0, x1, = given
#             if x0.dtype is not dtype_x0 or ... or x1.dtype is not dtype_x1 or ...:
#                 return None
#             if out is None:
#                 y0, = out = allocate()
#             else:
#                 y0, = out
#                 if y0.dtype is not dtype_y0 or ...:
#                     return None
#             x0, x1, y0, = x0.data_ptr(), x1.data_ptr(), y0.data_ptr(),
#         except foreign:
#             return None
#         if (x0 | x1 | y0) & 15:
#             return None
#         if enqueue(pointer, get_stream_pointer(), pack_x(x0, x1), pack_y(y0)):
#             fail()
#         return out if type(out) is list else list(out)
#
# What holds the tensors is asked first, since one tensor of two rows could be unpacked as well. In forward mode
# of torch, tensors may carry tangents, which slower checks look for.

#: Of tensors that are none of torch's or lie nowhere, and of too few or too many.
_FOREIGN = (AttributeError, TypeError, ValueError, RuntimeError)


def _write_check(name: str, spec: TensorSpec) -> str:
    """The condition under which a tensor does not fit."""
    # Asking a tensor whether it is in row-major order makes no tuple.
    lies_otherwise = (f"not {name}.is_contiguous()" if spec.is_row_major() else f"{name}.stride() != strides_{name}")
    return (f"{name}.dtype is not dtype_{name} or {name}.get_device() != ordinal or {name}.shape != shape_{name} or "
            f"{lies_otherwise} or {name}.is_neg() or {name}.requires_grad and is_grad_enabled()")


def _write(inputs: Dict[str, TensorSpec], outputs: Dict[str, TensorSpec]) -> str:
    def join(names: Any, form: str = "{}, ") -> str:
        return "".join(form.format(name) for name in names)

    def check_all(specs: Dict[str, TensorSpec]) -> str:
        return " or ".join(_write_check(name, spec) for name, spec in specs.items())

    names = [*inputs, *outputs]
    return f"""
def call(given, out):
    if not isinstance(given, sequences) or out is not None and not isinstance(out, sequences):
        return None
    try:
        if forward_ad._current_level >= 0:
            return None
        {join(inputs)} = given
        if {check_all(inputs)}:
            return None
        if out is None:
            {join(outputs)} = out = allocate()
        else:
            {join(outputs)} = out
            if {check_all(outputs)}:
                return None
        {join(names)} = {join(names, "{}.data_ptr(), ")}
    except foreign:
        return None
    if ({" | ".join(names)}) & 15:
        return None
    if enqueue(pointer, get_stream_pointer(), pack_x({join(inputs)}), pack_y({join(outputs)})):
        fail()
    return out if type(out) is list else list(out)
"""


def _make_allocator(specs: Sequence[TensorSpec], place: Any) -> Callable[[], List[Any]]:
    torch = sys.modules["torch"]
    wanted = [(spec.shape, spec.strides, getattr(torch, spec.dtype.name)) for spec in specs]
    empty, quick, get_device = torch.empty_strided, place.allocate, place.get_device
    ordinal, device = place.ordinal, place.device

    def allocate() -> List[Any]:
        if quick is not None and get_device() == ordinal:
            return [quick(shape, strides, dtype) for shape, strides, dtype in wanted]
        return [empty(shape, strides, dtype=dtype, device=device) for shape, strides, dtype in wanted]

    return allocate


def _make_stream_getter(place: Any) -> Callable[[], c_void_p]:
    get_stream, ordinal = place.get_stream, place.ordinal
    pointers: Dict[int, c_void_p] = {}  # what ctypes hands over without a look at it

    def get_stream_pointer() -> c_void_p:
        address = get_stream(ordinal)
        try:
            return pointers[address]
        except KeyError:
            return pointers.setdefault(address, c_void_p(address))

    return get_stream_pointer


def _fail() -> None:
    raise RunError(_library.last_error())


def make_torch_call(pointer: c_void_p, inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec], place: Any,
                    enqueue: Callable[..., int] = _library.enqueue) -> TorchCall:
    """`pointer`: the program, which the caller keeps. `place`: a Place, or what plays one."""
    torch = sys.modules["torch"]
    named_inputs = {f"x{number}": spec for number, spec in enumerate(inputs)}
    named_outputs = {f"y{number}": spec for number, spec in enumerate(outputs)}
    known: Dict[str, Any] = {
        "pointer": pointer, "enqueue": enqueue, "ordinal": place.ordinal, "fail": _fail, "foreign": _FOREIGN,
        "sequences": SEQUENCES, "is_grad_enabled": torch.is_grad_enabled,
        "forward_ad": torch.autograd.forward_ad, "allocate": _make_allocator(outputs, place),
        "get_stream_pointer": _make_stream_getter(place),
        "pack_x": struct.Struct(f"{len(inputs)}Q").pack, "pack_y": struct.Struct(f"{len(outputs)}Q").pack}
    for name, spec in {**named_inputs, **named_outputs}.items():
        known[f"dtype_{name}"] = getattr(torch, spec.dtype.name)
        known[f"shape_{name}"], known[f"strides_{name}"] = torch.Size(spec.shape), spec.strides
    exec(compile(_write(named_inputs, named_outputs), "<a call of mirage>", "exec"), known)
    return known["call"]
