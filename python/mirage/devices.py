"""Devices that programs run on, and what waits there for runs to end."""

from __future__ import annotations

import collections
from ctypes import byref, c_int, c_void_p
from typing import Any, Deque, Dict, List, Optional, Tuple

from ._library import Handle, check_run, lib
from .errors import RunError
from .locks import ForkSafeLock
from .tensors import CPU, Device

_EMULATOR, _CUDA = 0, 1

_devices: Dict[Device, Handle] = {}
_gpus: Dict[Device, "GPU"] = {}
_lock = ForkSafeLock()


def open_device(device: Device) -> Handle:
    """A GPU, or the emulator where tensors are on the CPU. Opened once."""
    with _lock:
        if device not in _devices:
            pointer = c_void_p()
            kind, ordinal = (_EMULATOR, 0) if device == CPU else (_CUDA, device[1])
            check_run(lib.mirageDeviceOpen(kind, ordinal, byref(pointer)))
            _devices[device] = Handle(pointer, lib.mirageDeviceClose)
        return _devices[device]


def find_gpu(ordinal: int = 0) -> Optional[str]:
    """The name of a GPU, None if there is none that the driver opens."""
    try:
        return lib.mirageDeviceGetName(open_device(("cuda", ordinal))).decode()
    except RunError:
        return None


def is_of_target(ordinal: int, target: str) -> bool:
    """Whether a GPU is what "sm_90a" says."""
    try:
        capability = lib.mirageDeviceGetComputeCapability(open_device(("cuda", ordinal)))
    except RunError:
        return False
    return target.rstrip("af") == f"sm_{capability}"


def describe_gpu(ordinal: int) -> Optional[str]:
    """A GPU as a bug report wants it: "NVIDIA H200, compute capability 9.0, driver of CUDA 13.0"."""
    name = find_gpu(ordinal)
    if name is None:
        return None
    device = open_device(("cuda", ordinal))
    capability, driver = lib.mirageDeviceGetComputeCapability(device), lib.mirageDeviceGetDriverVersion(device)
    return (f"{name}, compute capability {capability // 10}.{capability % 10}, "
            f"driver of CUDA {driver // 1000}.{driver % 1000 // 10}")


class GPU:
    """Streams of a GPU that wait for one another, and tensors that its runs still need."""

    def __init__(self, handle: Handle):
        self.handle = handle
        self._free: List[Handle] = []  # events
        self._kept: Deque[Tuple[Handle, Any]] = collections.deque()  # behind an event
        self._lock = ForkSafeLock()

    def _take_event(self) -> Handle:
        if self._free:
            return self._free.pop()
        pointer = c_void_p()
        check_run(lib.mirageEventCreate(self.handle, byref(pointer)))
        return Handle(pointer, lib.mirageEventDestroy, self.handle)

    def is_capturing(self, stream: int) -> bool:
        answer = c_int()
        check_run(lib.mirageDeviceIsCapturing(self.handle, stream, byref(answer)))
        return bool(answer.value)

    def make_wait(self, later: int, earlier: int) -> None:
        """What is put into one stream from now on waits for what is in the other."""
        with self._lock:
            event = self._take_event()
            self._free.append(event)
            check_run(lib.mirageEventRecord(event, earlier))
            check_run(lib.mirageEventMakeWait(event, later))

    def keep(self, stream: int, owners: Any) -> None:
        """Keeps what owns memory until all is done that is in a stream now. It is let go by the next
        call behind that."""
        with self._lock:
            event = self._take_event()
            check_run(lib.mirageEventRecord(event, stream))
            self._kept.append((event, owners))

    def let_go(self) -> None:
        """Of what is needed no longer. Asks, and does not wait."""
        passed: List[Any] = []  # which go when nothing is locked: they may call anything
        with self._lock:
            while self._kept and self._has_passed(self._kept[0][0]):
                event, owners = self._kept.popleft()
                self._free.append(event)
                passed.append(owners)

    @staticmethod
    def _has_passed(event: Handle) -> bool:
        answer = c_int()
        check_run(lib.mirageEventHasPassed(event, byref(answer)))
        return bool(answer.value)


def get_gpu(device: Device) -> GPU:
    with _lock:
        if device not in _gpus:
            _gpus[device] = GPU(open_device(device))
        return _gpus[device]
