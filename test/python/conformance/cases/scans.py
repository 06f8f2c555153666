# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Words that combine the elements up to each one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from conformance.case import Case, Result
from conformance.cases.reductions import sum_type
from conformance.rules import convert
from conformance.values import NUMBERS, Array, draw, draw_from, draw_whole, is_float, make, tl_name

SHAPES = ((128,), (16, 32), (64, 64), (4, 8, 16))


def make_cases() -> Iterator[Case]:
    for dtype in ("int1", *NUMBERS):
        for shape in SHAPES:
            for axis in range(len(shape)):
                for reverse in (False, True):
                    yield _running_sum(dtype, shape, axis, reverse)
    for dtype in ("int32", "int8", "fp32", "bf16"):
        result = "fp32" if dtype == "bf16" else dtype
        yield Case(
            f"tl.cumprod, {dtype}",
            "tl.cumprod(x, 1)",
            {"x": make(dtype, np.where(np.arange(64).reshape(4, 16) % 3, -1, 2))},
            [Result(result, lambda x: np.cumprod(x, 1, x.dtype))],
        )
    yield from _options()
    yield from _own_functions()


def _along(function: Callable[..., Array], x: Array, axis: int, reverse: bool) -> Array:
    """A running function, from the end if it is to be."""
    return np.flip(function(np.flip(x, axis), axis), axis) if reverse else function(x, axis)


def _running_sum(dtype: str, shape: tuple[int, ...], axis: int, reverse: bool) -> Case:
    """Whole numbers, whose sums are exact; and of integers any, which wrap."""
    result = "fp32" if dtype == "bf16" else sum_type(dtype)
    wide: Any = np.float64 if is_float(result) else np.dtype(result)

    def reference(x: Array) -> Array:
        numbers = convert(x, result)
        return _along(lambda y, a: np.cumsum(y, a, wide), numbers, axis, reverse)

    turned = ", reverse=True" if reverse else ""
    return Case(
        f"tl.cumsum, {dtype}, {'x'.join(map(str, shape))}, axis {axis}{turned}",
        f"tl.cumsum(x, {axis}{turned})",
        {"x": draw_whole(dtype, shape, 15) if is_float(dtype) else draw(dtype, shape)},
        [Result(result, reference)],
        shows="running sums",
    )


def _options() -> Iterator[Case]:
    yield Case(
        "tl.cumsum without an axis",
        "tl.cumsum(x)",
        {"x": draw("int32", (8, 16))},
        [Result("int32", lambda x: np.cumsum(x, 0, np.int32))],
    )
    yield Case(
        "x.cumsum(-1)",
        "x.cumsum(-1)",
        {"x": draw("int32", (8, 16))},
        [Result("int32", lambda x: np.cumsum(x, 1, np.int32))],
    )
    yield Case(
        "tl.cumsum as another type",
        f"tl.cumsum(x, 0, dtype={tl_name('int64')})",
        {"x": draw("int8", 64)},
        [Result("int64", lambda x: np.cumsum(x, dtype=np.int64))],
    )
    for dtype in ("fp16", "fp32", "fp64"):
        bound = 2.0**-52 if dtype == "fp64" else 2.0**-23
        yield Case(
            f"tl.cumsum of any numbers, {dtype}",
            "tl.cumsum(x, 0)",
            {"x": draw_from(dtype, 256, 0, 9)},
            [Result(dtype, np.cumsum, ulps=0.51, relative=256 * bound)],
        )
    infinite = np.where(np.arange(32) == 9, np.inf, 1.0)
    yield Case(
        "tl.cumsum over an infinity",
        "tl.cumsum(x, 0)",
        {"x": make("fp32", infinite)},
        [Result("fp32", np.cumsum)],
    )


def _own_functions() -> Iterator[Case]:
    yield Case(
        "tl.associative_scan by a helper",
        "tl.associative_scan(x, 1, larger)",
        {"x": draw("int32", (8, 64))},
        [Result("int32", lambda x: np.maximum.accumulate(x, 1))],
    )
    # x -> a * x + b, one after the other: the order counts.
    both = {"a": draw_from("int32", 64, 1, 3), "b": draw_from("int32", 64, 0, 9)}
    for reverse in (False, True):
        yield Case(
            f"tl.associative_scan of two tiles, reverse={reverse}",
            f"tl.associative_scan((a, b), 0, then_linear, reverse={reverse})",
            both,
            [
                Result("int32", lambda a, b, r=reverse: _compose(a, b, r)[0]),
                Result("int32", lambda a, b, r=reverse: _compose(a, b, r)[1]),
            ],
        )
    yield Case(
        "x.associative_scan that keeps the right one",
        "x.associative_scan(0, keep_right)",
        {"x": draw("fp16", (16, 8))},
        [Result("fp16", lambda x: x)],
    )


def _compose(a: Array, b: Array, reverse: bool) -> tuple[Array, Array]:
    if reverse:
        first, second = _compose(a[::-1], b[::-1], False)
        return first[::-1].copy(), second[::-1].copy()
    factors, offsets = [a[0]], [b[0]]
    for factor, offset in zip(a[1:], b[1:], strict=True):
        offsets.append(offsets[-1] * factor + offset)
        factors.append(factors[-1] * factor)
    return np.array(factors, np.int32), np.array(offsets, np.int32)
