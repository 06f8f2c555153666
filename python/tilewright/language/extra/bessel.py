"""Bessel functions.

Up to 8 they are polynomials times the distances to their zeros, each of which is two floats: so
they are as exact next to a zero as elsewhere. Beyond, they are waves that get smaller,

    J(x) = (P cos(x - a) - Q sin(x - a)) / sqrt(x),  Y(x) = (P sin(x - a) + Q cos(x - a)) / sqrt(x)

with polynomials P and Q of 1 / x, and a = pi/4 for the order 0, 3 pi/4 for the order 1: then the
sine and the cosine of a are the same but for the sign. The polynomials are fitted as those of
`special`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log as log_of_number
from math import pi
from typing import Any

from tilewright.language.arithmetic import abs as absolute
from tilewright.language.comparisons import where
from tilewright.language.context import word
from tilewright.language.extra.singles import polynomial, take_single, with_sign
from tilewright.language.math import apply, fdiv, fma, sqrt_rn
from tilewright.language.tensor import tensor

_INFINITY, _NAN = float("inf"), float("nan")

#: Of x squared, up to 16.
_I0_NEAR = (
    *(0.9999999996022194, 0.2500000043874598, 0.01562499264266495, 0.0004340322270221329),
    *(6.780415542673801e-06, 6.80069979463916e-08, 4.5560702930023637e-10, 3.025393967299465e-12),
)
#: The same, divided by x.
_I1_NEAR = (
    *(0.499999999964134, 0.06250000034803978, 0.0026041661367095675, 5.425376993220951e-05),
    *(6.780882695776398e-07, 5.6628797530162294e-09, 3.274656646482893e-11, 1.8537500712460754e-13),
)
#: Times the root of x, less 11 powers of e, of 1 / x, from 4 on.
_I0_FAR = (
    *(23886.326588555366, 2985.8179578857957, 1677.197856878178, 1760.4213977222275),
    *(7318.288363438509, -193678.3742406848, 3889792.325598092, -42120258.338775024),
    *(267891509.48302114, -969555587.9578236, 1842862630.5803027, -1434055154.1904483),
)
_I1_FAR = (
    *(23886.326600840806, -8957.331353194075, -2807.885373401261, -1731.710797203589),
    *(-33665.81354612739, 731567.5567153497, -11164455.55903372, 106970504.04603493),
    *(-653939535.9400678, 2485072357.4156923, -5617034502.703661, 6853536506.490514),
    -3425530647.5831842,
)
#: P, and Q times x, of 1 / x squared, from 8 on.
_P0 = (0.5641895826272658, -0.039667590838636795, 0.0625962228200062, -0.24508014834925665)
_Q0 = (
    *(-0.07052369775214697, 0.04132182261889687, -0.1277684914762983, 0.9016659308220206),
    -7.077736173191163,
)
_P1 = (0.5641895846029047, 0.06611368807926873, -0.08057693968903609, 0.29279815441096446)
_Q1 = (
    *(0.21157109361844922, -0.057850743544804954, 0.15620328516760074, -1.0438894367388718),
    8.009449963120304,
)
#: Where they are 0, up to 8 and, where the next zero is near, beyond.
_J0_ZEROS = (
    (2.404825448989868, 1.087059046e-07),
    (5.520078182220459, -7.193414833e-08),
    (8.653727531433105, 3.814779067e-07),
)
_J1_ZEROS = ((3.8317060470581055, -7.685059315e-08), (7.015586853027344, -1.832117250e-07))
_Y0_ZEROS = (
    (0.893576979637146, -1.335797847e-08),
    (3.9576783180236816, 1.012911762e-07),
    (7.086050987243652, 7.305812035e-08),
)
_Y1_ZEROS = ((2.197141408920288, -8.288927105e-08), (5.429680824279785, 2.165143500e-07))
#: J0, and J1 / x, divided by the distances to their zeros, of x squared less 8, and less 40.
_J0_A = (
    *(-5.898890643735294e-05, 1.8704573642665529e-06, -2.658998026978183e-08),
    *(2.2801662265385058e-10, -1.3375059642585364e-12, 5.769853477210453e-15),
    -1.9092461752882988e-17,
)
_J0_B = (
    *(-2.0118728808271155e-05, 7.205790423617482e-07, -1.1297455533953808e-08),
    *(1.0497284286562313e-10, -6.583085575151004e-13, 3.001835291169592e-15),
    *(-1.0455538222615125e-17, 2.894928365726326e-20, -6.351018108964004e-23),
)
_J1_A = (
    *(0.0005137235089936824, -1.9471787422952594e-05, 3.235109580629771e-07),
    *(-3.184282702371174e-09, 2.1127500728515488e-11, -1.018748142621546e-13),
    3.7261651380110755e-16,
)
_J1_B = (
    *(0.00013666474789777433, -6.2457661974136745e-06, 1.1946680283537387e-07),
    *(-1.3124950611009312e-09, 9.510421955043145e-12, -4.923337912094297e-14),
    *(1.9201948741885592e-16, -5.891160870288721e-19, 1.406903740836997e-21),
)
#: The first parts of the series of J0, of x squared, up to 1.
_J0_SERIES = (1.0, -1 / 4, 1 / 64, -1 / 2304, 1 / 147456, -1 / 14745600)
#: What Y0 has beside J0 log(x / zero) 2/pi, divided by the distance to that zero, of x squared.
_Y0_NEAR = (
    *(0.18214429521189496, -0.0167446724243818, 0.0005617927108650365, -9.894239475118565e-06),
    *(1.0757369050035277e-07, -7.487895244496015e-10),
)
#: Divided by the distance to the zero, of x less the middle of each piece.
_Y0_A = (
    *(-0.41052294807267653, 0.025740910883396396, 0.06221212297384266, -0.004963924614755),
    *(-0.0023518263383598198, 0.00012757759868131386, 5.767848119736916e-05),
    *(-4.5180441238201285e-06, -1.8671835125468284e-07, -4.4286086710683484e-08),
    *(2.0608467726979737e-08, -1.2454657701308555e-08, 3.300391454931522e-09),
)
_Y0_B = (
    *(0.3016925556499058, 0.011887995615823904, -0.04985071206718152, 0.0002705148058703776),
    *(0.0023313122881683983, -4.275306045115787e-05, -5.036905361645424e-05),
    *(1.0034330572831074e-06, 6.211952687698664e-07),
)
#: What Y1 has beside (J1 log(x) - 1 / x) 2/pi, divided by x, of x squared; and pieces as of Y0.
_Y1_NEAR = (
    *(-0.19605709064123744, 0.05434868801686446, -0.002955304647613382, 7.16414567942804e-05),
    *(-9.916654136689061e-07, 8.546059211983504e-09),
)
_Y1_A = (
    *(0.48180273677217494, -0.13900751441764214, -0.033740894177709625, 0.0022841140427488247),
    *(0.004575866141197291, -0.0013598636909815586, 0.000406767482820419, -0.00017781699719530175),
    *(7.474854007451543e-05, -2.748541909632525e-05, 9.87323570904609e-06, -5.832569713774302e-06),
    *(3.321725646399823e-06, -7.890698672690324e-07),
)
_Y1_B = (
    *(-0.3167085492578005, 0.07350829663952621, 0.042968701044332466, -0.007649997903396718),
    *(-0.00171162670206428, 0.00025627570954224715, 3.472914424431528e-05, -4.574489736014427e-06),
    *(-3.997267739193212e-07, 4.6271362411954064e-08, 3.6073505423363893e-09),
    -4.238812294978905e-10,
)


def _minus(size: tensor, zero: tuple[float, float]) -> tensor:
    """How far it is beyond a zero, the sum of two floats."""
    return (size - zero[0]) - zero[1]


def _distances(size: tensor, *zeros: tuple[float, float]) -> tensor:
    """The product of x * x - zero * zero of them all."""
    result, *others = (_minus(size, zero) * (size + zero[0]) for zero in zeros)
    for each in others:
        result = result * each
    return result


def _wave(size: tensor, p: Sequence[float], q: Sequence[float], turns: bool) -> tensor:
    """P cos(x - pi/4) - Q sin(x - pi/4), or with sine and -cosine, divided by the root of x."""
    inverse = fdiv(1.0, size)
    square = inverse * inverse
    even, odd = polynomial(square, p), polynomial(square, q) * inverse
    sine, cosine = apply("math.sin", size), apply("math.cos", size)
    plus, minus = sine + cosine, sine - cosine
    wave = fma(even, minus, odd * plus) if turns else fma(even, plus, -(odd * minus))
    return where(size == _INFINITY, 0.0, fdiv(wave, sqrt_rn(size)))


def _by_parts(size: tensor, ends: Sequence[float], parts: Sequence[tensor]) -> tensor:
    """The first part up to the first end, and so on."""
    result = parts[-1]
    for end, part in reversed(list(zip(ends, parts[:-1], strict=True))):
        result = where(size < end, part, result)
    return result


def _j0_near(size: tensor) -> tensor:
    square = size * size
    low, high = polynomial(square - 8.0, _J0_A), polynomial(square - 40.0, _J0_B)
    result = _distances(size, *_J0_ZEROS) * where(square < 16.0, low, high)
    # So that it is 1 at 0.
    return where(square < 1.0, polynomial(square, _J0_SERIES), result)


def _j1_near(size: tensor) -> tensor:
    square = size * size
    low, high = polynomial(square - 8.0, _J1_A), polynomial(square - 40.0, _J1_B)
    return size * (_distances(size, *_J1_ZEROS) * where(square < 16.0, low, high))


@word
def j0(x: Any) -> tensor:
    """The Bessel function of the first kind of order 0, of fp32."""
    size = absolute(take_single(x, "j0"))
    return where(size < 8.0, _j0_near(size), _wave(size, _P0, _Q0, turns=False))


@word
def j1(x: Any) -> tensor:
    """The Bessel function of the first kind of order 1, of fp32."""
    value = take_single(x, "j1")
    size = absolute(value)
    far = _wave(size, _P1, _Q1, turns=True)
    result = where(size < 8.0, _j1_near(size), far)
    return where(value < 0.0, -result, where(value == 0.0, value, result))


@word
def y0(x: Any) -> tensor:
    """The Bessel function of the second kind of order 0, of fp32; NaN below 0."""
    value = take_single(x, "y0")
    first, second, third = _Y0_ZEROS
    away = _minus(value, first)
    logarithm = where(
        value < 0.5,
        apply("math.log", value) - log_of_number(first[0]),
        apply("math.log1p", away * (1.0 / first[0])),
    )
    rest = away * (value + first[0]) * polynomial(value * value, _Y0_NEAR)
    near = fma(logarithm * (2.0 / pi), _j0_near(value), rest)
    low = _minus(value, second) * polynomial(value - 3.75, _Y0_A)
    high = _minus(value, third) * polynomial(value - 6.75, _Y0_B)
    far = _wave(value, _P0, _Q0, turns=True)
    result = _by_parts(value, (2.0, 5.5, 8.0), (near, low, high, far))
    return where(value < 0.0, _NAN, where(value == 0.0, -_INFINITY, result))


@word
def y1(x: Any) -> tensor:
    """The Bessel function of the second kind of order 1, of fp32; NaN below 0."""
    value = take_single(x, "y1")
    first, second = _Y1_ZEROS
    rest = value * polynomial(value * value, _Y1_NEAR)
    curved = fma(apply("math.log", value) * (2.0 / pi), _j1_near(value), rest)
    # Not 2/pi times 1 / x, which is infinite where this is not.
    near = curved - fdiv(2.0 / pi, value)
    low = _minus(value, first) * polynomial(value - 2.5, _Y1_A)
    high = _minus(value, second) * polynomial(value - 5.875, _Y1_B)
    far = 0.0 - _wave(value, _P1, _Q1, turns=False)
    result = _by_parts(value, (1.5, 3.75, 8.0), (near, low, high, far))
    return where(value < 0.0, _NAN, where(value == 0.0, -_INFINITY, result))


def _grown(size: tensor, coefficients: Sequence[float]) -> tensor:
    """The power of e, of which a part is in the polynomial: it would be infinite too soon."""
    inverse = fdiv(1.0, size)
    scale = fdiv(polynomial(inverse, coefficients), sqrt_rn(size))
    power = apply("math.exp", size - 11.0)
    return where(size == _INFINITY, _INFINITY, power * scale)


@word
def cyl_bessel_i0(x: Any) -> tensor:
    """The modified Bessel function of the first kind of order 0, of fp32."""
    size = absolute(take_single(x, "cyl_bessel_i0"))
    return where(size < 4.0, polynomial(size * size, _I0_NEAR), _grown(size, _I0_FAR))


@word
def cyl_bessel_i1(x: Any) -> tensor:
    """The modified Bessel function of the first kind of order 1, of fp32."""
    value = take_single(x, "cyl_bessel_i1")
    size = absolute(value)
    near = size * polynomial(size * size, _I1_NEAR)
    return with_sign(where(size < 4.0, near, _grown(size, _I1_FAR)), value)
