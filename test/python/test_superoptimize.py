"""The search from Python: its result, its options, and how it ends."""

import dataclasses
import inspect
import concurrent.futures
import logging
import os
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import mirage as mi
from conftest import relative_error


def make_attention():
    """The original's quick start."""
    graph = mi.new_kernel_graph()
    Q = graph.new_input(dims=(2, 256, 64), dtype=mi.float16)
    K = graph.new_input(dims=(2, 64, 4096), dtype=mi.float16)
    V = graph.new_input(dims=(2, 4096, 64), dtype=mi.float16)
    A = graph.matmul(Q, K)
    E = graph.exp(A)
    S = graph.reduction(E, 2)
    D = graph.div(E, S)
    graph.matmul(D, V)
    return graph


@pytest.mark.parametrize("search", [mi.superoptimize, mi.KernelGraph.superoptimize])
def test_arguments_under_a_tracer(search):
    """As debuggers have one: at each line it has Python write a frame's locals anew, into what locals() returned."""
    def trace(frame, *_):
        frame.f_locals
        return trace

    graph, before = make_attention(), sys.gettrace()
    sys.settrace(trace)
    try:
        with pytest.raises(TypeError, match="'max_stats'; did you mean max_states"):
            search(graph, max_stats=1)
    finally:
        sys.settrace(before)


def test_attention(rng):
    optimized = make_attention().superoptimize(config="attention", measure=False)
    result = optimized.result
    assert optimized.improved and result.improved
    assert result.predicted_us < result.baseline_us / 5 and result.predicted_us >= result.limit_us
    assert result.ranked_by == "predicted" and result.measured_us is None
    assert "(measure=False: the cost model decided)" in str(result) and "times faster" in repr(optimized)
    assert result.report["graphs"][0]["replaced"]
    q, k, v = ((rng.standard_normal(spec.shape) * 0.3).astype(np.float16) for spec in optimized.inputs)
    (out,) = optimized([q, k, v])
    weights = np.exp(q.astype(float) @ k.astype(float))
    assert relative_error(out, weights / weights.sum(-1, keepdims=True) @ v.astype(float)) < 2e-3


def test_what_cannot_be_improved(graph, rng):
    x = graph.new_input(dims=(64, 64))
    graph.exp(x)
    optimized = mi.superoptimize(graph, max_states=1)
    assert not optimized.improved and "left as it was" in str(optimized.result)
    x = rng.standard_normal((64, 64)).astype(np.float16)
    assert relative_error(optimized([x])[0], np.exp(x.astype(float))) < 1e-3


def test_the_same_with_the_same_seed(graph):
    x = graph.new_input(dims=(16, 256))
    w = graph.new_input(dims=(256, 64))
    graph.matmul(graph.rms_norm(x), w)
    first = graph.superoptimize(seed=3, threads=1)
    assert graph.superoptimize(seed=3, threads=2).mlir == first.mlir


def test_ctrl_c_gives_the_best_so_far(interruptible):
    """A real signal, to a process whose search takes long."""
    code = ("import logging, sys; sys.path.insert(0, sys.argv[1]); logging.basicConfig()\n"
            "from test_superoptimize import make_large\n"
            "print('begun', flush=True)\n"
            "print(make_large().superoptimize(max_states=10**9, max_kernels=3, measure=False).result.stop_reason)\n")
    here = os.path.dirname(__file__)
    process = subprocess.Popen([sys.executable, "-c", code, here], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begun\n"
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert out == "interrupted\n", errors
    assert "interrupted: the best so far" in errors


def test_a_second_ctrl_c_is_not_held_back(interruptible):
    """Of a call that does not end, whatever it is told."""
    from mirage.progress import call_interruptibly

    class Deaf:
        told = 0

        def cancel(self):
            self.told += 1

        def abandon(self):
            self.told += 1

    def interrupt():
        for _ in range(2):
            time.sleep(0.3)
            os.kill(os.getpid(), signal.SIGINT)

    context, ended = Deaf(), threading.Event()
    threading.Thread(target=interrupt).start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        call_interruptibly(context, lambda: ended.wait(30))
    assert time.monotonic() - started < 10 and context.told >= 1
    ended.set()


def test_a_process_ends_after_two(interruptible):
    """Not before its thread has left the library."""
    code = ("import sys; sys.path.insert(0, sys.argv[1])\n"
            "from test_superoptimize import make_large\n"
            "print('begun', flush=True)\n"
            "try:\n    make_large().superoptimize(max_states=10**9, max_kernels=3, measure=False)\n"
            "except KeyboardInterrupt:\n    pass\n"
            "print('end')\n")
    process = subprocess.Popen([sys.executable, "-c", code, os.path.dirname(__file__)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begun\n"
    time.sleep(2)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
    out, errors = process.communicate(timeout=60)
    assert out == "end\n" and process.returncode == 0, (process.returncode, errors)


def test_a_call_that_ends_after_ctrl_c(interruptible):
    from mirage.progress import call_interruptibly

    ended = threading.Event()

    class Context:
        def cancel(self):
            ended.set()

    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    assert call_interruptibly(Context(), lambda: ended.wait(30)) == (True, True)
    timer.join()


def test_an_interrupt_of_a_callback_gives_the_best_so_far(caplog):
    def interrupt(progress):
        raise KeyboardInterrupt

    with caplog.at_level(logging.WARNING, logger="mirage"):
        optimized = make_large().superoptimize(on_progress=interrupt, measure=False)
    assert optimized.result.stop_reason == "interrupted"
    assert "interrupted: the best so far" in caplog.text


def test_progress(caplog):
    seen = []
    with caplog.at_level("INFO", logger="mirage"):
        result = make_large().superoptimize(on_progress=seen.append, measure=False, verbose=True).result
    # What was handed over says the same still when the search is over.
    assert seen and all(isinstance(now, mi.SearchProgress) and now.best_us <= now.baseline_us for now in seen)
    assert seen[-1].baseline_us == pytest.approx(result.baseline_us)
    assert seen[0].states < seen[-1].states
    assert all(0 <= before.seconds <= after.seconds for before, after in zip(seen, seen[1:]))
    with pytest.raises(dataclasses.FrozenInstanceError):
        seen[0].states = 3
    # Without a terminal a line is logged each second.
    assert any(re.match(r"mirage: [\d.]+ s, \d+ states, ", record.getMessage()) for record in caplog.records)


def test_bar_on_a_terminal():
    """A child writes to a pseudoterminal: a bar is drawn while it searches, and wiped after."""
    import fcntl
    import pty
    import struct
    import termios

    mine, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 120, 0, 0))
    code = "import test_superoptimize as t; print(t.make_large().superoptimize(measure=False, max_states=300000).improved)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=its, text=True,
                          cwd=os.path.dirname(__file__)) as child:
        os.close(its)
        written = b""
        try:
            while True:
                written += os.read(mine, 65536)
        except OSError:  # the other end is closed
            os.close(mine)
        assert child.stdout.read() == "True\n"
    assert re.search(rb"mirage: +\d+%\|.*\d+ states, \d+ structures, [\d.]+ of [\d.]+ us", written), written
    assert written.endswith(b"\r")


def test_errors_of_callbacks_go_on():
    def fail(progress):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        make_large().superoptimize(on_progress=fail, measure=False)


def make_large():
    """A program whose search takes seconds: attention with normalised queries and keys."""
    graph = mi.new_kernel_graph()
    Q = graph.new_input(dims=(2, 256, 64))
    K = graph.new_input(dims=(2, 4096, 64))
    V = graph.new_input(dims=(2, 4096, 64))
    scores = graph.matmul(graph.rms_norm(Q), graph.transpose(graph.rms_norm(K)))
    graph.matmul(graph.softmax(scores), graph.rms_norm(V))
    return graph


def test_time_limit():
    result = make_large().superoptimize(search_time_limit_sec=1, max_states=10**9, max_kernels=3, measure=False).result
    assert result.stop_reason == "time limit" and result.seconds < 30


def test_cache(graph, monkeypatch, tmp_path):
    monkeypatch.setenv("MIRAGE_CACHE_DIR", str(tmp_path / "cache"))
    x = graph.new_input(dims=(16, 256))
    w = graph.new_input(dims=(256, 64))
    graph.matmul(graph.rms_norm(x), w)
    first = graph.superoptimize(use_cached_graphs=True)
    again = graph.superoptimize(use_cached_graphs=True)
    assert again.mlir == first.mlir
    assert first.result.report["graphs"][0]["search"]["cache"] != again.result.report["graphs"][0]["search"]["cache"]


def test_proof_by_canonical_forms(graph):
    x = graph.new_input(dims=(16, 256))
    w = graph.new_input(dims=(256, 64))
    graph.matmul(graph.rms_norm(x), w)
    assert graph.superoptimize(is_formal_verified=True).improved


def test_options_that_are_none(graph):
    graph.exp(graph.new_input(dims=(16, 256)))
    for name, like in (("colour", ""), ("max_state", "; did you mean max_states or .*"), ("sead", "; did you mean seed.*"),
                       ("search_time_limit", "; did you mean search_time_limit_sec.*"), ("max-states", ".*max_states.*")):
        with pytest.raises(TypeError, match=f"^got an unexpected keyword argument '{name}'{like}$"):
            graph.superoptimize(**{name: 5})
    with pytest.raises(mi.CompileError, match="expects max-states of 1 to"):
        graph.superoptimize(max_states=0)
    with pytest.raises(mi.CompileError, match="sm_1"):
        graph.superoptimize(target="sm_1")
    for limit in (0, float("nan"), "3"):
        with pytest.raises(mi.GraphError, match="expects search_time_limit_sec above 0"):
            graph.superoptimize(search_time_limit_sec=limit)


@pytest.mark.parametrize("given, message", [
    (dict(previous_checkpoint="a", checkpoint="b"), "expects previous_checkpoint or checkpoint, which are two names of one"),
    (dict(search_time_limit_sec=3, time_limit_s=4), "expects search_time_limit_sec or time_limit_s"),
    (dict(config="mlp", preset="lora"), "expects config or preset")])
def test_options_are_named_once(graph, tmp_path, monkeypatch, given, message):
    monkeypatch.chdir(tmp_path)
    graph.exp(graph.new_input(dims=(16, 256)))
    with pytest.raises(TypeError, match=message):
        graph.superoptimize(**given)
    assert not list(tmp_path.iterdir())
    graph.superoptimize(measure=False, max_states=1, **{name: None for name in list(given)[:1]},
                        **dict(list(given.items())[1:]))


def test_code_is_kept_beside_what_is_there(graph, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "generated_codes" / "4").mkdir(parents=True)
    graph.exp(graph.new_input(dims=(16, 256)))
    graph.superoptimize(save_codes=True, max_states=100)
    assert (tmp_path / "generated_codes" / "5" / "kernels.ptx").exists()


def test_searches_at_once_keep_their_code_apart(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def search(_):
        graph = mi.new_kernel_graph()
        graph.exp(graph.new_input(dims=(16, 256)))
        return graph.superoptimize(save_codes=True, max_states=100, measure=False)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(search, range(4)))
    kept = [folder for folder in (tmp_path / "generated_codes").iterdir() if (folder / "kernels.ptx").exists()]
    assert sorted(folder.name for folder in kept) == ["0", "1", "2", "3"]


def test_nothing_to_search(graph):
    graph.transpose(graph.new_input(dims=(16, 256)))
    result = graph.superoptimize().result
    assert not result.improved and result.speedup == 1.0 and "left as it was" in str(result)


def test_what_the_original_has_and_means_nothing_here_warns(graph):
    """Each call once, where the user's code stands."""
    graph.exp(graph.new_input(dims=(16, 256)))
    for options, message in (
            (dict(imaps=[(0, -1, -1)], griddims=[(4, 1, 1)]), "imaps, griddims: no effect"),
            (dict(use_symbolic_search=False), "use_symbolic_search=False: no effect"),
            (dict(num_warp_groups=2, file_id=3), "file_id, num_warp_groups: no effect|num_warp_groups, file_id")):
        with pytest.warns(UserWarning, match=message) as told:
            graph.superoptimize(max_states=100, **options)
        assert [warning.filename for warning in told] == [__file__]


def test_what_the_compiler_warns_of_is_logged(graph, caplog):
    graph.exp(graph.new_input(dims=(16, 256)))
    with caplog.at_level(logging.WARNING, logger="mirage"):
        graph.superoptimize(max_states=100, cache="/proc/nowhere")
    assert "going on without the cache" in caplog.text


def test_a_place_for_code_is_looked_for_first(graph, monkeypatch, tmp_path):
    (tmp_path / "generated_codes").write_text("somebody's")
    monkeypatch.chdir(tmp_path)
    graph.exp(graph.new_input(dims=(16, 256)))
    with pytest.raises(mi.RunError, match="expects a place for generated_codes"):
        graph.superoptimize(save_codes=True, max_states=10**9)


def test_not_proved_by_canonical_forms(graph, monkeypatch):
    """The program is then as it was written, and can be called."""
    from mirage import superoptimizer

    monkeypatch.setattr(superoptimizer, "_is_proved", lambda before, after: False)
    x = graph.new_input(dims=(16, 256))
    w = graph.new_input(dims=(256, 64))
    graph.matmul(graph.rms_norm(x), w)
    optimized = graph.superoptimize(is_formal_verified=True)
    assert not optimized.improved and "not proved by canonical forms" in str(optimized.result)
    assert optimized.ptx == graph.compile().ptx


@pytest.mark.parametrize("options, message", [
    (dict(shards=3), "expects an executor where there are shards"),
    (dict(previous_checkpoint=5), "expects the path of a checkpoint as previous_checkpoint, got 5"),
    (dict(gpu=1), "expects gpu by mirage.set_gpu_device_id"),
    (dict(keep_candidates=True), "expects keep-candidates by mirage-opt"),
    (dict(config=["mlp"]), r'expects config of "attention", "mlp", "lora" or None, got \[.mlp.\]'),
    (dict(config=np.arange(3)), "expects config of"),
    (dict(backend=np.arange(3)), "expects backend="),
    (dict(on_progress=3), "expects on_progress to be a function, got 3"),
    (dict(measure="yes"), "expects measure of True, False or None, got 'yes'"),
])
def test_options_that_do_not_fit(graph, options, message):
    graph.exp(graph.new_input(dims=(16, 256)))
    with pytest.raises(mi.GraphError, match=message):
        graph.superoptimize(**options)


def test_other_targets(graph):
    graph.exp(graph.new_input(dims=(16, 256)))
    assert ".target sm_80" in graph.superoptimize(target="sm_80").ptx


def test_the_method_has_the_options_of_the_function():
    def list_options(function):
        return [(parameter.name, parameter.kind, parameter.default, parameter.annotation)
                for parameter in list(inspect.signature(function).parameters.values())[1:]]

    assert list_options(mi.KernelGraph.superoptimize) == list_options(mi.superoptimize)


def test_options_that_nobody_gave(graph, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    graph.exp(graph.new_input(dims=(16, 256)))
    graph.superoptimize(report=None, cache=None, times=None, checkpoint=None)
    assert not list(tmp_path.iterdir())


def test_a_forked_child_searches_after_its_parent_has():
    """The judge had two threads of a pool, which no child has."""
    code = ("import os, mirage as mi\n"
            "def search(rows):\n"
            "    graph = mi.new_kernel_graph()\n"
            "    q, k = graph.new_input(dims=(2, rows, 64)), graph.new_input(dims=(2, 64, 4096))\n"
            "    scores = graph.exp(graph.matmul(q, k))\n"
            "    graph.matmul(graph.div(scores, graph.reduction(scores, 2)), graph.new_input(dims=(2, 4096, 64)))\n"
            "    return graph.superoptimize(config='attention', seed=1).improved\n"
            "assert search(256)\n"
            "child = os.fork()\n"
            "if child == 0: os._exit(0 if search(128) else 1)\n"
            "assert os.waitpid(child, 0)[1] == 0\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
