"""Quotients of a tile by one number, which are products with its reciprocal."""

import numpy as np
import pytest
from examples_support import as_on_gpus

import tilewright
import tilewright.language as tl


@tilewright.jit
def divide_kernel(x, by, out, block: tl.constexpr):
    places = tl.arange(0, block)
    tl.store(out + places, tl.load(x + places) / tl.load(by))


def draw(rng, count):
    """Of all magnitudes, and with what is no number."""
    x = rng.uniform(1, 2, count) * 2.0 ** rng.integers(-149, 128, count)
    x = np.where(rng.random(count) < 0.5, x, -x).astype(np.float32)
    x[:6] = 0.0, -0.0, np.inf, -np.inf, np.nan, 2.0**-149
    return x


# Four quotients of a thread, each divided for itself, eight, whose dividends are scaled, and 32.
@pytest.mark.parametrize("warps", [8, 4, 1])
def test_by_one_number(target, warps):
    rng = np.random.default_rng(warps)
    for by in [*draw(rng, 16), 1.0, 3.0, 2.0**-126, 1.5 * 2.0**-127, 2.0**126, 1.9 * 2.0**127]:
        x, divisor = draw(rng, 1024), np.array([by], np.float32)
        out = np.full(1024, 7, np.float32)
        divide_kernel[(1,)](x, divisor, out, block=1024, num_warps=warps, target=target)
        with np.errstate(all="ignore"):
            right = x.astype(np.float64) / divisor[0].astype(np.float64)
            rounded = right.astype(np.float32)
            unit = np.maximum(np.spacing(np.abs(rounded)), 2.0**-149)
            near = np.abs(out.astype(np.float64) - right) <= 2 * unit
        same = (out == rounded) & (np.signbit(out) == np.signbit(rounded))
        assert np.all(same | near | (np.isnan(out) & np.isnan(right))), (by, out, right)


@tilewright.jit
def near_the_end_kernel(out, offset: tl.constexpr):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    tl.store(out + i, (i + offset) // 8)


@pytest.mark.parametrize("offset", [5, 2**30, 2**31 - 64, 2**31 - 8, 2**31 - 1])
def test_sums_that_wrap_are_no_counts(target, offset):
    out = np.zeros(512, np.int32)
    near_the_end_kernel[(2,)](out, offset=offset)
    sums = (np.arange(512, dtype=np.int64) + offset + 2**31) % 2**32 - 2**31
    assert np.array_equal(out, (np.sign(sums) * (np.abs(sums) // 8)).astype(np.int32))


@tilewright.jit
def twice_divided_kernel(by, size, out):
    place, i = tl.program_id(0), tl.arange(0, 64)
    for divisor in (size, tl.load(by + place), -(size + 5), ~(size + 5)):
        numbers = (place + 9) // divisor * 64 + i
        tl.store(out + i, numbers // 16)
        tl.store(out + 64 + i, numbers % 16)
        out += 128


# Of quotients that may be negative no runs are promised.
@pytest.mark.parametrize("size", [2, -1, -2])
def test_by_negative_numbers(target, size):
    by, out = np.array([-1], np.int32), np.zeros((4, 2, 64), np.int32)
    twice_divided_kernel[(1,)](by, size, out, target=target)
    for divisor, (quotients, remainders) in zip(
        (size, -1, -(size + 5), ~(size + 5)), out, strict=True
    ):
        numbers = int(9 / divisor) * 64 + np.arange(64)
        assert np.array_equal(quotients, np.trunc(numbers / 16))
        assert np.array_equal(remainders, np.fmod(numbers, 16))


@tilewright.jit
def many_times_divided_kernel(n, m, out):
    number = tl.program_id(0) + 1000000
    for _ in tl.static_range(24):
        number = number // (number + m - n)
    places = (number + n) * 64 + tl.arange(0, 64)
    tl.store(out + tl.arange(0, 64), places // 16)


# What a number counts is asked once, however often it is divided by itself.
def test_divided_again_and_again(target):
    out = np.zeros(64, np.int32)
    many_times_divided_kernel[(1,)](3, 17, out, target=target)
    assert np.array_equal(out, (3 * 64 + np.arange(64)) // 16)


@tilewright.jit
def join_kernel(x, y, out, a, b, total, block: tl.constexpr):
    i = tl.program_id(0) * block + tl.arange(0, block)
    row, column = i // (a + b), i % (a + b)
    inside, of_x = i < total, column < a
    left = tl.load(x + row * a + column, mask=inside & of_x, other=0)
    right = tl.load(y + row * b + (column - a), mask=inside & (column >= a), other=0)
    tl.store(out + i, left + right, mask=inside)


@pytest.mark.parametrize("a, b", [(96, 160), (37, 58), (16, 48), (64, 5)])
def test_by_sums_of_sizes(target, a, b):
    """Rows of both side by side: of whole vectors where both sizes are."""
    rng = np.random.default_rng(a)
    x, y = (rng.integers(1, 99, (33, n)).astype(np.float16) for n in (a, b))
    x, y, out = as_on_gpus(x), as_on_gpus(y), as_on_gpus(np.zeros((33, a + b), np.float16))
    grid = (-(-out.size // 512),)
    join_kernel[grid](x, y, out, a, b, out.size, block=512, target=target)
    np.testing.assert_array_equal(out, np.concatenate([x, y], axis=1))
