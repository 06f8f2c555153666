"""Two operands in one type and one shape, before an operation on both."""

from __future__ import annotations

from typing import Any

from tilewright.language.casts import convert
from tilewright.language.context import constant
from tilewright.language.promotion import promote, promote_number, type_of_number
from tilewright.language.shapes import broadcast_together, describe
from tilewright.language.tensor import is_number, tensor
from tilewright.language.types import bfloat16, dtype, float32, unwrap

#: What Python computes behind a sum: `x + i & 3` is `(x + i) & 3`.
_WEAKER_THAN_SUMS = ("&", "|", "^", "<<", ">>")


def is_pointer(value: Any) -> bool:
    """Whether it is a pointer, or a tile of them."""
    return isinstance(value, tensor) and value.dtype.is_ptr()


def refuse_pointer(value: tensor, what: str) -> None:
    """Raises TypeError where it is a pointer."""
    if value.dtype.is_ptr():
        hint = f": write x + (i {what} 3)" if what in _WEAKER_THAN_SUMS else ""
        raise TypeError(f"{what} takes numbers, not pointers ({value.type}){hint}")


def refuse_float8(kind: dtype, what: str) -> None:
    """Raises TypeError for floats of 8 bits, which are only moved, cast and multiplied by dot."""
    if kind.is_fp8():
        raise TypeError(f"no GPU computes {what} of {kind}: cast it by .to(tl.float16)")


def _meet(lhs: Any, rhs: Any, division: bool) -> dtype:
    if is_number(lhs) and is_number(rhs):
        return promote(type_of_number(lhs), type_of_number(rhs), division)
    if is_number(lhs):
        return promote_number(lhs, rhs.dtype, division)
    if is_number(rhs):
        return promote_number(rhs, lhs.dtype, division)
    return promote(lhs.dtype, rhs.dtype, division)


def join_types(
    lhs: Any, rhs: Any, what: str, division: bool = False, computes: bool = True
) -> tuple[tensor, tensor]:
    """Both operands in one type and one shape; a number of Python takes the type of the other.

    `computes` is false for words that only move elements, which may have 8 bits.

    Raises:
        TypeError: One is a pointer, or no number at all.
        ValueError: Their shapes do not fit, or a number does not fit the other's type.
    """
    lhs, rhs = unwrap(lhs), unwrap(rhs)
    for value in (lhs, rhs):
        if not is_number(value) and not isinstance(value, tensor):
            raise TypeError(f"{what} takes numbers and tiles, not {describe(value)}")
        if isinstance(value, tensor):
            refuse_pointer(value, what)
    kind = _meet(lhs, rhs, division)
    if computes:
        refuse_float8(kind, what)
    a, b = (
        constant(value, kind) if is_number(value) else convert(value, kind) for value in (lhs, rhs)
    )
    a, b = broadcast_together(a, b)
    return a, b


def widen_bfloat16(value: tensor) -> tensor:
    """bf16 as fp32, for words that compare."""
    return convert(value, float32) if value.dtype == bfloat16 else value
