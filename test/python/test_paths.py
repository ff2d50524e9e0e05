"""Names of files and folders stand for themselves, whatever characters they have."""

import os
import pathlib
import tempfile

import numpy as np
import pytest

import mirage as mi
from mirage import folders
from mirage.__main__ import main

NAMES = ["a{b", "a}b", "{}", "{a}", "a b", " a ", "a'b\"c", "a,b", "a=b", "a;b", "a\\b", "50%", "a?b#c", "-a", "größe→漢",
         "a\nb", "[a]*"]


@pytest.fixture(params=NAMES, ids=repr)
def place(request, tmp_path, monkeypatch):
    """A folder of that name, which temporary ones are made in too."""
    place = tmp_path / request.param
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setenv("MIRAGE_CACHE_DIR", str(place / request.param))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(folders, "_root", None)
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def given():
    return np.linspace(-1, 1, 32, dtype=np.float32).reshape(4, 8)


@pytest.fixture
def program(graph):
    graph.mark_output(graph.exp(graph.new_input((4, 8), dtype=mi.float32)))
    return graph


def check(program, given):
    np.testing.assert_allclose(np.asarray(program([given])[0]), np.exp(given), rtol=1e-4)


def test_programs(place, program, given):
    check(program, given)
    program.compile().save(place / "saved")
    check(mi.load(place / "saved"), given)


def test_searches(place, program, given):
    checkpoint = place / (place.name + ".checkpoint")
    optimized = program.superoptimize(measure=False, use_cached_graphs=True, previous_checkpoint=checkpoint, save_codes=True)
    check(optimized, given)
    assert checkpoint.is_file() and (place / place.name / "mirage-cache.sqlite").is_file()
    assert (place / "generated_codes" / "0" / "manifest.json").is_file()
    page = mi.report(optimized, place / (place.name + ".html"))
    assert pathlib.Path(page).read_text(encoding="utf-8").startswith("<!doctype html>")


def test_commands(place, program, capsys):
    name = place.name
    pathlib.Path("program.mlir").write_text(program.mlir)
    assert main(["optimize", "program.mlir", "--no-measure", f"report={name}.json", f"checkpoint={name}.checkpoint",
                 f"--output={name}.mlir", f"--artifact={name}.artifact"]) == 0
    assert "manifest.json" in os.listdir(f"{name}.artifact")
    assert os.path.isfile(f"{name}.json") and os.path.isfile(f"{name}.checkpoint")
    assert main(["verify", "program.mlir", f"./{name}.mlir"]) == 0
