"""Products by pointers with offsets of 32 bits, which are blocks of short arrays: in the simulator,
beside NumPy."""

import numpy as np
import pytest
from examples_support import TARGETS, assert_close, numbers, unset

import tilewright
import tilewright.language as tl

BULK = "cp.async.bulk.tensor"


@tilewright.jit
def multiplied(
    a, b, c, M, N, K, a_row, a_column, b_row, b_column, c_row,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, FIRST: tl.constexpr = 0,
):  # fmt: skip
    """Strides are multiplied in each trip; rows before FIRST count as zeros."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        of_a = a + m[:, None] * a_row + k[None, :] * a_column
        of_b = b + (k[:, None] * b_row + n[None, :] * b_column)
        rows = m[:, None] < M
        if FIRST:
            rows = rows & (m[:, None] >= FIRST)
        x = tl.load(of_a, rows & (k[None, :] < K), 0)
        y = tl.load(of_b, (k[:, None] < K) & (n[None, :] < N), 0)
        total = tl.dot(x, y, total, input_precision="ieee")
    of_c = c + m[:, None] * c_row + n[None, :]
    tl.store(of_c, total.to(c.dtype.element_ty), (m[:, None] < M) & (n[None, :] < N))


@tilewright.jit
def carried(
    a, b, c, M, N, K, a_row, a_column, b_row, b_column, c_row,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, FIRST: tl.constexpr = 0,
):  # fmt: skip
    """The loop moves pointers."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    of_a = a + m[:, None] * a_row + k[None, :] * a_column
    of_b = b + k[:, None] * b_row + n[None, :] * b_column
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - step * BLOCK_K
        x = tl.load(of_a, (m[:, None] < M) & (k[None, :] < left), 0)
        y = tl.load(of_b, (k[:, None] < left) & (n[None, :] < N), 0)
        total = tl.dot(x, y, total, input_precision="ieee")
        of_a += BLOCK_K * a_column
        of_b += BLOCK_K * b_row
    of_c = c + m[:, None] * c_row + n[None, :]
    tl.store(of_c, total.to(c.dtype.element_ty), (m[:, None] < M) & (n[None, :] < N))


def multiply(kernel, a, b, c, block=(64, 64, 32), first=0, **options):
    """Compiles anew, so that `ptx` is what this launch runs, and compares."""
    (m, k), n = a.shape, b.shape[1]
    strides = [stride // a.itemsize for stride in (*a.strides, *b.strides)]
    grid = tilewright.cdiv(m, block[0]), tilewright.cdiv(n, block[1])
    compiled = tilewright.jit(kernel.fn)[grid](
        a, b, c, m, n, k, *strides, c.strides[0] // c.itemsize,
        BLOCK_M=block[0], BLOCK_N=block[1], BLOCK_K=block[2], FIRST=first, **options,
    )  # fmt: skip
    wide = a.astype(np.float64)
    wide[:first] = 0
    digits = 1e-2 if c.dtype == np.float16 else 1e-4
    assert_close(c, wide @ b.astype(np.float64), digits=digits)
    return compiled


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kernel", [multiplied, carried])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_all_targets(monkeypatch, target, kernel, dtype):
    monkeypatch.setenv("TILEWRIGHT_TARGET", target)
    for m, n, k in [(136, 72, 104), (71, 133, 77)]:
        a, b = numbers(m, k, dtype=dtype), numbers(k, n, dtype=dtype, seed=1)
        compiled = multiply(kernel, a, b, unset(m, n, dtype=dtype))
        is_copied = target == "sm_90a" and dtype == np.float16 and m == 136
        assert is_copied <= (BULK in compiled.ptx)


@pytest.fixture
def hopper(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")


@pytest.mark.parametrize("kernel", [multiplied, carried])
def test_views_of_other_arrays(hopper, kernel):
    """Slices, transposes, rows or columns upside down, one row again and again."""
    a, b = numbers(136, 168, dtype=np.float16), numbers(168, 200, dtype=np.float16, seed=1)
    square = numbers(168, 168, dtype=np.float16, seed=2)
    pairs = [
        (a[8:, 16:152], b[16:152, 8:]), (a[:, ::2], b[::2]), (b.T, a.T), (a[::-1], b), (a, b[::-1]),
        (a[:, ::-1], b), (a[::-1, ::-1], b[::-1, ::-1]), (np.broadcast_to(a[3], a.shape), b),
        (square.T, square),
    ]  # fmt: skip
    for left, right in pairs:
        multiply(kernel, left, right, unset(len(left), right.shape[1], dtype=np.float16))
        room = unset(len(left), right.shape[1] + 24, dtype=np.float16)
        multiply(kernel, left, right, room[:, 8:-16])
        assert np.isnan(room[:, :8]).all() and np.isnan(room[:, -16:]).all()


def test_masks_that_begin_later(hopper):
    a, b = numbers(136, 104, dtype=np.float16), numbers(104, 72, dtype=np.float16, seed=1)
    for first in (1, 64, 70, 200):
        multiply(multiplied, a, b, unset(136, 72, dtype=np.float16), first=first)


def test_results_in_their_operands(hopper):
    """Arrays that overlap promise nothing."""
    both = numbers(64, 128, dtype=np.float16, scale=0.1)
    a, b = both[:, :64], numbers(64, 64, dtype=np.float16, seed=1)
    compiled = multiply(multiplied, a, b, both[:, 64:])
    assert BULK in compiled.ptx
    wanted = both[:, :64].astype(np.float64) @ b
    tilewright.jit(multiplied.fn)[1, 1](
        both, b, both, 64, 64, 64, 128, 1, 64, 1, 128, BLOCK_M=64, BLOCK_N=64, BLOCK_K=64
    )
    assert_close(both[:, :64], wanted, digits=1e-2)


def test_parts_of_k(hopper):
    for k in (64, 256, 320, 352, 640):
        a, b = numbers(72, k, dtype=np.float16), numbers(k, 136, dtype=np.float16, seed=1)
        for kernel in (multiplied, carried):
            multiply(kernel, a, b, unset(72, 136, dtype=np.float16))


@tilewright.jit
def shifted(a, b, c, M, row, SHIFT: tl.constexpr, BLOCK: tl.constexpr):
    """Rows are counted from SHIFT on, which all strides wrap around to 0."""
    m = SHIFT + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    n = tl.arange(0, BLOCK)
    places = m[:, None] * row + n[None, :]
    x = tl.load(a + places, m[:, None] < M, 0)
    y = tl.load(b + n[:, None] * row + n[None, :])
    tl.store(c + places, tl.dot(x, y).to(c.dtype.element_ty), m[:, None] < M)


@pytest.mark.parametrize("target", TARGETS)
def test_places_that_wrap_around(monkeypatch, target):
    monkeypatch.setenv("TILEWRIGHT_TARGET", target)
    a, b = numbers(200, 64, dtype=np.float16), numbers(64, 64, dtype=np.float16, seed=1)
    for shift in (1 << 26, -1 << 26, (1 << 26) * 3):
        c = unset(200, 64, dtype=np.float16)
        tilewright.jit(shifted.fn)[4,](a, b, c, shift + 200, 64, SHIFT=shift, BLOCK=64)
        assert_close(c, a.astype(np.float64) @ b, digits=1e-2)
