"""Products whose blocks stay on sm_90a, where each makes several tiles of C: beside NumPy."""

import numpy as np
import pytest
from examples_support import assert_close, numbers, unset
from shapes.products import triangle_kernel

import tilewright
import tilewright.language as tl
from bench.product_kernel import product_kernel

TILE = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64}


def grid_of(m, n):
    return tilewright.cdiv(m, 128), tilewright.cdiv(n, 128)


def check_triangle(m, n, k, lower, **options):
    begin = np.arange(m)[:, None] // 128 * 128
    places = np.arange(k)[None, :]
    is_read = places < begin + 128 if lower else places >= begin
    # What no program may look at is not a number.
    a = np.where(is_read, numbers(m, k, dtype=np.float16), np.float16(np.nan))
    b, c = numbers(k, n, dtype=np.float16, seed=1), unset(m, n, dtype=np.float16)
    sizes = (m, n, k, k, n, n)
    triangle_kernel[grid_of(m, n)](a, b, c, *sizes, LOWER=lower, **TILE, **options)
    right = np.where(is_read, a, 0).astype(np.float64) @ b.astype(np.float64)
    assert_close(c, right, digits=1e-2)


# Each program has a loop of its own length; some have none.
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("warps", [4, 8])
def test_triangle(target, warps, lower):
    large = {"num_stages": 4, "require": ["persistent"]} if target == "sm_90a" else {}
    options = {"num_warps": warps, "num_stages": 2, "target": target, **large}
    for m, n, k in [(264, 392, 208), (392, 136, 264), (128, 128, 0), (8, 520, 8)]:
        check_triangle(m, n, k, lower, **options)


@tilewright.jit
def product_at(
    a, b, m, n, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    rows = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    columns = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        total = tl.dot(rows.load([m, k]), columns.load([k, n]), total)
    return total


@tilewright.jit
def sums_down_kernel(
    a, b, c, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    m, n = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    total = product_at(a, b, m, n, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K)
    results = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    results.store([m, n], tl.cumsum(total, axis=0).to(c.dtype.element_ty))


# Six slots leave 35,840 bytes: the tile of results has 32,768 of them, and what warps tell one
# another of their sums 2,048 or 4,096.
@pytest.mark.parametrize(("warps", "stages"), [(4, 5), (4, 6), (8, 5), (8, 6)])
def test_scan_behind_a_product_has_room(warps, stages):
    m, n, k = 136, 392, 200
    a, b = numbers(m, k, dtype=np.float16), numbers(k, n, dtype=np.float16, seed=1)
    c = unset(m, n, dtype=np.float16)
    options = {"num_warps": warps, "num_stages": stages, "target": "sm_90a"}
    sums_down_kernel[grid_of(m, n)](a, b, c, m, n, k, **TILE, **options, require=["persistent"])
    right = a.astype(np.float64) @ b.astype(np.float64)
    for begin in range(0, m, 128):
        rows = slice(begin, begin + 128)
        assert_close(c[rows], np.cumsum(right[rows], axis=0), digits=3e-2)


@tilewright.jit
def transposed_kernel(
    a, b, c, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    m, n = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    total = product_at(a, b, m, n, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K)
    results = tl.make_tensor_descriptor(c, [N, M], [M, 1], [BLOCK_N, BLOCK_M])
    results.store([n, m], total.to(c.dtype.element_ty).T)


# Halves are stored one by one, and converted in twos.
@pytest.mark.parametrize("warps", [4, 8])
def test_transposed_results(target, warps):
    m, n, k = 136, 264, 200
    a, b = numbers(m, k, dtype=np.float16), numbers(k, n, dtype=np.float16, seed=1)
    c = unset(n, m, dtype=np.float16)
    options = {"num_warps": warps, "num_stages": 2, "target": target}
    transposed_kernel[grid_of(m, n)](a, b, c, m, n, k, **TILE, **options)
    assert_close(c, (a.astype(np.float64) @ b.astype(np.float64)).T, digits=1e-2)


def resources_of(kernel):
    """What ptxas says, where there is one."""
    resources = kernel.report.get("resources")
    return resources or pytest.skip("there is no ptxas")


@pytest.mark.parametrize(("warps", "stages"), [(4, 3), (4, 4), (8, 3)])
def test_products_of_transposed_results_do_not_wait_for_one_another(warps, stages):
    a, b, c = (np.zeros((256, 256), np.float16) for _ in range(3))
    options = {"num_warps": warps, "num_stages": stages, "target": "sm_90a"}
    kernel = transposed_kernel.warmup(a, b, c, 256, 256, 256, **TILE, **options, grid=(2, 2))
    assert resources_of(kernel)["why_serialized"] == ""


# 192 sums of a thread, and 64 words of the residual.
@pytest.mark.parametrize("across", [(False, False), (False, True), (True, False), (True, True)])
def test_a_residual_beside_many_sums_spills_nothing(across):
    a, b, c, residual = (np.zeros((256, 256), np.float16) for _ in range(4))
    bias, scales = np.zeros(256, np.float16), np.zeros(256, np.float32)
    kernel = product_kernel.warmup(
        a, b, c, bias, scales, residual, 256, 256, 256, BLOCK_M=128, BLOCK_N=128, REST=64,
        BLOCK_K=64, A_ACROSS=across[0], B_ACROSS=across[1], EPILOGUE="residual",
        num_warps=4, num_stages=4, target="sm_90a", require=["persistent"], grid=(2, 2),
    )  # fmt: skip
    assert kernel.report["teams"] == 2
    assert resources_of(kernel)["spill_store_bytes"] == 0


# Rows of 128 and 64 share the tile of B. The last ones have 8 rows of 128 and none of 64.
@pytest.mark.parametrize("across", [(False, False), (False, True), (True, False), (True, True)])
def test_tiles_of_192_rows(across):
    m, n, k = 200, 392, 520
    a, b = numbers(m, k, dtype=np.float16), numbers(k, n, dtype=np.float16, seed=1)
    c = unset(m, n, dtype=np.float16)
    stored = [
        np.ascontiguousarray(x.T) if turned else x for x, turned in zip((a, b), across, strict=True)
    ]
    others = np.zeros(n, np.float16), np.zeros(m, np.float32), c
    product_kernel[tilewright.cdiv(m, 192), tilewright.cdiv(n, 128)](
        *stored, c, *others, m, n, k, BLOCK_M=128, BLOCK_N=128, REST=0, BLOCK_K=64, LOW=64,
        A_ACROSS=across[0], B_ACROSS=across[1], EPILOGUE="none",
        num_warps=4, num_stages=4, target="sm_90a", require=["persistent"],
    )  # fmt: skip
    assert_close(c, a.astype(np.float64) @ b.astype(np.float64), digits=1e-2)


@tilewright.jit
def two_results_kernel(
    a, b, c, d, residual, s, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    right = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    first = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    second = tl.make_tensor_descriptor(d, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    m, n = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    more = 0.0
    for k in range(0, K, BLOCK_K):
        total = tl.dot(left.load([m, k]), right.load([k, n]), total)
        more += tl.sum(tl.load(s + k * 16 + tl.arange(0, 1024)))
    total += more
    second.store([m, n], (total * 2).to(tl.float16))
    places = tl.make_block_ptr(residual, (M, N), (N, 1), (m, n), (BLOCK_M, BLOCK_N), (1, 0))
    beside = tl.load(places, boundary_check=(0, 1))
    first.store([m, n], (total + beside.to(tl.float32)).to(tl.float16))


@pytest.mark.parametrize(("block_m", "stages"), [(256, 3), (128, 6)])
def test_stores_are_read_before_loops_of_products_write_shared_memory(block_m, stages):
    """A sum in each step has a tile where a result of the program before may still be read."""
    m, n, k = 600, 304, 200
    a, b = numbers(m, k, dtype=np.float16), numbers(k, n, dtype=np.float16, seed=1)
    residual = numbers(m, n, dtype=np.float16, seed=2)
    s = numbers(k * 16 + 1024, dtype=np.float32, seed=3) / 1024
    c, d = unset(m, n, dtype=np.float16), unset(m, n, dtype=np.float16)
    grid = (tilewright.cdiv(m, block_m), tilewright.cdiv(n, 64))
    two_results_kernel[grid](
        a, b, c, d, residual, s, m, n, k, block_m, 64, 64,
        num_warps=8, num_stages=stages, target="sm_90a",
    )  # fmt: skip
    more = sum(s[at * 16 : at * 16 + 1024].astype(np.float64).sum() for at in range(0, k, 64))
    total = a.astype(np.float64) @ b.astype(np.float64) + more
    assert_close(c, total + residual, digits=1e-2)
    assert_close(d, total * 2, digits=2e-2)
