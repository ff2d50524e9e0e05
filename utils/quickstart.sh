#!/usr/bin/env bash
# Installs what is missing, builds, and takes one tensor program the whole way:
# from linalg to a µGraph that nobody wrote, verified, compiled to PTX, and run
# on the built-in emulator against float64. Needs no GPU and no CUDA toolkit.
#
#   utils/quickstart.sh [program.mlir]     default: examples/rmsnorm_linear.mlir
set -euo pipefail
source "$(dirname "$0")/setup.sh"

case "${1:-}" in
-*) fail "unknown option $1; usage: utils/quickstart.sh [program.mlir]" ;;
esac
program=${1:-$MIRAGE_ROOT/examples/rmsnorm_linear.mlir}
[ -f "$program" ] || fail "there is no file $program"
out=$MIRAGE_ROOT/out/$(basename "$program" .mlir)

mirage_install
mirage_configure
mirage_build mirage-opt mirage-verify mirage-run

mkdir -p "$out"
say "superoptimizing $program"
"$MIRAGE_BUILD/bin/mirage-opt" "$program" \
  --mirage-superoptimize="report=$out/report.json" -o "$out/optimized.mlir"
cat "$out/optimized.mlir"
python3 "$MIRAGE_ROOT/utils/print-report.py" "$out/report.json"

say "compiling it to PTX"
"$MIRAGE_BUILD/bin/mirage-opt" "$program" \
  --mirage-compile="artifact=$out/artifact" -o /dev/null
printf 'PTX: %s\n' "$out/artifact/kernels.ptx"

say "running the PTX on the emulator, at full size, against float64"
"$MIRAGE_BUILD/bin/mirage-run" "$out/artifact" --device=emulator --check
