#!/usr/bin/env bash
# Makes dist/tilewright-VERSION-linux-x86_64.tar.xz: one static binary for all
# tools, with examples, benchmarks, tests for the GPU and documentation. It runs
# on any Linux x86-64 with glibc 2.36 or newer; a GPU needs only its driver.
#
#   scripts/package.sh
#
# It unpacks the archive again and compiles an example with it before it calls
# the archive good. Needs what scripts/setup.sh installs. Environment:
#   TILEWRIGHT_PACKAGE_BUILD  the build folder (default: build-package)
#   TILEWRIGHT_JOBS           as in scripts/common.sh
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

tools=(tile-opt tile-compile tile-run tile-diff tile-lsp-server)
size_limit=$((40 * 1000 * 1000))
build="${TILEWRIGHT_PACKAGE_BUILD:-$root/build-package}"
version="$(sed -n 's/^project(Tilewright VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)"
name="tilewright-$version-linux-x86_64"
archive="$root/dist/$name.tar.xz"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

build_binary() {
  step "Building the static binary"
  cmake --preset package -B "$build"
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
  git ls-files -z -- examples benchmarks docs test/gpu README.md LICENSE scripts/common.sh \
    scripts/demo.sh scripts/profile.sh scripts/gpu-check.py scripts/gputools |
    xargs -0 cp --parents --preserve=mode,timestamps --target-directory="$tree"
  # Parts of these libraries are in the binary.
  for item in llvm-22-dev libmlir-22-dev zlib1g-dev libzstd-dev libstdc++-12-dev; do
    [[ ! -e "/usr/share/doc/$item/copyright" ]] ||
      cp -L "/usr/share/doc/$item/copyright" "$tree/licenses/$item"
  done
}

# The C library is all that the binary may ask of another machine.
check_dependencies() {
  local needed
  needed="$(/usr/lib/llvm-22/bin/llvm-readelf --needed-libs "$work/$name/bin/tilewright" |
    grep -oE '[^ ]+\.so[^ ]*' | grep -vE '^(libc|libm|libdl|libpthread|ld-linux-x86-64)\.so' || true)"
  [[ -z "$needed" ]] || die "the binary asks for more than the C library:" "$needed"
}

compress() {
  step "Compressing"
  mkdir -p "$root/dist"
  tar -C "$work" --owner=0 --group=0 --sort=name -cf - "$name" | xz -9 -T0 >"$archive"
  local size
  size="$(stat -c %s "$archive")"
  [[ "$size" -le "$size_limit" ]] || die "$archive has $size bytes, more than $size_limit"
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
check_dependencies
compress
check_archive
step "$archive: $(stat -c %s "$archive") bytes"
