"""Products of what is computed from loads of the loop: beside NumPy, and how these are copied."""

import numpy as np
import pytest
from examples_support import assert_close, numbers, unset
from shapes.arrays import as_on_gpus

import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")

GROUP = 32
# Whose variants are those of one test.
WIDER = 64


@tilewright.jit
def places_of_block(rows, columns, height, width):
    inside = (rows < height)[:, None] & (columns < width)[None, :]
    return rows[:, None] * width + columns[None, :], inside


@tilewright.jit
def load_block(matrix, rows, columns, height, width):
    """Of a matrix that is stored by rows; 0 outside."""
    places, inside = places_of_block(rows, columns, height, width)
    return tl.load(matrix + places, mask=inside, other=0)


@tilewright.jit
def store_block(matrix, block, rows, columns, height, width):
    places, inside = places_of_block(rows, columns, height, width)
    tl.store(matrix + places, block, mask=inside)


@tilewright.jit
def whole_bytes(a, w, s, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Weights of 8 bits, with a scale for each column of a group of rows."""
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        left = load_block(a, rm, k + rk, M, K)
        right = load_block(w, k + rk, rn, K, N)
        scale = tl.load(s + (k // BK) * N + rn, mask=rn < N, other=0.0)
        acc += tl.dot(left, right.to(tl.float16) * scale[None, :].to(tl.float16))
    store_block(c, acc, rm, rn, M, N)


@tilewright.jit
def halves_of_bytes(a, w, s, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Weights of 4 bits, two in a byte, of two rows; scales behind the product."""
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    half = tl.arange(0, BK // 2)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        left = load_block(a, rm, k + rk, M, K)
        both = tl.load(
            w + (k // 2 + half)[:, None] * N + rn[None, :],
            mask=(half < (K - k) // 2)[:, None] & (rn < N)[None, :],
            other=0,
        )
        low = ((both << 4).to(tl.int8) >> 4).to(tl.float16)
        high = (both >> 4).to(tl.float16)
        right = tl.join(low, high).permute(0, 2, 1).reshape(BK, BN)
        scale = tl.load(s + (k // BK) * N + rn, mask=rn < N, other=0.0)
        acc += tl.dot(left, right) * scale[None, :]
    store_block(c, acc, rm, rn, M, N)


@tilewright.jit
def words(a, w, s, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Weights of 4 bits, eight in a word, which is loaded for each."""
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    pointers = w + (rk[:, None] // 8) * N + rn[None, :]
    shifts = (rk % 8) * 4
    for k in range(0, tl.cdiv(K, BK)):
        left = load_block(a, rm, k * BK + rk, M, K)
        eight = tl.load(pointers, mask=(rn < N)[None, :], other=0)
        scale = tl.load(s + k * N + rn, mask=rn < N, other=0.0)
        right = ((eight >> shifts[:, None]) & 0xF) * scale[None, :]
        acc += tl.dot(left, right.to(tl.float16))
        pointers += BK // 8 * N
    store_block(c, acc, rm, rn, M, N)


@tilewright.jit
def activated(a, w, s, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The left operand is scaled, and what is below zero left out."""
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        left = load_block(a, rm, k + rk, M, K)
        right = load_block(w, k + rk, rn, K, N)
        scale = tl.load(s + k + rk, mask=rk < K - k, other=0.0)
        left = tl.maximum(left.to(tl.float32) * scale[None, :], 0.0)
        acc += tl.dot(left.to(tl.float16), right)
    store_block(c, acc, rm, rn, M, N)


def bytes_of(k, n, seed):
    return as_on_gpus(np.random.default_rng(seed).integers(-128, 128, (k, n), np.int8))


def of_whole_bytes(m, n, k, step):
    a, w = numbers(m, k, dtype=np.float16), bytes_of(k, n, 1)
    s = numbers(tilewright.cdiv(k, step), n, seed=2, scale=0.125)
    scales = np.repeat(s.astype(np.float16), step, axis=0)[:k]
    right = (w.astype(np.float16) * scales).astype(np.float64)
    return whole_bytes, a, w, s, a.astype(np.float64) @ right


def of_halves(m, n, k, step):
    a, w = numbers(m, k, dtype=np.float16), bytes_of(k // 2, n, 1)
    s = numbers(tilewright.cdiv(k, step), n, seed=2, scale=0.125)
    low = (w << 4).astype(np.int8) >> 4
    both = np.stack([low, w >> 4], axis=1).reshape(k, n).astype(np.float64)
    right = both * np.repeat(s, step, axis=0)[:k]
    return halves_of_bytes, a, w, s, a.astype(np.float64) @ right


def of_words(m, n, k, step):
    a = numbers(m, k, dtype=np.float16)
    # As many words as the last step reads.
    rows = tilewright.cdiv(k, step) * step // 8
    generator = np.random.default_rng(1)
    w = as_on_gpus(generator.integers(-(2**31), 2**31, (rows, n), np.int64).astype(np.int32))
    s = numbers(tilewright.cdiv(k, step), n, seed=2, scale=0.125)
    eight = (w[:, None, :] >> (4 * np.arange(8))[None, :, None] & 0xF).reshape(rows * 8, n)[:k]
    right = (eight * np.repeat(s, step, axis=0)[:k]).astype(np.float16).astype(np.float64)
    return words, a, w, s, a.astype(np.float64) @ right


def of_activated(m, n, k, step):
    a, w = numbers(m, k, dtype=np.float16), numbers(k, n, dtype=np.float16, seed=1)
    s = numbers(k, dtype=np.float32, seed=2)
    left = np.maximum(a.astype(np.float32) * s, 0).astype(np.float16)
    return activated, a, w, s, left.astype(np.float64) @ w.astype(np.float64)


CASES = [of_whole_bytes, of_halves, of_words, of_activated]


@pytest.mark.parametrize("make", CASES)
@pytest.mark.parametrize("shape", [(64, 64, 192), (70, 72, 152), (16, 130, 100), (5, 33, 66)])
@pytest.mark.parametrize("stages", [1, 3])
def test_products(target, make, shape, stages):
    m, n, k = shape
    kernel, a, w, s, expected = make(m, n, k, GROUP)
    c = unset(m, n, dtype=np.float32)
    grid = tilewright.cdiv(m, 64), tilewright.cdiv(n, 64)
    kernel[grid](
        a, w, s, c, m, n, k, BM=64, BN=64, BK=GROUP, num_warps=4, num_stages=stages, target=target
    )
    assert_close(c, expected, digits=2e-3 * np.abs(expected).max())


@pytest.mark.parametrize("make", CASES)
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a", "sm_120a"])
def test_all_that_is_loaded_is_copied_ahead(make, gpu):
    kernel, a, w, s, _ = make(128, 128, 256, WIDER)
    compiled = kernel.warmup(
        a, w, s, unset(128, 128, dtype=np.float32), 128, 128, 256,
        BM=64, BN=64, BK=WIDER, num_warps=4, num_stages=3, target=gpu, grid=(2, 2),
    )  # fmt: skip
    placed = compiled.ir("placed")
    loop = placed[placed.index("scf.for") :]
    assert "tile.load" not in loop[: loop.index("scf.yield")]
    assert [copy["stages"] for copy in compiled.report["copies"]] == [3]
