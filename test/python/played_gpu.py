"""Calls on GPUs, on a driver that is played (test/lib/FakeCuda): test_gpu_played.py runs these in a process
of their own, in which libcuda.so.1 is that driver. Tensors are objects of the tests' own that have DLPack
or the CUDA array interface alone."""

import contextlib
import ctypes
import gc
import json
import os
import sys
import threading
import types

import numpy as np
import pytest

import mirage as mi
from conftest import relative_error
from mirage import devices

driver = ctypes.CDLL("libcuda.so.1")
LOG = os.environ["FAKE_CUDA_LOG"]


def call(name, *arguments):
    assert getattr(driver, name)(*arguments) == 0, name


def play(settings=""):
    os.environ["FAKE_CUDA"] = f"devices=2,log={LOG}" + ("," + settings if settings else "")


def read_log(word=""):
    """What was called since it was read last."""
    try:
        with open(LOG) as file:
            lines = [line for line in file.read().splitlines() if word in line]
        os.remove(LOG)
    except FileNotFoundError:
        return []
    return lines


@contextlib.contextmanager
def current(ordinal):
    context = ctypes.c_void_p()
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), ordinal)
    call("cuCtxPushCurrent_v2", context)
    try:
        yield
    finally:
        call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))


@pytest.fixture(autouse=True)
def fresh():
    play()
    read_log()
    yield
    play()
    with current(0):
        call("cuCtxSynchronize")


class Memory:
    """Memory of a GPU that holds an array."""

    def __init__(self, array, ordinal=0):
        self.dtype, self.shape, self.ordinal = array.dtype, array.shape, ordinal
        self.strides = array.strides
        self.flat = np.ascontiguousarray(array.T if array.strides[0] < array.strides[-1] else array)
        address = ctypes.c_uint64()
        with current(ordinal):
            call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(self.flat.nbytes))
        self.address = address.value
        self.write(array)

    def write(self, array):
        flat = np.ascontiguousarray(array.T if self.strides[0] < self.strides[-1] else array)
        with current(self.ordinal):
            call("cuMemcpyHtoD_v2", ctypes.c_uint64(self.address), flat.ctypes.data_as(ctypes.c_void_p),
                 ctypes.c_size_t(flat.nbytes))

    def read(self):
        """Row-major ones."""
        array = np.empty(self.shape, self.dtype)
        with current(self.ordinal):
            call("cuMemcpyDtoH_v2", array.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(self.address),
                 ctypes.c_size_t(array.nbytes))
        return array


class ByInterface:
    """A tensor that has the CUDA array interface and says nothing of its device."""

    def __init__(self, memory, **changes):
        self.memory = memory
        self.interface = {"version": 2, "shape": memory.shape, "typestr": memory.dtype.str,
                          "data": (memory.address, False), "strides": memory.strides, **changes}

    @property
    def __cuda_array_interface__(self):
        return self.interface


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


DESTRUCTOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, DESTRUCTOR)(
    ("PyCapsule_New", ctypes.pythonapi))


class ByDLPack:
    """A tensor that has DLPack alone; `calls` are those of the protocol, "deleted" the last one."""

    def __init__(self, memory, device_type=2):
        self.memory, self.device_type, self.calls = memory, device_type, []

    def __dlpack_device__(self):
        self.calls.append("device")
        return self.device_type, self.memory.ordinal

    def __dlpack__(self, *, stream=None):
        self.calls.append(stream)
        memory, rank, calls = self.memory, len(self.memory.shape), self.calls
        strides = [stride // memory.dtype.itemsize for stride in memory.strides]
        tensor = DLTensor(memory.address, self.device_type, memory.ordinal, rank, 2, 8 * memory.dtype.itemsize, 1,
                          (ctypes.c_int64 * rank)(*memory.shape), (ctypes.c_int64 * rank)(*strides), 0)
        destructor = DESTRUCTOR(lambda _: calls.append("deleted"))
        kept.append((tensor, destructor))
        return new_capsule(ctypes.addressof(tensor), b"dltensor", destructor)


kept = []  # capsules know addresses of it alone


def make_stream(ordinal=0, flags=1):
    stream = ctypes.c_void_p()
    with current(ordinal):
        call("cuStreamCreate", ctypes.byref(stream), flags)
    return stream.value


@contextlib.contextmanager
def capture(stream, graphs, mode=0):
    with current(0):
        call("cuStreamBeginCapture_v2", ctypes.c_void_p(stream), mode)
    yield
    graph = ctypes.c_void_p()
    with current(0):
        call("cuStreamEndCapture", ctypes.c_void_p(stream), ctypes.byref(graph))
    graphs.append(graph)


def launch(graph, stream):
    executable = ctypes.c_void_p()
    with current(0):
        call("cuGraphInstantiateWithFlags", ctypes.byref(executable), graph, ctypes.c_ulonglong(0))
        call("cuGraphLaunch", executable, ctypes.c_void_p(stream))


@pytest.fixture(scope="module")
def artifact(tmp_path_factory):
    """exp(X) @ W, W by columns, as two kernels at least."""
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(8, 64), name="X")
    w = graph.new_input(dims=(64, 16), strides=(1, 64), name="W")
    graph.mark_output(graph.matmul(graph.exp(x), w))
    folder = tmp_path_factory.mktemp("played") / "program"
    graph.compile().save(folder)
    manifest = folder / "artifact" / "manifest.json"  # machine code is for real GPUs
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "cubins": {}}))
    return folder


@pytest.fixture
def program(artifact):
    return mi.load(artifact)


def make_arrays(seed=0):
    rng = np.random.default_rng(seed)
    return ((rng.standard_normal((8, 64)) * 0.5).astype(np.float16),
            rng.standard_normal((16, 64)).astype(np.float16).T, np.zeros((8, 16), np.float16))


class Run:
    """Tensors of one run."""

    def __init__(self, seed=0, ordinal=0, wrap=ByInterface):
        self.x, self.w, y = make_arrays(seed)
        self.memory = [Memory(array, ordinal) for array in (self.x, self.w, y)]
        self.inputs = [wrap(memory) for memory in self.memory[:2]]
        self.out = [wrap(self.memory[2])]

    def start(self, program, **options):
        assert program(self.inputs, out=self.out, **options) == self.out

    def check(self):
        assert relative_error(self.memory[2].read(), np.exp(self.x.astype(float)) @ self.w.astype(float)) < 1e-3


# ---------------------------------------------------------------------- devices


@pytest.mark.parametrize("wrap", [ByInterface, ByDLPack])
@pytest.mark.parametrize("ordinal", [0, 1])
def test_the_device_is_that_of_the_memory(program, wrap, ordinal):
    run = Run(ordinal=ordinal, wrap=wrap)
    read_log()
    run.start(program)
    run.check()
    assert {line.split()[-1] for line in read_log("allocates")} <= {str(ordinal)}


def test_no_emulator_beside_a_gpu(program):
    Run().start(program)
    assert program.inputs[0].shape == (8, 64)
    assert list(program._programs) == [("cuda", 0)]


def test_devices_are_not_mixed(program):
    first, second = Run(ordinal=0), Run(ordinal=1)
    for wrap in (ByInterface, ByDLPack):
        with pytest.raises(mi.RunError, match="input W: expects a tensor on cuda:0.* got one on cuda:1"):
            program([wrap(first.memory[0]), wrap(second.memory[1])], out=first.out)
    with pytest.raises(mi.RunError, match="output output0: expects a tensor on cuda:0.* got one on cuda:1"):
        program(first.inputs, out=second.out)
    with pytest.raises(mi.RunError, match="input W: expects a tensor on cuda:0.* got one on the CPU"):
        program([first.inputs[0], first.w], out=first.out)


def test_memory_of_the_host_is_no_gpu_memory(program):
    run = Run()
    wrong = ByInterface(run.memory[0], data=(run.x.ctypes.data, False))
    with pytest.raises(mi.RunError, match="expects an address of a GPU's memory, got 0x"):
        program([wrong, run.inputs[1]], out=run.out)


def test_a_stream_of_another_device(program):
    run = Run()
    stream = types.SimpleNamespace(ptr=make_stream(1), device_id=1)
    with pytest.raises(mi.RunError, match="expects a stream of cuda:0, where the tensors are, got one of cuda:1"):
        run.start(program, stream=stream)


# ---------------------------------------------------------------------- what objects say


@pytest.mark.parametrize("changes, message", [
    ({"typestr": "|b"}, r"input X: expects float16, got \|b"),
    ({"typestr": "<i2"}, "input X: expects float16, got <i2"),
    ({"typestr": 3}, "input X: expects float16, got 3"),
    ({"shape": None}, "that says where it lies, got ByInterface"),
    ({"strides": (127, 2)}, "expects strides of whole elements"),
    ({"mask": "yes"}, "with a mask"),
    ({"version": 3, "stream": 0}, "as 1, 2 or an address, got 0"),
])
def test_interfaces_that_are_wrong(program, changes, message):
    run = Run()
    with pytest.raises(mi.RunError, match=message):
        program([ByInterface(run.memory[0], **changes), run.inputs[1]], out=run.out)


def test_outputs_that_may_not_be_written(program):
    run = Run()
    with pytest.raises(mi.RunError, match="expects a tensor that may be written"):
        program(run.inputs, out=[ByInterface(run.memory[2], data=(run.memory[2].address, True))])


def test_outputs_have_to_be_given(program):
    with pytest.raises(mi.RunError, match="expects out=, a tensor for each output, where inputs are of ByInterface"):
        program(Run().inputs)


def test_dlpack_asks_for_the_device_first(program):
    run = Run(wrap=ByDLPack)
    run.start(program)
    for tensor in [run.inputs[1], *run.out]:
        assert tensor.calls[:2] == ["device", 1]  # the default stream, as DLPack calls it
    assert run.inputs[0].calls[:3] == ["device", "device", 1]
    odd = ByDLPack(run.memory[0], device_type=7)
    with pytest.raises(mi.RunError, match="got DLPack's device 7"):
        program([odd, run.inputs[1]], out=run.out)
    assert odd.calls == ["device"]


@pytest.mark.parametrize("error", [BufferError("no"), RuntimeError("no"), ValueError("no"), KeyError("no")])
def test_dlpack_that_refuses(program, error):
    class Refusing(ByDLPack):
        def __dlpack__(self, **_):
            raise error

    run = Run()
    with pytest.raises(mi.RunError, match="says where it lies, got Refusing: .*no"):
        program([run.inputs[0], Refusing(run.memory[1])], out=run.out)


# ---------------------------------------------------------------------- streams


def test_the_default_stream_costs_nothing_more(program):
    run = Run()
    run.start(program)
    read_log()
    run.start(program)
    lines = read_log()
    assert [line for line in lines if "allocates" in line] == []
    # The event is the one that keeps the tensors.
    assert [line for line in lines if "event" in line] == [lines[-1]]
    assert all(line.endswith(" on default") for line in lines)


@pytest.mark.parametrize("wrap", [int, lambda address: types.SimpleNamespace(cuda_stream=address),
                                  lambda address: types.SimpleNamespace(ptr=address),
                                  lambda address: types.SimpleNamespace(__cuda_stream__=lambda: (0, address))])
def test_a_stream_that_is_given(program, wrap):
    stream = make_stream()
    run = Run(wrap=ByDLPack)
    run.start(program, stream=wrap(stream))
    run.check()
    assert run.out[0].calls[1] == stream
    runs = [line for line in read_log(" on ") if "event" not in line and "allocates" not in line]
    assert runs and all(line.split()[-1].startswith("s") for line in runs)


@pytest.mark.parametrize("stream", ["s", -1, 2**64, True, 1.5, types.SimpleNamespace(ptr="s")])
def test_streams_that_are_none(program, stream):
    with pytest.raises(mi.RunError, match="expects a stream of torch or CuPy or its address"):
        Run().start(program, stream=stream)


def test_the_current_stream_of_cupy(program, monkeypatch):
    stream = make_stream()

    class Device(contextlib.nullcontext):
        pass

    cuda = types.SimpleNamespace(Device=Device, get_current_stream=lambda: types.SimpleNamespace(ptr=stream))
    monkeypatch.setitem(sys.modules, "cupy", types.SimpleNamespace(cuda=cuda))
    monkeypatch.setattr(ByInterface, "__module__", "cupy")
    run = Run()
    run.start(program)
    run.check()
    runs = [line for line in read_log(" on ") if "event" not in line and "allocates" not in line]
    assert runs and all(line.split()[-1].startswith("s") for line in runs)


def test_interfaces_say_which_stream_writes(program):
    stream = make_stream()
    run = Run()
    for changes, waits in (({"version": 2}, False), ({"version": 3}, False), ({"version": 3, "stream": None}, False),
                           ({"version": 3, "stream": 1}, False), ({"version": 3, "stream": stream}, True)):
        read_log()
        program([ByInterface(run.memory[0], **changes), run.inputs[1]], out=run.out)
        assert bool(read_log("default waits for event")) == waits, changes
    run.check()
    graphs = []
    with capture(stream, graphs):
        with pytest.raises(mi.RunError, match="expects a tensor whose stream is in no capture"):
            program([ByInterface(run.memory[0], version=3, stream=stream), run.inputs[1]], out=run.out)
    assert graphs[0]


def test_streams_wait_for_one_another(program):
    play("late")
    runs = [Run(seed) for seed in range(4)]
    streams = [make_stream(), make_stream(), None, make_stream()]
    for run, stream in zip(runs, streams):
        run.start(program, stream=stream)
    for run in runs:
        run.check()


def test_threads_share_a_program(program):
    play("pause=200")
    runs = [Run(seed) for seed in range(8)]
    errors = []

    def work(mine):
        try:
            for run in mine:
                run.start(program)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(runs[first::2],)) for first in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    for run in runs:
        run.check()


# ---------------------------------------------------------------------- memory


def test_tensors_are_kept_until_the_run_has_ended(program):
    play("late")
    run = Run(wrap=ByDLPack)
    run.start(program)
    calls = [tensor.calls for tensor in run.inputs]
    run.inputs, memory = None, run.memory
    gc.collect()
    other = Run(1)
    # What waits is done when somebody waits, as making those tensors does: once more.
    read = ByDLPack(memory[0])
    program([read, ByDLPack(memory[1])], out=[ByDLPack(memory[2])])
    assert "deleted" in calls[0], "the run has ended"
    other.start(program)
    assert "deleted" not in read.calls, "the run waits in its stream"
    memory[2].read()
    other.start(program)
    assert "deleted" in read.calls


def test_nothing_is_allocated_after_the_first_call(program):
    run = Run()
    run.start(program)
    with current(0):
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        before = free.value
        read_log()
        for _ in range(5):
            run.start(program)
        call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    assert free.value == before and read_log("allocates") == []


# ---------------------------------------------------------------------- captures


@pytest.mark.parametrize("wrap", [ByInterface, ByDLPack])
@pytest.mark.parametrize("mode", [0, 1])
def test_capture(program, wrap, mode):
    stream, graphs = make_stream(), []
    run = Run(wrap=wrap)
    run.start(program)
    with capture(stream, graphs, mode):
        run.start(program, stream=stream)
        if wrap is ByDLPack:
            assert run.out[0].calls[-2:] == [-1, "deleted"]
    other = make_arrays(1)
    run.memory[0].write(other[0])
    run.x = other[0]
    launch(graphs[0], stream)
    run.check()


def test_programs_go_during_a_capture(artifact):
    stream, graphs = make_stream(), []
    programs = [mi.load(artifact) for _ in range(3)]
    Run().start(programs[0])
    Run().start(programs[1], stream=stream)
    with capture(stream, graphs):
        read_log()
        del programs
        gc.collect()
        assert read_log("frees") != []
    assert graphs[0]


def test_a_program_that_was_captured_goes_with_the_next_load(program, artifact):
    stream, graphs = make_stream(), []
    run = Run()
    run.start(program)
    with capture(stream, graphs):
        run.start(program, stream=stream)
    launch(graphs[0], stream)
    read_log()
    program._programs.clear()
    gc.collect()
    assert read_log("frees") == []
    Run().start(mi.load(artifact))
    assert read_log("frees") != []


def test_forked_children_free_nothing(program):
    Run().start(program)
    read_log()
    child = os.fork()
    if child == 0:
        program._programs.clear()
        gc.collect()
        os._exit(0)
    os.waitpid(child, 0)
    assert read_log("frees") == []
    program._programs.clear()
    gc.collect()
    assert read_log("frees") != []


def test_gpus_are_found():
    assert mi.devices.find_gpu(1) == "fake device"
    assert mi.devices.find_gpu(2) is None
    assert devices.get_gpu(("cuda", 1)).is_capturing(make_stream(1)) is False


# ---------------------------------------------------------------------- measuring


@pytest.fixture
def no_ptxas(tmp_path, monkeypatch):
    """The driver that is played takes PTX and no cubin."""
    program = tmp_path / "ptxas"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path), os.environ["PATH"]]))


def make_norm_linear():
    graph = mi.new_kernel_graph()
    x, w = graph.new_input(dims=(16, 64)), graph.new_input(dims=(64, 128))
    graph.matmul(graph.rms_norm(x), w)
    return graph


def test_searches_measure(no_ptxas):
    optimized = make_norm_linear().superoptimize(max_states=5000)
    result = optimized.result
    assert result.ranked_by == "measured" and result.why_not_measured == ""
    assert result.measured_us > 0 and result.measured_baseline_us > 0
    times = result.report["graphs"][0]["times"]
    assert any(time["baseline"] for time in times) and any(not time["baseline"] for time in times)
    assert result.measured_us in [time["coldUs"]["median"] for time in times if time["verdict"] == "right"]
    assert 'chip = "sm_90a"' in optimized.mlir  # that of the GPU
    assert " us measured, " in str(result)


def test_a_gpu_that_is_not_the_target_does_not_measure(no_ptxas):
    result = make_norm_linear().superoptimize(target="sm_80", max_states=5000).result
    assert result.improved and result.ranked_by == "predicted" and result.why_not_measured == "no sm_80 at hand"


def test_the_gpu_that_is_chosen_measures(no_ptxas):
    try:
        mi.set_gpu_device_id(7)
        result = make_norm_linear().superoptimize(max_states=5000).result
        assert result.why_not_measured == "no GPU"
        with pytest.raises(mi.CompileError, match="candidates cannot be measured: .*7"):
            make_norm_linear().superoptimize(measure=True, max_states=5000)
    finally:
        mi.set_gpu_device_id(0)
