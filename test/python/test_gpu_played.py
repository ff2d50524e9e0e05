"""Runs the tests of played_gpu.py, in a process of their own whose CUDA driver is played."""

import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

import pytest

HERE = pathlib.Path(__file__).resolve().parent
FILE = HERE / "played_gpu.py"


def find_driver():
    """Of the build that has the library, or of one in the source tree where that was installed."""
    library = pathlib.Path(os.environ.get("MIRAGE_LIBRARY", "nowhere")).resolve()
    builds = [library.parents[1]] if len(library.parents) > 1 else []
    builds += [HERE.parents[1] / "build" / preset for preset in ("dev", "release")]
    for build in builds:
        folder = build / "test" / "FakeCuda" / "driver"
        if (folder / "libcuda.so.1").exists():
            return folder
    return None


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """What went wrong, by test; None: nothing."""
    folder = tmp_path_factory.mktemp("played")
    if find_driver() is None:
        pytest.skip("needs a build with test/lib/FakeCuda")
    paths = [str(find_driver()), os.environ.get("LD_LIBRARY_PATH", "")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={folder / 'results.xml'}",
         str(FILE)],
        env={**os.environ, "LD_LIBRARY_PATH": os.pathsep.join(filter(None, paths)), "FAKE_CUDA": "devices=2",
             "FAKE_CUDA_LOG": str(folder / "log"), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True, text=True)
    assert (folder / "results.xml").exists(), done.stdout + done.stderr
    found = {}
    for case in xml.etree.ElementTree.parse(folder / "results.xml").iter("testcase"):
        problem = next((child for child in case if child.tag in ("failure", "error")), None)
        name = case.get("name").partition("[")[0]
        if name not in found or problem is not None:
            found[name] = None if problem is None else f"{case.get('name')}: {problem.text}"
    assert found, done.stdout + done.stderr
    return found


@pytest.mark.parametrize("name", re.findall(r"^def (test_\w+)", FILE.read_text(), re.MULTILINE))
def test_played(results, name):
    assert name in results, "it did not run"
    assert results[name] is None, results[name]
