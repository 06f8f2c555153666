"""Products by FMA of which an operand is computed of nothing, as a triangle of ones."""

import numpy as np
import pytest
from examples_support import numbers

import tilewright
import tilewright.language as tl


@tilewright.jit
def sums_so_far(x, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    triangle = (columns[:, None] <= columns[None, :]).to(tl.float32)
    places = rows[:, None] * COLUMNS + columns[None, :]
    sums = tl.dot(tl.load(x + places), triangle, input_precision="ieee")
    tl.store(out + places, sums)


# By 8 warps, threads that had one row each would have 8192 elements of the last triangle.
@pytest.mark.parametrize(("rows", "columns", "warps"), [(16, 32, 1), (64, 64, 4), (64, 256, 8)])
def test_triangles(target, rows, columns, warps):
    x = np.round(numbers(rows, columns) * 8)
    out = np.zeros_like(x)
    sums_so_far[1,](x, out, rows, columns, num_warps=warps, target=target)
    assert (out == np.cumsum(x, axis=1)).all()
