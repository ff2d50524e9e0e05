#!/usr/bin/env bash
# Builds the programs of test/Fuzz with libFuzzer, address and undefined-behaviour
# sanitizers, and lets each look for inputs that break us, one after the other.
#
#   utils/fuzz.sh [SECONDS [TARGET...]]   SECONDS for each (600); all targets
#
# Found faults are put into build/fuzz/faults, and inputs that reached something
# new into build/fuzz/corpus/TARGET, where a later run goes on from. A fault that
# has been mended is kept in test/Fuzz/Faults (docs/Testing.md).
set -euo pipefail
export MIRAGE_PRESET=fuzz
source "$(dirname "$0")/setup.sh"
MIRAGE_PACKAGES+=(libclang-rt-22-dev)

seconds=${1:-600}
[[ "$seconds" =~ ^[0-9]+$ ]] ||
  fail "expects a number of seconds, got $seconds; usage: utils/fuzz.sh [SECONDS [TARGET...]]"
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(PTX Artifact Npy Graph)
for target in "${targets[@]}"; do
  [[ " PTX Artifact Npy Graph " == *" $target "* ]] ||
    fail "expects a target among PTX, Artifact, Npy and Graph, got $target"
done

mirage_install
mirage_configure
mirage_build "${targets[@]/#/MirageFuzz}"

# fuzz TARGET FOLDER DICTIONARY LARGEST
fuzz() {
  local found=$MIRAGE_BUILD/corpus/$1 kept=$MIRAGE_ROOT/test/Fuzz
  mkdir -p "$found" "$MIRAGE_BUILD/faults"
  local options=(-max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096
    -max_len="$4" -print_final_stats=1 -artifact_prefix="$MIRAGE_BUILD/faults/$2-")
  [ -z "$3" ] || options+=(-dict="$kept/$3")
  local inputs=("$found" "$kept/Corpus/$2")
  [ ! -d "$kept/Faults/$2" ] || inputs+=("$kept/Faults/$2")
  say "fuzzing $1 for $seconds s"
  "$MIRAGE_BUILD/test/Fuzz/MirageFuzz$1" "${options[@]}" "${inputs[@]}"
}

for target in "${targets[@]}"; do
  case $target in
  PTX) fuzz PTX ptx "" 8192 ;;
  Artifact) fuzz Artifact artifact json.dict 16384 ;;
  Npy) fuzz Npy npy npy.dict 512 ;;
  Graph) fuzz Graph graph json.dict 8192 ;;
  esac
done
