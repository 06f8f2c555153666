"""The command line of what checks the whole repository: check-layering.py and its like."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path


def run(title: str, needs: str, check: Callable[[Path], list[str]]) -> int:
    """Prints the offences that `check` finds in the repository; the exit status.

    `needs` is a folder that any such repository has.
    """
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument(
        "root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent
    )
    root = parser.parse_args().root
    if not (root / needs).is_dir():
        sys.exit(f"{root}: not the repository (it has no {needs}/)")
    offences = check(root.resolve())
    for line in offences:
        print(line)
    return 1 if offences else 0
