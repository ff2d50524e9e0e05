#!/usr/bin/env python3
"""Checks that the IR on the written pages is that of a file which a test runs.

  utils/check-doc-ir.py [PAGE.md...]     docs/*.md without an argument

A piece of IR in ```mlir stands after a comment <!-- from FILE -->, FILE relative to
the project. Its lines stand in FILE one after the other, whatever the indentation;
a line "..." leaves out what lies between.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PIECE = re.compile(r"(?:^<!-- from (\S+) -->\n)?^```mlir\n(.*?)^```$", re.M | re.S)


def strip(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def contains(lines, piece):
    """Whether the runs of lines of a piece stand in a file, in this order."""
    runs = [[]]
    for line in piece:
        if line == "...":
            runs.append([])
        else:
            runs[-1].append(line)
    start = 0
    for run in runs:
        places = (at for at in range(start, len(lines) + 1) if lines[at:at + len(run)] == run)
        start = next(places, None)
        if start is None:
            return False
        start += len(run)
    return True


def check(path):
    """(line, problem) of each piece of IR that is not what it says it is."""
    text = path.read_text(encoding="utf-8")
    for piece in PIECE.finditer(text):
        line = text.count("\n", 0, text.index("```mlir", piece.start())) + 1
        source, ir = piece.groups()
        if source is None:
            yield line, "names no file; expects <!-- from FILE --> before it"
        elif not (ROOT / source).exists():
            yield line, f"names {source}, which does not exist"
        elif not contains(strip((ROOT / source).read_text(encoding="utf-8")), strip(ir)):
            yield line, f"this is not in {source}"


def main():
    failed = False
    pages = [pathlib.Path(page) for page in sys.argv[1:]] or sorted((ROOT / "docs").glob("*.md"))
    for path in pages:
        problems = list(check(path))
        for line, problem in problems:
            failed = True
            print(f"{path.name}:{line}: {problem}")
        pieces = len(PIECE.findall(path.read_text(encoding="utf-8")))
        if pieces and not problems:
            print(f"docs/{path.name}: {pieces} pieces of IR as in their files")
    return failed


if __name__ == "__main__":
    sys.exit(main())
