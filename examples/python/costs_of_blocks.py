"""What blocks of a permutation cost, by which dimensions count as one (permute.py)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy

import tilewright

# Of a dimension the extent, and the strides in `x` and in `out`.
Dim = tuple[int, int, int]


def step_of(dim: Dim) -> float:
    """How far elements of a dimension are from one another in `x`; of those that are one and the
    same nothing is side by side."""
    return abs(dim[1]) or math.inf


def length(group: Sequence[Dim]) -> int:
    """Of dimensions that count as one."""
    return math.prod(dim[0] for dim in group)


def follow(dims: Sequence[Dim], first: Dim, array: int) -> list[Dim]:
    """Those that follow one another in an array without gaps, from one along which it is dense, up
    to that along which the other array is."""
    chain = [first]
    while more := [
        dim for dim in dims
        if dim[array] == length(chain) * first[array]
        and abs(dim[3 - array]) != 1
        and dim not in chain
    ]:  # fmt: skip
        chain.append(more[0])
    return chain


def choose_block(dims: Sequence[Dim], out_run: int, x_run: int) -> tuple[int, ...]:
    """What a program has of each dimension: so much that so many elements are side by side in both
    arrays."""
    block = [1] * len(dims)
    extents = [tilewright.next_power_of_2(n) for n, _, _ in dims]
    order_of_x = sorted(range(len(dims)), key=lambda d: step_of(dims[d]))
    for run, order in ((out_run, range(len(dims))), (x_run, order_of_x)):
        for d in order:
            block[d] = max(block[d], min(run, extents[d]))
            run = max(run // block[d], 1)
    # Where dimensions are short, others make up for it.
    missing = out_run * x_run // int(numpy.prod(block))
    for d in [*order_of_x[:2], *range(len(dims))]:
        more = min(max(missing, 1), extents[d] // block[d])
        block[d], missing = block[d] * more, missing // more
    return tuple(block)


def reciprocal(divisor: int) -> tuple[int, int]:
    """By what, an integer of 32 bits, the upper half of a product is the quotient, and how far to
    the right of it: of numbers below 1 << 31."""
    bits = (divisor - 1).bit_length()
    factor = -(-(1 << (31 + bits)) // divisor)
    return factor - (1 << 32), bits - 1


def parts(group: Sequence[Dim], array: int, divides: bool = False) -> tuple[tuple[Any, ...], ...]:
    """The extents and strides of the dimensions that they are in an array, and what divides by
    the extents of all but the last one, if a product is to."""
    found: list[tuple[int, int]] = []
    for dim in group:
        if found and dim[array] == found[-1][0] * found[-1][1]:
            found[-1] = (found[-1][0] * dim[0], found[-1][1])
        else:
            found.append((dim[0], dim[array]))
    extents, steps = zip(*found, strict=True)
    return extents, steps, () if divides else tuple(reciprocal(n) for n in extents[:-1])


def count_waste(groups: Sequence[Sequence[Dim]], out_run: int, x_run: int) -> float:
    """How many elements all blocks have for one that is inside."""
    lengths = [length(group) for group in groups]
    whole = [(n, *group[0][1:]) for n, group in zip(lengths, groups, strict=True)]
    block = choose_block(whole, out_run, x_run)
    counts = (tilewright.cdiv(n, each) * each for n, each in zip(lengths, block, strict=True))
    return math.prod(counts) / math.prod(lengths)


def are_pairs(dims: Sequence[Dim], size: int) -> bool:
    """Whether an element of 16 bytes is two of 8."""
    return dims[0] == (2, 1, 1) and size == 8 and len(dims) > 1


# Numbers along dimensions that count as one have 32 bits, up to the end of the last block.
MOST_TOGETHER = 2**31 - 2**14


def list_ways(dims: Sequence[Dim]) -> list[list[Sequence[Dim]]]:
    """All ways to have dimensions count as one that follow one another in `out` from the one on
    along which it is dense, and in `x`. A group of each; the others are by themselves, where
    32 bits would not count them as one."""
    if are_pairs(dims, 8):
        halved = [(n, here // 2, there // 2) for n, here, there in dims[1:]]
        return [
            [dims[:1], *([(n, 2 * here, 2 * there) for n, here, there in group] for group in way)]
            for way in list_ways(halved)
        ]
    chains: list[list[Dim]] = []
    for array in (2, 1):
        if dense := [dim for dim in dims if abs(dim[array]) == 1 != abs(dim[3 - array])]:
            chains.append(follow(dims, dense[0], array))
    ways = []
    for counts in itertools.product(*(range(1, len(chain) + 1) for chain in chains)):
        groups: list[Sequence[Dim]] = [
            chain[:count] for chain, count in zip(chains, counts, strict=True)
        ]
        grouped = [dim for group in groups for dim in group]
        are_short = all(len(each) == 1 or length(each) <= MOST_TOGETHER for each in groups)
        if are_short and len(grouped) == len(set(grouped)):
            groups += [[dim] for dim in dims if dim not in grouped]
            ways.append(sorted(groups, key=lambda group: abs(group[0][2])))
    return ways


def find_run(groups: Sequence[Sequence[Dim]], block: Sequence[int], array: int) -> tuple[int, int]:
    """How many elements of a block lie side by side in an array: of the group that is dense there,
    which the compiler knows, and with those that follow without gaps."""
    order = sorted(range(len(groups)), key=lambda d: abs(groups[d][0][array]))
    runs = [1]
    for d in order:
        extents, steps, _ = parts(groups[d], array)
        if abs(steps[0]) != runs[-1]:
            break
        runs.append(runs[-1] * min(block[d], extents[0]))
        if block[d] < extents[0] or len(extents) > 1:
            break
    return runs[min(1, len(runs) - 1)], runs[-1]


def find_multiple(groups: Sequence[Sequence[Dim]], size: int, array: int) -> int:
    """Of how many bytes, up to 16, all rows in an array are multiples apart."""
    steps = (step for group in groups for step in parts(group, array)[1] if abs(step) > 1)
    return math.gcd(16, *(step * size for step in steps))


class Costs(NamedTuple):
    """What makes blocks slow, as fits times of 2400 kernels (docs/decisions/0148)."""

    # To which power the elements of blocks by those that are inside.
    outside: float
    # Of a division for each row.
    division: float
    # To which power a sector by what lanes side by side load of it, and a line by what is stored.
    sector: float
    line: float
    # Of elements that are moved one at a time, and of those of which words are put together.
    alone: float
    by_words: float
    # How much less other blocks must cost than those that are chosen by type and shape.
    least: float


COSTS = {
    1: Costs(1.0, 0.1, 0.5, 1.0, 1.6, 1.15, 0.775),
    2: Costs(0.5, 0.05, 0.3, 0.3, 1.2, 1.0, 0.72),
    4: Costs(0.35, 0.05, 0.5, 1.0, 1.0, 1.0, 0.85),
    8: Costs(0.3, 0.02, 0.5, 1.0, 1.0, 1.0, 0.85),
    16: Costs(0.5, 0.02, 0.5, 1.0, 1.0, 1.0, 0.8),
}

# Other blocks: where rows of `x` begin with words (of small elements) or all with vectors, and
# where they begin anywhere.
OTHERS = {
    1: (((256, 128, 8), (256, 64, 16), (64, 128, 8)), ((64, 128, 8), (64, 64, 4))),
    2: (((256, 64, 8), (128, 64, 8), (128, 128, 8)), ((128, 64, 8), (64, 64, 8))),
    4: (((64, 128, 8),), ((128, 64, 8),)),
    8: (((64, 32, 8), (32, 64, 8), (32, 32, 4)),) * 2,
    16: (((32, 16, 4), (32, 32, 8), (16, 64, 8)),) * 2,
}
# Elements of a thread that divides twice for each that it loads: for more it has no registers.
MOST_DIVIDED = 32


def estimate(groups: Sequence[Sequence[Dim]], size: int, shape: tuple[int, ...]) -> float:
    """What such blocks cost, beside others of the same permutation."""
    pairs = are_pairs([dim for group in groups for dim in group], size)
    costs = COSTS[16 if pairs else size]
    lengths = [length(group) for group in groups]
    whole = [(n, *group[0][1:]) for n, group in zip(lengths, groups, strict=True)]
    block = choose_block(whole, *shape[:2])
    (loaded, _), (stored, run) = (find_run(groups, block, array) for array in (1, 2))
    multiples = [find_multiple(groups, size, array) for array in (1, 2)]
    divisions = [sum(len(parts(group, array)[0]) - 1 for group in groups) for array in (1, 2)]
    cost = count_waste(groups, *shape[:2]) ** costs.outside
    cost *= 1 + costs.division * min(sum(divisions), 3)
    cost *= max(1, 32 / (loaded * size)) ** costs.sector * max(1, 128 / (run * size)) ** costs.line
    if multiples[0] < 4:
        cost *= costs.alone
    if multiples[1] < 4:
        cost *= costs.by_words if multiples[0] >= 4 and stored >= 256 else costs.alone
    if size < 4 and multiples[0] < 4 and divisions[0] >= 2:
        cost *= 1.4 if math.prod(block) > MOST_DIVIDED * 32 * shape[2] else 1
    return float(cost)
