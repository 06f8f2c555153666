#!/usr/bin/env bash
# Runs a kernel under Nsight Compute and prints the wavefronts of shared memory
# that the hardware counted beside those that the compiler predicted. It fails
# where they differ.
#
#   scripts/profile.sh FILE --args "M=4096 N=4096" [--shared-layout LAYOUT]...
#   scripts/profile.sh --list LIST.json --json RESULTS.json
#
# LIST.json names several: [{"file": "transpose_f32.mlir", "args": "M=64 N=64",
# "layouts": ["none", "swizzle"]}]. With --device sim the simulator counts, and
# no GPU is needed. --help lists all options.
#
# Needs Python 3.10 and, for a GPU, ncu of the CUDA toolkit and the right to read
# its counters. Environment: see scripts/common.sh.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

command -v python3 >/dev/null || die "this needs python3, 3.10 or newer"
TILEWRIGHT_BIN="${TILEWRIGHT_BIN:-$bin}" PYTHONPATH="$root/scripts" exec python3 -m gputools.profile "$@"
