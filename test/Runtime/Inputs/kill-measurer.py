"""kill-measurer.py SIGNAL COMMAND...: starts what measures and hangs, sends it a signal once
it has a worker, and says what is left. Of ignored-SIGNAL it is told to take no notice."""
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


name = sys.argv[1].removeprefix("ignored-")
number = signal.Signals[f"SIG{name}"]
if name != "KILL":  # what it inherits
    signal.signal(number, signal.SIG_DFL if name == sys.argv[1] else signal.SIG_IGN)
folder = tempfile.mkdtemp()
measurer = subprocess.Popen(sys.argv[2:], env={**os.environ, "TMPDIR": folder})
children = pathlib.Path(f"/proc/{measurer.pid}/task/{measurer.pid}/children")
# It runs a kernel that hangs: its log says so.
wait_for(lambda: any("roots" in log.read_text() for log in pathlib.Path(folder).glob("*/log.jsonl")))
worker = wait_for(lambda: children.read_text().split())[0]
measurer.send_signal(number)
status = measurer.wait(timeout=20)
wait_for(lambda: is_gone(worker))
left = "there" if os.listdir(folder) else "gone"
shutil.rmtree(folder)
end = f"ended by {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
print(f"{end}, the worker is gone, its folder is {left}")
