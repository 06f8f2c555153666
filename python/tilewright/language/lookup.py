"""Words that find elements by their number: what is known at run time only.

No thread reads what another one holds. So what is looked up lies in shared memory, and each element
is read there; what is counted is compared with bins, as many at a time as registers hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright.language.casts import convert, convert_bits
from tilewright.language.comparisons import where
from tilewright.language.context import check_pure, constant, current, word
from tilewright.language.creation import arange
from tilewright.language.product import dot
from tilewright.language.reductions import sum
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
from tilewright.language.types import get_int_dtype, int8, int32, int64

# How many comparisons a thread holds at a time.
_COMPARISONS = 64
# Products have at least 16 rows and columns, and registers hold no more than 64 of each for a warp.
_BINS_OF_PRODUCTS = (256, 512, 1024, 2048, 4096)
_LEAST_OF_A_WARP = 128


@word
def gather(src: Any, index: Any, axis: Any) -> tensor:
    """The elements of `src` whose places along an axis `index` says; 0 where there is no place.

    The result has the shape of `index`, which is that of `src` but for the axis. All of `src` lies
    in shared memory meanwhile.
    """
    check_numbers(src, "gather")
    _check_integers(index, "the index of gather")
    shape, places = src.type.shape, index.type.shape
    axis = normalize_axis(axis, len(shape))
    if len(places) != len(shape):
        raise ValueError(
            f"gather takes an index of as many dimensions as the tile has, not "
            f"{list(places)} for {list(shape)}"
        )
    if (*shape[:axis], *shape[axis + 1 :]) != (*places[:axis], *places[axis + 1 :]):
        raise ValueError(
            f"gather of {list(shape)} by {list(places)} along {axis}: all other "
            "extents are to be equal"
        )
    numbers = _number_elements(_widen(index), shape, axis)
    elements = reshape(src, (src.numel,))
    if src.dtype.is_bool():
        return convert(_read_by_number(convert(elements, int8), numbers), src.dtype)
    bits = convert_bits(elements, get_int_dtype(src.dtype.primitive_bitwidth, signed=False))
    return convert_bits(_read_by_number(bits, numbers), src.dtype)


@word
def histogram(input: Any, num_bins: Any, mask: Any = None) -> tensor:
    """How often each number from 0 to before `num_bins` stands in a tile, as int32.

    `num_bins` is a power of two. Other numbers are not counted, nor what `mask` leaves out. Each
    number is compared with each bin; or, where there are many of both, its upper and its lower half
    with each that there is, and a product counts how often they come together.
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
    if bins in _BINS_OF_PRODUCTS and numbers.numel >= _LEAST_OF_A_WARP * current().num_warps:
        return _count_by_product(numbers, bins)
    width = _count_at_a_time(numbers.numel, bins)
    numbers = expand_dims(numbers, 1)

    def count(block: tensor, counts: tensor) -> tensor:
        hits = numbers - convert(block, numbers.dtype) * width == expand_dims(arange(0, width), 0)
        found = expand_dims(sum(convert(hits, int32), 0), 0)
        rows = expand_dims(arange(0, bins // width), 1)
        return where(rows == block, found, counts)

    counts = constant(0, int32.with_shape((bins // width, width)))
    return reshape(repeat(bins // width, counts, count), (bins,))


def _count_by_product(numbers: tensor, bins: int) -> tensor:
    """Bins as a matrix: each warp has a row of ones and zeros for each half of its numbers."""
    warps = current().num_warps
    bits = (bins.bit_length() - 1) // 2
    columns, rows = 1 << bits, bins >> bits
    numbers = reshape(numbers, (warps, 1, numbers.numel // warps))
    row = expand_dims(expand_dims(arange(0, rows), 0), 2)
    column = expand_dims(expand_dims(arange(0, columns), 0), 2)
    in_row = convert(numbers >> bits == row, int8)
    in_column = convert((numbers & (columns - 1)) == column, int8)
    return reshape(sum(dot(in_row, permute(in_column, (0, 2, 1))), 0), (bins,))


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


def _number_elements(index: tensor, shape: Sequence[int], axis: int) -> tensor:
    """Which elements of a tile of that shape, in order, an index along an axis means; -1 where it
    means none."""
    is_there = (index >= 0) & (index < shape[axis])
    if len(shape) == 1:
        # Other numbers are those of no element anyway.
        return index if index.dtype == int32 else convert(where(is_there, index, -1), int32)
    numbers = constant(0, index.type)
    step = 1
    for each in reversed(range(len(shape))):
        others = [other for other in range(len(shape)) if other != each]
        place = index if each == axis else expand_dims(arange(0, shape[each]), others)
        numbers = numbers + place * step
        step *= shape[each]
    return convert(where(is_there, numbers, -1), int32)


def _read_by_number(source: tensor, numbers: tensor) -> tensor:
    """The elements of a tile of one dimension that have these numbers; 0 where there is none."""
    check_pure("tile.local_gather")
    write = current().builder.op
    size = source.dtype.itemsize
    # A word behind every 32: numbers that go up by a power of two are in different banks.
    padding = f"pad {max(4 // size, 1)} every {128 // size}"
    layout = f"#tile.shared_layout<{source.numel}, {padding}>"
    tile = f"!tile.shared<{source.numel}x{source.dtype.mlir}, {layout}>"
    (place,) = write("tile.alloc_shared", [], [tile], [], [])
    write("tile.local_store", [source.handle, place], [], [], [])
    kind = source.dtype.with_shape(numbers.type.shape)
    (found,) = write("tile.local_gather", [place, numbers.handle], [kind.mlir], [], [])
    return tensor(found, kind)
