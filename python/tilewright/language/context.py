"""The program that is being written: words of the language add ops to it.

The front end opens it around a kernel; a word outside of one is an error.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from functools import wraps
from math import prod
from typing import TYPE_CHECKING, Any, TypeVar

from tilewright import _core
from tilewright.language.types import dtype, unwrap

if TYPE_CHECKING:
    from tilewright.language.tensor import tensor

Attributes = Sequence[tuple[str, str]]


class Purity(Enum):
    """What the function that is being written may do."""

    #: All.
    FREE = 0
    #: Arithmetic on scalars: it combines two elements of a reduction or a scan.
    COMBINES = 1
    #: Arithmetic, written once for all elements: a condition may be a tile.
    MAPS = 2


@dataclass
class Context:
    """What words know of the kernel that they stand in."""

    builder: _core.IrBuilder
    #: Warps of a program.
    num_warps: int
    #: The GPU, such as "sm_90a".
    target: str
    #: Compile-time facts that words ask for, such as whether assertions are wanted.
    options: dict[str, Any] = field(default_factory=dict)
    #: Where it is not FREE, both branches of a choice are computed, and each value is chosen.
    purity: Purity = Purity.FREE
    #: Choices of run time that what is written now stands in.
    choices: int = 0
    #: Expressions that have been evaluated.
    steps: int = 0
    #: Functions that have become part of the kernel.
    calls: int = 0

    @contextmanager
    def restrict(self, purity: Purity) -> Iterator[None]:
        """What is written in it is of that purity."""
        outer, self.purity = self.purity, purity
        try:
            yield
        finally:
            self.purity = outer


_open = threading.local()


@contextmanager
def enter(context: Context) -> Iterator[Context]:
    """Makes it the program that words write."""
    outer = getattr(_open, "context", None)
    _open.context = context
    try:
        yield context
    finally:
        _open.context = outer


def current() -> Context:
    """The program that is being written.

    Raises:
        RuntimeError: There is none.
    """
    context: Context | None = getattr(_open, "context", None)
    if context is None:
        raise RuntimeError(
            "words of tilewright.language are for kernels: put this into a function with "
            "@tilewright.jit, and launch it by kernel[grid](...)"
        )
    return context


def quote(text: str) -> str:
    """A text as an attribute of an op."""
    shown = (
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:02X}"
        for byte in text.encode()
    )
    return '"' + "".join(shown) + '"'


def emit(
    op: str,
    operands: Sequence[tensor],
    result: dtype,
    attributes: Attributes = (),
    regions: Sequence[int] = (),
) -> tensor:
    """Writes an op with one result."""
    return emit_many(op, operands, [result], attributes, regions)[0]


def emit_many(
    op: str,
    operands: Sequence[tensor],
    results: Sequence[dtype],
    attributes: Attributes = (),
    regions: Sequence[int] = (),
) -> list[tensor]:
    """Writes an op with any number of results."""
    from tilewright.language.tensor import tensor

    if current().purity is Purity.COMBINES and op in _RESHAPES:
        return [tensor(operands[0].handle, result) for result in results]
    check_pure(op, attributes)
    handles = current().builder.op(
        op,
        [operand.handle for operand in operands],
        [_write_type(result) for result in results],
        list(attributes),
        list(regions),
    )
    return [tensor(handle, result) for handle, result in zip(handles, results, strict=True)]


# Where all is one element, these change nothing.
_RESHAPES = ("tile.splat", "tile.broadcast", "tile.expand_dims", "tile.reshape")


# Floats of other GPUs: types of kernels that are compared with, and of no value.
_ELSEWHERE = ("fp8e4b15", "fp8e4b8", "fp8e5b16")


def _write_type(kind: dtype) -> str:
    """The type in the program: where elements are combined, a tile of one element is that one."""
    if kind.scalar.name in _ELSEWHERE:
        raise TypeError(
            f"no NVIDIA GPU has {kind.scalar}: its floats of 8 bits are tl.float8e4nv and "
            "tl.float8e5"
        )
    if current().purity is not Purity.COMBINES:
        return kind.mlir
    if prod(kind.shape) != 1:
        raise TypeError(
            f"{_WHAT[Purity.COMBINES]} is arithmetic on one element of each tile, and makes no "
            f"tile {kind}: put it outside of the function"
        )
    return kind.scalar.mlir


# What takes no element from another place, and does nothing else.
_ELEMENTWISE = ("tile.splat", "tile.broadcast", "tile.expand_dims", "tile.inline_asm")
_WHAT = {
    Purity.COMBINES: "a function that combines elements",
    Purity.MAPS: "a function of map_elementwise",
}


def check_pure(op: str, attributes: Attributes = ()) -> None:
    """Raises a TypeError where only arithmetic on one element of each tile may stand."""
    purity = current().purity
    if purity is Purity.FREE or op.startswith(("arith.", "math.", "tile.yield", "tile.pair_")):
        return
    acts = op == "tile.inline_asm" and ("pure", "unit") not in attributes
    if purity is Purity.COMBINES or op not in _ELEMENTWISE or acts:
        what = op.partition(".")[2]
        raise TypeError(
            f"{_WHAT[purity]} is arithmetic on one element of each tile, which '{what}' is not: "
            "put it outside of the function"
        )


_LARGEST_FLOAT8 = {"fp8e4nv": 448.0, "fp8e5": 57344.0}


def constant(number: bool | int | float, kind: dtype) -> tensor:
    """A number of a type, in every element where it is a tile's."""
    from tilewright.language.tensor import tensor

    if kind.scalar.is_ptr():
        raise TypeError(f"{number} is no {kind.scalar}: write tl.full(shape, {number}, dtype)")
    if not kind.scalar.is_floating():
        number = int(number)
    elif isinstance(number, int) and abs(number) >= 2**1024:
        raise ValueError(f"a constant of {number.bit_length()} bits fits into no {kind.scalar}")
    elif (largest := _LARGEST_FLOAT8.get(kind.scalar.name)) and number == number:
        # As a cast at run time, which ends at the largest number.
        number = max(-largest, min(largest, number))
    handle = current().builder.constant(_write_type(kind), number)
    return tensor(handle, kind, None if kind.is_block() else number)


_F = TypeVar("_F", bound=Callable[..., Any])


def word(function: _F) -> _F:
    """Marks a function as a word of the language.

    Compile-time constants come to it as the values that they stand for, and it is an error to
    call it outside of a kernel.
    """

    @wraps(function)
    def checked(*arguments: Any, **keywords: Any) -> Any:
        current()
        return function(
            *(unwrap(argument) for argument in arguments),
            **{name: unwrap(argument) for name, argument in keywords.items()},
        )

    checked.is_word = True  # type: ignore[attr-defined]
    return checked  # type: ignore[return-value]
