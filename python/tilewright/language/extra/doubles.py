"""Functions of fp32 that are computed in fp64, and rounded once.

Squares of fp32 are exact there, and no sum of them is too large.
"""

from __future__ import annotations

from math import e, pi
from typing import Any

from tilewright.language.arithmetic import abs as absolute
from tilewright.language.arithmetic import maximum, minimum
from tilewright.language.casts import convert
from tilewright.language.comparisons import where
from tilewright.language.context import constant, emit, word
from tilewright.language.extra.singles import take_single, with_sign
from tilewright.language.math import apply
from tilewright.language.shapes import broadcast_together
from tilewright.language.tensor import tensor
from tilewright.language.types import float32, float64

_INFINITY = float("inf")
_NAN = float("nan")


def _widen(value: tensor) -> tensor:
    return convert(value, float64)


def _narrow(value: tensor) -> tensor:
    return convert(value, float32)


def _power(base: tensor, exponent: tensor) -> tensor:
    return emit("math.powf", [base, exponent], base.type)


# Lengths


def _measure(name: str, *parts: Any) -> tuple[tensor, tensor]:
    """The sum of the squares, in fp64; and whether one part is infinite."""
    values = broadcast_together(*(take_single(each, name) for each in parts))
    wide = [_widen(each) for each in values]
    squares, is_infinite = wide[0] * wide[0], absolute(values[0]) == _INFINITY
    for value, each in zip(values[1:], wide[1:], strict=True):
        squares = squares + each * each
        is_infinite = is_infinite | (absolute(value) == _INFINITY)
    return squares, is_infinite


def _length(name: str, *parts: Any) -> tensor:
    squares, is_infinite = _measure(name, *parts)
    return where(is_infinite, _INFINITY, _narrow(apply("math.sqrt", squares)))


def _inverse_length(name: str, *parts: Any) -> tensor:
    squares, is_infinite = _measure(name, *parts)
    return where(is_infinite, 0.0, _narrow(1.0 / apply("math.sqrt", squares)))


@word
def norm3d(x: Any, y: Any, z: Any) -> tensor:
    """The length of (x, y, z), of fp32."""
    return _length("norm3d", x, y, z)


@word
def norm4d(x: Any, y: Any, z: Any, w: Any) -> tensor:
    """The length of (x, y, z, w), of fp32."""
    return _length("norm4d", x, y, z, w)


@word
def rhypot(x: Any, y: Any) -> tensor:
    """1 over the length of (x, y), of fp32."""
    return _inverse_length("rhypot", x, y)


@word
def rnorm3d(x: Any, y: Any, z: Any) -> tensor:
    """1 over the length of (x, y, z), of fp32."""
    return _inverse_length("rnorm3d", x, y, z)


@word
def rnorm4d(x: Any, y: Any, z: Any, w: Any) -> tensor:
    """1 over the length of (x, y, z, w), of fp32."""
    return _inverse_length("rnorm4d", x, y, z, w)


@word
def rcbrt(x: Any) -> tensor:
    """1 over the cube root, of fp32."""
    value = take_single(x, "rcbrt")
    size = _widen(absolute(value))
    return with_sign(_narrow(_power(size, constant(-1.0 / 3.0, size.type))), value)


# Angles in half turns


def _half_turns(value: tensor) -> tensor:
    """Half turns from -1 to 1, exactly: whole turns change nothing."""
    return value - 2.0 * apply("math.roundeven", value * 0.5)


def _sine(half_turns: tensor) -> tensor:
    """The sine of not more than half a half turn to either side, in fp64."""
    return apply("math.sin", half_turns * pi)


def _sine_of_turns(value: tensor) -> tensor:
    rest = _half_turns(value)
    size = absolute(rest)
    return _sine(_widen(with_sign(where(size > 0.5, 1.0 - size, size), rest)))


@word
def sinpi(x: Any) -> tensor:
    """The sine of x times pi, of fp32; exactly 0 of whole numbers."""
    value = take_single(x, "sinpi")
    sine = _narrow(_sine_of_turns(value))
    return where(sine == 0.0, with_sign(absolute(sine), value), sine)


@word
def cospi(x: Any) -> tensor:
    """The cosine of x times pi, of fp32; exactly 0 in the middle of whole numbers."""
    return _narrow(_sine(0.5 - _widen(absolute(_half_turns(take_single(x, "cospi"))))))


# The gamma function

#: Coefficients of Stirling's series, of 1 over odd powers: Bernoulli numbers B / (n (n - 1)).
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680)
#: How far an argument is moved up to where four of them are enough.
_STEPS = 8


def _gamma(x: tensor) -> tensor:
    """The gamma function of 0.5 and more, in fp64."""
    product = x
    for step in range(1, _STEPS):
        product = product * (x + step)
    y = x + _STEPS
    inverse = 1.0 / y
    square = inverse * inverse
    series = square * _STIRLING[-1] + _STIRLING[-2]
    for each in reversed(_STIRLING[:-2]):
        series = series * square + each
    root = apply("math.sqrt", inverse * (2.0 * pi))
    power = _power(y * (1 / e), y)
    return root * power * apply("math.exp", series * inverse) / product


@word
def tgamma(x: Any) -> tensor:
    """The gamma function, of fp32; NaN of -1, -2 and so on."""
    value = take_single(x, "tgamma")
    # Beyond these it is infinite, or 0.
    wide = minimum(maximum(_widen(value), -60.0), 60.0)
    is_reflected = wide < 0.5
    positive = _gamma(where(is_reflected, 1.0 - wide, wide))
    sine = _sine_of_turns(value)
    # At 0 it has the sign of the zero.
    sine = where(value == 0.0, _widen(value), sine)
    reflected = where((value < 0.0) & (sine == 0.0), _NAN, pi / (sine * positive))
    result = _narrow(where(is_reflected, reflected, positive))
    return where((value != value) | (value == -_INFINITY), _NAN, result)
