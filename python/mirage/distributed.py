"""Searches on many machines: each worker enumerates a part, and one machine goes on from all of them."""

from __future__ import annotations

import concurrent.futures
import contextlib
import logging
import os
import pathlib
import subprocess
import time
from ctypes import byref, c_char_p, c_uint64
from typing import Any, Callable, Dict, NamedTuple, Optional

from . import _library
from ._library import Context, Module, lib
from .arguments import show, to_integer
from .compiler import find_tool
from .errors import CompileError, GraphError, RunError
from .devices import find_gpu
from .folders import find_machine, is_abandoned, open_scratch
from .progress import call_interruptibly

logger = logging.getLogger("mirage")

#: Options that are about one process, or about what the last search does with what was found.
_OF_ONE_PROCESS = ("cache", "checkpoint", "gpu", "measure", "report", "shard", "times")


#: More of them tell more than they enumerate.
_MOST_SHARDS = 1024

#: In the place of what a worker would have said.
_LOST: Any = object()

#: How often it is looked, in seconds, whether a worker has answered.
_INTERVAL = 0.05


class Workers(NamedTuple):
    """Those of an executor."""

    executor: Any
    shards: Optional[int]  #: that a search is cut into; None: as many as there are workers, if that is known
    look: Callable[[], None]  #: called while they are waited for; what it raises ends that
    tell: Callable[[int, int], None]  #: likewise while they enumerate: how many shards have finished, of how many


class Waiting(NamedTuple):
    """Says workers on the same machine whether somebody waits for them: as long as a folder is there."""

    folder: str
    machine: str
    places: Any  #: which folder of all containers' its parent is

    @classmethod
    def begin(cls, folder: str) -> "Waiting":
        return cls(folder, find_machine(), _identify(os.path.dirname(os.path.dirname(folder))))

    def is_seen(self) -> bool:
        """Whether this is the same machine, with the same folders."""
        parent = os.path.dirname(os.path.dirname(self.folder))
        return self.machine == find_machine() != "" and self.places == _identify(parent) is not None

    def is_over(self) -> bool:
        return is_abandoned(self.folder)


def _identify(folder: str) -> Any:
    try:
        status = os.stat(folder)
        return status.st_dev, status.st_ino
    except OSError:
        return None


def _end_with(waiting: Waiting, context: Context) -> None:
    """Has the context's searches end when nobody waits for them any more."""
    pointer = context.handle.pointer  # and not the context, which holds the function

    def look(*_: object) -> None:
        if waiting.is_over():
            lib.mirageContextCancelSearches(pointer)

    if waiting.is_seen():
        context.watch(look)


def run_shard(program: bytes, options: Dict[str, Any], waiting: Waiting, shard: str) -> "bytes | CompileError":
    """In a worker: enumerates a part, "1/4", of a program's search, and returns the checkpoint. A signal
    that ends the search, as Ctrl-C sends it to all processes of a terminal, leaves what it has; and so does
    the end of waiting. A program or options that are wrong are so for all workers: that error is returned, as
    executors make others of those that are raised (Ray one whose text is a traceback), or log them."""
    try:
        return _run_shard(program, options, waiting, shard)
    except CompileError as error:
        return error


def _run_shard(program: bytes, options: Dict[str, Any], waiting: Waiting, shard: str) -> bytes:
    with open_scratch() as folder:
        checkpoint = os.path.join(folder, "checkpoint")
        module = Module.parse(Context(), program)
        _end_with(waiting, module.context)
        given = {**options, "checkpoint": checkpoint}
        if shard != "0/1":  # which is all of it
            given["shard"] = shard
        call_interruptibly(module.context, lambda: module.run_with_options(lib.mirageModuleSuperoptimize, given))
        return pathlib.Path(checkpoint).read_bytes()


def measure_bundle(files: Dict[str, bytes]) -> Optional[bytes]:
    """In a worker with a GPU: measures the candidates of a bundle. Returns their times; none where there
    is no GPU, or where it failed."""
    runner = find_tool("mirage-run")
    if runner is None or find_gpu() is None:
        return None
    with open_scratch() as folder:
        for name, data in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        done = subprocess.run([runner, folder, "--measure"], capture_output=True, encoding="utf-8")
        times = pathlib.Path(folder, "times.jsonl")
        if not times.exists():
            logger.warning("candidates could not be measured: %s", (done.stderr or done.stdout).strip())
            return None
        return times.read_bytes()


def _count_workers(executor: Any) -> int:
    """As many shards as workers that are known of; a few where none are."""
    known = getattr(executor, "_max_workers", None)
    return min(known, _MOST_SHARDS) if isinstance(known, int) and known > 0 else 4


def check_executor(executor: Any, shards: Optional[int]) -> int:
    """How many shards there are to be."""
    if isinstance(executor, type) or not hasattr(executor, "submit"):
        raise GraphError(f"expects an executor of concurrent.futures, or one with its submit, got {show(executor)}")
    if shards is None:
        return _count_workers(executor)
    count = to_integer("shards", shards)
    if not 1 <= count <= _MOST_SHARDS:
        raise GraphError(f"expects shards of 1 to {_MOST_SHARDS}, got {count}")
    return count


def _share_cores(executor: Any, options: Dict[str, Any], shards: int) -> Dict[str, Any]:
    """Workers of one machine share its cores; of others nobody knows how they are spread."""
    if isinstance(executor, (concurrent.futures.ProcessPoolExecutor, concurrent.futures.ThreadPoolExecutor)):
        return {"threads": max(1, (os.cpu_count() or 1) // min(shards, _count_workers(executor))), **options}
    return options


def _submit(executor: Any, function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        future = executor.submit(function, *arguments)
    except Exception as error:  # each has its own
        raise RunError(f"expects an executor that takes work, got {type(error).__name__}: {error}") from error
    if not all(callable(getattr(future, name, None)) for name in ("cancel", "done", "result")):
        raise GraphError("expects an executor whose submit() returns a future, as those of concurrent.futures do, with "
                         f"cancel(), done() and result(), got {show(future)}")
    return future


def _is_done(future: Any) -> bool:
    """One that cannot say so is asked for its result, which says what is wrong."""
    try:
        return bool(future.done())
    except Exception:  # of whoever's class it is
        return True


def _wait_for(future: Any, look: Callable[[], None]) -> None:
    """Who asks for a result does not hear of Ctrl-C, which is kept."""
    while not _is_done(future):
        look()
        time.sleep(_INTERVAL)


def enumerate_on(workers: Workers, program: bytes, options: Dict[str, Any], output: str) -> int:
    """Has workers enumerate a search, and writes a checkpoint of all that they did. What a worker that
    was lost has not done, the search that goes on from there does. Ctrl-C leaves what has come by then.

    Returns how many shards there are in it."""
    executor, count = workers.executor, check_executor(workers.executor, workers.shards)
    checkpoint = _Checkpoint(output)
    given = {name: value for name, value in options.items() if name not in _OF_ONE_PROCESS}
    given = _share_cores(executor, given, count)
    with open_scratch() as folder:
        waiting = Waiting.begin(folder)
        futures = [_submit(executor, run_shard, program, given, waiting, f"{number}/{count}")
                   for number in range(count)]
        left = list(enumerate(futures))

        def look() -> None:
            workers.look()
            workers.tell(sum(map(_is_done, futures)), count)

        try:
            while left:
                _wait_for(left[0][1], look)
                checkpoint.take(*left[0])
                left.pop(0)
            look()
        except KeyboardInterrupt:  # others may have come before the one that was waited for
            for number, future in left:
                if _is_done(future):
                    checkpoint.take(number, future)
            raise
        finally:  # those that run see that the folder is gone
            for future in futures:
                with contextlib.suppress(Exception):  # of whoever's class it is
                    future.cancel()
    if checkpoint.num_shards and not checkpoint.num_records.value:
        logger.info("the workers had nothing to enumerate: the program is too large for one search, or so small that "
                    "it takes less time than to tell of it")
    return checkpoint.num_shards


class _Checkpoint:
    """A file of what shards have done."""

    def __init__(self, path: str):
        self.path = path
        self.num_shards, self.num_records = 0, c_uint64()

    def take(self, number: int, future: Any) -> None:
        """Adds what a worker sends, when it does; what is none is lost, with a warning."""
        shard = _ask(future, f"shard {number}")
        if isinstance(shard, CompileError):
            raise shard
        if shard is not _LOST:
            self.num_shards += self._merge(shard, number)

    def _merge(self, shard: Any, number: int) -> bool:
        with open_scratch() as folder:
            path = pathlib.Path(folder, "shard")
            try:
                path.write_bytes(shard)
            except TypeError:
                logger.warning("shard %d was lost: expects its checkpoint, got %s", number, type(shard).__name__)
                return False
            parts = (c_char_p * 1)(os.fsencode(path))
            status = lib.mirageCheckpointsMerge(os.fsencode(self.path), parts, 1, byref(self.num_records))
            if status != _library.SUCCESS:
                logger.warning("shard %d was lost: %s", number, _library.last_error())
                return False
        return True


def find_gpu_on(workers: Workers) -> bool:
    """Whether a worker has a GPU, of those that answer as many questions as there are shards. None of a
    pool that takes no work any more, as where workers die."""
    try:
        futures = [_submit(workers.executor, find_gpu) for _ in range(check_executor(workers.executor, workers.shards))]
    except RunError as error:
        logger.warning("no worker measures: %s", error)
        return False
    for future in futures:
        _wait_for(future, workers.look)
    return any(isinstance(_ask(future), str) for future in futures)


def measure_on(workers: Workers, bundle: str, output: str) -> bool:
    """Has a worker with a GPU measure a bundle, and writes its times into a file. Nobody can say to an
    executor which worker it is to be: several are asked, one after the other. Returns whether one did."""
    root = pathlib.Path(bundle)
    files = {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    for _ in range(check_executor(workers.executor, workers.shards)):
        future = _submit(workers.executor, measure_bundle, files)
        _wait_for(future, workers.look)
        times = _ask(future)
        if isinstance(times, bytes):
            pathlib.Path(output).write_bytes(times)
            return True
    return False


def _ask(future: Any, what: str = "a worker") -> Any:
    """What a worker has to say, or _LOST."""
    try:
        return future.result()
    except (Exception, concurrent.futures.CancelledError) as error:
        logger.warning("%s was lost: %s", what, error or type(error).__name__)
        return _LOST
