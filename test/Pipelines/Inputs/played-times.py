"""A worker as mirage-run is one, whose times are played: MIRAGE_FASTEST says in which folder
of a bundle the artifact is that takes half a microsecond; the others take a hundred."""
import json
import os
import pathlib
import subprocess
import sys

job_file = pathlib.Path(sys.argv[1].partition("=")[2])
job = json.loads(job_file.read_text())
job["parent"] = os.getpid()
job_file.write_text(json.dumps(job))
artifacts = {program["number"]: pathlib.Path(program["artifact"]).name for program in job["programs"]}
with subprocess.Popen(["mirage-run", *sys.argv[1:]], stdout=subprocess.PIPE, text=True) as worker:
    for line in worker.stdout:
        said = json.loads(line)
        if "times" in said:
            took = 0.5 if artifacts[said["times"]] == os.environ["MIRAGE_FASTEST"] else 100
            for kind in ("hotUs", "coldUs"):
                said[kind] = [took] * len(said[kind])
        print(json.dumps(said), flush=True)
sys.exit(worker.returncode)
