"""What new-op.py and new-pass.py share: text that lands at a named place of a file.

Everything is looked up before anything is written, so a place that is not found
leaves the project as it was.
"""
import pathlib
import re
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent
LICENSE = """//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
"""


def fail(message):
    sys.exit(f"error: {message}")


def camel_case(name):
    return "".join(word.capitalize() for word in re.split(r"[-_]", name))


def banner(name, what):
    """The head of a C++ source, 80 columns wide."""
    start = f"//===- {name} - {what} "
    return start + "-" * max(1, 80 - len(start) - len("===//")) + "===//\n" + LICENSE


class Scaffold:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.texts = {}  # path -> what it will hold

    def read(self, path):
        if path not in self.texts:
            try:
                self.texts[path] = (self.root / path).read_text(encoding="utf-8")
            except OSError as error:
                fail(f"{path}: {error.strerror}")
        return self.texts[path]

    def insert(self, path, before, text):
        """Puts text before the first place that a regular expression matches."""
        old = self.read(path)
        place = re.search(before, old, re.M)
        if not place:
            fail(f"{path}: expects {before!r}, before which new text goes")
        self.texts[path] = old[:place.start()] + text + old[place.start():]

    def create(self, path, text):
        if (self.root / path).exists():
            fail(f"{path} exists")
        self.texts[path] = text

    def write(self):
        for path, text in self.texts.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text, encoding="utf-8")
            print(path)
