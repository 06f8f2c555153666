"""Rows of bytes and halves that begin anywhere, moved by words of memory: from and to each place of
a word, up and down, with ends and gaps anywhere, and offsets that wrap around."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@tilewright.jit
def move(x, out, M, N, x_row, out_row, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    columns = (tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS))[None, :]
    inside = (rows < M) & (columns < N)
    numbers = tl.load(x + rows * x_row + columns, mask=inside)
    tl.store(out + rows * out_row + columns, numbers, mask=inside)


@tilewright.jit
def turn(x, out, M, N, x_row, out_row, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    columns = (tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS))[None, :]
    inside = (rows < M) & (columns < N)
    numbers = tl.load(x + rows * x_row + (N - 1 - columns), mask=inside, other=7)
    tl.store(out + rows * out_row + columns, numbers, mask=inside)


@tilewright.jit
def with_gaps(x, gaps, out, M, N, first, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    columns = (tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS))[None, :]
    inside = (rows < M) & (columns < N)
    there = tl.load(gaps + columns, mask=columns < N, other=0) != 0
    numbers = tl.load(
        x + rows * N + (columns - first), mask=inside & there & (columns >= first), other=5
    )
    tl.store(out + rows * N + columns, numbers + 1, mask=inside & there)


@tilewright.jit
def wrapped(x, out, first, N, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Elements behind the wrap are 2^32 in front of it, where a row of its own is."""
    rows = tl.arange(0, ROWS)[:, None]
    columns = tl.arange(0, COLUMNS)[None, :]
    places = first + columns
    inside = (columns < N) & (places > 0)
    numbers = tl.load(x - 2147483348 + (rows.to(tl.int64) * N + places), mask=inside, other=0)
    tl.store(out + rows * N + columns, numbers, mask=columns < N)


@tilewright.jit
def in_place(x, M, N, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    columns = (tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS))[None, :]
    inside = (rows < M) & (columns < N)
    numbers = tl.load(x + rows * N + columns, mask=inside)
    tl.store(x + rows * N + columns, numbers + 1, mask=inside)


@tilewright.jit
def across(x, out, M, N, x_column, out_row, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Down the columns of `x`."""
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    columns = (tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)).to(tl.int64)[None, :]
    inside = (rows < M) & (columns < N)
    numbers = tl.load(x + columns * x_column + rows, mask=inside)
    tl.store(out + rows * out_row + columns, numbers, mask=inside)


@tilewright.jit
def outer(x, y, out, M, N, x_step, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    columns = (tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS))[None, :]
    numbers = tl.load(x + rows * x_step, mask=rows < M) + tl.load(y + columns, mask=columns < N)
    tl.store(out + rows * N + columns, numbers, mask=(rows < M) & (columns < N))


# Where arrays begin, and what rows have besides.
PLACES = [(0, 1, 0, 3), (1, 0, 5, 1), (2, 3, 6, 1), (3, 2, 0, 0)]


def draw(dtype: type, *shape: int) -> Any:
    return np.random.default_rng(3).integers(-99, 99, shape).astype(dtype)


def goes_by_words(kernel: Any) -> int:
    return kernel.kernels[-1].ir("placed").count("tile.by_words")


@pytest.mark.parametrize("x_step", [1, 3])
@pytest.mark.parametrize("dtype", [np.int8, np.float16])
def test_beside_a_number_for_each_row(dtype: type, x_step: int, target: str) -> None:
    x, y = draw(dtype, 7 * x_step) // 2, draw(dtype, 1101) // 2
    out = np.full((7, 1101), 55, dtype)
    outer[(2, 3)](x, y, out, 7, 1101, x_step, ROWS=4, COLUMNS=512, num_warps=4, target=target)
    assert out.tolist() == (x[::x_step, None] + y).tolist()
    assert goes_by_words(outer) == 1


@pytest.mark.parametrize("kernel", [move, turn])
@pytest.mark.parametrize("dtype", [np.int8, np.float16])
def test_each_place_of_a_word(kernel: Any, dtype: type, target: str) -> None:
    for columns in (513, 1100):
        for of_x, of_out, x_row, out_row in PLACES:
            x = draw(dtype, 7 * (columns + x_row) + of_x)
            out = np.full(7 * (columns + out_row) + of_out, 55, dtype)
            source = x[of_x:].reshape(7, columns + x_row)
            result = out[of_out:].reshape(7, columns + out_row)
            expected = np.full_like(result, 55)
            expected[:, :columns] = source[:, :columns][:, :: 1 if kernel is move else -1]
            kernel[(2, -(-columns // 512))](
                source, result, 7, columns, columns + x_row, columns + out_row,
                ROWS=4, COLUMNS=512, num_warps=4, target=target,
            )  # fmt: skip
            np.testing.assert_array_equal(result, expected)
            assert (out[:of_out] == 55).all()
    assert goes_by_words(kernel) == 2


@pytest.mark.parametrize("dtype", [np.int8, np.float16])
def test_rows_of_what_is_read_across(dtype: type, target: str) -> None:
    rows = 32 // np.dtype(dtype).itemsize
    for columns, of_x, of_out, x_column, out_row in [
        (513, 0, 1, 36, 516),  # Words and single elements are read.
        (1100, 1, 0, 35, 1101),
        (514, 0, 3, 64, 514),
    ]:
        x = draw(dtype, columns * x_column + of_x)
        out = np.full(35 * out_row + of_out, 55, dtype)
        source = x[of_x:].reshape(columns, x_column)
        result = out[of_out:].reshape(35, out_row)
        expected = np.full_like(result, 55)
        expected[:, :columns] = source[:, :35].T
        across[(-(-35 // rows), -(-columns // 512))](
            source, result, 35, columns, x_column, out_row,
            ROWS=rows, COLUMNS=512, num_warps=8, target=target,
        )  # fmt: skip
        np.testing.assert_array_equal(result, expected)
        assert (out[:of_out] == 55).all()
        assert goes_by_words(across) == 1


@pytest.mark.parametrize("dtype", [np.int8, np.float16])
def test_rows_of_both_arrays(dtype: type, target: str) -> None:
    """Each along a dimension of its own."""
    x, out = draw(dtype, 261, 519), np.full((515, 263), 55, dtype)
    expected = np.full_like(out, 55)
    expected[:, :261] = x[:, :515].T
    across[(2, 2)](
        x, out, 515, 261, 519, 263, ROWS=512, COLUMNS=256, num_warps=16, target=target
    )  # fmt: skip
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", [np.int8, np.float16])
def test_gaps(dtype: type, target: str) -> None:
    columns = 777
    gaps = (np.random.default_rng(5).random(columns) < 0.9).astype(np.int8)
    gaps[100:400] = 1
    for first in (0, 1, 2, 259):
        x, out = draw(dtype, 5, columns), np.full((5, columns), 55, dtype)
        moved = np.full_like(x, 5)
        moved[:, first:] = x[:, : columns - first]
        with_gaps[(2, 2)](
            x, gaps, out, 5, columns, first, ROWS=4, COLUMNS=512, num_warps=4, target=target
        )
        np.testing.assert_array_equal(out, np.where(gaps != 0, moved + 1, 55))


def test_offsets_that_wrap_around() -> None:
    columns = 300
    for before in (1, 31, 150, 299, 300):
        x, out = draw(np.int8, 4, columns), np.full((4, columns), 55, np.int8)
        expected = np.zeros_like(x)
        expected[:, :before] = x.reshape(-1)[
            np.arange(4)[:, None] * columns + np.arange(before) + 300 - before
        ]
        wrapped[(1,)](x, out, 2147483647 - before + 1, columns, ROWS=4, COLUMNS=512, num_warps=4)
        np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", [np.int8, np.float16])
def test_in_place(dtype: type) -> None:
    x = draw(dtype, 7, 1101)
    expected = x + 1
    in_place[(2, 3)](x, 7, 1101, ROWS=4, COLUMNS=512, num_warps=4)
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize("shape", [(33, 1000), (9, 2000), (40, 300)])
def test_programs_across(shape: tuple[int, int], target: str) -> None:
    """More rows of programs than columns, fewer, and one column."""
    x, out = draw(np.float32, *shape), np.zeros(shape, np.float32)
    grid = (-(-shape[0] // 8), -(-shape[1] // 512))
    move[grid](x, out, *shape, shape[1], shape[1], ROWS=8, COLUMNS=512, target=target)
    np.testing.assert_array_equal(out, x)
    assert "tile.second_axis_first" in move.kernels[-1].ir("placed")
