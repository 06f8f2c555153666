"""Rows that begin anywhere and are shorter than 16384 elements, in phases, and how many blocks of
rows are asked for: in the simulator, beside NumPy."""

import numpy as np
import pytest
from examples_support import assert_close, compile_again, numbers, place, unset

import layer_norm
import softmax
import tilewright

pytestmark = pytest.mark.usefixtures("without_ptxas")


@pytest.mark.parametrize("behind", [0, 3])
@pytest.mark.parametrize("m, n", [(1, 8191), (5, 4097), (26, 6001), (11, 7992 + 4)])
def test_short_rows_in_phases(monkeypatch, target, m, n, behind):
    kernel = compile_again(monkeypatch, layer_norm, "forward_kernel")
    values = numbers(m, n, dtype=np.float16)
    (_, x), (room, out) = place(values, behind), place(np.zeros_like(values), behind)
    (_, weight), (_, bias) = (place(numbers(n, dtype=np.float16, seed=seed), 0) for seed in (1, 2))
    mean, rstd = unset(m), unset(m)
    layer_norm.forward(x, out, weight, bias, mean, rstd, block=8192, num_warps=4)
    for actual, right in zip((out, mean, rstd), layer_norm.reference(x, weight, bias), strict=True):
        assert_close(actual, right, digits=4e-3)
    assert np.isnan(room).sum() == 64
    assert all(each["report"]["persistent"] for of in kernel.kernels for each in of.variants)


@pytest.mark.filterwarnings("ignore:invalid value")
def test_special_numbers_in_phases(target):
    x, out = numbers(17, 8191, dtype=np.float16), unset(17, 8191, dtype=np.float16)
    x[1], x[9, 8190], x[12, 0] = np.nan, np.inf, -np.inf
    (_, weight), (_, bias) = (place(numbers(8191, dtype=np.float16, seed=s), 0) for s in (1, 2))
    layer_norm.forward(x, out, weight, bias, unset(17), unset(17), block=8192, num_warps=4)
    right = layer_norm.reference(x, weight, bias)[0]
    np.testing.assert_array_equal(np.isnan(out), np.isnan(right))
    np.testing.assert_allclose(out, right, rtol=4e-3, atol=4e-3)


@pytest.mark.parametrize("n, blocks", [(33001, 7), (50257, 5)])
def test_blocks_are_as_many_as_vectors_leave_registers_for(monkeypatch, n, blocks):
    """Of 33001 elements vectors of 8 bytes fill 36 registers of a thread, those of 16 bytes 40."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    x = np.zeros((2, n), np.float16)
    kernel = tilewright.heuristics(softmax.WHOLE_ROWS)(tilewright.jit(softmax.softmax_kernel.fn.fn))
    compiled = kernel.warmup(x, x.copy(), n, n, n, grid=(2,), num_warps=4)
    assert f".minnctapersm {blocks}\n" in compiled.variants[-1]["ptx"]
