"""Products of few rows, which are columns for `wgmma` where a target has it."""

import numpy as np
import pytest

import tilewright
from bench.product_kernel import Operands, Tile, product_kernel

# Reports say here what multiplies, and nothing of registers.
pytestmark = pytest.mark.usefixtures("without_ptxas")

SIZES = [
    # Fewer rows than a tile, and ragged columns; several tiles of rows; no step along K.
    ((1, 192, 256), Tile(16, 64, warps=4, stages=3)),
    ((13, 200, 328), Tile(16, 128, warps=4, stages=4)),
    ((40, 136, 448), Tile(32, 128, warps=8, stages=3)),
    ((5, 72, 0), Tile(16, 64, warps=4, stages=3)),
    # Rows that begin anywhere.
    ((17, 67, 193), Tile(32, 64, warps=4, stages=3)),
]


def make_operands(sizes, layout, dtype):
    m, n, k = sizes
    random = np.random.default_rng(m + n + k)

    def draw(*shape):
        return random.integers(-4, 5, shape).astype(dtype)

    a = draw(k, m) if layout[0] == "t" else draw(m, k)
    b = draw(n, k) if layout[1] == "t" else draw(k, n)
    scales = random.integers(1, 3, m).astype(np.float32)
    c = np.full((m, n), np.nan, np.float32)
    return Operands(a, b, c, draw(n), scales, draw(m, n), sizes, layout)


def expected(operands, epilogue):
    a, b = operands.a.astype(np.float32), operands.b.astype(np.float32)
    a = a.T if operands.layout[0] == "t" else a
    b = b.T if operands.layout[1] == "t" else b
    total = a @ b
    if epilogue == "bias_relu":
        return np.maximum(total + operands.bias.astype(np.float32), 0)
    if epilogue == "row_scales":
        return total * operands.scales[:, None]
    return total + operands.residual.astype(np.float32)


def launch(operands, tile, epilogue, **options):
    m, n, k = operands.sizes
    return product_kernel[tilewright.cdiv(m, tile.m), tilewright.cdiv(n, tile.n)](
        operands.a, operands.b, operands.c, operands.bias, operands.scales, operands.residual,
        m, n, k, BLOCK_M=tile.m, BLOCK_N=tile.n, REST=0, BLOCK_K=tile.k,
        A_ACROSS=operands.layout[0] == "t", B_ACROSS=operands.layout[1] == "t", EPILOGUE=epilogue,
        num_warps=tile.warps, num_stages=tile.stages, **options,
    )  # fmt: skip


# Integers are exact, in whatever order they are added.
@pytest.mark.parametrize("epilogue", ["bias_relu", "row_scales", "residual"])
@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt"])
@pytest.mark.parametrize("sizes, tile", SIZES)
def test_results_are_those_of_any_product(target, sizes, tile, layout, epilogue):
    operands = make_operands(sizes, layout, np.float16)
    report = launch(operands, tile, epilogue, device="sim", target=target).report
    assert np.array_equal(operands.c, expected(operands, epilogue))
    (product,) = report["products"]
    assert product["exchanged"] == (target == "sm_90a")
    assert product["instruction"] == ("wgmma" if target == "sm_90a" else "mma.sync")
    if product["exchanged"]:
        assert (product["m"], product["n"]) == (tile.n, tile.m)


# The operand of one row or column is contiguous, however it is stored.
@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt"])
@pytest.mark.parametrize(
    "sizes, tile",
    [
        ((1, 136, 264), Tile(16, 64, warps=4, stages=3)),
        ((136, 1, 264), Tile(64, 16, warps=4, stages=3)),
        ((1, 1, 264), Tile(64, 16, warps=4, stages=3)),
    ],
)
def test_vectors_are_fetched_by_bulk_copies(target, sizes, tile, layout):
    operands = make_operands(sizes, layout, np.float16)
    kernel = launch(operands, tile, "residual", device="sim", target=target)
    assert np.array_equal(operands.c, expected(operands, "residual"))
    assert ("by bulk copies" in kernel.report_text) == (target == "sm_90a")


def test_the_report_says_so():
    operands = make_operands((16, 64, 128), "nn", np.float16)
    kernel = launch(operands, SIZES[0][1], "residual", device="sim", target="sm_90a")
    assert "64x16x64 of f16 by wgmma with its operands exchanged" in kernel.report_text
