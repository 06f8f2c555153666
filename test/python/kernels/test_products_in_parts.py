"""Products that the blocks of a cluster divide along K: in the simulator, which divides half of all
launches, by their steps, beside NumPy."""

import numpy as np
import pytest
from examples_support import TARGETS, assert_close, numbers, unset

import tilewright
import tilewright.language as tl
from bench.product_kernel import product_kernel

CLUSTERS = "barrier.cluster.arrive"


def multiply(a, b, c, layout="nn", epilogue="", block=(128, 128), rest=0, warps=4, **options):
    """Returns what was compiled, and what is right."""
    m, n, k = (*c.shape, a.shape[1])
    bias, scales = numbers(n, dtype=c.dtype, seed=5), numbers(m, seed=6)
    residual = options.pop("residual", numbers(m, n, dtype=c.dtype, seed=7))
    right = a.astype(np.float64) @ b.astype(np.float64)
    if epilogue == "bias_relu":
        right = np.maximum(right + bias, 0)
    if epilogue == "row_scales":
        right = right * scales[:, None]
    if epilogue == "residual":
        right = right + residual
    # Of a new one, `ptx` is what this launch runs.
    kernel = tilewright.jit(product_kernel.fn)
    compiled = kernel[tilewright.cdiv(m, block[0]), tilewright.cdiv(n, block[1] + rest)](
        np.ascontiguousarray(a.T) if layout[0] == "t" else a,
        np.ascontiguousarray(b.T) if layout[1] == "t" else b,
        c, bias, scales, residual, m, n, k,
        BLOCK_M=block[0], BLOCK_N=block[1], REST=rest, BLOCK_K=64,
        A_ACROSS=layout[0] == "t", B_ACROSS=layout[1] == "t", EPILOGUE=epilogue, num_warps=warps,
        **options,
    )  # fmt: skip
    return compiled, right


def matrices(m, n, k, dtype=np.float16):
    a, b = numbers(m, k, dtype=dtype), numbers(k, n, dtype=dtype, seed=1)
    return a, b, unset(m, n, dtype=dtype)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("epilogue", ["", "bias_relu", "row_scales", "residual"])
def test_all_targets(monkeypatch, target, epilogue):
    monkeypatch.setenv("TILEWRIGHT_TARGET", target)
    for m, n, k in [(136, 200, 136), (72, 264, 440), (131, 77, 157)]:
        a, b, c = matrices(m, n, k)
        compiled, right = multiply(a, b, c, epilogue=epilogue)
        assert_close(c, right, digits=1e-2)
        assert (CLUSTERS in compiled.ptx) == (target == "sm_90a")


@pytest.fixture
def hopper(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")


@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt"])
def test_layouts_and_tiles(hopper, layout):
    for tile in [
        {"block": (128, 256), "warps": 8},
        {"block": (128, 128), "warps": 8},
        {"block": (64, 64)},
        {"block": (128, 128), "rest": 64, "warps": 8},
    ]:
        for parts, k in [(2, 136), (3, 440), (5, 376)]:
            a, b, c = matrices(136, 264, k)
            compiled, right = multiply(a, b, c, layout, **tile)
            assert_close(c, right, digits=1e-2)
            assert f".reqnctapercluster {parts}" in compiled.ptx


# Of sixteen one has no step; a tile of 64 x 128 has as many sums for each, one of 64 x 192 not.
@pytest.mark.parametrize(("parts", "k"), [(8, 64 * 14), (8, 64 * 14 - 24), (16, 64 * 15 - 8)])
def test_many_parts(hopper, parts, k):
    for layout, epilogue, rest in [("nn", "residual", 0), ("tt", "bias_relu", 0), ("nt", "", 64)]:
        a, b, c = matrices(72, 136, k)
        compiled, right = multiply(a, b, c, layout, epilogue, block=(64, 128), rest=rest)
        assert_close(c, right, digits=1e-2)
        assert f".reqnctapercluster {parts}" in compiled.ptx


# One block has all steps but one, or all, or none.
def test_steps_that_are_not_shared_evenly(hopper):
    a, b, c = matrices(64, 64, 64 * 7 - 8)
    kernel = make_kernel()
    for k in [0, 8, 64, 72, 128, 136, 192, 64 * 7 - 8]:
        c[:] = np.nan
        part = np.ascontiguousarray(a[:, :k])
        kernel[1, 1](part, b, c, 64, k)
        assert_close(c, part.astype(np.float64) @ b[:k].astype(np.float64), digits=1e-2)


def make_kernel():
    @tilewright.jit
    def kernel(a, b, c, columns_of_b, extent):
        rows, columns = tl.arange(0, 64), tl.arange(0, 64)
        total = tl.zeros((64, 64), dtype=tl.float32)
        for step in range(tl.cdiv(extent, 64)):
            k = step * 64 + tl.arange(0, 64)
            x = tl.load(a + rows[:, None] * extent + k[None, :], k[None, :] < extent, 0.0)
            y = tl.load(b + k[:, None] * columns_of_b + columns[None, :], k[:, None] < extent, 0.0)
            total = tl.dot(x, y, total)
        tl.store(c + rows[:, None] * columns_of_b + columns[None, :], total.to(tl.float16))

    return kernel


# Sums of products with scales of rows and steps, as of 8-bit floats with scales of blocks.
@pytest.mark.parametrize("parts, steps", [(2, 3), (5, 6), (3, 7)])
def test_products_with_scales(hopper, parts, steps):
    kernel = make_scaled_kernel()
    a, b, c = matrices(64, 64, 64 * steps - 8)
    of_rows, of_steps = numbers(64, steps, seed=3), numbers(steps, seed=4)
    compiled = kernel[1, 1](a, b, of_rows, of_steps, c, 64, 64 * steps - 8)
    right = np.zeros((64, 64))
    for step in range(steps):
        k = slice(64 * step, 64 * step + 64)
        product = a[:, k].astype(np.float64) @ b[k].astype(np.float64)
        right += product * of_rows[:, step, None] * of_steps[step]
    assert_close(c, right, digits=1e-2)
    assert f".reqnctapercluster {parts}" in compiled.ptx


def make_scaled_kernel():
    @tilewright.jit
    def kernel(a, b, of_rows, of_steps, c, columns_of_b, extent):
        rows, columns = tl.arange(0, 64), tl.arange(0, 64)
        total = tl.zeros((64, 64), dtype=tl.float32)
        steps = tl.cdiv(extent, 64)
        for step in range(steps):
            k = step * 64 + tl.arange(0, 64)
            x = tl.load(a + rows[:, None] * extent + k[None, :], k[None, :] < extent, 0.0)
            y = tl.load(b + k[:, None] * columns_of_b + columns[None, :], k[:, None] < extent, 0.0)
            scales = tl.load(of_rows + rows * steps + step) * tl.load(of_steps + step)
            total += tl.dot(x, y) * scales[:, None]
        tl.store(c + rows[:, None] * columns_of_b + columns[None, :], total.to(tl.float16))

    return kernel


# Products that wgmma does not make: of tf32 of which neither operand lies along K, of weights of 8
# bits by few rows.
@pytest.mark.parametrize("rows, dtype", [(64, np.float32), (16, np.int8)])
def test_other_engines(hopper, rows, dtype):
    kernel = make_converting_kernel()
    a, c = numbers(rows, 440, dtype=np.float32), unset(rows, 64, dtype=np.float32)
    b = numbers(440, 64, dtype=dtype, seed=1, scale=20)
    a = a if dtype == np.float32 else a.astype(np.float16)
    is_across = dtype == np.float32
    stored = np.ascontiguousarray(a.T) if is_across else a
    compiled = kernel[1, 1](stored, b, c, 440, ROWS=rows, ACROSS=is_across)
    right = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(c, right, atol=20 * 440**0.5 * 5e-3)
    assert "wgmma" not in compiled.ptx
    assert ".reqnctapercluster 3" in compiled.ptx


def make_converting_kernel():
    @tilewright.jit
    def kernel(a, b, c, extent, ROWS: tl.constexpr, ACROSS: tl.constexpr):
        rows, columns = tl.arange(0, ROWS), tl.arange(0, 64)
        total = tl.zeros((ROWS, 64), dtype=tl.float32)
        for step in range(tl.cdiv(extent, 64)):
            k = step * 64 + tl.arange(0, 64)
            of_row, of_k = (1, ROWS) if ACROSS else (extent, 1)
            places = rows[:, None] * of_row + k[None, :] * of_k
            x = tl.load(a + places, k[None, :] < extent, 0.0)
            y = tl.load(b + k[:, None] * 64 + columns[None, :], k[:, None] < extent, 0.0)
            total = tl.dot(x, y.to(x.dtype), total)
        tl.store(c + rows[:, None] * 64 + columns[None, :], total)

    return kernel


# What a block adds to is fixed, and so are the bits, whichever block is first.
def test_same_bits_in_each_run(hopper, monkeypatch):
    results = []
    for seed in range(4):
        monkeypatch.setenv("TILEWRIGHT_SIM_SEED", str(seed))
        a, b, c = matrices(128, 128, 440)
        multiply(a, b, c)
        results.append(c.tobytes())
    assert len(set(results)) == 1


# The first block has the only sum that is stored, and that a residual is added to.
def test_in_place(hopper):
    a, b, c = matrices(128, 128, 136)
    c[:] = numbers(128, 128, dtype=np.float16, seed=7)
    _, right = multiply(a, b, c, epilogue="residual", residual=c)
    assert_close(c, right, digits=1e-2)


@pytest.mark.parametrize("dtype", [np.float32, np.int8])
def test_other_types(hopper, dtype):
    kernel = make_typed_kernel()
    a = numbers(64, 192, dtype=dtype, scale=20)
    b = numbers(64, 192, dtype=dtype, seed=1, scale=20)
    c = unset(64, 64, dtype=np.int32 if dtype == np.int8 else np.float32)
    compiled = kernel[1, 1](a, b, c, 192)
    wide = np.float64 if dtype == np.float32 else np.int64
    right = a.astype(wide) @ b.astype(wide).T
    if dtype == np.int8:
        assert (c == right).all()
    else:
        np.testing.assert_allclose(c, right, atol=400 * 192**0.5 * 5e-3)
    assert CLUSTERS in compiled.ptx


def make_typed_kernel():
    @tilewright.jit
    def kernel(a, b, c, extent):
        sums = tl.int32 if a.dtype.element_ty == tl.int8 else tl.float32
        left = tl.make_tensor_descriptor(a, [64, extent], [extent, 1], [64, 64])
        right = tl.make_tensor_descriptor(b, [64, extent], [extent, 1], [64, 64])
        total = tl.zeros((64, 64), dtype=sums)
        for k in range(0, extent, 64):
            total = tl.dot(left.load([0, k]), right.load([0, k]).T, total, out_dtype=sums)
        rows, columns = tl.arange(0, 64), tl.arange(0, 64)
        tl.store(c + rows[:, None] * 64 + columns[None, :], total)

    return kernel


# What is stored in front of the loop, or in it, is stored once.
@pytest.mark.parametrize("in_loop", [False, True])
def test_what_is_stored_before_the_loop_is_over(hopper, in_loop):
    extent = 64 * 7
    a, b, c = matrices(64, 64, extent)
    counts, right = np.full(64, 5, np.int32), np.full(64, 5, np.int32)
    for step in range(0, extent if in_loop else 1, 64):
        right = right * 2 + step
    counting_kernel[1, 1](a, b, c, counts, extent, in_loop=in_loop)
    assert_close(c, a.astype(np.float64) @ b.astype(np.float64), digits=1e-2)
    assert (counts == right).all()


@tilewright.jit
def counting_kernel(a, b, c, counts, extent, in_loop: tl.constexpr):
    rows, columns = tl.arange(0, 64), tl.arange(0, 64)
    if not in_loop:
        tl.store(counts + rows, tl.load(counts + rows) * 2)
    total = tl.zeros((64, 64), dtype=tl.float32)
    for step in range(0, extent, 64):
        k = step + tl.arange(0, 64)
        x = tl.load(a + rows[:, None] * extent + k[None, :])
        y = tl.load(b + k[:, None] * 64 + columns[None, :])
        total = tl.dot(x, y, total)
        if in_loop:
            tl.store(counts + rows, tl.load(counts + rows) * 2 + step)
    tl.store(c + rows[:, None] * 64 + columns[None, :], total.to(tl.float16))


@tilewright.jit
def one_loop_kernel(a, b, c, extent, keeps_largest: tl.constexpr):
    rows, columns = tl.arange(0, 64), tl.arange(0, 64)
    largest = tl.full((64,), -1e30, dtype=tl.float32)
    total = tl.zeros((64, 64), dtype=tl.float32)
    for step in range(0, extent, 64):
        k = step + tl.arange(0, 64)
        x = tl.load(a + rows[:, None] * extent + k[None, :])
        y = tl.load(b + k[:, None] * 64 + columns[None, :])
        product = tl.dot(x, y, input_precision="ieee")
        if keeps_largest:
            now = tl.maximum(largest, tl.max(product, 1))
            total = total * tl.exp(largest - now)[:, None]
            largest = now
        total += product
    tl.store(c + rows[:, None] * 64 + columns[None, :], total)


# Whose code would be the same: a loop that carries more than sums.
@pytest.mark.parametrize(
    ("dtype", "keeps_largest", "count"),
    [(np.float16, False, 2), (np.float16, True, 1), (np.float32, False, 2), (np.float32, True, 1)],
)
def test_what_cannot_be_divided_has_one_variant(hopper, dtype, keeps_largest, count):
    for extent in (128, 256):
        a, b, c = numbers(64, extent, dtype=dtype), numbers(extent, 64, dtype=dtype), unset(64, 64)
        compiled = one_loop_kernel[1, 1](a, b, c, extent, keeps_largest=keeps_largest)
    assert len(compiled.variants) == count


# No copy brings elements of two bytes of odd rows: threads load them, a step ahead of the product.
# Of the last part's steps one is behind K, or the part has none.
@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt"])
@pytest.mark.parametrize("k", [64 * 6 + 31, 64 * 3 - 1, 64 * 14 - 25])
def test_odd_rows(hopper, layout, k):
    for block, warps in [((64, 64), 4), ((128, 64), 8)]:
        a, b, c = matrices(139, 77, k)
        compiled, right = multiply(a, b, c, layout, "residual", block=block, warps=warps)
        assert_close(c, right, digits=1e-2)
        assert CLUSTERS in compiled.ptx
