"""From a graph to a faster one: options of the search, and its result."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import logging
import math
import os
import re
import shutil
import time
from ctypes import byref, c_int
from typing import Any, Callable, Collection, Dict, Iterable, List, NamedTuple, Optional, Tuple

from . import _library
from ._library import BYTECODE, Context, Module, lib
from .arguments import is_number, show, to_choice, to_flag, to_integer, to_path
from .compatibility import (RESTRICTIONS, is_unused, refuse_unknown, suggest, warn, warn_of_restrictions,
                            warn_of_unused)
from .compiler import compile_module, find_tool, log_warnings, own, to_module
from .devices import find_gpu, is_of_target
from .distributed import Workers, check_executor, enumerate_on, find_gpu_on, measure_on
from .errors import CompileError, GraphError, RunError
from .folders import open_scratch
from .graph import KernelGraph
from .programs import OptimizedGraph, SearchResult
from .progress import Interrupts, Progress, SearchProgress

logger = logging.getLogger("mirage")

_PRESETS = ("attention", "mlp", "lora")
_OTHER_BACKENDS = ("triton", "nki")
_EQUAL = 0  #: of MirageVerdict

_gpu = 0


def set_gpu_device_id(device_id: int) -> None:
    """Which GPU candidates are measured on. Programs run where their tensors are."""
    global _gpu
    number = to_integer("the number of a GPU", device_id)
    if number < 0:
        raise GraphError(f"expects the number of a GPU, got {number}")
    _gpu = number


def _default_cache() -> str:
    root = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.environ.get("MIRAGE_CACHE_DIR") or os.path.join(root, "mirage")


#: Arguments, and the options that they stand for.
_SAME = {"config": "preset", "previous_checkpoint": "checkpoint", "search_time_limit_sec": "time_limit_s"}


def list_options() -> List[str]:
    """Those of the search, by the names that the library has for them."""
    names = _library.Text()
    _library.check_run(lib.mirageListSearchOptions(byref(names)))
    return _library.take_text(names).decode().split()


def check_options(options: Iterable[str]) -> None:
    """Raises CompileError where one is none, before anything is done."""
    known = list_options()
    for name in options:
        if name not in known:
            raise CompileError(f"no such option {name}{suggest(name, known)}")


def _check_keywords(given: Dict[str, Any], extra: Collection[str]) -> None:
    """given   arguments that have names of their own
    extra   others, which are options"""
    known = {name.replace("-", "_") for name in list_options()}
    for name in extra:
        if name not in known:
            raise refuse_unknown(name, {*known, *given})
    for name, option in _SAME.items():
        if given[name] is not None and option in extra:
            raise TypeError(f"expects {name} or {option}, which are two names of one option, got both")


def _make_options(config, use_cached_graphs, search_time_limit_sec, previous_checkpoint, seed, threads, target,
                  extra) -> Dict[str, Any]:
    """Those of the search, by their names."""
    to_choice("config", config, (*_PRESETS, None))
    options: Dict[str, Any] = {}
    if config is not None:
        options["preset"] = config
    if use_cached_graphs:
        options["cache"] = _default_cache()
    if search_time_limit_sec is not None:
        if not is_number(search_time_limit_sec) or not 0 < search_time_limit_sec < math.inf:
            raise GraphError(f"expects search_time_limit_sec above 0, got {show(search_time_limit_sec)}")
        options["time-limit-s"] = math.ceil(search_time_limit_sec)
    if previous_checkpoint is not None:
        options["checkpoint"] = str(to_path("the path of a checkpoint as previous_checkpoint", previous_checkpoint))
    for name, value in (("seed", seed), ("threads", threads), ("target", target)):
        if value is not None:
            options[name] = value
    options.update({name.replace("_", "-"): value for name, value in extra.items()})
    for name, instead in (("gpu", "mirage.set_gpu_device_id"), ("keep-candidates", "mirage-opt")):
        if name in options:
            raise GraphError(f"expects {name} by {instead}, got it as an option")
    return options


class Measuring(NamedTuple):
    """Where candidates are measured."""

    runner: Optional[str]  #: mirage-run, which does it on this machine; None: nobody does
    why_not: str  #: where nobody does, else empty


def choose_measuring(measure: Optional[bool], target: Optional[str]) -> Measuring:
    """As `measure` says; None: where there is a GPU that runs code for the target."""
    if measure is not None and not isinstance(measure, bool):
        raise GraphError(f"expects measure of True, False or None, got {show(measure)}")
    if measure is False:
        return Measuring(None, "measure=False")
    if measure is None and find_gpu(_gpu) is None:
        return Measuring(None, "no GPU")
    if measure is None and target not in (None, "native") and not is_of_target(_gpu, str(target)):
        return Measuring(None, f"no {target} at hand")
    runner = find_tool("mirage-run")
    if runner is None and measure:
        raise CompileError("expects mirage-run beside the library or on the PATH to measure candidates with, got none")
    return Measuring(runner, "" if runner else "no mirage-run at hand")


def search_module(module: Module, options: Dict[str, Any], progress: Progress, measuring: Measuring,
                  interrupts: Interrupts) -> Dict[str, Any]:
    """Superoptimizes the programs of a module, which has the result. On the machine's GPU, if it is to
    measure, the best candidates race, and the fastest that is right is taken. Ctrl-C ends it with the best so
    far. Returns the report, as `report=` of mirage-opt writes it."""
    context = module.context
    options = dict(options)
    if measuring.runner is not None:
        options.update(measure=measuring.runner, gpu=_gpu)
    context.watch(progress)
    try:
        report = interrupts.call(context, lambda: module.run_with_options(lib.mirageModuleSuperoptimize, options))
        with interrupts.kept():
            context.reraise()  # what a callback has raised
    except CompileError:
        context.reraise()
        raise
    finally:
        progress.end()
        context.watch(None)
        log_warnings(context)
    return json.loads(report)


def set_native_target(module: Module) -> None:
    """Makes the GPU that candidates are measured on the target, where there is one."""
    if find_gpu(_gpu) is not None:
        module.run(f"builtin.module(mirage-native-target{{gpu={_gpu}}})")


def _find_time_limit(options: Dict[str, Any]) -> float:
    """In seconds; 0: none, or something else than a number, which the library refuses."""
    try:
        return float(options.get("time-limit-s", 0))
    except (TypeError, ValueError):
        return 0


class _Request(NamedTuple):
    """What was asked of `superoptimize`, checked."""

    options: Dict[str, Any]  #: of the search, by their names
    measuring: Measuring
    executor: Any
    shards: Optional[int]
    may_measure_there: bool  #: by workers
    progress: Progress
    is_formal_verified: bool
    target: Optional[str]
    codes: Optional[str]  #: the folder where the code is to be left


def _use_workers(request: _Request, module: Module, scratch: str, interrupts: Interrupts) -> None:
    """Has workers do what can be done apart: the options then say where it is what they have found."""
    workers = Workers(request.executor, request.shards, interrupts.check, request.progress.tell_of_shards)
    options = request.options
    options.setdefault("checkpoint", os.path.join(scratch, "checkpoint"))
    started = time.monotonic()
    with interrupts.kept():
        try:
            enumerate_on(workers, module.print(BYTECODE), options, options["checkpoint"])
        finally:
            request.progress.end()
        limit = _find_time_limit(options)
        if 0 < limit < math.inf:  # is for all of it
            options["time-limit-s"] = max(1, math.ceil(limit - (time.monotonic() - started)))
        if request.may_measure_there and find_gpu_on(workers):
            _measure(workers, module, options, scratch, interrupts)
    if interrupts.heard:
        options["time-limit-s"] = 1  # for what is there


def _measure(workers: Workers, module: Module, options: Dict[str, Any], scratch: str, interrupts: Interrupts) -> None:
    """Has a worker measure the best."""
    bundle, times = os.path.join(scratch, "bundle"), os.path.join(scratch, "times.jsonl")
    candidates = module.clone()
    given = {**options, "to": "search", "bundle": bundle}
    interrupts.call(module.context, lambda: candidates.run_with_options(lib.mirageModuleCompile, given))
    interrupts.check()
    if measure_on(workers, bundle, times):
        options["times"] = times


def _search(graph: KernelGraph, request: _Request) -> OptimizedGraph:
    started = time.monotonic()
    module = to_module(graph, Context())
    if request.target is None:
        set_native_target(module)
    before, measuring = module.clone(), request.measuring
    with Interrupts() as interrupts, open_scratch() as scratch:
        if request.executor is not None:
            _use_workers(request, module, scratch, interrupts)
        if interrupts.heard:
            measuring = Measuring(None, "interrupted")
        report = search_module(module, request.options, request.progress, measuring, interrupts)
        why_not = "interrupted" if interrupts.heard else measuring.why_not
        result = _read_result(report, why_not, time.monotonic() - started)
        optimized = interrupts.call(module.context, lambda: _make_program(before, module, result, request))
        if why_not == "interrupted":
            logger.warning("interrupted: the best so far, %s", optimized.result)
        return optimized


def _make_program(before: Module, module: Module, result: SearchResult, request: _Request) -> OptimizedGraph:
    """Compiles what was found, or the program as it was written, where that is not proved and is to be."""
    if request.is_formal_verified and result.improved and not _is_proved(before, module):
        module, result = before, _leave(result, "the best is not proved by canonical forms")
    folder = compile_module(module, **({"target": request.target} if request.target else {}))
    if request.codes is not None:
        shutil.copytree(os.path.join(folder, "artifact"), request.codes, dirs_exist_ok=True)
    return own(OptimizedGraph(folder, result, before.print().decode()), folder)


def check_helpers(executor: Any, shards: Optional[int], on_progress: Any) -> None:
    """Who helps with a search, and who is told of it."""
    if executor is not None:
        check_executor(executor, shards)
    elif shards is not None:
        raise GraphError(f"expects an executor where there are shards, got shards={show(shards)} alone")
    if on_progress is not None and not callable(on_progress):
        raise GraphError(f"expects on_progress to be a function, got {show(on_progress)}")


def superoptimize(graph: KernelGraph, *, config: Optional[str] = None, imaps: Any = None, omaps: Any = None,
                  griddims: Any = None, blockdims: Any = None, fmaps: Any = None, franges: Any = None,
                  verbose: bool = False, backend: str = "cuda", warmup_iters: Optional[int] = None,
                  profile_iters: Optional[int] = None, use_cached_graphs: bool = False, use_graph_dataset: bool = False,
                  is_formal_verified: bool = False, use_symbolic_search: bool = True,
                  search_time_limit_sec: Optional[float] = None, save_codes: bool = False,
                  previous_checkpoint: Optional[str] = None, seed: Optional[int] = None,
                  threads: Optional[int] = None, target: Optional[str] = None, measure: Optional[bool] = None,
                  executor: Any = None, shards: Optional[int] = None,
                  on_progress: Optional[Callable[[SearchProgress], None]] = None, **extra: Any) -> OptimizedGraph:
    """Searches for an equal program that is faster, and compiles the best.

    The result is always a program to call; `result.improved` says whether it is another one than was
    written. Ctrl-C ends the search with the best that it has found, which is still compiled; a second one is
    raised.

    config                 limits for a kind of program: "attention", "mlp" or "lora"
    use_cached_graphs      keep results on disk, and take what is there (~/.cache/mirage)
    search_time_limit_sec  the search's own time, in whole seconds, rounded up; its result may then
                           depend on the machine
    is_formal_verified     take nothing that is not proved by canonical forms
    previous_checkpoint    file of a search that was stopped, to go on from; the search goes on writing it, and
                           makes one that is not there. As an option, it is checkpoint
    save_codes             leave the code in generated_codes/
    measure                measure the best, and the program as it was written, on a GPU and take the
                           fastest that is right; None: where there is a GPU
    executor, shards       workers that enumerate a part of the search each: any executor of
                           concurrent.futures, Dask's Client.get_executor(), mpi4py.futures, Ray by an
                           adapter (docs/Search.md, "Workers"); as many shards as it has workers, if
                           that is known. The result is the same, also where a worker is lost. Where
                           this machine has no GPU, and a worker has one, that measures
    target                 "sm_90a", "sm_80", ...; None: the GPU of this machine, or sm_90a
    seed                   of all random inputs that programs are tested with; the same seed, the same result
    threads                of the search; None: one for each core. The result does not depend on them
    verbose                log how far it is each second instead of every five, and what it came to
    on_progress            a function that is told of a `SearchProgress` about twice a second, in a thread
                           of the search, and of the shards that workers have finished. What it raises
                           ends the search and is raised here, but a KeyboardInterrupt ends it as Ctrl-C
                           does

    Others are options of the search by their names (docs/Search.md): max_states=100000. What is neither raises
    TypeError, which says what has a name like it."""
    arguments = dict(locals())
    del arguments["extra"]
    if not isinstance(graph, KernelGraph):
        raise GraphError(f"expects a kernel graph, got {show(graph)}")
    if not isinstance(backend, str) or backend != "cuda":
        why = ": Mirage makes PTX itself and needs no other compiler" if show(backend)[1:-1] in _OTHER_BACKENDS else ""
        raise GraphError(f'expects backend="cuda", got {show(backend)}{why}')
    verbose, save_codes = to_flag("verbose", verbose), to_flag("save_codes", save_codes)
    is_formal_verified = to_flag("is_formal_verified", is_formal_verified)
    use_cached_graphs = to_flag("use_cached_graphs", use_cached_graphs) or to_flag("use_graph_dataset", use_graph_dataset)
    given = dict(zip(RESTRICTIONS, (imaps, omaps, griddims, blockdims, fmaps, franges, warmup_iters, profile_iters)))
    warn_of_restrictions(name for name, value in given.items() if value is not None)
    if not to_flag("use_symbolic_search", use_symbolic_search, default=True):
        warn("use_symbolic_search=False: no effect, sizes are symbolic in all searches")
    unused = [name for name in extra if is_unused(name)]
    warn_of_unused(unused)
    others = {name: value for name, value in extra.items() if name not in unused and value is not None}
    _check_keywords(arguments, others)
    options = _make_options(config, use_cached_graphs, search_time_limit_sec,
                            previous_checkpoint, seed, threads, target, others)
    check_helpers(executor, shards, on_progress)
    measuring = choose_measuring(measure, target)
    codes = _make_code_folder() if save_codes else None
    optimized = _search(graph, _Request(
        options, measuring, executor, shards, may_measure_there=measure is None and measuring.runner is None,
        progress=Progress(verbose, on_progress), is_formal_verified=is_formal_verified, target=target, codes=codes))
    if verbose:
        logger.info("%s", optimized.result)
    return optimized


def _read_result(report: Dict[str, Any], why_not_measured: str, seconds: float) -> SearchResult:
    entry = report["graphs"][0]
    search = entry["search"]
    measured = entry.get("measuredUs"), entry.get("measuredBaselineUs")
    if not entry["replaced"]:
        measured = measured[1], measured[1]
    is_measured = measured[0] is not None
    return SearchResult(
        improved=bool(entry["replaced"]), why=entry.get("whyNot") or entry["stopReason"],
        predicted_us=entry.get("predictedUs") or search.get("baselineUs") or None,
        baseline_us=search.get("baselineUs") or None, limit_us=search.get("limitUs") or None,
        measured_us=measured[0], measured_baseline_us=measured[1],
        ranked_by="measured" if is_measured else "predicted",
        why_not_measured="" if is_measured else why_not_measured or "it failed",
        seconds=seconds, stop_reason=entry["stopReason"], report=report)


#: Of a graph's report, what describes the program that takes its place.
_OF_THE_BEST = ("kernels", "sizes", "predictedUs", "measuredUs", "smallSizes", "fullSize")


def _leave(result: SearchResult, why: str) -> SearchResult:
    """Of the program as it was written, in the place of what was found."""
    entry = {name: value for name, value in result.report["graphs"][0].items() if name not in _OF_THE_BEST}
    report = {**result.report, "graphs": [{**entry, "replaced": False, "whyNot": why}]}
    return dataclasses.replace(result, improved=False, why=why, predicted_us=result.baseline_us,
                               measured_us=result.measured_baseline_us, report=report)


def _is_proved(before: Module, after: Module) -> bool:
    """Whether canonical forms say that two modules are equal."""
    options = _library.VerifyOptions(exact=1)
    verdict = c_int()
    before.context.call(lib.mirageModulesVerify, before.handle, after.handle, byref(options), byref(verdict), None)
    return verdict.value == _EQUAL


def _make_code_folder() -> str:
    """Where the code is to be left, which is made: an error now, and not after the search. Other searches may look
    for theirs at the same time."""
    try:
        root = os.path.abspath("generated_codes")
        os.makedirs(root, exist_ok=True)
        taken = [int(name) for name in os.listdir(root) if re.fullmatch(r"\d+", name)]
        for number in itertools.count(max(taken, default=-1) + 1):
            with contextlib.suppress(FileExistsError):
                os.mkdir(os.path.join(root, str(number)))
                return os.path.join(root, str(number))
    except OSError as error:
        raise RunError(f"expects a place for generated_codes in the current folder, got {error}") from None
    raise AssertionError("there is always a next number")
