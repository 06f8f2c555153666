#!/usr/bin/env bash
# Installs what building and testing Tilewright needs. Run again, it finds
# everything there and changes nothing.
#
#   scripts/setup.sh [--lint]
#
#   --lint  also what scripts/lint.sh needs
#
# On Debian and Ubuntu it installs missing packages with apt-get, through sudo
# unless it runs as root; where nothing is missing neither is called. It makes
# .venv with the Python packages of python/requirements-dev.txt, and with --lint
# those of requirements-lint.txt, which needs the network once.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

packages=(
  # The compiler, the linker, the build.
  clang-22 lld-22 cmake ninja-build ccache
  # LLVM and MLIR, and lit and FileCheck for the tests.
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  # What LLVM's CMake files ask for.
  libpolly-22-dev libzstd-dev zlib1g-dev libxml2-dev libedit-dev libcurl4-openssl-dev
  # Tests.
  libgtest-dev python3 python3-venv
  # The Python package.
  python3-dev
  # The archive of scripts/package.sh, and downloads.
  xz-utils ca-certificates
)

wants_lint=
for argument in "$@"; do
  case "$argument" in
    --lint) wants_lint=1 && packages+=(clang-format-22 clang-tidy-22 shellcheck git) ;;
    *) die "unknown argument '$argument'" "usage: scripts/setup.sh [--lint]" ;;
  esac
done

# The packages of the list that are not installed, one a line.
missing_packages() {
  local package
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
      echo "$package"
  done
}

# Runs a command as root: directly, or through sudo.
as_root() {
  if [[ $EUID -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

# Ends with what to do where apt knows no LLVM 22.
require_llvm_in_apt() {
  apt-cache show llvm-22-dev >/dev/null 2>&1 && return
  local name
  # shellcheck source=/dev/null
  name="$(. /etc/os-release && echo "${VERSION_CODENAME:-this release}")"
  if [[ "$name" == bookworm ]]; then
    die "apt knows no package llvm-22-dev" \
      "Debian 12 has it among the security updates. Add this line to /etc/apt/sources.list:" \
      "deb http://security.debian.org/debian-security bookworm-security main"
  fi
  die "apt knows no package llvm-22-dev for $name" \
    "Add the packages of https://apt.llvm.org for LLVM 22, then run this again."
}

install_packages() {
  if ! command -v apt-get >/dev/null; then
    step "No apt-get here: please install the equivalents of: ${packages[*]}"
    return
  fi
  local missing
  mapfile -t missing < <(missing_packages)
  if [[ ${#missing[@]} -eq 0 ]]; then
    step "All ${#packages[@]} system packages are installed"
    return
  fi
  step "Installing system packages: ${missing[*]}"
  if [[ $EUID -ne 0 ]] && ! command -v sudo >/dev/null; then
    die "installing packages needs root, and there is no sudo here; as root, run:" \
      "apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
  fi
  as_root apt-get update
  require_llvm_in_apt
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"
}

# Whether .venv has the packages of such a file of python/: it has a copy of it.
has_requirements() { cmp -s "$root/python/$1" "$root/.venv/$1"; }

add_requirements() {
  "$root/.venv/bin/pip" install --quiet --disable-pip-version-check -r "$root/python/$1"
  cp "$root/python/$1" "$root/.venv/$1"
}

make_venv() {
  local venv="$root/.venv"
  if "$venv/bin/python" -c '' 2>/dev/null && has_requirements requirements-dev.txt; then
    step "The Python environment .venv is up to date"
  else
    step "Making the Python environment .venv"
    rm -rf "$venv"
    python3 -m venv "$venv"
    add_requirements requirements-dev.txt
  fi
  if [[ -n "$wants_lint" ]] && ! has_requirements requirements-lint.txt; then
    step "Adding what scripts/lint.sh needs to .venv"
    add_requirements requirements-lint.txt
  fi
}

install_packages
make_venv
