"""Products of which threads load an element at a time: beside NumPy, and that nothing spills."""

import numpy as np
import pytest
from examples_support import assert_close, numbers, unset
from shapes.products import epilogue_kernel

import matmul
import tilewright
import tilewright.language as tl

TILES = [((128, 128, 64), 4), ((64, 256, 64), 4), ((128, 256, 64), 8)]
KINDS = ["rows of an odd number", "rows of an even number", "every other element", "columns"]


def stored(values, kind):
    """The matrix as a view of an array that has room for it in that way."""
    rows, columns = values.shape
    if kind == "columns":
        return np.ascontiguousarray(values.T).T
    is_odd = kind == "rows of an odd number"
    step = 2 if kind == "every other element" else 1
    array = np.full((rows, (columns + (columns % 2 != is_odd)) * step), np.nan, values.dtype)
    view = array[:, : columns * step : step]
    view[...] = values
    return view


def operands(m, n, k, kind):
    a, b = numbers(m, k, dtype=np.float16), numbers(k, n, dtype=np.float16, seed=1)
    return stored(a, kind), stored(b, kind), stored(unset(m, n, dtype=np.float16), kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("blocks", "warps"), TILES)
def test_products(target, blocks, warps, kind):
    a, b, c = operands(blocks[0] + 3, blocks[1] + 5, 2 * blocks[2] + 9, kind)
    # GPUs with 99 KiB a block have no room for what two stages of the largest tile take.
    matmul.matmul(a, b, c, blocks=blocks, num_warps=warps, num_stages=2, target=target)
    assert_close(c, matmul.reference(a, b), digits=2e-2)


# Lanes go along columns where these lie in memory, and each element of a thread then has an address
# of its own: the second tile spills 96 bytes for them, for a 16th of the sectors.
@pytest.mark.parametrize("activation", ["", "leaky_relu"])
@pytest.mark.parametrize(
    ("blocks", "warps", "kind"),
    [(*tile, kind) for tile in TILES for kind in KINDS if (tile, kind) != (TILES[1], "columns")],
)
def test_nothing_spills(blocks, warps, kind, activation):
    m, n, k = 257, 513, 129
    a, b, c = operands(m, n, k, kind)
    bias = np.zeros(n, np.float16) if activation else None
    sizes = dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), blocks, strict=True), GROUP=8)
    strides = [stride // 2 for matrix in (a, b, c) for stride in matrix.strides]
    kernel = matmul.matmul_kernel.warmup(
        a, b, c, bias, m, n, k, *strides, ACTIVATION=activation, **sizes, num_warps=warps,
        num_stages=3, target="sm_90a", grid=(9,),
    )  # fmt: skip
    assert_nothing_spills(kernel)


# Threads load what has odd rows, and bulk copies the other operand.
@pytest.mark.parametrize("is_odd", [(False, True), (True, True)])
@pytest.mark.parametrize(("blocks", "warps"), [((128, 128), 4), ((64, 256), 4)])
def test_nothing_spills_of_rows_that_begin_anywhere(blocks, warps, is_odd):
    m, n, k = 512, 512 - is_odd[1], 512 - is_odd[0]
    a, b, c = numbers(m, k, dtype=np.float16), numbers(k, n, dtype=np.float16), unset(m, n)
    kernel = epilogue_kernel.warmup(
        a, b, c.astype(np.float16), None, None, None, m, n, k, k, n, n, n, BLOCK_M=blocks[0],
        BLOCK_N=blocks[1], BLOCK_K=64, RELU=False, num_warps=warps, num_stages=3,
        target="sm_90a", grid=(2, 2),
    )  # fmt: skip
    assert_nothing_spills(kernel)


# A residual is loaded in parts behind the loop, where the loop has room for all that it loads.
@pytest.mark.parametrize("has_others", [False, True])
@pytest.mark.parametrize(
    ("blocks", "warps", "is_odd"),
    [(*TILES[0], (True, False)), (*TILES[0], (False, True)), (*TILES[1], (True, False))]
    + [(*TILES[2], is_odd) for is_odd in ((True, False), (False, True), (True, True))],
)
def test_a_residual_spills_nothing(blocks, warps, has_others, is_odd):
    arguments = list(all_of_an_epilogue(512, 512 - is_odd[1], 512 - is_odd[0]))
    if not has_others:
        arguments[3:5] = None, None
    kernel = epilogue_kernel.warmup(
        *arguments, BLOCK_M=blocks[0], BLOCK_N=blocks[1], BLOCK_K=64, RELU=True, num_warps=warps,
        num_stages=3, target="sm_90a", grid=(2, 2),
    )  # fmt: skip
    assert_nothing_spills(kernel)


def assert_nothing_spills(kernel):
    resources = kernel.variants[-1]["report"].get("resources")
    if not resources:
        pytest.skip("there is no ptxas")
    assert resources["spill_store_bytes"] == 0
    assert resources["why_serialized"] == ""


# Results may be written over the residual.
@pytest.mark.parametrize("in_place", [False, True])
def test_residual(target, in_place):
    m, n, k = 131, 259, 67
    a, b = numbers(m, k, dtype=np.float16), numbers(k, n, dtype=np.float16, seed=1)
    residual = numbers(m, n, dtype=np.float16, seed=2)
    c = residual.copy() if in_place else unset(m, n, dtype=np.float16)
    epilogue_kernel[(2, 3)](
        a, b, c, None, None, c if in_place else residual, m, n, k, k, n, n, n, BLOCK_M=128,
        BLOCK_N=128, BLOCK_K=64, RELU=False, num_warps=4, num_stages=2, target=target,
    )  # fmt: skip
    assert_close(c, a.astype(np.float64) @ b.astype(np.float64) + residual, digits=2e-2)


def all_of_an_epilogue(m, n, k):
    """Arguments of epilogue_kernel: operands, a result, a bias, scales, and a residual."""
    a, b = numbers(m, k, dtype=np.float16), numbers(k, n, dtype=np.float16, seed=1)
    bias, scales = numbers(n, dtype=np.float16, seed=3), numbers(m, dtype=np.float16, seed=4)
    residual = numbers(m, n, dtype=np.float16, seed=2)
    c = unset(m, n, dtype=np.float16)
    return a, b, c, bias, scales, residual, m, n, k, k, n, n, n


# The bias is read behind the residual, which takes the registers that sums leave.
@pytest.mark.parametrize(("n", "k"), [(264, 72), (259, 67)])
@pytest.mark.parametrize(("blocks", "warps"), TILES)
def test_all_of_an_epilogue(target, blocks, warps, n, k):
    m = blocks[0] + 3
    arguments = all_of_an_epilogue(m, n, k)
    a, b, c, bias, scales, residual = arguments[:6]
    epilogue_kernel[(2, tilewright.cdiv(n, blocks[1]))](
        *arguments, BLOCK_M=blocks[0], BLOCK_N=blocks[1], BLOCK_K=64, RELU=True,
        num_warps=warps, num_stages=2, target=target,
    )  # fmt: skip
    right = a.astype(np.float64) @ b.astype(np.float64) * scales[:, None] + bias + residual
    assert_close(c, np.maximum(right, 0), digits=2e-2)


@pytest.mark.parametrize("has_scales", [False, True])
@pytest.mark.parametrize("stages", [3, 4])
def test_a_bias_beside_a_residual_spills_nothing(stages, has_scales):
    arguments = list(all_of_an_epilogue(512, 512, 512))
    if not has_scales:
        arguments[4] = None
    kernel = epilogue_kernel.warmup(
        *arguments, BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, RELU=True, num_warps=4,
        num_stages=stages, target="sm_90a", grid=(4, 4),
    )  # fmt: skip
    assert_nothing_spills(kernel)


@tilewright.jit
def add_and_store_thrice(
    a, b, residual, c, d, e, height, width, depth,
    block_m: tl.constexpr, block_n: tl.constexpr, block_k: tl.constexpr,
):  # fmt: skip
    """Of a b + residual, half and what is above zero, all at the same places of their arrays."""
    m, n = tl.program_id(0) * block_m, tl.program_id(1) * block_n
    rows = tl.make_tensor_descriptor(a, [height, depth], [depth, 1], [block_m, block_k])
    columns = tl.make_tensor_descriptor(b, [depth, width], [width, 1], [block_k, block_n])
    total = tl.zeros((block_m, block_n), dtype=tl.float32)
    for k in range(0, depth, block_k):
        total = tl.dot(rows.load([m, k]), columns.load([k, n]), total)
    places_m, places_n = m + tl.arange(0, block_m), n + tl.arange(0, block_n)
    inside = (places_m[:, None] < height) & (places_n[None, :] < width)
    places = places_m[:, None] * width + places_n[None, :]
    if residual is not None:
        total += tl.load(residual + places, mask=inside, other=0.0).to(tl.float32)
    tl.store(c + places, total.to(tl.float16), mask=inside)
    if d is not None:
        tl.store(d + places, (total * 0.5).to(tl.float16), mask=inside)
        tl.store(e + places, tl.maximum(total, 0.0).to(tl.float16), mask=inside)


# Behind each barrier places and masks are computed anew.
@pytest.mark.parametrize(("blocks", "warps"), [*TILES, ((256, 128, 64), 8)])
def test_results_by_pointers(target, blocks, warps):
    m, n, k = blocks[0] + 3, blocks[1] + 8, blocks[2] + 8
    a, b = numbers(m, k, dtype=np.float16), numbers(k, n, dtype=np.float16, seed=1)
    residual = numbers(m, n, dtype=np.float16, seed=2)
    c, d, e = (unset(m, n, dtype=np.float16) for _ in range(3))
    add_and_store_thrice[(2, 2)](
        a, b, residual, c, d, e, m, n, k, block_m=blocks[0], block_n=blocks[1],
        block_k=blocks[2], num_warps=warps, num_stages=2, target=target,
    )  # fmt: skip
    right = a.astype(np.float64) @ b.astype(np.float64) + residual
    assert_close(c, right, digits=2e-2)
    assert_close(d, right / 2, digits=2e-2)
    assert_close(e, np.maximum(right, 0), digits=2e-2)


@pytest.mark.parametrize("has_residual", [False, True])
@pytest.mark.parametrize("stages", [3, 4])
@pytest.mark.parametrize(("blocks", "warps"), TILES)
def test_results_by_pointers_spill_nothing(blocks, warps, stages, has_residual):
    size = 512
    a, b, c, *others = (np.zeros((size, size), np.float16) for _ in range(5))
    results = (others[0], c, None, None) if has_residual else (None, c, *others)
    kernel = add_and_store_thrice.warmup(
        a, b, *results, size, size, size, block_m=blocks[0],
        block_n=blocks[1], block_k=blocks[2], num_warps=warps, num_stages=stages,
        target="sm_90a", grid=(4, 4),
    )  # fmt: skip
    assert_nothing_spills(kernel)


@tilewright.jit
def multiply_packed(packed, c, rows, columns, depth, place, size: tl.constexpr, step: tl.constexpr):
    m, n, k = tl.arange(0, size), tl.arange(0, size), tl.arange(0, step)
    left = packed + (m[:, None] % rows) * (depth + 1) + k[None, :]
    right = (
        packed.to(tl.pointer_type(tl.int8))
        + place
        + (n[None, :] % columns) * (depth + 3)
        + k[:, None]
    )
    total = tl.zeros((size, size), tl.float32)
    for _ in range(0, depth, step):
        total = tl.dot(tl.load(left), tl.load(right).to(tl.float16), total)
        left += step
        right += step
    inside = (m[:, None] < rows) & (n[None, :] < columns)
    tl.store(c + m[:, None] * columns + n[None, :], total, mask=inside)


def test_operands_of_two_types_in_one_array(target):
    m, n, k = 127, 121, 128
    draw = np.random.default_rng(5)
    left = draw.integers(-2, 3, (m, k + 1)).astype(np.float16)
    right = draw.integers(-2, 3, (n, k + 3)).astype(np.int8)
    packed = np.frombuffer(left.tobytes() + right.tobytes() + bytes(right.size % 2), np.float16)
    c = np.zeros((m, n), np.float32)
    multiply_packed[(1,)](
        packed, c, m, n, k, left.nbytes, size=128, step=64, num_warps=4, target=target
    )
    assert np.array_equal(c, left[:, :k].astype(np.float32) @ right[:, :k].T.astype(np.float32))


@tilewright.jit
def add_what_is_chosen(a, b, c, residual, rows, columns, depth, rounds: tl.constexpr):
    m, n, k = tl.arange(0, 128), tl.arange(0, 128), tl.arange(0, 64)
    total = tl.zeros((128, 128), dtype=tl.float32)
    for first in range(0, depth, 64):
        is_inside = first + k < depth
        x_mask, y_mask = (m < rows)[:, None] & is_inside, is_inside[:, None] & (n < columns)
        x = tl.load(a + m[:, None] * depth + first + k, mask=x_mask, other=0.0)
        y = tl.load(b + (first + k[:, None]) * columns + n, mask=y_mask, other=0.0)
        total = tl.dot(x, y, total)
    places, mask = m[:, None] * columns + n, (m < rows)[:, None] & (n < columns)
    chosen = m[:, None] * 3 + n
    for _ in tl.static_range(rounds):
        chosen = chosen * chosen - chosen
    more = tl.where(chosen > 5, tl.load(residual + places, mask=mask, other=0.0), 0.0)
    tl.store(c + places, (total + more).to(tl.float16), mask=mask)


def test_long_chains_behind_loops(target):
    """Each of their steps uses the one before twice: who follows all ways never ends."""
    m, n, k, rounds = 128, 127, 64, 40
    a, b = numbers(m, k, dtype=np.float16), numbers(k, n, dtype=np.float16, seed=1)
    residual = numbers(m, n, dtype=np.float16, seed=2)
    c = unset(m, n, dtype=np.float16)
    add_what_is_chosen[(1,)](
        a, b, c, residual, m, n, k, rounds=rounds, num_warps=4, num_stages=3, target=target
    )
    chosen = np.arange(m, dtype=np.int32)[:, None] * 3 + np.arange(n, dtype=np.int32)
    with np.errstate(over="ignore"):
        for _ in range(rounds):
            chosen = chosen * chosen - chosen
    more = np.where(chosen > 5, residual, 0)
    assert_close(c, a.astype(np.float64) @ b.astype(np.float64) + more, digits=2e-2)
