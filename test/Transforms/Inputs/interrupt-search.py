"""interrupt-search.py WHEN SIGNALS ARGS...: runs mirage-opt with these and sends it signals, once it
says how far its search is and that matches WHEN, a moment between them; says how it ended."""
import re
import signal
import subprocess
import sys
import time

when, signals = sys.argv[1:3]
signal.signal(signal.SIGINT, signal.SIG_DFL)  # jobs in the background inherit that it is ignored
process = subprocess.Popen(["mirage-opt", *sys.argv[3:]], stderr=subprocess.PIPE, text=True)
was_sent = False
for line in process.stderr:
    if not was_sent and re.search(when, line):
        was_sent = True
        for number, name in enumerate(signals.split(",")):
            time.sleep(0.02 if number else 0)
            process.send_signal(signal.Signals[name])
            print("sent", name, flush=True)
code = process.wait(timeout=300)
print("ended by", signal.Signals(-code).name if code < 0 else f"exit code {code}")
