"""Models of torch by torch.compile with Mirage's backend, on the CPU, against what torch itself computes."""

import gc

import pytest

torch = pytest.importorskip("torch")

import mirage as mi  # noqa: E402
from mirage import torch_bridge, torch_compile, torch_library  # noqa: E402
from conftest import needs_compiler  # noqa: E402
from torch_models import GatedMLP, LlamaBlock, LoRA, WithSorting  # noqa: E402

OPTIONS = {"max_states": 3000}
BRIEF = {"max_states": 50}

both = pytest.mark.parametrize("fallback", ["eager", pytest.param("inductor", marks=needs_compiler)])


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)
    torch._dynamo.reset()


def compiled(model, fallback="eager", options=BRIEF, **how):
    return torch.compile(model, backend=torch_bridge.mirage_backend, options={"fallback": fallback, **options}, **how)


def compile_and_compare(model, *inputs, fallback="eager", options=OPTIONS, tolerance=3e-3):
    """Compares with the model in float32. Returns the report."""
    exact = model.float()(*[value.float() if value.is_floating_point() else value for value in inputs])
    model = model.half()
    with torch.no_grad():
        computed = compiled(model, fallback, options)(*inputs)
    assert computed.dtype == torch.float16 and computed.shape == exact.shape
    assert (computed.float() - exact).norm() / exact.norm() < tolerance
    return torch_bridge.reports[-1]


def run_and_compare(model, *inputs, fallback, tolerance=1e-2, **kwargs):
    """Compares with what torch computes: values, types, strides, which outputs are inputs, and that
    inputs stay what they were. Calls twice, since buffers may be used again."""
    kept = [value.clone() for value in inputs]
    call = compiled(model, fallback)
    for _ in range(2):
        with torch.no_grad():
            expected, computed = model(*inputs, **kwargs), call(*inputs, **kwargs)
        for one, other in zip(*[[value] if isinstance(value, torch.Tensor) else value for value in (computed, expected)]):
            assert one.dtype == other.dtype and one.shape == other.shape and one.stride() == other.stride()
            assert torch.allclose(one.float(), other.float(), atol=tolerance, rtol=tolerance)
            assert [one is value for value in inputs] == [other is value for value in inputs]
        assert all(torch.equal(value, before) for value, before in zip(inputs, kept))
    return torch_bridge.reports[-1]


@both
def test_gated_mlp(fallback):
    report = compile_and_compare(GatedMLP(), torch.randn(8, 64).half(), fallback=fallback)
    assert len(report.parts) == 1 and not report.left
    assert report.parts[0].improved and "silu.default" in report.parts[0].operators
    assert f"1 parts taken, the rest left to {fallback}" in str(report)


@both
def test_lora(fallback):
    report = compile_and_compare(LoRA(), torch.randn(8, 64).half(), fallback=fallback)
    assert len(report.parts) == 1 and not report.left


@both
def test_llama_block(fallback):
    report = compile_and_compare(LlamaBlock(), torch.randn(16, 64).half(), fallback=fallback, options={"max_states": 300})
    assert report.parts and not report.left


@both
def test_what_is_left(fallback):
    report = compile_and_compare(WithSorting(), torch.randn(8, 64).half(), fallback=fallback)
    assert len(report.parts) == 2
    assert len(report.left) == 1 and "no operator of Mirage is aten.sort" in report.left[0]


@both
def test_strides_between_parts(fallback):
    """What inductor makes between parts need not lie as it was traced."""

    def model(x):
        y = torch.sin(x.exp().t())
        return y.exp(), torch.sin(y).t().contiguous().t() @ torch.sin(x)

    report = run_and_compare(model, torch.randn(16, 64).half(), fallback=fallback, tolerance=3e-2)
    assert len(report.parts) == 2


@both
def test_inputs_of_any_layout(fallback):
    """Columns, steps, rows that are one, an address between two of 16 bytes, a stride that nothing is at."""
    x = torch.randn(16, 64).half()
    inputs = x.t(), x[:, ::2], x[:1].expand(16, 64), x[1:, 3:], x.as_strided((1, 16, 64), (7, 64, 1))
    report = run_and_compare(lambda *inputs: [torch.sin(x.tanh()) for x in inputs], *inputs, fallback=fallback)
    assert len(report.parts) == 1 and len(report.parts[0].graph.inputs) == 5


@both
def test_buffers_are_not_written_while_parts_need_them(fallback):
    """What inductor computes between parts may be put where an operand or a result of theirs was."""

    def model(x):
        y = torch.sin(x)
        first = y.exp()
        z = torch.cos(first) + y
        second = (z * 2).tanh()
        return first, torch.sin(second) + first, second, torch.cos(z) * second

    report = run_and_compare(model, torch.randn(16, 64).half(), fallback=fallback)
    assert len(report.parts) >= 2


class ManyKinds(torch.nn.Module):
    """Parameters and buffers, one of which it writes, arguments by name, a tensor without dimensions,
    outputs that are inputs, that are one, and that show another."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(64, 32)
        self.register_buffer("scale", torch.randn(64))
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

    def forward(self, x, factor, *, power=1, other=None):
        self.calls.add_(1)
        y = torch.tanh(self.linear(x * self.scale * factor))
        z = torch.sin(y) ** power + (0 if other is None else other.sum())
        return y, x, z, y, z.t(), x.sum(), self.calls.clone()


@both
def test_inputs_and_outputs_of_many_kinds(fallback):
    model = ManyKinds().half()
    x, factor, other = torch.randn(8, 64).half(), torch.tensor(0.5).half(), torch.randn(4).half()
    with torch.no_grad():
        expected = model(x, factor, power=2, other=other)
        model.calls.zero_()
        computed = compiled(model, fallback)(x, factor, other=other, power=2)
    assert model.calls == 1 and computed[1] is x and computed[0] is computed[3]
    for one, other in zip(computed, expected):
        assert one.dtype == other.dtype and one.shape == other.shape and one.stride() == other.stride()
        assert torch.allclose(one.float(), other.float(), atol=1e-2)
    report = torch_bridge.reports[-1]
    assert report.parts and any("without dimensions" in sentence for sentence in report.left)


@both
def test_graph_breaks(fallback):
    def model(x):
        y = torch.sin(x).exp()
        torch._dynamo.graph_break()
        return torch.sin(y.tanh())

    torch_bridge.reports.clear()
    run_and_compare(model, torch.randn(8, 64).half(), fallback=fallback)
    assert [len(report.parts) for report in torch_bridge.reports] == [1, 1]


@both
def test_sizes_that_are_not_known(fallback):
    """Nothing is taken; what is said why, and the results are right."""
    call = compiled(WithSorting(), fallback, dynamic=True)
    for rows in (8, 5):
        x = torch.randn(rows, 64).half()
        with torch.no_grad():
            assert torch.allclose(call(x), WithSorting()(x), atol=1e-2)
    report = torch_bridge.reports[-1]
    assert not report.parts and any("has sizes that are not known" in sentence for sentence in report.left)


def test_other_shapes_are_compiled_anew():
    model = GatedMLP().half()
    call = compiled(model, options=OPTIONS, dynamic=False)
    with torch.no_grad():
        for rows in (8, 5):
            x = torch.randn(rows, 64).half()
            assert (call(x) - model(x)).abs().max() < 2e-2


@both
def test_training_is_refused(fallback):
    model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.Tanh()).half()
    x = torch.randn(8, 64).half()
    with pytest.raises(Exception, match=r"expects a model that needs no gradients; compile it under torch.no_grad\(\)"):
        compiled(model, fallback)(x)
    torch._dynamo.reset()
    model.requires_grad_(False)  # which is as good
    assert torch.allclose(compiled(model, fallback)(x), model(x), atol=2e-2)
    torch._dynamo.reset()
    with torch.inference_mode():
        assert torch.allclose(compiled(model, fallback)(x), model(x), atol=2e-2)


@both
def test_parts_that_cannot_be_compiled(fallback, monkeypatch):
    def fail(graph, **options):
        if any(value.shape == (8, 64) for value in graph.inputs):
            raise mi.CompileError("no place for it")
        return mi.superoptimize(graph, **options)

    call = compiled(lambda x: torch.sin(x.tanh()).t().exp(), fallback)
    monkeypatch.setattr(mi.KernelGraph, "superoptimize", fail)
    monkeypatch.setattr(torch_compile, "_check_options", lambda options: None)
    x = torch.randn(8, 64).half()
    with torch.no_grad():
        assert torch.allclose(call(x), x.tanh().sin().t().exp(), atol=1e-2)
    report = torch_bridge.reports[-1]
    assert "tanh.default: no place for it" in report.left


@needs_compiler
def test_names_of_parts():
    """Parts of the same inputs and outputs have the same name but for a number, which is given again
    when a model is gone: inductor's code for that name then runs the other model's program."""
    x = torch.randn(7, 33).half()
    others = set(torch_library._programs)
    for first, second in ((torch.exp, torch.tanh), (torch.tanh, torch.exp)):
        def model(x):
            return torch.sin(second(torch.sin(first(x))))

        run_and_compare(model, x, fallback="inductor")
        names = sorted(set(torch_library._programs) - others)
        assert len(names) == 2 and names[0].endswith(".0") and names[1] == names[0][:-1] + "1"
        with pytest.raises(mi.RunError, match="expects a part of a model that was compiled in this process"):
            torch_library.call_part(names[0][:-1] + "2", [x])
        torch.library.opcheck(torch_library.call_part, (names[0], [x]))
        torch._dynamo.reset()
        torch_bridge.reports.clear()
        gc.collect()
        assert set(torch_library._programs) <= others


def test_parts_are_of_one_device():
    """The partitioner puts together what has nothing to do with each other."""
    from torch.fx.experimental.proxy_tensor import make_fx

    def model(x, y):
        return x.exp(), y.exp(), (x.tanh().to(y.device) * y).exp()

    there = torch.empty(8, 64, dtype=torch.float16, device="meta")
    with torch._subclasses.FakeTensorMode() as mode:
        x, y = torch.empty(8, 64).half(), torch._subclasses.FakeTensor(mode, there, torch.device("cuda:0"))
        module, names = torch_compile._partition(make_fx(model)(x, y))
    devices = [{node.meta["val"].device.type for node in getattr(module, name).graph.nodes if node.op != "output"}
               for name in names]
    assert devices == [{"cpu"}, {"cuda"}]


@both
def test_devices_that_are_none_of_ours(fallback):
    """Here nothing is, as there is nothing to run on."""
    call = compiled(lambda x, y: (x.exp(), y.exp()), fallback)
    x = torch.randn(8, 64).half()
    with torch.no_grad():
        computed, nothing = call(x, x.to("meta"))
    assert torch.allclose(computed, x.exp(), atol=1e-2) and nothing.is_meta
    report = torch_bridge.reports[-1]
    assert len(report.parts) == 1 and any("on meta" in sentence for sentence in report.left)


@pytest.mark.parametrize("options, message", [
    ({"colour": "red"}, "no such option colour"),
    ({"fallback": "triton"}, "expects fallback of eager or inductor, got 'triton'"),
    ({"fallback": ["eager"]}, r"expects fallback of eager or inductor, got \['eager'\]"),
    ({"max_states": "many"}, "expects max-states of 1 to [0-9]*, got 'many'"),
    ({"previous_checkpoint": "part"}, "expects no previous_checkpoint, since a model has several parts, got 'part'")])
def test_options_are_checked_first(options, message):
    torch_bridge.reports.clear()
    with pytest.raises(Exception, match=message), torch.no_grad():
        compiled(torch.exp, options=options)(torch.randn(8, 64).half())
    assert not torch_bridge.reports


def test_checks_of_options_leave_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with torch.no_grad():
        compiled(torch.sin, options={"save_codes": True})(torch.randn(8, 64).half())
    assert not list(tmp_path.iterdir())


def test_modes_are_refused():
    with pytest.raises(Exception, match="expects nothing but options, got mode='max-autotune'"), torch.no_grad():
        torch.compile(torch.exp, backend=torch_bridge.mirage_backend, mode="max-autotune")(torch.randn(8, 64).half())


def test_backend_by_name():
    """As pip installs the package, torch knows the backend without an import of it."""
    import importlib.metadata

    try:
        importlib.metadata.distribution("mirage-mlir")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("looks at the package as pip installs it: utils/check.sh --full")
    assert "mirage" in torch._dynamo.list_backends()
    x = torch.randn(16, 64).half()
    with torch.no_grad():
        y = torch.compile(lambda x: x / x.square().sum(-1, keepdim=True), backend="mirage", options=OPTIONS)(x)
    exact = x.float() / x.float().square().sum(-1, keepdim=True)
    assert (y.float() - exact).norm() / exact.norm() < 3e-3
    assert torch_bridge.reports[-1].parts
