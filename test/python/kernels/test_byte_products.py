"""Products of elements of 8 bits, beside NumPy: by descriptors and by pointers, in all orders, with
sums of fewer bits than fp32 has and without."""

import numpy as np
import pytest
from examples_support import as_on_gpus, unset

import tilewright
import tilewright.language as tl

# What ml_dtypes calls them.
KINDS = {"fp8e4nv": "float8_e4m3fn", "fp8e5": "float8_e5m2"}


def decode(kind, bits):
    """The numbers of 8-bit floats: fp8e5 is the upper half of an fp16, fp8e4nv has one NaN of each
    sign and no infinity."""
    if kind == "fp8e5":
        return (bits.astype(np.uint16) << 8).view(np.float16).astype(np.float64)
    exponent, mantissa = (bits >> 3 & 15).astype(int), (bits & 7).astype(int)
    numbers = np.ldexp(mantissa + np.where(exponent > 0, 8, 0), np.maximum(exponent, 1) - 10)
    numbers = np.where(bits & 0x7F == 0x7F, np.nan, numbers)
    return np.where(bits >> 7, -numbers, numbers)


class Bytes:
    """An array of 8-bit floats, as ml_dtypes makes them."""

    def __init__(self, kind, bits):
        self.bits = as_on_gpus(bits)
        self.shape = self.bits.shape
        self.__array_interface__ = {**self.bits.__array_interface__, "typestr": "|V1"}
        self.dtype = KINDS[kind]


def draw(kind, *shape, seed):
    """What a launch takes, and the numbers."""
    rng = np.random.default_rng(seed)
    if kind == "int8":
        numbers = rng.integers(-128, 128, shape, dtype=np.int8)
        return as_on_gpus(numbers), numbers.astype(np.int32)
    # Below 16 in size.
    bits = rng.integers(0, {"fp8e4nv": 0x58, "fp8e5": 0x4C}[kind], shape, dtype=np.uint8)
    bits |= rng.integers(0, 2, shape, dtype=np.uint8) << 7
    return Bytes(kind, bits), decode(kind, bits)


@tilewright.jit
def load(
    base,
    rows,
    columns,
    row,
    column,
    HEIGHT: tl.constexpr,
    WIDTH: tl.constexpr,
    ACROSS: tl.constexpr,
):
    """A block of a matrix that is stored as it is, or transposed, by a descriptor."""
    if ACROSS:
        turned = tl.make_tensor_descriptor(base, [columns, rows], [rows, 1], [WIDTH, HEIGHT])
        return turned.load([column, row]).T
    return tl.make_tensor_descriptor(base, [rows, columns], [columns, 1], [HEIGHT, WIDTH]).load(
        [row, column]
    )


@tilewright.jit
def product_kernel(
    a, b, c, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    A_ACROSS: tl.constexpr, B_ACROSS: tl.constexpr, IMPRECISE: tl.constexpr, POINTERS: tl.constexpr,
):  # fmt: skip
    m, n = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=c.dtype.element_ty)
    rows, columns, steps = (
        m + tl.arange(0, BLOCK_M),
        n + tl.arange(0, BLOCK_N),
        tl.arange(0, BLOCK_K),
    )
    for k in range(0, K, BLOCK_K):
        if POINTERS:
            left = a + rows[:, None] * K + (k + steps)[None, :]
            right = b + columns[None, :] * K + (k + steps)[:, None]
            x = tl.load(left, mask=(rows < M)[:, None] & (k + steps < K)[None, :])
            y = tl.load(right, mask=(columns < N)[None, :] & (k + steps < K)[:, None])
        else:
            x = load(a, M, K, m, k, BLOCK_M, BLOCK_K, A_ACROSS)
            y = load(b, K, N, k, n, BLOCK_K, BLOCK_N, B_ACROSS)
        total = tl.dot(x, y, total, max_num_imprecise_acc=IMPRECISE)
    place = c + rows[:, None] * N + columns[None, :]
    tl.store(place, total, mask=(rows < M)[:, None] & (columns < N)[None, :])


def multiply(sizes, kinds, layout="nt", imprecise=None, pointers=False, tile=(64, 64, 64), warps=4):
    """What was compiled, once it is known that what came of it is right."""
    m, n, k = sizes
    shape_a = (k, m) if layout[0] == "t" else (m, k)
    shape_b = (n, k) if layout[1] == "t" else (k, n)
    (a, x), (b, y) = draw(kinds[0], *shape_a, seed=1), draw(kinds[1], *shape_b, seed=2)
    c = unset(m, n, dtype=np.int32 if kinds[0] == "int8" else np.float32)
    grid = tilewright.cdiv(m, tile[0]), tilewright.cdiv(n, tile[1])
    compiled = product_kernel[grid](
        a, b, c, m, n, k, *tile, layout[0] == "t", layout[1] == "t", imprecise, pointers,
        num_warps=warps, num_stages=3,
    )  # fmt: skip
    x, y = x.T if layout[0] == "t" else x, y.T if layout[1] == "t" else y
    if kinds[0] == "int8":
        np.testing.assert_array_equal(c, x @ y)
    else:
        assert (np.abs(c - x @ y) <= 2.0**-20 * (np.abs(x) @ np.abs(y))).all()
    return compiled


def engine_of(compiled):
    (product,) = compiled.report["products"]
    return product["instruction"]


PAIRS = [("fp8e4nv", "fp8e4nv"), ("fp8e5", "fp8e4nv"), ("fp8e4nv", "fp8e5"), ("int8", "int8")]


@pytest.mark.parametrize("pointers", [False, True], ids=["descriptors", "pointers"])
@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_rows_along_k(target, without_ptxas, kinds, pointers):
    compiled = multiply((80, 144, 208), kinds, pointers=pointers)
    assert engine_of(compiled) == ("wgmma" if target == "sm_90a" else "mma.sync")


@pytest.mark.parametrize("sizes", [(1, 1, 1), (33, 77, 131), (64, 64, 0), (128, 48, 4096)], ids=str)
def test_odd_sizes(target, sizes):
    for kinds in PAIRS[1], PAIRS[3]:
        multiply(sizes, kinds)


TURNED = {"nn": "B", "tn": "A and B", "tt": "A"}


@pytest.mark.parametrize("layout", TURNED)
def test_other_orders(target, without_ptxas, layout):
    """Bytes are turned by threads where warpgroups multiply."""
    for kinds in PAIRS[2], PAIRS[3]:
        (product,) = multiply((80, 144, 208), kinds, layout).report["products"]
        turned = TURNED[layout] if target == "sm_90a" else ""
        assert product["turned"] == turned
        assert product["instruction"] == ("wgmma" if turned else "mma.sync")


@pytest.mark.parametrize("steps", [32, 64, 128, 256])
@pytest.mark.parametrize("columns", [8, 32, 256])
def test_turned_tiles(monkeypatch, without_ptxas, steps, columns):
    """Of few bytes, of which threads have copies, and of many."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    for layout in TURNED:
        multiply((64, columns + 8, steps + 48), PAIRS[1], layout, tile=(64, columns, steps))


@pytest.mark.parametrize("imprecise", [0, 16, 32, 64, 100, 128, 1 << 40])
def test_sums_of_fewer_bits(monkeypatch, without_ptxas, imprecise):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    tile = (128, 64, 128)
    compiled = multiply((144, 80, 400), PAIRS[2], imprecise=imprecise, tile=tile)
    assert engine_of(compiled) == ("wgmma" if imprecise >= 32 else "mma.sync")
    if not 32 <= imprecise <= 128:
        return
    # Each part of K is waited for, 128 elements in as many parts as it takes.
    waits = compiled.ptx.count("wgmma.wait_group.sync.aligned")
    parts = tilewright.cdiv(128, imprecise // 32 * 32)
    assert compiled.ptx.count("wgmma.mma_async") * parts == waits * 2 * 128 // 32


def test_numbers_of_imprecise_elements():
    for number in (-1, 1.5, "all", True):
        with pytest.raises(tilewright.CompilationError, match="max_num_imprecise_acc is a number"):
            multiply((64, 64, 64), PAIRS[0], imprecise=number)


@pytest.mark.parametrize("imprecise", [None, 32, 0])
def test_what_is_no_number(target, imprecise):
    """NaN and infinities of both types, beside zeros of both signs."""
    (a, x), (b, y) = (draw(kind, 64, 64, seed=3) for kind in PAIRS[2])
    # Of a NaN, of an infinity, and of one times zero; and rows of zeros.
    a.bits[5, 9], b.bits[17, 33], b.bits[21, 40], a.bits[30, 40] = 0x7F, 0x7C, 0xFC, 0x80
    a.bits[40], b.bits[50] = 0x80, 0
    x, y = decode(PAIRS[2][0], a.bits), decode(PAIRS[2][1], b.bits)
    c = unset(64, 64)
    product_kernel[(1, 1)](
        a, b, c, 64, 64, 64, 64, 64, 64, False, True, imprecise, False, num_warps=4
    )
    with np.errstate(invalid="ignore"):
        right = np.sum(x[:, None, :] * y[None, :, :], axis=2)
    np.testing.assert_allclose(c, right, rtol=2e-5, atol=2e-5)
    assert np.isnan(c[30, 21]) and np.isneginf(c[31, 21]) != np.isposinf(c[31, 21])


@tilewright.jit
def two_products_kernel(
    a, b, c, first, second, K, BLOCK: tl.constexpr, STEPS: tl.constexpr, IMPRECISE: tl.constexpr
):  # fmt: skip
    """Of one left operand with two others."""
    left = tl.make_tensor_descriptor(a, [BLOCK, K], [K, 1], [BLOCK, STEPS])
    right = tl.make_tensor_descriptor(b, [BLOCK, K], [K, 1], [BLOCK, STEPS])
    other = tl.make_tensor_descriptor(c, [BLOCK, K], [K, 1], [BLOCK, STEPS])
    sums = tl.zeros((BLOCK, BLOCK), tl.float32)
    others = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, K, STEPS):
        x = left.load([0, k])
        sums = tl.dot(x, right.load([0, k]).T, sums)
        others = tl.dot(x, other.load([0, k]).T, others, max_num_imprecise_acc=IMPRECISE)
    place = tl.arange(0, BLOCK)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    tl.store(first + place, sums)
    tl.store(second + place, others)


@pytest.mark.parametrize("imprecise", [None, 32])
@pytest.mark.parametrize("kinds", PAIRS[:3], ids="-".join)
def test_two_types_of_right_operands(target, kinds, imprecise):
    """One instruction makes both products only where both are of one type."""
    a, b, c = (draw(kind, 64, 208, seed=i) for i, kind in enumerate((kinds[0], *kinds)))
    results = unset(64, 64), unset(64, 64)
    arrays = a[0], b[0], c[0], *results
    two_products_kernel[(1,)](*arrays, 208, 64, 64, imprecise, num_warps=4, num_stages=3)
    for result, right in zip(results, (b[1], c[1]), strict=True):
        error = np.abs(result - a[1] @ right.T)
        assert (error <= 2.0**-20 * (np.abs(a[1]) @ np.abs(right.T))).all()


@tilewright.jit
def bits_kernel(a, b, c, K, BLOCK: tl.constexpr):
    """Of bytes that are taken for 8-bit floats once they are loaded."""
    rows, steps = tl.arange(0, BLOCK), tl.arange(0, BLOCK)
    left = a + rows[:, None] * K + steps[None, :]
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, K, BLOCK):
        right = b + rows[None, :] * K + (k + steps)[:, None]
        x = tl.load(left, mask=(k + steps < K)[None, :], other=0)
        y = tl.load(right, mask=(k + steps < K)[:, None], other=0)
        x, y = x.to(tl.float8e4nv, bitcast=True), y.to(tl.float8e4nv, bitcast=True)
        total = tl.dot(x, y, total)
        left += BLOCK
    tl.store(c + rows[:, None] * BLOCK + rows[None, :], total)


def test_bits_of_bytes(target, without_ptxas):
    (a, x), (b, y) = (draw(PAIRS[0][0], 64, 208, seed=i) for i in range(2))
    c = unset(64, 64)
    compiled = bits_kernel[(1,)](a.bits, b.bits, c, 208, 64, num_warps=4, num_stages=3)
    assert (np.abs(c - x @ y.T) <= 2.0**-20 * (np.abs(x) @ np.abs(y.T))).all()
    if target == "sm_90a":
        assert engine_of(compiled) == "wgmma"
        assert "cp.async.cg" in compiled.ptx


@tilewright.jit
def attention_kernel(
    q, k, v, out, scale, N, D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr
):
    """Weights of 8 bits, made in registers, times values whose rows do not lie along the sum."""
    start = tl.program_id(0) * BLOCK_M
    x = tl.make_tensor_descriptor(q, [N, D], [D, 1], [BLOCK_M, D]).load([start, 0])
    keys = tl.make_tensor_descriptor(k, [N, D], [D, 1], [BLOCK_N, D])
    values = tl.make_tensor_descriptor(v, [N, D], [D, 1], [BLOCK_N, D])
    largest = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    sums = tl.zeros((BLOCK_M, D), tl.float32)
    for n in range(0, N, BLOCK_N):
        scores = tl.dot(x, keys.load([n, 0]).T) * scale
        scores = tl.where((n + tl.arange(0, BLOCK_N) < N)[None, :], scores, float("-inf"))
        larger = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.exp(scores - larger[:, None])
        rescale = tl.exp(largest - larger)
        total = total * rescale + tl.sum(weights, 1)
        sums = tl.dot(weights.to(tl.float8e4nv), values.load([n, 0]), sums * rescale[:, None])
        largest = larger
    rows = start + tl.arange(0, BLOCK_M)
    place = out + rows[:, None] * D + tl.arange(0, D)[None, :]
    tl.store(place, sums / total[:, None], mask=(rows < N)[:, None])


def test_attention(target, without_ptxas):
    (q, x), (k, y), (v, z) = (draw(PAIRS[2][i == 2], 100, 64, seed=i) for i in range(3))
    out = unset(100, 64)
    compiled = attention_kernel[(2,)](q, k, v, out, 0.01, 100, 64, 64, 64, num_warps=4)
    scores = x @ y.T * 0.01
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    # Weights below the largest have 3 bits of mantissa, and small ones fewer.
    assert (np.abs(out - weights @ z) <= 2.0**-4 * (weights @ np.abs(z)) + 0.02).all()
    engines = {product["instruction"] for product in compiled.report["products"]}
    assert engines == {"wgmma" if target == "sm_90a" else "mma.sync"}
