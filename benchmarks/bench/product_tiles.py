"""Tiles of products, and which of them are worth timing for a shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from bench.product_kernel import Tile
from tilewright import _core

# Of 16 bits. Four warps have two programs of a block under way,
# one of which stores, and with few stages two blocks of a multiprocessor.
HALF = [
    Tile(128, 256),
    Tile(128, 256, stages=4),
    Tile(128, 256, rest=64),
    Tile(128, 128, rest=64, stages=4),
    Tile(128, 128, rest=64, warps=4, stages=4),
    Tile(128, 128, rest=32, stages=5),
    Tile(128, 128, low=64, warps=4, stages=4),
    Tile(128, 128, rest=64, warps=4, stages=4, turned=True),
    Tile(128, 128, warps=4),
    Tile(128, 128, warps=4, stages=4),
    Tile(128, 128, stages=6),
    Tile(64, 256, warps=4, stages=4),
    Tile(64, 128, rest=64, warps=4, stages=6),
    Tile(64, 128, rest=32, warps=4, stages=6),
    Tile(128, 64, stages=6),
    Tile(128, 64, warps=4, stages=4),
    Tile(64, 128, warps=4, stages=8),
    Tile(64, 128, warps=4, stages=4),
    Tile(64, 64, warps=4, stages=6),
    Tile(64, 64, warps=4, stages=4, k=128),
    Tile(64, 32, warps=4, stages=8),
    Tile(32, 64, warps=4, stages=8),
]
# The same in steps of eight columns, for operands that lie along K: a box has eight rows then, and
# one instruction multiplies all parts. In steps of eight rows they are tiles of the transpose.
STEPS = [
    Tile(256, 128, rest=32, stages=4),
    Tile(256, 128, rest=16, last=8, stages=4),
    Tile(256, 128, rest=16, stages=4),
    Tile(128, 128, rest=64, last=32, stages=4),
    Tile(128, 128, rest=64, last=16, stages=4),
    Tile(128, 128, rest=64, last=16, warps=4, stages=4),
    Tile(128, 128, rest=64, last=8, stages=4),
    Tile(128, 128, rest=32, last=16, stages=5),
    Tile(128, 128, rest=32, stages=5),
    Tile(128, 128, rest=32, warps=4, stages=4),
    Tile(128, 128, rest=16, last=8, stages=5),
    Tile(128, 128, rest=16, stages=5),
    Tile(128, 64, rest=32, last=16, stages=6),
    Tile(128, 64, rest=32, stages=6),
    Tile(128, 64, rest=16, last=8, stages=7),
    Tile(128, 64, rest=8, stages=8),
    Tile(64, 128, rest=16, warps=4, stages=6),
    Tile(64, 64, rest=32, last=16, warps=4, stages=8),
    Tile(64, 64, rest=32, warps=4, stages=8),
    Tile(64, 64, rest=16, last=8, warps=4, stages=8),
    Tile(64, 64, rest=16, warps=4, stages=8),
    Tile(64, 64, rest=8, warps=4, stages=8),
    Tile(64, 32, rest=16, last=8, warps=4, stages=8),
    Tile(64, 32, rest=16, warps=4, stages=8),
    Tile(64, 32, rest=8, warps=4, stages=8),
]
# Threads copy rows that are no multiples of 16 bytes, more slowly than is estimated. Of fourteen
# tiles one of these was the best in three such products, or within 0.004.
LOADED = [Tile(128, 128, stages=6), Tile(64, 64, warps=4, stages=4, k=128)]
# By FMA: 128 sums a thread, or 64 where there are few tiles, and 32 or fewer for the smallest. The
# wide tile is for B in rows, the high one for A in columns.
FLOAT = [
    Tile(256, 128, k=16),
    Tile(256, 128, k=32),
    Tile(128, 256, k=16),
    Tile(128, 256, k=32),
    Tile(128, 128, k=32),
    Tile(128, 128, warps=4, k=16),
    Tile(128, 64, warps=4, k=16),
    Tile(64, 64, warps=4, k=32),
]
SMALL_FLOAT = [
    Tile(64, 32, warps=4, k=32),
    Tile(32, 64, warps=4, k=32),
    Tile(32, 32, warps=4, k=32),
]
DOUBLE = [
    Tile(64, 64, warps=4, k=16),
    Tile(64, 64, warps=4, stages=4, k=16),
    Tile(128, 64, warps=4, k=16),
    Tile(64, 128, warps=4, k=16),
]
SMALL_DOUBLE = [
    Tile(64, 64, warps=4, stages=5, k=16),
    Tile(32, 64, warps=4, k=16),
    Tile(32, 64, warps=4, k=32),
    Tile(32, 32, warps=2, stages=4, k=32),
]

# For few columns, and turned for few rows: memory takes the time, so that more bytes are under way.
NARROW = 160
NARROW_FLOAT = [
    Tile(64, 32, warps=4, stages=4, k=64),
    Tile(128, 32, warps=4, stages=4, k=16),
    Tile(64, 16, warps=4, stages=6, k=32),
]
NARROW_DOUBLE = [
    Tile(64, 32, warps=4, stages=4, k=32),
    Tile(64, 16, warps=4, stages=5, k=32),
]

# A step along K has as many bytes as of 16 bits, and takes as long.
BYTES = ("e4m3", "e5m2", "i8")

# Of that many tiles one was the best, or within 0.02 of it, in 150 products of 16 bits
# (docs/decisions/0094-products-nobody-named.md).
TIMED = 10
TIMED_STEPS = 4

# Sums of a thread that registers have room for: `wgmma` reads operands from shared memory, other
# instructions read fragments of them, which stand beside the sums.
WGMMA_SUMS = 192
FRAGMENT_SUMS = 128


def tiles_of(
    element: str,
    layout: str,
    sizes: Sequence[int],
    multiprocessors: int,
    most_sums: int = WGMMA_SUMS,
) -> list[Tile]:
    """Those worth timing, the likeliest first, of up to so many sums a thread."""
    if element in BYTES:
        # Where threads turn one operand there are no steps.
        layout = layout if layout == "nt" else "tn"
        halves = tiles_of("f16", layout, [*sizes[:2], sizes[2] // 2], multiprocessors, most_sums)
        return [replace(tile, k=2 * tile.k) for tile in halves]
    if element == "tf32":
        # `wgmma` has them along K alone, as it has steps; `mma.sync` takes as many sums as ever.
        is_along = layout == "nt"
        sums = most_sums if is_along else FRAGMENT_SUMS
        halves = tiles_of(
            "f16", "nt" if is_along else "tn", [*sizes[:2], 2 * sizes[2]], multiprocessors, sums
        )
        return [replace(tile, k=tile.k // 2) for tile in halves]
    is_small = sizes[0] * sizes[1] < 1 << 20
    if element == "f32":
        return FLOAT + SMALL_FLOAT * is_small + narrow(NARROW_FLOAT, sizes)
    if element == "f64":
        return DOUBLE + SMALL_DOUBLE * is_small + narrow(NARROW_DOUBLE, sizes)

    def likeliest(tiles: list[Tile]) -> list[Tile]:
        fitting = [tile for tile in tiles if tile.sums <= most_sums]
        return sorted(fitting, key=lambda tile: estimate(tile, layout, sizes, multiprocessors))

    steps = likeliest(in_steps(layout))[:TIMED_STEPS]
    if sizes[0] <= 64:
        return few_rows(sizes[0]) + steps
    if sizes[1] <= 64:
        return few_columns(sizes[1]) + steps
    tiles = likeliest(HALF)[:TIMED]
    if are_loaded(layout, sizes):
        tiles += [tile for tile in LOADED if tile not in tiles]
    return tiles + steps


def narrow(tiles: list[Tile], sizes: Sequence[int]) -> list[Tile]:
    if sizes[1] <= NARROW:
        return tiles
    turned = [replace(tile, m=tile.n, n=tile.m) for tile in tiles]
    return turned if sizes[0] <= NARROW else []


def are_loaded(layout: str, sizes: Sequence[int]) -> bool:
    """Whether rows of 16 bits each are no multiples of 16 bytes."""
    m, n, k = sizes
    rows = (k if layout[0] == "n" else m, n if layout[1] == "n" else k)
    return any(length % 8 != 0 for length in rows)


def in_steps(layout: str) -> list[Tile]:
    """Parts are of B where that lies along K, and, turned, of A."""
    turned = [replace(tile, turned=True) for tile in STEPS]
    return STEPS * (layout[1] == "t") + turned * (layout[0] == "n")


def few_rows(rows: int) -> list[Tile]:
    """Of 16 bits, for up to 64 rows: what is read of B takes the time, and rows that are not there
    take some more. With 64 columns or more `wgmma` makes the transpose."""
    height = 16 if rows <= 16 else 32 if rows <= 32 else 64
    return [
        Tile(height, 64, warps=4, stages=8),
        Tile(height, 64, warps=4, stages=4, k=128),
        Tile(height, 64, warps=4, stages=6, k=128),
        Tile(height, 128, warps=4, stages=8),
        Tile(height, 128, warps=4, stages=5, k=128),
        Tile(height, 32, warps=4, stages=8),
    ]


def few_columns(columns: int) -> list[Tile]:
    """The same of the other operand, which `wgmma` needs no transpose for."""
    width = 16 if columns <= 16 else 32 if columns <= 32 else 64
    return [
        Tile(64, width, warps=4, stages=8),
        Tile(64, width, warps=4, stages=4, k=128),
        Tile(64, width, warps=4, stages=6, k=128),
        Tile(128, width, warps=4, stages=8),
        Tile(128, width, warps=4, stages=5, k=128),
        Tile(64, 2 * width, warps=4, stages=8),
    ]


def estimate(tile: Tile, layout: str, sizes: Sequence[int], multiprocessors: int) -> float:
    """Clocks that a multiprocessor has to do with its tiles: for each place along K the products,
    2048 a clock, or what they read, 80 bytes a clock, and for each tile its beginning and its end.
    Few programs are divided along K, and then what others have is read, 17 bytes a clock."""
    m, n, k = sizes
    if tile.turned:
        m, n = n, m
    sums = tile.height * tile.width
    programs = math.ceil(m / tile.height) * math.ceil(n / tile.width)
    parts = _core.choose_product_parts(programs, math.ceil(k / tile.k), multiprocessors)
    each = max(sums / 2048, 2 * (tile.height + tile.width) / 80)
    read = min(parts - 1, 2) * sums * 4 / 17
    exchange = 2000 + read if parts > 1 else 0
    around = 1000 + sums / 16 + exchange
    return math.ceil(programs / multiprocessors) * (k / parts * each + around)
