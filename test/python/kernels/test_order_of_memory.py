"""What passes move, and what must stay where it is: products, results and arrays that meet in
unusual ways, in the simulator beside NumPy."""

import numpy as np
import pytest
from examples_support import assert_close, numbers, unset

import tilewright
import tilewright.language as tl


def integers(*shape, dtype, seed=0):
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


# Tensor maps


@tilewright.jit
def attention_kernel(q, k, v, out, residual, T, D: tl.constexpr, BLOCK: tl.constexpr):
    rows, dims = tl.arange(0, BLOCK), tl.arange(0, D)
    place = (tl.program_id(0) * BLOCK + rows)[:, None] * D + dims[None, :]
    queries = tl.load(q + place)
    keys = tl.make_tensor_descriptor(k, [T, D], [D, 1], [BLOCK, D])
    values = tl.make_tensor_descriptor(v, [T, D], [D, 1], [BLOCK, D])
    total = tl.zeros((BLOCK, D), dtype=tl.float32)
    most = tl.full((BLOCK,), -1e30, tl.float32)
    for n in range(0, T, BLOCK):
        scores = tl.dot(queries, keys.load([n, 0]).T) * 0.25
        more = tl.maximum(most, tl.max(scores, 1))
        weights = tl.exp(scores - more[:, None])
        total *= tl.exp(most - more)[:, None]
        total = tl.dot(weights.to(v.dtype.element_ty), values.load([n, 0]), total)
        most = more
    total += tl.load(residual + place).to(tl.float32)
    tl.store(out + place, total.to(out.dtype.element_ty))


@pytest.mark.parametrize("warps, stages", [(4, 3), (8, 3), (8, 4)])
def test_maps_of_a_loop_and_of_what_follows_it(target, warps, stages):
    q, k, v, residual = (numbers(128, 64, dtype=np.float16, seed=seed) for seed in range(4))
    out = unset(128, 64, dtype=np.float16)
    attention_kernel[(2,)](
        q, k, v, out, residual, 128, D=64, BLOCK=64, num_warps=warps, num_stages=stages
    )
    scores = q.astype(float) @ k.astype(float).T * 0.25
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    assert_close(out, weights @ v + residual, digits=5e-3)


# Products one behind the other


@tilewright.jit
def chain_kernel(a, b, d, e, c, N, K, BLOCK: tl.constexpr, BLOCK_K: tl.constexpr):
    m, n, k = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :], tl.arange(0, BLOCK_K)
    total = tl.zeros((BLOCK, BLOCK), dtype=c.dtype.element_ty)
    for start in range(0, K, BLOCK_K):
        left, right = start + k[None, :], start + k[:, None]
        x = tl.load(a + m * K + left, (m < N) & (left < K), 0.0)
        y = tl.load(b + right * N + n, (n < N) & (right < K), 0.0)
        total = tl.dot(x, y, total, input_precision="ieee") * 0.5
        x = tl.load(d + m * K + left, (m < N) & (left < K), 0.0)
        y = tl.load(e + right * N + n, (n < N) & (right < K), 0.0)
        total = tl.dot(x, y, total, input_precision="ieee")
    tl.store(c + m * N + n, total, (m < N) & (n < N))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_that_are_scaled_between_products(target, dtype):
    a, d = (integers(50, 70, dtype=dtype, seed=seed) for seed in (0, 1))
    b, e = (integers(70, 50, dtype=dtype, seed=seed) for seed in (2, 3))
    c, right = unset(50, 50, dtype=dtype), np.zeros((50, 50))
    chain_kernel[(1,)](a, b, d, e, c, 50, 70, BLOCK=64, BLOCK_K=16, num_stages=3)
    for start in range(0, 70, 16):
        part = slice(start, start + 16)
        right = (right + a[:, part] @ b[part]) * 0.5 + d[:, part] @ e[part]
    assert_close(c, right)


@tilewright.jit
def two_results_kernel(a, b, c, d, marks, M, N, K, BLOCK: tl.constexpr, BLOCK_K: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BLOCK, BLOCK_K])
    right = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BLOCK_K, BLOCK])
    first = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BLOCK, BLOCK])
    second = tl.make_tensor_descriptor(d, [M, N], [N, 1], [BLOCK, BLOCK])
    m, n = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    other = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        other = tl.dot(left.load([m, k]), right.load([k, n]), other)
    for k in range(0, K, BLOCK_K):
        total = tl.dot(left.load([m, k]), right.load([k, n]), total)
    tl.store(marks + tl.program_id(0), 1)
    first.store([m, n], total.to(tl.float16))
    second.store([m, n], other.to(tl.float16))


def test_a_result_of_the_loop_before(target):
    m, n, k = 5 * 128, 128, 128
    a, b = integers(m, k, dtype=np.float16), integers(k, n, dtype=np.float16, seed=1)
    c, d, marks = unset(m, n, dtype=np.float16), unset(m, n, dtype=np.float16), np.zeros(5, int)
    two_results_kernel[(5, 1)](
        a, b, c, d, marks, m, n, k, BLOCK=128, BLOCK_K=64, num_warps=8, num_stages=2
    )
    right = a.astype(np.float32) @ b
    assert_close(c, right)
    assert_close(d, right)
    assert marks.all()


# Arrays that are the same one


@tilewright.jit
def store_and_load_kernel(a, b, c, d, again, K, BLOCK: tl.constexpr, BLOCK_K: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [BLOCK, K], [K, 1], [BLOCK, BLOCK_K])
    right = tl.make_tensor_descriptor(b, [K, BLOCK], [BLOCK, 1], [BLOCK_K, BLOCK])
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        total = tl.dot(left.load([0, k]), right.load([k, 0]), total)
    tl.make_tensor_descriptor(c, [BLOCK, BLOCK], [BLOCK, 1], [BLOCK, BLOCK]).store([0, 0], total)
    block = tl.make_block_ptr(again, (BLOCK, BLOCK), (BLOCK, 1), (0, 0), (BLOCK, BLOCK), (1, 0))
    twice = tl.load(block) * 2
    tl.make_tensor_descriptor(d, [BLOCK, BLOCK], [BLOCK, 1], [BLOCK, BLOCK]).store([0, 0], twice)


@pytest.mark.parametrize("is_first", [True, False])
def test_descriptors_of_one_array(target, is_first):
    """Code for arrays that share nothing may be there already."""
    a, b = integers(64, 128, dtype=np.float16), integers(128, 64, dtype=np.float16, seed=1)
    launch = {"BLOCK": 64, "BLOCK_K": 64, "num_warps": 4, "num_stages": 3}
    c, d = unset(64, 64), unset(64, 64)
    if not is_first:
        store_and_load_kernel[(1,)](a, b, unset(64, 64), d, numbers(64, 64), 128, **launch)
    store_and_load_kernel[(1,)](a, b, c, d, c, 128, **launch)
    right = a.astype(np.float32) @ b
    assert_close(c, right)
    assert_close(d, 2 * right)


# Pointers that a stride of the launch sets apart


@tilewright.jit
def swap_halves(x, start, stride, HALF: tl.constexpr, ROWS: tl.constexpr, WIDE: tl.constexpr):
    """In order: all is loaded before anything is stored, and the second halves are stored last."""
    rows = tl.arange(0, ROWS).to(tl.int64 if WIDE else tl.int32)
    places = x + start + rows[:, None] * stride + tl.arange(0, HALF)[None, :]
    first, second = tl.load(places), tl.load(places + HALF)
    tl.store(places, second)
    tl.store(places + HALF, first)


@pytest.mark.parametrize("stride", [64, 127, 128, 160, 256, -64, -128])
@pytest.mark.parametrize("wide", [False, True])
def test_halves_of_rows_that_may_overlap(stride, wide, target):
    half, rows = 64, 32
    start = max(-stride, 0) * (rows - 1)
    x = numbers(start + max(stride, 0) * (rows - 1) + 2 * half, dtype=np.float32)
    expected = x.copy()
    places = start + np.arange(rows)[:, None] * stride + np.arange(half)
    first, second = x[places], x[places + half]
    expected[places] = second
    expected[places + half] = first
    turned = x.copy()
    swap_halves[(1,)](
        turned, start, stride, HALF=half, ROWS=rows, WIDE=wide, num_warps=8, target=target
    )
    np.testing.assert_array_equal(turned, expected)


# Elements that pointers name more than once


@tilewright.jit
def doubled_kernel(x, index, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    pointers = x + tl.load(index + i, mask=i < n, other=0)
    tl.store(pointers, tl.load(pointers, mask=i < n) * 2, mask=i < n)


@tilewright.jit
def halved_places_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    pointers = x + i // 2
    tl.store(pointers, i // 2, mask=i < n)
    tl.store(out + i, tl.load(pointers, mask=i < n), mask=i < n)


@tilewright.jit
def strided_kernel(x, stride, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    pointers = x + rows[:, None] * stride + columns[None, :]
    tl.store(pointers, tl.load(pointers) * 2)


@tilewright.jit
def strided_loop_kernel(x, stride, trips, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    for _ in range(trips):
        pointers = x + rows[:, None] * stride + columns[None, :]
        tl.store(pointers, tl.load(pointers) * 2)


@pytest.mark.parametrize("n", [3, 200, 1000])
def test_a_gather_that_names_elements_twice_is_stored_back(target, n):
    x = integers(64, dtype=np.int32)
    index = np.random.default_rng(n).integers(0, 64, n, dtype=np.int32)
    expected = x.copy()
    expected[index] *= 2
    doubled_kernel[(1,)](x, index, n, BLOCK=1024, num_warps=4)
    assert np.array_equal(x, expected)


def test_what_was_stored_twice_is_loaded(target):
    x, out = np.full(256, -1, np.int32), np.full(500, -1, np.int32)
    halved_places_kernel[(1,)](x, out, 500, BLOCK=512, num_warps=4)
    assert np.array_equal(out, np.arange(500) // 2)
    assert np.array_equal(x, np.where(np.arange(256) < 250, np.arange(256), -1))


# Strides by which rows lie over one another, and by which they do not.
@pytest.mark.parametrize("stride", [0, 3, 31, 32, 40])
def test_rows_that_overlap_are_stored_back(target, stride):
    x = integers(32 * 40, dtype=np.int32)
    expected = x.copy()
    named = np.unique(np.arange(32)[:, None] * stride + np.arange(32))
    expected[named] *= 2
    again = x.copy()
    strided_kernel[(1,)](x, stride, ROWS=32, COLUMNS=32, num_warps=4)
    assert np.array_equal(x, expected)
    expected[named] *= 4
    strided_loop_kernel[(1,)](again, stride, 3, ROWS=32, COLUMNS=32, num_warps=4)
    assert np.array_equal(again, expected)


@tilewright.jit
def rows_of_view_kernel(x, stride):
    first = tl.make_block_ptr(x, (2, 256), (stride, 1), (0, 0), (1, 256), (1, 0))
    tl.store(first, tl.zeros([1, 256], tl.int32))
    tl.store(tl.advance(first, (1, 0)), tl.full([1, 256], 1, tl.int32))


# Two stores through one view have no order where its rows lie over one another.
def test_rows_of_a_view_that_is_written_lie_apart(target):
    x = np.full(600, -1, np.int32)
    rows_of_view_kernel[(1,)](x, 300, num_warps=4)
    assert np.array_equal(x, [0] * 256 + [-1] * 44 + [1] * 256 + [-1] * 44)
    with pytest.raises(tilewright.SimulatorError, match="race"):
        rows_of_view_kernel[(1,)](x, 2, num_warps=4)


@tilewright.jit
def doubled_number_kernel(x, n, TIMES: tl.constexpr, BLOCK: tl.constexpr):
    start = tl.zeros([BLOCK], tl.int32) + n
    for _ in tl.static_range(TIMES):
        start = start + start
    pointers = x + (start + tl.arange(0, BLOCK))
    tl.store(pointers, tl.load(pointers) + 1)


# Whoever looks at both of what a sum is made of looks at 2^40 numbers.
def test_a_number_may_be_doubled_often():
    x = np.zeros(256, np.int32)
    doubled_number_kernel[(1,)](x, 0, TIMES=40, BLOCK=256)
    assert np.array_equal(x, np.ones(256, np.int32))


# What the first thread alone needs


@tilewright.jit
def count_kernel(labels, counts, places, totals, n, BINS: tl.constexpr):
    """Places of labels in the order of bins, as programs that route tokens make them."""
    for i in range(n):
        label = tl.load(labels + i)
        count = tl.load(counts + label)
        tl.store(places + i, count)
        tl.store(counts + label, count + 1)
    last = 0
    for i in range(BINS):
        last += tl.load(counts + i)
        tl.store(totals + i, last)
    bins = tl.arange(0, BINS)
    tl.store(counts + bins, tl.load(counts + bins) * 2)


@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize("n", [0, 1, 37])
def test_numbers_that_one_thread_needs(target, n, warps):
    labels = np.random.default_rng(n).integers(0, 8, n).astype(np.int32)
    counts, places = np.zeros(8, np.int32), np.full(max(n, 1), -1, np.int32)
    totals = np.full(8, -1, np.int32)
    given = labels if n else np.zeros(1, np.int32)
    count_kernel[(1,)](given, counts, places, totals, n, BINS=8, num_warps=warps)
    expected = np.bincount(labels, minlength=8)
    assert np.array_equal(counts, 2 * expected)
    assert np.array_equal(totals, np.cumsum(expected))
    assert [*places[:n]] == [int(np.sum(labels[:i] == labels[i])) for i in range(n)]


@tilewright.jit
def top_kernel(stack, count, top):
    """Only one thread needs the count, but all load by it what no store changes."""
    n = tl.load(count)
    tl.store(top, tl.load(stack + n - 1))
    tl.store(count, n - 1)


def test_top_of_a_stack(target):
    stack, count, top = integers(9, dtype=np.float32), np.array([3], np.int32), unset(1)
    top_kernel[(1,)](stack, count, top)
    assert top[0] == stack[2] and count[0] == 2


@tilewright.jit
def route_kernel(labels, counts, places, lock, n, BINS: tl.constexpr):
    """No tile: one thread counts under a lock, and others are not there."""
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    for i in range(n):
        label = tl.load(labels + i)
        if label >= 0:
            place = tl.load(counts + label)
            tl.store(places + tl.program_id(0) * n + i, place)
            tl.store(counts + label, place + 1)
        else:
            tl.store(places + tl.program_id(0) * n + i, tl.atomic_add(counts + BINS, 1))
    tl.atomic_xchg(lock, 0)


@pytest.mark.parametrize("warps", [1, 4])
def test_programs_of_one_thread(target, warps):
    labels = np.random.default_rng(3).integers(-1, 8, 29).astype(np.int32)
    counts, lock = np.zeros(9, np.int32), np.zeros(1, np.int32)
    places = np.full((3, 29), -1, np.int32)
    route_kernel[(3,)](labels, counts, places, lock, 29, BINS=8, num_warps=warps)
    assert np.array_equal(counts, 3 * np.bincount(labels % 9, minlength=9)[[*range(9)]])
    for label in range(-1, 8):
        assert sorted(places[:, labels == label].flat) == [*range(counts[label])]


# Elements that stay in warps


@tilewright.jit
def blur_kernel(x, y, H, W, BH: tl.constexpr, BW: tl.constexpr):
    """Loads of neighbours have other widths, and are exchanged within warps."""
    i = tl.program_id(0) * BH + tl.arange(0, BH)[:, None]
    j = tl.program_id(1) * BW + tl.arange(0, BW)[None, :]
    total = tl.zeros((BH, BW), tl.float32)
    for dx in tl.static_range(-2, 3):
        inside = (i < H) & (j + dx >= 0) & (j + dx < W)
        total += tl.load(x + i * W + j + dx, inside, 0.0).to(tl.float32)
    tl.store(y + i * W + j, total.to(y.dtype.element_ty), (i < H) & (j < W))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("shape, block", [((9, 256), (4, 128)), ((33, 101), (16, 64))])
def test_neighbours_of_a_row(target, dtype, shape, block):
    x, y = integers(*shape, dtype=dtype), unset(*shape, dtype=dtype)
    blur_kernel[(-(-shape[0] // block[0]), -(-shape[1] // block[1]))](x, y, *shape, *block)
    wide = np.pad(x, ((0, 0), (2, 2)))
    assert np.array_equal(y, sum(wide[:, d : d + shape[1]] for d in range(5)))
