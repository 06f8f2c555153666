#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the lists of words in docs/words.md, from the words themselves.

    PYTHONPATH=build/python .venv/bin/python scripts/words-page.py [--update]

Without --update it says whether the page is what it would write. It needs the package.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from pages.made import make_page
from pages.words import FAMILIES, find_words, get_summary, write_parameters

PAGE = Path(__file__).resolve().parent.parent / "docs/words.md"
BEGIN, END = "<!-- The words: scripts/words-page.py -->", "<!-- The end of the words -->"


def main() -> int:
    stale = "is not what the words say; run scripts/words-page.py --update"
    return make_page(PAGE, write_page, __doc__ or "", stale)


def write_page(page: str) -> str:
    """The page with its lists made anew."""
    head, rest = page.split(BEGIN)
    tail = rest.split(END)[1]
    return head + BEGIN + "\n\n" + "\n".join(write_family(*each) for each in FAMILIES) + END + tail


def write_family(module: str, title: str, prefix: str) -> str:
    words = find_words(importlib.import_module(f"tilewright.language.{module}"), prefix)
    lines = [f"### {title}", "", "| word | gives |", "| --- | --- |"]
    for names, function in words:
        call = " ".join(f"`{prefix}{name}`" for name in names[:-1])
        call += f" `{prefix}{names[-1]}({write_parameters(function)})`"
        lines.append(f"| {call.strip()} | {get_summary(function)} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    sys.exit(main())
