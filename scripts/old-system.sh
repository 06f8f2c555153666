#!/usr/bin/env bash
# Makes a system with an older C library, to try the wheel in:
#
#   scripts/old-system.sh FOLDER
#   scripts/test-wheel.sh --root FOLDER
#
# It is Debian 11 with glibc 2.31, the oldest that Debian's archive still has;
# that the wheel asks for nothing newer than 2.28 scripts/check-portable.py says.
# Its Pythons are those of Debian 12 and 13, compiled there, with a GIL and
# without. Needs root, debootstrap, and half an hour.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[[ $# -eq 1 && ! -e "$1" ]] || die "usage: scripts/old-system.sh FOLDER, which is not there yet"
[[ $EUID -eq 0 ]] || die "only root can make another system"
command -v debootstrap >/dev/null || die "there is no debootstrap here" "apt-get install debootstrap"
system="$(realpath "$1")"
# shellcheck disable=SC2016
mirror="$(apt-get indextargets --format '$(REPO_URI)' | grep -m 1 '/debian/*$')"

# compile_python VERSION RELEASE NAME [OPTION...]: from Debian's source, which apt
# checks. NAME is how the program is called.
compile_python() {
  local version="$1" release="$2" name="$3" place="$system/usr/src/$3" apt="$system/usr/src/apt-$2"
  mkdir -p "$place" "$apt/lists/partial" "$apt/cache/archives/partial"
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $release main" >"$apt/sources.list"
  printf '%s\n' "Dir::Etc::SourceList \"$apt/sources.list\";" 'Dir::Etc::SourceParts "/dev/null";' \
    "Dir::State::Lists \"$apt/lists\";" "Dir::Cache \"$apt/cache\";" 'APT::Sandbox::User "root";' >"$apt/apt.conf"
  APT_CONFIG="$apt/apt.conf" apt-get update -qq
  (cd "$place" && APT_CONFIG="$apt/apt.conf" apt-get source -qq --download-only "python$version" &&
    tar --strip-components=1 -xf "python$version"_*.orig.tar.?z)
  chroot "$system" bash -ec "cd /usr/src/$name && ./configure --quiet ${*:4} &&
    make --quiet -j$jobs && make --quiet altinstall" >"$place.log" 2>&1 || die "$name cannot be compiled; see $place.log"
  [[ -x "$system/usr/local/bin/$name" ]] || die "there is no $name in $system"
}

step "Unpacking Debian 11"
debootstrap --variant=minbase --include=gcc,make,libc6-dev,zlib1g-dev,libffi-dev \
  bullseye "$system" "$mirror" >"$system.log"
step "Compiling Pythons"
compile_python 3.11 bookworm python3.11
# The latter takes the name python3.13 from the former.
compile_python 3.13 trixie python3.13t --disable-gil
compile_python 3.13 trixie python3.13
