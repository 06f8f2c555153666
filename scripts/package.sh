#!/usr/bin/env bash
# Makes what users get, in dist/:
#
#   tilewright-VERSION-linux-x86_64.tar.xz   one static binary for all tools, with
#       examples, benchmarks, tests for the GPU and documentation
#   tilewright-VERSION-...-x86_64.whl        the Python package
#
# The archive runs on any Linux x86-64 with the glibc of this machine or newer, the
# wheel with 2.28 or newer (scripts/wheel.sh); a GPU needs only its driver.
#
#   scripts/package.sh
#
# It uses both elsewhere, on an example, before it calls them good. Needs what
# scripts/setup.sh installs, and the network for the wheel. Environment:
#   TILEWRIGHT_PACKAGE_BUILD   the build folder (default: build-package)
#   TILEWRIGHT_JOBS            as in scripts/common.sh
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"
export TILEWRIGHT_BUILD="${TILEWRIGHT_PACKAGE_BUILD:-$root/build-package}"
build="$TILEWRIGHT_BUILD"

tools=(tile-opt tile-compile tile-run tile-diff tile-banks tile-lsp-server)
size_limit=$((40 * 1000 * 1000))
version="$(sed -n 's/^project(Tilewright VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)"
name="tilewright-$version-linux-x86_64"
archive="$root/dist/$name.tar.xz"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

build_binary() {
  step "Building the static binary"
  configure package
  cmake --build "$build" -j "$jobs" --target tilewright
}

# Copies the folders and files of the repository that serve a user of the tools.
stage() {
  step "Collecting the files"
  local tree="$work/$name" tool item
  mkdir -p "$tree/bin" "$tree/licenses"
  /usr/lib/llvm-22/bin/llvm-strip -o "$tree/bin/tilewright" "$build/bin/tilewright"
  chmod 755 "$tree/bin/tilewright"
  for tool in "${tools[@]}"; do ln -s tilewright "$tree/bin/$tool"; done
  # Tracked files only: no leftovers of a run.
  git ls-files -z -- examples benchmarks docs test/gpu test/Execution/Inputs README.md LICENSE scripts/common.sh \
    scripts/demo.sh scripts/profile.sh scripts/gpu-check.py scripts/math-ulp.py scripts/scoreboards.py scripts/gputools |
    xargs -0 cp --parents --preserve=mode,timestamps --target-directory="$tree"
  # Parts of these libraries are in the binary.
  for item in llvm-22-dev libmlir-22-dev zlib1g-dev libzstd-dev libstdc++-12-dev; do
    [[ ! -e "/usr/share/doc/$item/copyright" ]] ||
      cp -L "/usr/share/doc/$item/copyright" "$tree/licenses/$item"
  done
}

# The C library is all that a binary may ask of another machine.
check_dependencies() {
  local needed
  needed="$(/usr/lib/llvm-22/bin/llvm-readelf --needed-libs "$1" |
    grep -oE '[^ ]+\.so[^ ]*' | grep -vE '^(libc|libm|libdl|libpthread|ld-linux-x86-64)\.so' || true)"
  [[ -z "$needed" ]] || die "$1 asks for more than the C library:" "$needed"
}

check_size() {
  local size
  size="$(stat -c %s "$1")"
  [[ "$size" -le "$size_limit" ]] || die "$1 has $size bytes, more than $size_limit"
}

compress() {
  step "Compressing"
  mkdir -p "$root/dist"
  tar -C "$work" --owner=0 --group=0 --sort=name -cf - "$name" | xz -9 -T0 >"$archive"
  check_size "$archive"
}

# Unpacks it elsewhere and uses it as a newcomer would, with a bare environment.
check_archive() {
  step "Checking the archive"
  local place="$work/unpacked" tool example
  mkdir "$place"
  tar -C "$place" -xJf "$archive"
  cd "$place/$name"
  for tool in "${tools[@]}"; do
    env -i PATH=/usr/bin:/bin "bin/$tool" --help >/dev/null || die "bin/$tool does not start"
  done
  ! env -i bin/tilewright no-such-tool 2>/dev/null || die "bin/tilewright accepts an unknown tool"
  example="$(find examples -name '*.mlir' | sort | head -n 1)"
  env -i PATH=/usr/bin:/bin bin/tile-compile "$example" -o "$work/example.ptx" --target=sm_90a
  grep -q '^\.target sm_90a' "$work/example.ptx" || die "bin/tile-compile made no PTX of $example"
  cd "$root"
}

git rev-parse --is-inside-work-tree >/dev/null 2>&1 ||
  die "$root is no git checkout, and only tracked files are packaged"
build_binary
stage
check_dependencies "$work/$name/bin/tilewright"
compress
check_archive
# The wheel shares the objects of the binary.
scripts/wheel.sh --all
scripts/test-wheel.sh
step "$archive: $(stat -c %s "$archive") bytes"
