"""The dimensions of an array in another order: transposes, and all other permutations."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import address, strides, together, words
from costs_of_blocks import (
    COSTS,
    MOST_TOGETHER,
    OTHERS,
    Dim,
    are_pairs,
    choose_block,
    count_waste,
    estimate,
    find_multiple,
    follow,
    length,
    list_ways,
    parts,
    step_of,
)


@tilewright.jit
def along(index, extents, strides, reciprocals):
    """Where elements are along dimensions that count as one, from the fastest on."""
    place = tl.zeros_like(index).to(tl.int64)
    for d in tl.static_range(len(extents) - 1):
        if len(reciprocals) > 0:
            factor, shift = reciprocals[d]
            further = tl.umulhi(index, factor) >> shift
            rest = index - further * extents[d]
        else:
            further, rest = index // extents[d], index % extents[d]
        place += rest.to(tl.int64) * strides[d]
        index = further
    return place + index.to(tl.int64) * strides[-1]


@tilewright.jit
def every(STEP: tl.constexpr, FIRST: tl.constexpr, SIZE: tl.constexpr):
    return tl.arange(0, SIZE // STEP) * STEP + FIRST


@tilewright.jit
def number_of_block(axis: tl.constexpr, apart, STREAMS: tl.constexpr):
    """Blocks in order, or those of so many streams in turn, each so many blocks behind the one
    before."""
    number = tl.program_id(axis)
    if STREAMS > 1:
        place = number % (apart * STREAMS)
        number += place % STREAMS * apart + place // STREAMS - place
    return number


@tilewright.jit
def places(
    rest, back, extents, parts, steps,
    BLOCK: tl.constexpr, PLACES: tl.constexpr, FIRST: tl.constexpr, STEP: tl.constexpr,
):  # fmt: skip
    """Where the elements of a block are in an array, and which are inside. Of its last dimension,
    every so many from the first one on. `rest` is the number of the block along the dimensions that
    share an axis of the grid; `back`: how far it begins in front of that along the first one."""
    place = tl.zeros([1], tl.int64)
    inside = tl.full([1], 1, tl.int1)
    for d in tl.static_range(len(BLOCK)):
        if d == len(BLOCK) - 1:
            index = every(STEP, FIRST, BLOCK[d]).to(PLACES)
        else:
            index = every(1, 0, BLOCK[d]).to(PLACES)
        if d < len(steps):
            index += (rest // steps[d]).to(PLACES) * BLOCK[d]
            rest %= steps[d]
        else:
            index += tl.program_id(len(BLOCK) - 1 - d).to(PLACES) * BLOCK[d]
        if d == 0:
            index -= back
        inside = tl.expand_dims(inside, -1) & (index < extents[d])
        place = tl.expand_dims(place, -1) + along(index, parts[d][0], parts[d][1], parts[d][2])
    return place, inside


@tilewright.jit
def copy_block(
    x, out, number, back, extents, x_parts, out_parts, steps,
    BLOCK: tl.constexpr, PLACES: tl.constexpr, IN_FOURS: tl.constexpr,
):  # fmt: skip
    there, inside = places(number, back, extents, out_parts, steps, BLOCK, PLACES, 0, 1)
    if IN_FOURS:
        # A thread loads four by themselves, for which the first brings the others, and stores them
        # at once.
        fours = ()
        for first in tl.static_range(4):
            here, are_inside = places(
                number, back, extents, x_parts, steps, BLOCK, PLACES, first, 4
            )
            fours += (tl.load(x + here, mask=are_inside),)
        even, odd = tl.join(fours[0], fours[2]), tl.join(fours[1], fours[3])
        block = tl.reshape(tl.join(even, odd), BLOCK)
    else:
        here, _ = places(number, back, extents, x_parts, steps, BLOCK, PLACES, 0, 1)
        block = tl.load(x + here, mask=inside)
    tl.store(out + there, block, mask=inside)


@tilewright.jit
def permute_kernel(
    x, out, extents, x_parts, out_parts, steps, apart,
    BLOCK: tl.constexpr, IN_FOURS: tl.constexpr = False, STREAMS: tl.constexpr = 1,
    NARROW: tl.constexpr = None, narrow=None, PLACES: tl.constexpr = tl.int32,
):  # fmt: skip
    """Copies a block. The last dimension is the one along which `out` is dense. The last ones may
    have axes of the grid, and `steps` says of the others how many programs there are until one is
    further along them. A dimension is several in an array where `x_parts` or `out_parts` have their
    extents and strides. `NARROW`: the block of so many first programs along the first dimension.
    `PLACES`: what counts the elements of a dimension."""
    number = number_of_block(len(BLOCK) - len(steps), apart, STREAMS)
    if NARROW is None:
        copy_block(x, out, number, 0, extents, x_parts, out_parts, steps, BLOCK, PLACES, IN_FOURS)
    elif number < narrow:
        copy_block(x, out, number, 0, extents, x_parts, out_parts, steps, NARROW, PLACES, IN_FOURS)
    else:
        back = narrow * (BLOCK[0] - NARROW[0])
        copy_block(
            x, out, number, back, extents, x_parts, out_parts, steps, BLOCK, PLACES, IN_FOURS
        )


def collapse(
    shape: Sequence[int], x_strides: Sequence[int], out_strides: Sequence[int]
) -> list[Dim]:
    """The dimensions as (extent, stride of x, stride of out), with that first along which `out` is
    dense, without those of one element. What is one dimension in both arrays is one here."""
    dims: list[Dim] = []
    given = zip(shape, x_strides, out_strides, strict=True)
    for n, here, there in sorted(given, key=lambda dim: abs(dim[2])):
        if dims and (here, there) == (dims[-1][0] * dims[-1][1], dims[-1][0] * dims[-1][2]):
            dims[-1] = (n * dims[-1][0], *dims[-1][1:])
        elif n != 1:
            dims.append((n, here, there))
    return dims or [(1, 1, 1)]


# How many elements of so many bytes a program has side by side in `out` and in `x`, and its warps:
# where blocks fit, where they do not, and where rows begin anywhere.
SHAPES = {
    1: ((128, 256, 8), (128, 128, 8), (64, 128, 4)),
    2: ((128, 128, 16), (128, 64, 16), (128, 64, 4)),
    4: ((64, 64, 16), (64, 64, 16), (128, 64, 8)),
    8: ((64, 32, 16), (32, 64, 16), (64, 64, 8)),
}

# Where blocks fit, and multiprocessors have so few bytes of an array each that they would end at
# different times.
FEW = {2: (64, 64, 8), 4: (32, 64, 8), 8: (32, 32, 8)}
FEW_BYTES = 1 << 18
# Of so many rows and columns few blocks do not fit.
LENGTH = {1: 2048, 2: 2048}
# Those where they are so long, and rows begin with words.
WORDS = {1: (256, 128, 16), 2: (128, 64, 16)}
# Rows of halves that begin with words, all of which a block has.
WHOLE = (128, 128, 8)
# Where rows begin anywhere, and those of `out` are so long.
TALL = {1: (128, 128, 8)}
TALL_LENGTH = 512
# Elements of 16 bytes, of which 8 are side by side in `out`.
PAIRS = (16, 64, 8)
# Rows that stay rows, and begin anywhere.
STAYING = {1: (1024, 8, 8), 2: (256, 16, 8), 4: (128, 8, 4), 8: (128, 8, 4)}
# Those that are so long.
STAYING_LONG = {4: (1024, 8, 4)}
STAYING_LENGTH = 512
# Where they fit, and an array has so many bytes.
MANY = {1: (256, 256, 16)}
MANY_BYTES = 1 << 27
# As much, where they do not fit.
LONG_BYTES = 1 << 25

# Where rows of `out` begin anywhere, and those of `x` with words: lanes put words together. At most
# how many times as many elements blocks have as there are, and where rows of `x` are long.
BY_WORDS = {1: ((256, 128, 8), 1.6, 1.6), 2: ((256, 64, 8), 1.15, 2)}
LONG_BY_WORDS = 32

# Where words are put together.
LARGE = {1: (512, 128, 16), 2: (256, 128, 8)}
# Where rows of `out` are so long: those of a block have 256 bytes, and end with sectors.
SECTORS = {1: (256, 128, 16), 2: (128, 128, 16), 4: (64, 64, 8), 8: (32, 64, 8)}
LONG = {1: 4096, 2: 4096, 4: 512, 8: 512}
# Where those of `out` are so long, and those of `x` shorter than that.
SHORT = {1: (512, 64, (256, 64, 8)), 2: (512, 14, (128, 64, 8))}
# Where blocks of the GPU walk along strips of so many rows of `x`, if all have work.
WALKS = {1: (256, 64, 16)}
# Of so many pixels, whose few elements lie side by side in `x`: how many, and warps.
PIXELS = {1: (2048, 4), 2: (1024, 4)}


def begins_with_vectors(dims: Sequence[Dim], size: int) -> bool:
    """Whether all rows do, in both arrays, of elements of so many bytes."""
    return all(step * size % 16 == 0 for dim in dims for step in dim[1:] if abs(step) > 1)


def count_together(dims: Sequence[Dim], size: int, beside: int) -> int:
    """How many elements that stay side by side can be moved as one, if arrays begin so many bytes
    beside a word of 8; 1 where rows begin with vectors, and are moved by these."""
    if not dims[0][1] == dims[0][2] == 1 or begins_with_vectors(dims, size):
        return 1
    numbers = [dims[0][0], *(step for dim in dims[1:] for step in dim[1:])]
    counts = [8 // size >> shift for shift in range(3) if 8 // size >> shift > 1]
    fits = (n for n in counts if all(a % n == 0 for a in numbers) and beside % (n * size) == 0)
    return next(fits, 1)


@cache
def find_together(
    extents: tuple[int, ...], x_strides: tuple[int, ...], out_strides: tuple[int, ...], size: int,
    beside: int,
) -> tuple[int, list[Dim]]:  # fmt: skip
    dims = collapse(extents, x_strides, out_strides)
    return count_together(dims, size, beside), dims


def find_odd_rows(dims: Sequence[Dim], size: int) -> list[Dim]:
    """The dimensions of rows of small elements that begin anywhere, stay rows and follow one
    another in `out`, where all of them together begin with words; else none. What follows one
    another in `x` is by itself: of its rows a program has several, at the same places."""
    if size >= 4 or not dims[0][1] == dims[0][2] == 1 or begins_with_vectors(dims, size):
        return []
    beside = min(dims[1:], key=step_of)
    rows = follow([dim for dim in dims if dim != beside], dims[0], 2)
    fits = all(dim[2] % 4 == 0 for dim in dims if dim not in rows)
    return rows if fits and len(rows) > 1 and length(rows) <= MOST_TOGETHER else []


def find_device(x: Any) -> int:
    """The number of the GPU that has `x`, or of the current one."""
    number = getattr(getattr(x, "device", None), "index", None)
    if isinstance(number, int):
        return number
    return tilewright.runtime.driver.active.get_current_device()


@cache
def properties_of(device: int) -> dict[str, int]:
    return tilewright.runtime.driver.active.utils.get_device_properties(device)


@cache
def have_work(rows: int, strip: int, device: int) -> bool:
    """Whether there is room for a strip, 512 bytes for each of its rows and those of a sector more,
    and few multiprocessors are left where each strip of so many rows has as many."""
    properties = properties_of(device)
    count = properties["multiprocessor_count"]
    each = count // tilewright.cdiv(rows, strip)
    return (
        properties["max_shared_mem"] >= (strip + 32) * 512 and rows / strip * each >= 0.88 * count
    )


def are_long(dims: Sequence[Dim], x_row: Dim, size: int) -> bool:
    """Whether few blocks do not fit, along the rows of both arrays."""
    return min(dims[0][0], x_row[0]) >= LENGTH.get(size, math.inf)


def choose_aligned(dims: Sequence[Dim], x_row: Dim, size: int, device: int) -> tuple[int, int, int]:
    """One of these, of rows that begin with vectors in both arrays."""
    fitting, ragged, _ = SHAPES[size]

    def fits(shape: tuple[int, int, int]) -> bool:
        return dims[0][0] % shape[0] == x_row[0] % shape[1] == 0

    count = length(dims) * size
    if not fits(fitting):
        if not are_long(dims, x_row, size):
            return ragged
        if size in MANY:
            return MANY[size] if count >= LONG_BYTES else WORDS[size]
        return fitting
    if size in MANY and count >= MANY_BYTES and fits(MANY[size]):
        return MANY[size]
    if size in FEW and dims[0][1] != 1:
        multiprocessors = properties_of(device)["multiprocessor_count"]
        return FEW[size] if count <= FEW_BYTES * multiprocessors else fitting
    return fitting


def choose_shape(dims: Sequence[Dim], size: int, device: int = 0) -> tuple[int, int, int]:
    """One of these, for that GPU."""
    is_tall = size in TALL and dims[0][0] >= TALL_LENGTH
    odd = TALL[size] if is_tall else SHAPES[size][2]
    x_steps, out_steps = (
        [abs(dim[array]) * size for dim in dims if abs(dim[array]) > 1] for array in (1, 2)
    )
    x_row = min(dims, key=step_of)
    if are_pairs(dims, size):
        return PAIRS
    # Pixels go through shared memory in one run.
    is_pixel = x_row[1] == 1 and 1 < x_row[0] * size <= 16
    if size in PIXELS and is_pixel and 0 < dims[0][1] * size <= 16 and dims[0][0] >= 256:
        return (PIXELS[size][0], tilewright.next_power_of_2(x_row[0]), PIXELS[size][1])
    if any(step % 16 for step in x_steps + out_steps):
        # Rows that stay rows go through no shared memory, and need not be many.
        if find_odd_rows(dims, size):
            return (1024, 8, 4)
        if dims[0][1] == 1:
            is_long = size in STAYING_LONG and dims[0][0] >= STAYING_LENGTH
            return STAYING_LONG[size] if is_long else STAYING[size]
        # Where few of those of `x` begin with vectors, programs store whole sectors of long rows.
        turned = any(step % 16 for step in out_steps)
        few = turned and any(step % min(4 * size, 16) for step in x_steps)
        if few and size in SHORT:
            least, most, short = SHORT[size]
            if dims[0][0] >= least and x_row[0] < most:
                return short
        if few and dims[0][0] >= LONG[size]:
            walks = size in WALKS and len(dims) == 2 and x_row[0] >= LONG[size]
            if walks and have_work(dims[0][0], WALKS[size][0], device):
                return WALKS[size]
            return SECTORS[size]
        # Where those of `x` begin at no word, and those of `out` at no vector, words are put
        # together out of shared memory. Rows are long, as each begins and ends with elements.
        is_long = dims[0][0] >= LARGE[1][0] // 2
        if is_long and any(step % 4 for step in x_steps) and turned:
            return LARGE[size]
        if size in BY_WORDS and any(step % 4 for step in out_steps):
            by_words, *most = BY_WORDS[size]
            waste = tilewright.cdiv(dims[0][0], by_words[0]) * by_words[0] / dims[0][0]
            is_less = waste <= most[x_row[0] >= LONG_BY_WORDS]
            if is_less and not any(step % 4 for step in x_steps):
                return by_words
        if any(step % 4 for step in x_steps + out_steps):
            return odd
        if are_long(dims, x_row, size):
            return choose_aligned(dims, x_row, size, device) if size in MANY else WORDS[size]
        if size == 2 and WHOLE[1] // 2 < x_row[0] <= WHOLE[1]:
            return WHOLE
        by_lanes = size == 2 and turned and x_row[0] >= LONG_BY_WORDS
        return BY_WORDS[size][0] if by_lanes else odd
    return choose_aligned(dims, x_row, size, device)


def choose_streams(dims: Sequence[Dim], size: int) -> int:
    """Of large arrays, columns of two places meet in more channels of memory than those of one."""
    is_large = length(dims) * size >= 1 << 31
    return 2 if size == 8 and is_large and dims[0][1] != 1 else 1


# Of a row of `x`, between places that are read in turn.
APART_BYTES = 1 << 14


def find_apart(
    programs: Sequence[int], block: Sequence[int], dims: Sequence[Dim], size: int, streams: int
) -> int:
    """How many blocks streams are apart: as many as read so much of a row of `x`, if all
    of it is such parts, or as each stream has of all; 0 where they would not be alike."""
    row = min(range(len(dims)), key=lambda d: step_of(dims[d]))
    beside = APART_BYTES // (block[row] * size)
    if beside and programs[row] % (beside * streams) == 0:
        return math.prod(programs[:row]) * beside
    count = math.prod(programs)
    return count // streams if count % streams == 0 else 0


# What a multiprocessor has of an array at one time.
AT_ONCE_BYTES = 1 << 17


def halves_first(dims: Sequence[Dim], size: int, shape: tuple[int, ...], device: int) -> bool:
    """Whether the programs that begin first have half of a block, so that some store early: of
    transposes of small elements, where there are three times as many, and blocks fit."""
    if len(dims) != 2 or shape not in (MANY.get(size), SHAPES[size][0]) or size > 2:
        return False
    waves = length(dims) * size // (AT_ONCE_BYTES * properties_of(device)["multiprocessor_count"])
    x_row = min(dims, key=step_of)
    fits = dims[0][0] % shape[0] == x_row[0] % shape[1] == 0
    return fits and dims[0][1] != 1 and begins_with_vectors(dims, size) and waves >= 3


def count_first(programs: Sequence[int], block: Sequence[int], size: int, device: int) -> int:
    """How many blocks along the last dimension those have that begin first; 0 where they have no
    halves, or the grid has no room for twice as many."""
    bytes_at_once = AT_ONCE_BYTES * properties_of(device)["multiprocessor_count"]
    first = min(bytes_at_once // (math.prod(block) * size * programs[0]), programs[-1])
    return first if block[-1] > 1 and programs[-1] + first <= MOST_PROGRAMS else 0


def fit(chain: Sequence[Dim], run: int) -> Sequence[Dim]:
    """As few of them as one dimension of which blocks waste next to nothing, or the least."""

    def waste(count: int) -> float:
        extent = length(chain[:count])
        block = min(tilewright.next_power_of_2(extent), run)
        return max(1.03, tilewright.cdiv(extent, block) * block / extent)

    return chain[: min(range(1, len(chain) + 1), key=waste)]


def join(dims: Sequence[Dim], out_run: int, x_run: int) -> list[Sequence[Dim]]:
    """The dimensions, of which some that follow one another in one of the arrays count as one:
    that of 48 elements before one of 40 is 1920 long, of which blocks of 64 waste nothing."""
    groups: list[Sequence[Dim]] = []
    left = list(dims)
    for array, run in ((2, out_run), (1, x_run)):
        if dense := [dim for dim in left if abs(dim[array]) == 1 != abs(dim[3 - array])]:
            groups.append(fit(follow(left, dense[0], array), run))
            left = [dim for dim in left if dim not in groups[-1]]
    groups += [[dim] for dim in left]
    return sorted(groups, key=lambda group: abs(group[0][2]))


def choose_groups(dims: Sequence[Dim], size: int, out_run: int, x_run: int) -> list[Sequence[Dim]]:
    """The dimensions, of which those of a group count as one."""
    if rows := find_odd_rows(dims, size):
        return [rows, *([dim] for dim in dims if dim not in rows)]
    together = join(dims, out_run, x_run)
    if begins_with_vectors(dims, size):
        return together
    alone: list[Sequence[Dim]] = [[dim] for dim in dims]
    if not may_count_as_one(dims, size, out_run, x_run):
        return alone
    # Rows that begin anywhere have no vectors to lose, but short ones need what lies beside them.
    if length(together[0]) < out_run:
        together = [together[0], *(group for group in alone if group[0] not in together[0])]
    wastes = [count_waste(groups, out_run, x_run) for groups in (alone, together)]
    return together if wastes[0] >= WASTEFUL * wastes[1] else alone


def may_count_as_one(dims: Sequence[Dim], size: int, out_run: int, x_run: int) -> bool:
    """Whether odd rows may: not where a block of small elements moves whole rows, or has all of a
    row in either array."""
    if size >= 4:
        return True
    moved = [shapes[size][:2] for shapes in (LARGE, SECTORS, WALKS) if size in shapes]
    x_row = min(dims, key=step_of)
    return (out_run, x_run) not in moved and (dims[0][0] >= out_run or x_row[0] >= x_run)


# Elements of blocks by those that are inside, for which an index is worth a division.
WASTEFUL = 1.25


def choose(
    dims: Sequence[Dim], size: int, device: int
) -> tuple[Sequence[Sequence[Dim]], tuple[int, int, int]]:
    """Which dimensions count as one, and blocks."""
    shape = choose_shape(dims, size, device)
    chosen = choose_groups(dims, size, *shape[:2])
    if size == 4 and shape == SECTORS[4] and any(len(group) > 1 for group in chosen):
        shape = SHAPES[4][2]  # Whole sectors are stored of matrices only.
    pairs = are_pairs(dims, size)
    # Rows that stay rows have nothing to choose.
    if len(dims) < 2 or (dims[0][1] == dims[0][2] == 1 and not pairs):
        return chosen, shape
    cost = COSTS[16 if pairs else size].least * estimate(chosen, size, shape)
    best: Any = (chosen, shape)
    for groups in list_ways(dims):
        is_odd = (
            find_multiple(groups, size, 1) < 4 if size < 4 else not begins_with_vectors(dims, size)
        )
        for other in OTHERS[16 if pairs else size][is_odd]:
            if (found := estimate(groups, size, other)) < cost:
                cost, best = found, (groups, other)
    return best


# Along every axis of a grid but the first.
MOST_PROGRAMS = 65535


def place_programs(programs: Sequence[int], most: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The grid, and the steps of the dimensions that share its last axis. Up to so many have axes
    of their own, so that programs need not divide before they load. Those that follow one another
    write what is side by side."""
    for apart in range(min(most, len(programs) - 1), -1, -1):
        grid = (*programs[:apart], math.prod(programs[apart:]))
        if max(grid[1:], default=1) <= MOST_PROGRAMS:
            break
    *steps, _ = accumulate(programs[apart:], operator.mul, initial=1)
    return grid, tuple(steps[::-1])


@cache
def plan(
    extents: tuple[int, ...], x_strides: tuple[int, ...], out_strides: tuple[int, ...], size: int,
    shape: tuple[int, ...] | None, device: int = 0,
) -> tuple[tuple[int, ...], tuple[Any, ...], dict[str, Any]]:  # fmt: skip
    """The grid, the arguments of programs behind the arrays, and constants."""
    dims = collapse(extents, x_strides, out_strides)
    if shape:
        given, groups = shape, choose_groups(dims, size, *shape[:2])
    else:
        groups, given = choose(dims, size, device)
        halves = halves_first(dims, size, given, device)
        given = (*given, choose_streams(dims, size), halves)
    *runs, num_warps, streams, halves = (*given, *(1, False)[len(given) - 3 :])
    lengths = [length(group) for group in groups]
    whole = [(n, *group[0][1:]) for n, group in zip(lengths, groups, strict=True)]
    in_fours = bool(find_odd_rows(dims, size))
    if in_fours:  # A block has as many of what lies elsewhere, however long rows are.
        whole[0] = (runs[0], *whole[0][1:])
    block = choose_block(whole, *runs)
    programs = [tilewright.cdiv(n, each) for n, each in zip(lengths, block, strict=True)]
    apart = find_apart(programs, block, whole, size, streams) if streams > 1 else 1
    streams = streams if apart else 1
    # Elements of 8 bytes, and rows in fours, are slower so (docs/decisions/0073-halves-in-turn.md).
    # Axes of one program each would tell nothing, and cost registers.
    divides = size == 8 or in_fours or streams > 1 or math.prod(programs[:2]) == 1
    grid, steps = place_programs(programs, 0 if divides else 2)
    # Rows in fours have no registers for what divides.
    x_parts, out_parts = (
        tuple(parts(group, array, divides=in_fours) for group in groups[::-1]) for array in (1, 2)
    )
    constants = {"BLOCK": block[::-1], "IN_FOURS": in_fours, "STREAMS": streams}
    halved = 0
    if halves and len(block) == 2 and steps == (1,):
        halved = count_first(programs, block, size, device)
    if halved:
        constants["NARROW"] = (block[-1] // 2, *block[-2::-1])
        constants["narrow"] = 2 * halved
        grid = (*grid[:-1], grid[-1] + halved)
    if max(lengths) > MOST_TOGETHER:
        constants["PLACES"] = tl.int64
    constants["num_warps"] = num_warps
    return grid, (tuple(lengths[::-1]), x_parts, out_parts, steps, apart), constants


def permute(
    x: Any, out: Any, order: Sequence[int], shape: tuple[int, ...] | None = None,
    **launch: Any,
) -> None:  # fmt: skip
    """out = x with its dimensions in this order. Both may have any strides. `shape`: in place of
    the one of `SHAPES` that is chosen; streams may follow, of which the blocks are done in turn,
    and whether the first programs of a transpose have half of a block."""
    x, out, order = words(x), words(out), list(order)
    # An element of 16 bytes has a dimension of its own.
    order += range(len(order), x.ndim)
    if 0 in out.shape:
        return
    steps = strides(x)
    given = tuple(out.shape), tuple(steps[d] for d in order), strides(out)
    count, dims = find_together(*given, out.itemsize, (address(x) | address(out)) % 8)
    if count > 1 and not shape:
        extents, *rows = zip(*dims[::-1], strict=True)
        x, out = (
            together(each, extents, steps, count)
            for each, steps in zip((x, out), rows, strict=True)
        )
        given = tuple(out.shape), strides(x), strides(out)
    grid, arguments, constants = plan(*given, out.itemsize, shape, find_device(x))
    permute_kernel[grid](x, out, *arguments, **{**constants, **launch})


def transpose(x: Any, out: Any, **launch: Any) -> None:
    """out = x with its last two dimensions exchanged."""
    order = list(range(x.ndim))
    order[-2:] = order[:-3:-1]
    permute(x, out, order, **launch)


def reference(x: numpy.ndarray, order: Sequence[int]) -> numpy.ndarray:
    return x.transpose(order)
