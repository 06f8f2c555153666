"""Rows that a program takes in a loop of its own, the next one loaded while one is computed: in the
simulator, beside NumPy."""

import numpy as np
import pytest
from examples_support import assert_close, numbers, softmax_of, unset

import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")


@tilewright.jit
def softmax_kernel(x, out, stride, m, n, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        place = x + row * stride + columns
        values = tl.load(place, mask=inside, other=-float("inf")).to(tl.float32)
        powers = tl.exp(values - tl.max(values, axis=0))
        result = (powers / tl.sum(powers, axis=0)).to(out.dtype.element_ty)
        tl.store(out + row * stride + columns, result, mask=inside)


def run(x, out, programs=2, **launch):
    m, n = x.shape
    block = tilewright.next_power_of_2(n)
    return softmax_kernel[(programs,)](x, out, n, m, n, BLOCK=block, **launch)


def is_ahead(compiled):
    return "tile.loads_ahead" in compiled.ir("placed")


# Programs of several rows, of one and of none.
@pytest.mark.parametrize("programs", [1, 3, 7])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_next_rows(target, dtype, programs):
    x, out = numbers(5, 1024, dtype=dtype, scale=3), unset(5, 1024, dtype=dtype)
    compiled = run(x, out, programs)
    assert_close(out, softmax_of(x))
    assert is_ahead(compiled)


# Rows that end or begin anywhere are rotated, and stay where they are.
@pytest.mark.parametrize("n", [1000, 1001])
def test_rows_of_any_length(target, n):
    x, out = numbers(5, n, dtype=np.float16, scale=3), unset(5, n, dtype=np.float16)
    run(x, out)
    assert_close(out, softmax_of(x))


def test_registers():
    """They hold no next row of 16384 f32 by four warps."""
    x, out = numbers(3, 16384), unset(3, 16384)
    assert not is_ahead(run(x, out, target="sm_80"))
    assert_close(out, softmax_of(x))
    assert is_ahead(run(x, out, num_warps=16, target="sm_80"))
    assert_close(out, softmax_of(x))


def test_in_place(target):
    x = numbers(5, 1024, scale=3)
    right = softmax_of(x)
    run(x, x)
    assert_close(x, right)


def test_a_row_is_what_the_last_one_stored(target):
    room = numbers(6, 1024, scale=3)
    first = room[:1].copy()
    run(room[:-1], room[1:], programs=1)
    for row in room[1:]:
        first = softmax_of(first)
        assert_close(row, first[0])


@tilewright.jit
def sums_kernel(x, numbers, out, m, n, BLOCK: tl.constexpr):
    """Of rows that a list names: where they lie is loaded, too."""
    columns = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), m, tl.num_programs(0)):
        place = x + tl.load(numbers + row) * n + columns
        tl.store(out + row, tl.sum(tl.load(place, mask=columns < n, other=0.0), axis=0))


def test_rows_by_number(target):
    x, out = numbers(9, 1000), unset(5)
    order = np.array([8, 0, 3, 3, 7], np.int32)
    sums_kernel[(2,)](x, order, out, 5, 1000, BLOCK=1024)
    assert_close(out, x[order].sum(axis=1, dtype=np.float64))
