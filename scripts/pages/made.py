# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A script that makes a part of a page anew, or says that it is stale."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path


def make_page(page: Path, write: Callable[[str], str], description: str, stale: str) -> int:
    """The exit status. `write` takes the page as it is, and gives it as it is to be."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write the page")
    options = parser.parse_args()
    text = page.read_text(encoding="utf-8")
    wanted = write(text)
    if options.update:
        page.write_text(wanted, encoding="utf-8")
    elif text != wanted:
        print(f"{page}: {stale}")
        return 1
    return 0
