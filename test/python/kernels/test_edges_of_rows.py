"""Rows whose first and last vectors are none of memory: in the simulator, beside NumPy."""

import numpy as np
import pytest
from examples_support import assert_close, numbers, unset

import rms_norm
import softmax
import tilewright
import tilewright.language as tl


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 1017, 1023, 2041, 4095])
@pytest.mark.parametrize("first", [0, 1, 5])
def test_lengths(target, dtype, n, first):
    """Rows at each distance behind a vector, of a matrix that begins anywhere."""
    x = numbers(9 * n + 8, dtype=dtype, scale=2)[first : first + 9 * n].reshape(9, n)
    out = unset(9 * n + 8, dtype=dtype)
    rows = out[first : first + 9 * n].reshape(9, n)
    softmax.softmax(x, rows)
    digits = 4e-2 if dtype == np.float16 else 1e-4
    assert_close(rows.astype(np.float64) * n, softmax.reference(x) * n, digits=digits)
    assert np.isnan(out[:first]).all() and np.isnan(out[first + 9 * n :]).all()


@pytest.mark.parametrize("n, wide", [(1001, 1008), (17001, 17008), (40001, 40008)])
@pytest.mark.parametrize("swap", [False, True])
def test_rows_that_begin_differently(target, n, wide, swap):
    """What one array asks for is not right for the other one."""
    x = numbers(9, wide if swap else n, dtype=np.float16)[:, :n]
    out = unset(9, n if swap else wide, dtype=np.float16)
    rms_norm.rms_norm(x, out[:, :n], numbers(n, dtype=np.float16, seed=1))
    right = rms_norm.reference(x, numbers(n, dtype=np.float16, seed=1))
    assert_close(out[:, :n], right, digits=4e-3)
    assert np.isnan(out[:, n:]).all()


@pytest.mark.parametrize("rows", [1, 7, 8, 9, 23, 40])
def test_numbers_of_rows(target, rows):
    """Programs in the order of how their rows begin: each once."""
    n = 16391
    x, out = numbers(rows, n, dtype=np.float16), unset(rows, n, dtype=np.float16)
    weight = numbers(n, dtype=np.float16, seed=1)
    rms_norm.rms_norm(x, out, weight, num_warps=16)
    assert_close(out, rms_norm.reference(x, weight), digits=4e-3)


@tilewright.jit
def centered_kernel(x, out, n, stride, first, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    source = tl.make_block_ptr(x + row * stride, (n,), (1,), (first,), (BLOCK,), (0,))
    target = tl.make_block_ptr(out + row * stride, (n,), (1,), (first,), (BLOCK,), (0,))
    values = tl.load(source, boundary_check=(0,), padding_option="zero").to(tl.float32)
    values += tl.max(values, axis=0)
    tl.store(target, values.to(out.dtype.element_ty), boundary_check=(0,))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("first", [-300, -13, -8, -1, 0, 3, 700])
@pytest.mark.parametrize("n", [5, 501, 1023])
def test_blocks_that_begin_before_their_view(target, dtype, n, first):
    x, out = numbers(9, n, dtype=dtype), unset(9, n, dtype=dtype)
    centered_kernel[(9,)](x, out, n, n, first, BLOCK=512)
    low, high = max(first, 0), min(max(first, 0) if first >= n else n, first + 512)
    inside = x[:, low:high]
    right = unset(9, n)
    if inside.size:
        whole = inside.shape[1] == 512
        most = inside.max(axis=1, keepdims=True)
        right[:, low:high] = inside + (most if whole else np.maximum(most, 0))
    assert_close(out, right, digits=4e-3 if dtype == np.float16 else 1e-5)


@tilewright.jit
def numbered_kernel(x, out, sums, m, n, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    places = columns.to(tl.float32) * 0.5
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        values = tl.load(x + row * n + columns, mask=columns < n, other=0.0)
        tl.store(out + row * n + columns, places, mask=columns < n)
        tl.store(sums + row, tl.sum(values, axis=0))


@pytest.mark.parametrize("n", [501, 1000, 1001])
def test_what_is_stored_of_outside(target, n):
    """It has its elements where the rows beside it have them."""
    x, out, sums = numbers(7, n), unset(7, n), unset(7)
    numbered_kernel[(2,)](x, out, sums, 7, n, BLOCK=1024)
    np.testing.assert_array_equal(out, np.tile(np.arange(n) * 0.5, (7, 1)))
    assert_close(sums, x.sum(axis=1, dtype=np.float64), digits=1e-4)
