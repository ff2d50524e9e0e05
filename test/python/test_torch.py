"""Programs out of modules of torch and of MLIR, and programs as operators of torch, on the CPU."""

import pytest

torch = pytest.importorskip("torch")

import mirage as mi  # noqa: E402
from mirage import torch_bridge  # noqa: E402
from torch_models import GatedMLP, WithSorting  # noqa: E402

OPTIONS = {"max_states": 3000}


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def test_sums_in_float32():
    graph = mi.from_torch(Sum(), (torch.full((4, 4096), 100.0).half(),))
    (out,) = graph([torch.full((4, 4096), 100.0).half()])
    assert out.dtype == torch.float32 and torch.all(out == 409600)


class Sum(torch.nn.Module):
    def forward(self, x):
        return x.sum(-1, dtype=torch.float32)


class Twice(torch.nn.Module):
    def forward(self, x):
        y = torch.exp(x)
        return y, y


def test_outputs_that_are_one():
    x = torch.randn(8, 64).half()
    module = Twice().train()
    graph = mi.from_torch(module, (x,))
    assert len(graph([x])) == 2 and module.training


def test_from_torch():
    model = GatedMLP().half()
    x = torch.randn(8, 64).half()
    graph = mi.from_torch(model, (x,))
    names = [tensor.name for tensor in graph.inputs]
    assert names[-1] == "x" and len(names) == 6
    parameters = dict(model.named_parameters())
    values = [parameters[name[2:].replace("_", ".", 1)] for name in names[:-1]]
    with torch.no_grad():
        (out,) = graph.superoptimize(**OPTIONS)([*values, x])
        assert (out - model(x)).abs().max() < 2e-2


def test_from_torch_of_what_there_is_none():
    with pytest.raises(mi.GraphError, match="no operator of Mirage is aten.sort"):
        mi.from_torch(WithSorting(), (torch.randn(8, 64).half(),))


def test_from_mlir():
    graph = mi.from_mlir("func.func @f(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {\n"
                         "  %r = math.exp %x : tensor<8x64xf16>\n  return %r : tensor<8x64xf16>\n}")
    x = torch.randn(8, 64).half()
    assert torch.allclose(graph([x])[0], x.exp(), atol=1e-2)
    with pytest.raises(mi.CompileError) as caught:
        mi.from_mlir("func.func @f() {\n  oops\n}")
    assert caught.value.diagnostics[0].line == 2 and "<mlir>:2" in str(caught.value)


def make_normalised(outputs=1):
    graph = mi.new_kernel_graph()
    x, w = graph.new_input((16, 64)), graph.new_input((64, 32))
    graph.mark_output(graph.matmul(graph.rms_norm(x), w))
    if outputs == 2:
        graph.mark_output(graph.exp(x))
    return graph


def test_register_operator():
    """What torch itself asks of operators, and in a model that is compiled whole."""
    operator = torch_bridge.register_operator("mirage_test::normalised", make_normalised().superoptimize(**OPTIONS))
    x, w = torch.randn(16, 64).half(), torch.randn(64, 32).half()
    exact = torch.nn.functional.rms_norm(x.float(), (64,)) @ w.float()
    for given in ((x, w), (x, w.t().contiguous().t())):  # rows of any strides
        assert (operator(*given).float() - exact).norm() / exact.norm() < 3e-3
        torch.library.opcheck(operator, given)
    torch._dynamo.reset()
    compiled = torch.compile(lambda x, w: torch.ops.mirage_test.normalised(x, w) + 1, backend="aot_eager", fullgraph=True)
    assert torch.equal(compiled(x, w), operator(x, w) + 1)


def test_register_operator_of_two_outputs():
    operator = torch_bridge.register_operator("mirage_test::pair", make_normalised(2))
    x, w = torch.randn(16, 64).half(), torch.randn(64, 32).half()
    first, second = operator(x, w)
    assert first.shape == (16, 32) and (second.float() - x.float().exp()).abs().max() < 0.05
    torch.library.opcheck(operator, (x, w))


def make_scaled(factor, shape=(16, 64), outputs=1):
    graph = mi.new_kernel_graph()
    x = graph.new_input(shape)
    for number in range(outputs):
        graph.mark_output(graph.mul(x, factor + number))
    return graph


def test_operators_are_replaced():
    """Whoever holds one, models that were compiled with it among them, runs the new program."""
    operator = torch_bridge.register_operator("mirage_test::scaled", make_scaled(2.0))
    x = torch.randn(16, 64).half()
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: torch.ops.mirage_test.scaled(x) + 1, backend="aot_eager", fullgraph=True)
    assert torch.equal(operator(x), x * 2) and torch.equal(compiled(x), x * 2 + 1)
    assert torch_bridge.register_operator("mirage_test::scaled", make_scaled(4.0)) is operator
    assert torch.equal(operator(x), x * 4) and torch.equal(torch.ops.mirage_test.scaled(x), x * 4)
    assert torch.equal(compiled(x), x * 4 + 1)
    torch.library.opcheck(operator, (x,))
    for other, what in ((make_scaled(3.0, (8, 64)), "inputs"), (make_scaled(3.0, outputs=2), "outputs")):
        with pytest.raises(mi.GraphError, match=rf"mirage_test::scaled: expects a program with the {what} of the one that "
                                                r"has this name, float16\[16, 64\] of strides \[64, 1\], got float16"):
            torch_bridge.register_operator("mirage_test::scaled", other)
    assert torch.equal(operator(x), x * 4)
    with pytest.raises(mi.GraphError, match="aten::relu: expects a name of its own"):
        torch_bridge.register_operator("aten::relu", make_scaled(2.0))


def test_mistakes_with_operators():
    with pytest.raises(mi.GraphError, match='expects a name as "namespace::name", got \'pair\''):
        torch_bridge.register_operator("pair", make_normalised())
    with pytest.raises(mi.GraphError, match="expects a program or a graph, got str"):
        torch_bridge.register_operator("mirage_test::wrong", "graph")
    operator = torch_bridge.register_operator("mirage_test::strict", make_normalised())
    x, w = torch.randn(16, 64).half(), torch.randn(64, 32).half()
    with pytest.raises(mi.RunError, match="expects tensors that need no gradient"):
        operator(x, w.requires_grad_())
    w = w.detach()
    with pytest.raises(mi.RunError, match=r"input0: expects shape \[16, 64\], got \[8, 64\]"):
        operator(x[:8], w)
    with pytest.raises(mi.RunError, match="input1: expects float16, got torch.float32"):
        operator(x, w.float())
    with torch._subclasses.FakeTensorMode():
        with pytest.raises(mi.RunError, match=r"input0: expects shape \[16, 64\], got \[8, 64\]"):
            operator(torch.empty(8, 64).half(), torch.empty(64, 32).half())
