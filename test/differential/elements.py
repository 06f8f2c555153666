# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types: their bits, their numbers, and the one rounding into each float.

An element is held as its bits, in the low end of a uint64:

    F16.encode(numpy.array([0.1]))     # [0x2E66]: rounded once, from f64
    F16.decode(bits)                   # f64, which holds each number of each type
    I8.signed(bits), I8.unsigned(bits)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Element:
    """A type of elements: its name in the source, and its width in bits."""

    name: str
    bits: int

    @property
    def mask(self) -> int:
        return (1 << self.bits) - 1

    @property
    def is_float(self) -> bool:
        return isinstance(self, Float)

    @property
    def in_memory(self) -> bool:
        """Whether arrays may have such elements."""
        return self.is_float or (self.bits in (8, 16, 32, 64) and self is not INDEX)

    def wrap(self, bits: Array) -> Array:
        return bits & np.uint64(self.mask)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Integer(Element):
    def unsigned(self, bits: Array) -> Array:
        return bits

    def signed(self, bits: Array) -> Array:
        """The numbers as int64."""
        shift = 64 - self.bits
        high: Array = (bits << np.uint64(shift)).view(np.int64)
        return high >> np.int64(shift)

    def from_signed(self, numbers: Array) -> Array:
        return self.wrap(numbers.astype(np.int64).view(np.uint64))


@dataclass(frozen=True)
class Float(Element):
    """A float with `precision` digits, the hidden one included."""

    precision: int = 0
    # The exponents of the least normal number and of the largest number: 1.x * 2^e.
    least: int = 0
    largest: int = 0
    # f8E4M3FN has no infinity, and its largest number is not 1.11 * 2^8.
    has_infinity: bool = True
    saturates: bool = False

    @property
    def max_finite(self) -> float:
        if not self.has_infinity:
            return 448.0
        return float(np.ldexp(2.0 - 2.0 ** (1 - self.precision), self.largest))

    @property
    def sign_bit(self) -> int:
        return 1 << (self.bits - 1)

    @property
    def nan_bits(self) -> int:
        """A quiet NaN."""
        if not self.has_infinity:
            return 0x7F
        return self.infinity_bits | (1 << (self.precision - 2))

    @property
    def infinity_bits(self) -> int:
        """What stands behind the largest number."""
        return self.mask >> 1 >> (self.precision - 1) << (self.precision - 1)

    def is_nan(self, bits: Array) -> Array:
        magnitude = bits & np.uint64(self.mask >> 1)
        if not self.has_infinity:
            return magnitude == 0x7F
        return magnitude > np.uint64(self.infinity_bits)

    def decode(self, bits: Array) -> Array:
        """The numbers as f64, which is exact."""
        bits = bits.astype(np.uint64)
        if self.bits == 64:
            return bits.view(np.float64)
        magnitude = bits & np.uint64(self.mask >> 1)
        digits = self.precision - 1
        exponent = (magnitude >> np.uint64(digits)).astype(np.int64)
        fraction = (magnitude & np.uint64((1 << digits) - 1)).astype(np.float64)
        normal = exponent > 0
        scale = np.where(normal, exponent - 1, 0) + (self.least - digits)
        number = np.ldexp(fraction + np.where(normal, 2.0**digits, 0.0), scale)
        if self.has_infinity:
            number = np.where(magnitude == np.uint64(self.infinity_bits), np.inf, number)
        number = np.where(self.is_nan(bits), np.nan, number)
        return np.where(bits >> np.uint64(self.bits - 1) != 0, -number, number)

    def encode(self, numbers: Array) -> Array:
        """The bits of f64 numbers, rounded once to nearest, ties to even."""
        numbers = np.asarray(numbers, np.float64)
        if self.bits == 64:
            return numbers.view(np.uint64).copy()
        sign = np.where(np.signbit(numbers), np.uint64(self.sign_bit), np.uint64(0))
        magnitude = np.abs(numbers)
        nan = np.isnan(magnitude)
        beyond = 2.0 ** (self.largest + 1)
        finite = np.where(nan, 0.0, np.minimum(magnitude, beyond))
        digits = self.precision - 1
        # That of the unit in the last place of the result, before rounding.
        exponent = np.where(finite == 0, self.least, np.frexp(finite)[1] - 1)
        exponent = np.maximum(exponent, self.least)
        count = np.rint(np.ldexp(finite, digits - exponent)).astype(np.uint64)
        # A normal number's hidden digit adds one to the exponent field, and so does a carry.
        field = (exponent - self.least).astype(np.uint64) << np.uint64(digits)
        bits = count + field
        top = self.infinity_bits if self.has_infinity else 0x7F
        overflow = bits >= np.uint64(top)
        bits = np.where(overflow, np.uint64(top - 1 if self.saturates else top), bits)
        return np.where(nan, np.uint64(self.nan_bits), bits) | sign


def integer(bits: int) -> Integer:
    return Integer(f"i{bits}", bits)


I1, I8, I16, I32, I64 = (integer(bits) for bits in (1, 8, 16, 32, 64))
INDEX = Integer("index", 64)
F16 = Float("f16", 16, 11, -14, 15)
BF16 = Float("bf16", 16, 8, -126, 127)
F32 = Float("f32", 32, 24, -126, 127)
F64 = Float("f64", 64, 53, -1022, 1023)
E4M3 = Float("f8E4M3FN", 8, 4, -6, 8, has_infinity=False, saturates=True)
E5M2 = Float("f8E5M2", 8, 3, -14, 15, saturates=True)

FLOAT8 = (E4M3, E5M2)
FLOATS = (F16, BF16, F32, F64)
MEMORY_INTEGERS = (I8, I16, I32, I64)


def round_to_odd(integers: Array, signed: bool) -> Array:
    """Integers of 64 bits as f64 whose last digit stands for all that were cut.

    A second rounding, to a float of at most 51 digits, is then the only one.
    """
    if signed:
        negative = integers.view(np.int64) < 0
        magnitude = np.where(negative, np.uint64(0) - integers, integers)
    else:
        negative = np.zeros(integers.shape, bool)
        magnitude = integers
    # Digits beyond the 53 of f64: none, or up to 11.
    high = magnitude >> np.uint64(53)
    drop = np.zeros(integers.shape, np.uint64)
    for _ in range(11):
        drop += (high >> drop) != 0
    kept = (magnitude >> drop) << drop
    kept |= np.where(kept != magnitude, np.uint64(1) << drop, np.uint64(0))
    number = kept.astype(np.float64)
    return np.where(negative, -number, number)


def storage(element: Element) -> npt.DTypeLike:
    """What NumPy holds such elements as, for a launch."""
    natural = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
    unsigned = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
    return natural.get(element.name, unsigned[element.bits])
