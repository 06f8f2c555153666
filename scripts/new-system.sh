#!/usr/bin/env bash
# Makes a system with the newest C library and Python, to try the wheel in:
#
#   scripts/new-system.sh FOLDER
#   scripts/test-wheel.sh --root FOLDER
#
# It is Debian's unstable release, with the newest Python that it has (3.14 in
# November 2026, with glibc 2.43). Needs root, debootstrap, and three minutes.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[[ $# -eq 1 && ! -e "$1" ]] || die "usage: scripts/new-system.sh FOLDER, which is not there yet"
[[ $EUID -eq 0 ]] || die "only root can make another system"
command -v debootstrap >/dev/null || die "there is no debootstrap here" "apt-get install debootstrap"
system="$(realpath "$1")"
# shellcheck disable=SC2016
mirror="$(apt-get indextargets --format '$(REPO_URI)' | grep -m 1 '/debian/*$')"

step "Unpacking Debian's unstable release"
debootstrap --variant=minbase --include=python3-venv sid "$system" "$mirror" >"$system.log" ||
  die "debootstrap failed; see $system.log"
# Where test-wheel.sh looks for Pythons.
found=''
for python in "$system"/usr/bin/python3.*[0-9]; do
  ln -s "/usr/bin/$(basename "$python")" "$system/usr/local/bin/" && found="$(basename "$python")"
done
[[ -n "$found" ]] || die "there is no Python in $system"
step "$found is in $system"
