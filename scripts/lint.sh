#!/usr/bin/env bash
# Checks format and style of everything, and runs clang-tidy on changed files.
#
#   scripts/lint.sh [--all | FILE.cpp...]
#
#   default   clang-tidy on the sources that differ from the base
#   --all     clang-tidy on all sources
#
# It changes nothing; `clang-format-22 -i FILE` and `ruff format FILE` do. Needs
# `scripts/setup.sh --lint` and a git checkout. Environment: see
# scripts/common.sh, and
#   TILEWRIGHT_LINT_BASE  the commit to compare with (default: origin/main where
#                         there is one, else HEAD)
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

failures=0
# Runs one check; a failure is counted and the next check still runs.
check() {
  step "$1"
  shift
  "$@" || failures=$((failures + 1))
}

# Only the static build, which is none for development, compiles tools/tilewright.
not_in_build=':!tools/tilewright'

# Tracked and new files that match the patterns, one a line.
list_files() { git ls-files --cached --others --exclude-standard -- "$@"; }

list_changed_sources() {
  local base="${TILEWRIGHT_LINT_BASE:-}"
  if [[ -z "$base" ]]; then
    base=HEAD
    ! git rev-parse --quiet --verify origin/main >/dev/null || base=origin/main
  fi
  {
    git diff --name-only --diff-filter=d "$(git merge-base "$base" HEAD)" -- \
      '*.cpp' "$not_in_build"
    git ls-files --others --exclude-standard -- '*.cpp' "$not_in_build"
  } | sort -u
}

# clang-tidy reads how a file is compiled from the build folder, which must have
# the generated headers.
run_clang_tidy() {
  cmake --preset dev -B "$build" >/dev/null
  cmake --build "$build" -j "$jobs" --target TilewrightTableGen >/dev/null
  scripts/tidy.py --build "$build" --jobs "$jobs" "$@"
}

case "${1:-}" in
  --all)
    mapfile -t sources < <(
      list_files 'lib/*.cpp' 'tools/*.cpp' 'test/*.cpp' 'python/*.cpp' "$not_in_build"
    )
    ;;
  -*) die "unknown argument '$1'" "usage: scripts/lint.sh [--all | FILE.cpp...]" ;;
  "") mapfile -t sources < <(list_changed_sources) ;;
  *) sources=("$@") ;;
esac

mapfile -t cpp < <(list_files '*.cpp' '*.h')
mapfile -t shell < <(list_files '*.sh' .ci/run)
check "clang-format: ${#cpp[@]} files" clang-format-22 --dry-run -Werror "${cpp[@]}"
check "ruff" .venv/bin/ruff check --quiet .
check "ruff format" .venv/bin/ruff format --check --quiet .
if [[ -e "$build/python/tilewright/_core.pyi" ]]; then
  check "mypy" env MYPYPATH="$build/python" .venv/bin/mypy --no-error-summary
fi
if command -v shellcheck >/dev/null; then
  check "shellcheck: ${#shell[@]} files" shellcheck -x "${shell[@]}"
fi
check "Layering" scripts/check-layering.py
check "Op names" scripts/check-op-names.py
check "File names" scripts/check-file-names.py
check "Sizes" scripts/check-sizes.py
if [[ ${#sources[@]} -gt 0 ]]; then
  check "clang-tidy: ${#sources[@]} files" run_clang_tidy "${sources[@]}"
fi

[[ $failures -eq 0 ]] || die "$failures checks failed"
step "All checks passed"
