"""From a graph to a faster one: options of the search, and its result."""

from __future__ import annotations

import concurrent.futures
import json
import logging
import math
import numbers
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from ctypes import byref, c_void_p
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import _library
from ._library import BYTECODE, Context, Module, lib
from .distributed import enumerate_on
from .errors import CompileError, GraphError, InternalError
from .graph import KernelGraph
from .programs import (CompiledGraph, OptimizedGraph, SearchResult, _warn_of_unused, _warned, find_gpu,
                       make_folder)

logger = logging.getLogger("mirage")

_PRESETS = ("attention", "mlp", "lora")
_OTHER_BACKENDS = ("triton", "nki")


def _default_cache() -> str:
    root = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.environ.get("MIRAGE_CACHE_DIR") or os.path.join(root, "mirage")


def to_module(graph: KernelGraph, context: Context, name: str = "main") -> Module:
    pointer = c_void_p()
    _library.check_graph(lib.mirageModuleFromGraph(context.handle, graph._handle, name.encode(), byref(pointer)))
    return Module(context, pointer)


def from_mlir(text: "str | bytes", function: Optional[str] = None) -> KernelGraph:
    """The program that a function of a module of MLIR is: linalg on tensors, or a µGraph.

    function   its name; None: the only one"""
    if not isinstance(text, (str, bytes)):
        raise GraphError(f"expects a module of MLIR as text or bytecode, got {type(text).__name__}")
    module = Module.parse(Context(1), text, "<mlir>")
    module.context.diagnostics.clear()
    pointer = c_void_p()
    name = None if function is None else function.encode()
    module.context.check(lib.mirageModuleGetGraph(module.handle, name, byref(pointer)))
    return KernelGraph._adopt(pointer)


def compile_module(module: Module, from_phase: str, **options: Any) -> Tuple[str, str]:
    """The folder of the artifact, and the µGraph as text."""
    folder = make_folder()
    text = module.print().decode()
    artifact = os.path.join(folder, "artifact")
    try:
        module.clone().run_with_options(lib.mirageModuleCompile,
                                        {"from": from_phase, "artifact": artifact, **options})
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    if not os.path.exists(os.path.join(artifact, "manifest.json")):
        raise InternalError("the compiler wrote no artifact and did not say why", _write_reproducer(text))
    return folder, text


def _write_reproducer(text: str) -> str:
    with tempfile.NamedTemporaryFile("w", prefix="mirage-", suffix=".mlir", delete=False) as file:
        file.write(text)
    return file.name


def compile_graph(graph: KernelGraph) -> CompiledGraph:
    """As it is written, each operator a kernel."""
    folder, text = compile_module(to_module(graph, Context()), "optimize")
    return _own(CompiledGraph(os.path.join(folder, "artifact"), text), folder)


def _own(compiled: CompiledGraph, folder: str) -> Any:
    """Has a folder go when the program does, in the process that made it."""
    compiled._finalizer = weakref.finalize(compiled, _remove, folder, os.getpid())
    return compiled


def _remove(folder: str, pid: int) -> None:
    if os.getpid() == pid:
        shutil.rmtree(folder, ignore_errors=True)


def call_interruptibly(context: Context, call: Callable[[], Any]) -> Tuple[Any, bool]:
    """Makes a call of the library in a thread of its own, so that Ctrl-C reaches this one: it ends
    searches, whose best is the result. Returns whether it did. A second one is not held back."""
    if threading.current_thread() is not threading.main_thread():
        return call(), False
    interrupted = False
    with concurrent.futures.ThreadPoolExecutor(max_workers=1) as pool:
        future = pool.submit(call)
        while True:
            try:
                return future.result(), interrupted
            except KeyboardInterrupt:
                if future.done() or interrupted:
                    raise
                interrupted = True
                context.cancel()


class _Progress:
    """Says how far a search is: a bar of tqdm's on a terminal, else lines of the logger "mirage"."""

    def __init__(self, verbose: bool, on_progress: Optional[Callable[[Any], None]]):
        self.interval = 1 if verbose else 5  # seconds from line to line
        self.on_progress = on_progress
        self.logged_at = time.monotonic()
        self.bar: Any = None
        self.make_bar = self._find_bar()

    @staticmethod
    def _find_bar() -> Any:
        if sys.stderr is None or not sys.stderr.isatty():
            return None
        try:
            from tqdm import tqdm
        except ImportError:
            return None
        return tqdm

    def __call__(self, function: str, now: Any) -> None:
        if self.on_progress is not None:
            self.on_progress(now)
        if self.make_bar is not None:
            if self.bar is None:
                self.bar = self.make_bar(desc="mirage", file=sys.stderr, leave=False, dynamic_ncols=True,
                                         bar_format="{desc}: {percentage:3.0f}%|{bar:20}| {elapsed}{postfix}")
            self.bar.total, self.bar.n = ((now.num_parts, now.part) if now.num_parts
                                          else (now.max_states or None, now.walk_states))
            self.bar.set_postfix_str(self._describe(now))
        elif time.monotonic() - self.logged_at >= self.interval:
            self.logged_at = time.monotonic()
            share = f"part {now.part} of {now.num_parts}" if now.num_parts else (
                f"{100 * now.walk_states / now.max_states:.0f}% of states" if now.max_states else "")
            logger.info("%s", f"mirage: {now.seconds:.1f} s, {self._describe(now)}, {share}")

    @staticmethod
    def _describe(now: Any) -> str:
        return (f"{now.states} states, {now.structures} structures, "
                f"{now.best_us:.2f} of {now.baseline_us:.2f} us")

    def end(self) -> None:
        if self.bar is not None:
            self.bar.close()


def _options(config, use_cached_graphs, use_graph_dataset, search_time_limit_sec, previous_checkpoint, seed, threads,
             target, extra) -> Dict[str, Any]:
    if config is not None and config not in _PRESETS:
        raise GraphError(f"expects config of {', '.join(_PRESETS)} or None, got {config!r}")
    options: Dict[str, Any] = {}
    if config is not None:
        options["preset"] = config
    if use_cached_graphs or use_graph_dataset:
        options["cache"] = _default_cache()
    if search_time_limit_sec is not None:
        if not isinstance(search_time_limit_sec, numbers.Real) or not 0 < search_time_limit_sec < math.inf:
            raise GraphError(f"expects search_time_limit_sec above 0, got {search_time_limit_sec!r}")
        options["time-limit-s"] = max(1, round(search_time_limit_sec))
    if previous_checkpoint is not None:
        options["checkpoint"] = os.fspath(previous_checkpoint)
    for name, value in (("seed", seed), ("threads", threads), ("target", target)):
        if value is not None:
            options[name] = value
    options.update({name.replace("_", "-"): value for name, value in extra.items()})
    return options


def _read_result(report: Dict[str, Any], measured: bool, seconds: float) -> SearchResult:
    entry = report["graphs"][0]
    search = entry["search"]
    return SearchResult(
        improved=bool(entry["replaced"]), why=entry.get("whyNot") or entry["stopReason"],
        predicted_us=entry.get("predictedUs") or search.get("baselineUs") or None,
        baseline_us=search.get("baselineUs") or None, limit_us=search.get("limitUs") or None,
        measured_us=entry.get("measuredUs"), ranked_by="measured" if measured else "predicted",
        seconds=seconds, stop_reason=entry["stopReason"], report=report)


def find_tool(name: str) -> Optional[str]:
    """A program of Mirage's: in the package, in a build folder, or on the PATH."""
    library = pathlib.Path(_library._find_library()).resolve()
    for place in (library.parent.parent / "bin" / name,):
        if place.exists():
            return str(place)
    return shutil.which(name)


_gpu = 0


def set_gpu_device_id(device_id: int) -> None:
    """Which GPU candidates are measured on. Programs run where their tensors are."""
    global _gpu
    if isinstance(device_id, bool) or not isinstance(device_id, int) or device_id < 0:
        raise GraphError(f"expects the number of a GPU, got {device_id!r}")
    _gpu = device_id


def _get_environment() -> Dict[str, str]:
    """Of a process that sees one GPU, that which was chosen among those that this process sees."""
    visible = [name for name in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if name]
    chosen = visible[_gpu] if _gpu < len(visible) else str(_gpu)
    return {**os.environ, "CUDA_VISIBLE_DEVICES": chosen}


def _measure(runner: str, bundle: str) -> Optional[str]:
    """Measures candidates on the GPU, the program as it was written among them, each in a process of
    its own that is ended when it says nothing for long. Returns the file of their times."""
    done = subprocess.run([runner, bundle, "--measure"], capture_output=True, text=True, env=_get_environment())
    times = os.path.join(bundle, "times.jsonl")
    if done.returncode != 0 or not os.path.exists(times):
        logger.warning("candidates could not be measured: %s", (done.stderr or done.stdout).strip())
        return None
    return times


def _search(context: Context, module: Module, options: Dict[str, Any]) -> Tuple[Dict[str, Any], bool]:
    """Superoptimizes a module. Returns the report, and whether Ctrl-C ended it."""
    report, interrupted = call_interruptibly(
        context, lambda: module.run_with_options(lib.mirageModuleSuperoptimize, options))
    return json.loads(report), _take_interrupt(context) or interrupted


def _search_and_measure(context: Context, module: Module, options: Dict[str, Any],
                        scratch: str) -> Tuple[Dict[str, Any], bool, bool]:
    """The same with the best candidates measured, of which the fastest that is right is taken. Returns
    whether that was so as well."""
    runner = find_tool("mirage-run")
    if runner is None:
        logger.warning("no mirage-run at hand to measure candidates with: the cost model decides")
        return (*_search(context, module, options), False)
    # What was found once is looked up the second time.
    options = {"cache": os.path.join(scratch, "cache"), **options}
    bundle = os.path.join(scratch, "bundle")
    candidates = module.clone()
    _, interrupted = call_interruptibly(context, lambda: candidates.run_with_options(
        lib.mirageModuleCompile, {**options, "to": "search", "bundle": bundle}))
    interrupted = _take_interrupt(context) or interrupted
    times = None if interrupted else _measure(runner, bundle)
    context.watch(None)
    measured = {} if times is None else {"times": times}
    report, _ = _search(context, module, {**options, **measured})
    return report, interrupted, times is not None


def superoptimize(graph: KernelGraph, *, config: Optional[str] = None, imaps=None, omaps=None, griddims=None,
                  blockdims=None, fmaps=None, franges=None, verbose: bool = False, backend: str = "cuda",
                  warmup_iters: Optional[int] = None, profile_iters: Optional[int] = None,
                  use_cached_graphs: bool = False, use_graph_dataset: bool = False, is_formal_verified: bool = False,
                  use_symbolic_search: bool = True, search_time_limit_sec: Optional[float] = None,
                  save_codes: bool = False, previous_checkpoint: Optional[str] = None, seed: Optional[int] = None,
                  threads: Optional[int] = None, target: Optional[str] = None, measure: Optional[bool] = None,
                  executor: Any = None, shards: Optional[int] = None,
                  on_progress: Optional[Callable[[Any], None]] = None, **extra: Any) -> OptimizedGraph:
    """Searches for an equal program that is faster, and compiles the best.

    The result is always a program to call; `result.improved` says whether it is another one than was
    written. Ctrl-C ends the search with the best that it has found.

    config                 limits for a kind of program: "attention", "mlp" or "lora"
    use_cached_graphs      keep results on disk, and take what is there (~/.cache/mirage)
    search_time_limit_sec  the search's own time; its result may then depend on the machine
    is_formal_verified     take nothing that is not proved by canonical forms
    previous_checkpoint    file of a search that was stopped, to go on from
    save_codes             leave the code in generated_codes/
    measure                measure the best on a GPU and take the fastest that is right; None: where
                           there is a GPU
    executor, shards       workers that enumerate a part of the search each: any executor of
                           concurrent.futures, Dask's Client.get_executor(), mpi4py.futures, ...; as many
                           shards as it has workers, if that is known. The result is the same
    target                 "sm_90a", "sm_80", ...; None: the GPU of this machine, or sm_90a

    Others are options of the search by their names (docs/Search.md): max_states=100000."""
    if not isinstance(graph, KernelGraph):
        raise GraphError(f"expects a kernel graph, got {graph!r}")
    if backend in _OTHER_BACKENDS:
        raise GraphError(f'expects backend="cuda", got {backend!r}: Mirage makes PTX itself and needs no other compiler')
    if backend != "cuda":
        raise GraphError(f'expects backend="cuda", got {backend!r}')
    given = dict(imaps=imaps, omaps=omaps, griddims=griddims, blockdims=blockdims, fmaps=fmaps, franges=franges,
                 warmup_iters=warmup_iters, profile_iters=profile_iters)
    _warn_of_restrictions([name for name, value in given.items() if value is not None])
    for name in list(extra):
        if name in ("num_warp_groups", "pipeline_stages", "profiling", "target_cc"):
            _warn_of_unused(name)
            del extra[name]
    options = _options(config, use_cached_graphs, use_graph_dataset, search_time_limit_sec, previous_checkpoint, seed,
                       threads, target, extra)
    measures = find_gpu(_gpu) is not None if measure is None else measure
    started = time.monotonic()
    context = Context()
    progress = _Progress(verbose, on_progress)
    context.watch(progress)
    module = to_module(graph, context)
    before = module.clone()
    with tempfile.TemporaryDirectory(prefix="mirage-") as scratch:
        try:
            if executor is not None:
                options.setdefault("checkpoint", os.path.join(scratch, "checkpoint"))
                enumerate_on(executor, module.print(BYTECODE), options, shards, options["checkpoint"])
            if measures:
                report, interrupted, measured = _search_and_measure(context, module, options, scratch)
            else:
                report, interrupted = _search(context, module, options)
                measured = False
        except CompileError:
            context.reraise()
            raise
        finally:
            progress.end()
    result = _read_result(report, measured, time.monotonic() - started)
    if is_formal_verified and result.improved:
        _require_proof(before, module)
    if interrupted:
        logger.warning("interrupted: the best so far, %s", result)
    folder, text = compile_module(module, "optimize", **({"target": target} if target else {}))
    if save_codes:
        _save_codes(folder)
    optimized = _own(OptimizedGraph(os.path.join(folder, "artifact"), text, result, before.print().decode()), folder)
    if verbose:
        logger.info("%s", result)
    return optimized


def _take_interrupt(context: Context) -> bool:
    """Whether Ctrl-C ended the search; what else a callback raised goes on."""
    try:
        context.reraise()
    except KeyboardInterrupt:
        return True
    return False


def _warn_of_restrictions(names: List[str]) -> None:
    """Once."""
    names = [name for name in names if name not in _warned]
    if names:
        import warnings

        _warned.update(names)
        warnings.warn(f"{', '.join(names)}: no effect, all maps and sizes are searched", stacklevel=3)


def _require_proof(before: Module, after: Module) -> None:
    import ctypes

    options = _library.VerifyOptions(exact=1)
    verdict = ctypes.c_int()
    before.context.check(lib.mirageModulesVerify(before.handle, after.handle, byref(options), byref(verdict), None))
    if verdict.value != 0:
        raise CompileError("expects a result that is proved equal by canonical forms, got one that trials alone say "
                           "is; without is_formal_verified it is taken")


def _save_codes(folder: str) -> None:
    os.makedirs("generated_codes", exist_ok=True)
    taken = [int(name) for name in os.listdir("generated_codes") if re.fullmatch(r"\d+", name)]
    number = max(taken, default=-1) + 1
    shutil.copytree(os.path.join(folder, "artifact"), os.path.join("generated_codes", str(number)))
