"""Ctrl-C, and the end of the process, while threads are in the library."""

import os
import subprocess
import sys

import pytest

from mirage import _library
from mirage._library import Context, Module

SEARCH = "make_large().superoptimize(max_states=10**9, max_kernels=3, measure=False)"


def run(*lines):
    """A script, as what it does may end the process."""
    begin = "import sys; sys.path.insert(0, sys.argv[1])\nfrom test_superoptimize import make_large\n"
    return subprocess.run([sys.executable, "-c", begin + "\n".join(lines), os.path.dirname(__file__)],
                          capture_output=True, text=True, timeout=60)


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


def test_the_process_ends_while_a_thread_runs_a_program():
    done = run("import threading, time, numpy as np",
               "program = make_large().compile()",
               "inputs = [np.ones(spec.shape, np.float16) for spec in program.inputs]",
               "threading.Thread(target=lambda: print(program(inputs)), daemon=True).start()",
               "time.sleep(0.5)")
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
