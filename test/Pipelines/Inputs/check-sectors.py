#!/usr/bin/env python3
"""Runs an artifact on the emulator and says whether its numbers are right, how many
kernels it has, and whether what it reads takes at most 1.02 times the sectors of device
memory that its bytes fill."""
import json
import subprocess
import sys

done = subprocess.run([sys.argv[1], sys.argv[2], "--check", "--json"], capture_output=True, text=True)
if not done.stdout:
    sys.exit(done.stderr)
report = json.loads(done.stdout)
counters = [launch["counters"] for launch in report["launches"]]
sectors = sum(c["globalLoadSectors"] for c in counters)
moved = sum(c["globalLoadBytes"] for c in counters)
print(f"{'right' if report['pass'] else 'wrong'}, {len(counters)} kernels,",
      "coalesced" if 32 * sectors <= 1.02 * moved else f"{32 * sectors / moved:.3f} of the bytes in sectors")
