#!/usr/bin/env bash
# Makes the wheel of the Python package in dist/, of what the build folder has:
# scripts/build.sh comes first.
#
#   scripts/wheel.sh [--all] [--out FOLDER]
#
#   --all   for every Python that it can be for, or not at all: fetches headers
#           that are not here from Debian's archive
#   --out   where the wheel goes, in place of dist/
#
# One wheel is for Python 3.10, 3.11, 3.12 and newer, and 3.14 without a GIL. For
# each of these four, headers are needed: those of a Python on the PATH, or of
# pyenv. Where there are none, the wheel is not for that Python, and says so in
# its name. Two runs on the same sources make the same bytes.
#
# Environment: see scripts/common.sh.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

size_limit=$((25 * 1000 * 1000))
llvm=/usr/lib/llvm-22/bin
headers="$build/python-headers"
out="$root/dist"
wants_all=
while [[ $# -gt 0 ]]; do
  case "$1" in
    --all) wants_all=1 ;;
    --out) out="$2" && shift ;;
    *) die "unknown argument '$1'" "usage: scripts/wheel.sh [--all] [--out FOLDER]" ;;
  esac
  shift
done

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# Where headers_here NAME... finds those of the first Python that has them.
headers_here() {
  local name candidate
  for name in "$@"; do
    for candidate in "$name" "$HOME"/.pyenv/versions/"${name#python}".*/bin/python3; do
      "$candidate" - "${name#python}" <<'END' 2>/dev/null && return
import os, sys, sysconfig
free = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
assert "%d.%d" % sys.version_info[:2] + free == sys.argv[1]
folders = {sysconfig.get_path("include"), sysconfig.get_path("platinclude")}
assert any(os.path.exists(os.path.join(folder, "Python.h")) for folder in folders)
print(",".join(sorted(folders)))
END
    done
    unpacked_headers "$name" && return
  done
  return 1
}

# Those of a package of Debian's that was fetched before.
unpacked_headers() {
  local place="$headers/$1/usr/include"
  [[ -f "$place/$1/Python.h" ]] && echo "$place/$1,$place"
}

# fetch_headers python3.X: Debian's, of any release that has them. Its lists of
# packages are kept apart from those of this machine.
fetch_headers() {
  local lists="$headers/apt" mirror keys=/usr/share/keyrings/debian-archive-keyring.gpg
  command -v apt-get >/dev/null && [[ -f "$keys" ]] || return 1
  # shellcheck disable=SC2016
  mirror="$(apt-get indextargets --format '$(REPO_URI)' | grep -m 1 '/debian/*$')" || return 1
  if [[ ! -d "$lists/lists" ]]; then
    step "Looking for the headers of $1 in Debian's archive"
    mkdir -p "$lists/lists/partial" "$lists/cache/archives/partial"
    printf "deb [signed-by=$keys] $mirror %s main\n" stable testing sid >"$lists/sources.list"
    printf '%s\n' "Dir::Etc::SourceList \"$lists/sources.list\";" 'Dir::Etc::SourceParts "/dev/null";' \
      "Dir::State::Lists \"$lists/lists\";" "Dir::Cache \"$lists/cache\";" 'APT::Sandbox::User "root";' \
      >"$lists/apt.conf"
    APT_CONFIG="$lists/apt.conf" apt-get update -qq || return 1
  fi
  mkdir -p "$headers/$1"
  (cd "$headers/$1" && APT_CONFIG="$lists/apt.conf" apt-get download -qq "lib$1-dev" &&
    dpkg -x "lib$1-dev"_*.deb . && rm -f ./*.deb)
}

# add_python TAG NAME...: the wheel is for the Pythons of this tag, by the headers
# of one of these.
add_python() {
  local tag="$1" folders
  shift
  if ! folders="$(headers_here "$@")" && [[ -n "$wants_all" ]]; then
    fetch_headers "${!#}" >&2 || true
    folders="$(headers_here "$@")" ||
      die "there are no headers of ${*/#python/Python } here, and none in Debian's archive" \
        "Install that Python with its headers, such as by pyenv, or leave out --all."
  fi
  if [[ -z "$folders" ]]; then
    step "No headers of ${1/#python/Python }: the wheel is not for $tag"
    return
  fi
  tags+=("$tag")
  # The one at hand is built already.
  [[ "$tag" == "$own_tag" ]] || pythons+=("$tag=$folders")
}

choose_pythons() {
  own_tag="$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2] if sys.version_info < (3, 12) else "abi3")')"
  add_python cp310 python3.10
  add_python cp311 python3.11
  add_python abi3 python3.12 python3.13 python3.14
  # The headers are the same with and without a GIL.
  add_python cp314t python3.14t python3.14
}

# The names of the wheel's Pythons, of their ABIs and of the platform, as pip reads them.
write_tags() {
  local abis="${tags[*]}" names
  names="${abis/abi3/cp312}"
  names="${names/cp314t/cp314}"
  echo "${names// /.}-${abis// /.}-manylinux_${glibc/./_}_x86_64"
}

build_modules() {
  local list
  step "Building the modules for ${tags[*]}"
  list="$(IFS=';' && echo "${pythons[*]}")"
  cmake -B "$build" -DTILEWRIGHT_WHEEL_PYTHONS="$list" >"$work/cmake.log" ||
    { cat "$work/cmake.log" && die "$build could not be configured"; }
  cmake --build "$build" -j "$jobs" --target _core TilewrightPythonTypes TilewrightWheelModules
}

# The package as it is installed.
stage() {
  local component
  for component in python module wheel; do
    cmake --install "$build" --component "$component" --prefix "$work/tree" >/dev/null
  done
  "$llvm/llvm-strip" "$work"/tree/tilewright/*.so
  (cd "$work/tree/tilewright" &&
    sha256sum libTilewrightCompiler.so >libTilewrightCompiler.so.sha256)
  # Tracked files only: no leftovers of a run.
  (cd python && git ls-files -z -- tilewright | xargs -0 cp --parents --target-directory="$work/tree")
}

check_wheel() {
  local size
  size="$(stat -c %s "$wheel")"
  [[ "$size" -le "$size_limit" ]] || die "$wheel has $size bytes, more than $size_limit"
  "$python" scripts/check-portable.py --glibc "$glibc" "$work"/tree/tilewright/*.so ||
    die "$wheel would not run with glibc $glibc"
}

out="$(mkdir -p "$out" && cd "$out" && pwd)"
[[ -f "$build/CMakeCache.txt" ]] || die "there is no build in $build" "scripts/build.sh makes one"
git rev-parse --is-inside-work-tree >/dev/null 2>&1 ||
  die "$root is no git checkout, and only tracked files are packaged"
python="$(sed -n 's/^Python_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt" | head -n 1)"
glibc="$(sed -n 's/^TILEWRIGHT_GLIBC:[A-Z]*=//p' "$build/CMakeCache.txt")"
[[ -x "$python" && -n "$glibc" ]] || die "$build has no Python package in it"
tags=() pythons=()
choose_pythons
build_modules
stage
wheel="$(python3 scripts/pack-wheel.py --tag "$(write_tags)" --out "$out" "$work/tree")"
check_wheel
find "$out" -maxdepth 1 -name 'tilewright-*.whl' ! -path "$wheel" -delete
step "$wheel: $(stat -c %s "$wheel") bytes, sha256 $(sha256sum "$wheel" | cut -d ' ' -f 1)"
