# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomic words: what they leave in memory, and what they give."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from conformance import rules
from conformance.case import Case, Result
from conformance.values import Array, Values, draw, draw_whole, is_float, make

SIZE = 64
#: Words, what they make of two numbers, the types.
INTEGERS = ("int32", "uint32", "int64", "uint64")
UPDATES: tuple[tuple[str, Callable[[Array, Array], Array], tuple[str, ...]], ...] = (
    ("add", np.add, (*INTEGERS, "fp16", "bf16", "fp32", "fp64")),
    ("max", np.maximum, (*INTEGERS, "fp32", "fp64")),
    ("min", np.minimum, (*INTEGERS, "fp32", "fp64")),
    ("and", np.bitwise_and, INTEGERS),
    ("or", np.bitwise_or, INTEGERS),
    ("xor", np.bitwise_xor, INTEGERS),
    ("xchg", lambda old, new: new, (*INTEGERS, "fp32", "fp64")),
)


def _data(dtype: str, seed: int) -> Values:
    return draw_whole(dtype, SIZE, 90, seed) if is_float(dtype) else draw(dtype, SIZE, seed)


def make_cases() -> Iterator[Case]:
    for word, function, types in UPDATES:
        for dtype in types:
            yield from _update(word, function, dtype)
    yield from _one_address()
    yield from _exchanges()
    yield from _options()


def _read_back(code: str) -> str:
    """What an atomic gives, and what memory holds after it."""
    return (
        f"i = tl.arange(0, {SIZE})\n{code}\n"
        f"tl.debug_barrier()\nz = (old, tl.load(x + i))"
    )  # fmt: skip


def _update(word: str, function: Callable[..., Any], dtype: str) -> Iterator[Case]:
    inputs = {"x": _data(dtype, 1), "y": _data(dtype, 2)}
    yield Case(
        f"tl.atomic_{word}, {dtype}",
        _read_back(f"old = tl.atomic_{word}(x + i, tl.load(y + i))"),
        inputs,
        [Result(dtype, lambda x, y: x), Result(dtype, lambda x, y: function(x, y))],
        raw=True,
    )
    inside = np.arange(SIZE) % 3 == 0
    yield Case(
        f"tl.atomic_{word} with a mask, {dtype}",
        _read_back(
            f"old = tl.atomic_{word}(x + i, tl.load(y + i), mask=i % 3 == 0)\n"
            "old = tl.where(i % 3 == 0, old, 0)"
        ),
        inputs,
        [
            Result(dtype, lambda x, y: np.where(inside, x, np.zeros_like(x))),
            Result(dtype, lambda x, y: np.where(inside, function(x, y), x)),
        ],
        raw=True,
    )


def _one_address() -> Iterator[Case]:
    """All threads at a few places: sums of whole numbers do not depend on the order."""
    for dtype in (*INTEGERS, "fp32", "fp64"):
        yield Case(
            f"tl.atomic_add at four places, {dtype}",
            "i = tl.arange(0, 256)\n"
            "tl.atomic_add(x + i % 4, tl.load(y + i))\n"
            "tl.debug_barrier()\n"
            "z = tl.load(x + tl.arange(0, 4))",
            {"x": draw_whole(dtype, 4, 9), "y": draw_whole(dtype, 256, 9, 1)},
            [Result(dtype, lambda x, y: x + y.reshape(64, 4).sum(0, y.dtype))],
            raw=True,
        )
    yield Case(
        "tl.atomic_add of a number at one place",
        "old = tl.atomic_add(x, 2)\n"
        "tl.debug_barrier()\n"
        "z = (old + tl.zeros([1], tl.int32), tl.load(x + tl.arange(0, 1)))",
        {"x": make("int32", [5])},
        [Result("int32", lambda x: x), Result("int32", lambda x: x + np.int32(2))],
        raw=True,
    )


def _exchanges() -> Iterator[Case]:
    for dtype in ("int32", "int64", "uint32"):
        same = np.arange(SIZE) % 2 == 0
        values = draw(dtype, SIZE, 1)
        guess = Values(dtype, np.where(same, values.bits, values.bits ^ np.uint64(1)))
        yield Case(
            f"tl.atomic_cas, {dtype}",
            _read_back("old = tl.atomic_cas(x + i, tl.load(g + i), tl.load(y + i))"),
            {"x": values, "g": guess, "y": draw(dtype, SIZE, 2)},
            [
                Result(dtype, lambda x, g, y: x),
                Result(dtype, lambda x, g, y: np.where(x == g, y, x)),
            ],
            raw=True,
        )


def _options() -> Iterator[Case]:
    inputs = {"x": _data("int32", 3)}
    for options in (
        'sem="relaxed"',
        'sem="acquire", scope="cta"',
        'sem="release", scope="gpu"',
        'sem="acq_rel", scope="sys"',
        "sem=None, scope=None",
    ):
        yield Case(
            f"tl.atomic_add, {options}",
            _read_back(f"old = tl.atomic_add(x + i, 3, {options})"),
            inputs,
            [Result("int32", lambda x: x), Result("int32", lambda x: x + np.int32(3))],
            raw=True,
        )
    yield Case(
        "the value is cast",
        _read_back("old = tl.atomic_add(x + i, i.to(tl.float32) / 2)"),
        inputs,
        [
            Result("int32", lambda x: x),
            Result("int32", lambda x: x + np.arange(SIZE, dtype=np.int32) // np.int32(2)),
        ],
        raw=True,
    )
    numbers = {"x": make("fp32", [1.0, -0.0, np.inf, 5.0]), "y": make("fp32", [2.0, 0.0, 7, -5.0])}
    yield Case(
        "tl.atomic_max of special floats",
        "i = tl.arange(0, 4)\n"
        "tl.atomic_max(x + i, tl.load(y + i))\n"
        "tl.debug_barrier()\n"
        "z = tl.load(x + i)",
        numbers,
        [Result("fp32", rules.greater_of)],
        raw=True,
    )
