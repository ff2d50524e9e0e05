"""refused-options.py: gives every option of every pass and pipeline of Mirage that `mirage-opt
--help` lists no value, and a value twice, and every number one that is none; each time one error
at the input has to say what was expected of that option, and nothing may be written."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
from command_options import read_help

NEVER = os.path.join(tempfile.mkdtemp(), "never.mlir")


def check(command, options, expected):
    run = subprocess.run(["mirage-opt", f"--{command}={options}", "-o", NEVER],
                         input="module {}", capture_output=True, text=True)
    errors = [line for line in run.stderr.splitlines() if "error: " in line]
    if (run.returncode != 1 or len(errors) != 1
            or not errors[0].startswith(f"<stdin>:1:1: error: expects {expected}")):
        sys.exit(f"{command}={options}: expected one error with '{expected}', got exit code "
                 f"{run.returncode} and\n{run.stderr}")
    if os.path.exists(NEVER):
        sys.exit(f"{command}={options}: wrote its output all the same")


def main():
    count = 0
    for command, options in read_help():
        for name, kind in options:
            if name == "ops":  # a list
                continue
            count += 1
            if kind == "string":
                check(command, f"{name}=", f"a value of {name}, got none")
                check(command, f"{name}=a {name}=b", f"{name} once, got it again as 'b'")
            elif kind:
                check(command, f"{name}=", f"{name} of ")
                check(command, f"{name}=many", f"{name} of ")
                check(command, f"{name}=-1", f"{name} of ")
                check(command, f"{name}=1 {name}=2", f"{name} once, got it again as 2")
            else:
                check(command, f"{name}=maybe", f"{name} true or false, got 'maybe'")
                check(command, f"{name}=true {name}=false", f"{name} once, got it again as 'false'")
    print(f"{count} options")


main()
