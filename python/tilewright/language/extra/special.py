"""The gamma function, made of others.

The polynomials were fitted to these pieces of their functions, so that their largest relative error
is as small as it can be, and far below half a unit in the last place.
"""

from __future__ import annotations

from math import log as log_of_number
from math import pi
from typing import Any

from tilewright.language.arithmetic import abs as absolute
from tilewright.language.comparisons import where
from tilewright.language.context import word
from tilewright.language.extra.singles import polynomial, take_single
from tilewright.language.math import apply, fdiv, fma
from tilewright.language.tensor import tensor

_INFINITY = float("inf")


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
    """Its values from 0.5 on; `at_1` has the values below 1.5."""
    at_2 = (size - 2.0) * polynomial(size - 2.0, _LGAMMA_AT_2)
    at_3 = polynomial(size - 3.0, _LGAMMA_AT_3)
    inverse = fdiv(1.0, size)
    rest = inverse * polynomial(inverse * inverse, _LGAMMA_REST)
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
    at_1 = fma(distance, polynomial(distance, _LGAMMA_AT_1), 0.0)
    positive = _lgamma_of_positive(size, logarithm, at_1)
    # Euler's reflection, by how far it is to the next pole.
    away = absolute(size - apply("math.roundeven", size))
    sine = apply("math.sin", away * pi)
    reflected = apply("math.log", fdiv(pi, size * sine)) - positive
    is_pole = (away == 0.0) | (size == _INFINITY)
    beyond = where(value < 0.0, where(is_pole, _INFINITY, reflected), positive)
    return where(is_near, at_1 - logarithm, beyond)
