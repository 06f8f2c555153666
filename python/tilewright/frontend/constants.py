"""Operators on constants that Python would compute for minutes, or keep in all memory."""

from __future__ import annotations

import operator
from typing import Any

from tilewright.language.shapes import MAX_ELEMENTS

#: Bits of a constant integer: far more than any that becomes a value, which has 64.
_MAX_BITS = 4096


def _check_bits(bits: int) -> None:
    if bits > _MAX_BITS:
        raise ValueError(f"a constant of {bits} bits: integers of kernels have 64")


def power(base: Any, exponent: Any) -> Any:
    """base ** exponent."""
    if isinstance(base, int) and isinstance(exponent, int) and abs(base) > 1:
        _check_bits((abs(base).bit_length() - 1) * exponent)
    return base**exponent


def shift_left(value: Any, amount: Any) -> Any:
    """value << amount."""
    if isinstance(value, int) and isinstance(amount, int) and value != 0:
        _check_bits(amount)
    return value << amount


def _check_length(length: int) -> None:
    """Checks a tuple or a text, which has no more parts than the largest tiles."""
    if length > MAX_ELEMENTS:
        raise ValueError(f"a constant of {length} parts, which is too much")


def add(left: Any, right: Any) -> Any:
    """left + right, which may be texts or tuples."""
    if isinstance(left, (tuple, list)) and isinstance(right, (tuple, list)):
        # A comprehension of kernels gives a tuple, whatever its brackets look like.
        _check_length(len(left) + len(right))
        return (*left, *right) if isinstance(left, tuple) else [*left, *right]
    if isinstance(left, str) and isinstance(right, str):
        _check_length(len(left) + len(right))
    return left + right


def multiply(left: Any, right: Any) -> Any:
    """left * right, of which one may be a text or a tuple."""
    for whole, count in ((left, right), (right, left)):
        is_sequence = isinstance(whole, (str, tuple, list)) and isinstance(count, int)
        if is_sequence:
            _check_length(len(whole) * count)
    return operator.mul(left, right)
