"""print-limits.py report.json: how far a search went, of the report's first graph."""
import json
import sys

graph = json.load(open(sys.argv[1]))["graphs"][0]
search = graph["search"]
rounds = search["rounds"]
largest = {several: max((r["operators"] for r in rounds if (r["maxKernels"] > 1) == several),
                        default=0) for several in (False, True)}
print(f"kernels {max(r['maxKernels'] for r in rounds)}, operators {largest[False]} and {largest[True]}, "
      f"states {search['counts']['states']}, verified {search['verified']}, "
      f"replaced {graph['replaced']}")
