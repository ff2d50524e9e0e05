#!/usr/bin/env python3
"""Times the float64 reference on programs, at their own sizes: a line a program, with the
seconds that mirage-run says the reference took, without inputs and outputs, and the seconds
of all processors for everything, which count for more where others use the machine."""
import argparse
import json
import pathlib
import resource
import subprocess
import tempfile

from recorded_programs import read_programs


def take_time(graph, options):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "graph.json"
        path.write_text(json.dumps(graph))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        said = subprocess.run(["mirage-run", path, "--device=reference", *options],
                              check=True, capture_output=True, text=True).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return f"{said.split('reference computed in ')[1].splitlines()[0]}, {busy:.3g} s of processors"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=pathlib.Path, nargs="+")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--rounding", default="exact")
    arguments = parser.parse_args()
    options = [f"--threads={arguments.threads}", f"--rounding={arguments.rounding}"]
    for file in arguments.programs:
        programs = read_programs(file, "--convert-linalg-to-mirage-kernel")
        for name, graph in programs.items():
            print(f"{name}: {take_time(graph, options)}", flush=True)


if __name__ == "__main__":
    main()
