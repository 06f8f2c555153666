#!/usr/bin/env bash
# Sets up, builds and runs all tests. Its last line says how many of CTest's
# tests passed and failed; the exit status is 0 when all passed.
#
#   scripts/test.sh [CTEST-ARGUMENT...]     such as: scripts/test.sh -R unit
#
# Environment: see scripts/common.sh.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/scripts/setup.sh"
"$root/scripts/build.sh"

step "Testing"
log="$build/test.log"
status=0
ctest --test-dir "$build" --output-on-failure --no-tests=error -j "$jobs" "$@" |
  tee "$log" || status=$?

# CTest's summary: "N% tests passed, F tests failed out of T".
if summary="$(grep -oE '[0-9]+ tests? failed out of [0-9]+' "$log")"; then
  read -r failed _ _ _ _ total <<<"$summary"
  printf '\n%d passed, %d failed\n' "$((total - failed))" "$failed"
fi
exit "$status"
