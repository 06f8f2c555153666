"""Comparisons, logic, and the choice between two values."""

from __future__ import annotations

from typing import Any

from tilewright.language.casts import convert, to_bool
from tilewright.language.context import emit, word
from tilewright.language.operands import is_pointer, join_types
from tilewright.language.shapes import broadcast_together
from tilewright.language.tensor import tensor, to_tensor
from tilewright.language.types import int1, int64

# MLIR's numbers of comparisons.
_FLOAT_PREDICATES = {"==": 1, ">": 2, ">=": 3, "<": 4, "<=": 5, "!=": 13}
_SIGNED_PREDICATES = {"==": 0, "!=": 1, "<": 2, "<=": 3, ">": 4, ">=": 5}
_UNSIGNED_PREDICATES = {"==": 0, "!=": 1, "<": 6, "<=": 7, ">": 8, ">=": 9}


def _compare(x: Any, y: Any, text: str) -> tensor:
    if text in ("==", "!=") and (x is None or y is None):
        raise TypeError("what is known at run time only is not None: write 'is None'")
    if is_pointer(x) and is_pointer(y):
        x, y = convert(x, int64), convert(y, int64)
    a, b = join_types(x, y, text)
    if a.dtype.is_floating():
        op, predicate = "arith.cmpf", _FLOAT_PREDICATES[text]
    elif a.dtype.is_int_signed():
        op, predicate = "arith.cmpi", _SIGNED_PREDICATES[text]
    else:
        op, predicate = "arith.cmpi", _UNSIGNED_PREDICATES[text]
    result = int1.with_shape(a.type.shape)
    return emit(op, [a, b], result, [("predicate", f"{predicate} : i64")])


@word
def less(x: Any, y: Any) -> tensor:
    """``x < y``."""
    return _compare(x, y, "<")


@word
def less_equal(x: Any, y: Any) -> tensor:
    """``x <= y``."""
    return _compare(x, y, "<=")


@word
def greater(x: Any, y: Any) -> tensor:
    """``x > y``."""
    return _compare(x, y, ">")


@word
def greater_equal(x: Any, y: Any) -> tensor:
    """``x >= y``."""
    return _compare(x, y, ">=")


@word
def equal(x: Any, y: Any) -> tensor:
    """``x == y``; no NaN equals anything."""
    return _compare(x, y, "==")


@word
def not_equal(x: Any, y: Any) -> tensor:
    """``x != y``; NaN differs from everything."""
    return _compare(x, y, "!=")


@word
def logical_and(input: Any, other: Any) -> tensor:
    """``input and other`` of tiles: whether neither is zero."""
    a, b = broadcast_together(to_bool(input), to_bool(other))
    return emit("arith.andi", [a, b], a.type)


@word
def logical_or(input: Any, other: Any) -> tensor:
    """``input or other`` of tiles: whether one of them is not zero."""
    a, b = broadcast_together(to_bool(input), to_bool(other))
    return emit("arith.ori", [a, b], a.type)


@word
def logical_not(input: Any) -> tensor:
    """``not input`` of a tile: whether each element is zero."""
    return equal(to_bool(input), False)


@word
def where(condition: Any, x: Any, y: Any) -> tensor:
    """`x` where the condition holds, else `y`. Both are computed."""
    condition = to_bool(condition)
    if is_pointer(x) or is_pointer(y):
        a, b = to_tensor(x), to_tensor(y)
        if a.dtype != b.dtype:
            raise TypeError(f"where takes two pointers of one type, not {a.dtype} and {b.dtype}")
    else:
        a, b = join_types(x, y, "where", computes=False)
    condition, a, b = broadcast_together(condition, a, b)
    return emit("arith.select", [condition, a, b], a.type)
