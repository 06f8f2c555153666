"""Words that put elements in order.

A bitonic network sorts runs of 2, 4, 8, ... elements, each second one downwards, so that two
neighbours rise and fall, or fall and rise; such a run of 2 n is sorted by comparing each element
with that n places on, then n / 2, and so on. All of it is known when the kernel is compiled:

    3 1 | 2 4      runs of 2, up and down:   1 3 | 4 2
    1 3 4 2        2 places apart, then 1:   1 2 4 3,  1 2 3 4
"""

from __future__ import annotations

from typing import Any

from tilewright.language.casts import convert, convert_bits
from tilewright.language.comparisons import where
from tilewright.language.context import word
from tilewright.language.creation import arange
from tilewright.language.reductions import xor_sum
from tilewright.language.shapes import describe, normalize_axis, reshape
from tilewright.language.tensor import read_constant, tensor
from tilewright.language.types import get_int_dtype


@word
def sort(x: Any, dim: Any = None, descending: Any = False) -> tensor:
    """The elements in order along the last dimension; where NaNs come to stand is not said."""
    if not isinstance(x, tensor) or not x.type.is_block() or x.dtype.is_ptr():
        raise TypeError(f"sort takes a tile of numbers, not {describe(x)}")
    if x.dtype.is_fp8():
        raise TypeError(f"no GPU compares {x.dtype}: cast it by .to(tl.float16)")
    shape = x.type.shape
    axis = read_constant(dim, "dim")
    if axis is not None and normalize_axis(axis, len(shape)) != len(shape) - 1:
        raise ValueError(f"sort goes along the last dimension, {len(shape) - 1}, not along {axis}")
    falls = bool(read_constant(descending, "descending"))
    # As rows behind each other: runs of a power of two never cross from one to the next.
    count = 1
    for extent in shape:
        count *= extent
    tile = reshape(x, (count,))
    last = shape[-1].bit_length() - 1
    for stage in range(1, last + 1):
        for distance in reversed(range(stage)):
            tile = _exchange(tile, stage if stage < last else None, distance, falls)
    return reshape(tile, shape)


def _exchange(tile: tensor, stage: int | None, distance: int, falls: bool) -> tensor:
    """Puts each two elements that are 2^distance apart in order.

    Args:
        stage: Runs of 2^stage elements, of which each second one falls; none: all of them are
            alike.
    """
    (count,) = tile.type.shape
    pairs = reshape(tile, (count >> (distance + 1), 2, 1 << distance))
    # The other one of a pair: what both have in common goes out of the sum of their bits.
    bits = convert_bits(pairs, get_int_dtype(tile.dtype.primitive_bitwidth, signed=False))
    other_bits = convert(xor_sum(bits, 1, True), bits.dtype) ^ bits
    other = reshape(convert_bits(other_bits, tile.dtype), (count,))
    places = arange(0, count)
    takes_larger = ((places >> distance) & 1) == (0 if falls else 1)
    if stage is not None:
        takes_larger = takes_larger ^ (((places >> stage) & 1) == 1)
    return where(where(takes_larger, other > tile, tile > other), other, tile)
