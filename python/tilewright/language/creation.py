"""Tiles that are made of nothing."""

from __future__ import annotations

from typing import Any

from tilewright.language.casts import convert
from tilewright.language.context import constant, emit, word
from tilewright.language.promotion import check_fits
from tilewright.language.shapes import (
    broadcast_to_shape,
    check_extents,
    describe,
    read_shape,
    reshape,
    splat,
)
from tilewright.language.tensor import is_number, read_constant, tensor, to_tensor
from tilewright.language.types import dtype, int32, void
from tilewright.sizes import is_integer


def read_type(kind: Any, what: str) -> dtype:
    """A type that a word was given.

    Raises:
        TypeError: It is none.
    """
    kind = read_constant(kind, f"the type of {what}")
    if not isinstance(kind, dtype) or kind.is_block() or kind == void:
        raise TypeError(f"{what} takes a type such as tl.float32, not {describe(kind)}")
    return kind


def _read_bound(value: Any, what: str) -> int:
    value = read_constant(value, f"the {what} of arange")
    if not is_integer(value):
        raise TypeError(f"the {what} of arange is {value!r}, which is no integer")
    return value


@word
def arange(start: Any, end: Any) -> tensor:
    """The integers from `start` to before `end`, as int32.

    Both are constants, and there is a power of two of them.
    """
    first, last = _read_bound(start, "start"), _read_bound(end, "end")
    if last <= first:
        raise ValueError(
            f"arange({first}, {last}) is empty: the end is to be greater than the start"
        )
    count = last - first
    if count & (count - 1):
        raise ValueError(
            f"arange({first}, {last}) has {count} numbers; it is to be a power of two "
            "(tilewright.next_power_of_2 gives one; a mask cuts off what is too much)"
        )
    if last > 2**31 or first < -(2**31):
        raise ValueError(f"arange({first}, {last}) does not fit into int32")
    check_extents((count,), "arange")
    return emit("tile.iota", [], int32.with_shape((count,)), [("start", f"{first} : i64")])


@word
def full(shape: Any, value: Any, dtype: Any) -> tensor:
    """A tile with one value, a constant or a scalar, everywhere."""
    extents = check_extents(read_shape(shape))
    kind = read_type(dtype, "full")
    if is_number(value) and not kind.is_ptr():
        if kind.is_int() and isinstance(value, float) and not value.is_integer():
            raise TypeError(f"full of {kind} takes an integer, not {value}")
        if not kind.is_bool():
            check_fits(value, kind)
        return constant(value, kind.with_shape(extents))
    scalar = to_tensor(value, "the value of full")
    if scalar.numel != 1:
        raise TypeError(f"full takes one number, not a tile of type {scalar.type}")
    scalar = convert(scalar, kind)
    return splat(scalar, extents) if not scalar.type.is_block() else _repeat(scalar, extents)


def _repeat(single: tensor, extents: tuple[int, ...]) -> tensor:
    """The element of a tile of one element, in every element of a tile."""
    return broadcast_to_shape(reshape(single, (1,) * len(extents)), extents)


@word
def zeros(shape: Any, dtype: Any) -> tensor:
    """A tile of zeros."""
    kind = read_type(dtype, "zeros")
    return full(shape, 0, kind)


@word
def zeros_like(input: tensor) -> tensor:
    """Zeros in the shape and of the type of another tile."""
    value = to_tensor(input)
    if value.dtype.is_ptr():
        return full(value.type.shape, 0, value.dtype)
    return constant(0, value.type)
