"""Blocks of arrays of bytes and halves that begin beside vectors, all alike or each elsewhere, and
beside others that begin with one: moved in vectors, all but the one that is joined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@tilewright.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@tilewright.jit
def add_places(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    numbers = tl.load(x + i, mask=i < n)
    tl.store(out + i, numbers + (i % 7).to(numbers.dtype), mask=i < n)


@tilewright.jit
def double(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@tilewright.jit
def widen(x, out, n, BLOCK: tl.constexpr):
    """Arrays of elements of two sizes, which begin alike by elements."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    numbers = tl.load(x + i, mask=i < n)
    tl.store(out + i, numbers.to(tl.int16) * 3, mask=i < n)


def draw(dtype: type, n: int, start: int) -> Any:
    numbers = np.random.default_rng(n).integers(-9, 9, n + start).astype(dtype)
    return numbers[start:]


def has_vectors(kernel: Any) -> bool:
    return any("ld.global.v" in variant["ptx"] for variant in kernel.kernels[-1].variants)


@pytest.mark.parametrize("dtype", [np.int8, np.float16])
@pytest.mark.parametrize(
    "starts", [(1, 1, 1), (3, 3, 3), (7, 7, 7), (1, 3, 1), (5, 5, 1), (0, 3, 0)]
)
def test_each_start(starts: tuple[int, ...], dtype: type, target: str) -> None:
    for n in (1, 1023, 1024, 3000):
        x, y = draw(dtype, n, starts[0]), draw(dtype, n, starts[1])
        whole = np.full(n + starts[2] + 20, 55, dtype)
        out = whole[starts[2] : starts[2] + n]
        add[(-(-n // 1024),)](x, y, out, n, BLOCK=1024, target=target)
        np.testing.assert_array_equal(out, x + y)
        assert (whole[: starts[2]] == 55).all() and (whole[starts[2] + n :] == 55).all()
    assert has_vectors(add)


def test_places(target: str) -> None:
    x, out = draw(np.int8, 3000, 3), draw(np.int8, 3000, 3)
    add_places[(3,)](x, out, 3000, BLOCK=1024, target=target)
    np.testing.assert_array_equal(out, x + (np.arange(3000) % 7).astype(np.int8))
    assert not has_vectors(add_places)


def test_in_place(target: str) -> None:
    for start in (1, 2, 9):
        x = draw(np.int8, 3000, start)
        expected = x * 2
        double[(3,)](x, 3000, BLOCK=1024, target=target)
        np.testing.assert_array_equal(x, expected)


def test_two_sizes(target: str) -> None:
    for start, start_of_out in ((1, 1), (3, 3), (1, 2)):
        x, out = draw(np.int8, 3000, start), draw(np.int16, 3000, start_of_out)
        widen[(3,)](x, out, 3000, BLOCK=1024, target=target)
        np.testing.assert_array_equal(out, x.astype(np.int16) * 3)
