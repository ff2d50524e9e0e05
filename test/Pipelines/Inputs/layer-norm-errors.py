#!/usr/bin/env python3
"""How far kernels of layer-norm-linear.mlir are off, relative to the norm of the result in
float64: of rows with deviation 1 and one mean after another, and of weights with deviation
1 and a mean of 0 or of 1, in which case most of the product cancels. A line a number; exits
1 where one of those with a mean of at most 100 is more than 2e-3, which is right of f16."""
import argparse
import pathlib
import subprocess
import sys

import numpy as np

EPSILON = 1e-5


def layer_norm_linear(x, w):
    x, w = x.astype(np.float64), w.astype(np.float64)
    centred = x - x.mean(1, keepdims=True)
    return centred / np.sqrt(x.var(1, keepdims=True) + EPSILON) @ w


def measure(arguments, inputs, folder):
    command = [arguments.run, arguments.artifact, "--device=emulator", "--output", folder]
    for name, array in inputs.items():
        np.save(folder / f"{name}.npy", array)
        command += ["--input", f"{name}={folder / name}.npy"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    expected = layer_norm_linear(**inputs)
    found = np.load(folder / "output0.npy").astype(np.float64)
    return np.linalg.norm(found - expected) / np.linalg.norm(expected)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for path in ["run", "artifact", "work"]:
        parser.add_argument(f"--{path}", type=pathlib.Path, required=True)
    parser.add_argument("--means", type=float, nargs="+", default=[0, 100])
    arguments = parser.parse_args()
    arguments.work.mkdir(exist_ok=True)
    random = np.random.default_rng(1)
    x, w = random.standard_normal((8, 5003)), random.standard_normal((5003, 4096))
    is_right = True
    for mean_of_weights in [0, 1]:
        for mean in arguments.means:
            inputs = {"x": (x + mean).astype(np.float16), "w": ((w + mean_of_weights) / 64).astype(np.float16)}
            error = measure(arguments, inputs, arguments.work)
            is_right &= error <= 2e-3 or mean > 100
            print(f"mean {mean:g}, of weights {mean_of_weights}: {error:.2g}", flush=True)
    sys.exit(0 if is_right else 1)


if __name__ == "__main__":
    main()
