"""Compares the numbers of memrefs that upstream's printMemref* wrote to two files.

  compare-memrefs.py GOT EXPECTED TOLERANCE
"""
import re
import sys


def read(path):
    """One list of numbers for each memref."""
    memrefs = []
    for line in open(path):
        if line.startswith("Unranked Memref"):
            memrefs.append([])
            line = line.split("data =")[-1]
        if memrefs:
            memrefs[-1] += [float(number) for number in re.findall(r"-?(?:\d[\d.]*(?:e[+-]?\d+)?|nan|inf)", line)]
    return memrefs


got, expected = read(sys.argv[1]), read(sys.argv[2])
tolerance = float(sys.argv[3])
assert got and len(got) == len(expected), (len(got), len(expected))
for number, (one, other) in enumerate(zip(got, expected)):
    assert len(one) == len(other) > 0, (number, len(one), len(other))
    assert len(set(other)) > 5, f"memref {number} says little"
    # NaN is no number within any tolerance.
    wrong = [(i, a, b) for i, (a, b) in enumerate(zip(one, other)) if not abs(a - b) <= tolerance * max(1, abs(b))]
    assert not wrong, (number, len(wrong), wrong[:4])
    print(f"memref {number}: {len(one)} numbers are right")
