"""print-report-without-times.py report.json: all of a report but for how long the search took and
on how many threads."""
import json
import sys

report = json.load(open(sys.argv[1]))
for graph in report["graphs"]:
    for name in ("seconds", "bestSeconds", "statesPerSecond"):
        del graph["search"][name]
    for one in graph["search"]["rounds"]:
        del one["seconds"]
    del graph["options"]["threads"]
print(json.dumps(report, indent=1))
