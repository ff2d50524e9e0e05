"""Searches that workers share: the same result as of one process."""

import concurrent.futures
import logging
import multiprocessing

import pytest

import mirage as mi

OPTIONS = dict(seed=1, max_states=30000, measure=False)


@pytest.fixture
def program():
    """A gated MLP, whose search has several boundaries to share out."""
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(8, 512))
    gate, up = graph.new_input(dims=(512, 256)), graph.new_input(dims=(512, 256))
    graph.mul(graph.silu(graph.matmul(graph.rms_norm(x), gate)), graph.matmul(x, up))
    return graph


def test_processes(program):
    alone = program.superoptimize(**OPTIONS)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        shared = program.superoptimize(executor=pool, shards=3, **OPTIONS)
    assert shared.improved and shared.mlir == alone.mlir


class LosesOne(concurrent.futures.ThreadPoolExecutor):
    """An executor one of whose workers dies."""

    def submit(self, function, *arguments):
        if arguments[-1].startswith("1/"):
            future = concurrent.futures.Future()
            future.set_exception(concurrent.futures.process.BrokenProcessPool("a worker is gone"))
            return future
        return super().submit(function, *arguments)


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


def test_mistakes(program):
    with pytest.raises(mi.GraphError, match="expects an executor"):
        program.superoptimize(executor=3)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        with pytest.raises(mi.GraphError, match="expects shards of at least 1, got 0"):
            program.superoptimize(executor=pool, shards=0)
        with pytest.raises(mi.CompileError, match="no such option colour"):
            program.superoptimize(executor=pool, colour="red")
