"""run-on-terminal.py COLUMNS ARGS...: runs mirage-opt with these, its standard error a terminal of
so many columns, prints what it wrote there, a line for each time it was written over, and exits
with its exit code."""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

main, terminal = pty.openpty()
columns = int(sys.argv[1])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
process = subprocess.Popen(["mirage-opt", *sys.argv[2:]], stderr=terminal, env=environment)
os.close(terminal)
written = b""
while True:
    try:
        piece = os.read(main, 4096)
    except OSError:  # nobody has the terminal open any more
        break
    if not piece:
        break
    written += piece
for line in written.decode().replace("\033[K", "").split("\r"):
    assert len(line.strip("\n")) < columns, line
    print(line)
sys.exit(process.wait())
