"""Loops that keep an extreme, or a sum of integers, of tiles that they reduce in each trip.

What is carried so is reduced once, behind the loop: NaN and zeros with a sign come out as before,
also of loops without a trip, and of tiles of more registers than a loop carries.
"""

import numpy as np
import pytest
from examples_support import as_on_gpus

import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")


@tilewright.jit
def rows_kernel(x, most, least, count, n, block: tl.constexpr):
    row = tl.program_id(0)
    so_far, below, found = -1.0, float("inf"), 0
    for first in range(0, n, block):
        c = first + tl.arange(0, block)
        numbers = tl.load(x + row * n + c, mask=c < n, other=0)
        so_far = tl.maximum(so_far, tl.max(numbers, axis=0))
        below = tl.minimum(below, tl.min(numbers, axis=0))
        found += tl.sum((numbers > 0).to(tl.int32), axis=0)
    tl.store(most + row, so_far)
    tl.store(least + row, below)
    tl.store(count + row, found)


@tilewright.jit
def columns_kernel(x, out, m, n, rows: tl.constexpr, columns: tl.constexpr):
    c = tl.program_id(0) * columns + tl.arange(0, columns)
    so_far = tl.full((columns,), -100, x.dtype.element_ty)
    for first in range(0, m, rows):
        r = first + tl.arange(0, rows)
        inside = (r < m)[:, None] & (c < n)[None, :]
        numbers = tl.load(x + r[:, None] * n + c[None, :], mask=inside, other=-100)
        so_far = tl.maximum(so_far, tl.max(numbers, axis=0))
    tl.store(out + c, so_far, mask=c < n)


@tilewright.jit
def used_kernel(x, out, n):
    """What it keeps is looked at in each trip: it is reduced there."""
    so_far = 0
    for first in range(0, n, 128):
        c = first + tl.arange(0, 128)
        so_far = tl.maximum(so_far, tl.max(tl.load(x + c, mask=c < n, other=0), axis=0))
        tl.store(out + first // 128, so_far)


@pytest.mark.parametrize("n, block", [(0, 128), (5, 128), (1000, 256), (5000, 2048)])
def test_rows(target, n, block):
    x = np.random.default_rng(n).normal(size=(3, max(n, 1))).astype(np.float32)
    x[1] = -(x[1] ** 2)
    x[2, ::3] = np.nan
    x = as_on_gpus(x)
    most, least = as_on_gpus(np.zeros(3, np.float32)), as_on_gpus(np.zeros(3, np.float32))
    count = as_on_gpus(np.zeros(3, np.int32))
    rows_kernel[(3,)](x, most, least, count, n, block=block, target=target)
    # A trip that the row does not fill has zeros.
    part = x[:, :n] if n % block == 0 else np.concatenate([x[:, :n], np.zeros((3, 1))], axis=1)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(most, np.fmax(-1, np.fmax.reduce(part, axis=1, initial=-1)))
        np.testing.assert_array_equal(least, np.fmin.reduce(part, axis=1, initial=np.inf))
        np.testing.assert_array_equal(count, (x[:, :n] > 0).sum(axis=1))


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32"])
@pytest.mark.parametrize("rows, columns", [(16, 64), (64, 256)])
def test_columns(target, dtype, rows, columns):
    m, n = 3 * rows + 1, 2 * columns - 5
    x = as_on_gpus(np.random.default_rng(rows).integers(-90, 90, (m, n)).astype(dtype))
    out = as_on_gpus(np.zeros(n, dtype))
    columns_kernel[(2,)](x, out, m, n, rows=rows, columns=columns, target=target)
    np.testing.assert_array_equal(out, x.max(axis=0))


def test_what_a_trip_uses(target):
    x = as_on_gpus(np.random.default_rng(8).integers(0, 1000, 1000).astype(np.int32))
    out = as_on_gpus(np.zeros(8, np.int32))
    used_kernel[(1,)](x, out, x.size, target=target)
    parts = np.maximum.accumulate([x[i : i + 128].max() for i in range(0, 1000, 128)])
    np.testing.assert_array_equal(out, parts)
