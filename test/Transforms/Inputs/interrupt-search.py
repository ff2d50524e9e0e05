"""interrupt-search.py ARGS...: runs mirage-opt with these, sends it SIGINT once it says how far
its search is and has found something, and exits with its exit code."""
import re
import signal
import subprocess
import sys

process = subprocess.Popen(["mirage-opt", *sys.argv[1:]], stderr=subprocess.PIPE, text=True)
was_sent = False
for line in process.stderr:
    found = re.search(r" ([1-9]\S*) structures", line)
    if found and not was_sent:
        process.send_signal(signal.SIGINT)
        was_sent = True
        print("interrupted", flush=True)
sys.exit(process.wait(timeout=300))
