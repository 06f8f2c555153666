"""Functions of statistics that are made of others.

The polynomials were fitted to these pieces of their functions, so that their largest relative error
is as small as it can be, and far below half a unit in the last place.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log as log_of_number
from math import pi
from typing import Any

from tilewright.language.arithmetic import abs as absolute
from tilewright.language.comparisons import where
from tilewright.language.context import word
from tilewright.language.extra.singles import apply, take_single, with_sign
from tilewright.language.math import fdiv, fma, sqrt
from tilewright.language.tensor import tensor

_INFINITY = float("inf")


def _polynomial(x: tensor, coefficients: Sequence[float]) -> tensor:
    """That of x with these coefficients, the constant one first."""
    *others, second, first = coefficients
    result = fma(x, first, second)
    for each in reversed(others):
        result = fma(result, x, each)
    return result


#: erfinv(x) / x up to 0.6, of x squared.
_ERFINV_NEAR = (
    *(0.8862269240692455, 0.23201414262878906, 0.12752941485620933, 0.08712066270278163),
    *(0.05910694867321474, 0.08367595666364583, -0.04920419197717899, 0.15821711297120628),
)
#: From there on of w = -log(1 - x * x), less 2.75, for w up to 5.
_ERFINV_MIDDLE = (
    *(1.5627896169635573, 0.24433025314516074, -0.0050360321543312485, -0.0010385687050447998),
    *(0.00020915542233834638, -9.492662590750196e-06, -2.6187945671231197e-06),
    *(4.832424110456965e-07, 3.6127818731849095e-09, -7.960643031873767e-09),
)
#: Beyond, of the square root of w, less 3.25.
_ERFINV_FAR = (
    *(3.0838855945286596, 1.0052592781156588, 0.005371981741589775, -0.0037570884662100007),
    *(0.002479768169560851, -0.0016580859282982214, 0.000999136668639746),
    *(-0.0004144650882700786, -5.1882497134063206e-05, 0.00011414606726291572),
)


@word
def erfinv(x: Any) -> tensor:
    """The inverse of the error function, of fp32; NaN beyond 1."""
    value = take_single(x, "erfinv")
    size = absolute(value)
    near = value * _polynomial(value * value, _ERFINV_NEAR)
    w = -apply("math.log", fma(-size, size, 1.0))
    middle = _polynomial(w - 2.75, _ERFINV_MIDDLE)
    far = _polynomial(sqrt(w) - 3.25, _ERFINV_FAR)
    curved = where(size == 1.0, _INFINITY, size * where(w < 5.0, middle, far))
    return where(size <= 0.6, near, with_sign(curved, value))


#: lgamma(1 + t) / t, for t from -0.5 to 0.5.
_LGAMMA_AT_1 = (
    *(-0.5772156636699072, 0.8224669105413684, -0.40068586617637447, 0.27059442373611864),
    *(-0.20738238564545422, 0.16913114971549992, -0.1439188769653474, 0.13112768679363954),
    *(-0.11455252522216533, 0.06517627793602394, -0.06543705948948635, 0.17993785030532114),
    -0.15786304822343925,
)
#: lgamma(2 + t) / t, for t from -0.5 to 1.
_LGAMMA_AT_2 = (
    *(0.4227843368637652, 0.3224670187193606, -0.06735248601584354, 0.020581319583544165),
    *(-0.007382757842525094, 0.0028842521236941724, -0.0012045176596759803),
    *(0.0005413139085642606, -0.00022089351201589916, 4.959782884905753e-05),
)
#: lgamma(3 + t), for t from 0 to 5.
_LGAMMA_AT_3 = (
    *(0.6931471784413081, 0.9227845116292097, 0.19746472364474232, -0.025674186888795514),
    *(0.0049269737228589796, -0.0010926598135174534, 0.0002450067956174985, -4.906905701745699e-05),
    *(7.807182204981432e-06, -8.81003380222645e-07, 6.108330175418904e-08, -1.930205874018124e-09),
)
#: lgamma(x) less Stirling's formula, times x, of 1 over the square of x, for x from 8 on.
_LGAMMA_REST = (0.08333333326550872, -0.0027776990441838885, 0.0007800723715463227)


def _lgamma_of_positive(size: tensor, logarithm: tensor, at_1: tensor) -> tensor:
    """From 0.5 on; `at_1` has the values below 1.5."""
    at_2 = (size - 2.0) * _polynomial(size - 2.0, _LGAMMA_AT_2)
    at_3 = _polynomial(size - 3.0, _LGAMMA_AT_3)
    inverse = fdiv(1.0, size)
    rest = inverse * _polynomial(inverse * inverse, _LGAMMA_REST)
    constant = 0.5 * log_of_number(2 * pi) - 0.5
    far = fma(size - 0.5, logarithm - 1.0, rest + constant)
    large = where(size < 8.0, at_3, far)
    return where(size < 1.5, at_1, where(size < 3.0, at_2, large))


@word
def lgamma(x: Any) -> tensor:
    """The logarithm of the absolute value of the gamma function, of fp32."""
    value = take_single(x, "lgamma")
    size = absolute(value)
    logarithm = apply("math.log", size)
    is_near = size < 0.5
    distance = where(is_near, value, size - 1.0)
    # So that at 1 it is 0, not -0.
    at_1 = fma(distance, _polynomial(distance, _LGAMMA_AT_1), 0.0)
    positive = _lgamma_of_positive(size, logarithm, at_1)
    # Euler's reflection, by how far it is to the next pole.
    away = absolute(size - apply("math.roundeven", size))
    sine = apply("math.sin", away * pi)
    reflected = apply("math.log", fdiv(pi, size * sine)) - positive
    is_pole = (away == 0.0) | (size == _INFINITY)
    beyond = where(value < 0.0, where(is_pole, _INFINITY, reflected), positive)
    return where(is_near, at_1 - logarithm, beyond)
