"""`python -m mirage`."""

import json
import re
import signal
import subprocess
import sys
import time

import pytest

import mirage as mi

PROGRAM = """func.func @exp(%x: tensor<16x64xf16>) -> tensor<16x64xf16> {
  %r = math.exp %x : tensor<16x64xf16>
  return %r : tensor<16x64xf16>
}
"""


def call(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "mirage", *map(str, arguments)], capture_output=True, text=True,
                          **options)


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "exp.mlir"
    path.write_text(PROGRAM)
    return path


def test_optimize_and_verify_and_run(program, tmp_path):
    done = call("optimize", program, "max-states=2000", "-o", tmp_path / "out.mlir", "--artifact", tmp_path / "artifact")
    assert done.returncode == 0, done.stderr
    assert "@exp: " in done.stderr and "mirage_kernel.graph" in (tmp_path / "out.mlir").read_text()
    done = call("verify", program, tmp_path / "out.mlir")
    assert done.returncode == 0 and done.stdout.startswith("@exp: equal")
    done = call("run", tmp_path / "artifact", "--check")
    assert done.returncode == 0 and "right" in done.stdout


def test_the_target_goes_for_the_artifact_too(program, tmp_path):
    done = call("optimize", program, "target=sm_80", "max-states=2000", "-o", "/dev/null", "--artifact", tmp_path / "a")
    assert done.returncode == 0, done.stderr
    assert ".target sm_80" in (tmp_path / "a" / "kernels.ptx").read_text()


def test_ctrl_c_leaves_the_best_so_far(tmp_path, interruptible):
    from test_superoptimize import make_large

    (tmp_path / "large.mlir").write_text(make_large().mlir)
    process = subprocess.Popen([sys.executable, "-m", "mirage", "optimize", tmp_path / "large.mlir",
                                "max-states=1000000000", "max-kernels=3", "--no-measure", "-o", tmp_path / "out.mlir"],
                               stderr=subprocess.PIPE, text=True)
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0 and "interrupted: the best so far" in errors, errors
    assert "func.func" in (tmp_path / "out.mlir").read_text()


def test_different(program, tmp_path):
    other = tmp_path / "other.mlir"
    other.write_text(PROGRAM.replace("math.exp", "math.tanh"))
    done = call("verify", program, other, "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["functions"][0]["verdict"] == "different"


def test_show(program, tmp_path):
    done = call("show", program)
    assert done.returncode == 0 and "mirage_kernel.graph" in done.stdout and "mirage_kernel.exp" in done.stdout
    done = call("show", program, "-o", tmp_path / "exp.dot")
    assert done.returncode == 0 and done.stdout.strip() == str(tmp_path / "exp.dot")
    assert "exp" in (tmp_path / "exp.dot").read_text()
    mi.from_mlir(PROGRAM).superoptimize(max_states=2000).save(tmp_path / "kept")
    done = call("show", tmp_path / "kept")
    assert done.returncode == 0 and "mirage_kernel.graph" in done.stdout and "predicted" in done.stderr


def test_bench(program, tmp_path):
    done = call("bench", program, "--json", "max-states=2000", "--page", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    # What superoptimize says of the same program.
    result = mi.from_mlir(PROGRAM).superoptimize(max_states=2000).result
    assert told["predicted_us"] == result.predicted_us and told["limit_us"] == result.limit_us
    assert told["ranked_by"] == result.ranked_by and told["speedup"] == result.speedup
    assert "<html" in (tmp_path / "page.html").read_text()
    done = call("bench", "-", "max-states=2000", input=PROGRAM)
    assert done.returncode == 0 and f"at least {result.limit_us:.2f} us" in done.stdout


def test_standard_streams():
    done = call("optimize", "-", "max-states=2000", input=PROGRAM)
    assert done.returncode == 0 and "func.func @exp" in done.stdout


#: A search whose end nobody waits for.
LONG = "max-states=100000000"


@pytest.mark.parametrize("arguments, message", [
    (["optimize", "nowhere.mlir"], "nowhere.mlir"),
    (["optimize", "-", "seed"], "expects an option as name=value, got 'seed'"),
    (["optimize", "-", "seed=x"], "expects seed of 0 to"),
    (["optimize", "-", "-o", "/nowhere/out.mlir", LONG], "expects a folder that can be written"),
    (["optimize", "-", "-o", ".", LONG], "expects a file to write, got a folder, ."),
    (["optimize", "-", "-o", "", LONG], "expects the name of a file to write, got none"),
    (["optimize", "-", "-o", "/proc/out.mlir", LONG], "expects a folder that can be written for /proc/out.mlir, got /proc"),
    (["optimize", "-", "-o", "/proc/version", LONG], "/proc/version cannot be written"),
    (["optimize", "-", "--artifact", "/proc/version", LONG], "expects a folder to write, got /proc/version, which is none"),
    (["optimize", "-", "--artifact", "/proc/nowhere/out", LONG], "expects a folder that can be written for /proc/nowhere/out"),
    (["optimize", "-", "--artifact", "", LONG], "expects the name of a folder to write, got none"),
    (["optimize", "-", "max_states=5"], "no such option max_states; did you mean max-states or "),
    (["bench", "-", "--page", "/nowhere/page.html"], "expects a folder that can be written"),
    (["verify", "-", "nowhere.mlir"], "nowhere.mlir"),
    (["verify", "-", "-"], "expects standard input once"),
    (["show", "nowhere.mlir"], "nowhere.mlir"),
    (["show", "-", "--function", "log"], "log"),
    (["show", "-", "-o", "exp.bmp"], "expects a file that ends in"),
    (["show", "."], "expects a folder that save() has made"),
    (["show", ".", "--function", "exp"], "expects --function with a module of MLIR"),
    (["bench", "-", "seed=x"], "expects seed of 0 to"),
    (["bench", "-", "nothing=1"], "mirage: error: no such option nothing"),
    (["bench", "-", "--page", ".", LONG], "expects a file to write, got a folder, ."),
    (["bench", "-", "measure=1"], "expects options of the search (docs/Search.md), got 'measure'"),
])
def test_mistakes(arguments, message):
    done = call(*arguments, input=PROGRAM)
    assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments, code", [
    ([], 2), (["frobnicate"], 2), (["merge", "out"], 2), (["export", "a", "b"], 2), (["merge", "out", "in", "in"], 2),
    (["export", ""], 2), (["export", "nowhere"], 1), (["merge", "out", "nowhere"], 1),
    (["import-times", "out", "nowhere"], 1)])
def test_exit_codes_of_caches(arguments, code, tmp_path):
    """2 for what says nothing that can be done, 1 for what failed."""
    done = call("cache", *arguments, cwd=tmp_path)
    assert done.returncode == code and done.stderr
    assert code == 1 or not list(tmp_path.iterdir())


def test_places_are_looked_for_and_left(program, tmp_path):
    """What is there is not touched before the result is."""
    out = tmp_path / "out.mlir"
    out.write_text("before")
    done = call("optimize", program, "-o", str(out), "--artifact", str(tmp_path / "a" / "b"), "seed=x")
    assert done.returncode == 2 and "expects seed of 0 to" in done.stderr
    assert out.read_text() == "before" and not (tmp_path / "a").exists()
    done = call("optimize", program, "-o", "/dev/null", "--artifact", str(tmp_path / "a" / "b"), "--no-measure")
    assert done.returncode == 0 and (tmp_path / "a" / "b" / "manifest.json").exists()


def test_env():
    described = json.loads(call("env", "--json").stdout)
    assert described["mirage"] == mi.__version__ and described["numpy"]
    assert isinstance(described["gpus"], list) or described["gpus"].startswith("none: ")
    assert described["ptxas"] is None or re.search(r"release \d+\.\d+", described["ptxas"])
    assert call("--version").stdout == f"Mirage {mi.__version__}\n"
