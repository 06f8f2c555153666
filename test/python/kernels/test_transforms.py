"""Transforms whose steps take rows apart and put them together again, as users write them."""

import numpy as np
import pytest
from examples_support import as_on_gpus, assert_close, numbers, unset

import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")


@tilewright.jit
def fourier_kernel(xr, xi, yr, yi, n: tl.constexpr, steps: tl.constexpr):
    row = tl.program_id(0) * n
    places = tl.arange(0, n)
    bits, reverse = places, tl.zeros((n,), tl.int32)
    for _ in tl.static_range(steps):
        reverse = (reverse << 1) | (bits & 1)
        bits = bits >> 1
    re, im = tl.load(xr + row + reverse), tl.load(xi + row + reverse)
    for step in tl.static_range(steps):
        shape: tl.constexpr = (n >> (step + 1), 2, 1 << step)
        ar, br = tl.split(tl.permute(tl.reshape(re, shape), (0, 2, 1)))
        ai, bi = tl.split(tl.permute(tl.reshape(im, shape), (0, 2, 1)))
        angle = -3.14159265358979 * tl.arange(0, 1 << step).to(tl.float32) / (1 << step)
        wr, wi = tl.cos(angle)[None, :], tl.sin(angle)[None, :]
        tr, ti = br * wr - bi * wi, br * wi + bi * wr
        re = tl.reshape(tl.permute(tl.join(ar + tr, ar - tr), (0, 2, 1)), (n,))
        im = tl.reshape(tl.permute(tl.join(ai + ti, ai - ti), (0, 2, 1)), (n,))
    tl.store(yr + row + places, re)
    tl.store(yi + row + places, im)


@tilewright.jit
def hadamard_kernel(x, y, d: tl.constexpr, steps: tl.constexpr, rows: tl.constexpr):
    first = tl.program_id(0) * rows * d
    places = first + tl.arange(0, rows)[:, None] * d + tl.arange(0, d)[None, :]
    v = tl.load(x + places)
    for step in tl.static_range(steps):
        a, b = tl.split(v.reshape(rows, d >> (step + 1), 2, 1 << step).permute(0, 1, 3, 2))
        v = tl.join(a + b, a - b).permute(0, 1, 3, 2).reshape(rows, d)
    tl.store(y + places, v)


@pytest.mark.parametrize("steps, warps", [(1, 1), (5, 1), (8, 2), (9, 4)])
def test_fourier(target, steps, warps):
    n = 1 << steps
    xr, xi = numbers(5, n), numbers(5, n, seed=1)
    yr, yi = unset(5, n), unset(5, n)
    fourier_kernel[(5,)](xr, xi, yr, yi, n=n, steps=steps, num_warps=warps, target=target)
    expected = np.fft.fft(xr + 1j * xi)
    assert_close(yr, expected.real, digits=1e-4)
    assert_close(yi, expected.imag, digits=1e-4)


@pytest.mark.parametrize("steps, rows, warps", [(8, 4, 4), (3, 1, 2), (6, 16, 1)])
def test_hadamard(target, steps, rows, warps):
    d = 1 << steps
    x, y = numbers(3 * rows, d), unset(3 * rows, d)
    hadamard_kernel[(3,)](x, y, d=d, steps=steps, rows=rows, num_warps=warps, target=target)
    matrix = np.ones((1, 1))
    for _ in range(steps):
        matrix = np.kron([[1, 1], [1, -1]], matrix)
    assert_close(y, x @ matrix, digits=1e-4)


def test_first_loads_of_a_transform_are_of_whole_lines():
    x = as_on_gpus(np.zeros((4, 256), np.float32))
    arguments = (x, x, x, x)
    kernel = fourier_kernel.warmup(
        *arguments, n=256, steps=8, num_warps=2, target="sm_90a", grid=(4,)
    )
    loads = [line for line in kernel.ir("placed").splitlines() if " = load " in line]
    assert len(loads) == 2
    assert all("lane = [[0, 128], [0, 64], [0, 32], [0, 16], [0, 8]]" in load for load in loads)


def test_steps_of_a_transform_exchange_one_bit():
    x = as_on_gpus(np.zeros((4, 256), np.float32))
    kernel = fourier_kernel.warmup(
        x, x, x, x, n=256, steps=8, num_warps=2, target="sm_90a", grid=(4,)
    )
    # Three steps are in registers; each of the five others exchanges half of 64 registers.
    assert kernel.ptx.count("shfl.sync") == 5 * 32


@tilewright.jit
def radix_kernel(x, y, n, shift: tl.constexpr, block: tl.constexpr):
    places = tl.arange(0, block)
    v = tl.load(x + places, mask=places < n, other=-1)
    is_digit = (((v >> shift) & 15)[:, None] == tl.arange(0, 16)[None, :]).to(tl.int32)
    before = tl.cumsum(is_digit, 0) - is_digit
    counts = tl.sum(is_digit, 0)
    first = tl.cumsum(counts, 0) - counts
    to = tl.sum(is_digit * (before + first[None, :]), 1)
    tl.store(y + to, v, mask=to < n)


@pytest.mark.parametrize("n, warps", [(2000, 8), (300, 1), (64, 4)])
def test_radix(target, n, warps):
    x, y = np.random.default_rng(2).integers(0, 2**30, n).astype(np.int32), unset(n, dtype=np.int32)
    block = tilewright.next_power_of_2(n)
    radix_kernel[(1,)](x, y, n, shift=4, block=block, num_warps=warps, target=target)
    np.testing.assert_array_equal(y, x[np.argsort((x >> 4) & 15, kind="stable")])


def test_counts_of_digits_are_scanned_in_runs():
    x = as_on_gpus(np.zeros(2000, np.int32))
    kernel = radix_kernel.warmup(
        x, x, 2000, shift=4, block=2048, num_warps=8, target="sm_90a", grid=(1,)
    )
    scanned = [line for line in kernel.ir("placed").splitlines() if "tensor<2048x16xi32" in line]
    assert any(
        " scan " in line and "register[8,1] register[1,16] lane[32,1] warp[8,1]" in line
        for line in scanned
    )
