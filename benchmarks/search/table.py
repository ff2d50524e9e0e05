#!/usr/bin/env python3
"""Measures the search and prints tables in Markdown.

  benchmarks/search/table.py                    the six benchmark programs
  benchmarks/search/table.py lora softmax_rows  these

For each program: results of one kernel with 5 to 11 operators, with branch and
bound and, at the largest number, without it; with --unpruned also without
pruning by expressions, of 3 and 4 operators, as more take minutes; then results
of two kernels. Each line is a search of its own to the end, or to
--max-states, where a "+" stands beside the states; of those of the walk for so
many kernels, two columns have what atoms as functions took, and what they took
written out, which have a twentieth of the limit. Seconds are the search's,
medians of --runs, on one thread and on two: enumeration, sizes, costs and the
verification at small sizes. The final test at the program's own sizes is left
out. The last table has the default search as people run it: the whole process,
its peak of memory, and the final test in both.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ("rmsnorm_linear_bs1", "gated_mlp", "lora", "gqa_bs1", "qknorm_gqa_bs1", "ntrans_bs1")


class Run:
    """One search, as its report has it, and what the process took."""

    def __init__(self, opt, program, **options):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            flags = " ".join(f"{name.replace('_', '-')}={value}" for name, value in options.items())
            command = [opt, program, f"--mirage-superoptimize={flags} report={report}", "-o", os.devnull]
            start = time.perf_counter()
            process = subprocess.Popen(command)
            _, status, usage = os.wait4(process.pid, 0)
            if status != 0:
                raise SystemExit(f"failed: {' '.join(map(str, command))}")
            self.process_s = time.perf_counter() - start
            self.peak_mib = usage.ru_maxrss / 1024
            graph, = json.loads(report.read_text())["graphs"]
        self.search = graph["search"]
        self.counts = self.search["counts"]
        self.is_limited = "max-states" in graph["limitsHit"]

    def describe_walk(self, kernels, atoms):
        """The states of one walk, with a "+" where a limit ended it, and what it took on one thread."""
        rounds = [one for one in self.search["rounds"] if one["maxKernels"] == kernels and one["atoms"] == atoms]
        states = sum(one["counts"]["states"] for one in rounds)
        seconds = sum(one["seconds"] for one in rounds)
        return f"{states}{'+' * (not rounds[-1]['complete'])} in {seconds:.2f} s" if rounds else "-"


def measure(args, program, **options):
    """The last of several runs, whose counts are those of all, with the median of their times."""
    runs = [Run(args.opt, program, **options) for _ in range(args.runs)]
    runs[-1].search["seconds"] = statistics.median(run.search["seconds"] for run in runs)
    runs[-1].process_s = statistics.median(run.process_s for run in runs)
    return runs[-1]


def print_row(*cells):
    print(f"| {' | '.join(str(cell) for cell in cells)} |", flush=True)


def print_head(*cells):
    print()
    print_row(*cells)
    print_row(*["---"] * len(cells))


REASONS = ("expression", "size", "place", "duplicate", "open", "open later", "outer product")


def print_search(args, name, program, **options):
    one = measure(args, program, threads=1, max_states=args.max_states, **options)
    two = measure(args, program, threads=2, max_states=args.max_states, **options)
    pruned = one.counts["pruned"]
    print_row(name, one.search["structures"], f"{one.counts['states']}{'+' * one.is_limited}",
              *(one.describe_walk(options["max_kernels"], atoms) for atoms in ("functions", "written out")),
              *(pruned[reason] for reason in REASONS), one.search["cuts"], one.search["instances"],
              f"{one.search['seconds']:.2f}", f"{two.search['seconds']:.2f}")


def print_program(args, name):
    program = ROOT / "benchmarks" / f"{name}.mlir"
    print(f"\n**{name}**")
    print_head("search", "structures", "states", "atoms as functions", "written out", *REASONS, "cut by cost", "tilings", "s, 1 thread", "s, 2 threads")
    for operators in range(5, 12):
        limits = {"max_kernels": 1, "max_block_ops": operators}
        print_search(args, f"1 kernel, {operators}", program, **limits)
    print_search(args, "every cost", program, branch_and_bound="false", **limits)
    for operators in (3, 4) if args.unpruned else ():
        print_search(args, f"every expression, {operators}", program, pruner="none", max_kernels=1,
                     max_block_ops=operators)
    for operators in (9, 11):
        print_search(args, f"2 kernels, {operators}", program, max_kernels=2, max_ops=operators,
                     max_block_ops=operators)


def measure_idle_mib(opt):
    """What a process takes before there is anything to search, most of it code of shared libraries."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as module:
        module.write("module {}\n")
        module.flush()
        process = subprocess.Popen([opt, module.name, "--mirage-superoptimize", "-o", os.devnull])
        _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{opt} failed on an empty module")
    return usage.ru_maxrss / 1024


def print_defaults(args):
    print("\n**Default options, whole process**")
    print(f"\nA process that has nothing to search takes {measure_idle_mib(args.opt):.0f} MiB.")
    print_head("program", "stopped", "states", "s", "of this the search", "until the best", "peak MiB", "predicted us", "one by one us")
    for name in args.programs:
        run = measure(args, ROOT / "benchmarks" / f"{name}.mlir")
        print_row(name, "state limit" if run.is_limited else "exhausted", run.counts["states"],
                  f"{run.process_s:.2f}", f"{run.search['seconds']:.2f}", f"{run.search['bestSeconds']:.2f}", f"{run.peak_mib:.0f}",
                  f"{run.search['bestUs']:.2f}", f"{run.search['baselineUs']:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", default=PROGRAMS, help="names of files in benchmarks/")
    parser.add_argument("--opt", default=ROOT / "build/dev/bin/mirage-opt", help="the mirage-opt to measure")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--max-states", type=int, default=1000000)
    parser.add_argument("--unpruned", action="store_true", help="also without pruning by expressions")
    args = parser.parse_args()
    for name in args.programs:
        print_program(args, name)
    print_defaults(args)


if __name__ == "__main__":
    main()
