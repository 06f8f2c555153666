"""Products of which the blocks of a cluster copy an operand together, where rows begin beside
sectors: in the simulator, beside NumPy."""

import itertools

import numpy as np
import pytest
from examples_support import TARGETS, assert_close
from test_products_in_parts import matrices, multiply

import tilewright
import tilewright.language as tl

SHARED = ".multicast::cluster"


@pytest.fixture
def hopper(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")


# One step of K, which nobody divides; rows of 8 elements more than a multiple of 16.
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("epilogue", ["", "bias_relu", "row_scales", "residual"])
def test_all_targets(monkeypatch, target, epilogue):
    monkeypatch.setenv("TILEWRIGHT_TARGET", target)
    a, b, c = matrices(200, 136, 264)
    compiled, right = multiply(a, b, c, epilogue=epilogue)
    assert_close(c, right, digits=1e-2)
    assert (SHARED in compiled.ptx) == (target == "sm_90a")


LAYOUTS = ["nn", "nt", "tn", "tt"]
TILES = [
    {"block": (128, 256), "warps": 8},
    {"block": (128, 128), "warps": 8},
    {"block": (128, 64), "warps": 8},
    {"block": (64, 64)},
    {"block": (64, 128), "num_stages": 4},
    {"block": (128, 128), "rest": 64, "warps": 8},
    {"block": (128, 128), "rest": 64, "num_stages": 4},
]
# An even number of tiles along the first axis, an odd one, or along the second one only.
SIZES = [(200, 264), (328, 136), (56, 520)]


# Each tile meets all sizes and all layouts, not each pair of them.
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_and_tiles(hopper, layout):
    for number, tile in enumerate(TILES, LAYOUTS.index(layout)):
        rows, columns = SIZES[number % len(SIZES)]
        a, b, c = matrices(rows, columns, 264)
        compiled, right = multiply(a, b, c, layout, **tile)
        assert_close(c, right, digits=1e-2)
        grid = (-(-rows // tile["block"][0]), -(-columns // sum_of(tile)))
        assert (SHARED in compiled.ptx) == (grid[0] > 1 or grid[1] % 2 == 0)


def sum_of(tile):
    return tile["block"][1] + tile.get("rest", 0)


# With a tile for each of few blocks, and with several, one after the other.
def test_steps(hopper):
    for k, programs in [*itertools.product([8, 248, 264, 520], [2, 5, 6]), (264, 21)]:
        a, b, c = matrices(64 * programs, 136, k)
        compiled, right = multiply(a, b, c, block=(64, 256), warps=4, num_stages=4)
        assert_close(c, right, digits=1e-2)
        assert SHARED in compiled.ptx


def test_rows_that_begin_with_sectors(hopper):
    a, b, c = matrices(256, 256, 256)
    compiled, right = multiply(a, b, c)
    assert_close(c, right, digits=1e-2)
    assert SHARED not in compiled.ptx


def test_one_tile(hopper):
    a, b, c = matrices(72, 120, 264)
    compiled, right = multiply(a, b, c)
    assert_close(c, right, digits=1e-2)
    assert SHARED not in compiled.ptx


# Both blocks of a cluster end before either is gone, in any order.
def test_orders_of_blocks(hopper, monkeypatch):
    results = []
    for seed in range(4):
        monkeypatch.setenv("TILEWRIGHT_SIM_SEED", str(seed))
        a, b, c = matrices(256, 136, 264)
        multiply(a, b, c, block=(64, 128), num_stages=4)
        results.append(c.tobytes())
    assert len(set(results)) == 1


# How many programs there are is what the program is told, and not how many clusters.
def test_numbers_of_programs(hopper):
    @tilewright.jit
    def kernel(a, b, c, counts, height, width, depth):
        left = tl.make_tensor_descriptor(a, [height, depth], [depth, 1], [64, 64])
        right = tl.make_tensor_descriptor(b, [depth, width], [width, 1], [64, 64])
        results = tl.make_tensor_descriptor(c, [height, width], [width, 1], [64, 64])
        m, n = tl.program_id(0) * 64, tl.program_id(1) * 64
        total = tl.zeros((64, 64), dtype=tl.float32)
        for k in range(0, depth, 64):
            total = tl.dot(left.load([m, k]), right.load([k, n]), total)
        results.store([m, n], total.to(tl.float16))
        number = tl.program_id(0) + tl.program_id(1) * tl.num_programs(0)
        tl.store(counts + number, tl.num_programs(0) * 100 + tl.num_programs(1))

    for rows in [4, 3]:
        a, b, c = matrices(64 * rows, 136, 264)
        counts = np.zeros((rows + 1) * 3, np.int32)
        compiled = kernel[rows, 3](a, b, c, counts, 64 * rows, 136, 264, num_warps=4)
        assert SHARED in compiled.ptx
        assert_close(c, a.astype(np.float64) @ b.astype(np.float64), digits=1e-2)
        assert (counts[: rows * 3] == rows * 100 + 3).all()
        assert (counts[rows * 3 :] == 0).all()


# A block that has no program reads nothing outside of arrays.
def test_tables(hopper):
    @tilewright.jit
    def kernel(a, b, c, table, height, width, depth):
        left = tl.make_tensor_descriptor(a, [height, depth], [depth, 1], [64, 64])
        right = tl.make_tensor_descriptor(b, [depth, width], [width, 1], [64, 64])
        results = tl.make_tensor_descriptor(c, [height, width], [width, 1], [64, 64])
        m, n = tl.load(table + tl.program_id(0)) * 64, tl.program_id(1) * 64
        total = tl.zeros((64, 64), dtype=tl.float32)
        for k in range(0, depth, 64):
            total = tl.dot(left.load([m, k]), right.load([k, n]), total)
        results.store([m, n], total.to(tl.float16))

    a, b, c = matrices(192, 136, 264)
    compiled = kernel[3, 3](a, b, c, np.array([2, 0, 1], np.int32), 192, 136, 264, num_warps=4)
    assert SHARED not in compiled.ptx
    assert_close(c, a.astype(np.float64) @ b.astype(np.float64), digits=1e-2)


# What such a block has of its own, an array of a program each, is not there either.
@pytest.mark.parametrize("programs", [3, 4])
@pytest.mark.parametrize("has_own_end", [False, True])
def test_arrays_of_programs(hopper, has_own_end, programs):
    @tilewright.jit
    def kernel(a, b, c, width, depth, own_end: tl.constexpr):
        m, n = tl.program_id(0) * 64, tl.program_id(1) * 64
        base, row, rows = a + m * depth, m * 0, m * 0 + 64
        if own_end:
            base, row, rows = a, m, m + 64
        left = tl.make_tensor_descriptor(base, [rows, depth], [depth, 1], [64, 64])
        right = tl.make_tensor_descriptor(b, [depth, width], [width, 1], [64, 64])
        results = tl.make_tensor_descriptor(c + m * width, [64, width], [width, 1], [64, 64])
        total = tl.zeros((64, 64), dtype=tl.float32)
        for k in range(0, depth, 64):
            total = tl.dot(left.load([row, k]), right.load([k, n]), total)
        results.store([0, n], total.to(tl.float16))

    a, b, c = matrices(64 * programs, 136, 264)
    compiled = kernel[programs, 3](a, b, c, 136, 264, own_end=has_own_end, num_warps=4)
    assert (SHARED in compiled.ptx) == (programs == 4 and not has_own_end)
    assert_close(c, a.astype(np.float64) @ b.astype(np.float64), digits=1e-2)
