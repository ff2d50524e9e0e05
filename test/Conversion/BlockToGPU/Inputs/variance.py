#!/usr/bin/env python3
"""Variances over loops, on the emulator and by the reference, against NumPy in float64,
on numbers whose mean is 0, or 1000 times their standard deviation. A line a result.

In f32, the mean of squares less the square of the mean is off by more than a hundredth
of the variance on the latter, which this asserts of NumPy: so the check can fail."""
import argparse
import pathlib
import subprocess
import sys

import numpy as np

# Shape of the input, its type, and the axes over which the variance is taken.
FUNCTIONS = {"rows": ((7, 1000), np.float16, 1), "columns": ((300, 5), np.float32, 0),
             "all": ((30, 50), np.float32, (0, 1)), "elements": ((9, 12, 8), np.float32, 0),
             "many": ((200, 96), np.float16, 1)}

random = np.random.default_rng(3)


def of_powers(x, axis):
    """As a loop could add it up that does not care."""
    x = x.astype(np.float32)
    return (x * x).mean(axis, keepdims=True) - x.mean(axis, keepdims=True) ** 2


def get_error(found, expected):
    return np.abs(found - expected).max() / expected.max()


def get_tolerance(mean):
    """What f32 may be off by of a variance of 1 (AccumulateMoments.h)."""
    return 4 * max(1, abs(mean)) * 2.0**-24


def check(arguments, name, mean):
    shape, element, axis = FUNCTIONS[name]
    x = (random.standard_normal(shape) + mean).astype(element)
    expected = x.astype(np.float64).var(axis, keepdims=True)
    assert mean == 0 or get_error(of_powers(x, axis), expected) > 1e-2
    np.save(arguments.work / "x.npy", x)
    tolerance, worst = get_tolerance(mean), 0
    for device in ["emulator", "reference"]:
        output = arguments.work / f"{name}.{device}"
        subprocess.run([arguments.tools / "mirage-run", arguments.artifact / name, f"--device={device}", "--input",
                        f"x={arguments.work / 'x.npy'}", "--output", output], check=True, stdout=subprocess.DEVNULL)
        worst = max(worst, get_error(np.load(output / "output0.npy"), expected))
    print(f"{name}, mean {mean}: {'right' if worst <= tolerance else f'off by {worst:.3g}'}", flush=True)
    return worst <= tolerance


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for folder in ["tools", "artifact", "work"]:
        parser.add_argument(f"--{folder}", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    arguments.work.mkdir(exist_ok=True)
    results = [check(arguments, name, mean) for name in FUNCTIONS for mean in [0, 1000]]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
