# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a case is, and when its result is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.values import Array, Reference, Values, float_type, from_numbers, is_float

#: Numbers, or where numbers do not say it all, bits.
Expected = Array | Values


@dataclass(frozen=True)
class Result:
    """What a case gives: its type, and what NumPy computes from its inputs' numbers, in order.

    `ulps` is 0 where the bits must be equal (NaN is NaN); else the result may be so many units in
    the last place from the reference, which is not rounded. `absolute` is allowed on top, and
    `relative` times the reference.
    """

    dtype: str
    reference: Reference
    ulps: float = 0
    absolute: float = 0
    relative: float = 0

    @property
    def is_exact(self) -> bool:
        return self.ulps == self.absolute == self.relative == 0


@dataclass(frozen=True, eq=False)
class Case:
    """Words on data.

    `code` is an expression, or statements that assign `z` (several results: a tuple). Inputs are
    tiles of their names; what has no dimensions is a scalar argument of the kernel. With `raw`
    inputs are the pointers themselves.
    """

    name: str
    code: str
    inputs: Mapping[str, Values]
    results: Sequence[Result]
    raw: bool = False
    #: A row of docs/words.md that it shows.
    shows: str = ""
    #: What the message says, where the words are to be refused.
    refused: str = ""

    def compute(self) -> list[Expected]:
        """What its results must be, as numbers."""
        numbers = [values.numbers for values in self.inputs.values()]
        with np.errstate(all="ignore"):
            return [_to_array(each.reference(*numbers)) for each in self.results]


def _to_array(computed: Any) -> Expected:
    return computed if isinstance(computed, Values) else np.asarray(computed)


def _to_values(dtype: str, expected: Expected) -> Values:
    return expected if isinstance(expected, Values) else from_numbers(dtype, expected)


def find_wrong(result: Result, expected: Expected, got: Values) -> Array:
    """For each element whether it is wrong."""
    right = _to_values(result.dtype, expected)
    if not is_float(result.dtype):
        return right.bits != got.bits
    a, b = right.numbers, got.numbers
    both_nan = np.isnan(a) & np.isnan(b)
    same = right.bits == got.bits
    if result.is_exact or isinstance(expected, Values):
        return ~(same | both_nan)
    kind = float_type(result.dtype)
    exact = np.asarray(expected, np.float64)
    with np.errstate(all="ignore"):
        exponent = np.frexp(exact)[1] - 1
        unit = np.ldexp(1.0, np.maximum(exponent, kind.least) - (kind.precision - 1))
        bound = result.ulps * unit + result.absolute + result.relative * np.abs(exact)
        near = np.abs(b - exact) <= bound
        # At the end of the range either side of it is as near.
        largest = kind.max_finite
        edge = (np.abs(exact) >= largest * (1 - 2.0**-10)) & (np.abs(b) >= largest * (1 - 2.0**-10))
        edge &= np.sign(exact) == np.sign(b)
    return ~(same | both_nan | near | edge)


def describe_wrong(
    case: Case, result: Result, expected: Expected, got: Values, wrong: Array
) -> str:
    """The first of the wrong elements."""
    place = tuple(int(index[0]) for index in np.nonzero(np.atleast_1d(wrong)))
    shape = np.atleast_1d(wrong).shape
    inputs = []
    for name, values in case.inputs.items():
        numbers = values.numbers
        if numbers.shape == shape:
            inputs.append(f"{name}={numbers[place]!r}")
    want = np.atleast_1d(_to_values(result.dtype, expected).numbers)[place]
    have = np.atleast_1d(got.numbers)[place]
    where = ", ".join(map(str, place))
    return (
        f"{case.name}: {int(wrong.sum())} of {wrong.size} wrong; at [{where}] with "
        f"{' '.join(inputs) or '...'}: {have!r}, not {want!r} ({result.dtype})"
    )
