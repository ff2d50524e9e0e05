#!/usr/bin/env python3
"""Compares what the host of in-place.mlir prints with NumPy, which knows what toy.swiglu
means and nothing of Mirage."""
import re
import sys

import numpy

x = numpy.subtract.outer(numpy.arange(6), numpy.arange(6)) / 8
expected = x
for _ in range(2):
    gate = expected @ x
    expected = gate / (1 + numpy.exp(-gate)) * expected
text = open(sys.argv[1]).read().split("data =")[1]
computed = numpy.array([float(number) for number in re.findall(r"-?\d[\d.]*(?:e[+-]?\d+)?", text)])
error = numpy.linalg.norm(computed.reshape(6, 6) - expected) / numpy.linalg.norm(expected)
print(f"relative error {error:.3g}: {'right' if error < 1e-4 else 'WRONG'}")
sys.exit(0 if error < 1e-4 else 1)
