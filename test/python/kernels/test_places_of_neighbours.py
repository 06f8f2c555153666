"""Rows and columns of neighbours, which follow from the first one's where that is right."""

import re

import numpy as np
import pytest
from examples_support import unset

import tilewright
import tilewright.language as tl


@tilewright.jit
def places_kernel(out, n, a, b, c, first, block: tl.constexpr):
    counts = tl.program_id(0) * block + tl.arange(0, block)
    i = first + tl.program_id(0) * block + tl.arange(0, block)
    plane, rest = i // (a * b), i % (a * b)
    row, column = rest // b, i % b
    other = i // b % a
    inner = rest % (b + b) // b
    places = plane * 7 + row * 11 + column * 13 + other * 17 + plane % c * 19 + rest // c * 23
    places += inner * 29
    tl.store(out + counts, places, mask=counts < n)


def divide(x, by):
    return np.sign(x) * np.sign(by) * (np.abs(x) // abs(by))


def wrap(x):
    return (x + 2**31) % 2**32 - 2**31


# 4 and 16 neighbours of a thread. Rows shorter than these, as long, and longer; numbers below 0,
# that wrap around, and divisors below 0.
@pytest.mark.parametrize("warps", [4, 1])
@pytest.mark.parametrize(
    "a, b, c, first",
    [
        (1, 1, 1, 0),
        (2, 3, 2, 0),
        (8, 8, 8, 0),
        (9, 16, 5, 3),
        (55, 57, 4, 100000),
        (9, 23, 17, 0),
        (1, 8, 16, 0),
        (17, 1, 9, 0),
        (3, 100, 200, -700),
        (7, 9, 8, -100),
        (40, 20, 8, 2**31 - 500),
        (5, -1, 3, -20),
        (-3, 6, -5, 50),
    ],
)
def test_are_those_of_each(target, a, b, c, first, warps):
    n = 1000
    out = unset(n, dtype=np.int32)
    places_kernel[(2,)](out, n, a, b, c, first, block=512, num_warps=warps, target=target)
    i = wrap(np.arange(n, dtype=np.int64) + first)
    plane = divide(i, a * b)
    rest = i - plane * (a * b)
    column = i - divide(i, b) * b
    line = divide(i, b)
    other = line - divide(line, a) * a
    of_plane = plane - divide(plane, c) * c
    right = plane * 7 + divide(rest, b) * 11 + column * 13 + other * 17
    right += of_plane * 19 + divide(rest, c) * 23
    right += divide(rest - divide(rest, 2 * b) * (2 * b), b) * 29
    np.testing.assert_array_equal(out, wrap(right).astype(np.int32))


@tilewright.jit
def chosen_kernel(out, flag, width, height, block: tl.constexpr):
    i = tl.arange(0, block)
    rows = tl.where(flag != 0, -i, i // width)
    columns = tl.where(flag != 0, 0, i % width)
    tl.store(out + i, rows % height * 1000 + columns % height)


# What is chosen of quotients and others is none.
@pytest.mark.parametrize("flag", [0, 1])
def test_that_are_chosen(target, flag):
    out = unset(512, dtype=np.int32)
    chosen_kernel[(1,)](out, flag, 37, 11, block=512, num_warps=1, target=target)
    i = np.arange(512)
    right = -(i % 11) * 1000 if flag else i // 37 % 11 * 1000 + i % 37 % 11
    np.testing.assert_array_equal(out, right)


@tilewright.jit
def rows_kernel(x, out, n, width, block: tl.constexpr):
    i = tl.program_id(0) * block + tl.arange(0, block)
    tl.store(out + i, tl.load(x + i // width, mask=i < n), mask=i < n)


# Of four neighbours one is divided, and all others where that is not right.
def test_divide_one(target):
    rows = rows_kernel.compile(
        "*fp32:16, *fp32:16, i32:16, i32", {"block": 512}, num_warps=4, target=target
    )
    blocks = re.split(r"^\$L__BB", rows.ptx, flags=re.MULTILINE)
    assert blocks[0].count("@%p") == 1
    in_front, behind = blocks[0].split("@%p")
    assert (in_front.count("div.s32"), behind.count("div.s32")) == (1, 3)
    assert all("div.s32" not in text for text in blocks[1:])


@tilewright.jit
def behind_kernel(out, behind, a, b, is_behind_first: tl.constexpr, block: tl.constexpr):
    i = tl.arange(0, block)
    column = i % a
    if is_behind_first:
        tl.store(behind + i, (column + 1) // b)
        tl.store(out + i, column // b)
    else:
        tl.store(out + i, column // b)
        tl.store(behind + i, (column + 1) // b)


@tilewright.jit
def unsigned_kernel(out, behind, a, b, is_behind_first: tl.constexpr, block: tl.constexpr):
    i = tl.arange(0, block)
    row = i.to(tl.uint32) // a.to(tl.uint32)
    if is_behind_first:
        tl.store(behind + i, (row + 1) % b.to(tl.uint32))
        tl.store(out + i, row % b.to(tl.uint32))
    else:
        tl.store(out + i, row % b.to(tl.uint32))
        tl.store(behind + i, (row + 1) % b.to(tl.uint32))


# The sum of the first one's result and 1 is not the second one's result.
@pytest.mark.parametrize("is_behind_first", [True, False])
@pytest.mark.parametrize("a, b", [(9, 4), (37, 11), (17, 17)])
def test_what_is_behind_a_result(target, a, b, is_behind_first):
    i = np.arange(512)
    for kernel, column, of in (
        (behind_kernel, i % a, np.floor_divide),
        (unsigned_kernel, i // a, np.remainder),
    ):
        out, behind = unset(512, dtype=np.int32), unset(512, dtype=np.int32)
        kernel[1,](out, behind, a, b, is_behind_first, block=512, num_warps=4, target=target)
        assert (out == of(column, b)).all()
        assert (behind == of(column + 1, b)).all()
