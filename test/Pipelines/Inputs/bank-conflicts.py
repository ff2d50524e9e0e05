"""Says how many passes through shared memory kernels take for each that they need, from what
`mirage-run --json` prints, and fails where that is not between two numbers."""

import json
import sys

least, most = map(float, sys.argv[1:])
counters = [launch["counters"] for launch in json.load(sys.stdin)["launches"]]
passes = sum(kernel["sharedWavefronts"] for kernel in counters)
conflicts = sum(kernel["sharedBankConflicts"] for kernel in counters)
factor = passes / (passes - conflicts)
print(f"{passes} passes, {factor:.2f} for each that is needed")
sys.exit(not least <= factor <= most)
