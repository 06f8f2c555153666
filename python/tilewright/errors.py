"""What goes wrong, by class.

A wrong argument is a TypeError or a ValueError, as everywhere in Python.
"""

from __future__ import annotations

from typing import Any, NamedTuple


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


class OutOfResources(CompileError):  # noqa: N818, Triton's name
    """A block would need more of something than it can have, for now shared memory.

    >>> raise OutOfResources(262144, 232448, "shared memory")
    """

    def __init__(self, required: int, limit: int, name: str, text: str = "", **place: Any) -> None:
        text = text or f"out of {name}: {required} are needed, {limit} is the limit"
        super().__init__(text, **place)
        #: How much is needed of `name`, and how much there is.
        self.required, self.limit, self.name = required, limit, name

    def __reduce__(self) -> Any:
        return type(self), (self.required, self.limit, self.name, str(self)), self.__dict__


def make_compile_error(
    text: str,
    message: str,
    file: str,
    line: int,
    column: int,
    notes: list[tuple[str, str, int, int]],
    shortage: tuple[int, int, str] | None,
) -> CompileError:
    """The error for what the compiler says. `shortage`: how much a block needs of something, how
    much of it there is, and what it is, where that is why."""
    place: dict[str, Any] = {"message": message, "file": file, "line": line, "column": column}
    if shortage is not None:
        return OutOfResources(*shortage, text, notes=notes, **place)
    return CompileError(text, notes=notes, **place)


class SizeError(ValueError):
    """No kernel has so many warps or stages."""


class LaunchError(RuntimeError):
    """A kernel could not be started, or the device failed."""


class SimulatorError(LaunchError):
    """The simulator found a defect of the kernel: a race, a bad address, a deadlock.

    Arrays stay as they were before the launch.
    """
