#!/usr/bin/env bash
# Makes what users get, in dist/:
#
#   tilewright-VERSION-linux-x86_64.tar.xz   one static binary for all tools, with
#       examples, benchmarks, tests for the GPU and documentation
#   tilewright-VERSION-...-x86_64.whl        the Python package
#
# Both run on any Linux x86-64 with the glibc of this machine or newer; a GPU
# needs only its driver. The wheel is for Python 3.12 and all later ones where
# one of these is found to build it with, and else for the Python there is.
#
#   scripts/package.sh
#
# It uses both elsewhere, on an example, before it calls them good. Needs what
# scripts/setup.sh installs, and the network for the wheel. Environment:
#   TILEWRIGHT_PACKAGE_BUILD   the build folder (default: build-package)
#   TILEWRIGHT_PACKAGE_PYTHON  the Python to make the wheel with
#   TILEWRIGHT_JOBS            as in scripts/common.sh
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

tools=(tile-opt tile-compile tile-run tile-diff tile-banks tile-lsp-server)
size_limit=$((40 * 1000 * 1000))
build="${TILEWRIGHT_PACKAGE_BUILD:-$root/build-package}"
version="$(sed -n 's/^project(Tilewright VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)"
name="tilewright-$version-linux-x86_64"
archive="$root/dist/$name.tar.xz"
venv="$build/venv"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# A Python of 3.12 or newer with its headers, for a wheel that serves all of
# them; where there is none, the system's.
find_python() {
  local candidate
  for candidate in ${TILEWRIGHT_PACKAGE_PYTHON:+"$TILEWRIGHT_PACKAGE_PYTHON"} \
    python3.12 python3.13 python3.14 python3 "$HOME"/.pyenv/versions/3.1[2-9]*/bin/python3; do
    if "$candidate" - <<'END' >/dev/null 2>&1; then
import os, sys, sysconfig
assert sys.version_info >= (3, 12)
assert os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
END
      command -v "$candidate"
      return
    fi
  done
  command -v python3
}

# The environment that the wheel is built in. It stays with the build, which
# remembers where nanobind is.
make_build_venv() {
  step "Making the Python environment of the build, with $python"
  [[ -x "$venv/bin/python" ]] || "$python" -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check build wheel \
    scikit-build-core "$(grep '^nanobind==' python/requirements-dev.txt)"
}

build_binary() {
  step "Building the static binary"
  configure package -DPython_EXECUTABLE="$venv/bin/python"
  cmake --build "$build" -j "$jobs" --target tilewright
}

# The wheel shares the objects of the binary.
build_wheel() {
  step "Building the wheel"
  "$venv/bin/python" -m build --wheel --no-isolation --outdir "$work/wheel" \
    --config-setting=build-dir="$build" \
    --config-setting=cmake.define.TILEWRIGHT_BUILD_TOOLS=ON .
  mkdir "$work/wheel/unpacked"
  "$venv/bin/python" -m zipfile -e "$work"/wheel/*.whl "$work/wheel/unpacked"
  local modules module glibc
  modules=("$work"/wheel/unpacked/tilewright/*.so)
  for module in "${modules[@]}"; do check_dependencies "$module"; done
  # The newest version of a symbol that they ask for is the oldest glibc they run on.
  glibc="$(/usr/lib/llvm-22/bin/llvm-readelf --version-info "${modules[@]}" |
    grep -oE 'GLIBC_2\.[0-9]+' | sort -V | tail -n 1 | tr . _)"
  "$venv/bin/wheel" tags --remove --platform-tag "manylinux_${glibc#GLIBC_}_x86_64" \
    "$work"/wheel/*.whl
  rm -f "$root"/dist/tilewright-*.whl
  mkdir -p "$root/dist"
  cp "$work"/wheel/*.whl "$root/dist/"
  wheel="$(echo "$root"/dist/tilewright-*.whl)"
  check_size "$wheel"
}

# Installs it elsewhere and runs an example in the simulator.
check_wheel() {
  step "Checking the wheel"
  "$python" -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check numpy "$wheel"
  cp examples/transpose_f32.mlir "$work/"
  cd "$work"
  env -i PATH=/usr/bin:/bin "$work/venv/bin/python" - <<'END' || die "the wheel does not work"
import numpy, tilewright
kernel = tilewright.compile_file("transpose_f32.mlir", target="sm_90a")
a = numpy.random.rand(70, 131).astype(numpy.float32)
b = numpy.zeros((131, 70), numpy.float32)
kernel(a, b)
assert numpy.array_equal(b, a.T)
END
  cd "$root"
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
    scripts/demo.sh scripts/profile.sh scripts/gpu-check.py scripts/math-ulp.py scripts/gputools |
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
python="$(find_python)"
make_build_venv
build_binary
stage
check_dependencies "$work/$name/bin/tilewright"
compress
check_archive
build_wheel
check_wheel
step "$archive: $(stat -c %s "$archive") bytes"
step "$wheel: $(stat -c %s "$wheel") bytes"
