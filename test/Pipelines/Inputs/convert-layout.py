"""Runs the artifact of convert-layout.mlir on a device of mirage-run and compares each
output with what NumPy computes.  convert-layout.py ARTIFACT DEVICE"""
import pathlib
import subprocess
import sys

import numpy

artifact, device = pathlib.Path(sys.argv[1]), sys.argv[2]
random = numpy.random.default_rng(7)
x = random.standard_normal((8, 16)).astype(numpy.float32)
y = random.standard_normal((8, 16)).astype(numpy.float16)
folder = artifact.parent / f"convert-{device}"
folder.mkdir(exist_ok=True)
numpy.save(folder / "x.npy", x)
numpy.save(folder / "y.npy", y)
subprocess.run(["mirage-run", artifact, f"--device={device}", "--input", f"input0={folder}/x.npy",
                "--input", f"input1={folder}/y.npy", "--output", folder], check=True)

rows, columns = numpy.ogrid[:8, :16]
wanted = [-x, y, x + x[rows ^ 3, columns ^ 12]]
for number, expected in enumerate(wanted):
    output = numpy.load(folder / f"output{number}.npy")
    assert output.shape == expected.shape, (number, output.shape)
    assert numpy.array_equal(output, expected.astype(output.dtype)), number
