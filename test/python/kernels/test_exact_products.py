"""Exact products of f32 and f64 that begin with any sums, in the simulator: each bit as one FMA
after the other along K makes it."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from bench.product_kernel import load, matrix

SPECIALS = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -3.0, 7.0]
# A signalling NaN with a payload, which no product hands on as it is.
PAYLOADS = {np.float32: 0x7F812345, np.float64: 0x7FF0123456789ABC}


@tilewright.jit
def add_product_kernel(
    a, b, c, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    A_ACROSS: tl.constexpr, B_ACROSS: tl.constexpr,
):  # fmt: skip
    """C += A B, from what C is."""
    left = matrix(a, M, K, BLOCK_M, BLOCK_K, A_ACROSS)
    right = matrix(b, K, N, BLOCK_K, BLOCK_N, B_ACROSS)
    results = matrix(c, M, N, BLOCK_M, BLOCK_N, False)
    m, n = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    total = results.load([m, n])
    for k in range(0, K, BLOCK_K):
        x, y = load(left, m, k, A_ACROSS), load(right, k, n, B_ACROSS)
        total = tl.dot(x, y, total, input_precision="ieee")
    results.store([m, n], total)


def add_product(a, b, c, layout, tile, **options):
    stored = [
        np.ascontiguousarray(each.T) if order == "t" else each
        for each, order in zip((a, b), layout, strict=True)
    ]
    (m, k), n = a.shape, b.shape[1]
    grid = (tilewright.cdiv(m, tile[0]), tilewright.cdiv(n, tile[1]))
    add_product_kernel[grid](
        *stored, c, m, n, k, BLOCK_M=tile[0], BLOCK_N=tile[1], BLOCK_K=tile[2],
        A_ACROSS=layout[0] == "t", B_ACROSS=layout[1] == "t", **options,
    )  # fmt: skip


def one_by_one(a, b, c, step):
    """Products and sums of small integers are exact, so that two roundings are one. What lies
    outside of A and B in the last step along K are zeros."""
    outside = -a.shape[1] % step
    a, b = np.pad(a, ((0, 0), (0, outside))), np.pad(b, ((0, outside), (0, 0)))
    total = c.copy()
    with np.errstate(invalid="ignore"):
        for k in range(a.shape[1]):
            total = total + a[:, k : k + 1] * b[k : k + 1]
    return total


def bits_of(array):
    return array.view(np.uint32 if array.dtype == np.float32 else np.uint64)


def start_of(m, n, dtype):
    start = np.resize(np.array(SPECIALS, dtype), (m, n)).copy()
    bits_of(start)[::3, ::5] = PAYLOADS[dtype]
    return start


@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sizes", [(64, 64, 0), (40, 67, 1), (65, 33, 16), (64, 128, 35)])
def test_sums_that_begin_with_anything(target, dtype, layout, sizes):
    m, n, k = sizes
    random = np.random.default_rng(m + n + k)
    a, b = (random.integers(-3, 4, shape).astype(dtype) for shape in [(m, k), (k, n)])
    # Products of zeros of both signs alone, and what is no number among others.
    a[: m // 4] = random.choice([0.0, -0.0], (m // 4, k))
    if k > 1:
        a[-1, -1], b[0, -1] = np.inf, np.nan
    c = start_of(m, n, dtype)
    expected = one_by_one(a, b, c, 16)
    add_product(a, b, c, layout, (64, 64, 16), num_warps=4, num_stages=3)
    if k == 0:
        assert np.array_equal(bits_of(c), bits_of(expected))
    same = (bits_of(c) == bits_of(expected)) | (np.isnan(c) & np.isnan(expected))
    assert same.all()


@pytest.mark.parametrize("layout", ["nn", "tt"])
@pytest.mark.parametrize("sizes", [(1, 67, 99), (67, 1, 99), (1, 1, 200)])
@pytest.mark.parametrize("stages", [1, 4])
def test_blocks_of_which_few_sums_are_stored(target, sizes, layout, stages):
    """Those that are left are used where the loop goes around (lib/Target/WaitsOfDoubles.h)."""
    m, n, k = sizes
    random = np.random.default_rng(m + n + k)
    a, b = (random.integers(-3, 4, shape).astype(np.float64) for shape in [(m, k), (k, n)])
    b[5, 0] = np.inf
    c = start_of(m, n, np.float64)
    expected = one_by_one(a, b, c, 32)
    add_product(a, b, c, layout, (32, 32, 32), num_warps=2, num_stages=stages)
    assert ((bits_of(c) == bits_of(expected)) | (np.isnan(c) & np.isnan(expected))).all()


@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt"])
@pytest.mark.parametrize("tile, warps", [((128, 128, 16), 4), ((128, 128, 32), 8)])
def test_tiles_of_many_sums(target, tile, warps, layout):
    m, n, k = 130, 127, 2 * tile[2] + 3
    random = np.random.default_rng(k)
    a, b = (random.integers(-3, 4, shape).astype(np.float32) for shape in [(m, k), (k, n)])
    c = np.full((m, n), -0.0, np.float32)
    a[5] = -0.0
    b[:, 9] = 0.0
    expected = one_by_one(a, b, c, tile[2])
    add_product(a, b, c, layout, tile, num_warps=warps, num_stages=3)
    assert np.array_equal(bits_of(c), bits_of(expected))
