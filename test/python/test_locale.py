"""Files are UTF-8, whatever the locale says: what the package writes has letters beyond ASCII."""

import os
import shutil
import subprocess
import sys

import pytest

ASCII = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}


def run(*arguments):
    done = subprocess.run([sys.executable, *map(str, arguments)], env=ASCII, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """With all that a result can be written as, of a program whose input is called µ."""
    folder = tmp_path_factory.mktemp("ascii")
    run("-c", """if True:
        import locale, sys
        import mirage as mi

        assert locale.getpreferredencoding(False) == "ANSI_X3.4-1968"
        folder = sys.argv[1]
        graph = mi.new_kernel_graph()
        graph.exp(graph.new_input((16, 64), name="\\u00b5"))
        optimized = graph.superoptimize(max_states=1, measure=False)
        optimized.save(folder + "/kept")
        loaded = mi.load(folder + "/kept")
        assert loaded.inputs[0].name == "\\u00b5" and str(loaded.result) == str(optimized.result)
        assert loaded.mlir and loaded.planned_mlir and loaded.plan and loaded.ptx
        loaded.visualize(folder + "/program.dot")
        if len(sys.argv) > 2:
            loaded.visualize(folder + "/program.svg")
        mi.report(loaded, folder + "/page.html")
        with open(folder + "/program.mlir", "wb") as file:
            file.write(graph.mlir.encode())
    """, folder, *(["draw"] if shutil.which("dot") else []))
    return folder


@pytest.mark.parametrize("name", ["program.dot", "program.svg", "page.html"])
def test_files(folder, name):
    if name == "program.svg" and shutil.which("dot") is None:
        pytest.skip("needs Graphviz")
    assert "µ" in (folder / name).read_text(encoding="utf-8")


def test_commands(folder):
    assert run("-m", "mirage", "show", folder / "program.mlir")
    assert run("-m", "mirage", "show", folder / "kept")
    optimize = ["-m", "mirage", "optimize", folder / "program.mlir", "max-states=1", "--no-measure"]
    printed = run(*optimize)
    run(*optimize, "-o", folder / "out.mlir")
    assert (folder / "out.mlir").read_text(encoding="utf-8") == printed
    assert "µGraph" in run("-m", "mirage", "bench", folder / "program.mlir", "max-states=1", "--no-measure")
