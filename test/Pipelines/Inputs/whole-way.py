#!/usr/bin/env python3
"""Takes programs the whole way, each step by the command a user would type: search,
judge, compile, run on the emulator, check. A line a program; exits 1 if any is wrong."""
import argparse
import json
import pathlib
import subprocess
import sys


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True)


def take(program, tools, work):
    optimized = work / f"{program.stem}.mlir"
    artifact = work / program.stem
    search = run(tools / "mirage-opt", program, "--mirage-superoptimize=progress=off",
                 "-o", optimized)
    if search.returncode:
        return "no search: " + search.stderr
    judged = run(tools / "mirage-verify", program, optimized, "--seed=1")
    verdict = {0: "equal", 1: "different", 3: "unknown"}.get(judged.returncode, judged.stderr)
    compiled = run(tools / "mirage-opt", program,
                   f"--mirage-compile=progress=off artifact={artifact}", "-o", "/dev/null")
    if compiled.returncode:
        return "no artifact: " + compiled.stderr
    if compiled.stderr:  # spilled registers, for one
        return "warned: " + compiled.stderr
    kernels = len(json.loads((artifact / "manifest.json").read_text())["launches"])
    checked = run(tools / "mirage-run", artifact, "--device=emulator", "--check")
    right = "right" if checked.returncode == 0 else "WRONG: " + checked.stdout + checked.stderr
    return f"{kernels} kernel{'s' if kernels > 1 else ''}, {verdict}, {right}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("programs", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    is_good = True
    for program in arguments.programs:
        outcome = take(program, arguments.tools, arguments.work)
        is_good &= outcome.endswith("equal, right")
        print(f"{program.stem}: {outcome}", flush=True)
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
