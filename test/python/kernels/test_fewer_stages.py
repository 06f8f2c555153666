"""Loops for whose stages shared memory has no room: they have fewer, and the report says so."""

import numpy as np
import pytest
from examples_support import assert_close, numbers, unset

import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")

# What a stage of 128 x 256 by 64 takes is 48 KiB.
FITTING = {"sm_80": 3, "sm_86": 2, "sm_89": 2, "sm_90a": 4, "sm_100a": 4, "sm_120a": 2}


@tilewright.jit
def product_kernel(
    a, b, c, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, STAGES: tl.constexpr,
    SUMS_DOWN: tl.constexpr,
):  # fmt: skip
    m, n = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    rows = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    columns = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in tl.range(0, K, BLOCK_K, num_stages=STAGES):
        total = tl.dot(rows.load([m, k]), columns.load([k, n]), total)
    if SUMS_DOWN:
        total = tl.cumsum(total, axis=0)
    results = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    results.store([m, n], total.to(c.dtype.element_ty))


def run(target, blocks, steps, stages, own_stages=None, sums_down=False, **options):
    """Launches, compares, and gives the report."""
    kernel = tilewright.jit(product_kernel.fn)
    # Two programs of a block where blocks stay.
    m, n, k = blocks[0] + 8 if target == "sm_90a" else 72, 72, steps * blocks[2]
    a, b = numbers(m, k, dtype=np.float16), numbers(k, n, dtype=np.float16, seed=1)
    c = unset(m, n, dtype=np.float16)
    grid = (tilewright.cdiv(m, blocks[0]), tilewright.cdiv(n, blocks[1]))
    options = {"num_warps": 8, "num_stages": stages, "target": target, **options}
    kernel[grid](a, b, c, m, n, k, *blocks, own_stages, sums_down, **options)
    right = a.astype(np.float64) @ b.astype(np.float64)
    if sums_down:
        parts = [right[at : at + blocks[0]] for at in range(0, m, blocks[0])]
        right = np.concatenate([np.cumsum(part, axis=0) for part in parts])
    assert_close(c, right, digits=3e-2)
    return kernel.kernels[-1].report_text


def test_as_many_as_have_room(target):
    fit = FITTING[target]
    for steps in (0, 1, fit - 1, fit, fit + 1):
        report = run(target, (128, 256, 64), steps, 5)
        assert f"loops have at most {fit} stages: with 5 it needs" in report
    assert "loops have at most" not in run(target, (128, 256, 64), 1, fit)


# What a loop asks for itself.
def test_stages_of_a_loop(target):
    report = run(target, (128, 256, 64), 3, 2, own_stages=6)
    assert f"loops have at most {FITTING[target]} stages: with 6 it needs" in report


# A scan behind a loop needs room of its own, beside the slots where blocks stay.
@pytest.mark.parametrize("stages", [3, 4, 5])
def test_scan_behind(target, stages):
    run(target, (128, 256, 64), 2, stages, sums_down=True)


@tilewright.jit
def storing_kernel(
    a, b, c, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Each step of K is stored by itself."""
    om, on, ok = tl.arange(0, BLOCK_M), tl.arange(0, BLOCK_N), tl.arange(0, BLOCK_K)
    for step in range(K // BLOCK_K):
        k = step * BLOCK_K + ok
        x = tl.load(a + om[:, None] * K + k[None, :], mask=om[:, None] < M, other=0.0)
        y = tl.load(b + k[:, None] * N + on[None, :], mask=on[None, :] < N, other=0.0)
        place = c + step * M * N + om[:, None] * N + on[None, :]
        tl.store(place, tl.dot(x, y), mask=(om[:, None] < M) & (on[None, :] < N))


# Of 128 x 128 by 64, with what is stored beside the slots.
STORING = {"sm_80": 4, "sm_86": 2, "sm_89": 2, "sm_90a": 5, "sm_100a": 5, "sm_120a": 2}


@pytest.mark.parametrize("width", [128, 256])
@pytest.mark.parametrize("stages", [2, 3, 5])
def test_loop_that_stores(target, stages, width):
    kernel = tilewright.jit(storing_kernel.fn)
    m, n, steps = 120, width - 8, 3
    a, b = numbers(m, steps * 64, dtype=np.float16), numbers(steps * 64, n, dtype=np.float16)
    c = unset(steps, m, n)
    options = {"num_warps": 8, "num_stages": stages, "target": target}
    kernel[(1,)](a, b, c, m, n, steps * 64, 128, width, 64, **options)
    for step in range(steps):
        part = slice(step * 64, step * 64 + 64)
        assert_close(c[step], a[:, part].astype(float) @ b[part].astype(float), digits=1e-3)
    if width == 128:
        fewer = f"loops have at most {STORING[target]} stages: shared memory has no room for"
        assert (fewer in kernel.kernels[-1].report_text) == (stages > STORING[target])


@tilewright.jit
def rounds_kernel(
    a, b, c, M, N, K, rounds,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Stores behind each of two loops, of which one begins where the other one ended."""
    om, on, ok = tl.arange(0, BLOCK_M), tl.arange(0, BLOCK_N), tl.arange(0, BLOCK_K)
    places = om[:, None] * N + on[None, :]
    inside = (om[:, None] < M) & (on[None, :] < N)
    for each in range(rounds):
        total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for half in range(2):
            for k in range(half * (K // 2), (half + 1) * (K // 2), BLOCK_K):
                x = tl.load(
                    a + om[:, None] * K + (k + ok)[None, :], mask=om[:, None] < M, other=0.0
                )
                y = tl.load(
                    b + (k + ok)[:, None] * N + on[None, :], mask=on[None, :] < N, other=0.0
                )
                total = tl.dot(x, y, total)
            tl.store(c + (2 * each + half) * M * N + places, total, mask=inside)


# Results of 128 KiB go through shared memory in pieces, in the bytes that loops before had.
@pytest.mark.parametrize("stages", [1, 2, 4])
def test_stores_between_loops(target, stages):
    m, n, k = 120, 248, 256
    a, b = numbers(m, k, dtype=np.float16), numbers(k, n, dtype=np.float16, seed=1)
    c = unset(4, m, n)
    options = {"num_warps": 8, "num_stages": stages, "target": target}
    rounds_kernel[(1,)](a, b, c, m, n, k, 2, 128, 256, 64, **options)
    half = a[:, :128].astype(float) @ b[:128].astype(float)
    whole = a.astype(float) @ b.astype(float)
    for result, right in zip(c, (half, whole, half, whole), strict=True):
        assert_close(result, right, digits=1e-3)


def test_not_even_one():
    with pytest.raises(tilewright.CompileError, match="use smaller tiles") as error:
        run("sm_86", (256, 256, 256), 1, 3, num_warps=16)
    assert "131072 bytes of shared memory; a block on sm_86 may have 101376" in str(error.value)
