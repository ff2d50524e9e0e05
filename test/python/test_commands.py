"""`python -m mirage`."""

import json
import subprocess
import sys

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


def test_different(program, tmp_path):
    other = tmp_path / "other.mlir"
    other.write_text(PROGRAM.replace("math.exp", "math.tanh"))
    done = call("verify", program, other, "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["functions"][0]["verdict"] == "different"


def test_standard_streams():
    done = call("optimize", "-", "max-states=2000", input=PROGRAM)
    assert done.returncode == 0 and "func.func @exp" in done.stdout


@pytest.mark.parametrize("arguments, message", [
    (["optimize", "nowhere.mlir"], "nowhere.mlir"),
    (["optimize", "-", "seed"], "expects an option as name=value, got 'seed'"),
    (["optimize", "-", "seed=x"], "expects seed of 0 to"),
    (["verify", "-", "nowhere.mlir"], "nowhere.mlir"),
])
def test_mistakes(arguments, message):
    done = call(*arguments, input=PROGRAM)
    assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr


def test_env():
    described = json.loads(call("env", "--json").stdout)
    assert described["mirage"] == mi.__version__ and described["numpy"]
    assert call("--version").stdout == f"Mirage {mi.__version__}\n"
