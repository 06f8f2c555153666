"""Tiles of short rows of an odd length, which a program has itself: rows that are one run of
memory, rows with gaps between them, rows that go down, and blocks of which some rows are
missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@tilewright.jit
def scale_and_add(
    x, scales, row, out, M, N, x_row, out_row, ROWS: tl.constexpr, COLUMNS: tl.constexpr
):
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    columns = (tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS))[None, :]
    inside = (rows < M) & (columns < N)
    scale = tl.load(scales + rows, mask=rows < M)
    more = tl.load(row + columns, mask=columns < N)
    numbers = tl.load(x + rows * x_row + columns, mask=inside, other=3)
    tl.store(out + rows * out_row + columns, numbers * scale + more, mask=inside)


@tilewright.jit
def turn(x, out, M, N, x_row, out_row, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    columns = (tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS))[None, :]
    inside = (rows < M) & (columns < N)
    numbers = tl.load(x + rows * x_row + (N - 1 - columns), mask=inside)
    tl.store(out + rows * out_row + columns, numbers, mask=inside)


@tilewright.jit
def turn_back(x, out, M, N, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Rows that go down where they are stored, by programs that mostly have no columns."""
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    columns = (tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS))[None, :]
    inside = (rows < M) & (columns < N)
    numbers = tl.load(x + rows * N + columns, mask=inside)
    tl.store(out + rows * N + (N - 1 - columns), numbers, mask=inside)


# Rows, columns, where arrays begin, and what rows have besides.
SHAPES = [
    (64, 33, 0, 0),
    (70, 33, 1, 0),
    (37, 35, 3, 0),
    (1, 63, 0, 0),
    (70, 33, 2, 5),
    (50, 129, 1, 0),
    (17, 333, 5, 0),
    (17, 333, 0, 2),
]


def draw(dtype: type, rows: int, columns: int, start: int, more: int) -> Any:
    """A matrix whose rows are `columns` of more, in an array that begins beside others."""
    count = rows * (columns + more) + start
    numbers = np.random.default_rng(7).integers(-9, 9, count).astype(dtype)
    return numbers[start:].reshape(rows, columns + more)


def tile_of(columns: int) -> tuple[int, int]:
    width = tilewright.next_power_of_2(columns)
    return 4096 // width, width


def moves_runs(kernel: Any) -> bool:
    """By vectors, or by words where rows are known to lie apart."""
    return any("cp.async.c" in variant["ptx"] for variant in kernel.kernels[-1].variants)


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32])
@pytest.mark.parametrize("shape", SHAPES)
def test_rows_and_columns_meet(shape: tuple[int, ...], dtype: type, target: str) -> None:
    m, n, _, more = shape
    x, out = draw(dtype, *shape), np.full((m, n + more), 55, dtype)
    scales, row = draw(dtype, 1, m, 0, 0)[0], draw(dtype, 1, n, 0, 0)[0]
    rows, columns = tile_of(n)
    scale_and_add[(-(-m // rows), 1)](
        x, scales, row, out, m, n, n + more, n + more, ROWS=rows, COLUMNS=columns, target=target
    )
    expected = np.full_like(out, 55)
    expected[:, :n] = x[:, :n] * scales[:, None] + row
    np.testing.assert_array_equal(out, expected)
    if n < 96:
        assert moves_runs(scale_and_add)


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32])
@pytest.mark.parametrize("shape", SHAPES)
def test_rows_that_go_down(shape: tuple[int, ...], dtype: type, target: str) -> None:
    m, n, _, more = shape
    x, out = draw(dtype, *shape), np.full((m, n + more), 55, dtype)
    rows, columns = tile_of(n)
    turn[(-(-m // rows), 1)](
        x, out, m, n, n + more, n + more, ROWS=rows, COLUMNS=columns, target=target
    )
    expected = np.full_like(out, 55)
    expected[:, :n] = x[:, :n][:, ::-1]
    np.testing.assert_array_equal(out, expected)
    if n < 96:
        assert moves_runs(turn)


@pytest.mark.parametrize("dtype", [np.int8, np.float16])
def test_stores_that_go_down(dtype: type, target: str) -> None:
    for m, n in ((64, 33), (45, 35)):
        x, out = draw(dtype, m, n, 1, 0), np.full((m, n), 55, dtype)
        turn_back[(-(-m // 64), 3)](x, out, m, n, ROWS=64, COLUMNS=64, target=target)
        np.testing.assert_array_equal(out, x[:, ::-1])
    assert moves_runs(turn_back)


def test_rows_that_move_on(target: str) -> None:
    """What is stored overlaps what was loaded: of one program nothing is stored before all is."""
    x = draw(np.int8, 61, 33, 1, 0)
    expected = np.concatenate([x[:1], x[:60]])
    row, scales = np.zeros(33, np.int8), np.ones(60, np.int8)
    scale_and_add[(1, 1)](x, scales, row, x[1:], 60, 33, 33, 33, ROWS=64, COLUMNS=64, target=target)
    np.testing.assert_array_equal(x, expected)
