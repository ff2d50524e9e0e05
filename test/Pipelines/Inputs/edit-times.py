"""edit-times.py BUNDLE FOLDER [hung]: prints the times of a bundle, with those of the
artifact in FOLDER half a microsecond, or with the artifact hung."""
import json
import pathlib
import sys

bundle = pathlib.Path(sys.argv[1])
description = json.loads((bundle / "bundle.json").read_text())
entries = [description["baseline"], *description["candidates"]]
chosen = next(entry["hash"] for entry in entries if entry["folder"] == sys.argv[2])
for line in (bundle / "times.jsonl").read_text().splitlines():
    time = json.loads(line)
    if time["artifact"] == chosen and "hung" in sys.argv:
        time.update(verdict="hung", reason="planted")
        for member in ("noisy", "hotUs", "coldUs"):
            del time[member]
    elif time["artifact"] == chosen:
        time["coldUs"] = {"low": 0.5, "median": 0.5, "high": 0.5}
    print(json.dumps(time))
