"""Blocks, headings and links of a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# The line before a block that names the file it is to be saved as.
SAVED_AS = re.compile(r"as\s`([\w-]+\.(?:mlir|py))`[^`\n]*\n\n$")
# In which brackets are no link: `kernel[grid](...)`.
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)


@dataclass
class Block:
    """A fenced block of a page."""

    path: Path
    line: int
    language: str
    text: str
    start: int  # of the text, in the page
    file: str  # what it is to be saved as, or ""


def blocks_of(path: Path) -> Iterator[Block]:
    page = path.read_text(encoding="utf-8")
    for fence in FENCE.finditer(page):
        saved = SAVED_AS.search(page[: fence.start()])
        yield Block(
            path,
            page.count("\n", 0, fence.start()) + 1,
            fence[1],
            fence[2],
            fence.start(2),
            saved[1] if saved else "",
        )


def blank(match: re.Match[str]) -> str:
    """As many lines as a piece of text has, and nothing in them."""
    return "\n" * match[0].count("\n")


def find_links(page: str) -> Iterator[tuple[str, int]]:
    """The targets of relative links, each with its line."""
    text = CODE.sub("", FENCE.sub(blank, page))
    for link in LINK.finditer(text):
        if "://" not in link[1] and not link[1].startswith("mailto:"):
            yield link[1], text.count("\n", 0, link.start()) + 1


def slug(heading: str) -> str:
    """GitHub's anchor of a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def anchors_of(path: Path) -> set[str]:
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    return {slug(heading) for heading in HEADING.findall(text)}


def title_of(path: Path) -> str:
    """The first heading of a page."""
    heading = HEADING.search(FENCE.sub("", path.read_text(encoding="utf-8")))
    return heading[1] if heading else path.stem
