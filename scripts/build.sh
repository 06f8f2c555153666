#!/usr/bin/env bash
# Configures and builds Tilewright into build/ (for development).
#
#   scripts/build.sh [TARGET...]
#
# Files of a library are compiled together, eight at a time. Who edits one over and
# over has each compiled by itself, in this folder from then on:
#
#   cmake -B build -DTILEWRIGHT_BATCHES=OFF
#
# Needs what scripts/setup.sh installs. A folder whose configuration failed, or
# whose compiler is gone, is configured afresh. Environment: see scripts/common.sh.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cd "$root"
configure dev
step "Building with $jobs jobs"
cmake --build "$build" -j "$jobs" ${1+--target "$@"}
