#!/usr/bin/env bash
# Formats the C++ sources, or with --check says which are not formatted.
set -euo pipefail
cd "$(dirname "$0")/.."

format=$(command -v clang-format-22) || {
  echo "error: clang-format-22 is not installed. Run: apt-get install clang-format-22" >&2
  exit 1
}
mapfile -t files < <(git ls-files '*.cpp' '*.h' '*.c')
case "${1:-}" in
"") "$format" -i "${files[@]}" ;;
--check) "$format" --dry-run --Werror "${files[@]}" ;;
*)
  echo "usage: utils/format.sh [--check]" >&2
  exit 2
  ;;
esac
