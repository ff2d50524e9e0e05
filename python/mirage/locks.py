"""Locks that a forked process can take."""

from __future__ import annotations

import os
import threading
import weakref


class ForkSafeLock:
    """A lock that a forked child has anew: the thread that holds its parent's is not there to let it go. A
    process may fork while any thread is in such a lock, so that what it guards is to be whole at each step."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _all.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def renew(self) -> None:
        self._lock = threading.RLock()


_all: "weakref.WeakSet[ForkSafeLock]" = weakref.WeakSet()


def _renew_all() -> None:
    for lock in _all:
        lock.renew()


os.register_at_fork(after_in_child=_renew_all)
