"""Means and variances that are put together of parts, by how many elements each is of."""

import numpy as np
import pytest
from examples_support import as_on_gpus, assert_close, numbers, unset

import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")


@tilewright.jit
def merge(mean, squares, count, other_mean, other_squares, other_count):
    total = count + other_count
    part = tl.where(total == 0, 0.0, other_count / total)
    off = other_mean - mean
    return mean + off * part, squares + other_squares + off * off * count * part, total


@tilewright.jit
def variance_kernel(x, means, variances, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < N
    numbers = tl.load(x + row * N + columns, mask=inside, other=0).to(tl.float32)
    parts = (numbers, tl.zeros_like(numbers), inside.to(tl.float32))
    mean, squares, count = tl.reduce(parts, 0, merge)
    tl.store(means + row, mean)
    tl.store(variances + row, squares / count)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize(
    ("n", "warps"), [(1, 1), (37, 4), (333, 2), (4096, 4), (4097, 4), (8190, 8)]
)
def test_variances(target, dtype, n, warps):
    x = numbers(3, n, dtype=dtype) + dtype(7)
    means, variances = unset(3), unset(3)
    block = tilewright.next_power_of_2(n)
    variance_kernel[(3,)](x, means, variances, n, BLOCK=block, num_warps=warps, target=target)
    wide = x.astype(np.float64)
    assert_close(means, wide.mean(1), digits=1e-5)
    np.testing.assert_allclose(variances, wide.var(1), rtol=1e-4, atol=1e-6)


@tilewright.jit
def running_kernel(x, means, counts, N, BLOCK: tl.constexpr):
    """Of numbers above 0, part by part."""
    mean, squares, count = 0.0, 0.0, 0.0
    for start in range(0, N, BLOCK):
        places = start + tl.arange(0, BLOCK)
        numbers = tl.load(x + places, mask=places < N, other=0)
        counted = (numbers > 0).to(tl.float32)
        parts = (tl.where(numbers > 0, numbers, 0.0), tl.zeros_like(numbers), counted)
        other_mean, other_squares, other_count = tl.reduce(parts, 0, merge)
        mean, squares, count = merge(mean, squares, count, other_mean, other_squares, other_count)
    tl.store(means, mean)
    tl.store(counts, count)


@pytest.mark.parametrize("signs", ["none", "few", "all"])
def test_means_of_what_is_counted(target, signs):
    x = np.abs(numbers(1000))
    x[{"none": slice(None), "few": slice(3, None), "all": slice(0)}[signs]] *= -1
    mean, count = unset(1), unset(1)
    running_kernel[(1,)](x, mean, count, 1000, BLOCK=256, target=target)
    above = x[x > 0].astype(np.float64)
    assert count[0] == len(above)
    assert_close(mean, [above.mean() if len(above) else 0], digits=1e-5)


def test_counts_of_lanes_are_divided_without_scaling():
    x, means, variances = as_on_gpus(numbers(2, 1000)), unset(2), unset(2)
    launch = variance_kernel[(2,)]
    kernel = launch(x, means, variances, 1000, BLOCK=1024, num_warps=1, target="sm_90a")
    ptx = kernel.variants[-1]["ptx"]
    assert ptx.count("div.full") == 0
    assert ptx.count("div.approx.ftz") > 0
    # The sum of squares may be subnormal.
    assert ptx.count("div.approx.f32") == 1
