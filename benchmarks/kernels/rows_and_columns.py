"""Kernels on matrices: what is found in rows or columns, and what is moved from one to another."""

from __future__ import annotations

import tilewright
import tilewright.language as tl


@tilewright.jit
def argmax_rows_kernel(x, places, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    numbers = tl.load(x + row * N + columns, mask=columns < N, other=-float("inf"))
    tl.store(places + row, tl.argmax(numbers, axis=0))


@tilewright.jit
def first_largest(a, i, b, j):
    takes_first = (a > b) | ((a == b) & (i < j))
    return tl.where(takes_first, a, b), tl.where(takes_first, i, j)


@tilewright.jit
def argmax_columns_kernel(x, places, M, N, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Each of ROWS keeps the largest that it has met; they meet once, at the end."""
    columns = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    best = tl.full((ROWS, COLUMNS), -float("inf"), x.dtype.element_ty)
    place = tl.zeros((ROWS, COLUMNS), tl.int32) + tl.arange(0, ROWS)[:, None]
    for start in range(0, M, ROWS):
        rows = start + tl.arange(0, ROWS)
        inside = (rows < M)[:, None] & (columns < N)[None, :]
        there = rows.to(tl.int64)[:, None] * N + columns[None, :]
        numbers = tl.load(x + there, mask=inside, other=-float("inf"))
        is_more = numbers > best
        place = tl.where(is_more, rows[:, None], place)
        best = tl.where(is_more, numbers, best)
    _, place = tl.reduce((best, place), 0, first_largest)
    tl.store(places + columns, place, mask=columns < N)


@tilewright.jit
def merge(mean, squares, count, other_mean, other_squares, other_count):
    total = count + other_count
    part = tl.where(total == 0, 0.0, other_count / total)
    off = other_mean - mean
    return mean + off * part, squares + other_squares + off * off * count * part, total


@tilewright.jit
def variance_kernel(x, variances, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    numbers = tl.load(x + row * N + columns, mask=columns < N, other=0).to(tl.float32)
    count = (columns < N).to(tl.float32)
    _, squares, count = tl.reduce((numbers, numbers * 0, count), 0, merge)
    tl.store(variances + row, squares / count)


@tilewright.jit
def dot_kernel(x, y, out, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    a = tl.load(x + row * N + columns, mask=columns < N, other=0).to(tl.float32)
    b = tl.load(y + row * N + columns, mask=columns < N, other=0).to(tl.float32)
    tl.store(out + row, tl.sum(a * b, axis=0))


@tilewright.jit
def quantize_kernel(x, out, scales, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    numbers = tl.load(x + row * N + columns, mask=columns < N, other=0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(numbers), axis=0) / 127, 1e-12)
    scaled = numbers / scale
    rounded = tl.floor(scaled + 0.5)
    tl.store(out + row * N + columns, rounded.to(tl.int8), mask=columns < N)
    tl.store(scales + row, scale)


@tilewright.jit
def dequantize_kernel(x, scales, out, M, N, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    columns = (tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS))[None, :]
    inside = (rows < M) & (columns < N)
    scale = tl.load(scales + rows, mask=rows < M)
    numbers = tl.load(x + rows * N + columns, mask=inside).to(tl.float32) * scale
    tl.store(out + rows * N + columns, numbers.to(out.dtype.element_ty), mask=inside)


@tilewright.jit
def sort_kernel(x, out, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    numbers = tl.load(x + row * N + columns, mask=columns < N, other=float("inf"))
    tl.store(out + row * N + columns, tl.sort(numbers), mask=columns < N)


@tilewright.jit
def slice_kernel(x, out, M, N, x_row, x_column, first, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """out[i, j] = x[i, first + j * x_column]"""
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    columns = (tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS))[None, :]
    inside = (rows < M) & (columns < N)
    numbers = tl.load(x + rows * x_row + first + columns * x_column, mask=inside)
    tl.store(out + rows * N + columns, numbers, mask=inside)


@tilewright.jit
def flip_kernel(x, out, M, N, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    columns = (tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS))[None, :]
    inside = (rows < M) & (columns < N)
    numbers = tl.load(x + rows * N + (N - 1 - columns), mask=inside)
    tl.store(out + rows * N + columns, numbers, mask=inside)


@tilewright.jit
def pad_kernel(x, out, M, N, left, right, value, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    columns = (tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS))[None, :]
    width = left + N + right
    within = (columns >= left) & (columns < left + N)
    numbers = tl.load(x + rows * N + (columns - left), mask=(rows < M) & within, other=0)
    padded = tl.where(within, numbers, value.to(numbers.dtype))
    tl.store(out + rows * width + columns, padded, mask=(rows < M) & (columns < width))


@tilewright.jit
def concat_kernel(x, y, out, M, X_N, Y_N, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    columns = (tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS))[None, :]
    width = X_N + Y_N
    of_x = columns < X_N
    a = tl.load(x + rows * X_N + columns, mask=(rows < M) & of_x, other=0)
    behind = (columns >= X_N) & (columns < width)
    b = tl.load(y + rows * Y_N + (columns - X_N), mask=(rows < M) & behind, other=0)
    inside = (rows < M) & (columns < width)
    tl.store(out + rows * width + columns, tl.where(of_x, a, b), mask=inside)


@tilewright.jit
def select_columns_kernel(x, places, out, M, N, X_N, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    place = tl.load(places + columns, mask=columns < N, other=0)[None, :]
    inside = (rows < M) & (columns < N)[None, :]
    numbers = tl.load(x + rows * X_N + place, mask=inside)
    tl.store(out + rows * N + columns[None, :], numbers, mask=inside)
