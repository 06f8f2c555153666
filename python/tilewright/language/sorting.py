"""Words that put elements in another order.

A bitonic network sorts runs of 2, 4, 8, ... elements, each second one downwards, so that two
neighbours rise and fall, or fall and rise; such a run of 2 n is sorted by comparing each element
with that n places on, then n / 2, and so on. All of it is known when the kernel is compiled:

    3 1 | 2 4      runs of 2, up and down:   1 3 | 4 2
    1 3 4 2        2 places apart, then 1:   1 2 4 3,  1 2 3 4

What is compared is near each other more often than far apart, and the order before does not
matter. So a thread has neighbours, and few threads have a row (`tile.any_order`). Runs that a warp
has all go upwards: what rises and falls is one of them and the other one from its end on.

    1 3 | 2 4      the first and the last, ...:  1 2 | 3 4

Lanes exchange by several bits of their number as easily as by one; warps do not. So where runs of
several warps are merged, some go downwards, and the bits of their keys are the other ones.

Elements of 16 bits are two in a word, where a target compares both at once: the lower half of a row
and its upper half, sorted each, the upper one downwards. They become keys, and elements again, as
pairs.

Code for each of these steps is long where threads hold many elements. Then one code is in a loop:
the bits of a place go round by one before each step, so that what is compared always stands side
by side, as in Stone's sorter (IEEE Transactions on Computers C-20, 1971):

    place 0 1 2 3 4 5 6 7 = abc   0 4 1 5 2 6 3 7 = bca   0 2 4 6 1 3 5 7 = cab   and abc again

Floats are ordered as integers that their bits make, among which NaN is the greatest.

The k largest take runs of k only, of which those of every other one fall. Of one that rises and one
that falls, the greater of each two elements are the k largest of both, and rise and fall, or fall
and rise, again:

    1 3 | 4 2      the greater of each two:  4 3

The other run is mostly in other registers of the same thread, which so holds half as many.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

from tilewright.language.arithmetic import maximum, minimum
from tilewright.language.casts import convert, convert_bits
from tilewright.language.comparisons import where
from tilewright.language.context import constant, current, emit, word
from tilewright.language.creation import arange
from tilewright.language.reductions import reduce_tile, sum, xor_sum
from tilewright.language.repetition import repeat
from tilewright.language.shapes import (
    broadcast_to_shape,
    check_numbers,
    expand_dims,
    normalize_axis,
    permute,
    ravel,
    reshape,
)
from tilewright.language.tensor import read_constant, tensor
from tilewright.language.types import (
    bfloat16,
    dtype,
    float16,
    float32,
    float64,
    get_int_dtype,
    int1,
    int16,
    int32,
    uint16,
    uint32,
)
from tilewright.sizes import is_integer

# Which runs are the other way: those with a bit of the place, or those of upper halves; none is.
Turn: TypeAlias = "int | None"
#: Instead of a bit of the place.
_UPPER_HALVES = -1

# Of the places of threads in a warp.
_LANE_BITS = 5

# What compares no pairs of numbers at once.
_WITHOUT_PAIRS = ("sm_80", "sm_86", "sm_89")

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
    if _are_pairs(x, last - 1):
        pairs = _sort_runs(_make_pairs(x), last - 1, _UPPER_HALVES, falls, _PAIRS)
        pairs = _merge(_exchange_halves(pairs, falls), last - 1, None, falls, _PAIRS)
        return reshape(_from_pairs(pairs, last - 1, x.dtype), x.type.shape)
    keys = _sort_runs(_make_words(x, last * (last + 1) // 2), last, None, falls, _WORDS)
    return reshape(_from_order(keys, x.dtype), x.type.shape)


@word
def topk(x: Any, k: Any, dim: Any = None) -> tensor:
    """The `k` largest elements along the last dimension, a power of two of them, the largest first.

    NaN is greater than all numbers.
    """
    _check_tile(x, dim, "topk")
    (*outer, extent) = x.type.shape
    count = read_constant(k, "k")
    if not is_integer(count) or count < 1 or count & (count - 1):
        raise ValueError(f"k of topk is a power of two, not {count!r}: a mask leaves out the rest")
    if count > extent:
        raise ValueError(f"topk is to give {count} of {extent} elements")
    run, last = _log2(count), _log2(extent)
    if _are_pairs(x, last - 1) and run < last:
        pairs = _keep_largest(_make_pairs(x), run, last - 1, _UPPER_HALVES, _PAIRS)
        largest = _take_lower(_PAIRS.greater(pairs, _exchange(pairs)))
        keys = _merge(largest, run, None, True, _WORDS)
    else:
        steps = run * (run + 1) // 2
        keys = _keep_largest(_make_words(x, steps), run, last, None, _WORDS)
    return reshape(_from_order(keys, x.dtype), (*outer, count))


@word
def bitonic_merge(x: Any, dim: Any = None, descending: Any = False) -> tensor:
    """The elements in order along the last dimension, where they rise and fall, or fall and rise.

    It is the last step of `sort`: of other elements it makes no order.
    """
    _check_tile(x, dim, "bitonic_merge")
    falls = bool(read_constant(descending, "descending"))
    tile = _merge(ravel(_to_order(x)), _log2(x.type.shape[-1]), None, falls, _WORDS)
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


#: Bits of the mantissas of floats.
_MANTISSAS = {float16: 10, bfloat16: 7, float32: 23, float64: 52}


def _to_order(x: tensor) -> tensor:
    """Integers in the order of the elements, of at least 32 bits, which are compared at once."""
    ordered = _integers_in_order(x) if x.dtype.is_floating() else x
    return convert(ordered, int32) if ordered.dtype.int_bitwidth < 32 else ordered


def _integers_in_order(x: tensor) -> tensor:
    """Those of floats below 0 count the other way. The least is that of minus infinity: NaN with a
    sign, which would be below it, is the greatest."""
    kind = get_int_dtype(x.dtype.primitive_bitwidth, signed=True)
    return _turn_negative(convert_bits(x, kind)) - _count_nan(x.dtype)


def _from_order(x: tensor, kind: dtype) -> tensor:
    """The elements again."""
    if not kind.is_floating():
        return convert(x, kind)
    x = convert(x, get_int_dtype(kind.primitive_bitwidth, signed=True))
    return convert_bits(_turn_negative(x + _count_nan(kind)), kind)


def _turn_negative(bits: tensor) -> tensor:
    """All bits but the sign are the other ones where it is set."""
    sign = bits >> (bits.dtype.primitive_bitwidth - 1)
    return bits ^ (sign & bits.dtype.get_int_max_value())


def _count_nan(kind: dtype) -> int:
    """How many NaN of each sign a type of floats has."""
    return (1 << _MANTISSAS[kind]) - 1


@dataclass(frozen=True)
class _Order:
    """The words that compare keys."""

    smaller: Callable[..., Any]
    greater: Callable[..., Any]


_WORDS = _Order(minimum, maximum)
#: Each key of 32 bits is two of 16, with a sign.
_PAIRS = _Order(
    lambda a, b: emit("tile.pair_min", [a, b], a.type),
    lambda a, b: emit("tile.pair_max", [a, b], a.type),
)


def _put_in_any_order(keys: tensor) -> tensor:
    """Keys along the last dimension as threads that have neighbours hold them."""
    return emit("tile.any_order", [keys], keys.type)


def _make_words(x: tensor, steps: int) -> tensor:
    """A key for each element, to go through so many steps."""
    return ravel(_to_order(x if _is_loop(x, steps) else _put_in_any_order(x)))


def _are_pairs(x: tensor, run: int) -> bool:
    """Whether threads have pairs of keys of 16 bits, in runs of 2^run, and compare them at once."""
    return (
        run > 0
        and x.dtype.primitive_bitwidth <= 16
        and x.dtype not in (int1, uint16)  # Which have no sign.
        and current().target not in _WITHOUT_PAIRS
        and x.numel >= 2 * 32 * current().num_warps
        and not _is_loop(x, run * (run + 1) // 2)
    )


def _make_pairs(x: tensor) -> tensor:
    """The same of pairs of elements."""
    bits = _put_in_any_order(x)
    if x.dtype.is_floating():
        bits = convert_bits(bits, uint16)
    bits = convert(convert(bits, uint16), int32)
    bits = reshape(bits, (x.numel // 2, 2))
    is_upper = expand_dims(arange(0, 2), 0) == 1
    pairs = sum(where(is_upper, bits << 16, bits), 1)
    return _pairs_in_order(pairs, x.dtype) if x.dtype.is_floating() else pairs


#: The signs of a pair.
_SIGNS = -0x7FFF8000


def _pairs_in_order(pairs: tensor, kind: dtype) -> tensor:
    """What `_integers_in_order` makes of each of two floats of 16 bits."""
    # A sign that is set keeps a half from borrowing of the other one.
    less = (_turn_negative_halves(pairs) | _SIGNS) - _count_nan(kind) * 0x10001
    in_order: tensor = less ^ ((pairs & _SIGNS) ^ _SIGNS)
    return in_order


def _pairs_from_order(pairs: tensor, kind: dtype) -> tensor:
    """The bits of both floats again."""
    more = (pairs & ~_SIGNS) + _count_nan(kind) * 0x10001
    return _turn_negative_halves(more ^ (pairs & _SIGNS))


def _turn_negative_halves(pairs: tensor) -> tensor:
    """What `_turn_negative` does with each half."""
    signs = (pairs >> 15) & 0x10001
    turned: tensor = pairs ^ (signs * 0x7FFF)
    return turned


def _exchange(pairs: tensor) -> tensor:
    """Pairs whose halves have changed places."""
    bits = convert_bits(pairs, uint32)
    return convert_bits((bits << 16) | (bits >> 16), int32)


def _exchange_halves(pairs: tensor, falls: bool) -> tensor:
    """Puts both halves of each pair in order."""
    others = _exchange(pairs)
    smaller, greater = _PAIRS.smaller(pairs, others), _PAIRS.greater(pairs, others)
    lower, upper = (greater, smaller) if falls else (smaller, greater)
    in_order: tensor = (lower & 0xFFFF) | (upper & -0x10000)
    return in_order


def _take_lower(pairs: tensor) -> tensor:
    return (pairs << 16) >> 16


def _take_apart(pairs: tensor, run: int) -> tensor:
    """The parts of runs of 2^run pairs: the lower halves, then the upper ones."""
    shape = (pairs.numel >> run, 2, 1 << run)
    halves = [convert(half, int16) for half in (pairs, pairs >> 16)]
    lower, upper = (
        broadcast_to_shape(reshape(half, (shape[0], 1, shape[2])), shape) for half in halves
    )
    is_upper = expand_dims(arange(0, 2), [0, 2]) == 1
    return _stay(ravel(where(is_upper, upper, lower)))


def _stay(x: tensor) -> tensor:
    """The same, which is made where what it is made of is, and not once more for who takes it: so
    stand reductions, as this one of one element each."""
    return reduce_tile(expand_dims(x, 1), 1, maximum)


def _from_pairs(pairs: tensor, run: int, kind: dtype) -> tensor:
    """The elements again, those of the lower halves of runs of 2^run pairs first."""
    if not kind.is_floating():
        return convert(_take_apart(pairs, run), kind)
    return convert_bits(_take_apart(_pairs_from_order(pairs, kind), run), kind)


def _keep_largest(keys: tensor, run: int, last: int, turn: Turn, order: _Order) -> tensor:
    """The 2^run largest of runs of 2^last keys, falling."""
    keys = _sort_runs(keys, run, run if run < last else turn, True, order)
    for rest in reversed(range(run, last)):
        runs = reshape(keys, (keys.numel >> (run + 1), 2, 1 << run))
        keys = ravel(reduce_tile(runs, 1, order.greater))
        keys = _merge(keys, run, run if run < rest else turn, True, order)
    return keys


def _sort_runs(keys: tensor, run: int, turn: Turn, falls: bool, order: _Order) -> tensor:
    """Runs of 2^run keys in order.

    Args:
        turn: The bit of the place of those that are the other way; none: all of them are alike.
    """
    if _is_loop(keys, run * (run + 1) // 2):
        return _merge_in_loop(keys, 1, run, turn, falls)
    alike = min(run, _log2(_count_neighbours(keys)) + _LANE_BITS)
    keys = _sort_alike(keys, alike, alike if alike < run else turn, falls, order)
    for stage in range(alike + 1, run + 1):
        keys = _merge(keys, stage, stage if stage < run else turn, falls, order)
    return keys


def _sort_alike(keys: tensor, run: int, turn: Turn, falls: bool, order: _Order) -> tensor:
    """The same of runs that warps have for themselves.

    Those that become one go the same way, so that the first element of one is compared with the
    last one of the other.
    """
    with_turn = _Turned(keys, turn, falls)
    keys = with_turn.turn(keys)
    for stage in range(1, run + 1):
        keys = _compare(keys, _mirror(keys, stage), with_turn.takes_larger(stage - 1), order)
        for distance in reversed(range(stage - 1)):
            others = _find_partners(keys, distance)
            keys = _compare(keys, others, with_turn.takes_larger(distance), order)
    return with_turn.turn(keys)


def _merge(keys: tensor, size: int, turn: Turn, falls: bool, order: _Order) -> tensor:
    """Puts runs of 2^size keys in order that rise and fall, or fall and rise."""
    if _is_loop(keys, size):
        return _merge_in_loop(keys, size, size, turn, falls)
    with_turn = _Turned(keys, turn, falls)
    keys = with_turn.turn(keys)
    for distance in reversed(range(size)):
        others = _find_partners(keys, distance)
        keys = _compare(keys, others, with_turn.takes_larger(distance), order)
    return with_turn.turn(keys)


class _Turned:
    """Runs of which some are the other way: such have keys of other bits, or exchange extremes."""

    def __init__(self, keys: tensor, turn: Turn, falls: bool) -> None:
        self.falls = falls
        self.places = arange(0, keys.numel)
        self.others = _find_others(self.places, turn, keys.dtype)
        is_known = self.others is None and turn is not None
        self.falling = _has_bit(self.places, turn) if is_known else None

    def turn(self, keys: tensor) -> tensor:
        return keys if self.others is None else keys ^ self.others

    def takes_larger(self, distance: int) -> tensor:
        return _takes_larger(self.places, distance, self.falls, self.falling)


def _find_others(places: tensor, turn: Turn, kind: dtype) -> tensor | int | None:
    """Which bits keys of runs that are the other way have exchanged, so that they are not; none
    where a thread has such and others, and knows which."""
    if turn == _UPPER_HALVES:
        return -0x10000
    if turn is None or 1 << turn < _count_neighbours(places):
        return None
    ones = kind.get_int_max_value() if kind.is_int_unsigned() else -1
    return where(_has_bit(places, turn), constant(ones, kind), constant(0, kind))


def _count_neighbours(tile: tensor) -> int:
    """How many elements that follow one another a thread has, or more."""
    return max(1, tile.numel // (32 * current().num_warps))


def _merge_in_loop(tile: tensor, first: int, size: int, turn: Turn, falls: bool) -> tensor:
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
        merged = _compare(rotated, _find_partners(rotated, 0), takes_larger, _WORDS)
        return where(size - turns < run, merged, rotated)

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


def _find_partners(tile: tensor, distance: int) -> tensor:
    """For each element the one whose place has another bit."""
    pairs = reshape(tile, (tile.numel >> (distance + 1), 2, 1 << distance))
    return reshape(_take_others(pairs), (tile.numel,))


def _mirror(tile: tensor, size: int) -> tensor:
    """Runs of 2^size elements the other way round."""
    for distance in range(size):
        tile = _find_partners(tile, distance)
    return tile


def _compare(tile: tensor, other: tensor, takes_larger: tensor, order: _Order) -> tensor:
    """Puts each two keys in order, of which one is in `tile` and the other one in `other`."""
    if tile.dtype.primitive_bitwidth > 32:
        # An extreme of 64 bits is made of comparisons and choices: one comparison will do for both.
        return where((tile < other) == takes_larger, other, tile)
    return where(takes_larger, order.greater(tile, other), order.smaller(tile, other))
