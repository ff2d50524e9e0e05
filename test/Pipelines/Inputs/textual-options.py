"""textual-options.py: sets every option of every pass and pipeline of Mirage that
`mirage-opt --help` lists to a value of its type, and checks that --dump-pass-pipeline
gives it back in a form that parses to the same again."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
from command_options import read_help

# What an option's own parser would refuse; all others take any value of their type.
VALUES = {"target": "sm_80", "ptxas": "never", "from": "search", "to": "emit", "ops": "{a,b}",
          "explain": "true", "multicast": "4"}
# What one command alone would refuse.
VALUES_OF = {"mirage-compile-in-place": {"library-kernels": "never"}}
BY_TYPE = {"uint": "3", "ulong": "3", "long": "3", "int": "3", "string": "{a b}"}
# Options of pipelines that choose passes, which is how they show in the dump.
CHOOSE_PASSES = {"from", "to", "explain"}
# What a bundle takes for granted, whatever is asked for.
IMPLIED_BY_BUNDLE = {"keep-candidates"}


def dump(pipeline):
    run = subprocess.run(["mirage-opt", "--dump-pass-pipeline", f"--pass-pipeline={pipeline}",
                          "-o", "/dev/null"], input="module {}", capture_output=True, text=True)
    found = re.search(r"^builtin\.module\(.*?^\)$", run.stderr, re.M | re.S)
    if not found:
        sys.exit(f"{pipeline}: no dump, but:\n{run.stderr}")
    return found[0]


def check(command, options, flag):
    """\param flag  the value of options that are true or false"""
    values = VALUES | VALUES_OF.get(command, {})
    chosen = {name: values.get(name) or BY_TYPE.get(kind, flag) for name, kind in options}
    text = " ".join(f"{name}={value}" for name, value in chosen.items())
    dumped = dump(f"builtin.module({command}{{{text}}})")
    for name, value in chosen.items():
        if "bundle" in chosen and name in IMPLIED_BY_BUNDLE:
            continue
        if name not in CHOOSE_PASSES and not re.search(rf"\b{name}={re.escape(value)}[ }}]", dumped):
            sys.exit(f"{command}: {name}={value} is not in its dump:\n{dumped}")
    again = dump(dumped.replace("\n", ""))
    if again != dumped:
        sys.exit(f"{command}: read back, the dump\n{dumped}\nbecomes\n{again}")


def main():
    commands = read_help()
    for command, options in commands:
        check(command, options, "true")
        check(command, options, "false")
    count = sum(len(options) for _, options in commands)
    print(f"{len(commands)} passes and pipelines, {count} options")
    print(*(command for command, _ in commands), sep="\n")


main()
