#!/usr/bin/env bash
# Sets up a machine, builds everything and runs every test: format and layers,
# C++ unit tests, lit, the Python package. Ends with a line "N passed, N failed".
#
#   utils/check.sh          at the sizes that continuous integration runs
#   utils/check.sh --full   the benchmark programs at their full sizes as well, and
#                           the Python package as pip installs it
set -euo pipefail
source "$(dirname "$0")/setup.sh"

# Pictures and pages of the Python package are drawn, and looked at; TorchInductor,
# which compiles what Mirage leaves of models, does so for CPUs with g++.
MIRAGE_PACKAGES+=(graphviz chromium g++)

export MIRAGE_TEST_SIZES=ci
case "${1:-}" in
"") ;;
--full) export MIRAGE_TEST_SIZES=full ;;
*) fail "unknown option $1; usage: utils/check.sh [--full]" ;;
esac

passed=0
failed=0
# record NAME COMMAND...: one check that passes or fails as a whole.
record() {
  local name=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAIL: %s\n' "$name"
  fi
}

# Counts in the last summary of a log: lines "[  PASSED  ] 18 tests." of
# GoogleTest, "  Passed: 6 (..%)" of lit.
count() { grep -E "$2" "$1" | grep -oE '[0-9]+' | head -n 1 || true; }

# As many at a time as there are cores, the largest, which take longest, first.
run_unit_tests() {
  local logs binary name log status good bad
  logs=$(mktemp -d)
  # shellcheck disable=SC2016
  find "$MIRAGE_BUILD/test/Unit" -maxdepth 1 -name 'Mirage*Tests' -printf '%s %p\n' |
    sort -rn | cut -d ' ' -f 2- |
    xargs -P "$(nproc)" -I '{}' bash -c '
      log=$2/$(basename "$1")
      "$1" --gtest_brief=1 >"$log" 2>&1
      echo $? >"$log.status"' _ '{}' "$logs"
  for binary in "$MIRAGE_BUILD"/test/Unit/Mirage*Tests; do
    name=$(basename "$binary")
    log=$logs/$name
    status=$(cat "$log.status")
    good=$(count "$log" '^\[  PASSED  \]')
    bad=$(grep -cE '^\[  FAILED  \] .* ms\)$' "$log" || true)
    if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then
      bad=1 # it ended before its summary
    fi
    passed=$((passed + ${good:-0}))
    failed=$((failed + ${bad:-0}))
    if [ "${bad:-0}" -gt 0 ]; then
      cat "$log"
      printf 'FAIL: %s\n' "$name"
    else
      printf '%s: %s passed\n' "$name" "$good"
    fi
  done
  rm -rf "$logs"
}

run_lit_tests() {
  local log lit
  lit=$(sed -n 's/^LLVM_EXTERNAL_LIT:[A-Z]*=//p' "$MIRAGE_BUILD/CMakeCache.txt")
  log=$(mktemp)
  "$lit" -v "$MIRAGE_BUILD/test" >"$log" 2>&1 || true
  grep -vE '^PASS:' "$log" || true
  local good bad
  good=$(count "$log" '^ +Passed *:')
  bad=$(awk -F'[:(]' '/^ +(Failed|Unresolved|Timed Out|Unexpectedly Passed) *:/ { sum += $2 }
                      END { print sum + 0 }' "$log")
  if [ -z "$good" ] && [ "$bad" -eq 0 ]; then
    bad=1 # lit itself failed
  fi
  passed=$((passed + ${good:-0}))
  failed=$((failed + ${bad:-0}))
  rm -f "$log"
}

# install_python_environment FOLDER: what the tests of the Python package
# need, in an environment of its own.
install_python_environment() {
  local environment=$1 requirements=$MIRAGE_ROOT/test/python/requirements.txt log
  if cmp -s "$requirements" "$environment/installed.txt"; then
    return 0
  fi
  say "installing $(tr '\n' ' ' <"$requirements")"
  log=$(mktemp)
  rm -rf "$environment"
  python3 -m venv "$environment" &&
    "$environment/bin/pip" install -q -r "$requirements" >"$log" 2>&1 &&
    cp "$requirements" "$environment/installed.txt" ||
    { tail -n 5 "$log"; printf 'the packages of %s cannot be installed\n' "$requirements"; return 1; }
}

# run_python_tests COMMAND...: those of the package that Python has which the
# command begins.
run_python_tests() {
  local log good bad
  log=$(mktemp)
  "$@" -m pytest -q -rs "$MIRAGE_ROOT/test/python" >"$log" 2>&1 || true
  grep -vE '^[.sFExX]+ +\[ *[0-9]+%\]$' "$log" || true
  # "2 failed, 86 passed, 1 skipped, 1 error in 23.37s"
  good=$(tail -n 1 "$log" | awk -F'[ ,]+' '{ for (i = 2; i <= NF; ++i) if ($i == "passed") sum += $(i - 1) } END { print sum + 0 }')
  bad=$(tail -n 1 "$log" | awk -F'[ ,]+' '{ for (i = 2; i <= NF; ++i) if ($i ~ /^(failed|errors?)$/) sum += $(i - 1) } END { print sum + 0 }')
  if [ "$good" -eq 0 ] && [ "$bad" -eq 0 ]; then
    bad=1 # pytest itself failed
  fi
  passed=$((passed + good))
  failed=$((failed + bad))
  rm -f "$log"
}

# In a working tree.
run_tree_tests() {
  local environment=$MIRAGE_ROOT/build/python
  install_python_environment "$environment" || { record "the Python package" false; return; }
  run_python_tests env MIRAGE_LIBRARY="$MIRAGE_BUILD/lib/libMirage.so" PYTHONPATH="$MIRAGE_ROOT/python" \
    "$environment/bin/python"
}

# On what pip installs from the wheel, where there is no LLVM and no CUDA.
run_wheel_tests() {
  local environment=$MIRAGE_ROOT/build/wheel-python hide
  rm -rf "$environment" "$MIRAGE_ROOT/dist"
  install_python_environment "$environment" &&
    "$MIRAGE_ROOT/utils/build-wheel.sh" &&
    "$environment/bin/pip" install -q "$MIRAGE_ROOT"/dist/*.whl ||
    { record "utils/build-wheel.sh" false; return; }
  # shellcheck disable=SC2016
  hide='for folder in /usr/lib/llvm-22 /usr/local/cuda*; do
          if [ -d "$folder" ]; then mount -t tmpfs none "$(readlink -f "$folder")" || exit; fi
        done
        # What leads there from elsewhere.
        if ptxas=$(command -v ptxas); then mount --bind /dev/null "$ptxas" || exit; fi
        exec "$@"'
  if ! unshare --mount true 2>/dev/null; then
    say "LLVM and CUDA stay in sight: to hide them needs root"
    set --
  else
    set -- unshare --mount bash -c "$hide" _
  fi
  run_python_tests "$@" env -u MIRAGE_LIBRARY -u PYTHONPATH "$environment/bin/python"
}

mirage_install
mirage_configure
mirage_build all MirageUnitTests MirageFuzzTargets
say "checking format and layers"
record "utils/format.sh --check" "$MIRAGE_ROOT/utils/format.sh" --check
record "utils/check-layers.py" python3 "$MIRAGE_ROOT/utils/check-layers.py"
say "running the unit tests"
run_unit_tests
say "running the lit tests"
run_lit_tests
say "running the tests of the Python package"
run_tree_tests
if [ "$MIRAGE_TEST_SIZES" = full ]; then
  say "running them on the package as pip installs it"
  run_wheel_tests
fi
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
