"""Functions by the names that CUDA's libdevice has for them.

Those that begin with ``fast_`` may be approximations; here they are the functions themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilewright.language import arithmetic
from tilewright.language import math as tl_math
from tilewright.language.context import emit, word
from tilewright.language.extra import wide
from tilewright.language.extra.bessel import (
    cyl_bessel_i0 as cyl_bessel_i0,
)
from tilewright.language.extra.bessel import (
    cyl_bessel_i1 as cyl_bessel_i1,
)
from tilewright.language.extra.bessel import (
    j0 as j0,
)
from tilewright.language.extra.bessel import (
    j1 as j1,
)
from tilewright.language.extra.bessel import (
    y0 as y0,
)
from tilewright.language.extra.bessel import (
    y1 as y1,
)
from tilewright.language.extra.composed import (
    acosh as acosh,
)
from tilewright.language.extra.composed import (
    asinh as asinh,
)
from tilewright.language.extra.composed import (
    atanh as atanh,
)
from tilewright.language.extra.composed import (
    brev as brev,
)
from tilewright.language.extra.composed import (
    cbrt as cbrt,
)
from tilewright.language.extra.composed import (
    clz as clz,
)
from tilewright.language.extra.composed import (
    cosh as cosh,
)
from tilewright.language.extra.composed import (
    double_as_longlong as double_as_longlong,
)
from tilewright.language.extra.composed import (
    exp10 as exp10,
)
from tilewright.language.extra.composed import (
    fdim as fdim,
)
from tilewright.language.extra.composed import (
    ffs as ffs,
)
from tilewright.language.extra.composed import (
    float_as_int as float_as_int,
)
from tilewright.language.extra.composed import (
    float_as_uint as float_as_uint,
)
from tilewright.language.extra.composed import (
    fmod as fmod,
)
from tilewright.language.extra.composed import (
    hypot as hypot,
)
from tilewright.language.extra.composed import (
    ilogb as ilogb,
)
from tilewright.language.extra.composed import (
    int_as_float as int_as_float,
)
from tilewright.language.extra.composed import (
    ldexp as ldexp,
)
from tilewright.language.extra.composed import (
    longlong_as_double as longlong_as_double,
)
from tilewright.language.extra.composed import (
    mulhi as mulhi,
)
from tilewright.language.extra.composed import (
    nextafter as nextafter,
)
from tilewright.language.extra.composed import (
    popc as popc,
)
from tilewright.language.extra.composed import (
    saturatef as saturatef,
)
from tilewright.language.extra.composed import (
    scalbn as scalbn,
)
from tilewright.language.extra.composed import (
    signbit as signbit,
)
from tilewright.language.extra.composed import (
    sinh as sinh,
)
from tilewright.language.extra.composed import (
    uint_as_float as uint_as_float,
)
from tilewright.language.extra.doubles import (
    cospi as cospi,
)
from tilewright.language.extra.doubles import (
    norm3d as norm3d,
)
from tilewright.language.extra.doubles import (
    norm4d as norm4d,
)
from tilewright.language.extra.doubles import (
    rcbrt as rcbrt,
)
from tilewright.language.extra.doubles import (
    rhypot as rhypot,
)
from tilewright.language.extra.doubles import (
    rnorm3d as rnorm3d,
)
from tilewright.language.extra.doubles import (
    rnorm4d as rnorm4d,
)
from tilewright.language.extra.doubles import (
    sinpi as sinpi,
)
from tilewright.language.extra.doubles import (
    tgamma as tgamma,
)
from tilewright.language.extra.normal import (
    erfcinv as erfcinv,
)
from tilewright.language.extra.normal import (
    erfcx as erfcx,
)
from tilewright.language.extra.normal import (
    erfinv as erfinv,
)
from tilewright.language.extra.normal import (
    normcdf as normcdf,
)
from tilewright.language.extra.normal import (
    normcdfinv as normcdfinv,
)
from tilewright.language.extra.singles import of_either, take_float
from tilewright.language.extra.special import (
    lgamma as lgamma,
)
from tilewright.language.math import unary
from tilewright.language.operands import join_types
from tilewright.language.tensor import tensor, to_tensor
from tilewright.language.types import dtype, float32, float64, int1, int32, int64

_SINGLE = (float32,)
_BOTH = (float32, float64)


def _of_both(
    name: str, op: str, of_doubles: Callable[[tensor], tensor], what: str
) -> Callable[[Any], tensor]:
    """A word that is an op of fp32, and made of others of fp64."""

    choose = of_either(op, of_doubles)

    def function(x: Any) -> tensor:
        return choose(take_float(x, name))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{what}, of fp32 and fp64."
    return word(function)


exp = unary("exp", "math.exp", _BOTH, "e to the power of x")
exp2 = unary("exp2", "math.exp2", _BOTH, "2 to the power of x")
expm1 = _of_both("expm1", "math.expm1", wide.expm1, "e to the power of x, less 1")
log = unary("log", "math.log", _BOTH, "The natural logarithm")
log2 = unary("log2", "math.log2", _BOTH, "The logarithm to base 2")
log10 = unary("log10", "math.log10", _BOTH, "The logarithm to base 10")
log1p = _of_both("log1p", "math.log1p", wide.log1p, "The natural logarithm of 1 + x")
sin = unary("sin", "math.sin", _BOTH, "The sine")
cos = unary("cos", "math.cos", _BOTH, "The cosine")
tan = unary("tan", "math.tan", _BOTH, "The tangent")
asin = _of_both("asin", "math.asin", wide.asin, "The arc sine")
acos = _of_both("acos", "math.acos", wide.acos, "The arc cosine")
atan = _of_both("atan", "math.atan", wide.atan, "The arc tangent")
tanh = unary("tanh", "math.tanh", _BOTH, "The hyperbolic tangent")
erf = unary("erf", "math.erf", _BOTH, "The error function")
erfc = unary("erfc", "math.erfc", _SINGLE, "1 less the error function")
sqrt = unary("sqrt", "math.sqrt", _BOTH, "The square root")
rsqrt = unary("rsqrt", "math.rsqrt", _BOTH, "1 over the square root")
floor = unary("floor", "math.floor", _BOTH, "The largest whole number that is not greater")
ceil = unary("ceil", "math.ceil", _BOTH, "The least whole number that is not less")
trunc = unary("trunc", "math.trunc", _BOTH, "The number without its fraction")
round = unary("round", "math.round", _BOTH, "The nearest whole number, away from 0 in the middle")
rint = unary("rint", "math.roundeven", _BOTH, "The nearest whole number, to the even in the middle")
nearbyint = unary("nearbyint", "math.roundeven", _BOTH, "The same as rint")

fast_expf, fast_exp2f, fast_logf, fast_log2f = tl_math.exp, exp2, log, log2
fast_log10f, fast_sinf, fast_cosf, fast_tanf, fast_tanhf = log10, sin, cos, tan, tanh
abs = fabs = arithmetic.abs
fma = tl_math.fma
div_rn = fast_dividef = fdiv = tl_math.div_rn
umulhi = tl_math.umulhi


def _binary(name: str, op: str, allowed: tuple[dtype, ...], what: str) -> Callable[..., tensor]:
    def function(x: Any, y: Any) -> tensor:
        a, b = join_types(x, y, name)
        tl_math.check_type(a, allowed, name)
        return emit(op, [a, b], a.type)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{what}, of {' and '.join(str(kind) for kind in allowed)}."
    return word(function)


@word
def atan2(y: Any, x: Any) -> tensor:
    """The angle of (x, y), of fp32 and fp64."""
    a, b = join_types(y, x, "atan2")
    take_float(a, "atan2")
    return wide.atan2(a, b) if a.dtype == float64 else emit("math.atan2", [a, b], a.type)


pow = fast_powf = _binary("pow", "math.powf", _BOTH, "x to the power of y")
copysign = _binary("copysign", "math.copysign", _BOTH, "x with the sign of y")
fmax = _binary("fmax", "arith.maxnumf", _BOTH, "The greater; NaN is passed over")
fmin = _binary("fmin", "arith.minnumf", _BOTH, "The less; NaN is passed over")
mul_rn = _binary("mul_rn", "arith.mulf", _BOTH, "The product, rounded once")
add_rn = _binary("add_rn", "arith.addf", _BOTH, "The sum, rounded once")
sub_rn = _binary("sub_rn", "arith.subf", _BOTH, "The difference, rounded once")


def _question(name: str, op: str, what: str) -> Callable[[Any], tensor]:
    def function(x: Any) -> tensor:
        value = to_tensor(x)
        if not value.dtype.is_floating():
            raise TypeError(f"{name} takes floats, not {value.dtype}")
        return emit(op, [value], int1.with_shape(value.type.shape))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{what}, as int1."
    return word(function)


isnan = _question("isnan", "math.isnan", "Whether it is NaN")
isinf = _question("isinf", "math.isinf", "Whether it is an infinity")
isfinited = finitef = _question("isfinite", "math.isfinite", "Whether it is neither")


@word
def rcp_rn(x: Any) -> tensor:
    """1 / x, rounded to nearest."""
    return div_rn(1.0, x)


@word
def llround(x: Any) -> tensor:
    """The nearest whole number, away from 0 in the middle, as int64."""
    return round(x).to(int64)


@word
def llrint(x: Any) -> tensor:
    """The nearest whole number, to the even in the middle, as int64."""
    return rint(x).to(int64)


@word
def float2int_rn(x: Any) -> tensor:
    """The nearest whole number, to the even in the middle, as int32."""
    return rint(x).to(int32)
