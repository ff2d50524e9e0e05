"""Models of torch by torch.compile with Mirage's backend, on the CPU, against what torch itself computes."""

import contextlib
import copy
import gc
import warnings
import weakref

import pytest

torch = pytest.importorskip("torch")

import mirage as mi  # noqa: E402
from mirage import torch_bridge, torch_compile, torch_library  # noqa: E402
from conftest import needs_compiler  # noqa: E402
from torch_models import (GatedMLP, LlamaBlock, LlamaBlockByHand, LoRA, WithSorting, assert_close,  # noqa: E402
                          compile_for_mirage, run_and_compare, to_double)

OPTIONS = {"max_states": 3000}
BRIEF = {"max_states": 50}

both = pytest.mark.parametrize("fallback", ["eager", pytest.param("inductor", marks=needs_compiler)])


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)
    torch._dynamo.reset()


@both
def test_gated_mlp(fallback):
    report = run_and_compare(GatedMLP().half(), torch.randn(8, 64).half(), fallback=fallback, options=OPTIONS)
    assert len(report.parts) == 1 and not report.left
    assert report.parts[0].improved and "silu.default" in report.parts[0].operators
    assert f"1 parts taken, the rest left to {fallback}" in str(report)


@both
def test_lora(fallback):
    report = run_and_compare(LoRA().half(), torch.randn(8, 64).half(), fallback=fallback, options=OPTIONS)
    assert len(report.parts) == 1 and not report.left


@both
@pytest.mark.parametrize("block", [LlamaBlock, LlamaBlockByHand])
def test_llama_block(fallback, block):
    report = run_and_compare(block().half(), torch.randn(16, 64).half(), fallback=fallback, options={"max_states": 300})
    assert len(report.parts) == 1 and not report.left


@both
def test_what_is_left(fallback):
    report = run_and_compare(WithSorting(), torch.randn(8, 64).half(), fallback=fallback)
    assert len(report.parts) == 2
    assert len(report.left) == 1 and "no operator of Mirage is aten.sort" in report.left[0]


@both
def test_strides_between_parts(fallback):
    """What inductor makes between parts need not lie as it was traced."""

    def model(x):
        y = torch.sin(x.exp().t())
        return y.exp(), torch.sin(y).t().contiguous().t() @ torch.sin(x)

    report = run_and_compare(model, torch.randn(16, 64).half(), fallback=fallback)
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
        computed = compile_for_mirage(model, fallback, BRIEF)(x, factor, other=other, power=2)
        assert model.calls == 1 and computed[1] is x and computed[0] is computed[3]
        model.calls.zero_()
        exact = to_double(model)(*map(to_double, (x, factor)), power=2, other=to_double(other))
    for one, other, precise in zip(computed, expected, exact):
        assert one.stride() == other.stride()
        assert_close(one, other, precise)
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


# ---------------------------------------------------------------------- sizes


@pytest.mark.parametrize("fallback, dynamic", [("eager", None), ("eager", True),
                                               pytest.param("inductor", None, marks=needs_compiler)])
def test_each_shape_is_compiled(fallback, dynamic):
    """By torch's own default, the second shape makes sizes symbols."""
    model = GatedMLP().half()
    call = compile_for_mirage(model, fallback, BRIEF, dynamic=dynamic)
    torch_bridge.reports.clear()
    for rows in (8, 5, 7):
        report = run_and_compare(model, torch.randn(rows, 64).half(), call=call, fallback=fallback)
        assert len(report.parts) == 1 and not report.left
        assert report.parts[0].graph.outputs[0].shape == (rows, 64)
    run_and_compare(model, torch.randn(5, 64).half(), call=call, fallback=fallback)
    assert len(torch_bridge.reports) == 3  # a shape that there was is not compiled again


def test_shapes_beyond_the_limit_are_left_to_eager():
    limit = "recompile_limit" if hasattr(torch._dynamo.config, "recompile_limit") else "cache_size_limit"
    call = compile_for_mirage(GatedMLP().half(), options=BRIEF)
    torch_bridge.reports.clear()
    with torch._dynamo.config.patch({limit: 2}):
        for rows in (8, 5, 7, 6):
            run_and_compare(call._orig_mod, torch.randn(rows, 64).half(), call=call)
    assert len(torch_bridge.reports) == 2


@both
def test_numbers_of_each_call(fallback):
    """Those that a model is given are no sizes: it is not compiled for each, and what takes one is left."""
    def model(x, position):
        return torch.tanh(x).exp() * position

    call = compile_for_mirage(model, fallback, BRIEF)
    torch_bridge.reports.clear()
    for position in (2, 3, 4, 5):
        report = run_and_compare(model, torch.randn(8, 64).half(), position, call=call, fallback=fallback)
        assert len(report.parts) == 1
    assert len(torch_bridge.reports) == 2 and any("a number that is not known" in sentence for sentence in report.left)


@both
@torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True)
def test_sizes_that_depend_on_data(fallback):
    """Nothing of these is taken; what is said why, and the results are right."""

    def model(x):
        return torch.tanh(x[0]).exp(), torch.tanh(torch.masked_select(x, x > 0.5) * 0.5)

    call = compile_for_mirage(model, fallback, BRIEF)
    for count in (3, 5):
        x = torch.zeros(8, 64).half()
        x[0, :count] = 1
        report = run_and_compare(model, x, call=call, fallback=fallback)
    assert len(report.parts) == 1 and report.parts[0].graph.outputs[0].shape == (64,)
    assert any("aten.tanh.default has sizes that are not known" in sentence for sentence in report.left)


# ---------------------------------------------------------------------- gradients


@both
def test_training_is_left_to_the_fallback(fallback):
    model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.Tanh())
    expected = copy.deepcopy(model)
    x = torch.randn(8, 64)
    expected(x).sum().backward()
    call = compile_for_mirage(model, fallback, BRIEF)
    with pytest.warns(UserWarning, match=f"needs gradients, .* left to {fallback} as a whole.*torch.no_grad"):
        call(x).sum().backward()
    for one, other in zip(model.parameters(), expected.parameters()):
        assert torch.allclose(one.grad, other.grad, rtol=1e-5, atol=1e-5 * other.grad.abs().max().item())
    report = torch_bridge.reports[-1]
    assert not report.parts and len(report.left) == 1 and "needs gradients" in report.left[0]
    run_and_compare(model, x, call=call, fallback=fallback)  # the same, without gradients
    assert len(torch_bridge.reports[-1].parts) == 1


@pytest.mark.parametrize("without", [torch.no_grad, torch.inference_mode, None])
def test_models_without_gradients(without):
    model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.Tanh()).half()
    x = torch.randn(8, 64).half()
    if without is None:
        model.requires_grad_(False)
    with without() if without else contextlib.nullcontext(), warnings.catch_warnings():
        warnings.filterwarnings("error", message="mirage")
        computed, expected = compile_for_mirage(model, options=BRIEF)(x), model(x)
    assert_close(computed, expected, to_double(model)(x.double()).detach())
    assert len(torch_bridge.reports[-1].parts) == 1


@both
def test_tangents_of_compiled_models(fallback):
    """Torch compiles nothing anew where they come, and inductor's code would lose them."""
    model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.Tanh())
    x, tangent = torch.randn(8, 64), torch.randn(8, 64)
    expected, expected_tangent = torch.func.jvp(model, (x,), (tangent,))
    call = compile_for_mirage(model, fallback, BRIEF)
    forward_ad = torch.autograd.forward_ad
    with torch.no_grad(), forward_ad.dual_level():
        call(x)
        assert len(torch_bridge.reports[-1].parts) == 1
        with pytest.warns(UserWarning, match="tangents of forward mode, .* runs eager"):
            found, found_tangent = forward_ad.unpack_dual(call(forward_ad.make_dual(x, tangent)))
        assert torch.allclose(found, expected) and torch.allclose(found_tangent, expected_tangent)
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message="mirage")
            assert torch.allclose(call(x), expected, rtol=1e-3, atol=1e-3)


# ---------------------------------------------------------------------- parts


@both
def test_parts_that_cannot_be_compiled(fallback, monkeypatch):
    def fail(graph, **options):
        if any(value.shape == (8, 64) for value in graph.inputs):
            raise mi.CompileError("no place for it")
        return mi.superoptimize(graph, **options)

    monkeypatch.setattr(mi.KernelGraph, "superoptimize", fail)
    monkeypatch.setattr(torch_compile, "_check_options", lambda options: None)
    report = run_and_compare(lambda x: torch.sin(x.tanh()).t().exp(), torch.randn(8, 64).half(), fallback=fallback)
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


@both
def test_calls_that_are_refused(fallback):
    """Of operators that Mirage has: parts end there, as at an operator that it has not."""
    def model(x):
        y = torch.nn.functional.layer_norm((torch.exp(x) ** 100).clamp(max=3.0) + torch.tanh(x), (64,), eps=-1e-9)
        return torch.tanh(torch.exp(y))

    report = run_and_compare(model, torch.randn(8, 64).half(), fallback=fallback)
    assert sorted(name for part in report.parts for name in part.operators) == [
        "add.Tensor", "clamp.default", "exp.default", "exp.default", "tanh.default", "tanh.default"]
    power, norm = report.left
    assert power.startswith("pow_1: aten.pow.Tensor_Scalar cannot be written: ") and "from -64 to 64, got 100" in power
    assert norm.startswith("native_layer_norm: aten.native_layer_norm.default cannot be written: ")


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
    call = compile_for_mirage(lambda x, y: (x.exp(), y.exp()), fallback, BRIEF)
    x = torch.randn(8, 64).half()
    with torch.no_grad():
        computed, nothing = call(x, x.to("meta"))
    assert nothing.is_meta
    assert_close(computed, x.exp(), x.double().exp())
    report = torch_bridge.reports[-1]
    assert len(report.parts) == 1 and any("on meta" in sentence for sentence in report.left)


def test_what_is_not_improved_is_left():
    x = torch.randn(8, 64).half()
    with torch.no_grad():
        call = compile_for_mirage(torch.exp, options={"takes": "improved", "max_states": 1})
        assert torch.equal(call(x), x.exp())
    report = torch_bridge.reports[-1]
    assert not report.parts and report.left[0].startswith("exp.default: left as it was: ")


@pytest.mark.parametrize("options, message", [
    ({"takes": "some"}, "expects takes of improved or all, got 'some'"),
    ({"colour": "red"}, "unexpected keyword argument 'colour'"),
    ({"fallback": "triton"}, "expects fallback of eager or inductor, got 'triton'"),
    ({"fallback": ["eager"]}, r"expects fallback of eager or inductor, got \['eager'\]"),
    ({"fallback": torch.ones(2)}, r"expects fallback of eager or inductor, got tensor\(\[1., 1.\]\)"),
    ({"verbose": torch.ones(2)}, r"expects verbose of True or False, got tensor\(\[1., 1.\]\)"),
    ({"max_states": "many"}, "expects max-states of 1 to [0-9]*, got 'many'"),
    ({"measure": "often"}, "expects measure of True, False or None, got 'often'"),
    ({"executor": 3}, "expects an executor of concurrent.futures, or one with its submit, got 3"),
    ({"shards": 2}, "expects an executor where there are shards, got shards=2 alone"),
    ({"on_progress": 3}, "expects on_progress to be a function, got 3"),
    ({"report": "part"}, "expects no report, since a model has several parts, got 'part'"),
    ({"previous_checkpoint": "part"}, "expects no previous_checkpoint, since a model has several parts, got 'part'")])
def test_options_are_checked_first(options, message):
    torch_bridge.reports.clear()
    with pytest.raises(Exception, match=message), torch.no_grad():
        compile_for_mirage(torch.exp, options=options)(torch.randn(8, 64).half())
    assert not torch_bridge.reports


def test_checking_options_leaves_nothing_behind(tmp_path):
    torch_compile._check_options({"cache": str(tmp_path / "cache"), "max_states": 1234})
    assert not list(tmp_path.iterdir())


class Clamps(torch.nn.Module):
    def forward(self, x, least):
        return torch.exp(torch.clamp(x, min=least))


def test_tensors_of_a_model_are_not_kept():
    def count():
        gc.collect()
        return sum(type(each).__name__ == "FakeTensor" for each in gc.get_objects())

    given = torch.randn(8, 64).half(), torch.zeros(8, 64).half()
    mi.from_torch(Clamps(), given)  # what torch keeps once
    before = count()
    for _ in range(3):
        mi.from_torch(Clamps(), given)
    assert count() == before


@pytest.mark.parametrize("options", [{3: 4}, ["takes"], "takes"])
def test_options_are_a_dictionary(options):
    with pytest.raises(mi.CompileError, match="expects options as a dictionary of names and values, got "):
        torch_bridge.mirage_backend(torch.fx.symbolic_trace(torch.nn.ReLU()), [torch.ones(2)], options=options)


def test_checks_of_options_leave_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with torch.no_grad():
        compile_for_mirage(torch.sin, options={"save_codes": True})(torch.randn(8, 64).half())
    assert not list(tmp_path.iterdir())


def test_options_are_checked_once(monkeypatch):
    monkeypatch.setattr(torch_compile, "_checked", set())
    searched = []
    superoptimize = mi.KernelGraph.superoptimize
    monkeypatch.setattr(mi.KernelGraph, "superoptimize",
                        lambda graph, **options: searched.append(options) or superoptimize(graph, **options))
    for options in ({"max_states": 50}, {"max_states": 50}, {"max_states": 51}, {"max_states": True}, {"max_states": True}):
        torch._dynamo.reset()
        with torch.no_grad(), contextlib.suppress(Exception):
            compile_for_mirage(torch.sin, options=options)(torch.randn(8, 64).half())
    assert [options["max_states"] for options in searched] == [50, 51, True, True]  # what is wrong is so again


def test_modes_are_refused():
    with pytest.raises(Exception, match="expects nothing but options, got mode='max-autotune'"), torch.no_grad():
        torch.compile(torch.exp, backend=torch_bridge.mirage_backend, mode="max-autotune")(torch.randn(8, 64).half())


@both
def test_reports_keep_no_model(fallback):
    """Of what they say of a part, its program is gone with the model."""
    model = GatedMLP().half()
    report = run_and_compare(model, torch.randn(8, 64).half(), fallback=fallback)
    (part,) = report.parts
    program = weakref.ref(part.program)
    text = str(report)
    assert part.program.mlir == part.mlir and part.program.result is part.result
    del model
    torch._dynamo.reset()
    gc.collect()
    assert program() is None and part.program is None
    assert report in torch_bridge.reports and str(report) == text and "mirage_kernel.graph" in part.mlir


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
    assert_close(y, x / x.square().sum(-1, keepdim=True), x.double() / x.double().square().sum(-1, keepdim=True))
    assert torch_bridge.reports[-1].parts


def test_clamp_by_tensors():
    """torch makes each of its three kinds of another, and none of them of what is there."""
    def model(x, lo, hi):
        return torch.clamp(x.exp(), lo, hi) + x.clamp(min=lo) * torch.clamp_max(x, hi)

    inputs = torch.randn(4, 16), -torch.rand(16), torch.rand(4, 1)
    with torch.no_grad():
        computed = compile_for_mirage(model, "eager", BRIEF)(*inputs)
    assert torch.allclose(computed, model(*inputs), atol=1e-5)
    assert torch_bridge.reports[-1].parts and not torch_bridge.reports[-1].left


# ---------------------------------------------------------------------- memory that tensors share


class WritesAView(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(64, 64), torch.nn.Linear(32, 32)

    def forward(self, x):
        h = torch.nn.functional.silu(self.a(x))
        left = h[:, :32]
        torch._dynamo.graph_break()
        left.add_(self.b(left))
        return h


def write_the_base(x):
    y = torch.exp(x) * 2 + 1
    rows, all_of_it = y[2:].t(), y.view(-1)[8:]
    used = all_of_it * 2
    torch._dynamo.graph_break()
    y.mul_(0)
    return rows, all_of_it, used


def write_an_input(x):
    columns, y = x.t()[1:], torch.exp(x) + 1
    torch._dynamo.graph_break()
    columns.mul_(0)
    return x.clone(), y


def return_both(x):
    y = torch.relu(x) * 3
    return y, y[:2], y.view(4, -1)


def return_one_view(x):
    return (torch.relu(x) * 3).t()[:2]


def find_shared(tensors):
    return [[a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr() for a in tensors] for b in tensors]


@both
@pytest.mark.parametrize("takes", ["improved", "all"])
@pytest.mark.parametrize("model", [WritesAView(), write_the_base, write_an_input, return_both, return_one_view],
                         ids=lambda model: getattr(model, "__name__", type(model).__name__))
def test_views_share_memory(model, takes, fallback):
    x = torch.randn(8, 64)
    options = {**BRIEF, "takes": takes, "fallback": fallback}
    torch_bridge.reports.clear()
    with torch.no_grad():
        expected, found = model(x.clone()), compile_for_mirage(model, options=options)(x.clone())
    if isinstance(expected, torch.Tensor):
        expected, found = (expected,), (found,)
    for a, b in zip(expected, found):
        torch.testing.assert_close(b, a, rtol=1e-4, atol=1e-4)
    assert find_shared(found) == find_shared(expected)
    assert takes == "improved" or any(report.parts for report in torch_bridge.reports)


def test_what_beta_leaves_out():
    c, a, b = torch.full((16, 32), float("nan")), torch.randn(16, 8), torch.randn(8, 32)
    with torch.no_grad():
        found = compile_for_mirage(lambda c, a, b: torch.addmm(c, a, b, beta=0), options={**BRIEF, "takes": "all"})(c, a, b)
    torch.testing.assert_close(found, a @ b, rtol=1e-4, atol=1e-4)
