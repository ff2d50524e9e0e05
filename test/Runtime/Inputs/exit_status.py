"""exit_status.py N command...: runs a command; fails unless it exits with N."""
import subprocess
import sys

status = subprocess.run(sys.argv[2:]).returncode
if status != int(sys.argv[1]):
    sys.exit(f"expects exit status {sys.argv[1]}, got {status}")
