"""Attention and normalizations of torch, by torch.compile and mirage.from_torch, on the CPU."""

import operator

import pytest

torch = pytest.importorskip("torch")

import mirage as mi  # noqa: E402
from mirage import torch_bridge, torch_layers, torch_support  # noqa: E402
from torch_models import assert_close, compile_for_mirage, run_and_compare, to_double  # noqa: E402

F = torch.nn.functional
INF = float("inf")


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)
    torch._dynamo.reset()


class Attention(torch.nn.Module):
    def forward(self, q, k, v, mask=None):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def make_heads(*heads, rows=32, width=16, dtype=torch.float16):
    return [torch.randn(2, count, rows, width, dtype=dtype) for count in heads]


# ---------------------------------------------------------------------- attention


@pytest.mark.parametrize("dtype, how", [(torch.bfloat16, {}), (torch.float32, {}), (torch.float16, {"is_causal": True}),
                                        (torch.float16, {"scale": 0.7})])
def test_attention(dtype, how):
    report = run_and_compare(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, **how),
                             *make_heads(4, 4, 4, dtype=dtype))
    assert len(report.parts) == 1 and not report.left


@pytest.mark.parametrize("is_causal", [False, True])
def test_attention_of_more_keys(is_causal):
    (q,), (k, v) = make_heads(4, rows=8), make_heads(4, 4, rows=24)
    report = run_and_compare(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=is_causal), q, k, v)
    assert len(report.parts) == 1 and not report.left


@pytest.mark.parametrize("shape", [(32, 32), (2, 1, 1, 32), (2, 4, 32, 32)])
def test_attention_with_a_mask(shape):
    mask = torch.randn(shape).half()
    mask[..., 20:] = -INF
    report = run_and_compare(Attention(), *make_heads(4, 4, 4), mask)
    assert len(report.parts) == 1 and not report.left


def test_attention_with_a_boolean_mask():
    """Torch makes numbers of it, which is left; attention is not."""
    mask = torch.rand(32, 32) < 0.7
    report = run_and_compare(Attention(), *make_heads(4, 4, 4), mask)
    assert len(report.parts) == 1 and any("scaled_dot_product" in name for name in report.parts[0].operators)
    assert report.left and all("scaled_dot_product" not in sentence for sentence in report.left)


def test_rows_that_a_mask_leaves_nothing_of():
    """Are 0, and no NaN, which would be everywhere behind the next product."""
    q, k, v = make_heads(4, 4, 4)
    mask = torch.zeros(32, 32).half()
    mask[5:9] = -INF
    graph = mi.from_torch(Attention(), (q, k, v, mask))
    for program in (graph.compile(), graph.superoptimize(max_states=3000)):
        (out,) = program([q, k, v, mask])
        assert (out[..., 5:9, :] == 0).all() and out.isfinite().all()
        kept = [row for row in range(32) if not 5 <= row < 9]
        exact = F.scaled_dot_product_attention(q.double()[..., kept, :], k.double(), v.double())
        assert_close(out[..., kept, :], F.scaled_dot_product_attention(q[..., kept, :], k, v), exact)


has_groups = pytest.mark.skipif("enable_gqa" not in (F.scaled_dot_product_attention.__doc__ or ""),
                                reason="this torch has no enable_gqa")


@has_groups
@pytest.mark.parametrize("how", [{}, {"is_causal": True}, {"attn_mask": torch.zeros(32, 32).half()}])
def test_attention_of_groups(how):
    def model(q, k, v, **mask):
        return F.scaled_dot_product_attention(q, k, v, enable_gqa=True, **how, **mask)

    mask = {"attn_mask": torch.zeros(32, 32).half()} if "attn_mask" in how else {}
    how = {name: value for name, value in how.items() if name != "attn_mask"}
    report = run_and_compare(model, *make_heads(4, 2, 2), **mask)
    assert len(report.parts) == 1 and not report.left


def test_attention_that_torch_takes_apart():
    """Where none of its kernels fits."""
    report = run_and_compare(F.scaled_dot_product_attention, *[value[0] for value in make_heads(4, 4, 4)])
    assert len(report.parts) == 1 and not report.left


def test_attention_with_dropout_is_left():
    """Torch takes it apart on the CPU, with an operator that draws numbers."""
    call = compile_for_mirage(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, dropout_p=0.5),
                              options={"max_states": 50})
    with torch.no_grad():
        first, second = (call(*make_heads(4, 4, 4)) for _ in range(2))
    assert not torch.equal(first, second)
    assert any("aten.rand" in sentence for sentence in torch_bridge.reports[-1].left)


def trace(target, q, k, v, **given):
    """The node of a call, with arguments where this torch has them, and an FX graph of its first result."""
    graph = torch.fx.Graph()
    values = {"compute_log_sumexp": False, "attn_bias": None, **given}
    for name, value in [("query", q), ("key", k), ("value", v), *given.items()]:
        if isinstance(value, torch.Tensor):
            values[name] = graph.placeholder(name)
            values[name].meta["val"] = value
    arguments = target._schema.arguments
    node = graph.call_function(
        target, tuple(values.get(one.name, one.default_value) for one in arguments if not one.kwarg_only),
        {one.name: values[one.name] for one in arguments if one.kwarg_only and one.name in values})
    result = graph.call_function(operator.getitem, (node, 0))
    result.meta["val"] = torch.empty_like(q)
    node.meta["val"] = (result.meta["val"], torch.empty(1))
    graph.output((result,))
    return node, torch.fx.GraphModule(torch.nn.Module(), graph)


@pytest.mark.parametrize("target", torch_layers.ATTENTION, ids=lambda target: target._schema.name)
def test_attention_of_each_kernel(target):
    """Those of GPUs among them, as torch.compile hands them over."""
    q, k, v = make_heads(4, 4, 4)
    mask = torch.randn(2, 4, 32, 32).half()
    names = {argument.name for argument in target._schema.arguments}
    takes_mask = names & {"attn_bias", "attn_mask"}
    for given in [{"scale": 0.3}, {"is_causal": True}] + [{name: mask} for name in takes_mask]:
        node, module = trace(target, q, k, v, **given)
        assert torch_support.explain_unsupported(node) is None
        how = {"attn_mask" if name == "attn_bias" else name: value for name, value in given.items()}
        (out,) = torch_bridge.from_fx(module)([q, k, v, *([mask] if "attn_mask" in how else [])])
        exact = F.scaled_dot_product_attention(*map(to_double, (q, k, v)),
                                               **{name: to_double(value) for name, value in how.items()})
        assert_close(out, F.scaled_dot_product_attention(q, k, v, **how), exact)
    node, _ = trace(target, q, k, v, dropout_p=0.1)
    assert "expects dropout_p of 0, got 0.1" in torch_support.explain_unsupported(node)


def test_other_results_of_attention():
    target = torch_layers.ATTENTION[0]
    node, module = trace(target, *make_heads(4, 4, 4))
    with module.graph.inserting_after(node):
        other = module.graph.call_function(operator.getitem, (node, 1))
    other.meta["val"] = torch.empty(1)
    assert "is asked for its result 1" in torch_support.explain_unsupported(node)
    assert torch_support.explain_unsupported(other) is not None


def test_causal_attention_from_the_last():
    """Kernels of GPUs have the last query see the last key, where there are other numbers of both."""
    target = torch.ops.aten._scaled_dot_product_flash_attention.default
    (q,), (k, v) = make_heads(4, rows=8), make_heads(4, 4, rows=24)
    node, _ = trace(target, q, k, v, is_causal=True)
    assert "expects as many queries as keys where is_causal, got 8 and 24" in torch_support.explain_unsupported(node)


@pytest.mark.parametrize("keys, graphs", [(256, 1), (2048, 2)])
def test_attention_is_one_pass(keys, graphs):
    """What is searched for: no scores in memory. Many keys come in parts, from one to the next of which sums are
    rescaled; a few may come at once."""
    q, k, v = (torch.empty(1, 4, rows, 64).half() for rows in (256, keys, keys))
    optimized = mi.from_torch(Attention(), (q, k, v)).superoptimize()
    assert optimized.improved and optimized.mlir.count("mirage_block.graph grid") == graphs
    assert f"x256x{keys}x" not in optimized.mlir.replace("tensor<1x1x", "")
    assert "rescale by" in optimized.mlir or keys == 256


# ---------------------------------------------------------------------- normalizations


@pytest.mark.parametrize("make", [
    lambda: torch.nn.LayerNorm(64), lambda: torch.nn.LayerNorm((8, 64)), lambda: torch.nn.LayerNorm(64, eps=0.1),
    lambda: torch.nn.LayerNorm(64, elementwise_affine=False), lambda: torch.nn.LayerNorm(64, bias=False),
    lambda: torch.nn.RMSNorm(64), lambda: torch.nn.RMSNorm((8, 64), eps=0.1),
    lambda: torch.nn.RMSNorm(64, elementwise_affine=False),
    lambda: torch.nn.GroupNorm(4, 8), lambda: torch.nn.GroupNorm(2, 8, affine=False)])
def test_normalizations(make):
    model = make().half()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, 1.0)
    x = torch.randn(4, 8, 64).half() * 3 + 2
    report = run_and_compare(model, x, calls=1)
    assert len(report.parts) == 1 and not report.left
    with torch.no_grad():
        graph = mi.from_torch(model, (x,))
        assert_close(graph.bind(graph.compile())(x), model(x), to_double(model)(x.double()))


def test_a_bias_alone():
    report = run_and_compare(lambda x, bias: F.layer_norm(x, (64,), bias=bias),
                             torch.randn(8, 64).half(), torch.randn(64).half())
    assert len(report.parts) == 1 and not report.left


def test_pictures():
    """Channels last, as convolutions like them."""
    x = torch.randn(2, 8, 4, 6).half().contiguous(memory_format=torch.channels_last)
    report = run_and_compare(torch.nn.GroupNorm(4, 8).half(), x)
    assert len(report.parts) == 1 and not report.left


def test_embeddings_are_left():
    class Embedded(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.norm = torch.nn.Embedding(16, 64), torch.nn.LayerNorm(64)

        def forward(self, tokens):
            return self.norm(self.table(tokens))

    report = run_and_compare(Embedded().half(), torch.arange(8))
    assert len(report.parts) == 1 and len(report.left) == 1 and "aten.embedding" in report.left[0]
