"""Pointers made of what is loaded, used by other threads than those that loaded it."""

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@tilewright.jit
def add_rows(
    a, b, c, x, y, M, N, K, HEIGHT: tl.constexpr, WIDTH: tl.constexpr, DEPTH: tl.constexpr
):  # fmt: skip
    """C = A B, and to each row one of Y that X names."""
    m, n = tl.arange(0, HEIGHT), tl.arange(0, WIDTH)
    total = tl.zeros((HEIGHT, WIDTH), dtype=tl.float32)
    for k in range(0, K, DEPTH):
        kk = k + tl.arange(0, DEPTH)
        left = tl.load(a + m[:, None] * K + kk[None, :], (m < M)[:, None] & (kk < K)[None, :], 0.0)
        right = tl.load(b + kk[:, None] * N + n[None, :], (kk < K)[:, None] & (n < N)[None, :], 0.0)
        total = tl.dot(left, right, total)
    i = tl.load(x + m, m < M, 0)
    total += tl.load(y + i[:, None] * N + n[None, :], (n < N)[None, :], 0.0)
    tl.store(c + m[:, None] * N + n[None, :], total, (m < M)[:, None] & (n < N)[None, :])


@tilewright.jit
def follow_lists(heads, nexts, out, steps, BLOCK: tl.constexpr):
    """Steps along lists; then row i of the result is where they ended, plus i."""
    i = tl.arange(0, BLOCK)
    p = nexts + tl.load(heads + i)
    for _ in range(steps):
        p = nexts + tl.load(p)
    rows = tl.zeros((BLOCK, 1), dtype=tl.int32)
    tl.store(out + i[:, None] * BLOCK + i[None, :], tl.load(p[None, :] + rows) + i[:, None])


@tilewright.jit
def follow_or_skip(heads, nexts, out, skips, BLOCK: tl.constexpr):
    """One step along lists, or the next element."""
    i = tl.arange(0, BLOCK)
    p = nexts + tl.load(heads + i)
    if skips:
        p = p + 1
    else:
        p = nexts + tl.load(p)
    rows = tl.zeros((BLOCK, 1), dtype=tl.int32)
    tl.store(out + i[:, None] * BLOCK + i[None, :], tl.load(p[None, :] + rows) + i[:, None])


@pytest.mark.parametrize("warps", [2, 8])
@pytest.mark.parametrize("columns", [64, 61])
def test_rows_behind_a_product(target, columns, warps):
    rng = np.random.default_rng(columns)
    rows, depth = 61, 67

    def draw(count, kind):
        # Not where a vector begins.
        return rng.integers(-2, 3, count + 1).astype(kind)[1:]

    a, b = draw(rows * depth, np.float16), draw(depth * columns, np.float16)
    y = draw(rows * columns, np.float32)
    x = rng.integers(0, rows, rows + 1).astype(np.int32)[1:]
    c = np.full(rows * columns + 1, np.nan, np.float32)[1:]
    add_rows[1,](
        a, b, c, x, y, rows, columns, depth,
        HEIGHT=64, WIDTH=64, DEPTH=64, num_warps=warps, target=target,
    )  # fmt: skip
    product = a.reshape(rows, depth).astype(np.float32) @ b.reshape(depth, columns)
    np.testing.assert_array_equal(c.reshape(rows, columns), product + y.reshape(rows, columns)[x])


@pytest.mark.parametrize("steps", [0, 3])
def test_pointers_that_a_loop_carries(target, steps):
    rng = np.random.default_rng(steps)
    size = 64
    heads, nexts = (rng.integers(0, size, size).astype(np.int32) for _ in range(2))
    out = np.zeros((size, size), np.int32)
    follow_lists[1,](heads, nexts, out, steps, BLOCK=size, num_warps=4, target=target)
    at = heads
    for _ in range(steps):
        at = nexts[at]
    np.testing.assert_array_equal(out, nexts[at][None, :] + np.arange(size)[:, None])


@pytest.mark.parametrize("skips", [0, 7])
def test_pointers_of_a_branch(target, skips):
    rng = np.random.default_rng(skips)
    size = 64
    heads = rng.integers(0, size, size).astype(np.int32)
    nexts = rng.integers(0, size, size + 1).astype(np.int32)
    out = np.zeros((size, size), np.int32)
    follow_or_skip[1,](heads, nexts, out, skips, BLOCK=size, num_warps=4, target=target)
    at = heads + 1 if skips else nexts[heads]
    np.testing.assert_array_equal(out, nexts[at][None, :] + np.arange(size)[:, None])


# Parts of which some are there


@tilewright.jit
def sum_parts_kernel(x, middle, y, n, PARTS: tl.constexpr, STEP: tl.constexpr, D: tl.constexpr):
    """Addresses of a branch in a loop, behind numbers that are negative in some programs."""
    d = tl.arange(0, D)
    first = (tl.program_id(0) - 2) * PARTS
    total = tl.zeros((D,), tl.float32)
    for s in range(PARTS):
        if (first + s) * STEP < n:
            total += tl.load(x + middle + (first + s) * STEP + d)
    tl.store(y + tl.program_id(0) * D + d, total)


@pytest.mark.parametrize("parts, step", [(16, 64), (15, 64), (8, 96), (4, 7)])
def test_parts_that_are_there(target, parts, step):
    x, y = np.arange(8 * parts * step, dtype=np.float32), np.zeros((4, 64), np.float32)
    middle, n = 2 * parts * step, parts * step + 3
    sum_parts_kernel[(4,)](x, middle, y, n, PARTS=parts, STEP=step, D=64)
    for program in range(4):
        places = [(program - 2) * parts * step + s * step for s in range(parts)]
        rows = [x[middle + p : middle + p + 64] for p in places if p < n]
        assert np.array_equal(y[program], np.sum(rows, axis=0) if rows else np.zeros(64))


# Rows of no columns


@tilewright.jit
def flat_copy_kernel(x, out, rows, columns, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    places = i // columns * columns + i % columns
    tl.store(out + places, tl.load(x + places, mask=i < rows * columns), mask=i < rows * columns)


@tilewright.jit
def divide_kernel(quotients, remainders, by, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(quotients + i, i // by)
    tl.store(remainders + i, i % by)
    tl.store(remainders + BLOCK + i, i // 0 + i % 0)


@pytest.mark.parametrize("columns", [48, 7, 0])
def test_numbers_are_divided_by_columns(target, columns):
    """0 is a multiple of 16, but quotients by it are no runs of 16."""
    x = np.arange(4 * columns, dtype=np.float32)
    out = np.zeros_like(x)
    flat_copy_kernel[(2,)](x, out, 4, columns, BLOCK=128)
    assert np.array_equal(out, x)
    quotients, remainders = np.zeros(256, np.int32), np.zeros(512, np.int32)
    divide_kernel[(1,)](quotients, remainders, columns, BLOCK=256)
    i = np.arange(256)
    assert np.array_equal(quotients, i // (columns or 1))
    assert np.array_equal(remainders, [*(i % (columns or 1)), *i])


@tilewright.jit
def shuffle_kernel(x, y, H, W, r: tl.constexpr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column, row, channel = i % (W * r), i // (W * r) % (H * r), i // (W * r * H * r)
    source = (channel * r * r + row % r * r + column % r) * H + row // r
    tl.store(y + i, tl.load(x + source * W + column // r, mask=i < n), mask=i < n)


@pytest.mark.parametrize(("height", "width"), [(8, 32), (4, 8), (3, 5)])
def test_pixels_are_shuffled(target, height, width):
    """Runs of quotients and of remainders are computed by their first elements."""
    x = np.arange(3 * 4 * height * width, dtype=np.float16).reshape(3, 2, 2, height, width)
    y = np.zeros((3, height, 2, width, 2), np.float16)
    shuffle_kernel[(-(-x.size // 512),)](x, y, height, width, r=2, n=x.size, BLOCK=512)
    assert np.array_equal(y, x.transpose(0, 3, 1, 4, 2))


@tilewright.jit
def divide_by_multiple_kernel(quotients, by, MORE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(quotients + i, i // (by * 16 + MORE))


# What is a multiple of 4, or of 16, may be 0, of which nothing counts in runs.
@pytest.mark.parametrize(
    ("by", "more"), [(0, 0), (3, 0), (16, 0), (-16, 16 * 16), (16, -16 * 16), (1 << 32, 0)]
)
def test_numbers_are_divided_by_multiples(target, by, more):
    quotients = np.zeros(256, np.int64)
    divide_by_multiple_kernel[(1,)](quotients, by, MORE=more, BLOCK=256)
    divisor = by * 16 + more
    assert np.array_equal(quotients, np.arange(256) // (divisor or 1))


@tilewright.jit
def divide_by_product_kernel(quotients, m, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(quotients + i, i // (m * n))


# In 32 bits two of these products are 0.
@pytest.mark.parametrize("numbers", [(48, 2), (1 << 16, 1 << 8), (1 << 16, 1 << 16), (48, 1 << 28)])
def test_numbers_are_divided_by_products(target, numbers):
    quotients = np.zeros(256, np.int32)
    divide_by_product_kernel[(1,)](quotients, *numbers, BLOCK=256)
    by = numbers[0] * numbers[1] % (1 << 32)
    assert np.array_equal(quotients, np.arange(256) // (by or 1))


@tilewright.jit
def divide_by_one_of_two_kernel(quotients, first, second, takes_first, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    if takes_first > 0:
        by = first
    else:
        by = second
    tl.store(quotients + i, i // by)


@pytest.mark.parametrize("takes_first", [0, 1])
@pytest.mark.parametrize("numbers", [(0, 0), (48, 0), (0, 32)])
def test_numbers_are_divided_by_what_a_branch_gives(target, numbers, takes_first):
    quotients = np.zeros(256, np.int32)
    divide_by_one_of_two_kernel[(1,)](quotients, *numbers, takes_first, BLOCK=256)
    by = numbers[1 - takes_first]
    assert np.array_equal(quotients, np.arange(256) // (by or 1))
