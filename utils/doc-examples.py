#!/usr/bin/env python3
"""Checks the generated pages of the dialects (ninja mirage-doc): every op has a
formula or a sentence, its constraints numbered (C1), (C2), ..., its cost, and an
example in ```mlir that parses, verifies and survives --verify-roundtrip.

  utils/doc-examples.py PAGE.md...     with mirage-opt on the PATH

An example is written as a reader would want to see it: values that it does not
define become arguments of a function around it, with the types that the example
states for them; aliases (#a = ...) are those of all examples on the page. An op that
names axes stands in a graph that has them.
"""
import re
import subprocess
import sys

OP = re.compile(r"^### `([\w.]+)` \(", re.M)
FENCE = re.compile(r"^ *```mlir\n(.*?)^ *```$", re.M | re.S)
NAMES_AXES = re.compile(r"\bmirage_(block|thread)\.(?!graph).* (?:over|axes|rows|columns)\b")
ALIAS = re.compile(r"^#\w+ = .*$", re.M)


class Page:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        operations = text.split("\n## Operations\n")[-1].split("\n## ")[0]
        starts = list(OP.finditer(operations)) + [None]
        self.ops = {start[1]: operations[start.start():end.start() if end else None]
                    for start, end in zip(starts, starts[1:])}
        self.aliases = [alias for example in FENCE.findall(text) for alias in ALIAS.findall(example)]


def split_types(text):
    """"tensor<2xf16, #a>, f32" -> ["tensor<2xf16, #a>", "f32"]"""
    types, depth = [""], 0
    for character in text:
        depth += (character in "<([") - (character in ">)]")
        if character == "," and depth == 0:
            types.append("")
        else:
            types[-1] += character
    return [kind.strip() for kind in types if kind.strip()]


def state_types(example):
    """{value: type}, as the ops of an example state them of their operands."""
    stated = {}

    def state(operands, types):
        for name, kind in zip(re.findall(r"%\w+", operands), split_types(types)):
            stated.setdefault(name, kind)

    tiles = r"\b(ins\(.*?\) outs\(.*?\))\s*(?:\{.*?\}\s*)?:\s*\((.*?)\) ->"
    for operands, types in re.findall(tiles, example, re.S):
        state(operands, types)
    for operands, types in re.findall(r"\b(?:ins|outs)\(([^():]*) : ([^()]*?)\)", example):
        state(operands, types)
    for operands, types in re.findall(r"^ *(?:%\w+ = )?\w+\.\w+ ([^:\n]*?) : (.*)$", example, re.M):
        state(operands, types.split(") ->")[0].removeprefix("("))
    return stated


def put_into_graph(level, body, types):
    """(arguments, body) of ops that name axes, in a graph of one block or item, which
    yields one of its tiles. That of a block knows only what it is given."""
    inside = {"%tile": "tensor<1xf32>", **(types if level == "block" else {})}
    outside = {f"{name}_whole": kind for name, kind in inside.items()}
    grid = "items(x = 1)" if level == "thread" else "grid(x = 1) threads(128)"
    operands = ", ".join(f"{name} imap()" for name in outside)
    tiles = ", ".join(f"{name}: {kind}" for name, kind in inside.items())
    graph = (f"  %graph = mirage_{level}.graph {grid} ins({operands}) outs(omap()) : "
             f"({', '.join(inside.values())}) -> tensor<1xf32> {{\n  ^bb0({tiles}):\n{body}\n"
             f"  mirage_{level}.yield %tile : tensor<1xf32>\n  }}")
    return {**outside, **(types if level == "thread" else {})}, graph


def wrap(example):
    """The example as the body of a function."""
    body = ALIAS.sub("", example)
    defined = set(re.findall(r"(%\w+)(?:, %\w+)* = ", body)) | set(re.findall(r"(%\w+): ", body))
    used = dict.fromkeys(re.findall(r"%\w+", body))
    stated = state_types(body)
    types = {name: stated.get(name, "none") for name in used if name not in defined}
    names_axes = NAMES_AXES.search(body)
    if names_axes and ".graph" not in body:
        types, body = put_into_graph(names_axes[1], body, types)
    arguments = ", ".join(f"{name}: {kind}" for name, kind in types.items())
    return f"func.func @example({arguments}) {{\n{body}\n  return\n}}\n"


def check_text(section):
    """What the words of an op's section lack."""
    labels = [int(label) for label in re.findall(r"^ *- \(C(\d+)\)", section, re.M)]
    if not labels:
        yield "has no constraint (C1)"
    elif labels != list(range(1, len(labels) + 1)):
        yield f"has constraints {labels}, which are not numbered from 1 on"
    if "Cost:" not in section:
        yield "does not say its cost"


def find_error(sources):
    """What mirage-opt says of modules that are not right; "" if all are."""
    run = subprocess.run(["mirage-opt", "--split-input-file", "--verify-roundtrip", "-o", "/dev/null"],
                         input="\n// -----\n".join(sources), capture_output=True, text=True)
    return run.stderr if run.returncode else ""


def check_page(page):
    """(op, what it lacks) of each that lacks something."""
    sources = []
    for name, section in page.ops.items():
        for problem in check_text(section):
            yield name, problem
        examples = [example for example in FENCE.findall(section) if f"{name} " in example]
        if not examples:
            yield name, "has no example in ```mlir that uses it"
        sources += [(name, "\n".join(page.aliases) + "\n" + wrap(example)) for example in examples]
    if find_error([source for _, source in sources]):
        for name, source in sources:
            if error := find_error([source]):
                yield name, f"has an example that is wrong:\n{error}{source}"


def main():
    failed = False
    for path in sys.argv[1:]:
        page = Page(path)
        for name, problem in check_page(page):
            failed = True
            print(f"{path}: {name} {problem}")
        print(f"{path}: {len(page.ops)} ops")
    return failed


if __name__ == "__main__":
    sys.exit(main())
