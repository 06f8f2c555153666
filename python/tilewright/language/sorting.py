"""Words that put elements in another order.

A bitonic network sorts runs of 2, 4, 8, ... elements, each second one downwards, so that two
neighbours rise and fall, or fall and rise; such a run of 2 n is sorted by comparing each element
with that n places on, then n / 2, and so on. All of it is known when the kernel is compiled:

    3 1 | 2 4      runs of 2, up and down:   1 3 | 4 2
    1 3 4 2        2 places apart, then 1:   1 2 4 3,  1 2 3 4

Code for each of these steps is long where threads hold many elements. Then one code is in a loop:
the bits of a place go round by one before each step, so that what is compared always stands side
by side, as in Stone's sorter (IEEE Transactions on Computers C-20, 1971):

    place 0 1 2 3 4 5 6 7 = abc   0 4 1 5 2 6 3 7 = bca   0 2 4 6 1 3 5 7 = cab   and abc again

Floats are ordered as integers that their bits make, among which NaN is the greatest.

The k largest take runs of k only, of which those of the upper half fall. Of one that rises and one
that falls, the greater of each two elements are the k largest of both, and rise and fall, or fall
and rise, again:

    1 3 | 4 2      the greater of each two:  4 3

That upper half is mostly in other registers of the same thread, which so holds half as many.
"""

from __future__ import annotations

from math import prod
from typing import Any

from tilewright.language.arithmetic import maximum, minimum
from tilewright.language.casts import convert, convert_bits
from tilewright.language.comparisons import where
from tilewright.language.context import constant, current, word
from tilewright.language.creation import arange
from tilewright.language.reductions import reduce_tile, xor_sum
from tilewright.language.repetition import repeat
from tilewright.language.shapes import check_numbers, normalize_axis, permute, ravel, reshape
from tilewright.language.tensor import read_constant, tensor
from tilewright.language.types import (
    bfloat16,
    dtype,
    float16,
    float32,
    float64,
    get_int_dtype,
    int32,
)

# How many elements of a register a thread may put in place in all steps together before they become
# a loop: a second or two of compiling, and as long in ptxas.
_UNROLLED = 8192


def _check_tile(x: Any, dim: Any, what: str) -> None:
    """Numbers that compare, along the last dimension."""
    check_numbers(x, what)
    if x.dtype.is_fp8():
        raise TypeError(f"no GPU compares {x.dtype}: cast it by .to(tl.float16)")
    last = len(x.type.shape) - 1
    axis = read_constant(dim, "dim")
    if axis is not None and normalize_axis(axis, last + 1) != last:
        raise ValueError(f"{what} goes along the last dimension, {last}, not along {axis}")


def _log2(extent: int) -> int:
    return extent.bit_length() - 1


@word
def sort(x: Any, dim: Any = None, descending: Any = False) -> tensor:
    """The elements in order along the last dimension; NaN is greater than all numbers."""
    _check_tile(x, dim, "sort")
    falls = bool(read_constant(descending, "descending"))
    last = _log2(x.type.shape[-1])
    # As rows behind each other: runs of a power of two never cross from one to the next.
    tile = _sort_runs(_to_order(ravel(x)), last, None, falls)
    return reshape(_from_order(tile, x.dtype), x.type.shape)


@word
def topk(x: Any, k: Any, dim: Any = None) -> tensor:
    """The `k` largest elements along the last dimension, a power of two of them, the largest first.

    NaN is greater than all numbers.
    """
    _check_tile(x, dim, "topk")
    (*outer, extent) = x.type.shape
    count = read_constant(k, "k")
    if isinstance(count, bool) or not isinstance(count, int) or count < 1 or count & (count - 1):
        raise ValueError(f"k of topk is a power of two, not {count!r}: a mask leaves out the rest")
    if count > extent:
        raise ValueError(f"topk is to give {count} of {extent} elements")
    run, last = _log2(count), _log2(extent)
    tile = _sort_runs(_to_order(ravel(x)), run, last - 1 if run < last else None, falls=True)
    for rest in reversed(range(run, last)):
        pairs = reshape(tile, (tile.numel >> (rest + 1), 2, 1 << rest))
        tile = ravel(reduce_tile(pairs, 1, maximum))
        tile = _merge(tile, run, rest - 1 if run < rest else None, falls=True)
    return reshape(_from_order(tile, x.dtype), (*outer, count))


@word
def bitonic_merge(x: Any, dim: Any = None, descending: Any = False) -> tensor:
    """The elements in order along the last dimension, where they rise and fall, or fall and rise.

    It is the last step of `sort`: of other elements it makes no order.
    """
    _check_tile(x, dim, "bitonic_merge")
    falls = bool(read_constant(descending, "descending"))
    tile = _merge(_to_order(ravel(x)), _log2(x.type.shape[-1]), None, falls)
    return reshape(_from_order(tile, x.dtype), x.type.shape)


@word
def flip(x: Any, dim: Any = None) -> tensor:
    """The elements in the opposite order along a dimension, by default the last one."""
    check_numbers(x, "flip")
    shape = x.type.shape
    axis = read_constant(dim, "dim")
    axis = normalize_axis(-1 if axis is None else axis, len(shape))
    bits, inner = _log2(shape[axis]), prod(shape[axis + 1 :])

    def exchange(x: tensor, width: int) -> tensor:
        return _take_others(reshape(x, (x.numel // (2 * width), 2, width)))

    # Each bit of the place along the axis becomes the other one.
    if _is_loop(x, bits):
        return reshape(
            repeat(bits, ravel(x), lambda _, x: ravel(exchange(_rotate(x, bits, inner), inner))),
            shape,
        )
    for distance in range(bits):
        x = exchange(x, inner << distance)
    return reshape(x, shape)


#: Where the mantissa begins, by the bits of a float: infinity is all ones of the exponent.
_MANTISSAS = {float16: 10, bfloat16: 7, float32: 23, float64: 52}


def _to_order(x: tensor) -> tensor:
    """Integers in the order of the elements, of at least 32 bits, which are compared at once."""
    ordered = _integers_in_order(x) if x.dtype.is_floating() else x
    return convert(ordered, int32) if ordered.dtype.int_bitwidth < 32 else ordered


def _integers_in_order(x: tensor) -> tensor:
    """Those of floats below 0 count the other way; NaN loses its sign."""
    kind = get_int_dtype(x.dtype.primitive_bitwidth, signed=True)
    largest = kind.get_int_max_value()
    infinity = largest >> _MANTISSAS[x.dtype] << _MANTISSAS[x.dtype]
    bits = convert_bits(x, kind)
    size = bits & largest
    return where((bits < 0) & (size <= infinity), bits ^ largest, size)


def _from_order(x: tensor, kind: dtype) -> tensor:
    """The elements again."""
    if not kind.is_floating():
        return convert(x, kind)
    x = convert(x, get_int_dtype(kind.primitive_bitwidth, signed=True))
    return convert_bits(where(x < 0, x ^ x.dtype.get_int_max_value(), x), kind)


def _sort_runs(tile: tensor, run: int, turn: int | None, falls: bool) -> tensor:
    """Runs of 2^run elements in order.

    Args:
        turn: The bit of the place of those that are the other way; none: all of them are alike.
    """
    if _is_loop(tile, run * (run + 1) // 2):
        return _merge_in_loop(tile, 1, run, turn, falls)
    for stage in range(1, run + 1):
        tile = _merge(tile, stage, stage if stage < run else turn, falls)
    return tile


def _merge(tile: tensor, size: int, turn: int | None, falls: bool) -> tensor:
    """Puts runs of 2^size elements in order that rise and fall, or fall and rise."""
    if _is_loop(tile, size):
        return _merge_in_loop(tile, size, size, turn, falls)
    (count,) = tile.type.shape
    places = arange(0, count)
    for distance in reversed(range(size)):
        falling = _has_bit(places, turn) if turn is not None else None
        tile = _exchange(tile, distance, _takes_larger(places, distance, falls, falling))
    return tile


def _merge_in_loop(tile: tensor, first: int, size: int, turn: int | None, falls: bool) -> tensor:
    """Merges runs of 2^first elements, and so on up to those of 2^size, by one code.

    Each takes `size` rounds, after which all places are as they were. Those of the distances that
    are none of its own exchange nothing.
    """
    (count,) = tile.type.shape

    def do_round(number: tensor, tile: tensor) -> tensor:
        run, turns = number // size + first, number % size + 1
        places = arange(0, count)
        # Of a place's bits those below `size` have gone round.
        bit = where(run < size, (run + turns) % size, constant(turn or 0, int32))
        falling = _has_bit(places, bit)
        if turn is None:
            falling = falling & (run < size)
        takes_larger = _takes_larger(places, 0, falls, falling)
        rotated = _rotate(tile, size, 1)
        return where(size - turns < run, _exchange(rotated, 0, takes_larger), rotated)

    return repeat((size - first + 1) * size, tile, do_round)


def _is_loop(tile: tensor, steps: int) -> bool:
    """Whether so many steps are long as code."""
    registers = tile.numel * max(tile.dtype.primitive_bitwidth, 32) // 32
    return steps * registers // (32 * current().num_warps) > _UNROLLED


def _rotate(tile: tensor, bits: int, inner: int) -> tensor:
    """The upper one of that many bits of a place becomes the lowest, above those of `inner`."""
    shape = (tile.numel // (inner << bits), 2, 1 << (bits - 1), inner)
    return ravel(permute(reshape(tile, shape), (0, 2, 1, 3)))


def _take_others(pairs: tensor) -> tensor:
    """For each element the other one of its pair, along the dimension in the middle, of extent 2.

    What both have in common goes out of the sum of their bits.
    """
    bits = convert_bits(pairs, get_int_dtype(pairs.dtype.primitive_bitwidth, signed=False))
    other_bits = convert(xor_sum(bits, 1, True), bits.dtype) ^ bits
    return convert_bits(other_bits, pairs.dtype)


def _has_bit(places: tensor, bit: Any) -> tensor:
    has_bit: tensor = ((places >> bit) & 1) == 1
    return has_bit


def _takes_larger(places: tensor, distance: int, falls: bool, falling: tensor | None) -> tensor:
    """Which elements become the larger of theirs and that 2^distance places away.

    Args:
        falling: Those of runs that are the other way; none: all of them are alike.
    """
    larger = ((places >> distance) & 1) == (0 if falls else 1)
    return larger if falling is None else larger ^ falling


def _exchange(tile: tensor, distance: int, takes_larger: tensor) -> tensor:
    """Puts each two elements that are 2^distance apart in order."""
    (count,) = tile.type.shape
    pairs = reshape(tile, (count >> (distance + 1), 2, 1 << distance))
    other = reshape(_take_others(pairs), (count,))
    return where(takes_larger, maximum(tile, other), minimum(tile, other))
