"""Which stream a run goes into, and what that means for the tensors it reads and writes."""

from __future__ import annotations

import contextlib
import dataclasses
import operator
import sys
from typing import Any, ContextManager, Optional, Sequence

from .devices import GPU
from .errors import RunError
from .tensors import Device, is_torch, name_device

#: The handle of the default stream (CU_STREAM_LEGACY); 0 is the same one.
LEGACY = 1


@dataclasses.dataclass(frozen=True)
class RunStream:
    """Where a run goes."""

    gpu: GPU
    address: int
    owner: Any  #: the caller's object, which keeps the stream; None where there is none
    is_given: bool  #: by the caller, as stream=; else it is the current one
    is_capturing: bool  #: the run becomes part of a graph

    def is_same(self, address: int) -> bool:
        return (address or LEGACY) == (self.address or LEGACY)

    def for_dlpack(self) -> int:
        """What `__dlpack__(stream=)` takes: its owner lets this stream wait for what writes the tensor.
        -1, no waiting, in a capture, where waiting for what is outside ends it."""
        return -1 if self.is_capturing else self.address or LEGACY

    def wait_for(self, address: int) -> None:
        """For what another stream writes; in a capture that is for those who replay the graph."""
        if self.is_capturing or self.is_same(address):
            return
        if self.gpu.is_capturing(address):  # which this stream would join
            raise RunError("expects a tensor whose stream is in no capture, as the run is in none, got one that is")
        self.gpu.make_wait(self.address, address)


def to_address(stream: Any) -> int:
    """Of a stream of torch, CuPy or CUDA Python, or the address itself."""
    address = _find_address(stream)
    if address is None or not 0 <= address < 2**64:
        raise RunError(f"expects a stream of torch or CuPy or its address, got {stream!r}")
    return address


def _find_address(stream: Any) -> Optional[int]:
    try:
        for name in ("cuda_stream", "ptr"):
            if hasattr(stream, name):
                return int(getattr(stream, name))
        if hasattr(stream, "__cuda_stream__"):  # (version, address)
            protocol = stream.__cuda_stream__
            return int((protocol() if callable(protocol) else protocol)[1])
        return None if isinstance(stream, bool) else operator.index(stream)
    except Exception:  # of whoever made it
        return None


def check_device(stream: Any, device: Device) -> None:
    ordinal = getattr(stream, "device_id", getattr(getattr(stream, "device", None), "index", None))
    if isinstance(ordinal, int) and ordinal >= 0 and ordinal != device[1]:
        raise RunError(f"expects a stream of {name_device(device)}, where the tensors are, got one of cuda:{ordinal}")


def is_cupy(tensor: Any) -> bool:
    return "cupy" in type(tensor).__module__.split(".") and "cupy" in sys.modules


def _get_current(given: Sequence[Any], device: Device) -> Any:
    """The stream into which those put their work whose tensors these are; 0 where nobody says."""
    if any(is_torch(tensor) for tensor in given):
        return sys.modules["torch"].cuda.current_stream(device[1])
    if any(is_cupy(tensor) for tensor in given):
        cuda = sys.modules["cupy"].cuda
        with cuda.Device(device[1]):
            return cuda.get_current_stream()
    return 0


def choose(stream: Any, given: Sequence[Any], gpu: GPU, device: Device) -> RunStream:
    is_given = stream is not None
    if not is_given:
        stream = _get_current(given, device)
    check_device(stream, device)
    address = to_address(stream)
    return RunStream(gpu, address, stream, is_given, gpu.is_capturing(address))


def _to_torch(stream: Any, device: Device) -> Any:
    cuda = sys.modules["torch"].cuda
    if isinstance(stream, cuda.Stream):
        return stream
    address = to_address(stream)
    if address in (0, LEGACY):
        return cuda.default_stream(device[1])
    return cuda.ExternalStream(address, device=device[1])


def allocate_in(stream: Any, like: Any, device: Device) -> ContextManager[Any]:
    """Within it, memory that is allocated for a tensor of this kind belongs to a given stream."""
    if stream is None:
        return contextlib.nullcontext()
    if is_torch(like):
        return sys.modules["torch"].cuda.stream(_to_torch(stream, device))
    if is_cupy(like):
        return sys.modules["cupy"].cuda.ExternalStream(to_address(stream), device[1])
    return contextlib.nullcontext()


def record_use(stream: Any, tensors: Sequence[Any], device: Device) -> None:
    """Tells torch that a given stream uses tensors: their memory is not handed out again before
    that is done."""
    if stream is None:
        return
    for tensor in tensors:
        if is_torch(tensor):
            tensor.record_stream(_to_torch(stream, device))
