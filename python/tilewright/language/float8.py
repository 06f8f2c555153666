"""Floats of 8 bits on GPUs that have no instruction for them: casts are made of integers.

Both kinds are fp32 with fewer bits: mantissas end earlier, and exponents count from another number.
What is below the least normal number is rounded by the sum with a number so
large that its last bit is the least of theirs.
"""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.language.arithmetic import abs as absolute
from tilewright.language.arithmetic import minimum
from tilewright.language.casts import convert, convert_bits, round_to_odd
from tilewright.language.comparisons import where
from tilewright.language.tensor import tensor
from tilewright.language.types import (
    dtype,
    float8e4nv,
    float8e5,
    float32,
    float64,
    int32,
    uint8,
)

#: Of fp32.
_MANTISSA, _BIAS = 23, 127
#: NaN of both kinds, and of one all there is beyond numbers.
_NAN = 0x7F


@dataclass(frozen=True)
class _Format:
    mantissa: int
    bias: int
    largest: float
    #: The least bits that are no number.
    beyond: int

    @property
    def shift(self) -> int:
        """How many bits of a mantissa are rounded off."""
        return _MANTISSA - self.mantissa

    @property
    def least(self) -> float:
        """The least normal number."""
        return 2.0 ** (1 - self.bias)


_FORMATS = {
    float8e4nv: _Format(3, 7, 448.0, _NAN),
    float8e5: _Format(2, 15, 57344.0, 0x7C),
}


def decode(value: tensor) -> tensor:
    """The numbers as fp32, which has all of them."""
    form = _FORMATS[value.dtype]
    bits = convert(convert_bits(value, uint8), int32)
    size = bits & 0x7F
    number = convert_bits(size << form.shift, float32) * 2.0 ** (_BIAS - form.bias)
    if form.beyond < _NAN:
        number = where(size == form.beyond, float("inf"), number)
        number = where(size > form.beyond, float("nan"), number)
    else:
        number = where(size == form.beyond, float("nan"), number)
    return convert_bits(convert_bits(number, int32) | ((bits & 0x80) << 24), float32)


def encode(value: tensor, target: dtype) -> tensor:
    """The nearest, of two the even one; what is too large becomes the largest number."""
    form = _FORMATS[target]
    if value.dtype == float64:
        value = round_to_odd(value, float32)
    value = convert(value, float32)
    size = minimum(absolute(value), form.largest)
    bits = convert_bits(size, int32)
    half = (1 << (form.shift - 1)) - 1
    exponents = (_BIAS - form.bias) << form.mantissa
    normal = ((bits + half + ((bits >> form.shift) & 1)) >> form.shift) - exponents
    step = form.least * 2.0 ** (_MANTISSA - form.mantissa)
    small = convert_bits(size + step, int32) & (2 ** (form.mantissa + 1) - 1)
    result = where(size < form.least, small, normal)
    result = result | ((convert_bits(value, int32) >> 24) & 0x80)
    result = where(value != value, _NAN, result)
    return convert_bits(convert(result, uint8), target)
