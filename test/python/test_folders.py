"""Folders of processes: they go with these, and those that are left are taken away."""

import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile

import pytest

import mirage as mi
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


def make_marked(folder, machine):
    folder.mkdir(parents=True)
    (folder / "locked-on").write_text(machine)
    return folder


def test_folders_of_others_stay(begin, tmp_path):
    stay = [make_marked(tmp_path / "mirage-process-1", "another machine"),
            make_marked(tmp_path / "elsewhere" / "mirage-process-2", folders.find_machine()),
            make_marked(tmp_path / "mirage-of-somebody", folders.find_machine())]
    unmarked = tmp_path / "mirage-process-3"
    unmarked.mkdir()
    os.symlink(stay[1], tmp_path / "mirage-process-4")
    goes = make_marked(tmp_path / "mirage-process-5", folders.find_machine())
    end(begin()[0])
    assert all((folder / "locked-on").exists() for folder in stay) and unmarked.exists()
    assert not goes.exists()


def test_a_folder_that_somebody_took_away_is_made_again():
    shutil.rmtree(os.path.dirname(folders.make_folder()))
    folder = folders.make_folder()
    assert os.path.isdir(folder)
    os.rmdir(folder)


def test_without_locks(monkeypatch, tmp_path):
    def refuse(*_):
        raise OSError("no locks here")

    monkeypatch.setattr(folders, "_root", None)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(folders.fcntl, "flock", refuse)
    folder = pathlib.Path(folders.make_folder())
    assert folder.is_dir() and not (folder.parent / "locked-on").exists()


def test_whether_a_folder_is_abandoned(begin):
    process, folder = begin()
    assert not folders.is_abandoned(str(folder))
    folder.rmdir()
    assert folders.is_abandoned(str(folder))
    process, folder = begin()
    assert not folders.is_abandoned(str(folder))
    process.kill()
    process.wait()
    assert folders.is_abandoned(str(folder))


def test_a_forked_child_does_not_hold_its_parents_folder(begin):
    """As workers of a pool that outlive who began them."""
    parent, folder = begin("import os, sys, time, mirage.folders as f\nprint(f.make_folder(), flush=True)\n"
                           "if os.fork() == 0: print(os.getpid(), flush=True); time.sleep(60); os._exit(0)\n"
                           "sys.stdin.read()")
    child = int(parent.stdout.readline())
    try:
        assert not folders.is_abandoned(str(folder))
        parent.kill()
        parent.wait()
        assert folders.is_abandoned(str(folder))
    finally:
        os.kill(child, signal.SIGKILL)


def test_what_cannot_be_seen_is_not_abandoned(monkeypatch):
    def refuse(*_, **__):
        raise PermissionError("not yours")

    folder = folders.make_folder()
    monkeypatch.setattr(os, "stat", refuse)
    assert not folders.is_abandoned(folder)
    monkeypatch.undo()
    os.rmdir(folder)


def test_a_forked_child_leaves_its_parents_folders():
    folder = folders.make_folder()
    child = os.fork()
    if child == 0:
        os._exit(0 if pathlib.Path(folders.make_folder()).parent != pathlib.Path(folder).parent else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert os.path.isdir(folder)
    os.rmdir(folder)


def test_a_program_whose_folder_is_gone_is_not_saved(graph, tmp_path):
    graph.mark_output(graph.exp(graph.new_input((4, 8))))
    graph.compile().save(tmp_path / "gone")
    program = mi.load(tmp_path / "gone")
    shutil.rmtree(tmp_path / "gone")
    for keep in (lambda: program.save(tmp_path / "kept"), lambda: pickle.dumps(program)):
        with pytest.raises(mi.RunError, match="expects the folder that the program was loaded from"):
            keep()
