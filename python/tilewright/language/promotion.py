"""Which type an operation on two types has: one table, Triton's.

>>> promote(float16, float32)
fp32
>>> promote(int32, uint32)
uint32
>>> promote(float16, int32, division=True)
fp32

A number of Python that meets a tile or a scalar takes its type, unless it is of a higher kind
(boolean, integer, float): `promote_number`.
"""

from __future__ import annotations

import math

from tilewright.language.types import (
    bfloat16,
    dtype,
    float16,
    float32,
    float64,
    int1,
    int32,
    int64,
    uint32,
    uint64,
)

_LEAST_FLOAT32 = 2.0**-126
_LARGEST_FLOAT32 = (2 - 2**-23) * 2.0**127


def type_of_number(number: bool | int | float) -> dtype:
    """The type of a Python number that stands alone."""
    if isinstance(number, bool):
        return int1
    if isinstance(number, int):
        for low, high, result in (
            (-(2**31), 2**31, int32),
            (2**31, 2**32, uint32),
            (-(2**63), 2**63, int64),
            (2**63, 2**64, uint64),
        ):
            if low <= number < high:
                return result
        raise ValueError(f"{number} does not fit into 64 bits")
    size = abs(number)
    fits = size in (0.0, math.inf) or math.isnan(size)
    return float32 if fits or _LEAST_FLOAT32 <= size <= _LARGEST_FLOAT32 else float64


def _promote_integers(a: dtype, b: dtype) -> dtype:
    if a.is_int_signed() == b.is_int_signed():
        return a if a.int_bitwidth > b.int_bitwidth else b
    unsigned, signed = (b, a) if a.is_int_signed() else (a, b)
    return unsigned if unsigned.int_bitwidth >= signed.int_bitwidth else signed


def _promote_floats(a: dtype, b: dtype) -> dtype:
    for widest in (float64, float32, float16):
        if widest in (a, b):
            return widest
    if bfloat16 in (a, b):
        return bfloat16 if a == b else float32
    return a if a == b else float16


def promote(a: dtype, b: dtype, division: bool = False) -> dtype:
    """The type in which `a` and `b` meet; `division` for / // and %.

    Raises:
        TypeError: A division of integers with and without sign.
    """
    if a.is_floating() and b.is_floating():
        result = _promote_floats(a, b)
    elif a.is_floating() or b.is_floating():
        real = a if a.is_floating() else b
        # As if it met another type of floats: of those, only bf16 stays bf16.
        result = float32 if real == bfloat16 else real
    elif division and a.is_int_signed() != b.is_int_signed():
        raise TypeError(
            f"a division of {a} by {b}: one has a sign, the other has not; cast one by .to()"
        )
    else:
        result = _promote_integers(a, b)
    return float32 if division and result in (float16, bfloat16) else result


def promote_number(number: bool | int | float, other: dtype, division: bool = False) -> dtype:
    """The type in which a Python number meets a value of type `other`.

    Raises:
        ValueError: The number does not fit into the type.
    """
    own = type_of_number(number)
    if own.kind() > other.kind():
        return promote(own, other, division)
    if division and other in (float16, bfloat16):
        return float32
    check_fits(number, other)
    return other


def fits(number: bool | int | float, kind: dtype) -> bool:
    """Whether a type has a number, as far as that is certain: floats round it."""
    if kind.is_floating():
        return True
    return kind.is_int() and kind.get_int_min_value() <= number <= kind.get_int_max_value()


def check_fits(number: bool | int | float, kind: dtype) -> None:
    """Raises ValueError where a type of integers does not have a number."""
    if not fits(number, kind):
        hint = ", which has no sign" if number < 0 and kind.is_int_unsigned() else ""
        raise ValueError(f"{number} does not fit into {kind}{hint}: cast the other by .to()")


def sum_type(element: dtype) -> dtype:
    """The type of a sum: integers of fewer than 32 bits, and booleans, grow to 32."""
    if element.is_int() and element.int_bitwidth < 32:
        return int32 if element.is_int_signed() else uint32
    return element
