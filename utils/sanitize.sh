#!/usr/bin/env bash
# Builds the plain libraries, their unit tests and mirage-run with sanitizers and
# runs the tests; ends with status 1 where a test fails or a sanitizer reports.
#
#   utils/sanitize.sh asan [TESTS...]   addresses, leaks and undefined behaviour
#   utils/sanitize.sh tsan [TESTS...]   host threads
#
# TESTS are names such as Emulator for MirageEmulatorTests. Without any asan takes
# all plain libraries but those of the search, tsan what has threads of its own.
set -euo pipefail
case "${1:-}" in
asan) tests=(Algebra Graph Layout Reference Artifact Emulator Runtime Planning) ;;
tsan) tests=(Reference Emulator Runtime) ;;
*)
  printf 'error: expects asan or tsan, got "%s"\n' "${1:-}" >&2
  exit 1
  ;;
esac
export MIRAGE_PRESET=$1
source "$(dirname "$0")/setup.sh"
MIRAGE_PACKAGES+=(libclang-rt-22-dev)
shift
[ $# -eq 0 ] || tests=("$@")

binaries=("${tests[@]/#/Mirage}")
binaries=("${binaries[@]/%/Tests}")
mirage_install
mirage_configure
mirage_build mirage-run "${binaries[@]}"
export TSAN_OPTIONS="suppressions=$MIRAGE_ROOT/test/tsan-suppressions.txt external_symbolizer_path=$(command -v llvm-symbolizer-22)"
status=0
for binary in "${binaries[@]}"; do
  say "running $binary"
  "$MIRAGE_BUILD/test/Unit/$binary" --gtest_brief=1 || status=1
done
exit "$status"
