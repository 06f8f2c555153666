#!/usr/bin/env bash
# Sets up, builds, and makes a site of docs/ in build/site: open index.html there.
#
#   scripts/site.sh [--serve]
#
#   --serve  shows it at http://127.0.0.1:8000 and builds it anew when a page changes
#
# Pages of the API are made of the package's docstrings. A link that leads nowhere
# or a page that is not in mkdocs.yml ends it with an error. What the blocks of the
# pages do and print, scripts/check-docs.py finds out.
#
# Environment: see scripts/common.sh.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

command=(build --site-dir "$build/site")
case "${1:-}" in
  "") ;;
  --serve) command=(serve) ;;
  *) die "unknown argument '$1'" "usage: scripts/site.sh [--serve]" ;;
esac

"$root/scripts/setup.sh"
"$root/scripts/build.sh"
step "Making the site"
export PYTHONPATH="$build/python:$root/scripts"
"$root/.venv/bin/python" -m mkdocs "${command[@]}" --strict --config-file "$root/mkdocs.yml"
