# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What references share: in which type two meet, and arithmetic where NumPy's is another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from differential.elements import round_to_odd

from conformance.values import Array, from_numbers, is_float, numpy_type


def width(dtype: str) -> int:
    return 1 if dtype == "int1" else int(dtype.lstrip("uint"))


def is_unsigned(dtype: str) -> bool:
    return dtype == "int1" or dtype.startswith("u")


def meet(a: str, b: str, division: bool = False) -> str:
    """The type of an operation on both, as Triton has it."""
    floats = [dtype for dtype in (a, b) if is_float(dtype)]
    if not floats:
        if is_unsigned(a) == is_unsigned(b):
            return max(a, b, key=width)
        unsigned, signed = (a, b) if is_unsigned(a) else (b, a)
        return unsigned if width(unsigned) >= width(signed) else signed
    for dtype in ("fp64", "fp32"):
        if dtype in floats:
            return dtype
    if division:
        return "fp32"
    if "fp16" in floats:
        return "fp16"
    return "bf16" if floats == ["bf16", "bf16"] else "fp32"


def convert(numbers: Array, dtype: str) -> Array:
    """As a cast does it: rounded once, toward zero and to the ends, integers by their bits."""
    if is_float(dtype):
        if numbers.dtype in (np.int64, np.uint64) and dtype != "fp64":
            signed = numbers.dtype == np.int64
            numbers = round_to_odd(numbers.view(np.uint64), signed)
        return from_numbers(dtype, numbers.astype(np.float64)).numbers
    if dtype == "int1":
        return numbers != 0
    target = np.dtype(numpy_type(dtype))
    if numbers.dtype != np.float64:
        return numbers.astype(target)
    ends = np.iinfo(target)
    whole = np.trunc(np.nan_to_num(numbers, nan=0.0, posinf=2.0**70, neginf=-(2.0**70)))
    clipped = [min(max(int(number), ends.min), ends.max) for number in whole.ravel().tolist()]
    return np.array(clipped, object).reshape(numbers.shape).astype(target)


def in_type(dtype: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy on operands that are cast to one type before."""

    def reference(*numbers: Array) -> Any:
        return function(*(convert(each, dtype) for each in numbers))

    return reference


def _exactly(function: Callable[[int, int], int]) -> Callable[[Array, Array], Array]:
    """Of integers of any size, wrapped into their type."""

    def reference(x: Array, y: Array) -> Array:
        mask = (1 << (8 * x.dtype.itemsize)) - 1
        pairs = zip(x.ravel().tolist(), y.ravel().tolist(), strict=True)
        bits = [function(a, b) & mask for a, b in pairs]
        unsigned = np.array(bits, np.uint64).astype(f"u{x.dtype.itemsize}")
        return unsigned.view(x.dtype).reshape(x.shape)

    return reference


def _truncate(a: int, b: int) -> int:
    quotient = abs(a) // abs(b or 1)
    return -quotient if (a < 0) != (b < 0) and b else quotient if a >= 0 or b else -quotient


#: Toward zero; a division by 0 is one by 1.
divide = _exactly(_truncate)
remainder = _exactly(lambda a, b: a - _truncate(a, b) * (b or 1))


def shift_left(x: Array, y: Array) -> Array:
    bits = 8 * x.dtype.itemsize
    return _exactly(lambda a, b: a << (b % 2**bits) if b % 2**bits < bits else 0)(x, y)


def shift_right(x: Array, y: Array) -> Array:
    bits = 8 * x.dtype.itemsize
    return _exactly(lambda a, b: a >> min(b % 2**bits, 64))(x, y)


def greater_of(x: Array, y: Array) -> Array:
    """A NaN is passed over; of zeros the positive one is greater."""
    if x.dtype != np.float64:
        return np.maximum(x, y)
    best = np.where((x > y) | ((x == y) & ~np.signbit(x)), x, y)
    return np.where(np.isnan(x), y, np.where(np.isnan(y), x, best))


def less_of(x: Array, y: Array) -> Array:
    if x.dtype != np.float64:
        return np.minimum(x, y)
    return -greater_of(-x, -y)


def or_nan(x: Array, y: Array, otherwise: Array) -> Array:
    return np.where(np.isnan(x) | np.isnan(y), np.nan, otherwise)
