"""Whatever is handed over in the place of what a function takes: it does, or raises an error of the package's own."""

import concurrent.futures

import numpy as np
import pytest

import mirage as mi
from mirage import distributed, superoptimizer

torch = pytest.importorskip("torch")


class Hostile:
    """Fails wherever it is looked at."""

    def _fail(self, *_):
        raise ZeroDivisionError("looked at")

    __repr__ = __str__ = __index__ = __float__ = __iter__ = __len__ = __bool__ = __hash__ = __eq__ = _fail
    name = property(_fail)


VALUES = {
    "None": None, "bool": True, "number": 3.5, "NaN": float("nan"), "huge": 10**400, "complex": 2j,
    "text": "a", "surrogate": "a\udc80", "zero in text": "a\0b", "bytes": b"ab", "list": [[1], [2]],
    "dictionary": {4: 4}, "set": {1, 2}, "class": dict, "object": object(), "function": len, "generator": "generator",
    "array": np.zeros((2, 3)), "array of integers": np.array([[8, 64]]), "scalar of NumPy": np.float16(2),
    "tensor": torch.ones(2, 3), "scalar of torch": torch.tensor(3), "hostile": Hostile(), "rescaling": "rescaling",
    "other graph": mi.new_kernel_graph().new_input(dims=(8, 64)),
}

#: By what stands in the place of `v`: a graph g, inputs x (8 x 64) and w (64), a threadblock graph tb with a tile t.
CALLS = {
    "new_input dims": lambda g, x, w, v: g.new_input(v),
    "new_input a size": lambda g, x, w, v: g.new_input((v, 4)),
    "new_input strides": lambda g, x, w, v: g.new_input((8, 64), strides=v),
    "new_input dtype": lambda g, x, w, v: g.new_input((8, 64), dtype=v),
    "new_input name": lambda g, x, w, v: g.new_input((8, 64), name=v),
    "mark_output": lambda g, x, w, v: g.mark_output(v),
    "mark_output strides": lambda g, x, w, v: g.mark_output(x, strides=v),
    **{name: (lambda g, x, w, v, name=name: getattr(g, name)(v))
       for name in ("exp", "exp2", "log", "square", "sqrt", "rsqrt", "reciprocal", "neg", "abs", "sigmoid", "silu",
                    "gelu", "relu", "tanh", "erf", "rms_norm", "layer_norm", "l2_norm", "softmax", "transpose",
                    "causal_mask", "concat")},
    **{f"{name} first": (lambda g, x, w, v, name=name: getattr(g, name)(v, x))
       for name in ("add", "sub", "mul", "div", "pow", "maximum", "minimum", "matmul", "concat")},
    **{f"{name} second": (lambda g, x, w, v, name=name: getattr(g, name)(x, v))
       for name in ("add", "sub", "mul", "div", "pow", "maximum", "minimum", "matmul", "concat", "mul_scalar", "cast",
                    "reshape", "reduction", "sum", "mean", "max", "rms_norm", "layer_norm", "l2_norm", "softmax",
                    "transpose", "permute", "broadcast", "repeat", "causal_mask")},
    "gelu approximate": lambda g, x, w, v: g.gelu(x, approximate=v),
    "clamp min_val": lambda g, x, w, v: g.clamp(x, v, 1),
    "clamp max_val": lambda g, x, w, v: g.clamp(x, 0, v),
    "concat in a list": lambda g, x, w, v: g.concat([x, v]),
    "concat dim": lambda g, x, w, v: g.concat(x, x, dim=v),
    "reduction in a list": lambda g, x, w, v: g.reduction(x, [0, v]),
    "rms_norm weight": lambda g, x, w, v: g.rms_norm(x, weight=v),
    "rms_norm eps": lambda g, x, w, v: g.rms_norm(x, eps=v),
    "layer_norm weight": lambda g, x, w, v: g.layer_norm(x, weight=v),
    "layer_norm bias": lambda g, x, w, v: g.layer_norm(x, weight=w, bias=v),
    "l2_norm eps": lambda g, x, w, v: g.l2_norm(x, eps=v),
    "transpose dim1": lambda g, x, w, v: g.transpose(x, 0, v),
    "slice starts": lambda g, x, w, v: g.slice(x, v, (2, 2)),
    "slice sizes": lambda g, x, w, v: g.slice(x, (0, 0), v),
    "slice steps": lambda g, x, w, v: g.slice(x, (0, 0), (2, 2), v),
    "+": lambda g, x, w, v: x + v,
    "-": lambda g, x, w, v: x - v,
    "*": lambda g, x, w, v: x * v,
    "/": lambda g, x, w, v: x / v,
    "**": lambda g, x, w, v: x**v,
    "@": lambda g, x, w, v: x @ v,
    "dim": lambda g, x, w, v: x.dim(v),
    "from_json": lambda g, x, w, v: mi.from_json(v),
    "from_json index": lambda g, x, w, v: mi.from_json("[[]]", index=v),
    "from_json dtypes": lambda g, x, w, v: mi.from_json("[[]]", dtypes=v),
    "from_json a dtype": lambda g, x, w, v: mi.from_json("[[]]", dtypes={940: v}),
    "customized inputs": lambda g, x, w, v: g.customized(v, make_block(g, x)[0]),
    "customized an input": lambda g, x, w, v: g.customized([v], make_block(g, x)[0]),
    "customized bgraph": lambda g, x, w, v: g.customized([x], v),
    "grid_dim": lambda g, x, w, v: mi.new_threadblock_graph(v, (64, 1, 1), 1),
    "block_dim": lambda g, x, w, v: mi.new_threadblock_graph((1, 1, 1), v, 1),
    "forloop_range": lambda g, x, w, v: mi.new_threadblock_graph((1, 1, 1), (64, 1, 1), v),
    "reduction_dimx": lambda g, x, w, v: mi.new_threadblock_graph((1, 1, 1), (64, 1, 1), 1, v),
    "stages": lambda g, x, w, v: mi.new_threadblock_graph((1, 1, 1), (64, 1, 1), 1, stages=v),
    "tile of": lambda g, x, w, v: make_block(g, x)[0].new_input(v, (-1, -1, -1), -1),
    "input_map": lambda g, x, w, v: make_block(g, x)[0].new_input(x, v, -1),
    "input forloop_dim": lambda g, x, w, v: make_block(g, x)[0].new_input(x, (-1, -1, -1), v),
    **{f"tile {name}": (lambda g, x, w, v, name=name: getattr(make_block(g, x)[0], name)(v))
       for name in ("exp", "rms_norm", "concat", "forloop_accum", "forloop_accum_max")},
    **{f"tile {name} second": (lambda g, x, w, v, name=name: on_tile(g, x, name, v))
       for name in ("add", "pow", "concat", "sum", "reduction_max", "forloop_accum", "forloop_accum_rescale", "reshape",
                    "new_output")},
    "reduction_max": lambda g, x, w, v: make_block(g, x)[0].reduction_max(v, 0),
    "rescaled": lambda g, x, w, v: make_block(g, x)[0].forloop_accum_rescale(v, v),
    "rescaled acc": lambda g, x, w, v: rescale(g, x, v),
    "output forloop_dim": lambda g, x, w, v: on_tile(g, x, "new_output", (-1, -1, -1), forloop_dim=v),
    "output dims": lambda g, x, w, v: on_tile(g, x, "new_output", (-1, -1, -1), dims=v),
    "output dtype": lambda g, x, w, v: on_tile(g, x, "new_output", (-1, -1, -1), dtype=v),
    "visualize": lambda g, x, w, v: g.visualize(v),
    "from_mlir": lambda g, x, w, v: mi.from_mlir(v),
    "from_mlir function": lambda g, x, w, v: mi.from_mlir(PROGRAM.mlir, v),
    "from_mlir file_name": lambda g, x, w, v: mi.from_mlir(PROGRAM.mlir, None, v),
    "load": lambda g, x, w, v: mi.load(v),
    "set_gpu_device_id": lambda g, x, w, v: mi.set_gpu_device_id(v),
    "store_in_dmem": lambda g, x, w, v: make_block(g, x)[0].new_input(x, (-1, -1, -1), -1, store_in_dmem=v),
    "compile inputs": lambda g, x, w, v: PROGRAM.compile(inputs=v),
    "call": lambda g, x, w, v: PROGRAM([v]),
    "call out": lambda g, x, w, v: PROGRAM([np.zeros((8, 64), np.float16)], out=v),
    "call stream": lambda g, x, w, v: PROGRAM([np.zeros((8, 64), np.float16)], stream=v),
    "save": lambda g, x, w, v: PROGRAM.compile().save(v),
    "report": lambda g, x, w, v: mi.report(v, "page.html"),
    "superoptimize": lambda g, x, w, v: mi.superoptimize(v),
    **{f"superoptimize {name}": (lambda g, x, w, v, name=name: PROGRAM.superoptimize(**{"max_states": 1, name: v}))
       for name in ("config", "backend", "seed", "threads", "search_time_limit_sec", "measure", "previous_checkpoint",
                    "max_ops", "shards", "executor")},
    "shards": lambda g, x, w, v: PROGRAM.superoptimize(executor=concurrent.futures.Executor(), shards=v),
}

#: One of an operator, which is compiled once.
PROGRAM = mi.new_kernel_graph()
PROGRAM.mark_output(PROGRAM.exp(PROGRAM.new_input(dims=(8, 64))))


def make_block(graph, x):
    tb = mi.new_threadblock_graph((1, 1, 1), (64, 1, 1), 1)
    tile = tb.new_input(x, (-1, -1, -1), -1)
    tb.new_output(tb.exp(tile), (-1, -1, -1))
    return tb, tile


def on_tile(graph, x, name, *arguments, **options):
    tb, tile = make_block(graph, x)
    return getattr(tb, name)(tile, *arguments, **options)


def rescale(graph, x, acc):
    tb, tile = make_block(graph, x)
    return tb.forloop_accum_rescale(tile, tb.reduction_max(tile, 1)[1], acc)


@pytest.mark.parametrize("value", VALUES)
def test_every_function(value, tmp_path, monkeypatch):
    """All functions with one value: a call that is none raises the package's error, whose text can be shown."""
    monkeypatch.chdir(tmp_path)  # which "a" is a file in
    monkeypatch.setattr(superoptimizer, "_gpu", 0)
    wrong = []
    for name, call in CALLS.items():
        graph = mi.new_kernel_graph()
        x, w = graph.new_input(dims=(8, 64), name="X"), graph.new_input(dims=(64,), name="W")
        given = VALUES[value]
        if value == "generator":
            given = (1 / 0 for _ in range(2))
        if value == "rescaling":
            tb, tile = make_block(graph, x)
            given = tb.reduction_max(tile, 1)[1]
        try:
            call(graph, x, w, given)
        except mi.MirageError as error:
            words = "expects", "JSON", "cannot be written", "cannot be read"
            if name != "from_mlir" and not any(word in str(error) for word in words) or "\n" in str(error):
                wrong.append(f"{name}: {error}")
        except Exception as error:
            wrong.append(f"{name}: {type(error).__name__}: {error}")
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize("value", ["a\udc80", "a\0b"])
def test_options_that_are_no_text(graph, value):
    graph.exp(graph.new_input(dims=(8, 64)))
    with pytest.raises(mi.MirageError, match="expects .*target"):
        graph.superoptimize(target=value, max_states=1)


@pytest.mark.parametrize("call", [lambda x: x.graph.new_input((x, 4)), lambda x: x.graph.reduction(x, np.zeros(3)),
                                  lambda x: np.zeros(3) + x, lambda x: [1] * x, lambda x: "a" @ x, lambda x: 2j**x])
def test_a_value_before_a_tensor(graph, call):
    with pytest.raises(mi.GraphError, match="expects"):
        call(graph.new_input(dims=(8, 64)))


def test_a_path_of_no_file(tmp_path):
    with pytest.raises(mi.GraphError, match="expects a file with JSON, got .*nowhere"):
        mi.from_json(tmp_path / "nowhere")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(mi.GraphError, match="expects a file with JSON, got .*bytes"):
        mi.from_json(tmp_path / "bytes")


@pytest.mark.parametrize("flag", ["verbose", "save_codes", "is_formal_verified", "use_cached_graphs",
                                  "use_graph_dataset", "use_symbolic_search"])
def test_flags(flag, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    graph = mi.new_kernel_graph()
    graph.mark_output(graph.exp(graph.new_input(dims=(8, 64))))
    for name, value in VALUES.items():
        if name not in ("None", "bool"):
            with pytest.raises(mi.GraphError, match=f"expects {flag} of True or False, got "):
                graph.superoptimize(**{flag: value})
    for value in (None, np.bool_(True), 1):
        graph.superoptimize(max_states=1, **{flag: value})


def test_integers_of_numpy(monkeypatch):
    """They are integers wherever one is taken."""
    monkeypatch.setattr(superoptimizer, "_gpu", 0)
    mi.set_gpu_device_id(np.int64(1))
    assert superoptimizer._gpu == 1
    assert distributed.check_executor(concurrent.futures.Executor(), np.int32(3)) == 3
