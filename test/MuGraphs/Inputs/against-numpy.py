#!/usr/bin/env python3
"""Compares what the reference makes of each function of a file with what NumPy makes of
the program of that name in float64, on random inputs. NumPy knows the programs as the
formulas below, and nothing of the file but the types. Both round once, at the output."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "utils"))
from recorded_programs import read_programs

HALF_PLACE = {"f16": 2.0**-11, "f32": 2.0**-24}
SMALLEST = {"f16": 2.0**-24, "f32": 2.0**-149}


def rms(x):
    return numpy.sqrt((x * x).mean(-1, keepdims=True))


def norm(x):
    return x / rms(x)


def silu(x):
    return x / (1 + numpy.exp(-x))


def attention_of(scores, v):
    weights = numpy.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


def attention(q, k, v):
    return attention_of(q @ k, v)


def causal_attention(q, k, v):
    """The last query sees all keys."""
    scores = q @ k
    rows, columns = numpy.indices(scores.shape[-2:])
    is_seen = columns <= rows + scores.shape[-1] - scores.shape[-2]
    return attention_of(numpy.where(is_seen, scores, -numpy.inf), v)


def sum_of_tiles(x, tiles):
    return x.reshape(*x.shape[:2], tiles, -1).sum(2)


# By the beginning of a function's name, the first that fits.
PROGRAMS = {
    "matmul": lambda a, b: a @ b,
    "loop_sum_of_tiles_1x16x18": lambda a: sum_of_tiles(a, 2),
    "loop_sum_of_tiles_2x68x72": lambda a: sum_of_tiles(a, 12),
    "loop_sum": lambda a: a.sum(-1, keepdims=True),
    "max": lambda a: a.max(-1, keepdims=True),
    "mean": lambda a: a.mean(-1, keepdims=True),
    "rms_of": rms,
    "softmax": lambda a: numpy.exp(a) / numpy.exp(a).sum(-1, keepdims=True),
    "rmsnorm_linear": lambda x, w: norm(x) @ w,
    "gqa": attention,
    "causal_gqa": causal_attention,
    "qknorm_gqa": lambda q, k, v: attention(norm(q), k, norm(v)),
    "lora": lambda x, w, a, b: x @ w + x @ a @ b,
    "gated_mlp": lambda x, w, u: silu(x @ w) * (x @ u),
    "ntrans": lambda h, x, alpha: norm(x + alpha * (norm(h) + x)),
}


def make_inputs(graph, random, folder):
    """Numbers with which sums of products stay of the size of one term."""
    inputs = []
    for number, entry in enumerate(graph["inputs"]):
        shape, element = entry["type"]["shape"], entry["type"]["element"]
        deviation = 1 if number == 0 else shape[-2] ** -0.5
        values = random.normal(size=shape) * deviation
        values = values.astype({"f16": numpy.float16, "f32": numpy.float32}[element])
        numpy.save(folder / f"{number}.npy", values)
        inputs.append(values.astype(numpy.float64))
    return inputs


def compute(graph, folder):
    (folder / "graph.json").write_text(json.dumps(graph))
    files = [f"--input={entry['name']}={folder / str(number)}.npy"
             for number, entry in enumerate(graph["inputs"])]
    subprocess.run(["mirage-run", folder / "graph.json", "--device=reference", *files,
                    f"--output={folder}"], check=True, stdout=subprocess.DEVNULL)
    return numpy.load(folder / "output0.npy")


def compare(name, graph):
    """The largest error, in halves of a last place of each element."""
    program = next(formula for start, formula in PROGRAMS.items() if name.startswith(start))
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        inputs = make_inputs(graph, numpy.random.default_rng(1), folder)
        computed = compute(graph, folder)
    expected = program(*inputs)
    element = "f16" if computed.dtype == numpy.float16 else "f32"
    allowed = numpy.maximum(HALF_PLACE[element] * numpy.abs(expected), SMALLEST[element] / 2)
    error = numpy.abs(computed.astype(numpy.float64) - expected) / allowed
    worst = error.max()
    is_right = computed.shape == expected.shape and worst <= 1 + 1e-6
    print(f"{name}: {'right' if is_right else 'WRONG'}, {worst:.6g} halves of the last place")
    return is_right


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=pathlib.Path)
    arguments = parser.parse_args()
    programs = read_programs(arguments.file)
    if not programs:
        sys.exit(f"{arguments.file}: expects functions, got none")
    right = [compare(name, graph) for name, graph in programs.items()]
    sys.exit(0 if all(right) else 1)


if __name__ == "__main__":
    main()
