"""Tiles that are made of nothing."""

from __future__ import annotations

from typing import Any

from tilewright.language.arithmetic import convert
from tilewright.language.context import constant, emit, word
from tilewright.language.shapes import check_extents, describe, read_shape, splat
from tilewright.language.tensor import is_number, tensor, to_tensor
from tilewright.language.types import constexpr, dtype, int32


def read_type(kind: Any, what: str) -> dtype:
    """A type that a word was given.

    Raises:
        TypeError: It is none.
    """
    if isinstance(kind, constexpr):
        kind = kind.value
    if not isinstance(kind, dtype) or kind.is_block():
        raise TypeError(f"{what} takes a type such as tl.float32, not {describe(kind)}")
    return kind


def _read_bound(value: Any, what: str) -> int:
    if isinstance(value, constexpr):
        value = value.value
    if isinstance(value, tensor) and value.constant is not None:
        value = value.constant
    if isinstance(value, tensor):
        raise TypeError(
            f"the {what} of arange is a value of run time; make it a constant, by a parameter with "
            "the annotation tl.constexpr"
        )
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"the {what} of arange is {value!r}, which is no integer")
    return value


@word
def arange(start: int, end: int) -> tensor:
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
    if isinstance(value, constexpr):
        value = value.value
    if is_number(value) and not kind.is_ptr():
        return constant(value, kind.with_shape(extents))
    scalar = to_tensor(value, "the value of full")
    if scalar.type.is_block():
        raise TypeError(f"full takes one number, not a tile of type {scalar.type}")
    return splat(convert(scalar, kind), extents)


@word
def zeros(shape: Any, dtype: Any) -> tensor:
    """A tile of zeros."""
    return full(shape, 0, dtype)


@word
def zeros_like(input: tensor) -> tensor:
    """Zeros in the shape and of the type of another tile."""
    value = to_tensor(input)
    return constant(0, value.type)
