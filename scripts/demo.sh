#!/usr/bin/env bash
# Compiles kernels, says in a few lines what the compiler made of them, and runs
# them: on the GPU, checked against their references and timed.
#
#   scripts/demo.sh                     three kernels in Python (scripts/demo.py),
#                                       in the archive one text of each kind
#   scripts/demo.sh --all               all examples, with whole reports
#   scripts/demo.sh EXAMPLE.mlir...     these, with whole reports
#
# In the repository it sets up and builds first; in the unpacked archive the
# tools are there. The arguments of a run are those after `--args` in the
# example's own comment. Environment: see scripts/common.sh, and
#   TILEWRIGHT_TARGET  the GPU to compile for where this machine has none
#                      (default: sm_90a)
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# One of each kind: element by element, moving, reducing, multiplying.
kinds=(scale_f32 transpose_f32 softmax_f16 gemm_f16_nn)

# Whether this machine has an NVIDIA GPU: its device file, or WSL's.
have_gpu() { compgen -G '/dev/nvidia[0-9]*' >/dev/null || [[ -e /dev/dxg ]]; }

# The arguments of a run. The simulator is exact, not quick: small sizes.
arguments_of() {
  local arguments
  arguments="$(sed -n 's|^//.*tile-run.*--args "\([^"]*\)".*|\1|p;T;q' "$1")"
  have_gpu || arguments="$(sed -E 's/=[0-9]{3,}/=200/g' <<<"$arguments")"
  printf '%s' "$arguments"
}

run_example() {
  local arguments where=(--time)
  arguments="$(arguments_of "$1")"
  have_gpu || where=(--device=sim)
  "$bin/tile-run" "$1" "${where[@]}" ${arguments:+--args "$arguments"} --check
}

# Of the report's summary, the lines of these names.
summary_of() {
  sed -n '/^summary$/,/^$/p' "$1" |
    grep -E '^  (time bound|shared memory|global memory|narrow accesses|registers|products) '
}

# A kernel in a few lines. This and show_wholly return the first failure
# themselves: errexit is off where a status is asked for.
show_briefly() {
  local name
  name="$(basename "$1" .mlir)"
  step "$name: $(sed -n '1s|^// *||p' "$1")"
  "$bin/tile-compile" "$1" -o "$work/$name.ptx" --emit=ptx "${target[@]}" --report >"$work/$name.txt" ||
    return
  summary_of "$work/$name.txt"
  run_example "$1" >"$work/run.txt" || {
    cat "$work/run.txt"
    return 1
  }
  grep -E '^(check|time|rate) ' "$work/run.txt" |
    while read -r name text; do printf '  %-15s  %s\n' "$name" "$text"; done
}

# All that there is to say of it.
show_wholly() {
  local name
  name="$(basename "$1" .mlir)"
  step "Compiling $name"
  "$bin/tile-compile" "$1" -o "$work/$name.ptx" --emit=ptx "${target[@]}" --report || return
  step "Running $name"
  run_example "$1" || return
  have_gpu || { step "Its PTX begins:" && head -n 20 "$work/$name.ptx"; }
}

# Setting up and building say much the first time, and little that matters.
make_ready() {
  local log="$work/build.log"
  is_package && return
  step "Setting up and building: this takes minutes the first time"
  { "$root/scripts/setup.sh" && "$root/scripts/build.sh"; } >"$log" 2>&1 || {
    tail -n 40 "$log" >&2
    die "the build failed; scripts/setup.sh and scripts/build.sh say more"
  }
}

show=show_wholly
case "${1-}" in
  --all) examples=("$root"/examples/*.mlir) ;;
  -*) die "unknown option '$1'" "usage: scripts/demo.sh [--all | EXAMPLE.mlir...]" ;;
  '')
    show=show_briefly
    examples=()
    for kind in "${kinds[@]}"; do examples+=("$root/examples/$kind.mlir"); done
    ;;
  *) examples=("$@") ;;
esac
for example in "${examples[@]}"; do
  [[ -f "$example" ]] || die "there is no example $example"
done

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
make_ready

# The archive has the tools, and no Python.
if [[ "$show" == show_briefly ]] && ! is_package; then
  step "Three kernels in Python, what was decided for each, and a bank map"
  PYTHONPATH="$build/python" "$root/.venv/bin/python" "$root/scripts/demo.py" --bin "$bin"
  step "All of them: examples/python. Kernels as text, with whole reports: scripts/demo.sh --all"
  exit
fi

# With a GPU the tools choose its own target.
target=()
if have_gpu; then
  step "On the GPU of this machine:"
else
  target=("--target=${TILEWRIGHT_TARGET:-sm_90a}")
  step "This machine has no GPU: code for ${target[0]#--target=}, run in the simulator on small sizes"
fi

failed=()
for example in "${examples[@]}"; do
  "$show" "$example" || failed+=("$(basename "$example")")
done
[[ ${#failed[@]} -eq 0 ]] || die "${#failed[@]} of ${#examples[@]} examples failed: ${failed[*]}"
step "${#examples[@]} of ${#examples[@]} examples compiled, ran and were right."
if [[ "$show" == show_briefly ]]; then
  echo "    All examples with whole reports: scripts/demo.sh --all"
  echo "    One report: tile-compile examples/gemm_f16_nn.mlir --report (=full, =json, =html)"
fi
