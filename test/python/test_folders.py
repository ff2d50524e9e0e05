"""Folders of processes: they go with these, and those that are left are taken away."""

import os
import pathlib
import signal
import subprocess
import sys

import pytest

from mirage import folders

WAITS = "import sys, mirage.folders as f; print(f.make_folder(), flush=True); sys.stdin.read()"


@pytest.fixture
def begin(tmp_path, monkeypatch):
    """Processes with folders in `tmp_path`."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    begun = []

    def begin(code=WAITS):
        begun.append(subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        return begun[-1], pathlib.Path(begun[-1].stdout.readline().strip())

    yield begin
    for process in begun:
        process.kill()
        process.wait()
        process.stdout.close()


def end(process):
    process.stdin.close()
    assert process.wait() == 0


def test_what_a_killed_process_left_is_taken_away_by_the_next(begin, tmp_path):
    killed, left = begin()
    living, kept = begin()
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert left.is_dir()
    end(begin()[0])
    assert not left.parent.exists() and kept.is_dir()
    end(living)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_of_a_process_that_ends(begin, tmp_path):
    process, folder = begin("import sys, mirage.folders as f\nwith f.open_scratch() as s: print(s, flush=True); sys.stdin.read()")
    assert folder.is_dir()
    end(process)
    assert list(tmp_path.iterdir()) == []


def test_folders_of_others_stay(begin, tmp_path):
    unmarked = tmp_path / "mirage-fault-1.mlir"
    unmarked.write_text("module {}")
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "mirage-1").mkdir(parents=True)
    (elsewhere / "mirage-1" / "in-use").touch()
    os.symlink(elsewhere / "mirage-1", tmp_path / "mirage-2")
    end(begin()[0])
    assert unmarked.exists() and (elsewhere / "mirage-1" / "in-use").exists()


def test_a_forked_child_leaves_its_parents_folders():
    folder = folders.make_folder()
    child = os.fork()
    if child == 0:
        os._exit(0 if pathlib.Path(folders.make_folder()).parent != pathlib.Path(folder).parent else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert os.path.isdir(folder)
    os.rmdir(folder)
