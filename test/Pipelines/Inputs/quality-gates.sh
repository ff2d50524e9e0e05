#!/usr/bin/env bash
# quality-gates.sh BUILD SOURCE WORK: holds examples, µGraphs and, with what a short search finds,
# the benchmark programs to quality-gates.py. Two of these, which take the emulator a minute each,
# do not run there (quality-gates-full.test has them do so).
set -euo pipefail
build=$1 source=$2 work=$3
inputs=$(dirname "$0")

gates() { # NAME ARGUMENT...
  mkdir -p "$work/$1"
  python3 "$inputs/quality-gates.py" --tools "$build/bin" --work "$work/$1" \
    --exceptions "$inputs/quality-exceptions-$1.json" "${@:2}"
}

status=0
gates examples "$source"/examples/*.mlir || status=1
gates mugraphs --options from=optimize "$source"/examples/mugraphs/*.mlir || status=1
gates benchmarks --options max-states=2000 --static matmul_4k --static prefill_attn \
  "$source"/benchmarks/*.mlir || status=1
exit $status
