# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of math that are held to a bound in units in the last place.

The reference is of f64 (of f64's own functions: of NumPy's longer type), so that what it loses is
nothing beside the bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from differential.elements import BF16, F16, F32, F64, Array, Float


@dataclass(frozen=True)
class Function:
    compute: Callable[..., Array]
    # In f32, as docs/math.md says.
    ulps: float
    operands: int = 1
    elements: tuple[Float, ...] = (F16, BF16, F32)


def _rsqrt(x: Array) -> Array:
    return (1 / np.sqrt(x.astype(np.longdouble))).astype(np.float64)


FUNCTIONS: dict[str, Function] = {
    "math.exp": Function(np.exp, 4),
    "math.exp2": Function(np.exp2, 2),
    "math.expm1": Function(np.expm1, 2),
    "math.log": Function(np.log, 1),
    "math.log2": Function(np.log2, 1),
    "math.log10": Function(np.log10, 2),
    "math.log1p": Function(np.log1p, 2),
    "math.sin": Function(np.sin, 3),
    "math.cos": Function(np.cos, 3),
    "math.tan": Function(np.tan, 5),
    "math.tanh": Function(np.tanh, 3),
    "math.atan": Function(np.arctan, 2),
    "math.atan2": Function(np.arctan2, 2, operands=2),
    "math.asin": Function(np.arcsin, 3),
    "math.acos": Function(np.arccos, 2),
    "math.erf": Function(np.vectorize(math.erf, otypes=[np.float64]), 2),
    "math.erfc": Function(np.vectorize(math.erfc, otypes=[np.float64]), 5),
    "math.powf": Function(np.power, 1.25, operands=2),
    "math.rsqrt": Function(_rsqrt, 2, elements=(F16, BF16, F32, F64)),
}


def bound_of(name: str, element: Float) -> float:
    """The narrower types are computed in f32 and rounded once more; f64 has two roundings."""
    if element == F64:
        return 1.5
    return FUNCTIONS[name].ulps if element == F32 else 0.501


def within(element: Float, bits: Array, reference: Array, ulps: Array) -> Array:
    """Whether results lie within so many units in the last place of a reference."""
    got = element.decode(bits)
    beyond = 2.0 ** (element.largest + 1) if element != F64 else np.inf
    clipped, value = np.clip(reference, -beyond, beyond), np.clip(got, -beyond, beyond)
    with np.errstate(invalid="ignore"):
        exponent = np.where(reference == 0, element.least, np.frexp(clipped)[1] - 1)
        exponent = np.clip(exponent, element.least, element.largest)
        unit = np.ldexp(1.0, exponent - element.precision + 1)
        near = (np.abs(value - clipped) <= ulps * unit) | (value == clipped)
    # A zero of the reference has its sign.
    near &= (reference != 0) | (got != 0) | (np.signbit(got) == np.signbit(reference))
    return np.where(np.isnan(reference), np.isnan(got), near)
