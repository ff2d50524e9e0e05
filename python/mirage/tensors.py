"""What callers hand over: tensors of torch and NumPy, and of all that speaks DLPack or the CUDA array
interface. Neither torch nor NumPy is imported before one of theirs is seen."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import sys
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ._library import check_run, lib
from .dtypes import DType, match_dtype
from .errors import RunError
from .overlaps import Extent, share_element

#: ("cpu", 0), or ("cuda", ordinal).
Device = Tuple[str, int]
CPU: Device = ("cpu", 0)
#: What inputs and outputs are handed over in.
SEQUENCES = (list, tuple)


@dataclasses.dataclass(frozen=True)
class TensorSpec:
    """What a program takes or gives at one place."""

    name: str
    shape: Tuple[int, ...]
    dtype: DType
    strides: Tuple[int, ...]  #: in elements
    size_bytes: int  #: from the first element through the last one

    def is_row_major(self) -> bool:
        step = 1
        for size, stride in zip(reversed(self.shape), reversed(self.strides)):
            if size != 1 and stride != step:
                return False
            step *= size
        return True


@dataclasses.dataclass
class Bound:
    """A tensor of a caller's, as far as a program needs to know it."""

    address: int
    shape: Tuple[int, ...]
    dtype: Optional[DType]
    dtype_name: str
    strides: Tuple[int, ...]  #: in elements
    device: Device
    owner: Any  #: keeps the memory
    is_writable: bool = True

    def find_extent(self) -> Extent:
        """Of a tensor whose type is known."""
        itemsize = self.dtype.itemsize if self.dtype is not None else 1
        return Extent(self.address, self.shape, tuple(stride * itemsize for stride in self.strides), itemsize)


def is_torch(tensor: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(tensor, torch.Tensor)


def is_numpy(tensor: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(tensor, numpy.ndarray)


def row_major(shape: Sequence[int]) -> Tuple[int, ...]:
    strides: List[int] = []
    step = 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= size
    return tuple(strides)


def is_in_forward_mode() -> bool:
    """Whether tensors of torch may carry tangents now: derivatives of forward mode, as those of torch.func.jvp."""
    return getattr(sys.modules["torch"].autograd.forward_ad, "_current_level", 0) >= 0


def has_tangent(tensor: Any) -> bool:
    """Of a tensor of torch. Inside of an operator's implementation torch has seen to tangents, and cannot say."""
    try:
        return sys.modules["torch"].autograd.forward_ad.unpack_dual(tensor).tangent is not None
    except RuntimeError:
        return False


def refuse_derivatives(tensor: Any) -> None:
    """Raises where torch would have a derivative follow from this tensor, backward or forward."""
    if tensor.requires_grad and sys.modules["torch"].is_grad_enabled():
        raise RunError("expects tensors that need no gradient, which Mirage does not compute; "
                       "call under torch.no_grad(), or detach() them")
    if has_tangent(tensor):
        raise RunError("expects tensors without tangents, which Mirage does not compute, got one of forward mode "
                       "(torch.func.jvp, torch.autograd.forward_ad); detach() it")


def _find_address(tensor: Any) -> int:
    try:
        address = tensor.data_ptr()
    except RuntimeError as error:
        raise RunError("expects a tensor with memory of its own, got one that has none, as inside of torch.func's "
                       f"transforms (grad, jvp, vmap) and of traces: {error}") from error
    if tensor.numel() == 0:
        return address
    if address == 0:
        raise RunError("expects a tensor with memory, got one that has none any more, as whoever resizes its storage "
                       "leaves it")
    last = tensor.storage_offset() + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
    needed, there = (last + 1) * tensor.element_size(), tensor.untyped_storage().nbytes()
    if there < needed:
        raise RunError(f"expects a tensor whose storage has all of it, {needed} bytes, got one of {there} bytes, as "
                       "whoever resizes its storage leaves it")
    return address


def _describe_torch(tensor: Any) -> Bound:
    torch = sys.modules["torch"]
    if tensor.is_nested or tensor.layout != torch.strided:
        raise RunError(f"expects a strided tensor, got {'a nested' if tensor.is_nested else tensor.layout} one; "
                       "to_dense(), to_padded_tensor() or contiguous() it")
    device = tensor.device
    if device.type not in ("cpu", "cuda"):
        raise RunError(f"expects a tensor on the CPU or on a CUDA device, got one on {device}")
    refuse_derivatives(tensor)
    if tensor.is_conj() or tensor.is_neg():
        raise RunError("expects a tensor as it lies in memory, got one that is conjugated or negated when it is read; "
                       "resolve_conj() or resolve_neg() it")
    name = str(tensor.dtype)
    return Bound(_find_address(tensor), tuple(tensor.shape), match_dtype(name.rpartition(".")[2]), name,
                 tuple(tensor.stride()), (device.type, device.index or 0), tensor)


def _in_elements(name: str, strides: Optional[Sequence[int]], shape: Sequence[int], itemsize: int) -> Tuple[int, ...]:
    if strides is None:
        return row_major(shape)
    if itemsize == 0:  # of no type that is taken
        return row_major(shape)
    if any(stride % itemsize for stride in strides):
        raise RunError(f"expects strides of whole elements, got {tuple(strides)} bytes of {name}")
    return tuple(stride // itemsize for stride in strides)


def _refuse_mask() -> RunError:
    return RunError("expects a tensor all of whose elements count, got one with a mask")


def _describe_numpy(tensor: Any) -> Bound:
    if isinstance(tensor, sys.modules["numpy"].ma.MaskedArray):
        raise _refuse_mask()
    name = str(tensor.dtype)  # ">f2" where bytes are in the other order
    return Bound(tensor.ctypes.data, tensor.shape, match_dtype(name), name,
                 _in_elements(name, tensor.strides, tensor.shape, tensor.dtype.itemsize), CPU, tensor,
                 tensor.flags.writeable)


#: The type strings of what torch and NumPy call the type so.
_CUDA_ARRAY_TYPES = {"<f2": "float16", "<f4": "float32"}


def find_gpu_of(address: int) -> int:
    """The driver knows where memory lies, whoever has allocated it."""
    ordinal = ctypes.c_int()
    check_run(lib.mirageFindDevice(address, ctypes.byref(ordinal)))
    return ordinal.value


def _describe_cuda_array(tensor: Any, stream: Any) -> Bound:
    # https://nvidia.github.io/numba-cuda/user/cuda_array_interface.html
    interface: Dict[str, Any] = tensor.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise _refuse_mask()
    name, shape, (address, is_read_only) = interface["typestr"], tuple(interface["shape"]), interface["data"]
    dtype = match_dtype(_CUDA_ARRAY_TYPES.get(name))
    strides = (row_major(shape) if dtype is None  # which is refused
               else _in_elements(name, interface.get("strides"), shape, dtype.itemsize))
    device = ("cuda", find_gpu_of(address))
    writer = interface.get("stream")  # of version 3: that of whoever writes it; None: nobody is at it
    if writer == 0:
        raise RunError("expects the stream of the CUDA array interface as 1, 2 or an address, got 0, which does not "
                       "say which default stream is meant")
    if writer is not None and stream is not None:
        stream.wait_for(writer)
    return Bound(address, shape, dtype, name, strides, device, tensor, not is_read_only)


class _DLTensor(ctypes.Structure):
    # https://dmlc.github.io/dlpack/latest/c_api.html, DLTensor
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _DLManagedTensorVersioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _DLTensor)]


_DL_VERSION, _DL_READ_ONLY = (1, 0), 1
_DL_MOST_DIMENSIONS = 64  # as in NumPy and torch
_get_name = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", ctypes.pythonapi))
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))
_DL_DEVICES = {1: "cpu", 2: "cuda", 3: "cpu", 13: "cuda"}  # kDLCPU, kDLCUDA, kDLCUDAHost, kDLCUDAManaged
_DL_TYPES = {(2, 16): "float16", (2, 32): "float32", (4, 16): "bfloat16", (10, 8): "float8_e4m3fn",
             (12, 8): "float8_e5m2"}


def _get_dlpack_device(tensor: Any) -> Device:
    kind, ordinal = tensor.__dlpack_device__()
    if int(kind) not in _DL_DEVICES:
        raise RunError(f"expects a tensor on the CPU or on a CUDA device, got DLPack's device {int(kind)}")
    return (_DL_DEVICES[int(kind)], int(ordinal)) if _DL_DEVICES[int(kind)] == "cuda" else CPU


def _get_capsule(tensor: Any, options: Dict[str, Any]) -> Any:
    """Of version 1 of DLPack, which hands over what may only be read, where its owner has that."""
    try:
        return tensor.__dlpack__(max_version=_DL_VERSION, **options)
    except TypeError:
        return tensor.__dlpack__(**options)


def _open_capsule(capsule: Any) -> Tuple[_DLTensor, bool]:
    """What it describes, and whether that may be written."""
    name = _get_name(capsule)
    if name == b"dltensor":
        return _DLTensor.from_address(_get_pointer(capsule, name)), True
    if name != b"dltensor_versioned":
        raise RunError(f"expects a capsule of DLPack, got one named {name!r}")
    versioned = _DLManagedTensorVersioned.from_address(_get_pointer(capsule, name))
    if versioned.major != _DL_VERSION[0]:
        raise RunError(f"expects DLPack of version 1, got {versioned.major}")
    return versioned.tensor, not versioned.flags & _DL_READ_ONLY


def _make_current(device: Device) -> "contextlib.AbstractContextManager[Any]":
    """Torch exports tensors of the current device alone, also those that somebody else hands over."""
    torch = sys.modules.get("torch")
    if device == CPU or torch is None or not torch.cuda.is_initialized():
        return contextlib.nullcontext()
    return torch.cuda.device(device[1])


def _describe_dlpack(tensor: Any, stream: Any) -> Bound:
    device = _get_dlpack_device(tensor)
    # Its owner lets the stream of the run wait for what writes the tensor.
    with _make_current(device):
        capsule = _get_capsule(tensor, {"stream": stream.for_dlpack()} if device != CPU and stream is not None else {})
    described, is_writable = _open_capsule(capsule)
    rank = described.ndim
    if not 0 <= rank <= _DL_MOST_DIMENSIONS or rank and not described.shape:
        raise RunError(f"expects a capsule of DLPack with the sizes of up to {_DL_MOST_DIMENSIONS} dimensions, got one "
                       f"of {rank}{'' if described.shape else ' without sizes'}")
    shape = tuple(described.shape[:rank])
    name = f"DLPack's type {described.code} of {described.bits} bits"
    dtype = _DL_TYPES.get((described.code, described.bits)) if described.lanes == 1 else None
    strides = tuple(described.strides[:rank]) if described.strides else row_major(shape)
    return Bound((described.data or 0) + described.byte_offset, shape, match_dtype(dtype), name, strides,
                 device, (tensor, capsule), is_writable)


def _explain(tensor: Any, error: Exception) -> RunError:
    return RunError("expects a tensor of torch or NumPy, or one with DLPack or the CUDA array interface, that says "
                    f"where it lies, got {type(tensor).__name__}: {str(error) or type(error).__name__}")


def _refuse(tensor: Any) -> RunError:
    return RunError("expects a tensor of torch or NumPy, or one with DLPack or the CUDA array interface, "
                    f"got {type(tensor).__name__}")


def find_device(tensor: Any) -> Device:
    """Where a tensor lies, and nothing else about it."""
    try:
        if is_torch(tensor):
            return (tensor.device.type, tensor.device.index or 0) if tensor.device.type == "cuda" else CPU
        if is_numpy(tensor):
            return CPU
        if hasattr(tensor, "__cuda_array_interface__"):
            return "cuda", find_gpu_of(tensor.__cuda_array_interface__["data"][0])
        if hasattr(tensor, "__dlpack_device__"):
            return _get_dlpack_device(tensor)
    except RunError:
        raise
    except Exception as error:  # of whoever made the tensor
        raise _explain(tensor, error) from error
    raise _refuse(tensor)


def describe(tensor: Any, stream: Any = None) -> Bound:
    """What a tensor is and where it lies. `stream`: the streams.RunStream that is to read or write it, which
    is made to wait for what its owner has under way; None on the CPU."""
    try:
        if is_torch(tensor):
            return _describe_torch(tensor)
        if is_numpy(tensor):
            return _describe_numpy(tensor)
        if hasattr(tensor, "__cuda_array_interface__"):
            return _describe_cuda_array(tensor, stream)
        if hasattr(tensor, "__dlpack__"):
            return _describe_dlpack(tensor, stream)
    except RunError:
        raise
    except Exception as error:  # of whoever made the tensor
        raise _explain(tensor, error) from error
    raise _refuse(tensor)


def check(spec: TensorSpec, role: str, bound: Bound, device: Device) -> None:
    """Raises unless the program can read, or write, the tensor as it lies."""
    what = f"{role} {spec.name}"
    if bound.shape != spec.shape:
        raise RunError(f"{what}: expects shape {list(spec.shape)}, got {list(bound.shape)}")
    if bound.dtype != spec.dtype:
        raise RunError(f"{what}: expects {spec.dtype.name}, got {bound.dtype_name}")
    if bound.device != device:
        raise RunError(f"{what}: expects a tensor on {name_device(device)}, where the others are, got one on "
                       f"{name_device(bound.device)}")
    for size, expected, found in zip(spec.shape, spec.strides, bound.strides):
        if size != 1 and expected != found:
            remedy = (f"new_input(strides=...), or hand over {'contiguous()' if spec.is_row_major() else 'what lies so'}"
                      if role == "input" else "mark_output(strides=...), or hand over what lies so")
            raise RunError(f"{what}: expects strides {list(spec.strides)}, got {list(bound.strides)}; build the "
                           f"graph with {remedy}")
    if device[0] == "cuda" and bound.address % 16 != 0:
        raise RunError(f"{what}: expects an address that is a multiple of 16, got {bound.address:#x}")


def check_outputs(specs: Sequence[TensorSpec], results: Sequence[Bound], inputs: Sequence[Bound]) -> None:
    """Raises where what is written may not be, or is something else as well."""
    for number, (spec, result) in enumerate(zip(specs, results)):
        if not result.is_writable:
            raise RunError(f"output {spec.name}: expects a tensor that may be written, got one that is read-only")
        for other in [*inputs, *results[:number]]:
            shares = share_element(result.find_extent(), other.find_extent())
            if shares is None:
                raise RunError(f"output {spec.name}: expects memory of its own, got some between that of an input or "
                               "another output, by strides of which it cannot be said whether they meet")
            if shares:
                raise RunError(f"output {spec.name}: expects memory of its own, got some of an input or another output")


def name_device(device: Device) -> str:
    return "the CPU" if device == CPU else f"{device[0]}:{device[1]}"


def make_empty(spec: TensorSpec, like: Any) -> Any:
    """A tensor for an output, of the kind that an input is and where it is."""
    if is_torch(like):
        torch = sys.modules["torch"]
        return torch.empty_strided(spec.shape, spec.strides, dtype=getattr(torch, spec.dtype.name), device=like.device)
    if "cupy" in type(like).__module__.split("."):
        cupy = sys.modules["cupy"]
        flat = cupy.empty(spec.size_bytes, dtype=cupy.uint8)
        return cupy.ndarray(spec.shape, dtype=spec.dtype.name, memptr=flat.data,
                            strides=tuple(stride * spec.dtype.itemsize for stride in spec.strides))
    if is_numpy(like) or find_device(like) == CPU:
        return _make_numpy(spec)
    raise RunError(f"expects out=, a tensor for each output, where inputs are of {type(like).__name__}")


def _make_numpy(spec: TensorSpec) -> Any:
    import numpy

    try:
        dtype = numpy.dtype(spec.dtype.name)
    except TypeError:
        try:
            import ml_dtypes
        except ImportError:
            raise RunError(f"NumPy has no {spec.dtype.name}: install ml_dtypes, or hand over tensors of torch") from None
        dtype = numpy.dtype(getattr(ml_dtypes, spec.dtype.name))
    flat: Any = numpy.empty(spec.size_bytes, dtype=numpy.uint8)
    return numpy.ndarray(spec.shape, dtype=dtype, buffer=flat,
                         strides=tuple(stride * spec.dtype.itemsize for stride in spec.strides))
