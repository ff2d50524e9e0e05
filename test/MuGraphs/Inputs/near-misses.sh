#!/bin/sh
# near-misses.sh PROGRAM MUGRAPH < SUBSTITUTIONS: each line is a sed command that makes a
# mistake in the µGraph, which has to be judged different, or to be refused since what blocks
# yield differs along an axis that nothing joins.
while read -r mistake; do
  sed "$mistake" "$2" > "$3"
  if cmp -s "$2" "$3"; then
    echo "$mistake changes nothing"
    exit 1
  fi
  verdict=$(mirage-verify "$1" "$3" --seed=1 2>&1)
  case "$verdict" in
  *": different"*) echo "$mistake: different" ;;
  *"differs along it, got neither"*) echo "$mistake: refused" ;;
  *) echo "$mistake: NOT SEEN: $verdict" ;;
  esac
done
