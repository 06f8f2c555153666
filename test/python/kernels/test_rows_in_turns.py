"""Rows ahead in slots that take turns: in the simulator, beside NumPy."""

import numpy as np
import pytest
from examples_support import compile_again, numbers, unset

import layer_norm
import rms_norm
import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")

GRADIENTS = {"num_warps": 8, "programs": 2, "ahead": True}


def texts_of(kernel):
    return [each["ptx"] for of in kernel.kernels for each in of.variants]


def gradients(x, grad, weight, rows):
    """By both examples, each with what is right."""
    n = x.shape[1]
    wide = x.astype(np.float64)
    mean = wide.mean(axis=1).astype(np.float32)
    rstd = (1 / np.sqrt(wide.var(axis=1) + 1e-5)).astype(np.float32)
    result, sums = unset(*x.shape, dtype=np.float16), [unset(n), unset(n)]
    layer_norm.backward(grad, x, weight, mean, rstd, result, *sums, rows=rows, **GRADIENTS)
    yield (result, *sums), layer_norm.reference_backward(grad, x, weight)
    result = unset(*x.shape, dtype=np.float16)
    rms_norm.backward(grad, x, result, weight, sums[0], rows=rows, **GRADIENTS)
    yield (result, sums[0]), rms_norm.reference_backward(grad, x, weight)


# Programs of no row, of one, and of several; tiles of one row, and of more.
@pytest.mark.parametrize("m, n, rows", [(1, 4096, 1), (7, 4096, 1), (6, 3968, 1), (23, 1024, 4)])
def test_gradients(monkeypatch, target, m, n, rows):
    kernels = [compile_again(monkeypatch, each) for each in (layer_norm, rms_norm)]
    x, grad = (numbers(m, n, dtype=np.float16, seed=seed) for seed in (0, 1))
    for results, wanted in gradients(x, grad, numbers(n, dtype=np.float16, seed=2), rows):
        for result, right in zip(results, wanted, strict=True):
            np.testing.assert_allclose(result, right, rtol=4e-3, atol=4e-3)
    # Others have less shared memory. Means and deviations come as rows do.
    if target in ("sm_80", "sm_90a", "sm_100a"):
        of_layer_norm, of_rms_norm = (texts_of(kernel)[-1] for kernel in kernels)
        for text in (of_layer_norm, of_rms_norm):
            assert "cp.async.wait_group" in text
        assert of_layer_norm.count("cp.async.ca.shared.global") == 2


@pytest.mark.filterwarnings("ignore:invalid value")
def test_special_numbers_stay_in_their_rows(target):
    x, grad = (numbers(9, 4096, dtype=np.float16, seed=seed) for seed in (0, 1))
    x[2], grad[4, 4095], x[7, 0] = np.nan, np.inf, -np.inf
    plain = [0, 1, 3, 5, 6, 8]
    for results, wanted in gradients(x, grad, numbers(4096, dtype=np.float16, seed=2), 1):
        np.testing.assert_allclose(results[0][plain], wanted[0][plain], rtol=4e-3, atol=4e-3)
        assert all(np.isnan(results[0][row]).any() for row in (2, 4, 7))


@tilewright.jit
def three_sums_kernel(x, out, m, n, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        values = tl.load(x + row * n + columns, mask=columns < n, other=0.0)
        most, total = tl.max(values, axis=0), tl.sum(values, axis=0)
        times = tl.sum(tl.where(values == most, 1.0, 0.0), axis=0)
        tl.store(out + row * n + columns, values * total + times, mask=columns < n)


@pytest.mark.parametrize("warps", [2, 8])
def test_a_sum_that_waits_for_one_of_two(target, warps):
    """It is stored with the other one, which was to be stored with the first one."""
    x = np.random.default_rng(0).integers(-3, 4, (5, 1000)).astype(np.float32)
    out = unset(5, 1000)
    three_sums_kernel[(2,)](x, out, 5, 1000, BLOCK=1024, num_warps=warps)
    times = (x == x.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True)
    np.testing.assert_array_equal(out, x * x.sum(axis=1, keepdims=True) + times)


@tilewright.jit
def parts_of_rows_kernel(x, y, factor, out, left, M, N, PARTS, BLOCK: tl.constexpr):
    columns, one = tl.arange(0, BLOCK)[None, :], tl.arange(0, 1)[:, None]
    inside = columns < N
    first, second = tl.zeros((1, BLOCK), tl.float32), tl.zeros((1, BLOCK), tl.float32)
    last = tl.zeros((1, 1), tl.float32)
    for part in range(PARTS):
        begin = part * M
        next_x = tl.load(x + begin * N + columns, mask=inside, other=0.0)
        next_y = tl.load(y + begin * N + columns, mask=inside, other=0.0)
        next_factor = tl.load(factor + begin + one)
        for row in range(begin, begin + M):
            values, others, times = next_x.to(tl.float32), next_y.to(tl.float32), next_factor
            more = row + 1 + one < PARTS * M
            next_x = tl.load(x + (row + 1) * N + columns, mask=inside & more, other=0.0)
            next_y = tl.load(y + (row + 1) * N + columns, mask=inside & more, other=0.0)
            next_factor = tl.load(factor + row + 1 + one, mask=more, other=0.0)
            values *= times
            first += others * values + tl.sum(others * values, axis=1, keep_dims=True)
            second += others + tl.sum(others, axis=1, keep_dims=True)
        last += next_factor
    tl.store(out + columns, first, mask=inside)
    tl.store(out + N + columns, second, mask=inside)
    tl.store(left + one, last)


@pytest.mark.parametrize("rows", [0, 1, 4])
def test_loops_around_loops(target, rows):
    """What the last row of one leaves for a warp is read before the next one begins."""
    n, parts = 1024, 3
    rng = np.random.default_rng(0)
    x, y = (rng.integers(-2, 3, (parts * rows + 1, n)).astype(np.float16) for _ in range(2))
    factor = rng.integers(-3, 4, parts * rows + 1).astype(np.float32)
    out, left = unset(2, n), unset(1)
    kernel = parts_of_rows_kernel[(1,)](
        x, y, factor, out, left, rows, n, parts, BLOCK=n, num_warps=1
    )
    of_x, of_y = x.astype(float)[:-1] * factor[:-1, None], y.astype(float)[:-1]
    for result, terms in zip(out, (of_x * of_y, of_y), strict=True):
        np.testing.assert_array_equal(
            result, (terms + terms.sum(axis=1, keepdims=True)).sum(axis=0)
        )
    ends = [factor[0]] * parts if rows == 0 else [*factor[rows : parts * rows : rows], 0]
    assert left[0] == sum(ends)
    if target == "sm_90a":
        assert "cp.async.wait_group" in kernel.variants[-1]["ptx"]
