"""Words that find elements by their number: what is known at run time only.

No thread reads what another one holds. So what is looked up lies in shared memory, and each element
is read there; what is counted is added to counters there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright.language.casts import convert, convert_bits
from tilewright.language.comparisons import where
from tilewright.language.context import check_pure, constant, current, word
from tilewright.language.creation import arange
from tilewright.language.reductions import sum
from tilewright.language.repetition import repeat
from tilewright.language.shapes import (
    broadcast_to_shape,
    check_extents,
    check_numbers,
    describe,
    expand_dims,
    normalize_axis,
    reshape,
)
from tilewright.language.tensor import read_constant, tensor, to_tensor
from tilewright.language.types import get_int_dtype, int8, int32, int64
from tilewright.sizes import is_integer

# Counters of a tile in shared memory, at the most, and of a row of them: a lane has a bank.
_COUNTERS = 8192
_LANES = 32
# A tile of more bins is counted in parts.
_BINS_AT_A_TIME = 8192


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

    `num_bins` is a power of two. Other numbers are not counted, nor what `mask` leaves out. What
    counts lies in shared memory meanwhile, several for each bin of a tile that has many elements.
    """
    _check_integers(input, "histogram")
    if len(input.type.shape) != 1:
        raise TypeError(f"histogram takes a tile of one dimension, not {describe(input)}")
    bins = read_constant(num_bins, "num_bins")
    if not is_integer(bins):
        raise TypeError(f"num_bins is an integer, not {bins!r}")
    check_extents((bins,), "a histogram")
    numbers = _narrow(_widen(input), bins)
    if mask is not None:
        is_counted = broadcast_to_shape(to_tensor(mask), input.type.shape)
        numbers = where(is_counted, numbers, constant(-1, numbers.type))
    width = min(bins, _BINS_AT_A_TIME)

    def count(block: tensor, counts: tensor) -> tensor:
        found = expand_dims(_count_in_shared(numbers - block * width, width), 0)
        rows = expand_dims(arange(0, bins // width), 1)
        return where(rows == block, found, counts)

    if bins == width:
        return _count_in_shared(numbers, bins)
    counts = constant(0, int32.with_shape((bins // width, width)))
    return reshape(repeat(bins // width, counts, count), (bins,))


def _count_in_shared(numbers: tensor, bins: int) -> tensor:
    """How often each number stands in a tile: by counters in shared memory, several for each, as
    far as their sums cost less than lanes that meet."""
    check_pure("tile.local_count")
    write = current().builder.op
    most = min(_LANES, _COUNTERS // bins, numbers.numel // (2 * bins))
    columns = 1 << max(most.bit_length() - 1, 0)
    tile = f"!tile.shared<{bins}x{columns}xi32, #tile.shared_layout<{bins}x{columns}>>"
    (counters,) = write("tile.alloc_shared", [], [tile], [], [])
    kind = int32.with_shape((bins, columns))
    write("tile.local_store", [constant(0, kind).handle, counters], [], [], [])
    write("tile.local_count", [numbers.handle, counters], [], [], [])
    (counts,) = write("tile.local_load", [counters], [kind.mlir], [], [])
    return sum(tensor(counts, kind), 1)


def _check_integers(value: Any, what: str) -> None:
    check_numbers(value, what)
    if not value.dtype.is_int() or value.dtype.is_bool():
        raise TypeError(f"{what} takes integers, not {value.dtype}")


def _widen(numbers: tensor) -> tensor:
    """Integers of 32 or 64 bits with a sign, which have all that a place or a bin can be."""
    fits = numbers.dtype.int_bitwidth < 32 or numbers.dtype == int32
    return convert(numbers, int32 if fits else int64)


def _narrow(numbers: tensor, extent: int) -> tensor:
    """The same of 32 bits: numbers outside of the extent stay outside."""
    if numbers.dtype == int32:
        return numbers
    is_there = (numbers >= 0) & (numbers < extent)
    return convert(where(is_there, numbers, -1), int32)


def _number_elements(index: tensor, shape: Sequence[int], axis: int) -> tensor:
    """Which elements of a tile of that shape, in order, an index along an axis means; -1 where it
    means none."""
    if len(shape) == 1:
        return _narrow(index, shape[0])
    is_there = (index >= 0) & (index < shape[axis])
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
