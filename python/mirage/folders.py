"""Folders that last as long as this process at most: of programs that nobody has saved, of what searches
write. All are in one, which the process has locked: what processes leave that were killed, the next one
takes away."""

from __future__ import annotations

import contextlib
import fcntl
import glob
import os
import pathlib
import shutil
import tempfile
import weakref
from typing import Any, Iterator, List, Optional

from .locks import ForkSafeLock

_PREFIX = "mirage-process-"
#: In a folder whose process has locked it. It names the machine, and its start: to others, who may see
#: the folder by a network, the lock may say nothing.
_MARKER = "locked-on"

_mutex = ForkSafeLock()
_root: Optional["_Root"] = None


def _leave_to_parent() -> None:
    """In a forked child: the lock of the folder is to go with the parent."""
    if _root is not None:
        _root.unlock()


os.register_at_fork(after_in_child=_leave_to_parent)


def find_machine() -> str:
    """This machine since it was started; empty where that is not known."""
    try:
        return pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def bind_folder(owner: Any, folder: str) -> Any:
    """Has a folder go when its owner does, in the process that made it. Returns what takes it away."""
    return weakref.finalize(owner, _remove, folder, os.getpid())


def _remove(folder: str, pid: int) -> None:
    if os.getpid() == pid:
        shutil.rmtree(folder, ignore_errors=True)


def _lock(folder: str) -> int:
    """Raises OSError where somebody has locked it, or there are no locks."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


class _Root:
    """The folder of a process."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.path = tempfile.mkdtemp(prefix=_PREFIX)
        # Runs behind those of programs, which are made later.
        self._finalizer = bind_folder(self, self.path)
        self._descriptor: Optional[int] = None
        with contextlib.suppress(OSError):  # without a lock it is nobody's to take away
            self._descriptor = _lock(self.path)
            pathlib.Path(self.path, _MARKER).write_text(find_machine())

    def unlock(self) -> None:
        """Gives up this process's hold of the lock; who shares it by a fork keeps it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def is_good(self) -> bool:
        """Whether it is this process's, and nobody has taken it away."""
        return self.pid == os.getpid() and os.path.isdir(self.path)


def _list_abandoned() -> List[str]:
    """Folders of this user whose processes are gone, locked."""
    found = []
    for marker in glob.glob(os.path.join(glob.escape(tempfile.gettempdir()), _PREFIX + "*", _MARKER)):
        folder = os.path.dirname(marker)
        with contextlib.suppress(OSError):  # it is in use, or somebody else takes it away
            if os.stat(folder).st_uid == os.getuid() and pathlib.Path(marker).read_text() == find_machine() != "":
                os.close(_lock(folder))
                found.append(folder)
    return found


def _find_root() -> str:
    global _root
    with _mutex:
        root, is_new = _root, _root is None or not _root.is_good()
        if root is None or is_new:
            root = _root = _Root()
    if is_new:
        for folder in _list_abandoned():
            shutil.rmtree(folder, ignore_errors=True)
    return root.path


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


def is_abandoned(folder: str) -> bool:
    """Whether a folder that a process of this machine made is gone, or the process is. Of what cannot be
    seen nobody knows, so that it is not."""
    try:
        os.stat(folder)
        os.close(_lock(os.path.dirname(folder)))
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
