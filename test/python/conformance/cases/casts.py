# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Casts from each type to each, by number and by bits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from conformance.case import Case, Result
from conformance.rules import convert
from conformance.values import (
    ALL,
    Array,
    Values,
    draw,
    float_type,
    from_numbers,
    is_float,
    tl_name,
)

SIZE = 256


def make_cases() -> Iterator[Case]:
    for own in ALL:
        for target in ALL:
            if own != target:
                yield _make_cast(own, target)
    for own in ALL:
        for target in ALL:
            if own != target and _bits(own) == _bits(target):
                yield _make_bitcast(own, target)
    for own, target in (
        ("fp32", "fp16"),
        ("fp32", "bf16"),
        ("fp64", "fp32"),
        ("fp64", "fp16"),
        ("fp16", "fp8e4nv"),
        ("fp32", "fp8e5"),
    ):
        yield Case(
            f"rounding toward zero, {own} to {target}",
            f'x.to({tl_name(target)}, fp_downcast_rounding="rtz")',
            {"x": draw(own, SIZE, 2)},
            [Result(target, lambda x, target=target: _truncate(x, target))],
        )
        yield Case(
            f"rounding to nearest by name, {own} to {target}",
            f'tl.cast(x, {tl_name(target)}, fp_downcast_rounding="rtne")',
            {"x": draw(own, SIZE, 3)},
            [Result(target, lambda x, target=target: convert(x, target))],
        )
    for rounding in ("rtne", "rtz"):
        # Where a kernel stores to arrays of several types, one may be its own.
        yield Case(
            f"rounding to its own type, {rounding}",
            f'x.to(tl.float32, fp_downcast_rounding="{rounding}")',
            {"x": draw("fp32", SIZE, 4)},
            [Result("fp32", lambda x: x)],
        )
    yield Case(
        "a cast of a number",
        "tl.full([16], 3, tl.int32) + tl.cast(7, tl.int32)",
        {},
        [Result("int32", lambda: np.full(16, 10, np.int32))],
    )
    yield Case(
        "a cast by the type itself",
        "tl.float16(x)",
        {"x": draw("fp32", SIZE)},
        [Result("fp16", lambda x: convert(x, "fp16"))],
    )
    yield Case(
        "a cast to the type of another",
        "x.to(y.dtype) + y",
        {"x": draw("int8", SIZE), "y": draw("fp64", SIZE)},
        [Result("fp64", lambda x, y: x + y)],
    )


def _bits(dtype: str) -> int:
    return int(dtype[2]) if dtype.startswith("fp8") else int(dtype.lstrip("uintfpb"))


def _make_cast(own: str, target: str) -> Case:
    shows = "out-of-range casts" if is_float(own) and not is_float(target) else ""
    if target.startswith("fp8"):
        shows = "casts to 8-bit floats"
    return Case(
        f"{own} to {target}",
        f"x.to({tl_name(target)})",
        {"x": draw(own, SIZE)},
        [Result(target, lambda x: convert(x, target))],
        shows=shows,
    )


def _make_bitcast(own: str, target: str) -> Case:
    values = draw(own, SIZE, 1)
    return Case(
        f"bits of {own} as {target}",
        f"x.to({tl_name(target)}, bitcast=True)",
        {"x": values},
        [Result(target, lambda x: Values(target, values.bits))],
    )


def _truncate(x: Array, target: str) -> Array:
    """The nearest number of the type that is no larger in size."""
    rounded = from_numbers(target, x)
    too_large = np.abs(rounded.numbers) > np.abs(x)
    assert float_type(target)
    return Values(target, rounded.bits - too_large.astype(np.uint64)).numbers
