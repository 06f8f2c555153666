"""What is part of the code wherever it is given: functions, and what tl.constexpr stands for."""

from __future__ import annotations

import numpy as np

import tilewright
import tilewright.language as tl


@tilewright.jit
def square(x):
    return x * x


@tilewright.jit
def add(x, y):
    return x + y


@tilewright.jit
def clip(x, low, high):
    return tl.minimum(tl.maximum(x, low), high)


@tilewright.jit
def apply_kernel(x, out, function, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, function(tl.load(x + i)))


@tilewright.jit
def apply_all_kernel(x, out, steps, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i)
    for function, arguments in steps:
        value = function(value, *arguments)
    tl.store(out + i, value)


def test_functions() -> None:
    x, out = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    for _ in range(2):
        apply_kernel[(1,)](x, out, square, BLOCK=8)
        assert np.array_equal(out, x * x)
    assert len(apply_kernel.kernels) == 1


def test_functions_in_tuples() -> None:
    x, out = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    for high in (6.0, 5.5):
        steps = ((square, ()), (add, (1.5,)), (clip, (3, tl.constexpr(high))))
        apply_all_kernel[(1,)](x, out, steps, BLOCK=8)
        assert np.array_equal(out, np.clip(x * x + 1.5, 3, high))
    assert len(apply_all_kernel.kernels) == 2


@tilewright.jit
def kind_kernel(out, n, C: tl.constexpr):
    tl.store(out, (n + C).dtype == tl.int32)


def test_types_of_constants() -> None:
    """1, 1.0 and True are equal to Python, and three constants."""
    out = np.zeros(1, np.int32)
    for constant, is_integer in ((1, 1), (1.0, 0), (True, 1)):
        kind_kernel[(1,)](out, 5, C=tl.constexpr(constant))
        assert out[0] == is_integer
    assert len(kind_kernel.kernels) == 3
