"""Numbers that grids and blocks are made of, on the host and of constants in kernels."""

from __future__ import annotations


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
