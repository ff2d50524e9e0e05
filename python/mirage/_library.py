"""libMirage.so: where it is, and its functions (include/Mirage-c) as Python calls them."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import pathlib
import tempfile
import threading
import time
import types
import weakref
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_double, c_int, c_int64, c_size_t,
                    c_uint, c_uint32, c_uint64, c_void_p)
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple

from ._version import __version__
from .arguments import show, to_text
from .errors import CompileError, Diagnostic, GraphError, InternalError, MirageError, RunError

SUCCESS, INVALID_ARGUMENT, FAILURE, INTERNAL_ERROR = 0, 1, 2, 3
TEXT, TEXT_WITH_LOCATIONS, BYTECODE = 0, 1, 2  # MiragePrintForm


class Text(Structure):
    _fields_ = [("data", c_void_p), ("size", c_size_t)]


class SizedStructure(Structure):
    """One that says first how large it is, so that the library knows what it is handed."""

    _fields_ = [("struct_size", c_size_t)]

    def __init__(self, **members):
        super().__init__(struct_size=ctypes.sizeof(self), **members)


class TensorType(Structure):
    _fields_ = [("element", c_int), ("rank", c_size_t), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64))]


class NumberedType(Structure):
    _fields_ = [("number", c_int64), ("element", c_int)]


class JSONChoices(SizedStructure):
    _fields_ = [("index", c_int64), ("types", POINTER(NumberedType)), ("num_types", c_size_t)]


class BlockShape(SizedStructure):
    _fields_ = [("grid_rank", c_size_t), ("grid", POINTER(c_int64)), ("cluster", POINTER(c_int64)),
                ("loop", c_int64), ("stages", c_int64), ("block_rank", c_size_t), ("block", POINTER(c_int64))]


class Option(Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p)]


class CDiagnostic(Structure):
    pass


CDiagnostic._fields_ = [("severity", c_int), ("message", c_char_p), ("file", c_char_p), ("line", c_uint),
                        ("column", c_uint), ("notes", POINTER(CDiagnostic)), ("num_notes", c_size_t)]


class CProgress(SizedStructure):
    _fields_ = [("seconds", c_double), ("states", c_uint64), ("states_per_second", c_double),
                ("structures", c_uint64), ("baseline_us", c_double), ("best_us", c_double),
                ("walk_states", c_uint64), ("max_states", c_uint64), ("time_limit_s", c_double),
                ("part", c_uint), ("num_parts", c_uint)]


class VerifyOptions(SizedStructure):
    _fields_ = [("has_seed", c_int), ("seed", c_uint64), ("error_bound_bits", c_uint), ("min_trials", c_uint),
                ("outputs_in_any_order", c_int), ("exact", c_int), ("certificates", c_int),
                ("sample_above", c_uint64)]


class TensorInfo(Structure):
    _fields_ = [("name", c_char_p), ("element", c_int), ("rank", c_size_t), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("size_bytes", c_int64)]


DIAGNOSTIC_HANDLER = CFUNCTYPE(None, POINTER(CDiagnostic), c_void_p)
PROGRESS_HANDLER = CFUNCTYPE(None, c_char_p, POINTER(CProgress), c_void_p)

_STATUS = c_int
# Name: (result, arguments).
_PROTOTYPES = {
    "mirageGetLastError": (c_char_p, []),
    "mirageGetVersion": (c_char_p, []),
    "mirageTextFree": (None, [POINTER(Text)]),
    "mirageContextCreate": (_STATUS, [c_uint, POINTER(c_void_p)]),
    "mirageContextDestroy": (None, [c_void_p]),
    "mirageContextSetDiagnosticHandler": (_STATUS, [c_void_p, DIAGNOSTIC_HANDLER, c_void_p]),
    "mirageContextSetProgressHandler": (_STATUS, [c_void_p, PROGRESS_HANDLER, c_void_p]),
    "mirageContextCancelSearches": (None, [c_void_p]),
    "mirageContextGetReproducer": (_STATUS, [c_void_p, POINTER(Text)]),
    "mirageModuleParse": (_STATUS, [c_void_p, c_char_p, c_size_t, c_char_p, POINTER(c_void_p)]),
    "mirageModuleClone": (_STATUS, [c_void_p, POINTER(c_void_p)]),
    "mirageModuleDestroy": (None, [c_void_p]),
    "mirageModulePrint": (_STATUS, [c_void_p, c_int, POINTER(Text)]),
    "mirageModuleRunPipeline": (_STATUS, [c_void_p, c_char_p]),
    "mirageModuleSuperoptimize": (_STATUS, [c_void_p, POINTER(Option), c_size_t, POINTER(Text)]),
    "mirageModuleCompile": (_STATUS, [c_void_p, POINTER(Option), c_size_t, POINTER(Text)]),
    "mirageFindPtxas": (_STATUS, [POINTER(Text)]),
    "mirageCheckpointsMerge": (_STATUS, [c_char_p, POINTER(c_char_p), c_size_t, POINTER(c_uint64)]),
    "mirageModulesVerify": (_STATUS, [c_void_p, c_void_p, POINTER(VerifyOptions), POINTER(c_int), POINTER(Text)]),
    "mirageGraphCreate": (_STATUS, [POINTER(c_void_p)]),
    "mirageGraphDestroy": (None, [c_void_p]),
    "mirageGraphAddInput": (_STATUS, [c_void_p, c_char_p, POINTER(TensorType), POINTER(c_uint32)]),
    "mirageGraphAddOperator": (_STATUS, [c_void_p, c_char_p, POINTER(c_uint32), c_size_t, c_char_p,
                                         POINTER(c_uint32)]),
    "mirageGraphAddOperatorWithNumber": (_STATUS, [c_void_p, c_char_p, c_uint32, c_double, c_int,
                                                   POINTER(c_uint32)]),
    "mirageGraphAddSumTo": (_STATUS, [c_void_p, c_uint32, c_int64, c_int64, c_int, POINTER(c_uint32)]),
    "mirageGraphAddOutput": (_STATUS, [c_void_p, c_uint32, POINTER(c_int64)]),
    "mirageGraphGetInputName": (c_char_p, [c_void_p, c_size_t]),
    "mirageGraphGetNumInputs": (c_size_t, [c_void_p]),
    "mirageGraphGetNumValues": (c_size_t, [c_void_p]),
    "mirageGraphGetNumOutputs": (c_size_t, [c_void_p]),
    "mirageGraphGetType": (_STATUS, [c_void_p, c_uint32, POINTER(TensorType)]),
    "mirageBlockGraphCreate": (_STATUS, [POINTER(BlockShape), POINTER(c_void_p)]),
    "mirageBlockGraphAddInput": (_STATUS, [c_void_p, POINTER(TensorType), POINTER(c_int), c_int,
                                           POINTER(c_uint32)]),
    "mirageBlockGraphAddOutput": (_STATUS, [c_void_p, c_uint32, POINTER(c_int), POINTER(c_int64), POINTER(c_int)]),
    "mirageGraphAddBlockGraph": (_STATUS, [c_void_p, c_void_p, POINTER(c_uint32), c_size_t, POINTER(c_uint32)]),
    "mirageGraphToJSON": (_STATUS, [c_void_p, POINTER(Text)]),
    "mirageGraphFromJSON": (_STATUS, [c_char_p, c_size_t, POINTER(c_void_p)]),
    "mirageGraphFromJSONWithChoices": (_STATUS, [c_char_p, c_size_t, POINTER(JSONChoices), POINTER(c_void_p)]),
    "mirageListSearchOptions": (_STATUS, [POINTER(Text)]),
    "mirageModuleFromGraph": (_STATUS, [c_void_p, c_void_p, c_char_p, POINTER(c_void_p)]),
    "mirageModuleGetGraph": (_STATUS, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "mirageDeviceOpen": (_STATUS, [c_int, c_int, POINTER(c_void_p)]),
    "mirageDeviceClose": (None, [c_void_p]),
    "mirageFindDevice": (_STATUS, [c_uint64, POINTER(c_int)]),
    "mirageDeviceIsCapturing": (_STATUS, [c_void_p, c_void_p, POINTER(c_int)]),
    "mirageEventCreate": (_STATUS, [c_void_p, POINTER(c_void_p)]),
    "mirageEventDestroy": (None, [c_void_p]),
    "mirageEventRecord": (_STATUS, [c_void_p, c_void_p]),
    "mirageEventMakeWait": (_STATUS, [c_void_p, c_void_p]),
    "mirageEventHasPassed": (_STATUS, [c_void_p, POINTER(c_int)]),
    "mirageDeviceGetName": (c_char_p, [c_void_p]),
    "mirageDeviceGetComputeCapability": (c_int, [c_void_p]),
    "mirageDeviceGetDriverVersion": (c_int, [c_void_p]),
    "mirageProgramLoad": (_STATUS, [c_void_p, c_char_p, c_int, POINTER(c_void_p)]),
    "mirageProgramDestroy": (None, [c_void_p]),
    "mirageProgramGetNumInputs": (c_size_t, [c_void_p]),
    "mirageProgramGetNumOutputs": (c_size_t, [c_void_p]),
    "mirageProgramGetInput": (_STATUS, [c_void_p, c_size_t, POINTER(TensorInfo)]),
    "mirageProgramGetOutput": (_STATUS, [c_void_p, c_size_t, POINTER(TensorInfo)]),
    "mirageProgramGetWorkspaceBytes": (c_int64, [c_void_p]),
    "mirageProgramEnqueue": (_STATUS, [c_void_p, c_void_p, POINTER(c_uint64), POINTER(c_uint64)]),
    "mirageProgramTrustStreams": (_STATUS, [c_void_p]),
    "mirageProgramMakeCurrent": (_STATUS, [c_void_p]),
    "mirageProgramRun": (_STATUS, [c_void_p, POINTER(c_void_p), POINTER(c_void_p)]),
}


def _find_library() -> str:
    """What MIRAGE_LIBRARY names, else the library in the package, else that of a build folder."""
    named = os.environ.get("MIRAGE_LIBRARY")
    if named:
        return named
    here = pathlib.Path(__file__).resolve().parent
    places = [here / "lib" / "libMirage.so"]
    places += [here.parents[1] / "build" / preset / "lib" / "libMirage.so" for preset in ("release", "dev")]
    for place in places:
        if place.exists():
            return str(place)
    raise ImportError("expects libMirage.so in the package mirage, in a build folder, or where MIRAGE_LIBRARY says; "
                      "got none of them: pip install mirage-mlir, or ninja -C build/dev MirageC")


#: Files of the original's package that this one has no other of.
_ORIGINALS = ("core*.so", "kernel.py", "threadblock.py", "persistent_kernel.py")


def _check_folder(folder: pathlib.Path) -> None:
    """Both packages are called mirage, and an installation of either does not take away the other."""
    found = sorted(path.name for pattern in _ORIGINALS for path in folder.glob(pattern))
    if found:
        raise ImportError(f"expects one package mirage in {folder}, got files of the original Mirage among those of "
                          f"mirage-mlir ({', '.join(found)}): pip uninstall mirage-project, then "
                          "pip install --force-reinstall mirage-mlir")


def _make_missing(path: str, name: str) -> Callable[..., None]:
    def refuse(*_: object) -> None:
        raise MirageError(f"{path} runs programs that were saved, and compiles none: it has no {name}")

    return refuse


def _find_function(library: ctypes.CDLL, path: str, name: str) -> Any:
    function = getattr(library, name, None)
    if function is None and hasattr(library, "mirageContextCreate"):
        raise ImportError(f"expects {name} in {path}, as Mirage {__version__} has it, got a library without: build it "
                          "anew")
    return function or _make_missing(path, name)  # in libMirageRuntimeC.so, which is small


def _check_version(library: ctypes.CDLL, path: str) -> None:
    get_version = getattr(library, "mirageGetVersion", None)
    if get_version is None:
        raise ImportError(f"expects Mirage's library, got one without mirageGetVersion: {path}")
    get_version.restype = c_char_p
    found = get_version().decode()
    if found != __version__:
        raise ImportError(f"expects a library of Mirage {__version__}, which the package in "
                          f"{pathlib.Path(__file__).parent} is of, got one of {found}: {path}")


def _load() -> "tuple[Any, Any]":
    """The library's functions. libMirageRuntimeC.so, which is small, has those that run programs."""
    _check_folder(pathlib.Path(__file__).parent)
    path = _find_library()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"{path} cannot be loaded: {error}") from None
    _check_version(library, path)
    functions = types.SimpleNamespace()
    for name, (result, arguments) in _PROTOTYPES.items():
        function = _find_function(library, path, name)
        function.restype, function.argtypes = result, arguments
        setattr(functions, name, function)
    # Taken from the library anew, it is another object: one that converts nothing. It takes pointers as
    # c_void_p and arrays of addresses as bytes, and costs half of what mirageProgramEnqueue does.
    return functions, library["mirageProgramEnqueue"]


lib, enqueue = _load()


def last_error() -> str:
    return lib.mirageGetLastError().decode()


def version() -> str:
    return __version__


def check_graph(status: int) -> None:
    if status != SUCCESS:
        raise GraphError(last_error())


def check_run(status: int) -> None:
    if status != SUCCESS:
        raise RunError(last_error())


def make_internal_error(message: str, program: bytes, diagnostics: Sequence[Diagnostic] = ()) -> InternalError:
    """Of a program that is kept in a file, for a bug report."""
    with tempfile.NamedTemporaryFile("wb", prefix="mirage-fault-", suffix=".mlir", delete=False) as file:
        file.write(f"// {' '.join(message.split())}\n".encode() + program)
    return InternalError(f"{message} (a fault of Mirage's own; please report it with {file.name})", file.name,
                         diagnostics)


def take_text(text: Text) -> bytes:
    """The bytes, which are given back to the library."""
    try:
        return ctypes.string_at(text.data, text.size) if text.data else b""
    finally:
        lib.mirageTextFree(byref(text))


def int64s(values: Optional[Sequence[int]]):
    return None if values is None else (c_int64 * len(values))(*values)


def ints(values: Sequence[int]):
    return (c_int * len(values))(*values)


def uint32s(values: Sequence[int]):
    return (c_uint32 * len(values))(*values)


def _give_back(process: int, destroy: Callable[[c_void_p], None], pointer: c_void_p, *needs: object) -> None:
    if process == os.getpid():  # what a forked child has is its parent's
        destroy(pointer)


class Handle:
    """What the library made and gets back, before those that it needs."""

    def __init__(self, pointer: c_void_p, destroy: Callable[[c_void_p], None], *needs: "Handle"):
        self.pointer = pointer
        # A garbage collector that finds all of them at once takes them in any order; what a finalizer
        # has got lives until it has run.
        self._finalizer = weakref.finalize(self, _give_back, os.getpid(), destroy, pointer, *needs)
        # Threads that nobody joins may be in the library when the process ends, which gives back all by itself.
        self._finalizer.atexit = False

    @property
    def _as_parameter_(self):
        return self.pointer


#: Of calls that are in the compiler: their processes, as a forked child has no threads of its parent's, and
#: their contexts.
_calls: List[Tuple[int, "Context"]] = []
_is_ending = False
_PATIENCE_S = 30  #: at the end of the process; a search that is cancelled ends in seconds, as compiling does


def _end_calls() -> None:
    """At exit. Threads that nobody joins may be in calls, under which the process must not end: the library's
    own data go then, and the interpreter, which is told of diagnostics and progress."""
    global _is_ending
    _is_ending = True
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        left = [context for process, context in tuple(_calls) if process == os.getpid()]
        if not left:
            break
        for context in left:
            context.cancel()
        time.sleep(0.01)


atexit.register(_end_calls)


@contextlib.contextmanager
def _in_call(context: "Context") -> Iterator[None]:
    """Once the process ends, only its main thread begins calls. Others wait there until they are gone, as they
    would in the interpreter."""
    entry = (os.getpid(), context)
    _calls.append(entry)  # and then look, as who ends the process does both in the other order
    try:
        if _is_ending and threading.current_thread() is not threading.main_thread():
            _calls.remove(entry)
            threading.Event().wait()
        yield
    finally:
        _calls.remove(entry)


_SEVERITIES = ("note", "warning", "error", "remark")


def _convert(diagnostic: CDiagnostic) -> Diagnostic:
    notes = tuple(_convert(diagnostic.notes[i]) for i in range(diagnostic.num_notes))
    return Diagnostic(_SEVERITIES[diagnostic.severity], diagnostic.message.decode(errors="replace"),
                      diagnostic.file.decode(errors="replace"), diagnostic.line, diagnostic.column, notes)


class Context:
    """A context of the compiler, and what it says during a call."""

    def __init__(self, threads: int = 0):
        pointer = c_void_p()
        if lib.mirageContextCreate(threads, byref(pointer)) != SUCCESS:
            raise MirageError(last_error())
        self.handle = Handle(pointer, lib.mirageContextDestroy)
        self.diagnostics: List[Diagnostic] = []
        self._raised: List[BaseException] = []  # by who is told of progress
        self._signalled: List[BaseException] = []  # by a signal, while a diagnostic was taken
        self._is_abandoned = False
        # Handlers are functions, not methods, which would keep the context alive.
        diagnostics, signalled = self.diagnostics, self._signalled

        def handle(diagnostic, _):
            try:
                diagnostics.append(_convert(diagnostic.contents))
            except BaseException as error:  # it must not pass through C
                signalled.append(error)

        self._diagnostic_handler = DIAGNOSTIC_HANDLER(handle)
        lib.mirageContextSetDiagnosticHandler(pointer, self._diagnostic_handler, None)

    def call(self, function: Callable[..., int], *arguments: Any) -> None:
        """Calls the library, and raises what it came to; warnings stay in `diagnostics`."""
        self._signalled.clear()
        with _in_call(self):
            status = function(*arguments)
        if self._signalled:
            raise self._signalled.pop()
        if status == INTERNAL_ERROR:
            message, text = last_error(), Text()
            check_run(lib.mirageContextGetReproducer(self.handle.pointer, byref(text)))
            raise make_internal_error(message, take_text(text), self.diagnostics)
        if status != SUCCESS:
            raise CompileError(last_error(), self.diagnostics)

    def cancel(self) -> None:
        lib.mirageContextCancelSearches(self.handle.pointer)

    def watch(self, on_progress: Optional[Callable[[str, CProgress], None]]) -> None:
        """Tells a function how far searches are. What it raises ends them; `reraise` has it then."""
        if self._is_abandoned:  # the library may be about to call the handler that is there
            return
        self._raised.clear()
        if on_progress is None:
            self._progress_handler = PROGRESS_HANDLER()
        else:
            raised, pointer = self._raised, self.handle.pointer  # and not this object, which holds the handler

            def handle(function, progress, _):
                try:
                    if not raised:
                        on_progress(function.decode(), progress.contents)
                except BaseException as error:  # it must not pass through C
                    raised.append(error)
                if raised:
                    lib.mirageContextCancelSearches(pointer)

            self._progress_handler = PROGRESS_HANDLER(handle)
        lib.mirageContextSetProgressHandler(self.handle.pointer, self._progress_handler, None)

    def abandon(self) -> None:
        """Nobody waits for the call that runs: it is to end, and tells nobody how far it is."""
        self._is_abandoned = True
        self._raised.append(KeyboardInterrupt())
        self.cancel()

    def reraise(self) -> None:
        if self._raised:
            raise self._raised.pop()


class Module:
    """A module of MLIR."""

    def __init__(self, context: Context, pointer: c_void_p):
        self.context = context
        self.handle = Handle(pointer, lib.mirageModuleDestroy, context.handle)

    @classmethod
    def parse(cls, context: Context, text: "str | bytes", name: str = "-") -> "Module":
        data = to_text("a module in UTF-8", text, CompileError) if isinstance(text, str) else text
        pointer = c_void_p()
        context.diagnostics.clear()
        context.call(lib.mirageModuleParse, context.handle, data, len(data), name.encode(errors="replace"),
                     byref(pointer))
        return cls(context, pointer)

    def clone(self) -> "Module":
        pointer = c_void_p()
        self.context.call(lib.mirageModuleClone, self.handle, byref(pointer))
        return Module(self.context, pointer)

    def print(self, form: int = TEXT) -> bytes:
        text = Text()
        self.context.call(lib.mirageModulePrint, self.handle, form, byref(text))
        return take_text(text)

    def run(self, pipeline: str) -> None:
        self.context.diagnostics.clear()
        self.context.call(lib.mirageModuleRunPipeline, self.handle, to_text("a pipeline", pipeline, CompileError))

    def run_with_options(self, function, options: "dict[str, object]") -> bytes:
        """mirageModuleSuperoptimize or mirageModuleCompile. Returns the report."""
        pairs = (Option * len(options))(*[Option(name.encode(), write_option(name, value)) for name, value in options.items()])
        text = Text()
        self.context.diagnostics.clear()
        self.context.call(function, self.handle, pairs, len(options), byref(text))
        return take_text(text)


def write_option(name: str, value: object) -> bytes:
    """A value of an option of the compiler as its text."""
    if isinstance(value, bool):
        return b"true" if value else b"false"
    what = f"{name} as text without zeros"
    try:
        text = str(value)
    except Exception:  # of foreign types, whatever it may be
        raise CompileError(f"expects {what}, got {show(value)}") from None
    return to_text(what, text, CompileError)
