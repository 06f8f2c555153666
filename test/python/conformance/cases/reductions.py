# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Words that combine the elements of a tile along an axis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from conformance import rules
from conformance.case import Case, Result
from conformance.rules import convert, is_unsigned, width
from conformance.values import (
    FLOATS,
    INTEGERS,
    NUMBERS,
    Array,
    Values,
    draw,
    draw_from,
    draw_whole,
    is_float,
    make,
    make_rng,
    tl_name,
)

SHAPES = ((128,), (16, 32), (4, 8, 16))


def make_cases() -> Iterator[Case]:
    for dtype in ("int1", *NUMBERS):
        for shape in SHAPES:
            for axis in (None, *range(len(shape))):
                yield from _sums(dtype, shape, axis)
                yield from _extremes(dtype, shape, axis)
    for dtype in NUMBERS:
        yield from _places(dtype)
    for dtype in FLOATS:
        yield from _places_with_nan(dtype)
    yield from _bits()
    yield from _ties()
    yield from _options()
    yield from _own_functions()


def sum_type(dtype: str) -> str:
    """That of a sum: integers of fewer than 32 bits grow."""
    if is_float(dtype) or width(dtype) >= 32:
        return dtype
    return "uint32" if is_unsigned(dtype) else "int32"


def _describe(axis: int | None, shape: tuple[int, ...]) -> str:
    return f"{len(shape)}-D, {'all' if axis is None else f'axis {axis}'}"


def _call(word: str, axis: int | None) -> str:
    return f"tl.{word}(x)" if axis is None else f"tl.{word}(x, {axis})"


def _sums(dtype: str, shape: tuple[int, ...], axis: int | None) -> Iterator[Case]:
    """Whole numbers, whose sums are exact; and of integers any, which wrap."""
    result = sum_type(dtype)
    where = _describe(axis, shape)
    data = draw_whole(dtype, shape, 15) if is_float(dtype) else draw(dtype, shape)
    yield Case(
        f"tl.sum, {dtype}, {where}",
        _call("sum", axis),
        {"x": data},
        [Result(result, lambda x: convert(x, result).sum(axis, _wide(result)))],
        shows="sums",
    )
    if dtype in FLOATS and axis is not None:
        # Rounded once for the small types: the sum itself is one of fp32.
        count = shape[axis]
        bound = {"fp64": 2.0**-52, "fp32": 2.0**-23}.get(dtype, 2.0**-23) * count
        yield Case(
            f"tl.sum, {dtype}, any numbers, {where}",
            _call("sum", axis),
            {"x": draw_from(dtype, shape, 0, 9, 1)},
            [Result(dtype, lambda x: x.sum(axis), ulps=0.51, relative=bound)],
        )


def _wide(dtype: str) -> Any:
    return np.float64 if is_float(dtype) else np.dtype(dtype)


def _extremes(dtype: str, shape: tuple[int, ...], axis: int | None) -> Iterator[Case]:
    small = dtype == "int1" or (width(dtype) < 32 if not is_float(dtype) else True)
    result = dtype
    if small and dtype not in ("fp32", "fp64"):
        result = "fp32" if is_float(dtype) else "int32"
    for word, function in (("max", rules.greater_of), ("min", rules.less_of)):
        yield Case(
            f"tl.{word}, {dtype}, {_describe(axis, shape)}",
            _call(word, axis),
            {"x": draw(dtype, shape, 2)},
            [Result(result, lambda x, f=function: _fold(f, convert(x, result), axis))],
            shows="NaN in max and min",
        )


def _fold(function: Callable[[Array, Array], Array], x: Array, axis: int | None) -> Array:
    """Of two at a time, so that rules for two are those for many."""
    if axis is None:
        x, axis = x.ravel(), 0
    parts = np.moveaxis(x, axis, 0)
    best = parts[0]
    for part in parts[1:]:
        best = function(best, part)
    return best


def _numbers_without_nan(dtype: str, shape: tuple[int, ...], seed: int) -> Values:
    values = draw(dtype, shape, seed)
    if not is_float(dtype):
        return values
    numbers = values.numbers
    return make(dtype, np.where(np.isnan(numbers), 1.0, numbers))


def _places(dtype: str) -> Iterator[Case]:
    shape = (8, 64)
    values = _numbers_without_nan(dtype, shape, 3)
    kept = "fp32" if dtype == "bf16" else dtype
    for word, place in (("argmax", np.argmax), ("argmin", np.argmin)):
        for axis in (0, 1):
            yield Case(
                f"tl.{word}, {dtype}, axis {axis}",
                f"tl.{word}(x, {axis})",
                {"x": values},
                [Result("int32", lambda x, p=place, axis=axis: p(x, axis).astype(np.int32))],
                shows="ties of argmax",
            )
        extreme = word.removeprefix("arg")
        yield Case(
            f"tl.{extreme} with places, {dtype}",
            f"tl.{extreme}(x, 1, return_indices=True)",
            {"x": values},
            [
                Result(kept, lambda x, p=place: np.take_along_axis(x, p(x, 1)[:, None], 1)[:, 0]),
                Result("int32", lambda x, p=place: p(x, 1).astype(np.int32)),
            ],
        )


def _find(function: Any, numbers: Array) -> int:
    """The first place of the extreme number; the first place where there is none."""
    places = [place for place, number in enumerate(numbers) if number == number]
    return places[int(function(numbers[places]))] if places else 0


def _draw_with_nan(dtype: str, shape: tuple[int, ...], row: int) -> Values:
    """Few different numbers, infinities, and NaNs; all of one row and of one column, and all but
    one of the next ones."""
    values = draw_whole(dtype, shape, 2, 7).numbers.astype(np.float64)
    rng = make_rng("places", dtype)
    values = np.where(rng.random(shape) < 0.05, -np.inf, values)
    values = np.where(rng.random(shape) < 0.5, np.nan, values)
    values[row], values[:, row] = np.nan, np.nan
    values[row + 1, 1:], values[1:, row + 1] = np.nan, np.nan
    return make(dtype, values)


def _places_with_nan(dtype: str) -> Iterator[Case]:
    """They are passed over, whichever thread has them."""
    kept = "fp32" if dtype == "bf16" else dtype
    for shape in ((16, 64), (64, 16)):
        values = _draw_with_nan(dtype, shape, 5)
        for word, function in (("argmax", np.argmax), ("argmin", np.argmin)):
            extreme = word.removeprefix("arg")
            for axis in (0, 1):

                def find(x: Array, function: Any = function, axis: int = axis) -> Array:
                    places = [_find(function, row) for row in np.moveaxis(x, axis, -1)]
                    return np.array(places, np.int32)

                def take(x: Array, find: Any = find, axis: int = axis) -> Array:
                    places = np.expand_dims(find(x), axis)
                    return np.take_along_axis(x, places, axis).squeeze(axis)

                yield Case(
                    f"tl.{word} with NaN, {dtype}, {shape}, axis {axis}",
                    f"tl.{word}(x, {axis})",
                    {"x": values},
                    [Result("int32", find)],
                    shows="NaN in argmax",
                )
                yield Case(
                    f"tl.{extreme} with places and NaN, {dtype}, {shape}, axis {axis}",
                    f"tl.{extreme}(x, {axis}, return_indices=True)",
                    {"x": values},
                    [Result(kept, take), Result("int32", find)],
                    shows="NaN in argmax",
                )
            yield Case(
                f"tl.{word} with NaN, {dtype}, {shape}, all",
                f"tl.{word}(x, None)",
                {"x": values},
                [Result("int32", lambda x, f=function: np.int32(_find(f, x.reshape(-1))))],
                shows="NaN in argmax",
            )


def _ties() -> Iterator[Case]:
    """Few different numbers: the first of equal ones is found."""
    for dtype in ("int8", "uint64", "fp16", "fp32"):
        values = draw_whole(dtype, (16, 128), 2, 4)
        for word, place in (("argmax", np.argmax), ("argmin", np.argmin)):
            yield Case(
                f"tl.{word} of ties, {dtype}",
                f"tl.{word}(x, axis=1)",
                {"x": values},
                [Result("int32", lambda x, p=place: p(x, 1).astype(np.int32))],
                shows="ties of argmax",
            )
    # Numbers that differ have one place, whoever wins a tie.
    order = make_rng("places").permutation(128).astype(np.int32)
    for code in (
        "tl.argmax(x, 0, tie_break_left=False)",
        "tl.max(x, 0, return_indices=True, return_indices_tie_break_left=False)[1]",
    ):
        yield Case(
            code,
            code,
            {"x": make("int32", order)},
            [Result("int32", lambda x: x.argmax().astype(np.int32))],
        )
    # -0 and +0 are equal.
    zeros = np.where(np.arange(32) % 3 == 1, 0.0, -0.0)
    yield Case(
        "tl.argmax of zeros",
        "tl.argmax(x, 0)",
        {"x": make("fp32", zeros)},
        [Result("int32", lambda x: np.int32(0))],
        shows="ties of argmax",
    )


def _bits() -> Iterator[Case]:
    for dtype in INTEGERS:
        for axis in (None, 0, 1):
            yield Case(
                f"tl.xor_sum, {dtype}, {_describe(axis, (16, 32))}",
                _call("xor_sum", axis),
                {"x": draw(dtype, (16, 32), 5)},
                [Result(dtype, lambda x, a=axis: _fold(np.bitwise_xor, x, a))],
            )
        yield Case(
            f"tl.reduce_or, {dtype}",
            "tl.reduce_or(x, 1)",
            {"x": draw_from(dtype, (16, 4), 0, 40)},
            [Result(dtype, lambda x: _fold(np.bitwise_or, x, 1))],
        )


def _options() -> Iterator[Case]:
    shape = (4, 8, 16)
    for axis in (None, 0, 1, 2, -1):
        given = "None" if axis is None else str(axis)
        yield Case(
            f"tl.sum, keep_dims, axis {axis}",
            f"tl.sum(x, {given}, keep_dims=True)",
            {"x": draw("int32", shape)},
            [Result("int32", lambda x, a=axis: x.sum(a, np.int32, keepdims=True))],
        )
        yield Case(
            f"x.max(), keep_dims, axis {axis}",
            f"x.max({given}, keep_dims=True)",
            {"x": draw("int32", shape)},
            [Result("int32", lambda x, a=axis: x.max(a, keepdims=True))],
        )
    for own, target in (("int8", "int64"), ("fp16", "fp32"), ("int32", "fp32"), ("fp32", "fp64")):
        yield Case(
            f"tl.sum, {own} as {target}",
            f"tl.sum(x, 1, dtype={tl_name(target)})",
            {"x": draw_whole(own, (8, 32), 90)},
            [Result(target, lambda x, t=target: convert(x, t).sum(1))],
        )
    yield Case(
        "tl.sum of sums",
        "tl.sum(tl.sum(x, 1), 0)",
        {"x": draw("int16", (16, 16))},
        [Result("int32", lambda x: x.sum(None, np.int32))],
    )
    yield Case(
        "x - tl.max(x, 1)[:, None]",
        "x - tl.max(x, 1)[:, None]",
        {"x": draw_from("fp32", (8, 32), -9, 9)},
        [Result("fp32", lambda x: x - x.max(1, keepdims=True))],
    )


def _own_functions() -> Iterator[Case]:
    yield Case(
        "tl.reduce by a helper",
        "tl.reduce(x, 1, larger)",
        {"x": draw("int32", (8, 64))},
        [Result("int32", lambda x: x.max(1))],
    )
    yield Case(
        "tl.reduce of two tiles",
        "tl.reduce((x, y), 0, add_both)",
        {"x": draw("int32", (16, 32)), "y": draw("int64", (16, 32))},
        [
            Result("int32", lambda x, y: x.sum(0, np.int32)),
            Result("int64", lambda x, y: y.sum(0)),
        ],
    )
    yield Case(
        "x.reduce, keep_dims",
        "x.reduce(0, larger, keep_dims=True)",
        {"x": draw("int8", (16, 32))},
        [Result("int8", lambda x: x.max(0, keepdims=True))],
    )
