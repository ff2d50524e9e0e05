#!/usr/bin/env python3
"""The 8-bit floats in compiled programs, against their definition by a table of all numbers:
a cast to f32 of each, and a cast from f32 of numbers at, between and beyond them. A line a
type and target; exits 1 if any byte is wrong."""
import argparse
import pathlib
import subprocess
import sys

import numpy as np

# Fraction bits, exponent bias, bits of the largest number.
FORMATS = {"f8E4M3FN": (3, 7, 0x7E), "f8E5M2": (2, 15, 0x7B)}


def table(name):
    """The numbers that are not negative, by their bits."""
    fraction_bits, bias, largest = FORMATS[name]
    numbers = []
    for bits in range(largest + 1):
        exponent, fraction = bits >> fraction_bits, bits % 2**fraction_bits / 2**fraction_bits
        numbers.append((1 + fraction) * 2.0**(exponent - bias) if exponent else fraction * 2.0**(1 - bias))
    return np.array(numbers)


def round_to_bits(values, name):
    """Nearest, ties to even, saturating; by comparison with every number."""
    numbers = table(name)
    magnitudes = np.minimum(np.abs(values.astype(np.float64)), numbers[-1])
    distance = np.abs(magnitudes[:, None] - numbers)
    nearest = distance.min(1, keepdims=True)
    # Of two that are as near, the one with even bits.
    order = np.where(distance == nearest, np.arange(len(numbers)) % 2, 2)
    return (order.argmin(1) | np.where(np.signbit(values), 0x80, 0)).astype(np.uint8)


def numbers_to_round(name):
    numbers = table(name).astype(np.float32)
    between = (numbers[1:] + numbers[:-1]) / 2
    largest = numbers[-1]
    beyond = np.array([largest * 1.03, largest * 1.07, largest * 2, 3e38, np.inf, 1e-30, 1e-45], np.float32)
    positive = np.concatenate([numbers, between, beyond])
    positive = np.concatenate([positive, np.nextafter(positive, np.float32(0)), np.nextafter(positive, np.float32(np.inf))])
    spread = np.exp2(np.random.default_rng(3).uniform(-20, 18, 1000)).astype(np.float32)
    positive = np.concatenate([positive, spread])
    return np.concatenate([positive, -positive])


def program(name, count):
    return f"""func.func @casts(%x: tensor<{count}xf32> {{mirage.name = "x"}}, %y: tensor<256x{name}> {{mirage.name = "y"}})
    -> (tensor<{count}x{name}>, tensor<256xf32>) {{
  %e = tensor.empty() : tensor<{count}x{name}>
  %f = tensor.empty() : tensor<256xf32>
  %r:2 = mirage_kernel.graph ins(%x, %y : tensor<{count}xf32>, tensor<256x{name}>)
      outs(%e, %f : tensor<{count}x{name}>, tensor<256xf32>) {{
  ^bb0(%a: tensor<{count}xf32>, %b: tensor<256x{name}>):
    %c = mirage_kernel.cast %a : (tensor<{count}xf32>) -> tensor<{count}x{name}>
    %d = mirage_kernel.cast %b : (tensor<256x{name}>) -> tensor<256xf32>
    mirage_kernel.yield %c, %d : tensor<{count}x{name}>, tensor<256xf32>
  }} : tensor<{count}x{name}>, tensor<256xf32>
  return %r#0, %r#1 : tensor<{count}x{name}>, tensor<256xf32>
}}
"""


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command}: {done.stdout}{done.stderr}")


def check(name, target, values):
    """What is wrong, or nothing."""
    stem = f"{name}.{target}"
    source, artifact = WORK / f"{stem}.mlir", WORK / stem
    source.write_text(program(name, len(values)))
    run(TOOLS / "mirage-opt", source, f"--mirage-compile=from=optimize target={target} artifact={artifact}", "-o", "/dev/null")
    uses_instructions = "cvt.rn.satfinite.e" in (artifact / "kernels.ptx").read_text()
    if uses_instructions != (target != "sm_80"):
        return "has other instructions than the target"
    inputs = {"x": values, "y": np.arange(256, dtype=np.uint8)}
    for input, array in inputs.items():
        np.save(WORK / f"{stem}.{input}.npy", array)
    numbers = table(name)
    for options in (["--device=emulator"], ["--device=reference", "--rounding=declared"]):
        outputs = artifact.with_suffix(".out")
        run(TOOLS / "mirage-run", artifact, *options, "--output", outputs,
            *(part for input in inputs for part in ("--input", f"{input}={WORK / f'{stem}.{input}.npy'}")))
        rounded, read = np.load(outputs / "output0.npy"), np.load(outputs / "output1.npy")
        wrong = np.flatnonzero(rounded != round_to_bits(values, name))
        if wrong.size:
            return f"{options[0]} rounds {values[wrong[0]]} to {rounded[wrong[0]]:#x}"
        # Behind the largest finite number there is NaN alone, or infinity before it.
        beyond = np.full(128 - len(numbers), np.nan)
        if name == "f8E5M2":
            beyond[0] = np.inf
        positive = np.concatenate([numbers, beyond])
        if not np.array_equal(read, np.concatenate([positive, -positive]).astype(np.float32), equal_nan=True):
            return f"{options[0]} reads numbers wrong"
    return None


def main():
    global TOOLS, WORK
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    TOOLS, WORK = arguments.tools, arguments.work
    is_good = True
    for name in FORMATS:
        values = numbers_to_round(name)
        for target in ["sm_80", "sm_90a"]:
            problem = check(name, target, values)
            is_good &= not problem
            print(f"{name} {target}: {problem or f'{len(values) + 256} numbers as defined'}", flush=True)
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
