"""What goes wrong, by class.

A wrong argument is a TypeError or a ValueError, as everywhere in Python.
"""

from __future__ import annotations

from typing import NamedTuple


class Note(NamedTuple):
    """What belongs to an error, at a place of its own."""

    message: str
    file: str
    line: int
    column: int


class CompileError(Exception):
    """The source is wrong, or cannot be compiled for its target.

    As text it is what the tools print: ``file:line:column: error: message``, the
    line of the source, and the notes.
    """

    def __init__(
        self,
        text: str,
        message: str | None = None,
        file: str = "",
        line: int = 0,
        column: int = 0,
        notes: list[tuple[str, str, int, int]] | None = None,
    ) -> None:
        super().__init__(text)
        #: Of the first error, without its place.
        self.message = text if message is None else message
        #: Its place; line 0 where it has none.
        self.file, self.line, self.column = file, line, column
        self.notes = [Note(*note) for note in notes or []]


class SizeError(ValueError):
    """No kernel has so many warps or stages."""


class LaunchError(RuntimeError):
    """A kernel could not be started, or the device failed."""


class SimulatorError(LaunchError):
    """The simulator found a defect of the kernel: a race, a bad address, a deadlock.

    Arrays stay as they were before the launch.
    """
