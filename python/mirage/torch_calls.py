"""The short way of a call on tensors of torch on one GPU. What stays the same is found out once; left
are comparisons, and one call of the library. benchmarks/calls/call_time.py measures it."""

from __future__ import annotations

import functools
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
        #: Memory of GPUs lies above 4 GiB. A lower address is mostly an offset into a storage that was freed under its
        #: tensors, as FSDP frees parameters: slower checks look at it. (To ask each storage how large it is
        #: takes a tenth of a call. One that was made smaller, and not freed, is noticed by slower checks alone.)
        self.address_bits = 32
        self.device = torch.device("cuda", self.ordinal)
        self.get_stream = cuda._cuda_getCurrentRawStream
        self.get_device = cuda._cuda_getDevice
        # What torch's own compiled code allocates with: on the current device, and past the dispatcher.
        self.allocate = getattr(_get_native_guards(), "_empty_strided_cuda", None)


def _get_native_guards() -> Any:
    """What torch's own compiled code asks of tensors, and how it makes them, if this version has that."""
    return getattr(getattr(sys.modules["torch"]._C, "_dynamo", None), "guards", None)


@functools.lru_cache(maxsize=None)
def find_marker() -> Callable[[Sequence[Any]], Any]:
    """What tells torch of tensors that were written behind its back: a gradient that needs what was in them is an
    error then, as after an operation in place."""
    torch = sys.modules["torch"]
    increment = torch.autograd.graph.increment_version
    try:
        torch._C._increment_version([torch.empty(1)])
        return torch._C._increment_version  # what the public function does, in a third of its time
    except (AttributeError, TypeError):  # before torch 2.7 it takes one tensor
        return lambda tensors: [increment(tensor) for tensor in tensors]


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
#             if x0.is_nested or x1.is_nested or not inputs.are_known(x0, x1):
#                 if x0.dtype is not dtype_x0 or ... or x1.dtype is not dtype_x1 or ...:
#                     return None
#                 inputs.get_to_know(x0, x1)
#             is_new = out is None
#             if is_new:
#                 y0, = out = [allocate_quickly(shape_y0, ...)] if get_device() == ordinal else allocate()
#             else:
#                 y0, = out
#                 if y0.is_nested or not outputs.are_known(y0):
#                     if y0.dtype is not dtype_y0 or ...:
#                         return None
#                     outputs.get_to_know(y0)
#             x0, x1, y0, = x0.data_ptr(), x1.data_ptr(), y0.data_ptr(),
#         except foreign:
#             return None
#         if not (x0 >> 32 and x1 >> 32 and y0 >> 32) or (x0 | x1 | y0) & 15:
#             return None
#         if enqueue(pointer, streams[get_stream(ordinal)], pack_x(x0, x1), pack_y(y0)):
#             fail()
#         if not is_new:
#             mark_written(out)
#         return out if type(out) is list else list(out)
#
# What holds the tensors is asked first, since one tensor of two rows could be unpacked as well. In forward mode
# of torch, tensors may carry tangents, which slower checks look for.

#: What tensors that are none of torch's, or lie nowhere, raise, and too few or too many; subclasses may raise anything.
_FOREIGN = Exception


class _Acquaintances:
    """Tensors that fitted, by which others that are like them are known, all with one call: torch's own guards
    compare type, kind (device, layout, negation, subclasses, modes), element type, device, sizes, strides and
    requires_grad. They end the process where a tensor that is nested is shown to them (torch 2.13): it has no
    sizes, which they do not expect."""

    #: Each guard that is made costs about as much as ten calls save. So after each, twice as many strangers have
    #: to come before the next one, up to these: where kinds alternate guards cost nothing to speak of, and
    #: where they change for good the new ones are known soon.
    MOST_STRANGERS = 1024

    def __init__(self, specs: Sequence[TensorSpec]):
        self._layouts = {"dynamic_dims_sizes": [list(spec.shape) for spec in specs],
                         "dynamic_dims_strides": [list(spec.strides) for spec in specs]}
        self._make_guards: Any = getattr(_get_native_guards(), "TensorGuards", None)
        self._is_grad_enabled = sys.modules["torch"].is_grad_enabled
        self._strangers, self._strangers_wanted = 0, 1
        self.are_known: Callable[..., bool] = self._know_nobody

    @staticmethod
    def _know_nobody(*_: Any) -> bool:
        return False

    def get_to_know(self, *fitting: Any) -> None:
        self._strangers += 1
        if self._strangers < self._strangers_wanted or self._make_guards is None:
            return
        self._strangers, self._strangers_wanted = 0, min(2 * self._strangers_wanted, self.MOST_STRANGERS)
        try:
            check = self._make_guards(*fitting, **self._layouts).check
            # Not where strides of sizes of 1 are others than the guards', nor where one tensor comes twice: these
            # are left to slower checks.
            is_of_use = check(*fitting)
        except Exception:  # torch owes nobody this class
            self._make_guards, self.are_known = None, self._know_nobody
            return
        if not is_of_use:
            return
        if any(tensor.requires_grad for tensor in fitting):  # which fits where no gradients are taken
            is_grad_enabled = self._is_grad_enabled
            self.are_known = lambda *given: not is_grad_enabled() and check(*given)
        else:
            self.are_known = check


def _write_check(name: str, spec: TensorSpec) -> str:
    """The condition under which a tensor does not fit."""
    # Asking a tensor whether it is in row-major order makes no tuple.
    lies_otherwise = (f"not {name}.is_contiguous()" if spec.is_row_major() else f"{name}.stride() != strides_{name}")
    return (f"{name}.dtype is not dtype_{name} or {name}.get_device() != ordinal or {name}.shape != shape_{name} or "
            f"{lies_otherwise} or {name}.is_neg() or {name}.requires_grad and is_grad_enabled()")


def _write(inputs: Dict[str, TensorSpec], outputs: Dict[str, TensorSpec], place: Any) -> str:
    def join(names: Any, form: str = "{}, ") -> str:
        return "".join(form.format(name) for name in names)

    def check_all(specs: Dict[str, TensorSpec]) -> str:
        return " or ".join(_write_check(name, spec) for name, spec in specs.items())

    names = [*inputs, *outputs]
    allocation = "allocate()"
    if place.allocate is not None:
        new = join(outputs, "allocate_quickly(shape_{0}, strides_{0}, dtype_{0}), ")
        allocation = f"[{new}] if get_device() == ordinal else {allocation}"
    return f"""
def call(given, out):
    if not isinstance(given, sequences) or out is not None and not isinstance(out, sequences):
        return None
    try:
        if forward_ad._current_level >= 0:
            return None
        {join(inputs)} = given
        if {join(inputs, "{}.is_nested or ")}not inputs.are_known({join(inputs)}):
            if {check_all(inputs)}:
                return None
            inputs.get_to_know({join(inputs)})
        is_new = out is None
        if is_new:
            {join(outputs)} = out = {allocation}
        else:
            {join(outputs)} = out
            if {join(outputs, "{}.is_nested or ")}not outputs.are_known({join(outputs)}):
                if {check_all(outputs)}:
                    return None
                outputs.get_to_know({join(outputs)})
        {join(names)} = {join(names, "{}.data_ptr(), ")}
    except foreign:
        return None
    if not ({" and ".join(f"{name} >> {place.address_bits}" for name in names)}) or ({" | ".join(names)}) & 15:
        return None
    if enqueue(pointer, streams[get_stream(ordinal)], pack_x({join(inputs)}), pack_y({join(outputs)})):
        fail()
    if not is_new:
        mark_written(out)
    return out if type(out) is list else list(out)
"""


def _make_allocator(specs: Sequence[TensorSpec], place: Any) -> Callable[[], List[Any]]:
    torch = sys.modules["torch"]
    wanted = [(spec.shape, spec.strides, getattr(torch, spec.dtype.name)) for spec in specs]
    empty, device = torch.empty_strided, place.device
    return lambda: [empty(shape, strides, dtype=dtype, device=device) for shape, strides, dtype in wanted]


class _StreamPointers(dict[int, c_void_p]):
    """By address, what ctypes hands over without a look at it."""

    def __missing__(self, address: int) -> c_void_p:
        return self.setdefault(address, c_void_p(address))


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
        "mark_written": find_marker(), "allocate_quickly": place.allocate, "get_device": place.get_device,
        "streams": _StreamPointers(), "get_stream": place.get_stream,
        "inputs": _Acquaintances(inputs), "outputs": _Acquaintances(outputs),
        "pack_x": struct.Struct(f"{len(inputs)}Q").pack, "pack_y": struct.Struct(f"{len(outputs)}Q").pack}
    for name, spec in {**named_inputs, **named_outputs}.items():
        known[f"dtype_{name}"] = getattr(torch, spec.dtype.name)
        known[f"shape_{name}"], known[f"strides_{name}"] = spec.shape, spec.strides
    exec(compile(_write(named_inputs, named_outputs, place), "<a call of mirage>", "exec"), known)
    return known["call"]
