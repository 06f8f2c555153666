# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of features, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

#: By the number of a feature: functions that raise where it does not work.
PROGRAMS: dict[int, list[Callable[[], None]]] = {}

SIZE = 64


def program(number: int) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """A program of a feature: a function that asserts what is right."""

    def add(function: Callable[[], None]) -> Callable[[], None]:
        PROGRAMS.setdefault(number, []).append(function)
        return function

    return add


def kernel(
    *numbers: int,
    expect: Callable[..., Any],
    dtype: Any = np.int32,
    out: Any = None,
    inputs: int = 2,
    shape: Any = SIZE,
    grid: Any = (1,),
    tolerance: float = 0,
    **constants: Any,
) -> Callable[[Any], Any]:
    """A kernel whose first parameters are inputs and the next one an output, checked with NumPy.

    `expect` takes the inputs as arrays, and gives what the output must be.
    """

    def add(function: Any) -> Any:
        def run() -> None:
            rng = np.random.default_rng(numbers[0])
            if np.dtype(dtype).kind == "f":
                arrays = [rng.uniform(0.5, 8, shape).astype(dtype) for _ in range(inputs)]
            else:
                arrays = [rng.integers(1, 100, shape).astype(dtype) for _ in range(inputs)]
            expected = np.asarray(expect(*(array.copy() for array in arrays)))
            result = np.zeros(expected.shape, out or expected.dtype)
            function[grid](*arrays, result, **constants)
            np.testing.assert_allclose(
                result.astype(np.float64), expected.astype(np.float64), rtol=tolerance
            )

        for number in numbers:
            PROGRAMS.setdefault(number, []).append(run)
        return function

    return add


def judge(number: int) -> tuple[str, list[str]]:
    """Whether a feature is "there", "partly" or "not", and what its programs ran into."""
    programs = PROGRAMS.get(number, [])
    if not programs:
        return "not", ["there is no program for it"]
    wrong = []
    for run in programs:
        try:
            run()
        except Exception as error:
            wrong.append(f"{type(error).__name__}: {str(error).strip()}")
    if not wrong:
        return "there", []
    return ("partly" if len(wrong) < len(programs) else "not"), wrong
