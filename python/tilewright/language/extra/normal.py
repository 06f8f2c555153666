"""Functions of the normal distribution, and what they are made of.

The polynomials were fitted to these pieces of their functions, so that their largest relative error
is as small as it can be, and far below half a unit in the last place.
"""

from __future__ import annotations

from math import sqrt as root_of_number
from typing import Any

from tilewright.language.arithmetic import abs as absolute
from tilewright.language.arithmetic import minimum
from tilewright.language.comparisons import where
from tilewright.language.context import word
from tilewright.language.extra.singles import polynomial, take_single, with_sign
from tilewright.language.math import apply, fdiv, fma, sqrt_rn
from tilewright.language.tensor import tensor

_INFINITY, _NAN = float("inf"), float("nan")
_ROOT_2, _HALF_ROOT_2 = root_of_number(2), root_of_number(0.5)

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
    return _invert_erf(value, -apply("math.log", fma(-value, value, 1.0)))


def _invert_erf(value: tensor, w: tensor) -> tensor:
    """The inverse of the error function where `w` is -log(1 - value * value)."""
    size = absolute(value)
    near = value * polynomial(value * value, _ERFINV_NEAR)
    middle = polynomial(w - 2.75, _ERFINV_MIDDLE)
    far = polynomial(sqrt_rn(w) - 3.25, _ERFINV_FAR)
    curved = where(size == 1.0, _INFINITY, size * where(w < 5.0, middle, far))
    return where(size <= 0.6, near, with_sign(curved, value))


#: (1 + 2 x) erfcx(x) of (x - 4) / (x + 4), for x from 0 on.
_ERFCX = (
    *(1.2329951166794488, -0.13962109081637875, 0.01537982634787304, 0.0680962632535443),
    *(-0.10104163720975286, 0.0937397044243311, -0.0663159955395701, 0.0371416145057599),
    *(-0.016236386423117772, 0.0050811058911060655, -0.0007037229454546858),
    *(-0.0002480113549053552, 0.00011238278042058373),
)
#: erfcinv(x) of the square root of -log(x (2 - x)), less 7, for it from 3.8 on.
_ERFCINV_FAR = (
    *(6.8690196471803615, 1.008595636128211, -0.000512621539813703, 6.254060671072792e-06),
    *(6.017846666956335e-06, -1.6012214425811246e-06, 3.2893395537832453e-07),
    *(-5.85906821564197e-08, 6.080522797755136e-09, -7.409472515638027e-10, 3.923914970028612e-10),
    -6.308105861732774e-11,
)


def _erfcx_of_positive(size: tensor) -> tensor:
    # So that infinity is no quotient of two.
    size = minimum(size, 2.0**60)
    ratio = fdiv(size - 4.0, size + 4.0)
    return fdiv(polynomial(ratio, _ERFCX), fma(size, 2.0, 1.0))


def _exp_of_square(size: tensor, factor: float) -> tensor:
    """The power of e by `factor` squares, of which no bits are lost; `factor` is 1 or -1/2."""
    square = size * size
    rest = fma(size, size, -square) * factor
    power = apply("math.exp", square * factor)
    # Infinity times a rest of 0 is no number.
    return where(power == _INFINITY, power, fma(power, rest, power))


@word
def erfcx(x: Any) -> tensor:
    """erfc(x) times e to the power of x squared, of fp32."""
    value = take_single(x, "erfcx")
    positive = _erfcx_of_positive(absolute(value))
    power = _exp_of_square(minimum(absolute(value), 16.0), 1.0)
    result = where(value < 0.0, fma(power, 2.0, -positive), positive)
    return where(value != value, value, where(value == _INFINITY, 0.0, result))


@word
def normcdf(x: Any) -> tensor:
    """How likely the normal distribution is to be below x, of fp32."""
    value = take_single(x, "normcdf")
    size = minimum(absolute(value), 20.0)
    power = _exp_of_square(size, -0.5)
    below = power * (0.5 * _erfcx_of_positive(size * _HALF_ROOT_2))
    result = where(value < 0.0, below, 1.0 - below)
    return where(value != value, value, result)


def _erfcinv(value: tensor) -> tensor:
    """Of what is from 0 to 2; `value` and 1 - `value`, and 2 - `value`, lose no bits then."""
    small = where(value > 1.0, 2.0 - value, value)
    w = -apply("math.log", small * (2.0 - small))
    far = where(small == 0.0, _INFINITY, polynomial(sqrt_rn(w) - 7.0, _ERFCINV_FAR))
    far = where(small < 0.0, _NAN, with_sign(far, 1.0 - value))
    return where(small < 2.0**-22, far, _invert_erf(1.0 - value, w))


@word
def erfcinv(x: Any) -> tensor:
    """The inverse of `erfc`, of fp32; NaN outside of 0 to 2."""
    return _erfcinv(take_single(x, "erfcinv"))


@word
def normcdfinv(x: Any) -> tensor:
    """The inverse of `normcdf`, of fp32; NaN outside of 0 to 1."""
    # In the middle it is 0, not -0.
    return fma(_erfcinv(take_single(x, "normcdfinv") * 2.0), -_ROOT_2, 0.0)
