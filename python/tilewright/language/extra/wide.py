"""Functions of fp64 that are no ops, made of those that are.

How exact they are stands in `docs/math.md`.
"""

from __future__ import annotations

from math import factorial, pi

from tilewright.language.arithmetic import abs as absolute
from tilewright.language.arithmetic import maximum, minimum
from tilewright.language.casts import convert, convert_bits
from tilewright.language.comparisons import where
from tilewright.language.extra.singles import polynomial, with_sign
from tilewright.language.math import apply, fdiv, fma, sqrt_rn
from tilewright.language.tensor import tensor
from tilewright.language.types import float32, float64, int64

_INFINITY, _NAN = float("inf"), float("nan")
#: What a number has less of pi than pi.
_PI_REST = 1.2246467991473532e-16
#: Terms behind the first two, of which no angle up to pi / 4 needs more.
_SINES = [(-1) ** n / factorial(2 * n + 1) for n in range(1, 9)]
_COSINES = [(-1) ** n / factorial(2 * n) for n in range(1, 10)]


def log1p(x: tensor) -> tensor:
    """The logarithm of the rounded sum, and what the sum lacks."""
    above = x + 1.0
    lacks = x - (above - 1.0)
    result = apply("math.log", above) + fdiv(lacks, above)
    result = where((above == 0.0) | (above == _INFINITY), apply("math.log", above), result)
    return where(x == 0.0, x, result)


def expm1(x: tensor) -> tensor:
    """Near 0 the power rounds to that of another number, whose logarithm says by how much."""
    power = apply("math.exp", x)
    near = fdiv((power - 1.0) * x, apply("math.log", power))
    near = where(power == 1.0, x, near)
    return where(absolute(x) < 0.6875, near, power - 1.0)


def _atan_of_fraction(x: tensor) -> tensor:
    """Of 0 to 1: by the nearest that fp32 has, and the tangent of what that lacks."""
    angle = convert(apply("math.atan", convert(x, float32)), float64)
    square = angle * angle
    sine = fma(angle * square, polynomial(square, _SINES), angle)
    cosine = fma(square, polynomial(square, _COSINES), 1.0)
    return angle + fdiv(fma(x, cosine, -sine), fma(x, sine, cosine))


def _less(angle: tensor, turns: float) -> tensor:
    """That many half turns less the angle."""
    return (turns * pi - angle) + turns * _PI_REST


def atan(x: tensor) -> tensor:
    size = absolute(x)
    angle = _atan_of_fraction(where(size > 1.0, fdiv(1.0, size), size))
    return with_sign(where(size > 1.0, _less(angle, 0.5), angle), x)


def atan2(y: tensor, x: tensor) -> tensor:
    height, width = absolute(y), absolute(x)
    large, small = maximum(height, width), minimum(height, width)
    fraction = where(large == 0.0, 0.0, where(small == _INFINITY, 1.0, fdiv(small, large)))
    angle = _atan_of_fraction(fraction)
    angle = where(height > width, _less(angle, 0.5), angle)
    angle = where(convert_bits(x, int64) < 0, _less(angle, 1.0), angle)
    return where((x != x) | (y != y), _NAN, with_sign(angle, y))


def asin(x: tensor) -> tensor:
    return atan2(x, sqrt_rn((1.0 - x) * (1.0 + x)))


def acos(x: tensor) -> tensor:
    return 2.0 * atan2(sqrt_rn(1.0 - x), sqrt_rn(1.0 + x))
