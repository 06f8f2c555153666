"""Random chains of words that give a tile other shapes and orders, in loops and branches, beside
NumPy. All numbers are integers, which wrap around, so that results are equal."""

from __future__ import annotations

import linecache
import math
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

Shape = tuple[int, ...]
PROGRAMS, MOST = 3, 1024
TARGETS = ["sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"]

#: Functions of reductions and scans.
HELPERS = """
import tilewright
import tilewright.language as tl

@tilewright.jit
def least(a, i, b, j):
    first = (a < b) | ((a == b) & (i < j))
    return tl.where(first, a, b), tl.where(first, i, j)

@tilewright.jit
def last_odd(a, b):
    return tl.where(b % 2 != 0, b, a)
"""


class Step(NamedTuple):
    """An expression of the tile `t`, and what it is for NumPy."""

    text: str
    compute: Callable[[np.ndarray], np.ndarray]


def split_extent(rng: Random, count: int) -> Shape:
    extents = [1] * rng.randrange(1, 5)
    for _ in range(count.bit_length() - 1):
        extents[rng.randrange(len(extents))] *= 2
    return tuple(extents)


def scan_last_odd(t: np.ndarray, axis: int) -> np.ndarray:
    rows = np.moveaxis(t, axis, 0).copy()
    for row in range(1, len(rows)):
        rows[row] = np.where(rows[row] % 2 != 0, rows[row], rows[row - 1])
    return np.moveaxis(rows, 0, axis)


def gather(t: np.ndarray, axis: int) -> np.ndarray:
    return np.take_along_axis(t, np.abs(t) % t.shape[axis], axis)


def change_shape(rng: Random, shape: Shape) -> Step:
    """A word whose result has another shape."""
    count, axis, last = math.prod(shape), rng.randrange(len(shape)), len(shape) - 1
    other, order = split_extent(rng, count), rng.sample(range(len(shape)), len(shape))
    steps = [
        Step(f"tl.reshape(t, {other})", lambda t: t.reshape(other)),
        Step(f"tl.permute(t, {tuple(order)})", lambda t: t.transpose(order)),
    ]
    if last < 3:
        steps.append(Step(f"tl.expand_dims(t, {axis})", lambda t: np.expand_dims(t, axis)))
    if 2 * count <= MOST:
        steps += [
            Step("tl.interleave(t, t * 3)", lambda t: np.stack([t, t * 3], -1).reshape(
                *shape[:-1], 2 * shape[-1])),
            Step("tl.join(t, ~t)", lambda t: np.stack([t, ~t], -1)),
            Step(f"tl.cat(t, t ^ 5, dim={axis})", lambda t: np.concatenate([t, t ^ 5], axis)),
        ]  # fmt: skip
    if shape[last] == 2 and last > 0:
        steps.append(Step("tl.split(t)[1]", lambda t: t[..., 1]))
    if last > 0:
        steps += [
            Step(f"tl.sum(t, {axis})", lambda t: t.sum(axis, dtype=np.int32)),
            Step(f"tl.argmax(t, {axis})", lambda t: t.argmax(axis).astype(np.int32)),
            Step(f"tl.reduce((t, t), {axis}, least)[0]", lambda t: t.min(axis)),
        ]
    return rng.choice(steps)


def change_order(rng: Random, shape: Shape) -> Step:
    """A word whose result has the same shape."""
    axis = rng.randrange(len(shape))
    steps = [
        Step(f"tl.flip(t, {axis})", lambda t: np.flip(t, axis)),
        Step(f"tl.cumsum(t, {axis})", lambda t: t.cumsum(axis, dtype=np.int32)),
        Step(
            f"tl.cumsum(t, {axis}, reverse=True)",
            lambda t: np.flip(np.flip(t, axis).cumsum(axis, dtype=np.int32), axis),
        ),
        Step(
            f"tl.associative_scan(t, {axis}, last_odd)", lambda t: scan_last_odd(t, axis)
        ),
        Step(
            f"tl.gather(t, tl.abs(t) % {shape[axis]}, {axis})", lambda t: gather(t, axis)
        ),
        Step(f"t + tl.max(t, {axis}, keep_dims=True)", lambda t: t + t.max(axis, keepdims=True)),
        Step("tl.where(t > 3, t - 7, t * t)", lambda t: np.where(t > 3, t - 7, t * t)),
    ]  # fmt: skip
    if math.prod(shape) <= 256:
        steps.append(Step("tl.sort(t)", np.sort))
        steps.append(Step("tl.topk(t, 1) + t", lambda t: t.max(-1, keepdims=True) + t))
    return rng.choice(steps)


def write_chain(rng: Random, tiles: list[np.ndarray]) -> tuple[str, list[np.ndarray]]:
    """The lines of a kernel, and what becomes of the tile of each program."""
    lines = []
    for _ in range(rng.randrange(3, 9)):
        around = rng.choice(["", "", "for _ in range(trips):", "if tl.program_id(0) == 1:"])
        step = (change_order if around else change_shape)(rng, tiles[0].shape)
        if around:
            lines.append(around)
        lines.append(("    " if around else "") + f"t = {step.text}")
        for program, tile in enumerate(tiles):
            rounds = 2 if "trips" in around else program == 1 if around else 1
            for _ in range(rounds):
                tile = step.compute(tile)
            tiles[program] = tile
    return "\n    ".join(lines), tiles


def load_kernel(path: Path, shape: Shape, chain: str, result: Shape) -> Any:
    count, after = math.prod(shape), math.prod(result)
    text = f"""{HELPERS}
@tilewright.jit
def chain(x, y, trips):
    t = tl.load(x + tl.program_id(0) * {count} + tl.arange(0, {count})).reshape({shape})
    {chain}
    tl.store(y + tl.program_id(0) * {after} + tl.arange(0, {after}), tl.reshape(t, ({after},)))
"""
    path.write_text(text)
    linecache.checkcache(str(path))
    names: dict[str, Any] = {}
    exec(compile(text, str(path), "exec"), names)
    return names["chain"]


@pytest.mark.usefixtures("without_ptxas")
@pytest.mark.parametrize("seed", range(24))
def test_chains(seed: int, tmp_path: Path) -> None:
    rng = Random(seed)
    shape = split_extent(rng, 2 ** rng.randrange(0, 9))
    x = np.random.default_rng(seed).integers(-9, 10, (PROGRAMS, *shape), dtype=np.int32)
    chain, tiles = write_chain(rng, list(x))
    expected = np.stack(tiles)
    kernel = load_kernel(tmp_path / "chain.py", shape, chain, expected.shape[1:])
    y = np.empty(expected.shape, np.int32)
    options = {
        "target": rng.choice(TARGETS),
        "num_warps": 2 ** rng.randrange(6),
        "batch_programs": rng.random() < 0.7,
    }
    kernel[(PROGRAMS,)](x, y, 2, **options)
    np.testing.assert_array_equal(y, expected, err_msg=chain)
