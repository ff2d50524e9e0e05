"""Calls on tensors of torch on real GPUs; skipped where there are none. `pytest -rs test/python/test_gpu.py`
runs all that needs a GPU; played_gpu.py has what can be tested without one."""

import gc
import threading

import numpy as np
import pytest

import mirage as mi
from conftest import relative_error

try:
    import torch
except ImportError:
    torch = None

COUNT = torch.cuda.device_count() if torch is not None and torch.cuda.is_available() else 0
pytestmark = pytest.mark.skipif(COUNT == 0, reason="needs a GPU and torch")
needs_two = pytest.mark.skipif(COUNT < 2, reason="needs two GPUs and torch")


@pytest.fixture(scope="module")
def compiled():
    """exp(X) @ W, W by columns."""
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(8, 64), name="X")
    w = graph.new_input(dims=(64, 16), strides=(1, 64), name="W")
    graph.mark_output(graph.matmul(graph.exp(x), w))
    return graph.compile()


@pytest.fixture
def program(compiled, tmp_path):
    """Not yet loaded."""
    compiled.save(tmp_path / "program")
    return mi.load(tmp_path / "program")


def make_inputs(device="cuda", seed=0):
    generator = torch.Generator().manual_seed(seed)
    x = (torch.randn(8, 64, generator=generator) * 0.5).half()
    w = torch.randn(16, 64, generator=generator).half()
    return [x.to(device), w.to(device).t()]


def check(out, inputs):
    x, w = (tensor.cpu().double().numpy() for tensor in inputs)
    assert relative_error(out.cpu().numpy(), np.exp(x) @ w) < 1e-3


class OtherThread:
    """Runs a program in a stream of its own, in a thread that ends before the caller goes on."""

    def __init__(self, program, inputs):
        self.program, self.inputs = program, inputs
        self.stream = torch.cuda.Stream()
        self.out = torch.zeros(8, 16, dtype=torch.float16, device="cuda")
        self.errors = []

    def run(self):
        thread = threading.Thread(target=self._work)
        thread.start()
        thread.join()

    def _work(self):
        try:
            with torch.cuda.stream(self.stream):
                self.program(self.inputs, out=[self.out])
        except BaseException as error:
            self.errors.append(error)

    def check(self):
        assert self.errors == []
        check(self.out, self.inputs)


def delay(stream):
    """Keeps a stream busy for some milliseconds."""
    with torch.cuda.stream(stream):
        torch.cuda._sleep(20_000_000)


# ---------------------------------------------------------------------- devices


def test_gpu(program):
    inputs = make_inputs()
    (out,) = program(inputs)
    assert out.is_cuda
    check(out, inputs)
    assert list(program._programs) == [("cuda", 0)]


@needs_two
def test_another_gpu(program):
    for ordinal in (1, 0, 1):
        inputs = make_inputs(f"cuda:{ordinal}")
        (out,) = program(inputs)  # whichever device is current
        assert out.get_device() == ordinal
        check(out, inputs)


@needs_two
def test_devices_are_not_mixed(program):
    x, w = make_inputs("cuda:0")
    with pytest.raises(mi.RunError, match="input W: expects a tensor on cuda:0.* got one on cuda:1"):
        program([x, w.to("cuda:1")])


def test_the_cpu_is_not_mixed_in(program):
    x, w = make_inputs()
    with pytest.raises(mi.RunError, match="input W: expects a tensor on cuda:0.* got one on the CPU"):
        program([x, w.cpu()])


@needs_two
def test_a_stream_of_another_gpu(program):
    with pytest.raises(mi.RunError, match="expects a stream of cuda:0, where the tensors are, got one of cuda:1"):
        program(make_inputs("cuda:0"), stream=torch.cuda.Stream(1))


# ---------------------------------------------------------------------- streams


def test_the_current_stream(program):
    """The inputs are written there, late."""
    stream = torch.cuda.Stream()
    source = make_inputs()
    program(source)
    inputs = [torch.zeros_like(tensor) for tensor in source]
    torch.cuda.synchronize()
    delay(stream)
    with torch.cuda.stream(stream):
        for tensor, values in zip(inputs, source):
            tensor.copy_(values)
        (out,) = program(inputs)
    stream.synchronize()
    check(out, source)


@pytest.mark.parametrize("wrap", [lambda stream: stream, lambda stream: stream.cuda_stream])
def test_a_stream_that_is_given(program, wrap):
    stream = torch.cuda.Stream()
    inputs = make_inputs()
    program(inputs)
    stream.wait_stream(torch.cuda.current_stream())
    delay(stream)
    (out,) = program(inputs, stream=wrap(stream))
    torch.cuda.current_stream().wait_stream(stream)
    check(out, inputs)


def test_memory_is_not_handed_out_while_a_given_stream_uses_it(program):
    stream = torch.cuda.Stream()
    source = make_inputs()
    program(source)
    torch.cuda.synchronize()
    inputs = [tensor.clone(memory_format=torch.preserve_format) for tensor in source]
    addresses = {tensor.data_ptr() for tensor in inputs}
    stream.wait_stream(torch.cuda.current_stream())
    delay(stream)
    (out,) = program(inputs, stream=stream)
    del inputs
    others = [torch.full((8, 64), 7.0, dtype=torch.float16, device="cuda") for _ in range(8)]
    others += [torch.full((16, 64), 7.0, dtype=torch.float16, device="cuda") for _ in range(8)]
    assert not addresses & {tensor.data_ptr() for tensor in others}
    stream.synchronize()
    check(out, source)


def test_streams_wait_for_one_another(program):
    runs = [make_inputs(seed=seed) for seed in range(8)]
    streams = [torch.cuda.Stream() for _ in range(3)] + [torch.cuda.default_stream()]
    torch.cuda.synchronize()
    outs = []
    for number, inputs in enumerate(runs):
        with torch.cuda.stream(streams[number % len(streams)]):
            outs.append(program(inputs)[0])
    torch.cuda.synchronize()
    for out, inputs in zip(outs, runs):
        check(out, inputs)


@pytest.mark.parametrize("own_streams", [False, True])
def test_threads_share_a_program(program, own_streams):
    runs = [[make_inputs(seed=10 * thread + number) for number in range(10)] for thread in range(4)]
    outs, errors = {}, []
    torch.cuda.synchronize()

    def work(thread):
        try:
            stream = torch.cuda.Stream() if own_streams else torch.cuda.default_stream()
            with torch.cuda.stream(stream):
                for _ in range(50):
                    outs[thread] = [program(inputs)[0] for inputs in runs[thread]]
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    torch.cuda.synchronize()
    assert errors == []
    for thread in range(4):
        for out, inputs in zip(outs[thread], runs[thread]):
            check(out, inputs)


# ---------------------------------------------------------------------- memory


def test_nothing_is_allocated_with_out(program):
    inputs = make_inputs()
    out = program(inputs)
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before, free = torch.cuda.memory_stats()["allocation.all.allocated"], torch.cuda.mem_get_info()[0]
    for _ in range(100):
        assert program(inputs, out=out)[0] is out[0]
    torch.cuda.synchronize()
    assert torch.cuda.memory_stats()["allocation.all.allocated"] == before
    assert torch.cuda.mem_get_info()[0] == free


class ByDLPack:
    def __init__(self, tensor):
        self.tensor, self.calls = tensor, []

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, stream=None, **options):
        self.calls.append(stream)
        return self.tensor.__dlpack__(stream=stream, **options)


class ByInterface:
    def __init__(self, tensor):
        self.__cuda_array_interface__ = tensor.__cuda_array_interface__
        self.tensor = tensor


@pytest.mark.parametrize("wrap", [ByDLPack, ByInterface])
def test_tensors_of_others(program, wrap):
    for ordinal in range(min(COUNT, 2)):
        inputs = make_inputs(f"cuda:{ordinal}")
        out = torch.zeros(8, 16, dtype=torch.float16, device=f"cuda:{ordinal}")
        torch.cuda.synchronize(ordinal)
        program([wrap(tensor) for tensor in inputs], out=[wrap(out)])
        torch.cuda.synchronize(ordinal)
        check(out, inputs)


def test_memory_of_the_host_is_no_gpu_memory(program):
    class OnTheHost:
        def __init__(self, array):
            self.array = array
            self.__cuda_array_interface__ = {"version": 2, "shape": array.shape, "typestr": "<f2",
                                             "data": (array.ctypes.data, False)}

    _, w = make_inputs()
    out = [torch.zeros(8, 16, dtype=torch.float16, device="cuda")]
    with pytest.raises(mi.RunError, match="expects an address of a GPU's memory"):
        program([OnTheHost(np.zeros((8, 64), np.float16)), w], out=out)
    pinned = torch.zeros(8, 64, dtype=torch.float16).pin_memory()
    with pytest.raises(mi.RunError, match="in memory of the host"):
        program([OnTheHost(pinned.numpy()), w], out=out)


# ---------------------------------------------------------------------- graphs of programs


def test_runs_keep_the_tensors_that_they_were_enqueued_with(program):
    sets = [make_inputs(seed=seed) for seed in range(6)]
    program(sets[0])
    delay(torch.cuda.current_stream())
    outs = [program(inputs)[0] for inputs in 3 * sets]
    for out, inputs in zip(outs, 3 * sets):
        check(out, inputs)


def test_a_first_run_beside_a_capture(compiled, tmp_path):
    compiled.save(tmp_path / "program")
    captured, other = (mi.load(tmp_path / "program") for _ in range(2))
    inputs, others = make_inputs(), make_inputs(seed=1)
    captured(inputs)
    other._load(("cuda", 0))
    beside = OtherThread(other, others)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="global"):
        (out,) = captured(inputs)
        beside.run()
    graph.replay()
    torch.cuda.synchronize()
    check(out, inputs)
    beside.check()


# ---------------------------------------------------------------------- captures


def test_capture_and_replay(program):
    inputs = make_inputs()
    program(inputs)  # before a capture, once
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        (first,) = program(inputs)
        (second,) = program([inputs[0] * 2, inputs[1]])
    for seed in (1, 2):
        for tensor, values in zip(inputs, make_inputs(seed=seed)):
            tensor.copy_(values)
        graph.replay()
        check(first, inputs)
        check(second, [inputs[0] * 2, inputs[1]])
    # Beside plain runs, all in the current stream.
    (out,) = program(inputs)
    graph.replay()
    check(out, inputs)
    check(first, inputs)


def test_capture_in_two_streams(program):
    inputs, others = make_inputs(), make_inputs(seed=1)
    program(inputs)
    graph, side = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    with torch.cuda.graph(graph):
        main = torch.cuda.current_stream()
        side.wait_stream(main)
        (first,) = program(inputs)
        with torch.cuda.stream(side):
            (second,) = program(others)
        main.wait_stream(side)
    for _ in range(20):
        graph.replay()
    check(first, inputs)
    check(second, others)


def test_programs_go_during_a_capture(compiled, tmp_path):
    compiled.save(tmp_path / "program")
    inputs = make_inputs()
    programs = [mi.load(tmp_path / "program") for _ in range(3)]
    programs[0](inputs)
    with torch.cuda.stream(torch.cuda.Stream()):
        programs[1](inputs)
    programs[2](inputs)
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        (out,) = programs[2](inputs)
        del programs[:2]
        gc.collect()
    graph.replay()
    check(out, inputs)


def test_a_captured_program_that_goes_leaves_its_last_replay_alone(compiled, tmp_path):
    compiled.save(tmp_path / "program")
    program, inputs = mi.load(tmp_path / "program"), make_inputs()
    program(inputs)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        (out,) = program(inputs)
    delay(torch.cuda.current_stream())
    graph.replay()
    del program
    gc.collect()
    check(out, inputs)
    mi.load(tmp_path / "program")(inputs)  # which frees the other one


def test_other_threads_run_during_a_capture(program):
    inputs = make_inputs()
    program(inputs)
    beside = OtherThread(program, inputs)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        (out,) = program(inputs)
        beside.run()
    graph.replay()
    torch.cuda.synchronize()
    check(out, inputs)
    beside.check()
