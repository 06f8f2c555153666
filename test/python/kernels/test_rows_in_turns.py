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
