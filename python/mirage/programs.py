"""Compiled programs: artifacts that are called like functions."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import sys
import tempfile
import threading
from ctypes import byref, c_uint64, c_void_p
from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import _library, tensors
from ._library import Handle, check_run, lib
from .arguments import show
from .dtypes import from_code
from .errors import RunError
from .tensors import CPU, Device, TensorSpec

_EMULATOR, _CUDA = 0, 1

_devices: Dict[Device, Handle] = {}
_devices_lock = threading.Lock()


def open_device(device: Device) -> Handle:
    """A GPU, or the emulator where tensors are on the CPU. Opened once."""
    with _devices_lock:
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


def _read_specs(program: c_void_p, count, get) -> Tuple[TensorSpec, ...]:
    specs = []
    for number in range(count(program)):
        info = _library.TensorInfo()
        check_run(get(program, number, byref(info)))
        specs.append(TensorSpec(info.name.decode(), tuple(info.shape[:info.rank]), from_code(info.element),
                                tuple(info.strides[:info.rank]), info.size_bytes))
    return tuple(specs)


class LoadedProgram:
    """An artifact on one device."""

    def __init__(self, folder: str, device: Device):
        self.device = device
        pointer = c_void_p()
        check_run(lib.mirageProgramLoad(open_device(device), os.fsencode(folder), 0, byref(pointer)))
        self.handle = Handle(pointer, lib.mirageProgramDestroy)
        self.inputs = _read_specs(pointer, lib.mirageProgramGetNumInputs, lib.mirageProgramGetInput)
        self.outputs = _read_specs(pointer, lib.mirageProgramGetNumOutputs, lib.mirageProgramGetOutput)
        self.lock = threading.Lock()  # runs of one program share its workspace

    def run(self, inputs: Sequence[int], outputs: Sequence[int]) -> None:
        """On the emulator, by addresses."""
        with self.lock:
            check_run(lib.mirageProgramRun(self.handle, (c_void_p * len(inputs))(*inputs),
                                           (c_void_p * len(outputs))(*outputs)))

    def enqueue(self, stream: int, inputs: Sequence[int], outputs: Sequence[int]) -> None:
        """On a GPU."""
        status = lib.mirageProgramEnqueue(self.handle, stream, (c_uint64 * len(inputs))(*inputs),
                                          (c_uint64 * len(outputs))(*outputs))
        if status != _library.SUCCESS:
            raise RunError(_library.last_error())


class _TorchCall:
    """What a call on tensors of torch on one GPU needs, found out once: comparisons, and one call of
    the library, are all that is left."""

    def __init__(self, program: LoadedProgram, torch: Any):
        self.pointer = program.handle.pointer
        self.program = program  # which keeps the pointer alive
        self.ordinal = program.device[1]
        self.device = torch.device("cuda", self.ordinal)
        self.inputs = [(torch.Size(spec.shape), spec.strides, getattr(torch, spec.dtype.name))
                       for spec in program.inputs]
        self.outputs = [(torch.Size(spec.shape), spec.strides, getattr(torch, spec.dtype.name))
                        for spec in program.outputs]
        self.empty = torch.empty_strided
        self.is_grad_enabled = torch.is_grad_enabled
        self.get_stream = torch._C._cuda_getCurrentRawStream
        self.addresses = threading.local()  # a call's own, while it runs

    def _get_addresses(self) -> Any:
        try:
            return self.addresses.arrays
        except AttributeError:
            arrays = (c_uint64 * len(self.inputs))(), (c_uint64 * len(self.outputs))()
            self.addresses.arrays = arrays
            return arrays

    def _bind(self, given: Sequence[Any], wanted: Sequence[Any], addresses: Any) -> bool:
        """Fills in addresses. False where something does not fit."""
        if len(given) != len(wanted):
            return False
        ordinal = self.ordinal
        number = 0
        for tensor, (shape, strides, dtype) in zip(given, wanted):
            if tensor.shape != shape or tensor.stride() != strides or tensor.dtype is not dtype:
                return False
            address = tensor.data_ptr()
            if tensor.get_device() != ordinal or address & 15:
                return False
            if tensor.requires_grad and self.is_grad_enabled():
                return False
            addresses[number] = address
            number += 1
        return True

    def __call__(self, given: Sequence[Any], stream: Optional[int], out: Optional[Sequence[Any]]) -> Optional[List[Any]]:
        """None where something does not fit, which slower checks put into words."""
        inputs, outputs = self._get_addresses()
        try:
            if not self._bind(given, self.inputs, inputs):
                return None
            if out is None:
                out = [self.empty(shape, strides, dtype=dtype, device=self.device)
                       for shape, strides, dtype in self.outputs]
                for number, tensor in enumerate(out):
                    outputs[number] = tensor.data_ptr()
            elif not self._bind(out, self.outputs, outputs):
                return None
        except (AttributeError, TypeError):  # no tensors of torch
            return None
        status = lib.mirageProgramEnqueue(self.pointer, self.get_stream(self.ordinal) if stream is None else stream,
                                          inputs, outputs)
        if status != _library.SUCCESS:
            raise RunError(_library.last_error())
        return out if type(out) is list else list(out)


def _stream_address(stream: Any) -> Optional[int]:
    """A stream of torch or CuPy, or its address."""
    if stream is None or isinstance(stream, int):
        return stream
    for name in ("cuda_stream", "ptr"):
        if hasattr(stream, name):
            return int(getattr(stream, name))
    raise RunError(f"expects a stream of torch or CuPy or its address, got {stream!r}")


class CompiledGraph:
    """A program that has been compiled. Call it with its inputs: tensors of torch on a GPU run there,
    on the current stream; those of torch on the CPU and of NumPy on the emulator.

        outputs = compiled(inputs=[x, w])
        outputs = compiled([x, w], out=[y])   # into tensors that are there

    The emulator runs the code that a GPU would, with checks: slowly. Runs of one program in several
    streams must not overlap, since they share its workspace; and outputs share no memory with inputs,
    which calls on tensors of torch on a GPU do not look at."""

    def __init__(self, folder: str, mlir: str):
        self._folder = os.path.abspath(folder)
        self._mlir = mlir
        self._programs: Dict[Device, LoadedProgram] = {}
        self._torch_calls: Dict[Device, _TorchCall] = {}
        self._last_call: Optional[_TorchCall] = None
        self._finalizer: Any = None  #: of a folder that is the program's own

    def _load(self, device: Device) -> LoadedProgram:
        if device not in self._programs:
            self._programs[device] = LoadedProgram(self._folder, device)
        return self._programs[device]

    @property
    def inputs(self) -> Tuple[TensorSpec, ...]:
        """What the program takes."""
        return self._load(CPU).inputs

    @property
    def outputs(self) -> Tuple[TensorSpec, ...]:
        return self._load(CPU).outputs

    @property
    def mlir(self) -> str:
        """The µGraph that was compiled."""
        return self._mlir

    @property
    def ptx(self) -> str:
        return (pathlib.Path(self._folder) / "kernels.ptx").read_text()

    def __call__(self, inputs: Sequence[Any], *, stream: Any = None, out: Optional[Sequence[Any]] = None,
                 **unused: Any) -> List[Any]:
        if self._last_call is not None and stream is None:
            done = None if unused else self._last_call(inputs, None, out)
            if done is not None:
                return done
        for name in unused:
            _warn_of_unused(name)
        given = _as_sequence("inputs", inputs)
        if out is not None:
            out = _as_sequence("out", out)
        if given and tensors.is_torch(given[0]) and given[0].is_cuda:
            self._last_call = self._get_torch_call(given[0].device.index)
            done = self._last_call(given, _stream_address(stream), out)
            if done is not None:
                return done
        return self._call(given, _stream_address(stream), out)

    def _get_torch_call(self, ordinal: int) -> _TorchCall:
        device = ("cuda", ordinal)
        if device not in self._torch_calls:
            self._torch_calls[device] = _TorchCall(self._load(device), sys.modules["torch"])
        return self._torch_calls[device]

    def _call(self, given: Sequence[Any], stream: Optional[int], out: Optional[Sequence[Any]]) -> List[Any]:
        """With all checks, and a sentence for what does not fit."""
        specs = self._load(CPU)
        _check_count("inputs", given, specs.inputs)
        bound = [tensors.describe(tensor) for tensor in given]
        device = bound[0].device if bound else CPU
        for spec, tensor in zip(specs.inputs, bound):
            tensors.check(spec, "input", tensor, device)
        if out is None:
            out = [tensors.make_empty(spec, given[0]) for spec in specs.outputs]
        _check_count("outputs", out, specs.outputs)
        results = [tensors.describe(tensor) for tensor in out]
        for spec, tensor in zip(specs.outputs, results):
            tensors.check(spec, "output", tensor, device)
        tensors.check_outputs(specs.outputs, results, bound)
        program = self._load(device)
        addresses = [tensor.address for tensor in bound], [tensor.address for tensor in results]
        if device == CPU:
            if stream is not None:
                raise RunError("expects no stream where tensors are on the CPU, got one")
            program.run(*addresses)
        else:
            if stream is None and tensors.is_torch(given[0]):
                stream = sys.modules["torch"].cuda.current_stream(device[1]).cuda_stream
            program.enqueue(stream or 0, *addresses)
        return list(out)

    def visualize(self, name: "str | os.PathLike[str]") -> str:
        """Draws the µGraph into a file: name.svg, or what the ending says (.png, .pdf, .dot)."""
        from .superoptimizer import from_mlir
        from .visualizer import draw

        return draw(from_mlir(self._mlir).to_json(), name)

    def save(self, directory: "str | os.PathLike[str]") -> None:
        """Keeps the program in a folder, which is made; `mirage.load` has it back."""
        target = pathlib.Path(directory)
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise RunError(f"expects a folder that is empty or is not there, got {target}")
        try:
            target.mkdir(parents=True, exist_ok=True)
            for name, data in self._get_files().items():
                (target / name).parent.mkdir(exist_ok=True)
                (target / name).write_bytes(data)
        except OSError as error:
            raise RunError(f"{target} cannot be written: {error}") from None

    def _get_files(self) -> Dict[str, bytes]:
        """What `load` reads."""
        files = {f"artifact/{path.name}": path.read_bytes() for path in pathlib.Path(self._folder).iterdir()}
        files["program.mlir"] = self._mlir.encode()
        files["result.json"] = (json.dumps(self._describe(), indent=2) + "\n").encode()
        return files

    def __reduce__(self):
        return _unpickle, (self._get_files(),)

    def _describe(self) -> Dict[str, Any]:
        """What `load` needs beside the artifact."""
        return {"version": _library.version(), "kind": "compiled"}


@dataclasses.dataclass(frozen=True)
class SearchResult:
    """What a search has come to."""

    improved: bool  #: whether a faster program was found; if not, the program is as it was written
    why: str  #: why not, or what ended the search
    predicted_us: Optional[float]  #: of the program that is there; None where nothing is to be computed
    baseline_us: Optional[float]  #: predicted, each operator a kernel
    limit_us: Optional[float]  #: predicted, the launch and each input and output once: nothing takes less
    measured_us: Optional[float]  #: on a GPU, nothing in its cache; None where none was at hand
    ranked_by: str  #: "measured" or "predicted"
    seconds: float
    stop_reason: str  #: "exhausted", "interrupted", ...
    report: Dict[str, Any]  #: all of it, as `report=` of mirage-opt writes it

    @property
    def speedup(self) -> float:
        """Over each operator as a kernel, as predicted."""
        return self.baseline_us / self.predicted_us if self.baseline_us and self.predicted_us else 1.0

    def __str__(self) -> str:
        if self.predicted_us is None or self.baseline_us is None or self.limit_us is None:
            return f"left as it was: {self.why}"
        took = (f"{self.measured_us:.2f} us measured" if self.measured_us is not None
                else f"{self.predicted_us:.2f} us predicted (no GPU: the cost model decided)")
        how = f"{self.speedup:.1f} times faster" if self.improved else f"left as it was: {self.why}"
        return f"{how}; {took}, {self.baseline_us:.2f} us one by one, at least {self.limit_us:.2f} us"


class OptimizedGraph(CompiledGraph):
    """What `superoptimize` returns: the program, improved or not, and how it came to be."""

    def __init__(self, folder: str, mlir: str, result: SearchResult, program: str):
        super().__init__(folder, mlir)
        self.result = result
        self.program = program  #: as it was written, as a module of MLIR

    @property
    def improved(self) -> bool:
        return self.result.improved

    def _describe(self) -> Dict[str, Any]:
        return {"version": _library.version(), "kind": "optimized", "result": dataclasses.asdict(self.result),
                "program": self.program}

    def __repr__(self) -> str:
        return f"<OptimizedGraph: {self.result}>"


def load(directory: "str | os.PathLike[str]") -> CompiledGraph:
    """What `save` has kept."""
    try:
        folder = pathlib.Path(directory)
    except TypeError:
        raise RunError(f"expects the path of a folder that save() has made, got {show(directory)}") from None
    try:
        described = json.loads((folder / "result.json").read_text())
        mlir = (folder / "program.mlir").read_text()
        version, kind = described["version"], described["kind"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"expects a folder that save() has made, got {folder}: {error}") from None
    if version != _library.version():
        raise RunError(f"expects a program of Mirage {_library.version()}, got one of {version}: {folder}")
    artifact = str(folder / "artifact")
    if kind != "optimized":
        return CompiledGraph(artifact, mlir)
    try:
        result, program = SearchResult(**described["result"]), described["program"]
    except (KeyError, TypeError) as error:
        raise RunError(f"expects a folder that save() has made, got {folder}: {error}") from None
    return OptimizedGraph(artifact, mlir, result, program)


def _unpickle(files: Dict[str, bytes]) -> CompiledGraph:
    from .superoptimizer import _own

    folder = make_folder()
    for name, data in files.items():
        path = pathlib.Path(folder) / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    return _own(load(folder), folder)


def make_folder() -> str:
    return tempfile.mkdtemp(prefix="mirage-")


#: Options of the original that are about how it makes code.
_UNUSED = {"num_warp_groups", "pipeline_stages", "profiling", "target_cc", "file_id", "async_", "rtol", "atol",
           "verbose", "enable_online_softmax"}
_warned: set = set()


def _warn_of_unused(name: str) -> None:
    """Once for each name; what nobody knows is an error."""
    if name not in _UNUSED:
        raise TypeError(f"got an unexpected keyword argument {name!r}")
    if name not in _warned:
        _warned.add(name)
        import warnings

        warnings.warn(f"{name} has no effect: the compiler decides that by itself", stacklevel=3)


def _as_sequence(what: str, values: Any) -> Sequence[Any]:
    if isinstance(values, (list, tuple)):
        return values
    raise RunError(f"expects {what} as a list of tensors, got {type(values).__name__}")


def _check_count(what: str, values: Sequence[Any], specs: Sequence[TensorSpec]) -> None:
    if len(values) != len(specs):
        names = ", ".join(spec.name for spec in specs)
        raise RunError(f"expects {len(specs)} {what} ({names}), got {len(values)}")
