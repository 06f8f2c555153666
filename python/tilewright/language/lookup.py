"""Words that find elements by their number: what is known at run time only.

No thread reads what another one holds. So each number is compared with each place, and what stands
where they are equal is what remains of all:

    src 7 5 9, index 2 0:   2 == 0 1 2 -> 0 | 0 | 9      0 == 0 1 2 -> 7 | 0 | 0

Of many, a loop takes as many places at a time as registers hold.
"""

from __future__ import annotations

from math import prod
from typing import Any

from tilewright.language.casts import convert, convert_bits
from tilewright.language.comparisons import where
from tilewright.language.context import constant, current, word
from tilewright.language.creation import arange
from tilewright.language.reductions import reduce_or, sum
from tilewright.language.repetition import repeat
from tilewright.language.shapes import (
    broadcast_to_shape,
    check_extents,
    check_numbers,
    describe,
    expand_dims,
    normalize_axis,
    permute,
    reshape,
)
from tilewright.language.tensor import read_constant, tensor, to_tensor
from tilewright.language.types import get_int_dtype, int32, int64

# How many comparisons a thread holds at a time.
_COMPARISONS = 64


@word
def gather(src: Any, index: Any, axis: Any) -> tensor:
    """The elements of `src` whose places along an axis `index` says; 0 where there is no place.

    The result has the shape of `index`, which is that of `src` but for the axis. Each index is
    compared with each place: it is for small tiles.
    """
    check_numbers(src, "gather")
    _check_integers(index, "the index of gather")
    rank = len(src.type.shape)
    axis = normalize_axis(axis, rank)
    order = (*(other for other in range(rank) if other != axis), axis)
    if len(index.type.shape) != rank:
        raise ValueError(
            f"gather takes an index of as many dimensions as the tile has, not "
            f"{list(index.type.shape)} for {list(src.type.shape)}"
        )
    source, places = permute(src, order), permute(index, order)
    if source.type.shape[:-1] != places.type.shape[:-1]:
        raise ValueError(
            f"gather of {list(src.type.shape)} by {list(index.type.shape)} along {axis}: all other "
            "extents are to be equal"
        )
    rows = prod(source.type.shape[:-1])
    bits = convert_bits(source, get_int_dtype(src.dtype.primitive_bitwidth, signed=False))
    found = _look_up(
        reshape(bits, (rows, source.type.shape[-1])),
        reshape(places, (rows, places.type.shape[-1])),
    )
    found = convert_bits(reshape(found, places.type.shape), src.dtype)
    return permute(found, tuple(order.index(each) for each in range(rank)))


@word
def histogram(input: Any, num_bins: Any, mask: Any = None) -> tensor:
    """How often each number from 0 to before `num_bins` stands in a tile, as int32.

    `num_bins` is a power of two. Other numbers are not counted, nor what `mask` leaves out. Each
    number is compared with each bin.
    """
    _check_integers(input, "histogram")
    if len(input.type.shape) != 1:
        raise TypeError(f"histogram takes a tile of one dimension, not {describe(input)}")
    bins = read_constant(num_bins, "num_bins")
    if isinstance(bins, bool) or not isinstance(bins, int):
        raise TypeError(f"num_bins is an integer, not {bins!r}")
    check_extents((bins,), "a histogram")
    numbers = _widen(input)
    if mask is not None:
        is_counted = broadcast_to_shape(to_tensor(mask), input.type.shape)
        numbers = where(is_counted, numbers, constant(-1, numbers.type))
    width = _count_at_a_time(numbers.numel, bins)
    numbers = expand_dims(numbers, 1)

    def count(block: tensor, counts: tensor) -> tensor:
        hits = numbers - convert(block, numbers.dtype) * width == expand_dims(arange(0, width), 0)
        found = expand_dims(sum(convert(hits, int32), 0), 0)
        rows = expand_dims(arange(0, bins // width), 1)
        return where(rows == block, found, counts)

    counts = constant(0, int32.with_shape((bins // width, width)))
    return reshape(repeat(bins // width, counts, count), (bins,))


def _check_integers(value: Any, what: str) -> None:
    check_numbers(value, what)
    if not value.dtype.is_int() or value.dtype.is_bool():
        raise TypeError(f"{what} takes integers, not {value.dtype}")


def _widen(numbers: tensor) -> tensor:
    """Integers of 32 or 64 bits with a sign, which have all that a place or a bin can be."""
    fits = numbers.dtype.int_bitwidth < 32 or numbers.dtype == int32
    return convert(numbers, int32 if fits else int64)


def _count_at_a_time(others: int, extent: int) -> int:
    """How many of `extent` places are compared at a time, each with `others` numbers."""
    room = max(_COMPARISONS * 32 * current().num_warps // others, 1)
    return min(extent, 1 << (room.bit_length() - 1))


def _look_up(source: tensor, places: tensor) -> tensor:
    """For each place of a row what stands there in that row, as bits."""
    (rows, extent), (_, count) = source.type.shape, places.type.shape
    places = expand_dims(_widen(places), 2)
    width = _count_at_a_time(rows * count, extent)
    blocks = reshape(source, (rows, extent // width, width))

    def find(block: tensor, found: tensor) -> tensor:
        row = expand_dims(arange(0, extent // width), (0, 2))
        part = _choose(row == block, blocks, 1)
        hits = places - convert(block, places.dtype) * width == expand_dims(
            arange(0, width), (0, 1)
        )
        return found | _choose(hits, expand_dims(part, 1), 2)

    return repeat(extent // width, constant(0, source.dtype.with_shape((rows, count))), find)


def _choose(is_chosen: tensor, bits: tensor, axis: int) -> tensor:
    """The one of the elements along an axis that is chosen; 0 where none is."""
    found = reduce_or(where(is_chosen, bits, constant(0, bits.dtype)), axis)
    return convert(found, bits.dtype)
