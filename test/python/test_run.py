"""Calls: what tensors a program takes, and numbers on the emulator."""

import os
import pathlib
import re
import sys

import numpy as np
import pytest

import mirage as mi
from mirage import _library, tensors
from conftest import relative_error


@pytest.fixture
def program(graph):
    """exp(X) @ W, W by columns."""
    x = graph.new_input(dims=(8, 64), name="X")
    w = graph.new_input(dims=(64, 16), strides=(1, 64), name="W")
    graph.mark_output(graph.matmul(graph.exp(x), w))
    return graph


def make_inputs(rng):
    return (rng.standard_normal((8, 64)) * 0.5).astype(np.float16), rng.standard_normal((16, 64)).astype(np.float16)


def check(out, x, w):
    assert relative_error(out, np.exp(x.astype(float)) @ w.T.astype(float)) < 1e-3


def test_numpy(program, rng):
    x, w = make_inputs(rng)
    (out,) = program(inputs=[x, w.T])
    assert out.dtype == np.float16 and out.shape == (8, 16)
    check(out, x, w)
    given = np.empty_like(out)
    (same,) = program([x, w.T], out=[given])
    assert same is given
    assert np.array_equal(given, out)


def test_torch(program, rng):
    torch = pytest.importorskip("torch")
    x, w = make_inputs(rng)
    (out,) = program([torch.from_numpy(x), torch.from_numpy(w).t()])
    assert isinstance(out, torch.Tensor) and out.dtype == torch.float16
    check(out.numpy(), x, w)


def test_bfloat16_and_float8_of_torch(graph):
    torch = pytest.importorskip("torch")
    x = graph.new_input(dims=(16, 64), dtype=torch.float8_e4m3fn)
    w = graph.new_input(dims=(64, 32), dtype=torch.bfloat16)
    graph.matmul(x, w)
    a, b = torch.randn(16, 64).to(torch.float8_e4m3fn), torch.randn(64, 32).bfloat16()
    (out,) = graph([a, b])
    assert out.dtype == torch.bfloat16
    assert relative_error(out.double(), a.double() @ b.double()) < 8e-3


class ByDLPack:
    """A tensor of somebody who has nothing but DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack(program, rng):
    x, w = make_inputs(rng)
    (out,) = program([ByDLPack(x), ByDLPack(w.T)])
    check(out, x, w)


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda x, w: [x], "expects 2 inputs (X, W), got 1"),
        (lambda x, w: [x[:4], w.T], "input X: expects shape [8, 64], got [4, 64]"),
        (lambda x, w: [x.astype(np.float32), w.T], "input X: expects float16, got float32"),
        (lambda x, w: [x.astype(np.int16), w.T], "input X: expects float16, got int16"),
        (lambda x, w: [x, np.ascontiguousarray(w.T)], "input W: expects strides [1, 64], got [16, 1]"),
        (lambda x, w: [x, "w"], "expects a tensor of torch or NumPy"),
        (lambda x, w: x, "expects inputs as a list of tensors, got ndarray"),
        (lambda x, w: [np.ma.masked_greater(x, 0), w.T], "input X: expects a tensor all of whose elements count"),
    ],
)
def test_tensors_that_do_not_fit(program, rng, change, message):
    with pytest.raises(mi.RunError) as caught:
        program(change(*make_inputs(rng)))
    assert message in str(caught.value)


class Refusing:
    """A tensor whose owner does not hand it over."""

    def __init__(self, error):
        self.error = error

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **_):
        raise self.error


class Misshapen(ByDLPack):
    """A tensor whose capsule is none that DLPack allows: `change` gets the DLTensor of a good one."""

    def __init__(self, change):
        super().__init__(np.zeros((8, 64), np.float16))
        self.change = change

    def __dlpack__(self, **_):
        capsule = self.array.__dlpack__()
        self.change(tensors._DLTensor.from_address(tensors._get_pointer(capsule, b"dltensor")))
        return capsule


def set_rank(rank):
    return lambda tensor: setattr(tensor, "ndim", rank)


def take_shape(tensor):
    tensor.shape = None


class Odd:
    """An object that fails where it is looked at."""

    @property
    def __cuda_array_interface__(self):
        raise ValueError("odd")


@pytest.mark.parametrize("make, message", [
    (lambda: Refusing(BufferError("lent out")), "says where it lies, got Refusing: lent out"),
    (lambda: Refusing(RuntimeError()), "says where it lies, got Refusing: RuntimeError"),
    (Odd, "says where it lies, got Odd: odd"),
    (lambda: Misshapen(set_rank(2**31 - 1)), "with the sizes of up to 64 dimensions, got one of 2147483647"),
    (lambda: Misshapen(set_rank(-1)), "with the sizes of up to 64 dimensions, got one of -1"),
    (lambda: Misshapen(take_shape), "with the sizes of up to 64 dimensions, got one of 2 without sizes"),
    (lambda: np.empty((8, 64), "V0"), "input X: expects float16, got |V0"),
    (lambda: np.empty((8, 64), object), "input X: expects float16, got object"),
    (lambda: None, "expects a tensor of torch or NumPy"),
])
def test_objects_that_hand_nothing_over(program, rng, make, message):
    _, w = make_inputs(rng)
    for given in ([make(), w.T], [w, make()]):
        with pytest.raises(mi.RunError) as caught:
            program(given)
    with pytest.raises(mi.RunError) as caught:
        program([make(), w.T])
    assert message in str(caught.value)


@pytest.mark.parametrize("make, message", [
    (lambda torch: torch.nested.nested_tensor([torch.zeros(64)] * 8), "got a nested one"),
    (lambda torch: torch.nested.nested_tensor([torch.zeros(64)] * 8, layout=torch.jagged), "got a nested one"),
    (lambda torch: torch.zeros(8, 64).to_sparse(), "expects a strided tensor, got torch.sparse_coo one"),
    (lambda torch: torch.zeros(8, 64, device="meta"), "got one on meta"),
    (lambda torch: torch._neg_view(torch.zeros(8, 64)), "conjugated or negated"),
])
def test_tensors_of_torch_that_are_none(program, rng, make, message):
    torch = pytest.importorskip("torch")
    _, w = make_inputs(rng)
    with pytest.raises(mi.RunError) as caught:
        program([make(torch), w.T])
    assert message in str(caught.value)


def test_what_may_only_be_read_is_read(program, rng):
    """By DLPack, too, whose version 1 has a way to say so."""
    x, w = make_inputs(rng)
    x.setflags(write=False)
    check(program([ByDLPack(x), w.T])[0], x, w)
    out = np.empty((8, 16), np.float16)
    out.setflags(write=False)
    with pytest.raises(mi.RunError, match="expects a tensor that may be written, got one that is read-only"):
        program([x, w.T], out=[ByDLPack(out)])


def test_a_stream_on_the_cpu(program, rng):
    x, w = make_inputs(rng)
    with pytest.raises(mi.RunError, match="expects no stream where tensors are on the CPU"):
        program([x, w.T], stream=1)


def test_outputs_that_do_not_fit(program, rng):
    x, w = make_inputs(rng)
    with pytest.raises(mi.RunError, match=r"output output0: expects shape \[8, 16\], got \[16, 8\]"):
        program([x, w.T], out=[np.empty((16, 8), np.float16)])
    with pytest.raises(mi.RunError, match="expects 1 outputs"):
        program([x, w.T], out=[])


def test_outputs_that_may_not_be_written(program, rng):
    x, w = make_inputs(rng)
    kept = bytes(8 * 16 * 2)
    with pytest.raises(mi.RunError, match="expects a tensor that may be written, got one that is read-only"):
        program([x, w.T], out=[np.frombuffer(kept, np.float16).reshape(8, 16)])
    assert kept == bytes(8 * 16 * 2)


def test_outputs_that_are_something_else(graph, rng):
    x = graph.new_input(dims=(8, 64))
    graph.mark_output(graph.exp(x))
    graph.mark_output(graph.square(x))
    x, y = rng.standard_normal((8, 64)).astype(np.float16), np.empty((8, 64), np.float16)
    for out in ([y, y], [x, y], [y, x[:, ::-1][:, ::-1]]):
        with pytest.raises(mi.RunError, match="expects memory of its own"):
            graph([x], out=out)


def test_bytes_in_the_other_order(program, rng):
    x, w = make_inputs(rng)
    with pytest.raises(mi.RunError, match="expects float16, got >f2"):
        program([x.astype(">f2"), w.T])


def run_code(code):
    """What a Python of its own prints, as a process is to fork that has no threads of other tests."""
    import subprocess

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_forked_children_leave_programs_alone():
    code = ("import mirage as mi, os, sys\n"
            "graph = mi.new_kernel_graph()\n"
            "graph.exp(graph.new_input((8, 64)))\n"
            "compiled = graph.compile()\n"
            "child = os.fork()\n"
            "if child == 0:\n    sys.exit(0)\n"
            "os.waitpid(child, 0)\n"
            "print('.target' in compiled.ptx)\n")
    assert run_code(code) == "True\n"


def test_a_forked_child_calls_a_program_that_another_thread_is_in():
    code = ("import mirage as mi, numpy as np, os, signal, threading, time\n"
            "graph = mi.new_kernel_graph()\n"
            "graph.matmul(*(graph.new_input((512, 512)) for _ in range(2)))\n"
            "compiled, ones = graph.compile(), np.ones((512, 512), np.float16)\n"
            "threading.Thread(target=lambda: [compiled([ones, ones]) for _ in range(100)], daemon=True).start()\n"
            "time.sleep(0.3)\n"
            "child = os.fork()\n"
            "if child == 0:\n"
            "    signal.alarm(30)\n"
            "    print(compiled([ones, ones])[0][0, 0], flush=True)\n"
            "    os._exit(0)\n"
            "print(os.waitpid(child, 0)[1])\n")
    assert run_code(code) == "512.0\n0\n"


def test_a_forked_child_takes_locks_that_other_threads_hold():
    import signal
    import threading

    from mirage.locks import ForkSafeLock

    lock, is_held, is_over = ForkSafeLock(), threading.Event(), threading.Event()

    def hold():
        with lock:
            is_held.set()
            is_over.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    assert is_held.wait(60)
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        with lock:
            os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    is_over.set()
    holder.join()


def test_copies_of_programs(program, rng):
    import copy
    import pickle

    x, w = make_inputs(rng)
    compiled = program.compile()
    expected = compiled([x, w.T])[0]
    for copied in (pickle.loads(pickle.dumps(compiled)), copy.deepcopy(compiled)):
        assert np.array_equal(copied([x, w.T])[0], expected)


def test_threads_share_a_program(program, rng):
    from concurrent.futures import ThreadPoolExecutor

    compiled = program.compile()
    inputs = [make_inputs(rng) for _ in range(8)]
    with ThreadPoolExecutor(4) as pool:
        for (x, w), (out,) in zip(inputs, pool.map(lambda pair: compiled([pair[0], pair[1].T]), inputs)):
            check(out, x, w)


def test_gradients_are_refused(program, rng):
    torch = pytest.importorskip("torch")
    x, w = make_inputs(rng)
    x = torch.from_numpy(x).requires_grad_()
    with pytest.raises(mi.RunError, match="need no gradient"):
        program([x, torch.from_numpy(w).t()])
    with torch.no_grad():
        check(program([x, torch.from_numpy(w).t()])[0].numpy(), x.detach().numpy(), w)


def test_tangents_are_refused(program, rng):
    """They would be lost: of inputs, of outputs that are there, and by torch.func."""
    torch = pytest.importorskip("torch")
    forward_ad = torch.autograd.forward_ad
    x, w = (torch.from_numpy(tensor) for tensor in make_inputs(rng))
    with forward_ad.dual_level(), torch.no_grad():
        dual = forward_ad.make_dual(x, torch.ones_like(x))
        with pytest.raises(mi.RunError, match="input X: expects tensors without tangents"):
            program([dual, w.t()])
        y = torch.zeros(8, 16, dtype=torch.float16)
        with pytest.raises(mi.RunError, match="output output0: expects tensors without tangents"):
            program([x, w.t()], out=[forward_ad.make_dual(y, y)])
        check(program([dual.detach(), w.t()])[0].numpy(), x.numpy(), w.numpy())
    with pytest.raises(mi.RunError, match="expects tensors without tangents"):
        torch.func.jvp(lambda x: program([x, w.t()])[0], (x,), (torch.ones_like(x),))
    with pytest.raises(mi.RunError, match="expects a tensor with memory of its own, .*torch.func"):
        torch.func.vmap(lambda x: program([x, w.t()])[0])(torch.stack([x, x]))


def test_tangents_that_somebody_else_computes(program, rng):
    """A function of torch's may say what they are: in its forward there are none."""
    torch = pytest.importorskip("torch")
    x, w = (torch.from_numpy(tensor) for tensor in make_inputs(rng))

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return program([x, w.t()])[0]

        @staticmethod
        def setup_context(context, inputs, output):
            pass

        @staticmethod
        def jvp(context, tangent):
            return tangent @ w.t()

    with torch.autograd.forward_ad.dual_level():
        result = Product.apply(torch.autograd.forward_ad.make_dual(x, torch.ones_like(x)))
        y, tangent = torch.autograd.forward_ad.unpack_dual(result)
    check(y.numpy(), x.numpy(), w.numpy())
    assert torch.equal(tangent, torch.ones_like(x) @ w.t())


def test_unknown_and_unused_arguments(program, rng):
    x, w = make_inputs(rng)
    with pytest.raises(TypeError, match="colour"):
        program([x, w.T], colour="red")
    with pytest.warns(UserWarning, match="num_warp_groups: no effect"):
        program([x, w.T], num_warp_groups=2)


def test_inputs_to_compile_for(program, rng):
    x, w = make_inputs(rng)
    assert program.compile(inputs=[x, w.T]) is program.compile()
    for given, message in (([x], "expects 2 inputs"), ([x[:4], w.T], "input X: expects shape"), ([1, w.T], "got int"),
                           (1, "expects inputs as a list of tensors, got int")):
        with pytest.raises(mi.RunError, match=message):
            program.compile(inputs=given)


def test_what_is_known_of_a_program(program):
    compiled = program.compile()
    assert [(spec.name, spec.shape, spec.strides) for spec in compiled.inputs] == [
        ("X", (8, 64), (64, 1)), ("W", (64, 16), (1, 64))]
    assert compiled.outputs[0].dtype == mi.float16
    assert ".target sm_90a" in compiled.ptx and "mirage_kernel.graph" in compiled.mlir


def test_a_description_without_end_is_none(tmp_path):
    (tmp_path / "result.json").write_text("[" * 100000)
    with pytest.raises(mi.RunError, match=r"expects a folder that save\(\) has made"):
        mi.load(tmp_path)


def test_save_and_load(program, rng, tmp_path, monkeypatch):
    x, w = make_inputs(rng)
    optimized = program.superoptimize(max_states=2000)
    expected = optimized([x, w.T])[0]
    optimized.save(tmp_path / "kept")
    loaded = mi.load(tmp_path / "kept")
    assert isinstance(loaded, mi.OptimizedGraph) and loaded.result == optimized.result
    assert loaded.mlir == optimized.mlir and loaded.ptx == optimized.ptx
    assert np.array_equal(loaded([x, w.T])[0], expected)
    monkeypatch.chdir(tmp_path)
    relative = mi.load("kept")
    monkeypatch.chdir("/")
    assert np.array_equal(relative([x, w.T])[0], expected)
    with pytest.raises(mi.RunError, match="cannot be written"):
        optimized.save("/proc/kept")
    with pytest.raises(mi.RunError, match="expects the path of a folder to make, got 5"):
        optimized.save(5)
    with pytest.raises(mi.GraphError, match="expects the path of a page to write, got 5"):
        mi.report(optimized, 5)
    with pytest.raises(mi.RunError, match="expects a folder that is empty or is not there"):
        optimized.save(tmp_path / "kept")
    with pytest.raises(mi.RunError, match="expects a folder that save"):
        mi.load(tmp_path)


def test_runtime_alone(program, rng, tmp_path):
    """What was saved runs with the small library, which compiles nothing."""
    import os
    import pathlib
    import subprocess

    runtime = pathlib.Path(mi._library._find_library()).with_name("libMirageRuntimeC.so")
    x, w = make_inputs(rng)
    compiled = program.compile()
    compiled.save(tmp_path / "kept")
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "w.npy", w)
    code = ("import mirage as mi, numpy as np\n"
            "x, w = np.load('x.npy'), np.load('w.npy')\n"
            "np.save('y.npy', mi.load('kept')([x, w.T])[0])\n"
            "try:\n    mi.new_kernel_graph()\nexcept mi.MirageError as error:\n    print(error)\n")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "MIRAGE_LIBRARY": str(runtime), "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stderr
    assert "compiles none: it has no mirageGraphCreate" in done.stdout
    assert np.array_equal(np.load(tmp_path / "y.npy"), compiled([x, w.T])[0])


def test_imports_are_late():
    """Neither torch nor NumPy is imported for those who have none."""
    import subprocess

    done = subprocess.run(
        [sys.executable, "-c", "import mirage, sys; print('torch' in sys.modules, 'numpy' in sys.modules)"],
        capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_a_kernel_that_breaks_a_rule_is_a_fault_of_ours(tmp_path):
    graph = mi.new_kernel_graph()
    x = graph.new_input((16, 64), dtype=mi.float16)
    graph.mark_output(graph.exp(x))
    graph.compile().save(tmp_path / "program")
    code = tmp_path / "program" / "artifact" / "kernels.ptx"
    text = code.read_text()
    stride = re.search(r"mul\.wide\.u32 \t%rd\d+, %r\d+, (\d);", text)
    code.write_text(text[:stride.start(1)] + "9" + text[stride.end(1):])  # as long as before, as the manifest wants
    with pytest.raises(mi.RunError, match="checksum") as caught:
        mi.load(tmp_path / "program").inputs
    manifest = code.with_name("manifest.json")
    manifest.write_text(manifest.read_text().replace(*re.search(r"checksum (\w+) .* (\w+)$", str(caught.value)).groups()))
    with pytest.raises(mi.InternalError, match="a fault of Mirage's own") as caught:
        mi.load(tmp_path / "program")([np.zeros((16, 64), np.float16)])
    assert "mirage_kernel.exp" in pathlib.Path(caught.value.reproducer).read_text()
    mi.from_mlir(pathlib.Path(caught.value.reproducer).read_text())
    os.remove(caught.value.reproducer)


def test_a_fault_of_the_compiler_says_where_its_program_is(monkeypatch):
    graph = mi.new_kernel_graph()
    graph.mark_output(graph.exp(graph.new_input((16, 64), dtype=mi.float16)))
    # Nothing known makes the compiler fail so; what it then does, FaultWatchTest has.
    monkeypatch.setattr(_library.lib, "mirageModuleCompile", lambda *_: _library.INTERNAL_ERROR)
    monkeypatch.setattr(_library.lib, "mirageContextGetReproducer", lambda *_: _library.SUCCESS)
    monkeypatch.setattr(_library, "take_text", lambda _: b"module {}")
    monkeypatch.setattr(_library, "last_error", lambda: "a pass failed\nand did not say why")
    with pytest.raises(mi.InternalError, match="^a pass failed") as caught:
        graph.compile()
    assert caught.value.reproducer in str(caught.value)
    text = pathlib.Path(caught.value.reproducer).read_text()
    assert text == "// a pass failed and did not say why\nmodule {}"
    os.remove(caught.value.reproducer)


def test_a_fault_without_its_program(program, rng, monkeypatch, tmp_path):
    program.compile().save(tmp_path / "program")
    loaded = mi.load(tmp_path / "program")
    (tmp_path / "program" / "mugraph.mlir").unlink()
    monkeypatch.setattr(_library.lib, "mirageProgramRun", lambda *_: _library.INTERNAL_ERROR)
    x, w = make_inputs(rng)
    with pytest.raises(mi.InternalError) as caught:
        loaded([x, w.T])
    os.remove(caught.value.reproducer)


def test_text_that_is_none(program, tmp_path):
    program.compile().save(tmp_path / "program")
    (tmp_path / "program" / "mugraph.mlir").write_bytes(b"module \xff")
    with pytest.raises(mi.RunError, match="expects the program's folder as it was made, got"):
        mi.load(tmp_path / "program").mlir
