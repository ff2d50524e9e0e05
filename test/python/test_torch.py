"""Models of torch: torch.compile with Mirage's backend, and from_torch, on the CPU."""

import pytest

torch = pytest.importorskip("torch")

import mirage as mi  # noqa: E402
from mirage import torch_bridge  # noqa: E402

OPTIONS = {"max_states": 3000}


def compile_and_compare(model, *inputs, tolerance=3e-3):
    """Compares with the model in float32. Returns the report."""
    exact = model.float()(*[value.float() if value.is_floating_point() else value for value in inputs])
    model = model.half()
    torch._dynamo.reset()
    with torch.no_grad():
        computed = torch.compile(model, backend=torch_bridge.mirage_backend, options=OPTIONS)(*inputs)
    assert computed.dtype == torch.float16 and computed.shape == exact.shape
    assert (computed.float() - exact).norm() / exact.norm() < tolerance
    return torch_bridge.reports[-1]


class GatedMLP(torch.nn.Module):
    def __init__(self, width=64, hidden=128):
        super().__init__()
        self.norm = torch.nn.RMSNorm(width)
        self.gate = torch.nn.Linear(width, hidden, bias=False)
        self.up = torch.nn.Linear(width, hidden, bias=False)
        self.down = torch.nn.Linear(hidden, width)

    def forward(self, x):
        y = self.norm(x)
        return x + self.down(torch.nn.functional.silu(self.gate(y)) * self.up(y))


class LoRA(torch.nn.Module):
    def __init__(self, width=64, rank=8):
        super().__init__()
        self.linear = torch.nn.Linear(width, width)
        self.a = torch.nn.Parameter(torch.randn(width, rank) / 8)
        self.b = torch.nn.Parameter(torch.randn(rank, width) / 8)

    def forward(self, x):
        return self.linear(x) + (x @ self.a) @ self.b * 2


class LlamaBlock(torch.nn.Module):
    """Attention and a gated MLP, with norms before and rotations of queries and keys."""

    def __init__(self, width=64, heads=4, rows=16):
        super().__init__()
        self.heads = heads
        self.norm = torch.nn.RMSNorm(width)
        self.q, self.k, self.v, self.o = (torch.nn.Linear(width, width, bias=False) for _ in range(4))
        self.mlp = GatedMLP(width)
        angles = torch.outer(torch.arange(rows), 10000.0 ** (-torch.arange(0, width // heads, 2) / (width // heads)))
        self.register_buffer("cos", torch.cat([angles.cos()] * 2, -1))
        self.register_buffer("sin", torch.cat([angles.sin()] * 2, -1))

    def rotate(self, x):
        half = x.shape[-1] // 2
        return x * self.cos + torch.cat([-x[..., half:], x[..., :half]], -1) * self.sin

    def forward(self, x):
        y = self.norm(x)
        rows, width = y.shape
        q, k, v = (linear(y).view(rows, self.heads, -1).transpose(0, 1) for linear in (self.q, self.k, self.v))
        scores = self.rotate(q) @ self.rotate(k).transpose(1, 2) * (width // self.heads) ** -0.5
        attended = (torch.softmax(scores, -1) @ v).transpose(0, 1).reshape(rows, width)
        return self.mlp(x + self.o(attended))


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def test_gated_mlp():
    report = compile_and_compare(GatedMLP(), torch.randn(8, 64).half())
    assert len(report.parts) == 1 and not report.left
    assert report.parts[0].improved and "silu.default" in report.parts[0].operators
    assert "1 parts taken" in str(report)


def test_lora():
    report = compile_and_compare(LoRA(), torch.randn(8, 64).half())
    assert len(report.parts) == 1 and not report.left


def test_llama_block():
    report = compile_and_compare(LlamaBlock(), torch.randn(16, 64).half())
    assert report.parts and not report.left


class WithSorting(torch.nn.Module):
    """An operator in the middle that Mirage does not have."""

    def forward(self, x):
        return torch.exp(torch.sort(torch.tanh(x) * 2, -1).values)


def test_what_is_left():
    report = compile_and_compare(WithSorting(), torch.randn(8, 64).half())
    assert len(report.parts) == 2
    assert len(report.left) >= 1 and "no operator of Mirage is aten.sort" in report.left[0]


def test_strides_between_parts():
    def model(x):
        return torch.sin(x.exp().t()).exp()

    torch._dynamo.reset()
    x = torch.randn(16, 64).half()
    compiled = torch.compile(model, backend=torch_bridge.mirage_backend, options=OPTIONS)
    with torch.no_grad():
        computed, exact = compiled(x), model(x)
    assert (computed - exact).abs().max() < 1e-2 and computed.stride() == exact.stride()


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


def test_options_are_checked_first():
    torch._dynamo.reset()
    with pytest.raises(Exception, match="no such option colour"), torch.no_grad():
        torch.compile(GatedMLP().half(), backend=torch_bridge.mirage_backend,
                      options={"colour": "red"})(torch.randn(8, 64).half())


def test_other_shapes_are_compiled_anew():
    model = GatedMLP().half()
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=torch_bridge.mirage_backend, options=OPTIONS, dynamic=False)
    with torch.no_grad():
        for rows in (8, 5):
            x = torch.randn(rows, 64).half()
            assert (compiled(x) - model(x)).abs().max() < 2e-2


def test_training_is_refused():
    torch._dynamo.reset()
    compiled = torch.compile(GatedMLP().half(), backend=torch_bridge.mirage_backend)
    with pytest.raises(Exception, match="expects a model that needs no gradients"):
        compiled(torch.randn(8, 64).half())


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


def test_backend_by_name():
    """As pip installs the package, torch knows the backend without an import of it."""
    import importlib.metadata

    try:
        importlib.metadata.distribution("mirage-mlir")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("looks at the package as pip installs it: utils/check.sh --full")
    assert "mirage" in torch._dynamo.list_backends()
    torch._dynamo.reset()
    x = torch.randn(16, 64).half()
    with torch.no_grad():
        y = torch.compile(lambda x: x / x.square().sum(-1, keepdim=True), backend="mirage", options=OPTIONS)(x)
    exact = x.float() / x.float().square().sum(-1, keepdim=True)
    assert (y.float() - exact).norm() / exact.norm() < 3e-3
    assert torch_bridge.reports[-1].parts
