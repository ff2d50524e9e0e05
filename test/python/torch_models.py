"""What tests of torch have in common: comparisons, models."""

import copy

import pytest

torch = pytest.importorskip("torch")

from mirage import torch_bridge  # noqa: E402

# ---------------------------------------------------------------------- comparisons

#: T of include/Mirage/Reference/OutputCheck.h. Products of f32 may be of tf32, which has the bits of f16.
TOLERANCES = {torch.float16: 2e-3, torch.bfloat16: 1.6e-2, torch.float32: 2e-3}


def to_double(value):
    if isinstance(value, torch.nn.Module):
        return copy.deepcopy(value).double()
    return value.double() if isinstance(value, torch.Tensor) and value.is_floating_point() else value


def measure_errors(computed, exact):
    """Relative to the tensor: of its norm, and the worst element's to the largest."""
    difference = computed.double() - exact
    return torch.stack([difference.norm() / exact.norm(), difference.abs().max() / exact.abs().max()])


def assert_close(computed, expected, exact):
    """What is computed may be as far from the exact result as what torch computes in the same type is, and
    T farther."""
    assert computed.dtype == expected.dtype and computed.shape == expected.shape
    if not exact.numel() or not exact.any() or not computed.is_floating_point():
        assert torch.equal(computed, expected)
        return
    errors, allowed = measure_errors(computed, exact), measure_errors(expected, exact) + TOLERANCES[computed.dtype]
    assert (errors <= allowed).all(), f"errors {errors.tolist()} above {allowed.tolist()}"


def to_list(value):
    return [value] if isinstance(value, torch.Tensor) else list(value)


def compile_for_mirage(model, fallback="eager", options=None, **how):
    return torch.compile(model, backend=torch_bridge.mirage_backend,
                         options={"fallback": fallback, "takes": "all", **(options or {})}, **how)


def run_and_compare(model, *inputs, call=None, fallback="eager", options=None, calls=2, **kwargs):
    """Compares a compiled model with what torch computes: values, types, strides, which outputs are inputs,
    and that inputs stay what they were. Calls it twice, since buffers may be used again. Returns the report."""
    given = [value for value in inputs if isinstance(value, torch.Tensor)]
    kept = [value.clone() for value in given]
    if call is None:
        call = compile_for_mirage(model, fallback, options or {"max_states": 50})
    with torch.no_grad():
        exact = to_list(to_double(model)(*map(to_double, inputs),
                                         **{name: to_double(value) for name, value in kwargs.items()}))
        for _ in range(calls):
            expected, computed = (to_list(run(*inputs, **kwargs)) for run in (model, call))
            assert len(computed) == len(expected) == len(exact)
            for one, other, precise in zip(computed, expected, exact):
                assert_close(one, other, precise)
                assert one.stride() == other.stride()
                assert [one is value for value in inputs] == [other is value for value in inputs]
            assert all(map(torch.equal, given, kept))
    return torch_bridge.reports[-1]


# ---------------------------------------------------------------------- models


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

    def attend(self, q, k, v):
        return torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]

    def forward(self, x):
        y = self.norm(x)
        rows, width = y.shape
        q, k, v = (linear(y).view(rows, self.heads, -1).transpose(0, 1) for linear in (self.q, self.k, self.v))
        attended = self.attend(self.rotate(q), self.rotate(k), v)
        return self.mlp(x + self.o(attended.transpose(0, 1).reshape(rows, width)))


class LlamaBlockByHand(LlamaBlock):
    """With attention as its operators."""

    def attend(self, q, k, v):
        return torch.softmax(q @ k.transpose(1, 2) * q.shape[-1] ** -0.5, -1) @ v


class WithSorting(torch.nn.Module):
    """An operator in the middle that Mirage does not have."""

    def forward(self, x):
        return torch.exp(torch.sort(torch.tanh(x) * 2, -1).values)
