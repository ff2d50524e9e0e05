#!/usr/bin/env python3
"""The programs in examples/, or with an argument in benchmarks/, as mirage-opt records them, for
unit tests, which know no MLIR: one JSON object, a line a file. examples.json and benchmarks.json
in test/Unit/Verify/Inputs are what this prints; test/Utils/record-examples.test says whether
they still are."""
import json
import pathlib
import sys

from recorded_programs import read_programs

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUBFOLDERS = {"examples": "mugraphs", "benchmarks": "search"}


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "examples"
    if len(sys.argv) > 2 or name not in SUBFOLDERS:
        sys.exit(f"expects one of {', '.join(SUBFOLDERS)}, got {' '.join(sys.argv[1:])}")
    folder = ROOT / name
    lines = []
    for file in sorted(folder.glob("*.mlir")) + sorted(folder.glob(f"{SUBFOLDERS[name]}/*.mlir")):
        (graph,) = read_programs(file, "--convert-linalg-to-mirage-kernel").values()
        lines.append(f"{json.dumps(file.relative_to(folder).as_posix())}: {json.dumps(graph)}")
    print("{\n" + ",\n".join(lines) + "\n}")


if __name__ == "__main__":
    main()
