"""print-limits.py report.json [default.json]: how far a search went, of the report's first graph, and
whether it had more states than one with the default options."""
import json
import sys

graph, *default = (json.load(open(path))["graphs"][0] for path in sys.argv[1:])
search = graph["search"]
rounds = search["rounds"]
largest = {several: max((r["operators"] for r in rounds if (r["maxKernels"] > 1) == several),
                        default=0) for several in (False, True)}
states = search["counts"]["states"]
if default:
    expected = default[0]["search"]["counts"]["states"]
    relation = "fewer" if states < expected else "more" if states > expected else "as many"
print(f"kernels {max(r['maxKernels'] for r in rounds)}, operators {largest[False]} and {largest[True]}, "
      f"states {relation if default else states}, verified {search['verified']}, "
      f"replaced {graph['replaced']}")
