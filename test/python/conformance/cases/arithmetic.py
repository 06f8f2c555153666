# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators, on two of a type, on two types that meet, and on numbers."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from conformance import rules
from conformance.case import Case, Result
from conformance.rules import in_type, meet
from conformance.values import FLOATS, INTEGERS, NUMBERS, Array, draw, draw_from, draw_whole, make

SIZE = 256
Function = Callable[..., Any]
RING = {"+": operator.add, "-": operator.sub, "*": operator.mul}
COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
BITS = {"&": operator.and_, "|": operator.or_, "^": operator.xor}
SHIFTS = {"<<": rules.shift_left, ">>": rules.shift_right}
DIVISIONS = {"//": rules.divide, "%": rules.remainder}


def make_cases() -> Iterator[Case]:
    yield from _on_one_type()
    yield from _on_two_types()
    yield from _with_numbers()
    yield from _single_operands()
    yield from _choices()
    yield from _extremes()
    yield from _remainders_of_floats()


#: As div.full.f32 may be off, of an operand that in_type() has rounded.
_DIVISION_ULPS = 2.5


def _binary(
    text: str, dtype: str, function: Function, result: str, shows: str = "", ulps: float = 0
) -> Case:
    inputs = {"x": draw(dtype, SIZE, 1), "y": draw(dtype, SIZE, 2)}
    reference = in_type(result if result != "int1" else dtype, function)
    return Case(
        f"x {text} y, {dtype}",
        f"x {text} y",
        inputs,
        [Result(result, reference, ulps)],
        shows=shows,
    )


def _on_one_type() -> Iterator[Case]:
    for dtype in NUMBERS:
        for text, function in RING.items():
            yield _binary(text, dtype, function, dtype)
        for text, function in COMPARISONS.items():
            yield _binary(text, dtype, function, "int1")
    for dtype in ("int1", *INTEGERS):
        for text, function in BITS.items():
            yield _binary(text, dtype, function, dtype)
    for dtype in INTEGERS:
        for text, function in SHIFTS.items():
            yield _binary(text, dtype, function, dtype, shows="shifts beyond the width")
        for text, function in DIVISIONS.items():
            yield _binary(text, dtype, function, dtype, shows=f"{text} of integers")
        yield _binary("/", dtype, _divide_as_float32, "fp32", "/ of integers", _DIVISION_ULPS)
    for dtype in FLOATS:
        result = meet(dtype, dtype, division=True)
        ulps = 0 if result == "fp64" else _DIVISION_ULPS
        yield _binary("/", dtype, operator.truediv, result, "/", ulps)


def _divide_as_float32(x: Array, y: Array) -> Array:
    return x / y


def _on_two_types() -> Iterator[Case]:
    """Each pair of types once: the type of the result, and what the operands become in it."""
    for a, b in itertools.combinations(("int1", *NUMBERS), 2):
        result = meet(a, b)
        inputs = {"x": draw(a, SIZE, 3), "y": draw(b, SIZE, 4)}
        if result != "int1":
            reference = in_type(result, operator.sub)
            shows = "a float beside an integer" if "int" in a + b else "fp16 beside bf16"
            yield Case(
                f"x - y, {a} and {b}", "x - y", inputs, [Result(result, reference)], shows=shows
            )
        reference = in_type(result, operator.lt)
        yield Case(
            f"x < y, {a} and {b}",
            "x < y",
            inputs,
            [Result("int1", reference)],
            shows="integers with and without sign" if {a[0], b[0]} == {"i", "u"} else "",
        )
    for a, b in (("int32", "fp16"), ("fp16", "int64"), ("bf16", "fp16"), ("uint8", "bf16")):
        inputs = {"x": draw_from(a, SIZE, -90, 90, 5), "y": draw_from(b, SIZE, 1, 90, 6)}
        reference = in_type("fp32", operator.truediv)
        result = Result("fp32", reference, _DIVISION_ULPS)
        yield Case(f"x / y, {a} and {b}", "x / y", inputs, [result])
    for a, b in (("int8", "int64"), ("uint8", "uint32"), ("int16", "int32")):
        inputs = {"x": draw(a, SIZE, 5), "y": draw(b, SIZE, 6)}
        for text, function in DIVISIONS.items():
            reference = in_type(meet(a, b), function)
            yield Case(
                f"x {text} y, {a} and {b}", f"x {text} y", inputs, [Result(meet(a, b), reference)]
            )
    # The type of the left operand says whether the sign is shifted in.
    inputs = {"x": draw("int8", SIZE, 7), "y": draw_from("uint32", SIZE, 0, 40, 8)}
    yield Case("x >> y, int8 and uint32", "x >> y", inputs, [Result("uint32", _shift_signed)])


def _shift_signed(x: Array, y: Array) -> Array:
    wide = rules.shift_right(x.astype(np.int32), y.view(np.int32))
    return wide.view(np.uint32)


def _with_numbers() -> Iterator[Case]:
    """A number of Python takes the type of the tile, unless it is of a higher kind."""
    shows = "a Python number"
    for dtype in NUMBERS:
        for text, number in (("+", 3), ("*", 2), ("-", 1)):
            reference = in_type(dtype, lambda x, op=RING[text], n=number: op(x, x.dtype.type(n)))
            yield Case(
                f"x {text} {number}, {dtype}",
                f"x {text} {number}",
                {"x": draw(dtype, SIZE, 9)},
                [Result(dtype, reference)],
                shows=shows,
            )
        result = dtype if dtype in FLOATS else "fp32"
        reference = in_type(result, lambda x: 0.5 - x)
        yield Case(
            f"0.5 - x, {dtype}",
            "0.5 - x",
            {"x": draw(dtype, SIZE, 10)},
            [Result(result, reference)],
            shows=shows,
        )
    # The number is rounded to the type before: 0.1 as fp16.
    for dtype in FLOATS:
        reference = in_type(dtype, lambda x, d=dtype: x * make(d, 0.1).numbers)
        yield Case(
            f"x * 0.1, {dtype}",
            "x * 0.1",
            {"x": draw(dtype, SIZE, 11)},
            [Result(dtype, reference)],
            shows=shows,
        )
    both = {"x": draw("int1", SIZE, 12), "y": draw("int1", SIZE, 13)}
    yield Case(
        "x + y, int1",
        "x + y",
        both,
        [Result("int1", np.logical_xor)],
        shows="sums of two booleans",
    )
    inputs = {"x": draw("int1", SIZE, 12)}
    yield Case(
        "x + 5, int1",
        "x + 5",
        inputs,
        [Result("int32", in_type("int32", lambda x: x + np.int32(5)))],
    )
    yield Case(
        "x + True, int8",
        "x + True",
        {"x": draw("int8", SIZE, 12)},
        [Result("int8", lambda x: x + np.int8(1))],
    )
    # Numbers that are constants of a kernel are Python's own.
    whole = {"x": draw("int32", SIZE, 13)}
    yield Case(
        "constants floor",
        "x * 0 + (-7 // 2) * 10 + (-7 % 3)",
        whole,
        [Result("int32", lambda x: x * 0 - 40 + 2)],
        shows="// and % of constants",
    )
    yield Case(
        "large constants",
        "x.to(tl.int64) + 0x123456789A",
        whole,
        [Result("int64", lambda x: x.astype(np.int64) + 0x123456789A)],
    )
    yield Case(
        "a number beside a boolean has the type that it has alone",
        "(x < 0) + 2147483648",
        whole,
        [Result("uint32", lambda x: (x < 0) + np.uint32(2**31))],
    )


def _single_operands() -> Iterator[Case]:
    for dtype in NUMBERS:
        yield Case(
            f"-x, {dtype}", "-x", {"x": draw(dtype, SIZE, 14)}, [Result(dtype, lambda x: -x)]
        )
        yield Case(
            f"tl.abs, {dtype}", "tl.abs(x)", {"x": draw(dtype, SIZE, 15)}, [Result(dtype, np.abs)]
        )
        yield Case(
            f"not x, {dtype}",
            "not x",
            {"x": draw(dtype, SIZE, 16)},
            [Result("int1", lambda x: x == 0)],
        )
    for dtype in ("int1", *INTEGERS):
        yield Case(
            f"~x, {dtype}", "~x", {"x": draw(dtype, SIZE, 17)}, [Result(dtype, lambda x: ~x)]
        )
    for dtype in ("int1", "int8", "fp32"):
        inputs = {"x": draw(dtype, SIZE, 18), "y": draw(dtype, SIZE, 19)}
        for word, function in (("and", np.logical_and), ("or", np.logical_or)):
            yield Case(f"x {word} y, {dtype}", f"x {word} y", inputs, [Result("int1", function)])
            yield Case(
                f"tl.logical_{word}, {dtype}",
                f"tl.logical_{word}(x, y)",
                inputs,
                [Result("int1", function)],
            )


def _choices() -> Iterator[Case]:
    for dtype in ("int1", *NUMBERS, "fp8e4nv", "fp8e5"):
        # Infinities of fp8e5 are no numbers that a reference could round to.
        fill = draw_whole if dtype.startswith("fp8") else draw
        inputs = {"c": draw("int1", SIZE), "x": fill(dtype, SIZE, 20), "y": fill(dtype, SIZE, 21)}
        yield Case(f"tl.where, {dtype}", "tl.where(c, x, y)", inputs, [Result(dtype, np.where)])
    inputs = {"c": draw("int8", SIZE), "x": draw("fp16", SIZE, 20)}
    yield Case(
        "tl.where of an integer",
        "tl.where(c, x, 0.0)",
        inputs,
        [Result("fp16", lambda c, x: np.where(c != 0, x, 0.0))],
    )
    inputs = {"c": draw("int1", SIZE)}
    yield Case(
        "tl.where of numbers",
        "tl.where(c, 1, 2.5)",
        inputs,
        [Result("fp32", lambda c: np.where(c, 1, 2.5))],
    )
    inputs = {"c": draw("int1", (16, 1)), "x": draw("int32", (1, 32)), "y": draw("int64", (16, 32))}
    yield Case("tl.where broadcasts", "tl.where(c, x, y)", inputs, [Result("int64", np.where)])


def _extremes() -> Iterator[Case]:
    for dtype in NUMBERS:
        inputs = {"x": draw(dtype, SIZE, 22), "y": draw(dtype, SIZE, 23)}
        result = "fp32" if dtype == "bf16" else dtype
        for word, function in (("maximum", rules.greater_of), ("minimum", rules.less_of)):
            yield Case(
                f"tl.{word}, {dtype}",
                f"tl.{word}(x, y)",
                inputs,
                [Result(result, function)],
                shows="NaN in maximum and minimum",
            )
            if dtype in FLOATS:
                reference = _propagating(function)
                yield Case(
                    f"tl.{word}, NaN propagates, {dtype}",
                    f"tl.{word}(x, y, propagate_nan=tl.PropagateNan.ALL)",
                    inputs,
                    [Result(result, reference)],
                )
    shows = "a number in maximum and minimum"
    yield Case(
        "tl.maximum of fp16 and a number",
        "tl.maximum(x, 1.0)",
        {"x": draw("fp16", SIZE)},
        [Result("fp32", lambda x: rules.greater_of(x, np.ones_like(x)))],
        shows=shows,
    )
    yield Case(
        "tl.minimum of int8 and a number",
        "tl.minimum(x, 1000)",
        {"x": draw("int8", SIZE)},
        [Result("int32", lambda x: x.astype(np.int32))],
        shows=shows,
    )
    yield Case(
        "max of Python",
        "max(x, 7, y)",
        {"x": draw("int32", SIZE), "y": draw("int32", SIZE, 1)},
        [Result("int32", lambda x, y: np.maximum(np.maximum(x, 7), y))],
    )
    for dtype in FLOATS:
        yield Case(
            f"tl.clamp, {dtype}",
            "tl.clamp(x, -1.5, 2.0)",
            {"x": draw(dtype, SIZE, 24)},
            [Result("fp32" if dtype == "bf16" else meet(dtype, "fp32"), _clamp)],
        )
    yield Case(
        "tl.clamp of integers by a float",
        "tl.clamp(x, -3, 2.5)",
        {"x": draw("int32", SIZE)},
        [Result("fp32", lambda x: np.clip(x.astype(np.float32), np.float32(-3), np.float32(2.5)))],
    )


def _clamp(x: Array) -> Array:
    low, high = np.full_like(x, -1.5), np.full_like(x, 2.0)
    return rules.less_of(rules.greater_of(x, low), high)


def _propagating(function: Function) -> Function:
    return lambda x, y: rules.or_nan(x, y, function(x, y))


def _remainders_of_floats() -> Iterator[Case]:
    for dtype in FLOATS:
        result = meet(dtype, dtype, division=True)
        inputs = {"x": draw_from(dtype, SIZE, -1e4, 1e4), "y": draw_from(dtype, SIZE, -50, 50, 1)}
        yield Case(
            f"x % y, {dtype}", "x % y", inputs, [Result(result, np.fmod)], shows="% of floats"
        )
        inf, nan = np.inf, np.nan
        inputs = {
            "x": make(dtype, [5, -5, 5, -5, 6, -6, 0.0, -0.0, inf, 1, 1, nan, inf, -7, 0.5, 4]),
            "y": make(dtype, [3, 3, -3, -3, 3, 3, 3, 3, 3, inf, -inf, 3, inf, inf, 0, nan]),
        }
        yield Case(
            f"x % y, special, {dtype}",
            "x % y",
            inputs,
            [Result(result, np.fmod)],
            shows="% of floats",
        )
