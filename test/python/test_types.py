"""Types, as mypy reads them: of the package, and of programs that use it."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

pytest.importorskip("mypy")
ROOT = pathlib.Path(__file__).resolve().parents[2]

PROGRAM = '''import mirage as mi

graph = mi.new_kernel_graph()
x = graph.new_input((16, 64), dtype=mi.float16)
reveal_type(x)
reveal_type(graph.exp(x) + 1)
reveal_type(2 * x @ x.mT)
reveal_type(graph.softmax(x).shape)
reveal_type(graph.superoptimize(max_states=10).result.speedup)
tiles = mi.new_threadblock_graph((4, 1, 1), (128, 1, 1), 1)
tile = tiles.new_input(x, (0, -1, -1), None)
reveal_type(tiles.mul(tile, tile))
graph.exp(3)
graph.new_input("wide")
tiles.square(x)
mi.superoptimize(graph, confg="attention", seed="three")
'''
EXPECTED = {5: "DTensor", 6: "DTensor", 7: "DTensor", 8: r"tuple\[(builtins\.)?int, \.\.\.\]", 9: "float", 12: "STensor"}


def check(*arguments):
    return subprocess.run([sys.executable, "-m", "mypy", *map(str, arguments)], cwd=ROOT, capture_output=True, text=True,
                          env={**os.environ, "MYPYPATH": str(ROOT / "python")})


def test_package():
    done = check()
    assert done.returncode == 0, done.stdout


def test_programs(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    told = check("--config-file=", "--ignore-missing-imports", "--follow-imports=silent", tmp_path / "program.py").stdout
    lines = dict(re.findall(r"program\.py:(\d+): note: Revealed type is \"(.*)\"", told))
    for line, expected in EXPECTED.items():
        assert re.search(rf"\b{expected}$", lines[str(line)], re.I), told
    wrong = sorted({int(line) for line in re.findall(r"program\.py:(\d+): error", told)})
    assert wrong == [13, 14, 15, 16], told


STRICT = '''import mirage as mi


def tell(now: mi.SearchProgress) -> None:
    print(f"{now.seconds:.1f} s, {now.best_us:.2f} us")


def use(graph: mi.KernelGraph, module: object) -> list[object]:
    found = graph.superoptimize(on_progress=tell, imaps=None)
    mi.superoptimize(graph, on_progress=lambda now: print(now.states), griddims=[(4, 1, 1)])
    reveal_type(mi.report(found, "page.html"))
    reveal_type(mi.from_torch(module, [module]))
    graph.visualize("graph.svg")
    found.visualize("graph.svg")
    mi.report(graph, "page.html")
    graph.superoptimize(on_progress=lambda now: print(now.sates))
    graph.visualize(3)
    return found([module])
'''


def test_strict_programs(tmp_path):
    """Nothing that they call is untyped. torch is not looked into, which takes minutes."""
    (tmp_path / "program.py").write_text(STRICT)
    (tmp_path / "mypy.ini").write_text("[mypy]\nfollow_imports = silent\nignore_missing_imports = true\n"
                                       "[mypy-torch.*,numpy.*,functorch.*]\nfollow_imports = skip\n")
    told = check("--strict", f"--config-file={tmp_path / 'mypy.ini'}", tmp_path / "program.py").stdout
    found = re.findall(r"program\.py:(\d+): (?:error: (?:.*\[(.*)\])|note: Revealed type is \"(?:.*\.)?(\w+)\")", told)
    assert found == [("11", "", "str"), ("12", "", "ModuleGraph"), ("15", "arg-type", ""), ("16", "attr-defined", ""),
                     ("17", "arg-type", "")], told
