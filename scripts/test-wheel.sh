#!/usr/bin/env bash
# Tries the wheel in dist/ as a new user would: in empty environments of the
# Pythons that are here, where it runs the kernel of README.md; and checks that a
# wheel made again has the same bytes.
#
#   scripts/test-wheel.sh [--quick] [--rebuild] [--root FOLDER] [WHEEL]
#
#   --quick    with the oldest and the newest Python that are here
#   --rebuild  compiles all of it anew, twice, in two places, to compare
#   --root     in another system too, with an older C library: scripts/old-system.sh
#              makes one
#
# Environment: see scripts/common.sh.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

known=(3.10 3.11 3.12 3.13 3.14 3.14t)
is_quick='' rebuilds='' system='' wheel=''
while [[ $# -gt 0 ]]; do
  case "$1" in
    --quick) is_quick=1 ;;
    --rebuild) rebuilds=1 ;;
    --root) system="$2" && shift ;;
    -*) die "unknown argument '$1'" "usage: scripts/test-wheel.sh [--quick] [--rebuild] [--root FOLDER] [WHEEL]" ;;
    *) wheel="$1" ;;
  esac
  shift
done
wheel="${wheel:-$(echo "$root"/dist/tilewright-*.whl)}"
[[ -f "$wheel" ]] || die "there is no wheel $wheel" "scripts/wheel.sh makes one"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# The Python of this version, where it is here.
find_python() {
  local candidate
  for candidate in "python$1" "$HOME/.pyenv/versions/$1".*/bin/python3; do
    "$candidate" -m venv --help >/dev/null 2>&1 && "$candidate" -c '' && command -v "$candidate" && return
  done
  return 1
}

# Whether the wheel says that it is for this version.
is_for() {
  case "$1" in
    3.10 | 3.11) [[ "$wheel" == *"cp${1/./}."* ]] ;;
    *t) [[ "$wheel" == *"cp${1/./}"[.-]* ]] ;;
    *) [[ "$wheel" == *abi3* ]] ;;
  esac
}

# As bare as an environment gets. The kernels that it keeps go with it.
try_python() {
  local version="$1" python="$2" place="$work/python$1"
  "$python" -m venv "$place"
  "$place/bin/pip" install --quiet --disable-pip-version-check "$wheel" ||
    die "pip for Python $version does not take $wheel"
  env -i PATH=/usr/bin:/bin HOME="$work" "$place/bin/python" "$root/scripts/try-readme.py" "$root/README.md" ||
    die "the wheel does not work with Python $version"
  env -i PATH=/usr/bin:/bin HOME="$work" "$place/bin/tilewright" --help >/dev/null ||
    die "the command tilewright does not work with Python $version"
}

try_pythons() {
  local version python found=()
  for version in "${known[@]}"; do
    if ! is_for "$version"; then
      echo "the wheel is not for Python $version"
    elif python="$(find_python "$version")"; then
      found+=("$version $python")
    else
      echo "there is no Python $version here"
    fi
  done
  [[ ${#found[@]} -gt 0 ]] || die "there is no Python here that $wheel is for"
  [[ -z "$is_quick" || ${#found[@]} -le 2 ]] || found=("${found[0]}" "${found[-1]}")
  for version in "${found[@]}"; do
    # shellcheck disable=SC2086
    try_python $version
  done
}

# Another system, by chroot: with the Pythons in its /usr/local/bin, and NumPy from
# here.
try_system() {
  local python version name
  for python in "$system"/usr/local/bin/python3.*[0-9t]; do
    version="${python##*python}"
    is_for "$version" || continue
    name="tmp/wheel-$version"
    rm -rf "${system:?}/$name"
    mkdir -p "$system/$name/wheels"
    cp "$wheel" README.md scripts/try-readme.py "$system/$name"
    "$build_python" -m pip download --quiet --disable-pip-version-check --only-binary=:all: \
      --python-version "${version%t}" --implementation cp --abi "cp${version/./}" --no-deps \
      --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux2014_x86_64 \
      --dest "$system/$name/wheels" numpy
    chroot "$system" env -i PATH=/usr/bin:/bin HOME="/$name" bash -ec "cd /$name
      ldd --version | head -n 1
      /usr/local/bin/python$version -m venv venv
      venv/bin/pip install --quiet --disable-pip-version-check --no-index --find-links wheels ./*.whl
      venv/bin/python try-readme.py README.md" || die "the wheel does not work in $system"
  done
}

# The same bytes, from the same objects or from nothing.
try_again() {
  local folder first second
  if [[ -z "$rebuilds" ]]; then
    scripts/wheel.sh --out "$work/again" >"$work/log" || { cat "$work/log" && exit 1; }
    cmp "$work"/again/*.whl "$wheel" || die "a wheel made again has other bytes"
    return
  fi
  for folder in first second/longer; do
    mkdir -p "$work/$folder"
    git clone --quiet "$root" "$work/$folder/source"
    (cd "$work/$folder/source" && ln -s "$root/.venv" .venv && export CCACHE_DISABLE=1 TILEWRIGHT_BUILD= &&
      scripts/build.sh _core && scripts/wheel.sh --out "$work/$folder/dist") >"$work/log" ||
      { tail "$work/log" && exit 1; }
  done
  first="$(echo "$work"/first/dist/*.whl)" second="$(echo "$work"/second/longer/dist/*.whl)"
  cmp "$first" "$second" || die "two builds make wheels of other bytes"
}

build_python="$root/.venv/bin/python"
step "Trying $wheel"
try_pythons
[[ -z "$system" ]] || try_system
step "Making it again${rebuilds:+, twice from nothing}"
try_again
step "The wheel works, and its bytes are the same again"
