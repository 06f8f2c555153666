# shellcheck shell=bash
# What the scripts share; source it, do not run it.
#
# It sets:
#   root  the repository, or the unpacked archive
#   bin   where the tools are
# and defines step, die, is_package.
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

# One line that says what happens next.
step() { printf '\n==> %s\n' "$*"; }

# An error message and the end. Further arguments are further lines.
die() {
  printf '%s: error: %s\n' "$(basename "$0")" "$1" >&2
  shift
  for line in "$@"; do printf '  %s\n' "$line" >&2; done
  exit 1
}
