"""Scans of which several warps have parts: the totals of these are scanned in each way that there
is, from both ends, in odd sizes, and with numbers that are none and infinite ones."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")


@tilewright.jit
def sums_kernel(
    x, out, M, N, HEIGHT: tl.constexpr, WIDTH: tl.constexpr, AXIS: tl.constexpr,
    REVERSE: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * HEIGHT + tl.arange(0, HEIGHT)
    columns = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    places = rows[:, None] * N + columns[None, :]
    values = tl.load(x + places, mask=inside, other=0)
    tl.store(out + places, tl.cumsum(values, axis=AXIS, reverse=REVERSE), mask=inside)


@tilewright.jit
def product_kernel(a, b, out):
    rows, columns, middle = tl.arange(0, 128), tl.arange(0, 128), tl.arange(0, 64)
    x = tl.load(a + rows[:, None] * 64 + middle[None, :])
    y = tl.load(b + middle[:, None] * 128 + columns[None, :])
    sums = tl.cumsum(tl.dot(x, y), axis=0)
    tl.store(out + rows[:, None] * 128 + columns[None, :], sums)


@tilewright.jit
def follow(factor, term, next_factor, next_term):
    return factor * next_factor, term * next_factor + next_term


@tilewright.jit
def steps_kernel(
    x, y, out, M, N, HEIGHT: tl.constexpr, WIDTH: tl.constexpr, AXIS: tl.constexpr,
    REVERSE: tl.constexpr,
):  # fmt: skip
    rows, columns = tl.arange(0, HEIGHT), tl.arange(0, WIDTH)
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    places = rows[:, None] * N + columns[None, :]
    factors = tl.load(x + places, mask=inside, other=1)
    terms = tl.load(y + places, mask=inside, other=0)
    _, values = tl.associative_scan((factors, terms), AXIS, follow, reverse=REVERSE)
    tl.store(out + places, values, mask=inside)


def sum_up(x, tile, axis, reverse):
    """What the sums so far are of each tile, one addition after the other."""
    out = np.empty_like(x)
    for m in range(0, x.shape[0], tile[0]):
        for n in range(0, x.shape[1], tile[1]):
            part = np.s_[m : m + tile[0], n : n + tile[1]]
            values = np.flip(x[part], axis) if reverse else x[part]
            with np.errstate(invalid="ignore"):
                sums = np.cumsum(values, axis=axis)
            out[part] = np.flip(sums, axis) if reverse else sums
    return out


# Totals of few columns and of many, in rows that one warp has and in such that all have.
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("tile", "axis", "warps"),
    [((256, 32), 0, 8), ((64, 64), 0, 4), ((16, 512), 1, 8), ((1, 8192), 1, 32), ((512, 4), 0, 4)],
)
def test_sums(target, tile, axis, warps, reverse):
    rng = np.random.default_rng(5)
    m, n = tile[0] + max(1, tile[0] // 3), tile[1] * 2 - 3
    x = rng.integers(-50, 50, (m, n)).astype(np.float32)
    for value in (np.nan, np.inf, -np.inf):
        x[rng.integers(0, m, 3), rng.integers(0, n, 3)] = value
    out = np.zeros_like(x)
    grid = (tilewright.cdiv(m, tile[0]), tilewright.cdiv(n, tile[1]))
    sums_kernel[grid](x, out, m, n, *tile, axis, reverse, target=target, num_warps=warps)
    np.testing.assert_array_equal(out, sum_up(x, tile, axis, reverse))


# In the layouts of sums, of which each thread has parts of many columns.
def test_sums_of_products(target):
    rng = np.random.default_rng(7)
    a = rng.integers(-3, 4, (128, 64)).astype(np.float16)
    b = rng.integers(-3, 4, (64, 128)).astype(np.float16)
    out = np.zeros((128, 128), np.float32)
    product_kernel[(1,)](a, b, out, target=target, num_warps=4)
    np.testing.assert_array_equal(out, np.cumsum(a.astype(np.float32) @ b, axis=0))


# Of two tiles at once, one behind the other, where it matters which comes first.
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("tile", "axis", "warps"), [((64, 32), 0, 4), ((8, 1024), 1, 8), ((256, 64), 0, 8)]
)
def test_steps(target, tile, axis, warps, reverse):
    rng = np.random.default_rng(6)
    m, n = tile[0] - 1, tile[1] - 3
    x = rng.integers(-3, 4, (m, n)).astype(np.int32)
    y = rng.integers(-9, 9, (m, n)).astype(np.int32)
    out = np.zeros_like(x)
    steps_kernel[(1,)](x, y, out, m, n, *tile, axis, reverse, target=target, num_warps=warps)
    right, value = np.empty_like(x), 0
    order = range(x.shape[axis] - 1, -1, -1) if reverse else range(x.shape[axis])
    with np.errstate(over="ignore"):
        for at in order:
            place = (at, slice(None)) if axis == 0 else (slice(None), at)
            value = value * x[place] + y[place]
            right[place] = value
    np.testing.assert_array_equal(out, right)


@tilewright.jit
def row_kernel(x, out, N, WIDTH: tl.constexpr):
    columns = tl.arange(0, WIDTH)
    inside, first = columns < N, tl.program_id(0) * N
    values = tl.load(x + first + columns, mask=inside, other=0)
    tl.store(out + first + columns, tl.cumsum(values), mask=inside)


# More than shared memory has, and threads that load it have no half of what one that scans takes.
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_of_more_than_shared_memory(target, dtype):
    x = np.random.default_rng(0).integers(-9, 9, (2, 33001)).astype(dtype)
    out = np.zeros_like(x)
    row_kernel[(2,)](x, out, 33001, WIDTH=65536, num_warps=16, target=target)
    np.testing.assert_array_equal(out, x.cumsum(axis=1))
