"""Tables, as text for a terminal and as HTML for a notebook."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

_CELL = "padding: 2px 10px; border-bottom: 1px solid #ddd; text-align: "


def format_number(value: object, digits: int = 4) -> str:
    """A number as people read it; nothing for None.

    >>> format_number(1234.5678)
    '1235'
    """
    if value is None:
        return ""
    if isinstance(value, float):
        text = f"{value:.{digits}g}"
        return f"{value:.0f}" if "e+" in text and abs(value) < 1e12 else text
    return str(value)


@dataclass(frozen=True)
class Table:
    """Rows under headings, with a title."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    #: Columns of text; all others are numbers, which stand to the right.
    texts: frozenset[int] = frozenset()

    def __str__(self) -> str:
        lines = [list(self.headings), *map(list, self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = [self.title] if self.title else []
        for line in lines:
            cells = (
                cell.ljust(width) if index in self.texts else cell.rjust(width)
                for index, (cell, width) in enumerate(zip(line, widths, strict=True))
            )
            text.append("  ".join(cells).rstrip())
        return "\n".join(text)

    def to_html(self) -> str:
        """A part of a page."""

        def write(tag: str, line: Sequence[str]) -> str:
            sides = ("left" if index in self.texts else "right" for index in range(len(line)))
            cells = (
                f'<{tag} style="{_CELL}{side}">{html.escape(cell)}</{tag}>'
                for side, cell in zip(sides, line, strict=True)
            )
            return f"<tr>{''.join(cells)}</tr>"

        caption = f"<p><b>{html.escape(self.title)}</b></p>" if self.title else ""
        rows = "".join(write("td", row) for row in self.rows)
        return (
            f'{caption}<table style="border-collapse: collapse">'
            f"{write('th', self.headings)}{rows}</table>"
        )
