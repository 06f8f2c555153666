"""Products of tf32 in all layouts: by `wgmma` where one operand lies along K, beside NumPy."""

import re

import numpy as np
import pytest
from examples_support import assert_close, numbers, unset

import tilewright
from bench.product_kernel import product_kernel

LAYOUTS = ["nn", "nt", "tn", "tt"]
TILES = [
    {"block": (128, 128)},
    {"block": (128, 64), "step": 64},
    {"block": (64, 128), "warps": 8, "rest": 64},
    {"block": (16, 64)},
]


def round_to_tf32(values):
    """To numbers that tf32 has."""
    return (values.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


def operands(m, n, k):
    a, b = numbers(m, k), numbers(k, n, seed=1)
    return round_to_tf32(a), round_to_tf32(b), unset(m, n)


def multiply(a, b, c, layout, block, rest=0, step=32, warps=4, **options):
    m, n, k = (*c.shape, a.shape[1])
    others = np.zeros(n, c.dtype), np.zeros(m, np.float32), numbers(m, n, seed=7)
    kernel = tilewright.jit(product_kernel.fn)
    compiled = kernel[tilewright.cdiv(m, block[0]), tilewright.cdiv(n, block[1] + rest)](
        np.ascontiguousarray(a.T) if layout[0] == "t" else a,
        np.ascontiguousarray(b.T) if layout[1] == "t" else b,
        c, *others, m, n, k, BLOCK_M=block[0], BLOCK_N=block[1], REST=rest, BLOCK_K=step,
        A_ACROSS=layout[0] == "t", B_ACROSS=layout[1] == "t", EPILOGUE="residual",
        PRECISION="tf32", num_warps=warps, **options,
    )  # fmt: skip
    return compiled, a.astype(np.float64) @ b.astype(np.float64) + others[2]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_all_targets(target, layout):
    for m, n, k in [(136, 200, 136), (131, 77, 157)]:
        a, b, c = operands(m, n, k)
        _, right = multiply(a, b, c, layout, block=(64, 64), target=target, num_stages=2)
        assert_close(c, right, digits=2e-5)


# Threads take what does not lie along K to registers, as the left operand; where both do not, a
# warp multiplies by itself. Of K of 440 there are three or five parts.
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("tile", TILES)
def test_tiles(layout, tile):
    for m, n, k in [(136, 264, 72), (140, 203, 96), (72, 136, 440)]:
        a, b, c = operands(m, n, k)
        compiled, right = multiply(a, b, c, layout, **tile, target="sm_90a", num_stages=3)
        assert_close(c, right, digits=2e-5)
        by_wgmma = layout in ("nn", "nt") or (layout == "tt" and tile["block"][0] >= 64)
        assert ("wgmma.mma_async" in compiled.ptx) == by_wgmma


# A block that is alone on its multiprocessor reads left operands while products are under way, two
# iterations in one: of one to five trips, of which two and three are in parts of K.
@pytest.mark.parametrize("layout", ["nn", "tt"])
@pytest.mark.parametrize("k", [40, 72, 136, 200, 320])
def test_left_operands_are_read_under_products(layout, k):
    a, b, c = operands(72, 136, k)
    options = {"target": "sm_90a", "num_stages": 4}
    compiled, right = multiply(a, b, c, layout, block=(64, 64), step=64, **options)
    assert_close(c, right, digits=2e-5)
    assert re.search(r"wgmma.wait_group.sync.aligned\s+1;", compiled.ptx)


@pytest.mark.parametrize("layout", ["nn", "tt"])
@pytest.mark.parametrize("special", [np.nan, np.inf])
def test_specials_stay_in_their_rows_and_columns(layout, special):
    a, b, c = operands(72, 136, 104)
    a[3, 5] = b[7, 130] = special
    with np.errstate(invalid="ignore"):
        _, right = multiply(a, b, c, layout, block=(64, 64), target="sm_90a")
    finite = np.isfinite(right)
    assert (np.isfinite(c) == finite).all()
    assert (np.isnan(c) == np.isnan(right)).all()
    assert_close(c[finite], right[finite], digits=2e-5)


# In each of several launches a sum has the same bits.
@pytest.mark.parametrize("layout", ["nn", "tt"])
def test_bits_are_the_same(layout):
    a, b, c = operands(72, 136, 440)
    again = unset(72, 136)
    for result in (c, again):
        multiply(a, b, result, layout, block=(64, 128), target="sm_90a")
    assert (c.view(np.uint32) == again.view(np.uint32)).all()
