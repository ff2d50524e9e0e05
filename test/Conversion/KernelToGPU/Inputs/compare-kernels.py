"""Compares the instructions of a kernel in two files of PTX, or of MLIR with PTX in it.

  compare-kernels.py FILE KERNEL FILE KERNEL
"""
import re
import sys


def read(path, kernel):
    """Its lines, without locations, which say where a program was written."""
    text = open(path).read()
    if path.endswith(".mlir"):
        text = re.sub(r"\\([0-9A-F]{2})", lambda code: chr(int(code[1], 16)), text)
    body = re.search(r"\.entry " + kernel + r"\(.*?\n}\n", text, re.S)[0]
    lines = [re.sub(r"//.*", "", line).strip() for line in body.splitlines()]
    return [line for line in lines if line and not re.match(r"\.loc\b|\$L__tmp|\$L__func", line)]


one, other = read(*sys.argv[1:3]), read(*sys.argv[3:5])
assert len(one) > 20, one
assert one == other, [pair for pair in zip(one, other) if pair[0] != pair[1]][:5]
