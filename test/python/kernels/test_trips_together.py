"""Loops that load, compute and combine behind themselves do several trips at once, and those that
are left over alone: no trip is lost or done twice, however many there are, and nothing wraps."""

import numpy as np
import pytest
from examples_support import as_on_gpus

import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")


@tilewright.jit
def columns_kernel(x, out, n, first, last, rows: tl.constexpr, columns: tl.constexpr):
    c = tl.program_id(0) * columns + tl.arange(0, columns)
    so_far = tl.zeros((rows, columns), tl.int32)
    for start in range(first, last, rows):
        r = start + tl.arange(0, rows)
        inside = ((r >= 0) & (r < last))[:, None] & (c < n)[None, :]
        numbers = tl.load(x + r.to(tl.int64)[:, None] * n + c[None, :], mask=inside, other=0)
        so_far += numbers.to(tl.int32) * (start + 1)
    tl.store(out + c, tl.sum(so_far, 0), mask=c < n)


@pytest.mark.parametrize("trips", range(10))
@pytest.mark.parametrize("first", [0, -32, 5])
def test_trips_together(trips, first):
    rows, n = 32, 64
    last = first + rows * trips - (3 if trips else 0)
    x = np.random.default_rng(trips).integers(-100, 100, (max(last, 1), n)).astype(np.int8)
    x, out = as_on_gpus(x), as_on_gpus(np.zeros(n, np.int32))
    launch = columns_kernel[(1,)]
    kernel = launch(x, out, n, first, last, rows=rows, columns=n, num_warps=1, target="sm_90a")
    # Of four trips, and of those that are left.
    assert kernel.ptx.count("ld.global") == 5 * rows * n // (32 * 16)
    expected = np.zeros(n, np.int64)
    for start in range(first, last, rows):
        for row in range(max(start, 0), min(start + rows, last)):
            expected += x[row].astype(np.int64) * (start + 1)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("last", [-(2**31), -(2**31) + 9])
def test_ends_that_are_near_the_least_number(target, last):
    x, out = as_on_gpus(np.ones((1, 64), np.int8)), as_on_gpus(np.full(64, 7, np.int32))
    columns_kernel[(1,)](x, out, 64, 5, last, rows=32, columns=64, num_warps=1, target=target)
    np.testing.assert_array_equal(out, 0)
