"""kill-measurer.py COMMAND...: starts what measures and hangs, kills it once it has a
worker, and looks whether that is gone as well."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time


def wait_for(condition):
    """The first value of condition() that is true, within 20 seconds."""
    for _ in range(2000):
        if value := condition():
            return value
        time.sleep(0.01)
    sys.exit("expects it within 20 s")


def is_gone(pid):
    try:
        return "\nState:\tZ" in pathlib.Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return True


folder = tempfile.mkdtemp()
measurer = subprocess.Popen(sys.argv[1:], env={**os.environ, "TMPDIR": folder})
children = pathlib.Path(f"/proc/{measurer.pid}/task/{measurer.pid}/children")
# It runs a kernel that hangs: its log says so.
wait_for(lambda: any("roots" in log.read_text() for log in pathlib.Path(folder).glob("*/log.jsonl")))
worker = wait_for(lambda: children.read_text().split())[0]
measurer.send_signal(signal.SIGKILL)
measurer.wait()
wait_for(lambda: is_gone(worker))
shutil.rmtree(folder)
print("the worker is gone")
