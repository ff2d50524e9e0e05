#!/usr/bin/env python3
"""The functions of rounding.mlir with each result rounded to its declared type, by NumPy:
the reference has to give the same bits."""
import json
import pathlib
import subprocess
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "utils"))
from recorded_programs import read_programs


def rounded(values, element):
    return values.astype(element).astype(numpy.float64)


def kernels(x, w):
    powers = rounded(numpy.exp(rounded(x @ w, numpy.float16)), numpy.float32)
    return powers / rounded(powers.sum(1, keepdims=True), numpy.float16)


def blocks(x, w):
    total = numpy.zeros((x.shape[0], w.shape[1]))
    for begin in range(0, x.shape[1], 64):
        part = rounded(x[:, begin:begin + 64] @ w[begin:begin + 64], numpy.float32)
        total = rounded(total + part, numpy.float32)
    return rounded(numpy.exp(rounded(total, numpy.float16)), numpy.float32)


def parts(x, w):
    product = rounded(x @ w, numpy.float16)
    powers = rounded(rounded(numpy.exp(product), numpy.float32), numpy.float16)
    return numpy.concatenate([product, powers], 1)**2


def main():
    file, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(exist_ok=True)
    recorded = read_programs(file)
    random = numpy.random.default_rng(5)
    inputs = [random.normal(size=(16, 256)).astype(numpy.float16),
              (random.normal(size=(256, 64)) / 16).astype(numpy.float16)]
    for number, values in enumerate(inputs):
        numpy.save(folder / f"{number}.npy", values)
    for program in (kernels, blocks, parts):
        (folder / "graph.json").write_text(json.dumps(recorded[program.__name__]))
        expected = program(*(values.astype(numpy.float64) for values in inputs))
        differing = []
        for rounding in ("declared", "exact"):
            subprocess.run(["mirage-run", folder / "graph.json", "--device=reference",
                            f"--rounding={rounding}", f"--output={folder}",
                            *(f"--input=input{i}={folder / str(i)}.npy" for i in range(2))],
                           check=True, stdout=subprocess.DEVNULL)
            computed = numpy.load(folder / "output0.npy")
            differing.append(int((computed != expected.astype(numpy.float16)).sum()))
        print(f"{program.__name__}: declared {differing[0]}, exact {differing[1]} of"
              f" {expected.size} differ")


if __name__ == "__main__":
    main()
