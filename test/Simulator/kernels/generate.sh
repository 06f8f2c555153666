#!/usr/bin/env bash
# Makes the PTX of the simulator's tests from the CUDA sources beside it. The
# tests use the committed PTX, so they need no CUDA toolkit.
set -euo pipefail
cd "$(dirname "$0")"
for source in *.cu; do
  arch=$(sed -n 's/^\/\/ arch: //p' "$source")
  nvcc -ptx -arch="$arch" -lineinfo -o "${source%.cu}.ptx" "$source"
  # Paths relative to this folder, so that the files are the same everywhere.
  sed -i -e "s|\"$PWD/|\"|" -e '/^\/\/ Compiler Build ID/d' "${source%.cu}.ptx"
done
for source in *.ll; do
  "${LLC:-llc-22}" -mcpu=sm_90a -mattr=+ptx80 -o "${source%.ll}.ptx" "$source"
done
