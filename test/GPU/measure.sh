#!/usr/bin/env bash
# Runs what measures on a real GPU: the whole way of a bundle, for one program, with
# checks of what must hold there. Ends with "measure.sh: passed".
#
#   test/GPU/measure.sh BUNDLE_OR_PROGRAM [BUILD_DIR]
#
# Of a program (.mlir) the bundle is made first, with mirage-opt; a bundle that was made on
# another machine needs mirage-run alone.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
input=${1:?expects a bundle or a .mlir file}
build=${2:-$root/build/dev}
run=$build/bin/mirage-run
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
fail() {
  printf 'measure.sh: failed: %s\n' "$*" >&2
  exit 1
}

bundle=$input
if [ ! -d "$input" ]; then
  bundle=$out/bundle
  "$build/bin/mirage-opt" "$input" -o /dev/null \
    --mirage-compile="target=native candidates=8 bundle=$bundle to=search"
fi

echo "== each artifact alone, checked and timed"
folders=$(python3 - "$bundle/bundle.json" <<'PYTHON'
import json, sys
bundle = json.load(open(sys.argv[1]))
for entry in [bundle["baseline"], *bundle["candidates"]]:
    if entry is not None:
        print(entry["folder"])
PYTHON
)
while read -r folder; do
  echo "-- $folder"
  "$run" "$bundle/$folder" --device=cuda --check --measure
done <<<"$folders"

echo "== all of them, by turns"
"$run" "$bundle" --measure
[ -s "$bundle/times.jsonl" ] || fail "expects times.jsonl in the bundle"
python3 - "$bundle/times.jsonl" <<'PYTHON' || fail "the times are not what they should be"
import json, sys
times = [json.loads(line) for line in open(sys.argv[1])]
right = [time for time in times if time["verdict"] == "right"]
assert right, "no artifact is right"
for time in right:
    assert 0.5 < time["hotUs"]["median"] < 1e6, time
    assert time["coldUs"]["median"] > 0.5, time
fastest = min(right, key=lambda time: time["coldUs"]["median"])
baseline = [time["coldUs"]["median"] for time in right if time["baseline"]]
print("fastest:", fastest["artifact"], fastest["coldUs"]["median"], "us cold;",
      "baseline:", min(baseline) if baseline else "not right")
PYTHON

echo "== a second time: medians within 10 % of the first"
cp "$bundle/times.jsonl" "$out/first.jsonl"
"$run" "$bundle" --measure --json > "$out/second.jsonl"
python3 - "$out/first.jsonl" "$out/second.jsonl" <<'PYTHON' || fail "times differ from run to run"
import json, sys
runs = [{(t["artifact"], t["library"]): t for t in map(json.loads, open(path))
         if t["verdict"] == "right"} for path in sys.argv[1:]]
assert runs[0].keys() == runs[1].keys(), "other artifacts are right"
worst = max(abs(runs[1][key][kind]["median"] / runs[0][key][kind]["median"] - 1)
            for key in runs[0] for kind in ("hotUs", "coldUs"))
print(f"largest difference {100 * worst:.1f} %")
assert worst < 0.1 or any(t["noisy"] for run in runs for t in run.values())
PYTHON

if [ ! -d "$input" ]; then
  echo "== the search goes by the times"
  "$build/bin/mirage-opt" "$input" -o /dev/null \
    --mirage-compile="target=native candidates=8 times=$bundle/times.jsonl artifact=$out/best"
  "$run" "$out/best" --device=cuda --check --measure
fi

echo "== a library in C, a stream and a graph of the caller's"
kernels=$root/test/Runtime/Inputs/two-kernels # for sm_90a
if [ -f "$build/lib/libMirageRuntimeC.so" ] && command -v cc >/dev/null &&
  "$run" "$kernels" --device=cuda >/dev/null; then
  cc -std=c99 -I"$root/include" "$root/test/CAPI/Inputs/stream.c" -o "$out/stream" \
    -L"$build/lib" -lMirageRuntimeC -lm -ldl
  LD_LIBRARY_PATH=$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
    "$out/stream" "$kernels"
else
  echo "left out: no libMirageRuntimeC.so, no C compiler or a GPU that is no sm_90"
fi
echo "measure.sh: passed"
