#!/usr/bin/env bash
# Compiles every example to PTX, with the compiler's report, and runs it: on the
# GPU, checked against its reference and timed.
#
#   scripts/demo.sh [EXAMPLE.mlir...]       default: examples/*.mlir
#
# In the repository it sets up and builds first; in the unpacked archive the
# tools are there. The arguments of a run are those after `--args` in the
# example's own comment. Environment: see scripts/common.sh, and
#   TILEWRIGHT_TARGET  the GPU to compile for where this machine has none
#                      (default: sm_90a)
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Whether this machine has an NVIDIA GPU: its device file, or WSL's.
have_gpu() { compgen -G '/dev/nvidia[0-9]*' >/dev/null || [[ -e /dev/dxg ]]; }

# The one place that decides what a demo without a GPU does.
run_example() {
  local example="$1" ptx="$2" arguments
  arguments="$(sed -n 's|^//.*tile-run.*--args "\([^"]*\)".*|\1|p;T;q' "$example")"
  if have_gpu; then
    step "Running $(basename "$example") on the GPU${arguments:+ with $arguments}"
    "$bin/tile-run" "$example" ${arguments:+--args "$arguments"} --check --time
  else
    # The simulator is exact, not quick: small sizes.
    arguments="$(sed -E 's/=[0-9]{4,}/=200/g' <<<"$arguments")"
    step "There is no GPU on this machine: $(basename "$example") runs in the simulator${arguments:+ with $arguments}"
    "$bin/tile-run" "$example" --device=sim ${arguments:+--args "$arguments"} --check
    step "Its PTX begins:"
    head -n 20 "$ptx"
  fi
}

if ! is_package; then
  "$root/scripts/setup.sh"
  "$root/scripts/build.sh"
fi

examples=("$@")
if [[ ${#examples[@]} -eq 0 ]]; then
  shopt -s nullglob
  examples=("$root"/examples/*.mlir)
fi
[[ ${#examples[@]} -gt 0 ]] || die "there is no example in $root/examples"

# With a GPU the tools choose its own target.
target=()
have_gpu || target=("--target=${TILEWRIGHT_TARGET:-sm_90a}")

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
for example in "${examples[@]}"; do
  step "Compiling $(basename "$example")"
  ptx="$work/$(basename "$example" .mlir).ptx"
  "$bin/tile-compile" "$example" -o "$ptx" --emit=ptx "${target[@]}" --report
  run_example "$example" "$ptx"
done
step "${#examples[@]} examples done"
