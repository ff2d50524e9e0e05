"""Searches that people wait for: how far they are, and Ctrl-C."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import signal
import sys
import threading
import time
from typing import Any, Callable, Iterator, Optional, Tuple, TypeVar

from ._library import Context, CProgress

logger = logging.getLogger("mirage")

T = TypeVar("T")

#: How often it is looked, in seconds, whether a call has ended. A signal need not wake a thread that
#: waits: the system may give it to another one.
_INTERVAL = 0.1


def _start(thread: threading.Thread) -> None:
    """With Ctrl-C held back, which the new thread keeps: it is for this one, which waits."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        thread.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Call:
    """A call that a thread of its own makes, once. What it came to is here before anybody hears that it has
    ended: an exception, which signals raise at any place, cannot come in between and lose it."""

    def __init__(self, call: Callable[[], Any]):
        self._call = call
        self._taken = threading.Lock()  #: held since a thread began the call, or it was called off
        self._has_ended = threading.Event()
        self._value: Any = None
        self._error: Optional[BaseException] = None

    def begin(self) -> None:
        """Again, where an exception came while a thread was started, of which nobody knows then whether it
        runs: only the first that does makes the call."""
        if not self._taken.locked():
            _start(threading.Thread(target=self._run, name="mirage", daemon=True))

    def _run(self) -> None:
        if not self._taken.acquire(blocking=False):
            return
        try:
            self._value = self._call()
        except BaseException as error:
            self._error = error
        self._has_ended.set()

    def wait(self) -> bool:
        """For a moment. Returns whether it has ended."""
        return self._has_ended.wait(_INTERVAL)

    def is_over(self) -> bool:
        """Whether no thread is in the call. If none has begun it, it is called off."""
        if self._taken.acquire(blocking=False):
            self._has_ended.set()
        return self._has_ended.is_set()

    def end(self, context: Context) -> None:
        while not self.is_over():
            context.cancel()  # again and again: a call that is about to begin does not hear it
            self.wait()

    def get(self) -> Any:
        if self._error is not None:
            raise self._error
        return self._value


class Interrupts:
    """Ctrl-C while a block of code runs that has a result also if it is cut short. The first one is kept: it
    ends the searches of the call that runs with the best so far, and the block goes on from there. Further
    ones are raised, as KeyboardInterrupt.

    Signals are for the main thread; in others nothing is heard. Where somebody else handles Ctrl-C, he
    still does: a KeyboardInterrupt that he raises while a call is waited for, or in what is `kept`, counts
    as one of these."""

    def __init__(self) -> None:
        self._count = 0
        self._before: Any = None

    @property
    def heard(self) -> bool:
        return self._count > 0

    def __enter__(self) -> "Interrupts":
        if _is_in_main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, lambda *_: self._hear())
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _hear(self) -> None:
        self._count += 1
        if self._count > 1:
            raise KeyboardInterrupt

    def check(self) -> None:
        """Raises what was heard, where somebody waits for something else than a call."""
        if self.heard:
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        """Of the first one: it ends this block of code, and goes no further."""
        try:
            yield
        except KeyboardInterrupt:
            if self._count > 1:
                raise
            self._count = 1

    def call(self, context: Context, call: Callable[[], T]) -> T:
        """Makes a call of the library in a thread of its own, so that this one hears of signals. What they
        raise leaves here when the call has ended. Only a second Ctrl-C does at once, and nobody waits for the
        call then."""
        if not _is_in_main_thread():
            return call()
        made = _Call(call)
        try:
            self._wait(made, context)
        except KeyboardInterrupt:
            raise
        except BaseException:
            made.end(context)
            raise
        finally:
            if not made.is_over():
                context.abandon()
        return made.get()

    def _wait(self, made: _Call, context: Context) -> None:
        before = self._count  # what follows an interrupt, and makes the best so far of it, is left to end
        while True:
            try:
                made.begin()
                while not made.wait():
                    if self._count > before:
                        context.cancel()  # again and again, as in `end`
                return
            except KeyboardInterrupt:
                if self.heard:
                    raise
                self._count = 1


def _is_in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def call_interruptibly(context: Context, call: Callable[[], T]) -> Tuple[T, bool]:
    """Makes a call whose searches Ctrl-C ends. Returns its result, and whether Ctrl-C did."""
    with Interrupts() as interrupts:
        return interrupts.call(context, call), interrupts.heard


@dataclasses.dataclass(frozen=True)
class SearchProgress:
    """How far a search is, as `on_progress` is told."""

    seconds: float  #: since it began; behind workers, since it went on in this process
    states: int = 0  #: visited, of all parts of the program; like structures, it never falls
    states_per_second: float = 0.0  #: of late
    structures: int = 0  #: found that may be equal to the program
    baseline_us: float = 0.0  #: predicted, in microseconds, each operator a kernel
    best_us: float = 0.0  #: predicted, the best so far, or the baseline: what Ctrl-C gives, unless it fails a test
    walk_states: int = 0  #: of the walk at hand,
    max_states: int = 0  #: and its limit; 0 before the first
    time_limit_s: float = 0.0  #: in seconds; 0: none
    part: int = 0  #: of a program that is cut into parts, how many have been begun,
    num_parts: int = 0  #: and how many there are; 0: it is searched as a whole
    finished_shards: int = 0  #: while workers enumerate, how many of theirs; all else is 0, as they tell of nothing
    num_shards: int = 0  #: of how many; 0: the search is in this process

    @classmethod
    def copy(cls, progress: CProgress) -> "SearchProgress":
        """Of what the library hands over, which is there during the call alone."""
        return cls(**{name: getattr(progress, name) for name, *_ in CProgress._fields_})


class Progress:
    """Says how far a search is: a bar of tqdm's on a terminal, else lines of the logger "mirage"."""

    def __init__(self, verbose: bool, on_progress: Optional[Callable[[SearchProgress], None]]):
        self.interval = 1 if verbose else 5  # seconds from line to line
        self.on_progress = on_progress
        self.began_at = self.logged_at = time.monotonic()
        self.told_of_shards: Optional[SearchProgress] = None
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

    def __call__(self, function: str, progress: CProgress) -> None:
        self._tell(SearchProgress.copy(progress))

    def tell_of_shards(self, finished: int, count: int) -> None:
        """While workers enumerate: when more have finished than the last time, and each second."""
        now = SearchProgress(time.monotonic() - self.began_at, finished_shards=finished, num_shards=count)
        before = self.told_of_shards
        if before is None or finished > before.finished_shards or now.seconds >= before.seconds + 1:
            self.told_of_shards = now
            self._tell(now)

    def _tell(self, now: SearchProgress) -> None:
        if self.on_progress is not None:
            self.on_progress(now)
        if self.make_bar is not None:
            if self.bar is None:
                self.bar = self.make_bar(desc="mirage", file=sys.stderr, leave=False, dynamic_ncols=True,
                                         bar_format="{desc}: {percentage:3.0f}%|{bar:20}| {elapsed}{postfix}")
            self.bar.total, self.bar.n = self._find_share(now)
            self.bar.set_postfix_str(self._describe(now))
        elif time.monotonic() - self.logged_at >= self.interval:
            self.logged_at = time.monotonic()
            logger.info("%s", f"mirage: {now.seconds:.1f} s, {self._describe(now)}{self._describe_share(now)}")

    @staticmethod
    def _find_share(now: SearchProgress) -> Tuple[Optional[int], int]:
        """How much there is, if that is known, and how much of it is done."""
        if now.num_shards:
            return now.num_shards, now.finished_shards
        if now.num_parts:
            return now.num_parts, now.part
        return now.max_states or None, now.walk_states

    @staticmethod
    def _describe_share(now: SearchProgress) -> str:
        if now.num_parts:
            return f", part {now.part} of {now.num_parts}"
        return f", {100 * now.walk_states / now.max_states:.0f}% of states" if now.max_states else ""

    @staticmethod
    def _describe(now: SearchProgress) -> str:
        if now.num_shards:
            return f"{now.finished_shards} of {now.num_shards} shards finished by workers"
        return (f"{now.states} states, {now.structures} structures, "
                f"{now.best_us:.2f} of {now.baseline_us:.2f} us")

    def end(self) -> None:
        """Of a stage of the search; the next one draws a bar of its own."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None
