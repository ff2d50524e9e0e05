#!/usr/bin/env python3
"""Checks that a page lists the laws and rules of abstract expressions, all of them, in
the order of their tables, the laws numbered from 1.

  utils/check-doc-laws.py [PAGE.md]        docs/Expressions.md by default
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "lib/Algebra/ExpressionLaws.cpp"
# law("Name", lawOfSums("Name", laws.push_back({"Name" and, one rule a line, {"Name"
LAW = re.compile(r'(?:law|lawOfSums|laws\.push_back)\(\{?"(\w+)"')
RULE = re.compile(r'^ +\{"(\w+)",', re.M)
LAW_ROW = re.compile(r"^\| (\d+) \| `(\w+)` \|", re.M)
RULE_ROW = re.compile(r"^\| `(\w+)` \| [^|`]+ \| [^|`]+ \|$", re.M)


def compare(what, page, source):
    """Problems of two lists of names, as lines."""
    lines = [f"{what} {name} is not on the page" for name in source if name not in page]
    lines += [f"{what} {name} is not in the table" for name in page if name not in source]
    if not lines and page != source:
        lines.append(f"{what}s are in another order than in their table")
    return lines


def main():
    page = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/Expressions.md"
    text, source = page.read_text(encoding="utf-8"), SOURCE.read_text(encoding="utf-8")
    laws, rules = LAW.findall(source), RULE.findall(source)
    rows = LAW_ROW.findall(text)
    problems = compare("law", [name for _, name in rows], laws)
    problems += compare("rule", RULE_ROW.findall(text), rules)
    if [int(number) for number, _ in rows] != list(range(1, len(rows) + 1)):
        problems.append("laws are not numbered from 1 on")
    for problem in problems:
        print(f"{page.name}: {problem}")
    print(f"{len(laws)} laws, {len(rules)} rules")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
