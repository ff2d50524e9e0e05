#!/usr/bin/env python3
"""Checks that every labelled constraint on the generated pages of the dialects
(ninja mirage-doc) is broken by a test, and that no test names one that is not there.

  utils/doc-labels.py PAGE.md... --tests FILE.mlir...

A test is a function named after what it breaks, `<op>_c<number>`, with more behind it
as one likes: @slice_c1_stride breaks (C1) of `slice`. It tests the op of that name in
its body (of @block_yield_c1 it is mirage_block.yield), or else, as in @unary_c1, the op
below its first expected-error; and with it all ops that have the same constraint in
the same words.
"""
import argparse
import re
import sys

ENTRY = re.compile(r"^### (?:`(mirage_\w+\.\w+)` \(|(\w+)Attr$)", re.M)
LABEL = re.compile(r"^ *- \(C(\d+)\) (.*?)(?=^ *- \(C|^ *$)", re.M | re.S)
FUNCTION = re.compile(r"func\.func(?: private)? @(\w+?)_c(\d+)(?:_\w+)?\((.*?)(?=^// -----|\Z)",
                      re.M | re.S)
OP = re.compile(r"\b(mirage_\w+)\.(\w+)")


def read_page(path):
    """{op or attribute: {number: constraint}}"""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    dialect = re.search(r"mirage_\w+", text)[0]
    starts = list(ENTRY.finditer(text)) + [None]
    constraints = {}
    for start, end in zip(starts, starts[1:]):
        name = start[1] or f"{dialect}.{start[2].lower()}"
        part = text[start.start():end.start() if end else None]
        constraints[name] = {int(number): " ".join(words.split())
                             for number, words in LABEL.findall(part)}
    return constraints


def find_subject(mnemonic, body, names):
    """The op or attribute that a test breaks."""
    uses = [".".join(use) for use in OP.findall(body)]
    for use in uses:
        if use.split(".")[1] == mnemonic or use == "mirage_" + mnemonic.replace("_", ".", 1):
            return use
    attributes = [name for name in names if name.split(".")[1] == mnemonic]
    for dialect, kind in re.findall(r"#(mirage_\w+)\.(\w+)", body):
        if f"{dialect}.{kind}" in attributes:
            return f"{dialect}.{kind}"
    below = OP.search(body, max(body.find("expected-error"), 0))
    return ".".join(below.groups()) if below else attributes[0] if attributes else None


def read_tests(path, names):
    """(function, op or attribute, number) of each test that names a label."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for part in text.split("// -----"):
        for mnemonic, number, _ in FUNCTION.findall(part):
            body = re.sub(r"#\w+ = (?=#)", "", part)
            yield f"@{mnemonic}_c{number}", find_subject(mnemonic, body, names), int(number)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("pages", nargs="+")
    parser.add_argument("--tests", nargs="+", required=True)
    arguments = parser.parse_args()
    constraints = {}
    for page in arguments.pages:
        constraints.update(read_page(page))
    broken, failures = set(), []
    for path in arguments.tests:
        for function, subject, number in read_tests(path, constraints):
            if number in constraints.get(subject, {}):
                broken.add(constraints[subject][number])
            else:
                failures.append(f"{path}: {function} breaks (C{number}) of {subject}, "
                                "which has no such constraint")
    labels = [(name, number, words) for name, numbered in constraints.items()
              for number, words in numbered.items()]
    failures += [f"{name} has (C{number}) {words} No test breaks it: @{name.split('.')[1]}_c{number}"
                 for name, number, words in labels if words not in broken]
    for failure in failures:
        print(failure)
    print(f"{len(labels)} labels")
    return 1 if failures or not labels else 0


if __name__ == "__main__":
    sys.exit(main())
