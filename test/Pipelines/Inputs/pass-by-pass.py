"""pass-by-pass.py program.mlir: takes a program from linalg to PTX one pass at a time, each
in a process of its own, with the options that are given to --mirage-compile here. What a
pass dumps as its pipeline must do the same to the same input."""
import re
import subprocess
import sys

OPTIONS = "max-block-ops=5 seed=9 error-bound=50 target=sm_80 ptxas=never"
# Of no use on the way to PTX: after which pass they have something to do.
OTHERS = {"convert-linalg-to-mirage-kernel": "convert-mirage-kernel-to-linalg",
          "convert-mirage-thread-to-vector": "mirage-lower-to-nvvm"}


def run(pipeline, text, *options):
    process = subprocess.run(["mirage-opt", "-", f"--pass-pipeline={pipeline}", *options],
                             input=text, capture_output=True, text=True)
    if process.returncode:
        sys.exit(f"{pipeline}:\n{process.stderr}")
    return process


def dump(pipeline, text):
    """(what the pipeline makes of a module, the pipeline as mirage-opt dumps it)"""
    process = run(pipeline, text, "--dump-pass-pipeline")
    found = re.search(r"^builtin\.module\(.*?^\)$", process.stderr, re.M | re.S)
    if not found:
        sys.exit(f"{pipeline}: no dump, but:\n{process.stderr}")
    return process.stdout, found[0]


def split(pipeline):
    """The passes of a dump, which indents what nests."""
    body = "\n".join(pipeline.splitlines()[1:-1])
    return [re.sub(r"\s*\n\s*", "", step).strip().rstrip(",")
            for step in re.split(r"\n(?=  [^ )])", body)]


def take(step, text):
    once, dumped = dump(f"builtin.module({step})", text)
    again = run(dumped.replace("\n", ""), text).stdout
    if again != once:
        sys.exit(f"{step}: does something else when its dump\n{dumped}\nis read back")
    print(step if len(step) < 500 else step[:60] + " ...")
    return once


def main():
    text = open(sys.argv[1]).read()
    _, whole = dump(f"builtin.module(mirage-compile{{{OPTIONS}}})", text)
    for step in split(whole):
        text = take(step, text)
        if step in OTHERS:
            take(OTHERS[step], text)


main()
