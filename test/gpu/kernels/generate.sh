#!/usr/bin/env bash
# Makes the PTX of this folder from the CUDA sources beside it. The tests use the
# committed PTX, so they need no CUDA toolkit; what was recorded on a GPU belongs
# to exactly this text.
#
#   generate.sh [NAME.cu...]
set -euo pipefail
cd "$(dirname "$0")"
[[ $# -gt 0 ]] || set -- *.cu
for source in "$@"; do
  ptx="${source%.cu}.ptx"
  arch="$(sed -n 's/^\/\/ arch: //p' "$source")"
  {
    echo "// Made by generate.sh from $source."
    grep '^// tile-diff:' "$source"
    nvcc -ptx -std=c++17 -diag-suppress=550 -arch="$arch" -o - "$source" | sed '/^\/\/ Compiler Build ID/d'
  } >"$ptx"
  ptxas -arch="${arch/%sm_90/sm_90a}" -o /dev/null "$ptx"
done
