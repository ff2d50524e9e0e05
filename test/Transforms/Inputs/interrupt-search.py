"""interrupt-search.py WHEN SIGNALS ARGS...: runs mirage-opt with these and sends it signals, the first once it
says how far its search is and that matches WHEN, or, where WHEN is checkpoint=FILE, once that has records, and
each other one a moment after the process has taken the one before; says how it ended. There is no room for what it
prints (without -o) until all were sent, so that it cannot end before that."""
import fcntl
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

when, signals = sys.argv[1:3]
signal.signal(signal.SIGINT, signal.SIG_DFL)  # jobs in the background inherit that it is ignored
printed, full_pipe = os.pipe()
F_SETPIPE_SZ = 1031  # fcntl(2)
os.write(full_pipe, bytes(fcntl.fcntl(full_pipe, F_SETPIPE_SZ, 4096)))
process = subprocess.Popen(["mirage-opt", *sys.argv[3:]], stdout=full_pipe, stderr=subprocess.PIPE, text=True)
os.close(full_pipe)


def read_all(stream):
    threading.Thread(target=stream.read, daemon=True).start()


def wait_until(holds):
    while process.poll() is None and not holds():
        time.sleep(0.01)


def is_pending(number):
    """Whether it was sent and no thread has taken it (ShdPnd, proc_pid_status(5))."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"ShdPnd:\s*(\w+)", status).group(1), 16) >> (number - 1) & 1


def send_all():
    for name in signals.split(","):
        number = signal.Signals[name]
        process.send_signal(number)
        print("sent", name, flush=True)
        wait_until(lambda: not is_pending(number))
        time.sleep(0.2)  # its handler has a few instructions
    read_all(open(printed, "rb"))


def has_records(path):
    return path.exists() and path.read_bytes().count(b"\n") > 1


if when.startswith("checkpoint="):
    read_all(process.stderr)
    file = pathlib.Path(when.partition("=")[2])
    wait_until(lambda: has_records(file))
    send_all()
else:
    was_sent = False
    for line in process.stderr:
        if not was_sent and re.search(when, line):
            was_sent = True
            send_all()
code = process.wait(timeout=300)
print("ended by", signal.Signals(-code).name if code < 0 else f"exit code {code}")
