# shellcheck shell=bash
# What the scripts share; source it, do not run it.
#
# It sets:
#   root  the repository, or the unpacked archive
#   bin   where the tools are
# and defines step, die, is_package, configure.
#
# Environment:
#   TILEWRIGHT_BUILD  the build folder (default: build)
#   TILEWRIGHT_JOBS   how many compilers or tests run at a time (default: one a core)

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build="${TILEWRIGHT_BUILD:-$root/build}"
jobs="${TILEWRIGHT_JOBS:-$(nproc)}"

# Whether this is the unpacked archive of scripts/package.sh, which has the
# tools ready and no sources.
is_package() { [[ -x "$root/bin/tilewright" ]]; }

if is_package; then bin="$root/bin"; else bin="$build/bin"; fi
# Set here for the scripts that source this file.
export root build jobs bin

# Compilers, ours and Clang, ask for much memory in small pieces: in large pages they take a
# twelfth less time.
export GLIBC_TUNABLES="${GLIBC_TUNABLES:-glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864}"

# One line that says what happens next.
step() { printf '\n==> %s\n' "$*"; }

# An error message and the end. Further arguments are further lines.
die() {
  printf '%s: error: %s\n' "$(basename "$0")" "$1" >&2
  shift
  for line in "$@"; do printf '  %s\n' "$line" >&2; done
  exit 1
}

# What stands in the way of configuring the build folder once more; nothing
# where nothing does.
stale_configuration() {
  local cache="$build/CMakeCache.txt" generator compiler
  [[ -f "$cache" ]] || return 0
  generator="$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$cache")"
  if [[ "$generator" != Ninja ]]; then
    echo "it was configured for ${generator:-nothing}, not for Ninja"
  elif [[ ! -f "$build/build.ninja" ]]; then
    echo "configuring it did not succeed"
  else
    while read -r compiler; do
      command -v "$compiler" >/dev/null || echo "its compiler $compiler is gone"
    done < <(sed -nE 's/^CMAKE_(C|CXX)_COMPILER:[A-Z]+=//p' "$cache")
  fi
}

# configure PRESET [CMAKE-ARGUMENT...]: configures the build folder. What a
# configuration that failed has found out is forgotten: the reason may be gone.
configure() {
  local why
  command -v cmake >/dev/null || die "there is no cmake here" "scripts/setup.sh installs what a build needs"
  why="$(stale_configuration | head -n 1)"
  if [[ -n "$why" ]]; then
    step "Starting $build afresh: $why"
    rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
  fi
  step "Configuring $build"
  cmake --preset "$1" -B "$build" "${@:2}" ||
    die "$build could not be configured; CMake says why above" \
      "scripts/setup.sh installs what a build needs; then run this again"
}
