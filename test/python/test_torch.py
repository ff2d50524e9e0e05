"""Programs out of modules of torch and of MLIR, and programs as operators of torch, on the CPU."""

import collections
import copy
import pickle
import re

import pytest

torch = pytest.importorskip("torch")

import mirage as mi  # noqa: E402
from mirage import torch_bridge  # noqa: E402
from torch_models import GatedMLP, WithSorting, assert_close, to_double  # noqa: E402

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


class Of(torch.nn.Module):
    """A function as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


@pytest.mark.parametrize("rows", [slice(-10, 2), slice(-3, 9), slice(1, -1), slice(-9, None, 3)])
def test_slices_are_clamped(rows):
    """Where they begin and end outside of the tensor."""
    x = torch.randn(4, 64).half()
    (out,) = mi.from_torch(Of(lambda x: torch.abs(x[rows])), (x,))([x])
    assert torch.equal(out, torch.abs(x[rows]))


def test_a_refused_call_says_where():
    x = torch.randn(4, 64).half()
    with pytest.raises(mi.GraphError, match=r"^pow_1: aten.pow.Tensor_Scalar cannot be written: .*got 100"):
        mi.from_torch(Of(lambda x: torch.exp(x) ** 100), (x,))


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
    program = graph.superoptimize(**OPTIONS)
    with torch.no_grad():
        (out,) = program([*graph.parameters, x])
        assert_close(out, model(x), to_double(model)(x.double()))
    assert torch.equal(graph.bind(program)(x), out)


class ManyInputs(torch.nn.Module):
    """A buffer that is kept with the model, one that is not, and a tensor that is neither."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(64, 32)
        self.register_buffer("scale", torch.randn(64))
        self.register_buffer("shift", torch.randn(32), persistent=False)
        self.factor = torch.randn(32)

    def forward(self, x, y):
        z = self.linear(x * self.scale) + self.shift
        return z * self.factor, y.exp()


def test_bound_programs():
    model = ManyInputs()
    x, y = torch.randn(8, 64), torch.randn(8, 64)
    graph = mi.from_torch(model, (x, y))
    layer = graph.bind(graph.compile())
    assert len(graph.parameters) == 5

    def compare(*given):
        with torch.no_grad():
            precise = to_double(model)
            precise.factor = precise.factor.double()
            for one, other, exact in zip(layer(*given), model(*given), precise(*map(to_double, given))):
                assert_close(one, other, exact)

    compare(x, y)
    compare(x.t().contiguous().t(), y[:, ::1])
    with torch.no_grad():  # as an optimizer does
        model.linear.weight.mul_(2)
    compare(x, y)
    model.load_state_dict({name: value + 1 for name, value in model.state_dict().items()})
    compare(x, y)
    # Others in their places are taken by their names.
    model.load_state_dict({name: value - 1 for name, value in model.state_dict().items()}, assign=True)
    compare(x, y)


def test_parameters_with_tangents():
    """As torch.func.functional_call puts them into a module."""
    x, forward_ad = torch.randn(8, 64), torch.autograd.forward_ad
    model = torch.nn.Linear(64, 32)
    graph = mi.from_torch(model, (x,))
    layer, weight = graph.bind(graph.compile()), model.weight.detach()
    del model.weight
    with forward_ad.dual_level(), torch.no_grad():
        model.weight = forward_ad.make_dual(weight, weight)
        with pytest.raises(mi.RunError, match="expects parameters without tangents"):
            layer(x)
        model.weight = weight
        assert torch.allclose(layer(x), model(x), rtol=1e-3, atol=1e-3)


def test_mistakes_with_bound_programs():
    x = torch.randn(8, 64).half()
    graph = mi.from_torch(GatedMLP().half(), (x,))
    layer = graph.bind(graph.compile())
    with pytest.raises(mi.RunError, match=r"expects 1 inputs \(x\), got 2"):
        layer(x, x)
    with pytest.raises(mi.RunError, match="gradient"):
        layer(x.clone().requires_grad_())
    with pytest.raises(mi.RunError, match="torch.func"):
        torch.func.jvp(layer, (x,), (x,))
    with torch.autograd.forward_ad.dual_level():
        with pytest.raises(mi.RunError, match="input x: expects tensors without tangents"):
            layer(torch.autograd.forward_ad.make_dual(x, x))
    with pytest.raises(mi.GraphError, match="with inputs p_norm_weight float16.*got one with x float16"):
        graph.bind(mi.from_torch(Sum(), (x,)).compile())
    with pytest.raises(mi.GraphError, match="expects a program, as superoptimize"):
        graph.bind(graph)
    with pytest.raises(mi.RunError, match="expects tensors of torch, one by one, got \\["):
        layer([x])
    with pytest.raises(mi.GraphError, match="expects a module of torch, got 3"):
        mi.from_torch(3, (x,))


def test_programs_of_other_graphs():
    """Whose inputs have the same names."""
    x = torch.randn(8, 64).half()
    linear = mi.from_torch(torch.nn.Linear(64, 64).half(), (x,))
    narrow = mi.from_torch(torch.nn.Linear(64, 32).half(), (x,))
    with pytest.raises(mi.GraphError, match=r"with inputs p_weight float16\[64, 64\], .* got one with p_weight "
                                            r"float16\[32, 64\], p_bias float16\[32\], input float16\[8, 64\]$"):
        linear.bind(narrow.compile())
    with pytest.raises(mi.GraphError, match=r"with inputs p_weight float16.* got one with p_weight float32"):
        linear.bind(mi.from_torch(torch.nn.Linear(64, 64), (x.float(),)).compile())
    twice, once = mi.from_torch(Twice(), (x,)), mi.from_torch(Of(torch.exp), (x,))
    with pytest.raises(mi.GraphError, match=r"with outputs (float16\[8, 64\], ){2}got one with float16\[8, 64\]$"):
        twice.bind(once.compile())


def free(tensor, but=0):
    tensor.untyped_storage().resize_(but)
    return tensor


@pytest.mark.parametrize("make, message", [
    (lambda x: x.to_sparse(), "input input: expects a strided tensor, got torch.sparse_coo one"),
    (lambda x: x.to_sparse_csr(), "input input: expects a strided tensor, got torch.sparse_csr one"),
    (lambda x: torch.nested.nested_tensor([x[0], x[1]]), "input input: expects a strided tensor, got a nested one"),
    (lambda x: x[0], r"input input: expects shape \[8, 64\], got \[64\]"),
    (lambda x: x[None], r"input input: expects shape \[8, 64\], got \[1, 8, 64\]"),
    (lambda x: x.sum(), r"input input: expects shape \[8, 64\], got \[\]"),
    (lambda x: free(x.clone()), "input input: expects a tensor with memory, got one that has none any more"),
    (lambda x: free(x.clone(), but=64), "input input: expects a tensor whose storage has all of it, 1024 bytes, got "
     "one of 64 bytes"),
    (lambda x: free(torch.cat([x, x])[8:]), "expects a tensor whose storage has all of it, 2048 bytes, got one of 0"),
    (lambda x: free(x.t().contiguous().t()), "input input: expects a tensor with memory"),
    (lambda x: x.to("meta"), "input input: expects a tensor on the CPU or on a CUDA device, got one on meta")])
def test_inputs_that_lie_nowhere_or_are_of_another_rank(make, message):
    x = torch.randn(8, 64).half()
    graph = mi.from_torch(torch.nn.Linear(64, 32).half(), (x,))
    with pytest.raises(mi.RunError, match=message):
        graph.bind(graph.compile())(make(x))


def replace_weight(module, value):
    module[0].weight = value


def empty_weight(module):
    module[0].weight.data = torch.empty(0).half()


@pytest.mark.parametrize("change, message", [
    (lambda module: delattr(module[0], "weight"), "0.weight: expects a module that has this tensor, .* got one without"),
    (lambda module: module.__delitem__(0), "0.weight: expects a module that has this tensor, .* got one without"),
    (lambda module: replace_weight(module, None), "0.weight: expects a tensor of the module, .* got None"),
    (lambda module: replace_weight(module, torch.nn.Parameter(module[0].weight.detach().to_sparse())),
     "input p_0_weight: expects a strided tensor, got torch.sparse_coo one"),
    (lambda module: replace_weight(module, torch.nn.Parameter(torch.randn(32).half())),
     r"input p_0_weight: expects shape \[32, 64\], got \[32\]"),
    (empty_weight, r"input p_0_weight: expects shape \[32, 64\], got \[0\]"),
    (lambda module: free(module[0].weight), "input p_0_weight: expects a tensor with memory")])
def test_weights_that_are_gone(change, message):
    module = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU()).half()
    x = torch.randn(8, 64).half()
    graph = mi.from_torch(module, (x,))
    layer = graph.bind(graph.compile())
    layer(x)
    change(module)
    with pytest.raises(mi.RunError, match=message):
        layer(x)
    if "0.weight" in message:
        with pytest.raises(mi.RunError, match=message):
            graph.parameters


def copy_by_pickle(value):
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("duplicate", [copy_by_pickle, copy.deepcopy])
def test_copies_have_their_module(duplicate):
    """With its weights, buffers and constants; the outputs are arranged as ever."""
    model = ManyInputs()
    x, y = torch.randn(8, 64), torch.randn(8, 64)
    graph = mi.from_torch(model, (x, y))
    program = graph.compile()
    expected = graph.bind(program)(x, y)
    other = duplicate(graph)
    assert type(other) is type(graph) and other.to_json() == graph.to_json()
    assert [tensor.name for tensor in other.inputs] == [tensor.name for tensor in graph.inputs]
    assert len(other.outputs) == 2 and len(other.parameters) == 5
    for layer in (other.bind(other.compile()), other.bind(program), duplicate(graph.bind(program))):
        with torch.no_grad():
            model.linear.weight.add_(1)  # which copies do not share
        found = layer(x, y)
        assert type(found) is tuple and all(map(torch.equal, found, expected))


def test_a_copy_of_a_graph_goes_on():
    x = torch.randn(8, 64).half()
    graph = copy_by_pickle(mi.from_torch(GatedMLP().half(), (x,)))
    graph.mark_output(graph.exp(graph.inputs[-1]))
    assert len(graph([*(tensor.detach() for tensor in graph.parameters), x])) == 2


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x):
        self.calls.add_(1)
        return x + self.calls


def test_modules_that_write_buffers():
    with pytest.raises(mi.GraphError, match="expects a module that writes no inputs, parameters and buffers, got one that writes calls"):
        mi.from_torch(Counter(), (torch.randn(8, 64),))


def test_from_torch_of_what_there_is_none():
    with pytest.raises(mi.GraphError, match="no operator of Mirage is aten.sort"):
        mi.from_torch(WithSorting(), (torch.randn(8, 64).half(),))


class Returning(torch.nn.Module):
    """What a function makes of an exponential."""

    def __init__(self, arrange):
        super().__init__()
        self.arrange = arrange

    def forward(self, x):
        return self.arrange(x.exp())


def fail(_):
    raise ValueError("a mistake of its own\nwith details")


@pytest.mark.parametrize("module, inputs, message", [
    (Returning(lambda y: y), torch.zeros(8, 64), r"expects example_inputs as a tuple of tensors, got tensor\("),
    (Returning(lambda y: y), (3,), r"expects example_inputs as a tuple of tensors, got \(3,\)"),
    (Returning(lambda y: y), (), "expects a module that torch.export takes with no inputs, got TypeError: "),
    (Returning(fail), (torch.zeros(8, 64),),
     r"expects a module that torch.export takes with torch.float32\[8, 64\], got ValueError: a mistake of its own$"),
    (Returning(lambda y: (y, None)), (torch.zeros(8, 64),), "expects tensors as outputs, got None"),
    (torch.exp, (torch.zeros(8, 64),), "expects a module of torch, got <built-in")])
def test_mistakes_with_modules(module, inputs, message):
    with pytest.raises(mi.GraphError, match=message):
        mi.from_torch(module, inputs)


class Converting(torch.nn.Module):
    def forward(self, x):
        wide = x.float()
        return (wide * torch.rsqrt((wide * wide).mean(-1, keepdim=True) + 1e-5)).to(x.dtype)


def test_modules_that_convert():
    x = torch.randn(8, 64).half()
    graph = mi.from_torch(Converting(), (x,))
    assert_close(graph.bind(graph.compile())(x), Converting()(x), Converting()(x.double()))


class Writing(torch.nn.Module):
    def __init__(self, write):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(8, 64), requires_grad=False)
        self.write = write

    def forward(self, x):
        self.write(self, x)
        return x + self.w


@pytest.mark.parametrize("write, name", [(lambda module, x: x.add_(1), "x"), (lambda module, x: module.w.add_(1), "w")])
def test_modules_that_write(write, name):
    with pytest.raises(mi.GraphError, match=f"expects a module that writes no inputs, .* got one that writes {name}$"):
        mi.from_torch(Writing(write), (torch.randn(8, 64),))


def test_attention_whose_scale_is_one_over_its_heads():
    """Eight heads of depth 64, as torch attends by default: 1/8 is one over the heads, too."""
    class Attention(torch.nn.Module):
        def forward(self, q, k, v):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v)

    graph = mi.from_torch(Attention(), tuple(torch.randn(1, 8, rows, 64).half() for rows in (128, 1024, 1024)))
    result = graph.superoptimize(target="sm_90a", measure=False, max_states=20000).result
    assert result.improved and result.speedup > 5


Pair = collections.namedtuple("Pair", "first second")


@pytest.mark.parametrize("arrange", [
    lambda y: y, lambda y: [y], lambda y: (y,), lambda y: {"y": y, "more": (y + 1, [y * 2])}, lambda y: Pair(y, y + 1)])
def test_what_modules_return(arrange):
    module = Returning(arrange)
    x = torch.randn(8, 64).half()
    graph = mi.from_torch(module, (x,))
    found, expected = graph.bind(graph.compile())(x), module(x)
    assert type(found) is type(expected)
    flat = [torch.utils._pytree.tree_flatten(value) for value in (found, expected)]
    assert flat[0][1] == flat[1][1]
    for value, other in zip(flat[0][0], flat[1][0]):
        assert_close(value, other, other.double())


def test_modules_in_training():
    """Are taken as they are in evaluation, which is said, and left as they were."""
    model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.BatchNorm1d(32), torch.nn.Dropout(0.5)).half()
    model[1].running_mean.normal_(), model[1].running_var.uniform_(0.5, 2.0)
    model[0].eval()
    x = torch.randn(8, 64).half()
    with pytest.warns(UserWarning, match="its program is that of evaluation"):
        graph = mi.from_torch(model, (x,))
    assert [child.training for child in model] == [False, True, True]
    layer = graph.bind(graph.compile())
    model.eval()
    with torch.no_grad():
        assert_close(layer(x), model(x), to_double(model)(x.double()))


def test_from_mlir():
    graph = mi.from_mlir("func.func @f(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {\n"
                         "  %r = math.exp %x : tensor<8x64xf16>\n  return %r : tensor<8x64xf16>\n}")
    x = torch.randn(8, 64).half()
    assert_close(graph([x])[0], x.exp(), x.double().exp())
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

    def normalise(x, w):
        return torch.nn.functional.rms_norm(x, (64,), eps=0.0) @ w

    for given in ((x, w), (x, w.t().contiguous().t())):  # rows of any strides
        assert_close(operator(*given), normalise(x, w), normalise(x.double(), w.double()))
        torch.library.opcheck(operator, given)
    torch._dynamo.reset()
    compiled = torch.compile(lambda x, w: torch.ops.mirage_test.normalised(x, w) + 1, backend="aot_eager", fullgraph=True)
    assert torch.equal(compiled(x, w), operator(x, w) + 1)


def test_register_operator_of_two_outputs():
    operator = torch_bridge.register_operator("mirage_test::pair", make_normalised(2))
    x, w = torch.randn(16, 64).half(), torch.randn(64, 32).half()
    first, second = operator(x, w)
    assert first.shape == (16, 32)
    assert_close(second, x.exp(), x.double().exp())
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
    for name in ("mirage_test::class", "import::f"):
        with pytest.raises(mi.GraphError, match="expects a name of words that Python leaves free"):
            torch_bridge.register_operator(name, make_normalised())
    with pytest.raises(mi.GraphError, match="expects a program or a graph, got 'graph'"):
        torch_bridge.register_operator("mirage_test::wrong", "graph")
    operator = torch_bridge.register_operator("mirage_test::strict", make_normalised())
    x, w = torch.randn(16, 64).half(), torch.randn(64, 32).half()
    with pytest.raises(mi.RunError, match="expects tensors that need no gradient"):
        operator(x, w.requires_grad_())
    w = w.detach()
    with pytest.raises(mi.RunError, match="mirage_test::strict: expects tensors without tangents"):
        torch.func.jvp(lambda x: operator(x, w), (x,), (x,))
    with pytest.raises(mi.RunError, match=r"input0: expects shape \[16, 64\], got \[8, 64\]"):
        operator(x[:8], w)
    with pytest.raises(mi.RunError, match="input1: expects float16, got torch.float32"):
        operator(x, w.float())
    for other in (x[0], x[None], x.reshape(16, 8, 8), x.sum(), x.t().contiguous().t()[0]):
        with pytest.raises(mi.RunError, match=rf"input input0: expects shape \[16, 64\], got {re.escape(str(list(other.shape)))}"):
            operator(other, w)
    with pytest.raises(mi.RunError, match="input input1: expects a strided tensor, got torch.sparse_csr one"):
        operator(x, w.to_sparse_csr())
    with pytest.raises(mi.RunError, match="expects a tensor of torch or NumPy, .*, got NoneType"):
        operator(None, w)
    with torch._subclasses.FakeTensorMode():
        with pytest.raises(mi.RunError, match=r"input0: expects shape \[16, 64\], got \[8, 64\]"):
            operator(torch.empty(8, 64).half(), torch.empty(64, 32).half())


# ---------------------------------------------------------------------- what torch is told


def test_a_gradient_of_what_was_overwritten_is_an_error(graph):
    graph.mark_output(graph.exp(graph.new_input((4, 8), dtype=mi.float32)))
    program = graph.compile()
    weights, out = torch.ones(4, 8, requires_grad=True), torch.ones(4, 8)
    loss = (weights * out).sum()
    with torch.no_grad():
        program([torch.zeros(4, 8)], out=[out])
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(16, 16, bias=False), torch.nn.Linear(16, 16, bias=False)
        self.second.weight = self.first.weight

    def forward(self, x):
        return self.second(torch.exp(self.first(x)))


def test_tied_weights_stay_tied():
    module, x = Tied(), torch.randn(8, 16)
    graph = mi.from_torch(module, (x,))
    layer = graph.bind(graph.compile())
    with torch.no_grad():
        torch.testing.assert_close(layer(x), module(x), rtol=1e-3, atol=1e-3)
        module.first.weight = module.second.weight = torch.nn.Parameter(torch.randn(16, 16) / 4)
        torch.testing.assert_close(layer(x), module(x), rtol=1e-3, atol=1e-3)
        module.second.weight = torch.nn.Parameter(torch.randn(16, 16))
        with pytest.raises(mi.RunError, match="expects first.weight and second.weight to be one tensor"):
            layer(x)


def test_inputs_that_are_not_taken_are_named():
    with pytest.raises(mi.GraphError, match="input: expects an element type"):
        mi.from_torch(torch.nn.ReLU(), (torch.randn(4, 4, dtype=torch.float64),))
