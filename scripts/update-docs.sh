#!/usr/bin/env bash
# Writes anew what of docs/ is made by programs: the reference of ops and passes
# (docs/reference), from the .td files, the lists of docs/words.md, where the
# build has the Python package, the table and the chart of docs/ladder.md, and the
# outputs that the pages and README.md show, by running their commands. It also
# checks all pages, as the CTest `docs` does.
#
#   scripts/update-docs.sh
#
# Environment: see scripts/common.sh.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/scripts/build.sh" TilewrightTableGen tile-opt tile-compile tile-run
step "Updating and checking docs/ and README.md"
if [[ -e "$build/python/tilewright/_core.pyi" ]]; then
  PYTHONPATH="$build/python" "$root/.venv/bin/python" "$root/scripts/words-page.py" --update
fi
python3 "$root/scripts/ladder-page.py" --update
python3 "$root/scripts/performance-page.py" --update
"$root/scripts/check-docs.py" --update "$build"
