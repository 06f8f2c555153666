"""Numbers that grids and blocks are made of, on the host and of constants in kernels."""

from __future__ import annotations

import operator
from typing import TypeGuard


def is_integer(value: object) -> TypeGuard[int]:
    """Whether it can count something or number it: a truth value is an `int` of Python's, and
    cannot."""
    return isinstance(value, int) and not isinstance(value, bool)


def take_integer(name: str, value: object) -> int:
    """An integer, of NumPy too.

    Raises:
        TypeError: It is something else, or a truth value.
    """
    if is_integer(value):
        return value
    try:
        if not isinstance(value, bool):
            return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        pass
    raise TypeError(f"{name} is to be int, not {type(value).__name__}")


def cdiv(x: int, y: int) -> int:
    """``x / y``, rounded up.

    >>> cdiv(1000, 256)
    4
    """
    return (x + y - 1) // y


def next_power_of_2(n: int) -> int:
    """The least power of two that is not less than `n`; 1 for what is less than 1.

    >>> next_power_of_2(1000)
    1024
    """
    try:
        return 1 << max(n.__index__() - 1, 0).bit_length()
    except AttributeError:
        raise TypeError(f"next_power_of_2 takes an integer, not {n!r}") from None
