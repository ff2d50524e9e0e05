"""Searches that people wait for: how far they are, and Ctrl-C."""

from __future__ import annotations

import atexit
import logging
import queue
import signal
import sys
import threading
import time
from typing import Any, Callable, List, Optional, Tuple

from ._library import Context

logger = logging.getLogger("mirage")

#: How often it is looked, in seconds, whether a call has ended. A signal need not wake a thread that
#: waits: the system may give it to another one.
_INTERVAL = 0.1


#: Calls that nobody waits for any more, and their contexts.
_abandoned: List[Tuple[threading.Thread, Context]] = []


def _end_abandoned() -> None:
    """The process must not end under a thread that is in the library."""
    for thread, context in _abandoned:
        while thread.is_alive():
            context.cancel()
            thread.join(_INTERVAL)


def _start(thread: threading.Thread) -> None:
    """With signals held back: they are for this thread, which is to hear of them once the other runs."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        thread.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def call_interruptibly(context: Context, call: Callable[[], Any]) -> Tuple[Any, bool]:
    """Makes a call of the library in a thread of its own, so that Ctrl-C reaches this one: it ends
    searches, whose best is the result. Returns whether it did. A second one is not held back: the call
    ends by itself then, with nobody to wait for it until the process ends."""
    if threading.current_thread() is not threading.main_thread():
        return call(), False
    ended: "queue.SimpleQueue[Tuple[Any, Optional[BaseException]]]" = queue.SimpleQueue()

    def run() -> None:
        try:
            ended.put((call(), None))
        except BaseException as error:
            ended.put((None, error))

    thread = threading.Thread(target=run, name="mirage", daemon=True)
    interrupted = False
    while True:
        try:  # a signal may come at any place in here
            if thread.ident is None:
                _start(thread)
            while True:
                try:
                    value, error = ended.get(timeout=_INTERVAL)
                    break
                except queue.Empty:
                    if interrupted:
                        context.cancel()  # again: a call that had not begun yet did not hear it
            break
        except KeyboardInterrupt:
            if interrupted:
                if not _abandoned:  # now, so that it runs before the finalizers of what the call works on
                    atexit.register(_end_abandoned)
                _abandoned.append((thread, context))
                context.abandon()
                raise
            interrupted = True
            context.cancel()
    if error is not None:
        raise error
    return value, interrupted


class Progress:
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
