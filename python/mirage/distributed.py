"""Searches on many machines: each worker enumerates a part, and one machine goes on from all of them."""

from __future__ import annotations

import concurrent.futures
import logging
import os
import pathlib
import tempfile
from ctypes import c_char_p
from typing import Any, Dict, List, Optional

from . import _library
from ._library import Context, Module, lib
from .errors import CompileError, GraphError

logger = logging.getLogger("mirage")

#: Options that are about one process, or about what the last search does with what was found.
_OF_ONE_PROCESS = ("cache", "checkpoint", "shard", "times", "report")


def run_shard(program: bytes, options: Dict[str, Any], shard: str) -> bytes:
    """In a worker: enumerates a part, "1/4", of a program's search. Returns its checkpoint."""
    with tempfile.TemporaryDirectory(prefix="mirage-") as folder:
        checkpoint = os.path.join(folder, "checkpoint")
        module = Module.parse(Context(), program)
        module.run_with_options(lib.mirageModuleSuperoptimize, {**options, "shard": shard, "checkpoint": checkpoint})
        return pathlib.Path(checkpoint).read_bytes()


def _count_workers(executor: Any) -> int:
    """As many shards as workers that are known of; a few where none are."""
    return int(getattr(executor, "_max_workers", 0) or 0) or 4


def _submit(executor: Any, program: bytes, options: Dict[str, Any], shards: int) -> List[Any]:
    return [executor.submit(run_shard, program, options, f"{number}/{shards}") for number in range(shards)]


def enumerate_on(executor: Any, program: bytes, options: Dict[str, Any], shards: Optional[int], output: str) -> int:
    """Has workers enumerate a search, and writes a checkpoint of all that they did. What a worker that
    was lost has not done, the search that goes on from there does.

    Returns how many shards there are in it."""
    if not hasattr(executor, "submit"):
        raise GraphError(f"expects an executor of concurrent.futures, or one with its submit, got {executor!r}")
    if shards is not None and (isinstance(shards, bool) or not isinstance(shards, int) or shards < 1):
        raise GraphError(f"expects shards of at least 1, got {shards!r}")
    given = {name: value for name, value in options.items() if name not in _OF_ONE_PROCESS}
    futures = _submit(executor, program, given, shards or _count_workers(executor))
    folder = pathlib.Path(output).parent
    parts: List[bytes] = []
    for number, future in enumerate(futures):
        try:
            data = future.result()
        except CompileError:
            raise  # of the program, which all of them have
        except (Exception, concurrent.futures.CancelledError) as error:
            logger.warning("shard %d was lost: %s", number, error or type(error).__name__)
            continue
        path = folder / f"shard{number}"
        path.write_bytes(data)
        parts.append(os.fsencode(path))
    if parts:
        status = lib.mirageCheckpointsMerge(os.fsencode(output), (c_char_p * len(parts))(*parts), len(parts), None)
        if status != _library.SUCCESS:
            raise CompileError(_library.last_error())
    return len(parts)
