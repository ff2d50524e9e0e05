#!/usr/bin/env python3
"""Holds the layers of docs/Architecture.md: reads every #include of Mirage's own
headers and every LINK_LIBS, and says which go against the order.

  utils/check-layers.py        prints violations, exits 1 if there are any
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# library -> the libraries it may use, directly or through one of them.
USES = {
    "Version": [],
    "Options": [],
    "Algebra": [],
    "AlgebraZ3": ["Algebra"],
    "Graph": ["Algebra"],
    "Layout": [],
    "Verify": ["Graph"],
    "Reference": ["Graph"],
    "Planning": ["Layout"],
    "Search": ["Reference", "Verify", "Planning", "Cache", "Version"],
    "Cache": ["Graph"],
    "Artifact": ["Graph", "Layout", "Version"],
    "Emulator": ["Layout"],
    "Runtime": ["Graph", "Reference", "Artifact", "Emulator"],
    "Dialect": ["Graph", "Layout"],
    "Bridge": ["Dialect"],
    "Analysis": ["Dialect", "Planning"],
    "Transforms": ["Search", "AlgebraZ3", "Artifact", "Cache", "Bridge", "Analysis", "Planning",
                   "Options"],
    "Conversion": ["Dialect", "Analysis", "Options"],
    "Target": ["Analysis", "Bridge", "Artifact", "Options"],
    "Pipelines": ["Transforms", "Conversion", "Target", "Runtime"],
    "CAPI": ["Pipelines"],
}
# Plain libraries use of LLVM only ADT and Support, and nothing of MLIR.
PLAIN = ["Version", "Algebra", "AlgebraZ3", "Graph", "Layout", "Verify", "Reference", "Planning",
         "Search", "Cache", "Artifact", "Emulator", "Runtime"]

INCLUDE = re.compile(r'^\s*#include\s+"([^"]+)"', re.M)
LINKED = re.compile(r"\bMirage(\w+)\b")
# CMake target names that are not "Mirage" and the library's name.
TARGETS = {"OperatorInterface": "Dialect", "KernelDialect": "Dialect",
           "BlockDialect": "Dialect", "ThreadDialect": "Dialect",
           "DialectTransforms": "Dialect"}


def reachable(library):
    seen, todo = set(), [library]
    while todo:
        for used in USES[todo.pop()]:
            if used not in seen:
                seen.add(used)
                todo.append(used)
    return seen


def library_of(path):
    """lib/Graph/X.cpp and include/Mirage/Graph/X.h belong to Graph."""
    parts = path.relative_to(ROOT).parts
    name = parts[1] if parts[0] == "lib" else parts[2]
    return name if name in USES else None


def library_of_target(name):
    if name in TARGETS:
        return TARGETS[name]
    candidates = [library for library in USES if name.startswith(library)]
    if not candidates and re.search(r"To[A-Z]", name):
        return "Conversion"
    return max(candidates, key=len) if candidates else None


def check_include(path, library, header):
    if header.startswith("Mirage/"):
        parts = header.split("/")
        other = parts[1] if len(parts) > 2 else None
        if other in USES and other != library and other not in reachable(library):
            return f"{library} may not use {other}"
    if library in PLAIN:
        if header.startswith("mlir/"):
            return f"{library} is a plain library and may not use MLIR"
        if header.startswith("llvm/") and not re.match(r"llvm/(ADT|Support)/", header):
            return f"{library} may use of LLVM only ADT and Support"
    return None


def sources():
    for folder in ("lib", "include/Mirage"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".h", ".cpp", ".td") and len(path.relative_to(ROOT).parts) > 2:
                yield path


def main():
    found = []
    for path in sources():
        library = library_of(path)
        if library is None:
            continue
        for header in INCLUDE.findall(path.read_text()):
            problem = check_include(path, library, header)
            if problem:
                found.append(f"{path.relative_to(ROOT)}: includes {header}: {problem}")
    for path in sorted((ROOT / "lib").rglob("CMakeLists.txt")):
        if len(path.relative_to(ROOT).parts) < 3:
            continue
        library = library_of(path)
        allowed = reachable(library) | {library} if library else set()
        for name in LINKED.findall(path.read_text()):
            other = library_of_target(name)
            if library and other and other not in allowed and not name.endswith("IncGen"):
                found.append(f"{path.relative_to(ROOT)}: links Mirage{name}: "
                             f"{library} may not use {other}")
    print("\n".join(found) if found else "layers hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
