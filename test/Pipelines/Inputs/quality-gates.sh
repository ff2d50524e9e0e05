#!/usr/bin/env bash
# quality-gates.sh BUILD SOURCE WORK: holds examples, µGraphs and, with what a short search finds,
# the benchmark programs to quality-gates.py; µGraphs for sm_86, too. Two of the benchmarks, which take the emulator a minute each,
# do not run there (quality-gates-full.test has them do so).
set -euo pipefail
build=$1 source=$2 work=$3
inputs=$(dirname "$0")

gates() { # NAME FOLDER ARGUMENT...
  mkdir -p "$work/$2"
  python3 "$inputs/quality-gates.py" --tools "$build/bin" --work "$work/$2" \
    --exceptions "$inputs/quality-exceptions-$1.json" "${@:3}"
}

status=0
gates examples examples "$source"/examples/*.mlir || status=1
for target in sm_90a sm_86; do
  gates mugraphs "mugraphs_$target" --options "from=optimize target=$target" \
    "$source"/examples/mugraphs/*.mlir || status=1
done
gates benchmarks benchmarks --options max-states=2000 --static matmul_4k --static prefill_attn \
  "$source"/benchmarks/*.mlir || status=1
exit $status
