#!/bin/sh
# round-trips.sh FILE...: each file comes back from text and from bytecode as it was
# (--verify-roundtrip tries both), or does not parse, as tests of mistakes do not. Prints
# those that do.
for file in "$@"; do
  if mirage-opt "$file" --split-input-file --verify-roundtrip -o /dev/null 2> /dev/null; then
    echo "$file"
  elif mirage-opt "$file" --split-input-file -o /dev/null 2> /dev/null; then
    echo "error: $file parses and does not come back" >&2
    exit 255 # xargs stops
  fi
done
