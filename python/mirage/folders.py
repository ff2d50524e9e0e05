"""Folders that last as long as this process at most: of programs that nobody has saved, of what searches
write. All are in one, which a lock on a file marks as in use: what processes leave that were killed, the
next one takes away."""

from __future__ import annotations

import contextlib
import fcntl
import glob
import os
import shutil
import tempfile
import threading
import weakref
from typing import Any, Iterator, Optional

_LOCK = "in-use"

_mutex = threading.Lock()
_root: Optional["_Root"] = None


def _renew_mutex() -> None:
    """Another thread may have had it when the process was forked, which the child does not have."""
    global _mutex
    _mutex = threading.Lock()


os.register_at_fork(after_in_child=_renew_mutex)


def bind_folder(owner: Any, folder: str) -> Any:
    """Has a folder go when its owner does, in the process that made it. Returns what takes it away."""
    return weakref.finalize(owner, _remove, folder, os.getpid())


def _remove(folder: str, pid: int) -> None:
    if os.getpid() == pid:
        shutil.rmtree(folder, ignore_errors=True)


class _Root:
    """The folder of a process."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.path = tempfile.mkdtemp(prefix="mirage-")
        # Under another name until it is locked, so that nobody finds it unlocked.
        name = os.path.join(self.path, _LOCK)
        self.file = open(name + ".new", "w")
        fcntl.flock(self.file, fcntl.LOCK_EX)
        os.rename(name + ".new", name)
        # Runs behind those of programs, which are made later.
        self._finalizer = bind_folder(self, self.path)


def _sweep() -> None:
    """Takes away what processes of this user have left that are gone."""
    for name in glob.glob(os.path.join(glob.escape(tempfile.gettempdir()), "mirage-*", _LOCK)):
        folder = os.path.dirname(name)
        try:
            if os.path.islink(folder) or os.stat(folder).st_uid != os.getuid():
                continue
            with open(name) as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:  # it is in use, or somebody else takes it away
            pass


def _find_root() -> str:
    global _root
    with _mutex:
        if _root is None or _root.pid != os.getpid():  # a forked child has its own
            _sweep()
            _root = _Root()
        return _root.path


def make_folder() -> str:
    """A new one, for whoever asks to take away."""
    return tempfile.mkdtemp(dir=_find_root())


@contextlib.contextmanager
def open_scratch() -> Iterator[str]:
    """A folder that is there for a block of code."""
    folder = make_folder()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
