#!/usr/bin/env python3
"""compare-counters.py: the emulator's counters of artifacts beside those that Nsight Compute
reads from a GPU, one line for each kernel (docs/Emulator.md quotes it).

    test/GPU/compare-counters.py build/dev/bin/mirage-run ARTIFACT...

A line says for each counter what the emulator and the GPU have, or the one number where they
agree. Ends with how many kernels agree in global sectors."""
import csv
import json
import os
import subprocess
import sys

# Of the emulator, and the metrics of Nsight Compute whose sum is the same.
COUNTERS = {
    # What comes out of L2, for the copy engine as for threads.
    "load sectors": ("globalLoadSectors", ["l1tex__m_xbar2l1tex_read_sectors.sum"]),
    "store sectors": ("globalStoreSectors", ["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"]),
    "bank conflicts": ("sharedBankConflicts",
                       ["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"]),
    "wavefronts": ("sharedWavefronts", ["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"]),
    "matrix instructions": ("matrix", ["smsp__inst_executed_pipe_tensor.sum"]),
}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def emulate(mirage_run, artifact):
    """[(kernel, {counter: number})]"""
    report = json.loads(run([mirage_run, artifact, "--json"]))
    return [(launch["kernel"], launch["counters"] | launch["counters"]["instructions"])
            for launch in report["launches"]]


def profile(mirage_run, artifact):
    """{kernel: {metric: number}}"""
    metrics = ",".join(metric for _, names in COUNTERS.values() for metric in names)
    text = run(["ncu", "--csv", "--metrics", metrics, mirage_run, artifact, "--device=cuda",
                "--library=never"])
    lines = text.splitlines()
    header = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
    kernels = {}
    for row in csv.DictReader(lines[header:]):
        value = row["Metric Value"].replace(",", "")
        kernels.setdefault(row["Kernel Name"].split("(")[0], {})[row["Metric Name"]] = float(value)
    return kernels


def compare(artifact, kernel, counters, metrics):
    """A line, and whether global sectors agree."""
    cells, agree = [], True
    for name, (counter, of_gpu) in COUNTERS.items():
        emulated, measured = counters[counter], sum(metrics[metric] for metric in of_gpu)
        same = emulated == measured
        agree &= same or "sectors" not in name
        cells.append(f"{name} {emulated}" + ("" if same else f" / {measured:.0f}"))
    return f"{os.path.basename(artifact)} {kernel}: " + ", ".join(cells), agree


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    mirage_run, artifacts = sys.argv[1], sys.argv[2:]
    verdicts = []
    for artifact in artifacts:
        measured = profile(mirage_run, artifact)
        for kernel, counters in emulate(mirage_run, artifact):
            line, agree = compare(artifact, kernel, counters, measured[kernel])
            verdicts.append(agree)
            print(line, flush=True)
    print(f"{sum(verdicts)} of {len(verdicts)} kernels have the same global sectors")


main()
