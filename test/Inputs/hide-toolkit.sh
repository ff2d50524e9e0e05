#!/bin/sh
# Runs a command where no CUDA toolkit is in sight:  hide-toolkit.sh command...
# Exits 77 where that cannot be arranged: a toolkit at its usual place, and no
# right to mount something over it, or one among the machine's Python packages.
unset CUDA_HOME CUDA_PATH CUDA_ROOT VIRTUAL_ENV
export HOME=/nonexistent
PATH=$(printf '%s' "$PATH" | tr ':' '\n' | while read -r folder; do
  [ -x "$folder/ptxas" ] || printf '%s:' "$folder"
done)
export PATH
if ls /usr/local/lib/python3*/*-packages/nvidia/*/bin/ptxas >/dev/null 2>&1; then
  exit 77
fi
if [ ! -e /usr/local/cuda ]; then
  exec "$@"
fi
unshare -rm true 2>/dev/null || exit 77
# shellcheck disable=SC2016
exec unshare -rm sh -c '
  mount -t tmpfs none "$(readlink -f /usr/local/cuda)" || exit 77
  exec "$@"' sh "$@"
