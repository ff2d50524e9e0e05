"""Searches that workers share: the same result as of one process."""

import concurrent.futures
import ctypes
import logging
import multiprocessing
import os
import signal
import threading
import time

import pytest

import mirage as mi
from mirage._library import BYTECODE, SUCCESS, Context, lib
from mirage.compiler import to_module
from mirage.distributed import Workers, check_executor, enumerate_on
from mirage.progress import Progress
from shared_searches import OPTIONS, make_program


@pytest.fixture
def program():
    return make_program()


def test_processes(program):
    alone = program.superoptimize(**OPTIONS)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        shared = program.superoptimize(executor=pool, shards=3, **OPTIONS)
    assert shared.improved and shared.mlir == alone.mlir


def test_a_pool_that_breaks(program, caplog, monkeypatch):
    """Its worker dies before its first task; the search goes on here, without a GPU."""
    from mirage import superoptimizer

    monkeypatch.setattr(superoptimizer, "find_gpu", lambda ordinal=0: None)
    options = {name: value for name, value in OPTIONS.items() if name != "measure"}
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"), initializer=os._exit,
                                                initargs=(1,)) as pool:
        with caplog.at_level(logging.WARNING, logger="mirage"):
            shared = program.superoptimize(executor=pool, **options)
    assert shared.improved and "shard 0 was lost" in caplog.text and "no worker measures" in caplog.text


def test_one_worker(program):
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        assert program.superoptimize(executor=pool, **OPTIONS).mlir == program.superoptimize(**OPTIONS).mlir


class LosesOne(concurrent.futures.ThreadPoolExecutor):
    """An executor one of whose workers dies."""

    def submit(self, function, *arguments):
        if arguments[-1].startswith("1/"):
            future = concurrent.futures.Future()
            future.set_exception(concurrent.futures.process.BrokenProcessPool("a worker is gone"))
            return future
        return super().submit(function, *arguments)


def test_progress_of_shards(program):
    """While workers enumerate; then of the search that goes on."""
    seen = []
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        optimized = program.superoptimize(executor=pool, shards=3, on_progress=seen.append, **OPTIONS)
    finished = [now.finished_shards for now in seen if now.num_shards == 3]
    assert finished[0] == 0 and finished[-1] == 3 and finished == sorted(finished)
    assert seen[-1].num_shards == 0 and seen[-1].baseline_us == pytest.approx(optimized.result.baseline_us)


def test_lines_of_shards(caplog):
    progress = Progress(verbose=True, on_progress=None)
    progress.logged_at -= 1
    with caplog.at_level(logging.INFO, logger="mirage"):
        progress.tell_of_shards(1, 3)
        progress.tell_of_shards(1, 3)
    assert [record.getMessage() for record in caplog.records] == ["mirage: 0.0 s, 1 of 3 shards finished by workers"]


def test_errors_of_callbacks_while_workers_enumerate_go_on(program):
    def fail(progress):
        raise ZeroDivisionError("mine")

    with concurrent.futures.ThreadPoolExecutor(1) as pool, pytest.raises(ZeroDivisionError, match="mine"):
        program.superoptimize(executor=pool, on_progress=fail, **OPTIONS)


def test_a_lost_worker(program, caplog):
    alone = program.superoptimize(**OPTIONS)
    with LosesOne(2) as pool, caplog.at_level(logging.WARNING, logger="mirage"):
        shared = program.superoptimize(executor=pool, **OPTIONS)
    assert shared.mlir == alone.mlir
    assert "shard 1 was lost: a worker is gone" in caplog.text


def test_dask(program):
    distributed = pytest.importorskip("distributed")
    alone = program.superoptimize(**OPTIONS)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            shared = program.superoptimize(executor=client.get_executor(), shards=2, **OPTIONS)
    assert shared.mlir == alone.mlir


def test_files_beside_a_checkpoint_are_left_alone(program, tmp_path):
    (tmp_path / "shard0").write_text("mine")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        program.superoptimize(executor=pool, previous_checkpoint=tmp_path / "checkpoint", **OPTIONS)
    assert (tmp_path / "shard0").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["checkpoint", "shard0"]


class Returns(concurrent.futures.ThreadPoolExecutor):
    """An executor one of whose workers sends something else than it was asked for."""

    def submit(self, function, *arguments):
        if arguments and str(arguments[-1]).startswith("0/"):
            function, arguments = (lambda: self.sent), ()
        return super().submit(function, *arguments)


@pytest.mark.parametrize("sent", [None, b"rubbish", 3])
def test_a_worker_that_sends_rubbish(program, caplog, sent):
    alone = program.superoptimize(**OPTIONS)
    with Returns(2) as pool, caplog.at_level(logging.WARNING, logger="mirage"):
        pool.sent = sent
        shared = program.superoptimize(executor=pool, **OPTIONS)
    assert shared.mlir == alone.mlir
    assert "shard 0 was lost" in caplog.text


def test_programs_in_parts():
    """Workers enumerate the parts."""
    graph = mi.new_kernel_graph()
    value = graph.new_input(dims=(16, 64))
    for _ in range(6):
        value = graph.rms_norm(graph.matmul(graph.exp(value), graph.new_input(dims=(64, 64))))
    options = dict(max_states=30000, seed=1, measure=False)
    alone = graph.superoptimize(**options)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        shared = graph.superoptimize(executor=pool, **options)
    searches = [result.result.report["graphs"][0]["search"] for result in (alone, shared)]
    assert searches[0]["parts"] > 0 and searches[0]["recalled"] < searches[1]["recalled"]
    assert shared.improved and shared.mlir == alone.mlir


def test_an_interrupt_leaves_the_best_so_far(program, caplog):
    class Interrupted(concurrent.futures.ThreadPoolExecutor):
        def submit(self, function, *arguments):
            future = super().submit(function, *arguments)
            future.result = interrupt
            return future

    def interrupt():
        raise KeyboardInterrupt

    with Interrupted(1) as pool, caplog.at_level(logging.WARNING, logger="mirage"):
        program.superoptimize(executor=pool, **OPTIONS)
    assert "interrupted: the best so far" in caplog.text


def test_an_interrupt_keeps_what_has_come_behind_a_slow_shard(program, tmp_path):
    class Slow(concurrent.futures.Executor):
        """Does all but the first shard at once."""

        def __init__(self):
            self.futures = []

        def submit(self, function, *arguments):
            future = concurrent.futures.Future()
            if self.futures:
                future.set_result(function(*arguments))
            self.futures.append(future)
            return future

    def interrupt():
        raise KeyboardInterrupt

    slow, checkpoint = Slow(), tmp_path / "checkpoint"
    bytecode = to_module(program, Context()).print(BYTECODE)
    workers = Workers(slow, 3, look=interrupt, tell=lambda finished, count: None)
    with pytest.raises(KeyboardInterrupt):
        enumerate_on(workers, bytecode, {"seed": 1, "max-states": OPTIONS["max_states"]}, str(checkpoint))
    assert slow.futures[0].cancelled()
    others = tmp_path / "others"
    for future in slow.futures[1:]:
        (tmp_path / "shard").write_bytes(future.result())
        parts = (ctypes.c_char_p * 1)(bytes(tmp_path / "shard"))
        assert lib.mirageCheckpointsMerge(bytes(others), parts, 1, ctypes.byref(ctypes.c_uint64())) == SUCCESS
    assert checkpoint.read_bytes() == others.read_bytes() != b""


def test_an_interrupt_ends_what_workers_run(interruptible):
    class Interrupted(concurrent.futures.ProcessPoolExecutor):
        def submit(self, function, *arguments):
            future = super().submit(function, *arguments)
            if arguments[-1] == "0/2":
                threading.Thread(target=interrupt, args=[future]).start()
            return future

    def interrupt(future):
        while not future.running():
            time.sleep(0.1)
        time.sleep(2)  # the worker begins, or is in its search
        os.kill(os.getpid(), signal.SIGINT)

    graph = mi.new_kernel_graph()  # whose search takes minutes
    q, k, v = (graph.new_input(dims) for dims in ((2, 16, 64), (2, 64, 4096), (2, 4096, 64)))
    scores = graph.exp(graph.matmul(graph.rms_norm(q), k))
    graph.mark_output(graph.div(graph.matmul(scores, graph.rms_norm(v)), graph.reduction(scores, 2)))
    pool = Interrupted(1, mp_context=multiprocessing.get_context("spawn"))
    started = time.monotonic()
    graph.superoptimize(executor=pool, shards=2, max_states=10**12, max_block_ops=16, max_kernels=3, measure=False,
                        search_time_limit_sec=40)
    pool.shutdown(wait=True)
    assert time.monotonic() - started < 30


@pytest.fixture
def far_gpu(monkeypatch):
    """This machine has no GPU, and workers have."""
    from mirage import distributed, superoptimizer

    monkeypatch.setattr(superoptimizer, "find_gpu", lambda ordinal=0: None)
    monkeypatch.setattr(distributed, "find_gpu", lambda ordinal=0: "played")
    return {name: value for name, value in OPTIONS.items() if name != "measure"}


def test_an_interrupt_of_measuring_leaves_the_best_so_far(program, far_gpu, monkeypatch, interruptible):
    from mirage import distributed

    def measure(files):
        os.kill(os.getpid(), signal.SIGINT)
        is_over.wait(30)

    is_over = threading.Event()
    monkeypatch.setattr(distributed, "measure_bundle", measure)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        optimized = program.superoptimize(executor=pool, **far_gpu)
        is_over.set()
    assert optimized.improved and optimized.result.why_not_measured == "interrupted"


@pytest.mark.parametrize("given, left", [(0, 0), ("0", "0"), ("100", range(50, 101)), (100, range(50, 101)), (None, None)])
def test_a_time_limit_is_for_workers_and_what_goes_on(program, monkeypatch, given, left):
    from mirage import superoptimizer

    def search(module, options, *others):
        seen.append(options.get("time-limit-s"))
        return search_module(module, options, *others)

    search_module, seen = superoptimizer.search_module, []
    monkeypatch.setattr(superoptimizer, "search_module", search)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        assert program.superoptimize(executor=pool, time_limit_s=given, **OPTIONS).improved
    assert seen[0] in left if isinstance(left, range) else seen == [left]


def test_measured_on_a_worker(program, far_gpu, monkeypatch):
    """This machine has no GPU, and one of the workers has: its times choose."""
    import json
    import pathlib

    from mirage import distributed

    asked = []

    def measure(files):
        asked.append(files)
        if len(asked) == 1:
            return None  # a worker without a GPU
        description = json.loads(files["bundle.json"])
        entries = [description["baseline"], *description["candidates"]]
        took = dict(zip((entry["folder"] for entry in entries), (90.0, 70.0, 50.0)))
        lines = []
        for entry in entries:
            us = {part: took.get(entry["folder"], 80.0) for part in ("low", "median", "high")}
            lines.append(json.dumps({
                "format": "mirage-time", "version": 2, "program": description["program"], "graph": entry["graph"],
                "artifact": entry["hash"], "baseline": entry is entries[0], "library": False, "device": "played",
                "computeCapability": 90, "driver": 13000, "verdict": "right", "reason": "", "noisy": False, "hotUs": us, "coldUs": us}))
        return ("\n".join(lines) + "\n").encode()

    monkeypatch.setattr(distributed, "measure_bundle", measure)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        result = program.superoptimize(executor=pool, **far_gpu).result
    assert len(asked) == 2 and any(pathlib.PurePath(name).name == "kernels.ptx" for name in asked[0])
    assert result.ranked_by == "measured" and result.measured_us == 50.0 and result.measured_baseline_us == 90.0
    assert result.speedup == 1.8 and "50.00 us measured, 90.00 us one by one" in str(result)


def test_mistakes(program):
    closed = concurrent.futures.ThreadPoolExecutor(1)
    closed.shutdown()
    with pytest.raises(mi.RunError, match="expects an executor that takes work, got RuntimeError"):
        program.superoptimize(executor=closed)
    with pytest.raises(mi.GraphError, match="expects an executor"):
        program.superoptimize(executor=3)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        with pytest.raises(mi.GraphError, match="expects shards of 1 to 1024, got 10000000"):
            program.superoptimize(executor=pool, shards=10**7, **OPTIONS)
        with pytest.raises(mi.GraphError, match="expects shards of 1 to 1024, got 0"):
            program.superoptimize(executor=pool, shards=0)
        with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
            program.superoptimize(executor=pool, colour="red")
        with pytest.raises(mi.CompileError, match="expects max-states of 1 to .*, got 'many'"):
            program.superoptimize(executor=pool, max_states="many")


@pytest.mark.parametrize("returned", [None, 3, "a future"])
def test_executors_that_return_no_future(program, returned):
    class Executor:
        def submit(self, function, *arguments):
            return returned

    with pytest.raises(mi.GraphError, match="expects an executor whose submit.. returns a future, .* got "):
        program.superoptimize(executor=Executor(), shards=2, **OPTIONS)


class Sulking(concurrent.futures.Future):
    """Of an executor whose futures raise what they like."""

    def done(self):
        raise ValueError("no")

    def cancel(self):
        raise ValueError("no")


class SulkingExecutor:
    _max_workers = "many"

    def submit(self, function, *arguments):
        future = Sulking()
        future.set_result(function(*arguments))
        return future


def test_futures_that_raise(graph):
    graph.mark_output(graph.exp(graph.new_input((16, 64))))
    assert graph.superoptimize(executor=SulkingExecutor(), max_states=100, measure=False)


def test_a_class_is_no_executor(graph):
    graph.mark_output(graph.exp(graph.new_input((16, 64))))
    with pytest.raises(mi.GraphError, match="expects an executor of concurrent.futures, or one with its submit, got"):
        graph.superoptimize(executor=concurrent.futures.ThreadPoolExecutor, max_states=100)


def test_more_workers_than_shards_may_be():
    with concurrent.futures.ThreadPoolExecutor(5000) as pool:
        assert check_executor(pool, None) == 1024
