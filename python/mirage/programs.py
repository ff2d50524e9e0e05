"""Compiled programs: artifacts that are called like functions."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pathlib
from ctypes import byref, c_uint64, c_void_p
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from . import _library, streams, tensors
from ._library import Handle, check_run, lib
from .arguments import show
from .compatibility import OF_PROGRAMS, OriginalNames, warn_of_unused
from .devices import get_gpu, open_device
from .dtypes import from_code
from .errors import RunError
from .folders import make_folder
from .locks import ForkSafeLock
from .streams import RunStream
from .tensors import CPU, Device, TensorSpec
from .torch_calls import Place, TorchCall, find_marker, make_torch_call


def _read_specs(program: c_void_p, count, get) -> Tuple[TensorSpec, ...]:
    specs = []
    for number in range(count(program)):
        info = _library.TensorInfo()
        check_run(get(program, number, byref(info)))
        specs.append(TensorSpec(info.name.decode(), tuple(info.shape[:info.rank]), from_code(info.element),
                                tuple(info.strides[:info.rank]), info.size_bytes))
    return tuple(specs)


#: What stands beside an artifact in its folder: the µGraph that was compiled; the same down to the
#: threads, in the order and the places that were planned; and what the planner says of it.
MUGRAPH, PLANNED, PLAN = "mugraph.mlir", "planned.mlir", "plan.json"


class LoadedProgram:
    """An artifact on one device."""

    def __init__(self, folder: str, device: Device):
        self.device = device
        self._mugraph = pathlib.Path(folder).parent / MUGRAPH
        pointer = c_void_p()
        check_run(lib.mirageProgramLoad(open_device(device), os.fsencode(folder), 0, byref(pointer)))
        self.handle = Handle(pointer, lib.mirageProgramDestroy)
        self.inputs = _read_specs(pointer, lib.mirageProgramGetNumInputs, lib.mirageProgramGetInput)
        self.outputs = _read_specs(pointer, lib.mirageProgramGetNumOutputs, lib.mirageProgramGetOutput)
        self.lock = ForkSafeLock()
        self._streams: List[Any] = []
        if device != CPU:
            check_run(lib.mirageProgramTrustStreams(self.handle))

    def run(self, inputs: Sequence[int], outputs: Sequence[int]) -> None:
        """On the emulator, by addresses."""
        with self.lock:
            status = lib.mirageProgramRun(self.handle, (c_void_p * len(inputs))(*inputs),
                                          (c_void_p * len(outputs))(*outputs))
            if status == _library.INTERNAL_ERROR:
                raise _library.make_internal_error(_library.last_error(), self._read_mugraph())
            check_run(status)

    def _read_mugraph(self) -> bytes:
        try:
            return self._mugraph.read_bytes()
        except OSError:  # somebody has taken it away; the fault is what counts
            return b""

    @contextlib.contextmanager
    def keeping(self, stream: Any) -> Iterator[None]:
        """Within it a run is enqueued in `stream`: the caller's object, or a RunStream that has it. The library was
        promised that a stream is there until a run in another one was enqueued, so the object is kept as long.
        Torch's own streams always stay."""
        with self.lock:
            self._streams.append(stream)
            yield
            del self._streams[:-1]

    def enqueue(self, stream: RunStream, inputs: Sequence[int], outputs: Sequence[int]) -> None:
        """On a GPU."""
        with self.keeping(stream):
            check_run(lib.mirageProgramEnqueue(self.handle, stream.address, (c_uint64 * len(inputs))(*inputs),
                                               (c_uint64 * len(outputs))(*outputs)))


class CompiledGraph(OriginalNames):
    """A program that has been compiled. Call it with its inputs: tensors of torch on a GPU run there,
    on the current stream; those of torch on the CPU and of NumPy on the emulator.

        outputs = compiled(inputs=[x, w])
        outputs = compiled([x, w], out=[y])      # into tensors that are there
        outputs = compiled([x, w], stream=s)     # on another stream than the current one

    The emulator runs the code that a GPU would, with checks: slowly.

    On a GPU a call returns when the run is in the stream. Any thread may call; runs of one program follow
    one another on the device, in whatever streams. `stream` is one of torch or CuPy, or an address, and
    works as `with torch.cuda.stream(s):` does: it is the caller who lets s wait for what writes the inputs,
    and others wait for s before they read the outputs. Memory is looked after: outputs are allocated in s,
    and inputs not handed out again before s is done with them. Without it, CuPy's tensors run in CuPy's
    current stream, and others that have DLPack or the CUDA array interface in the default stream, which
    waits for what their owners have under way. Calls can be captured in a CUDA graph, once the program has
    run; a graph's launches are ordered with other runs of the program by whoever launches it, and tensors
    and program live as long as the graph. docs/Runtime.md, "Threads, streams and captures", has all of it.

    Outputs share no element with inputs and one another, which calls on tensors of torch on a GPU do not look
    at; what lies between an output's elements is left as it is, and may be theirs: out=[y[:, ::2], y[:, 1::2]]."""

    _instead = OF_PROGRAMS

    def __init__(self, folder: str):
        """folder   what compile_module() or save() has made"""
        self._folder = os.path.abspath(folder)
        self._artifact = os.path.join(self._folder, "artifact")
        self._lock = ForkSafeLock()
        self._programs: Dict[Device, LoadedProgram] = {}
        self._specs: Optional[Tuple[Tuple[TensorSpec, ...], Tuple[TensorSpec, ...]]] = None
        self._torch_calls: Dict[Device, TorchCall] = {}
        self._last_call: Optional[TorchCall] = None
        self._finalizer: Any = None  #: of a folder that is the program's own

    def _load(self, device: Device) -> LoadedProgram:
        with self._lock:
            if device not in self._programs:
                program = LoadedProgram(self._artifact, device)
                self._specs = program.inputs, program.outputs
                self._programs[device] = program
            return self._programs[device]

    def _get_specs(self) -> Tuple[Tuple[TensorSpec, ...], Tuple[TensorSpec, ...]]:
        if self._specs is None:
            program = LoadedProgram(self._artifact, CPU)  # which goes again: it may never run there
            self._specs = program.inputs, program.outputs
        return self._specs

    @property
    def inputs(self) -> Tuple[TensorSpec, ...]:
        """What the program takes."""
        return self._get_specs()[0]

    @property
    def outputs(self) -> Tuple[TensorSpec, ...]:
        return self._get_specs()[1]

    @property
    def mlir(self) -> str:
        """The µGraph that was compiled."""
        return self._read(MUGRAPH)

    @property
    def planned_mlir(self) -> str:
        """The same down to the threads, as it was planned: steps, places, layouts."""
        return self._read(PLANNED)

    @property
    def plan(self) -> str:
        """What was decided, as `--mirage-explain` says it, as JSON."""
        return self._read(PLAN)

    @property
    def ptx(self) -> str:
        return self._read("artifact/kernels.ptx")

    def _read(self, name: str) -> str:
        try:
            return pathlib.Path(self._folder, name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise RunError(f"expects the program's folder as it was made, got {error}") from None

    def __call__(self, inputs: Sequence[Any], *, stream: Any = None, out: Optional[Sequence[Any]] = None,
                 **unused: Any) -> List[Any]:
        call = self._last_call
        if call is not None and stream is None and not unused:
            done = call(inputs, out)
            if done is not None:
                return done
        warn_of_unused(unused, ("inputs", "stream", "out"))
        given = _as_sequence("inputs", inputs)
        if out is not None:
            out = _as_sequence("out", out)
        if given and tensors.is_torch(given[0]):
            device = tensors.find_device(given[0])
            done = self._call_on_torch(device, given, stream, out) if device != CPU else None
            if done is not None:
                return done
        return self._call(given, stream, out)

    def check_inputs(self, inputs: Sequence[Any]) -> None:
        """Raises RunError where a call with these inputs would."""
        given = _as_sequence("inputs", inputs)
        _check_count("inputs", given, self.inputs)
        _bind("input", given, self.inputs, tensors.find_device(given[0]) if given else CPU, None)

    def _call_on_torch(self, device: Device, given: Sequence[Any], stream: Any,
                       out: Optional[Sequence[Any]]) -> Optional[List[Any]]:
        """None where something does not fit."""
        program = self._load(device)
        if device not in self._torch_calls:
            self._torch_calls[device] = make_torch_call(program.handle.pointer, program.inputs, program.outputs,
                                                        Place(device))
        call = self._last_call = self._torch_calls[device]
        if stream is not None:
            streams.check_device(stream, device)
        kept = contextlib.nullcontext() if stream is None else program.keeping(stream)
        with streams.allocate_in(stream, given[0], device), kept:
            done = call(given, out)
        if done is not None:
            streams.record_use(stream, [*given, *done], device)
        return done

    def _call(self, given: Sequence[Any], stream: Any, out: Optional[Sequence[Any]]) -> List[Any]:
        """With all checks, and a sentence for what does not fit."""
        if not given:
            _check_count("inputs", given, self.inputs)
        device = tensors.find_device(given[0]) if given else CPU
        program = self._load(device)
        _check_count("inputs", given, program.inputs)
        if device != CPU:
            return self._call_on_gpu(program, given, stream, out)
        if stream is not None:
            raise RunError("expects no stream where tensors are on the CPU, got one")
        bound = _bind("input", given, program.inputs, device, None)
        if out is None:
            out = [tensors.make_empty(spec, given[0]) for spec in program.outputs]
        results = _bind_outputs(out, program.outputs, device, None, bound)
        program.run([tensor.address for tensor in bound], [tensor.address for tensor in results])
        _mark_written(out)
        return list(out)

    def _call_on_gpu(self, program: LoadedProgram, given: Sequence[Any], stream: Any,
                     out: Optional[Sequence[Any]]) -> List[Any]:
        device = program.device
        gpu = get_gpu(device)
        gpu.let_go()
        chosen = streams.choose(stream, given, gpu, device)
        bound = _bind("input", given, program.inputs, device, chosen)
        if out is None:
            with streams.allocate_in(stream, given[0], device):
                out = [tensors.make_empty(spec, given[0]) for spec in program.outputs]
        results = _bind_outputs(out, program.outputs, device, chosen, bound)
        program.enqueue(chosen, [tensor.address for tensor in bound], [tensor.address for tensor in results])
        streams.record_use(stream, [*given, *out], device)
        _mark_written(out)
        foreign = [tensor.owner for tensor in [*bound, *results] if not tensors.is_torch(tensor.owner)]
        if foreign and not chosen.is_capturing:
            gpu.keep(chosen.address, foreign)
        return list(out)

    def visualize(self, name: "str | os.PathLike[str]") -> str:
        """Draws the µGraph, kernels, blocks and threads, with places and layouts, into a file: name.svg, or
        what the ending says (.png, .pdf, .dot)."""
        from .compiler import from_mlir
        from .visualizer import draw

        return draw(from_mlir(self.planned_mlir).to_json(), name, self.plan)

    def save(self, directory: "str | os.PathLike[str]") -> None:
        """Keeps the program in a folder, which is made; `mirage.load` has it back."""
        if not isinstance(directory, (str, os.PathLike)):
            raise RunError(f"expects the path of a folder to make, got {show(directory)}")
        target = pathlib.Path(directory)
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise RunError(f"expects a folder that is empty or is not there, got {target}")
        try:
            target.mkdir(parents=True, exist_ok=True)
            for name, data in self._get_files().items():
                (target / name).parent.mkdir(exist_ok=True)
                (target / name).write_bytes(data)
        except (OSError, ValueError) as error:  # as of a path with a zero
            raise RunError(f"{target} cannot be written: {error}") from error

    def _get_files(self) -> Dict[str, bytes]:
        """What `load` reads."""
        root = pathlib.Path(self._folder)
        if not (root / "artifact").is_dir():
            raise RunError(f"expects the folder that the program was loaded from to be there still, got nothing in {root}")
        files = {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        files["result.json"] = (json.dumps(self._describe(), indent=2) + "\n").encode()
        return files

    def __reduce__(self) -> Tuple[Any, ...]:
        return _unpickle, (self._get_files(),)

    def _describe(self) -> Dict[str, Any]:
        """What `load` needs beside the artifact."""
        return {"version": _library.version(), "kind": "compiled"}


@dataclasses.dataclass(frozen=True)
class SearchResult:
    """What a search has come to. Times are of the program that is there, in microseconds, and of the
    one as it was written, each operator a kernel."""

    improved: bool  #: whether a faster program was found; if not, the program is as it was written
    why: str  #: why not, or what ended the search
    predicted_us: Optional[float]  #: None where nothing is to be computed, or kernels are the caller's own
    baseline_us: Optional[float]  #: predicted, as it was written
    limit_us: Optional[float]  #: predicted, the launch and each input and output once: nothing takes less
    measured_us: Optional[float]  #: on a GPU, nothing in its cache; None where it was not measured
    measured_baseline_us: Optional[float]  #: likewise, as it was written
    ranked_by: str  #: "measured" or "predicted"
    why_not_measured: str  #: "no GPU", ...; empty where it was
    seconds: float
    stop_reason: str  #: "exhausted", "interrupted", ...
    report: Dict[str, Any]  #: all of it, as `report=` of mirage-opt writes it

    @property
    def speedup(self) -> float:
        """Over the program as it was written: as measured, else as predicted."""
        if self.measured_us and self.measured_baseline_us:
            return self.measured_baseline_us / self.measured_us
        return self.baseline_us / self.predicted_us if self.baseline_us and self.predicted_us else 1.0

    def __str__(self) -> str:
        if self.predicted_us is None or self.baseline_us is None or self.limit_us is None:
            return f"left as it was: {self.why}"
        if self.measured_us is not None:
            times, baseline = f"{self.measured_us:.2f} us measured", self.measured_baseline_us
        else:
            times, baseline = f"{self.predicted_us:.2f} us predicted", self.baseline_us
        if baseline is not None:
            times += f", {baseline:.2f} us one by one"
        unmeasured = f" ({self.why_not_measured}: the cost model decided)" if self.why_not_measured else ""
        how = f"{self.speedup:.1f} times faster" if self.improved else f"left as it was: {self.why}"
        return f"{how}; {times}, at least {self.limit_us:.2f} us{unmeasured}"


class OptimizedGraph(CompiledGraph):
    """What `superoptimize` returns: the program, improved or not, and how it came to be."""

    def __init__(self, folder: str, result: SearchResult, program: str):
        super().__init__(folder)
        self.result = result
        self.program = program  #: as it was written, as a module of MLIR

    @property
    def improved(self) -> bool:
        return self.result.improved

    def _describe(self) -> Dict[str, Any]:
        return {"version": _library.version(), "kind": "optimized", "result": dataclasses.asdict(self.result)}

    def _get_files(self) -> Dict[str, bytes]:
        return {**super()._get_files(), "program.mlir": self.program.encode()}

    def __repr__(self) -> str:
        return f"<OptimizedGraph: {self.result}>"


def load(directory: "str | os.PathLike[str]") -> CompiledGraph:
    """What `save` has kept."""
    try:
        folder = pathlib.Path(directory)
    except TypeError:
        raise RunError(f"expects the path of a folder that save() has made, got {show(directory)}") from None
    try:
        described = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        version, kind = described["version"], described["kind"]
        if version != _library.version():
            raise RunError(f"expects a program of Mirage {_library.version()}, got one of {version}: {folder}")
        if kind != "optimized":
            return CompiledGraph(str(folder))
        program = (folder / "program.mlir").read_text(encoding="utf-8")
        return OptimizedGraph(str(folder), SearchResult(**described["result"]), program)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise RunError(f"expects a folder that save() has made, got {folder}: {error}") from None


def _unpickle(files: Dict[str, bytes]) -> CompiledGraph:
    from .compiler import own

    folder = make_folder()
    for name, data in files.items():
        path = pathlib.Path(folder) / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    return own(load(folder), folder)


def _mark_written(out: Sequence[Any]) -> None:
    of_torch = [each for each in out if tensors.is_torch(each)]
    if of_torch:
        find_marker()(of_torch)


def _as_sequence(what: str, values: Any) -> Sequence[Any]:
    if isinstance(values, tensors.SEQUENCES):
        return values
    raise RunError(f"expects {what} as a list of tensors, got {type(values).__name__}")


def _bind(role: str, given: Sequence[Any], specs: Sequence[TensorSpec], device: Device,
          stream: Optional[RunStream]) -> List[tensors.Bound]:
    bound = [_describe(role, tensor, spec, stream) for tensor, spec in zip(given, specs)]
    for spec, tensor in zip(specs, bound):
        tensors.check(spec, role, tensor, device)
    return bound


def _describe(role: str, tensor: Any, spec: TensorSpec, stream: Optional[RunStream]) -> tensors.Bound:
    try:
        return tensors.describe(tensor, stream)
    except RunError as error:
        raise RunError(f"{role} {spec.name}: {error}") from error.__cause__


def _bind_outputs(out: Sequence[Any], specs: Sequence[TensorSpec], device: Device, stream: Optional[RunStream],
                  inputs: Sequence[tensors.Bound]) -> List[tensors.Bound]:
    _check_count("outputs", out, specs)
    results = _bind("output", out, specs, device, stream)
    tensors.check_outputs(specs, results, inputs)
    return results


def _check_count(what: str, values: Sequence[Any], specs: Sequence[TensorSpec]) -> None:
    if len(values) != len(specs):
        names = ", ".join(spec.name for spec in specs)
        raise RunError(f"expects {len(specs)} {what} ({names}), got {len(values)}")
