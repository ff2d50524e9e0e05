"""Ctrl-C and other signals, and the end of the process, while threads are in the library."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from mirage import _library, superoptimizer
from mirage._library import Context, Module
from mirage.progress import Interrupts, call_interruptibly

SEARCH = "make_large().superoptimize(max_states=10**9, max_kernels=3, measure=False)"


def run(*lines):
    """A script, as what it does may end the process."""
    begin = "import sys; sys.path.insert(0, sys.argv[1])\nfrom test_superoptimize import make_large\n"
    return subprocess.run([sys.executable, "-c", begin + "\n".join(lines), os.path.dirname(__file__)],
                          capture_output=True, text=True, timeout=60)


def test_what_another_signal_raises_ends_the_search():
    """Before it leaves: nothing runs on, and nothing is taken from under it."""
    done = run("import signal, threading",
               "class Late(Exception): pass",
               "def raise_late(*_): raise Late",
               "signal.signal(signal.SIGALRM, raise_late); signal.setitimer(signal.ITIMER_REAL, 1)",
               f"try: {SEARCH}",
               "except Late: print('late', [thread.name for thread in threading.enumerate()])")
    assert (done.stdout, done.returncode) == ("late ['MainThread']\n", 0), done.stderr


def test_an_exit_by_a_signal():
    done = run("import os, signal, threading",
               "signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))",
               "threading.Timer(1, os.kill, (os.getpid(), signal.SIGTERM)).start()", SEARCH)
    assert done.returncode == 3, done.stderr


class Told:
    """In the place of a context, whose calls end by themselves."""

    def cancel(self):
        pass

    def abandon(self):
        pass


def test_ctrl_c_as_a_call_ends(interruptible):
    """Neither is its result lost, nor is it waited for after its end."""
    def end_with_ctrl_c():
        time.sleep(0.002)
        os.kill(os.getpid(), signal.SIGINT)
        return "result"

    for _ in range(100):
        watchdog = threading.Timer(20, os.kill, (os.getpid(), signal.SIGINT))
        watchdog.start()
        assert call_interruptibly(Told(), end_with_ctrl_c)[0] == "result"
        watchdog.cancel()


def test_calls_behind_an_interrupt_are_not_ended(interruptible):
    """They make of the best so far what there is to make of it."""
    class Counts(Told):
        cancelled = 0

        def cancel(self):
            self.cancelled += 1

    def search():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.5)

    context = Counts()
    with Interrupts() as interrupts:
        interrupts.call(context, search)
        cancelled = context.cancelled
        interrupts.call(context, lambda: time.sleep(0.5))
    assert interrupts.heard and 0 < cancelled == context.cancelled


def test_a_handler_of_somebody_else(interruptible):
    """Raises KeyboardInterrupt itself: the first one is as good as that of Python's."""
    def interrupt(*_):
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    assert call_interruptibly(Told(), lambda: time.sleep(1) or "result") == ("result", True)
    assert signal.getsignal(signal.SIGINT) is interrupt


def test_ctrl_c_while_a_diagnostic_is_taken(monkeypatch):
    def interrupt(diagnostic):
        raise KeyboardInterrupt

    context = Context(1)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(_library, "_convert", interrupt)
        Module.parse(context, "oops")
    assert Module.parse(context, "module {}").print() == b"module {\n}\n"


def test_the_process_ends_while_a_thread_searches():
    done = run("import threading, time",
               f"threading.Thread(target=lambda: print({SEARCH}), daemon=True).start()",
               "time.sleep(1.5)")
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_nothing_is_taken_from_under_threads_at_the_end():
    """What the process has still, it gives back by itself."""
    done = run("from mirage._library import Handle",
               "kept, gone = (Handle(name, lambda name: print(name, 'is given back')) for name in ('kept', 'gone'))",
               "del gone",
               "print('end')")
    assert (done.stdout, done.returncode) == ("gone is given back\nend\n", 0), done.stderr


def press(times):
    """So slowly that the main thread hears of each: Python makes one of those that come together."""
    for _ in range(times):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)


@pytest.fixture
def compile_interrupted(monkeypatch):
    """Ctrl-C is pressed while what was found is compiled, so often."""
    def patch(times):
        def compile_module(*arguments, **options):
            press(times)
            return kept(*arguments, **options)

        kept = superoptimizer.compile_module
        monkeypatch.setattr(superoptimizer, "compile_module", compile_module)

    return patch


def test_ctrl_c_while_the_best_is_compiled(graph, compile_interrupted, interruptible):
    graph.exp(graph.new_input((16, 256)))
    compile_interrupted(1)
    assert ".target" in graph.superoptimize(max_states=100, measure=False).ptx


def test_a_second_ctrl_c_while_the_best_is_compiled(graph, compile_interrupted, interruptible):
    graph.exp(graph.new_input((16, 256)))
    compile_interrupted(2)
    with pytest.raises(KeyboardInterrupt):
        graph.superoptimize(max_states=100, measure=False)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
