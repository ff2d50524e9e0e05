"""Compares what --mirage-explain expects of shared memory's banks with what the emulator counts.

  compare-wavefronts.py REPORT RUN

REPORT is what --mirage-explain wrote, RUN what `mirage-run --device=emulator --json` printed of the
same program. One line for each kernel: its name, the wavefronts counted, those expected for each
that is counted, and the share of those counted that bank conflicts are.
"""

import json
import math
import sys


def main():
    report_path, run_path = sys.argv[1:]
    with open(report_path) as file:
        explained = [kernel for function in json.load(file)["functions"] for kernel in function["kernels"]]
    with open(run_path) as file:
        launches = json.loads(file.readline())["launches"]
    for kernel, launch in zip(explained, launches, strict=True):
        counters = launch["counters"]
        counted = counters["sharedWavefronts"]
        expected = kernel["wavefronts"] * math.prod(kernel["grid"])
        conflicts = counters["sharedBankConflicts"] + counters["matrixRowBankConflicts"]
        print(f"{launch['kernel']}: {counted} wavefronts, {expected / counted:.2f} expected, "
              f"{conflicts / counted:.3f} conflicts")


main()
