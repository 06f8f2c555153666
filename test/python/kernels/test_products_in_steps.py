"""Tiles that are sums of three powers of two, and those of the transpose, which have rows in steps
of eight: in the simulator, beside NumPy."""

import numpy as np
import pytest
from examples_support import assert_close, numbers, unset

import tilewright
from bench.product_kernel import product_kernel

pytestmark = pytest.mark.usefixtures("without_ptxas")

LAYOUTS = ("nn", "nt", "tn", "tt")
EPILOGUES = ("none", "bias_relu", "row_scales", "residual")


def multiply(layout, epilogue, tile, sizes, turned, target, **options):
    """Columns of the tile are (first, rest, last); of its transpose they are rows of the result."""
    m, n, k = sizes
    height, (first, rest, last), step = tile
    a = numbers(m, k, dtype=np.float16)
    b = numbers(k, n, dtype=np.float16, seed=1)
    residual = numbers(m, n, dtype=np.float16, seed=2)
    bias, scales = numbers(n, dtype=np.float16, seed=3), numbers(m, seed=4)
    c = unset(m, n, dtype=np.float16)
    left = np.ascontiguousarray(a.T) if layout[0] == "t" else a
    right = np.ascontiguousarray(b.T) if layout[1] == "t" else b
    across = layout[0] == "t", layout[1] == "t"
    rows, columns = m, n
    if turned:
        left, right, rows, columns = right, left, n, m
        across = layout[1] == "n", layout[0] == "n"
    grid = tilewright.cdiv(rows, height), tilewright.cdiv(columns, first + rest + last)
    kernel = product_kernel[grid](
        left, right, c, bias, scales, residual, rows, columns, k,
        BLOCK_M=height, BLOCK_N=first, REST=rest, LAST=last, BLOCK_K=step,
        A_ACROSS=across[0], B_ACROSS=across[1], EPILOGUE=epilogue, TURNED=turned,
        target=target, **options,
    )  # fmt: skip
    total = a.astype(np.float64) @ b.astype(np.float64)
    if epilogue == "bias_relu":
        total = np.maximum(total + bias, 0)
    if epilogue == "row_scales":
        total *= scales[:, None]
    if epilogue == "residual":
        total += residual
    assert_close(c, total, digits=2e-2)
    return kernel


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("layout", "epilogue"), [*zip(LAYOUTS, EPILOGUES, strict=True), ("nn", "residual")]
)
def test_tiles_of_56_columns_or_rows(target, layout, epilogue, turned):
    tile = 64, (32, 16, 8), 32
    sizes = (136, 72, 104) if turned else (72, 136, 104)
    options = {"num_warps": 4, "num_stages": 3}
    multiply(layout, epilogue, tile, sizes, turned, target, **options)


# Boxes of 16 and 8 rows, which a thread has less than 16 bytes of; one instruction for all.
@pytest.mark.parametrize(("layout", "turned"), [("nt", False), ("nn", True)])
def test_parts_that_lie_along_k_are_one_instruction(layout, turned):
    tile = 128, (128, 64, 16), 64
    sizes = (216, 136, 256) if turned else (136, 216, 256)
    options = {"num_warps": 8, "num_stages": 4, "require": ["wgmma", "tma", "persistent"]}
    kernel = multiply(layout, "none", tile, sizes, turned, "sm_90a", **options)
    assert "m64n208k16" in kernel.variants[-1]["ptx"]


# Four slots leave 23,552 bytes, for 77,824 of results: the largest goes in pieces.
@pytest.mark.parametrize("stages", [3, 4])
@pytest.mark.parametrize(("layout", "turned"), [("nt", False), ("nn", True)])
def test_results_have_room_together(layout, turned, stages):
    tile = 256, (128, 16, 8), 64
    sizes = (160, 264, 256) if turned else (264, 160, 256)
    options = {"num_warps": 8, "num_stages": stages, "require": ["persistent"]}
    kernel = multiply(layout, "none", tile, sizes, turned, "sm_90a", **options)
    assert not kernel.report["why_fewer_stages"]


# Rows of B begin beside sectors: four programs share those of A. The last ones are missing.
@pytest.mark.parametrize("columns", [328, 520])
def test_four_programs_share_rows(columns):
    tile, sizes = (64, (32, 8, 0), 64), (40, columns, 256)
    options = {"num_warps": 4, "num_stages": 4}
    kernel = multiply("nn", "residual", tile, sizes, True, "sm_90a", **options)
    assert ".reqnctapercluster 4, 1, 1" in kernel.variants[-1]["ptx"]


# Of bytes there are instructions for 80 columns, and for 24, but none for all 88.
def test_columns_for_which_there_is_no_instruction():
    m, n, k = 136, 104, 192
    random = np.random.default_rng(0)
    a, b = (random.integers(-128, 128, (rows, k), dtype=np.int8) for rows in (m, n))
    c = unset(m, n, dtype=np.int32)
    unread = [np.zeros(1, np.int32) for _ in range(3)]
    kernel = product_kernel[tilewright.cdiv(m, 128), tilewright.cdiv(n, 88)](
        a, b, c, *unread, m, n, k,
        BLOCK_M=128, BLOCK_N=64, REST=16, LAST=8, BLOCK_K=64,
        A_ACROSS=False, B_ACROSS=True, EPILOGUE="none",
        target="sm_90a", num_warps=4, num_stages=4, require=["wgmma", "tma"],
    )  # fmt: skip
    np.testing.assert_array_equal(c, a.astype(np.int32) @ b.astype(np.int32).T)
    assert "m64n80k32" in kernel.variants[-1]["ptx"]
