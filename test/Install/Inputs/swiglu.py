#!/usr/bin/env python3
"""Runs an artifact of swiglu.mlir on inputs of its own and compares with NumPy, which
knows what toy.swiglu means and nothing of Mirage."""
import argparse
import pathlib
import subprocess
import sys

import numpy


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool", help="mirage-run")
    parser.add_argument("artifact", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    draw = numpy.random.default_rng(1)
    inputs = {"x": draw.standard_normal((6, 32)), "w": draw.standard_normal((32, 48)),
              "v": draw.standard_normal((32, 48))}
    command = [arguments.tool, arguments.artifact, "--device=emulator",
               f"--output={arguments.work}"]
    for name, values in inputs.items():
        inputs[name] = values.astype(numpy.float16)
        numpy.save(arguments.work / f"{name}.npy", inputs[name])
        command.append(f"--input={name}={arguments.work / name}.npy")
    subprocess.run(command, check=True)
    x, w, v = (inputs[name].astype(numpy.float64) for name in ("x", "w", "v"))
    gate, up = x @ w, x @ v
    expected = gate / (1 + numpy.exp(-gate)) * up
    computed = numpy.load(arguments.work / "output0.npy")
    error = numpy.linalg.norm(computed - expected) / numpy.linalg.norm(expected)
    print(f"relative error {error:.3g}: {'right' if error < 2e-3 else 'WRONG'}")
    sys.exit(0 if error < 2e-3 else 1)


if __name__ == "__main__":
    main()
