# Installs what building Mirage needs, configures and builds. Sourced by
# quickstart.sh and check.sh; each step says what it does and may run again.

MIRAGE_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
MIRAGE_PRESET=${MIRAGE_PRESET:-dev}
MIRAGE_BUILD="$MIRAGE_ROOT/build/$MIRAGE_PRESET"

# What the build needs, by the name of Debian's package.
MIRAGE_PACKAGES=(
  clang-22 lld-22 llvm-22-dev libmlir-22-dev mlir-22-tools llvm-22-tools
  clang-format-22 cmake ninja-build ccache git
  libz3-dev libsqlite3-dev libgtest-dev libzstd-dev zlib1g-dev
  python3 python3-numpy python3-venv
)

# With the time since the script began, so that a log says what took how long.
say() { printf '== %s (%d:%02d)\n' "$*" $((SECONDS / 60)) $((SECONDS % 60)); }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# The packages of the list that are not installed, a line each.
mirage_missing_packages() {
  local package
  for package in "${MIRAGE_PACKAGES[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null |
      grep -q 'install ok installed' || printf '%s\n' "$package"
  done
}

# Runs a command as root, by sudo where that is needed and there.
mirage_as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "installing packages needs root or sudo. As root, run: apt-get install -y $(mirage_missing_packages | tr '\n' ' ')"
  fi
}

mirage_install() {
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system: using the MLIR 22 that MLIR_DIR points at"
    [ -n "${MLIR_DIR:-}" ] || fail "MLIR 22 is not known here. Set MLIR_DIR to the folder of MLIR 22's MLIRConfig.cmake."
    return
  fi
  local missing log
  missing=$(mirage_missing_packages | tr '\n' ' ')
  if [ -z "$missing" ]; then
    say "all packages are installed"
    return
  fi
  say "installing $missing"
  log=$(mktemp)
  mirage_as_root apt-get update >"$log" 2>&1 ||
    { tail -n 5 "$log" >&2; fail "apt-get update failed. Check the network and /etc/apt/sources.list*."; }
  # shellcheck disable=SC2086
  mirage_as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends $missing >"$log" 2>&1 ||
    { tail -n 5 "$log" >&2; fail "apt-get install failed. LLVM 22 is in Debian 12's security archive (bookworm-security main); add it to /etc/apt/sources.list if it is not there."; }
  rm -f "$log"
}

mirage_configure() {
  say "configuring build/$MIRAGE_PRESET"
  local log=$MIRAGE_ROOT/build/$MIRAGE_PRESET-configure.log
  mkdir -p "$MIRAGE_ROOT/build"
  (cd "$MIRAGE_ROOT" && cmake --preset "$MIRAGE_PRESET" >"$log" 2>&1) ||
    { grep -A 4 'CMake Error' "$log" | head -n 20 >&2; fail "configuring failed; the whole output is in $log"; }
}

# mirage_build TARGET...
mirage_build() {
  say "building $* (the first time takes some minutes)"
  local log=$MIRAGE_ROOT/build/$MIRAGE_PRESET-build.log
  ninja -C "$MIRAGE_BUILD" "$@" >"$log" 2>&1 ||
    { grep -E 'error:|FAILED:' "$log" | head -n 20 >&2; fail "the build failed; the whole output is in $log"; }
}
