"""Element by element of two arrays that need not have the same shape: matrices, rows, columns and
scalars meet as in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import strides


@tilewright.jit
def add(x, y):
    return x + y


@tilewright.jit
def subtract(x, y):
    return x - y


@tilewright.jit
def multiply(x, y):
    return x * y


@tilewright.jit
def load_operand(x, rows, columns, M, N, row_stride, column_stride,
                 ONE_ROW: tl.constexpr, ONE_COLUMN: tl.constexpr):  # fmt: skip
    """What an operand has of a block. What is the same everywhere is loaded once."""
    if ONE_ROW:
        rows = tl.zeros([1, 1], tl.int64)
    if ONE_COLUMN:
        columns = tl.zeros([1, 1], tl.int32)
    inside = (rows < M) & (columns < N)
    return tl.load(x + rows * row_stride + columns * column_stride, mask=inside)


@tilewright.jit
def broadcast_kernel(x, y, out, M, N, x_strides, y_strides, out_strides,
                     X_IS_ONE: tl.constexpr, Y_IS_ONE: tl.constexpr, FUNCTION: tl.constexpr,
                     ROWS: tl.constexpr, COLUMNS: tl.constexpr):  # fmt: skip
    rows = (tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS))[:, None]
    columns = (tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS))[None, :]
    a = load_operand(x, rows, columns, M, N, x_strides[0], x_strides[1], X_IS_ONE[0], X_IS_ONE[1])
    b = load_operand(y, rows, columns, M, N, y_strides[0], y_strides[1], Y_IS_ONE[0], Y_IS_ONE[1])
    place = out + rows * out_strides[0] + columns * out_strides[1]
    result = tl.broadcast_to(FUNCTION(a, b).to(out.dtype.element_ty), (ROWS, COLUMNS))
    tl.store(place, result, mask=(rows < M) & (columns < N))


def as_matrix(x: Any) -> tuple[tuple[bool, bool], tuple[int, ...]]:
    """Of an array of at most two dimensions, whether it is one row, and one column, and its
    strides as a matrix."""
    missing = 2 - x.ndim
    rows, columns = (1,) * missing + tuple(x.shape)
    return (rows == 1, columns == 1), (0,) * missing + strides(x)


def broadcast(
    function: Callable[..., Any], x: Any, y: Any, out: Any, blocks: tuple[int, int] = (8, 512),
    **launch: Any,
) -> None:  # fmt: skip
    """out = function(x, y) of each pair of elements, where `out` is a matrix."""
    m, n = out.shape
    columns = min(blocks[1], tilewright.next_power_of_2(n))
    rows = min(blocks[0] * blocks[1] // columns, tilewright.next_power_of_2(m))
    (x_is_one, x_strides), (y_is_one, y_strides) = as_matrix(x), as_matrix(y)
    broadcast_kernel[(tilewright.cdiv(m, rows), tilewright.cdiv(n, columns))](
        x, y, out, m, n, x_strides, y_strides, strides(out), X_IS_ONE=x_is_one, Y_IS_ONE=y_is_one,
        FUNCTION=function, ROWS=rows, COLUMNS=columns, **launch,
    )  # fmt: skip


def reference(function: Callable[..., Any], x: numpy.ndarray, y: numpy.ndarray) -> numpy.ndarray:
    """Of a function of NumPy."""
    result: numpy.ndarray = function(x.astype(numpy.float64), y.astype(numpy.float64))
    return result
