"""Kernels that are drawn, statement by statement: their text, and what is made of it.

    def drawn_kernel(a, n):
        p = tl.program_id(0)
        ...

`make_kernel` compiles such a text for a device; `interpret` of interpreter.py or exact.py runs it
by NumPy.
"""

from __future__ import annotations

import linecache
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy

import tilewright
import tilewright.language as tl

from .arrays import Drawing

# What each text calls its kernel.
KERNEL = "drawn_kernel"


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


def make_kernel(text: str) -> Any:
    """The kernel of the text, whose lines are where Python looks for those of a file."""
    file = f"<drawn {zlib.crc32(text.encode())}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"tl": tl, "tilewright": tilewright}
    exec(compile(text, file, "exec"), names)
    return tilewright.jit(names[KERNEL])


def find_difference(actual: numpy.ndarray, expected: numpy.ndarray, of: str = "") -> str:
    """What is wrong with a result that is exact, if anything."""
    wrong = actual != expected
    if not wrong.any():
        return ""
    return f"{wrong.sum()} elements{of} are wrong, the first at {numpy.argwhere(wrong)[0]}"
