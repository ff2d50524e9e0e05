"""Models of torch that tests have in common."""

import pytest

torch = pytest.importorskip("torch")


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


class WithSorting(torch.nn.Module):
    """An operator in the middle that Mirage does not have."""

    def forward(self, x):
        return torch.exp(torch.sort(torch.tanh(x) * 2, -1).values)
