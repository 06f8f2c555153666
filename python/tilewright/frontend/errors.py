"""A mistake in a kernel, with its place and the calls that led there."""

from __future__ import annotations

from dataclasses import dataclass, field

from tilewright.errors import CompileError
from tilewright.source import Place


@dataclass
class KernelError(Exception):
    """A mistake at a place; the front end makes a `CompileError` of it."""

    message: str
    place: Place
    #: The calls around the place, from the inside to the kernel.
    callers: list[Place] = field(default_factory=list)

    def to_error(self) -> CompileError:
        """What the user sees."""
        notes = []
        text = [self.place.render("error", self.message)]
        inner = self.place
        for caller in self.callers:
            note = f"'{inner.function}' is called here"
            text.append(caller.render("note", note))
            notes.append((note, caller.file, caller.line, caller.column))
            inner = caller
        place = self.place
        return CompileError(
            "\n".join(text), self.message, place.file, place.line, place.column, notes
        )
