"""The text of a kernel that is drawn, statement by statement."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy

from .arrays import Drawing


@dataclass
class KernelText:
    """What those who write statements have in common."""

    drawing: Drawing
    lines: list[str] = field(default_factory=list, init=False)
    depth: int = field(default=1, init=False)
    names: int = field(default=0, init=False)
    # Of loops around loops.
    counters: list[str] = field(default_factory=list, init=False)

    def pick(self, *choices: str) -> str:
        return str(self.drawing.pick(*choices))

    def chance(self, percent: int) -> bool:
        return self.drawing.random.random() * 100 < percent

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def name(self, start: str) -> str:
        self.names += 1
        return f"{start}{self.names}"

    @contextmanager
    def below(self, head: str) -> Iterator[None]:
        self.line(head)
        self.depth += 1
        yield
        self.depth -= 1


def find_difference(actual: numpy.ndarray, expected: numpy.ndarray, of: str = "") -> str:
    """What is wrong with a result that is exact, if anything."""
    wrong = actual != expected
    if not wrong.any():
        return ""
    return f"{wrong.sum()} elements{of} are wrong, the first at {numpy.argwhere(wrong)[0]}"
