#!/usr/bin/env python3
"""The programs in examples/ as mirage-opt records them, for unit tests, which know no MLIR:
one JSON object, a line a file. test/Unit/Verify/Inputs/examples.json is what this prints;
test/Utils/record-examples.test says whether it still is."""
import json
import pathlib

from recorded_programs import read_programs

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"


def main():
    lines = []
    for file in sorted(EXAMPLES.glob("*.mlir")) + sorted(EXAMPLES.glob("mugraphs/*.mlir")):
        (graph,) = read_programs(file, "--convert-linalg-to-mirage-kernel").values()
        lines.append(f"{json.dumps(file.relative_to(EXAMPLES).as_posix())}: {json.dumps(graph)}")
    print("{\n" + ",\n".join(lines) + "\n}")


if __name__ == "__main__":
    main()
