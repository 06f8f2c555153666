"""Functions of CUDA's libdevice that are made of others."""

from __future__ import annotations

from collections.abc import Callable
from math import log as log_of_number
from typing import Any

from tilewright.language.arithmetic import abs as absolute
from tilewright.language.arithmetic import maximum, minimum
from tilewright.language.casts import cast, convert, convert_bits
from tilewright.language.comparisons import where
from tilewright.language.context import constant, emit, word
from tilewright.language.extra import wide
from tilewright.language.extra.singles import of_either, take_float, take_single, with_sign
from tilewright.language.inline_asm import inline_asm_elementwise
from tilewright.language.math import apply, fdiv, fma, sqrt_rn
from tilewright.language.operands import join_types
from tilewright.language.tensor import tensor, to_tensor
from tilewright.language.types import dtype, float32, float64, int32, int64, uint32, uint64

_LN2 = log_of_number(2)
_INFINITY, _NAN = float("inf"), float("nan")
#: Beyond it the power of e may be infinite where half of it is not.
_NEARLY_INFINITE = {float32: 88.0, float64: 709.0}
#: Beyond it the square is so much greater than 1 that 1 changes nothing.
_LARGE = 2.0**30


def _take_two(x: Any, y: Any, name: str) -> tuple[tensor, tensor]:
    a, b = join_types(x, y, name)
    return take_float(a, name), take_float(b, name)


_expm1 = of_either("math.expm1", wide.expm1)
_log1p = of_either("math.log1p", wide.log1p)


def _half_square(size: tensor) -> tensor:
    """Half a power of e, by the power of half the number."""
    root = apply("math.exp", size * 0.5)
    return (root * 0.5) * root


@word
def sinh(x: Any) -> tensor:
    """The hyperbolic sine, of fp32 and fp64."""
    value = take_float(x, "sinh")
    size = absolute(value)
    power = _expm1(size)
    result = 0.5 * (power + where(power == _INFINITY, 1.0, fdiv(power, power + 1.0)))
    return with_sign(where(size > _NEARLY_INFINITE[size.dtype], _half_square(size), result), value)


@word
def cosh(x: Any) -> tensor:
    """The hyperbolic cosine, of fp32 and fp64."""
    size = absolute(take_float(x, "cosh"))
    power = _expm1(size) + 1.0
    result = 0.5 * power + fdiv(0.5, power)
    return where(size > _NEARLY_INFINITE[size.dtype], _half_square(size), result)


@word
def asinh(x: Any) -> tensor:
    """The inverse of the hyperbolic sine, of fp32 and fp64."""
    value = take_float(x, "asinh")
    size = absolute(value)
    square = size * size
    near = _log1p(size + fdiv(square, 1.0 + sqrt_rn(1.0 + square)))
    far = apply("math.log", size) + _LN2
    return with_sign(where(size > _LARGE, far, near), value)


@word
def acosh(x: Any) -> tensor:
    """The inverse of the hyperbolic cosine, of fp32 and fp64; NaN below 1."""
    value = take_float(x, "acosh")
    above = value - 1.0
    near = _log1p(above + sqrt_rn(fma(above, above, 2.0 * above)))
    far = apply("math.log", value) + _LN2
    return where(value < 1.0, _NAN, where(value > _LARGE, far, near))


@word
def atanh(x: Any) -> tensor:
    """The inverse of the hyperbolic tangent, of fp32 and fp64; NaN beyond 1."""
    value = take_float(x, "atanh")
    size = absolute(value)
    return with_sign(0.5 * _log1p(fdiv(2.0 * size, 1.0 - size)), value)


@word
def exp10(x: Any) -> tensor:
    """10 to the power of x, of fp32 and fp64."""
    value = take_float(x, "exp10")
    return emit("math.powf", [constant(10.0, value.type), value], value.type)


@word
def cbrt(x: Any) -> tensor:
    """The cube root, of fp32 and fp64."""
    value = take_float(x, "cbrt")
    # So that cubes are no subnormal numbers.
    least, shift = (2.0**-90, 96) if value.dtype == float32 else (2.0**-900, 600)
    is_small = absolute(value) < least
    size = absolute(value) * where(is_small, 2.0**shift, 1.0)
    root = apply("math.exp2", apply("math.log2", size) * (1.0 / 3.0))
    # A step of Newton's.
    square = root * root
    better = root - fdiv(fma(square, root, -size), 3.0 * square)
    is_itself = (size == 0.0) | (size == _INFINITY)
    return with_sign(
        where(is_itself, size, better) * where(is_small, 2.0 ** (-shift // 3), 1.0), value
    )


@word
def hypot(x: Any, y: Any) -> tensor:
    """The length of (x, y), of fp32 and fp64, without overflow."""
    a, b = _take_two(x, y, "hypot")
    a, b = absolute(a), absolute(b)
    large, small = maximum(a, b), minimum(a, b)
    ratio = where(large == 0.0, 0.0, fdiv(small, large))
    length = large * sqrt_rn(fma(ratio, ratio, 1.0))
    length = where((a != a) | (b != b), _NAN, length)
    return where((a == _INFINITY) | (b == _INFINITY), _INFINITY, length)


@word
def fmod(x: Any, y: Any) -> tensor:
    """The rest of x / y, with the sign of x: the same as ``x % y`` of floats."""
    a, b = join_types(x, y, "fmod")
    if not a.dtype.is_floating():
        raise TypeError(f"fmod takes floats, not {a.dtype}")
    return a % b


@word
def fdim(x: Any, y: Any) -> tensor:
    """By how much x is greater than y, else 0, of fp32 and fp64."""
    a, b = _take_two(x, y, "fdim")
    return where(a <= b, 0.0, a - b)


@word
def saturatef(x: Any) -> tensor:
    """What is nearest from 0 to 1, of fp32; NaN becomes 0."""
    return minimum(maximum(take_single(x, "saturatef"), 0.0), 1.0)


def _cast_bits(name: str, source: dtype, target: dtype) -> Callable[[Any], tensor]:
    def function(x: Any) -> tensor:
        value = to_tensor(x)
        if value.dtype != source:
            raise TypeError(f"{name} takes {source}, not {value.dtype}")
        return convert_bits(value, target)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The bits of {source} as {target}."
    return word(function)


float_as_int = _cast_bits("float_as_int", float32, int32)
float_as_uint = _cast_bits("float_as_uint", float32, uint32)
int_as_float = _cast_bits("int_as_float", int32, float32)
uint_as_float = _cast_bits("uint_as_float", uint32, float32)
double_as_longlong = _cast_bits("double_as_longlong", float64, int64)
longlong_as_double = _cast_bits("longlong_as_double", int64, float64)


@word
def signbit(x: Any) -> tensor:
    """Whether the sign is negative, that of zero and NaN too, as int32; of fp32 and fp64."""
    value = to_tensor(x)
    if value.dtype not in (float32, float64):
        raise TypeError(f"signbit takes fp32 and fp64, not {value.dtype}")
    bits = convert_bits(value, int32 if value.dtype == float32 else int64)
    return cast(bits < 0, int32)


@word
def nextafter(x: Any, y: Any) -> tensor:
    """The next float from x towards y, of fp32 and fp64."""
    a, b = _take_two(x, y, "nextafter")
    kind, least = (int32, 2.0**-149) if a.dtype == float32 else (int64, 2.0**-1074)
    bits = convert_bits(a, kind)
    moved = where((a < b) == (a > 0.0), bits + 1, bits - 1)
    moved = where(a == 0.0, convert_bits(with_sign(absolute(a) + least, b), kind), moved)
    result = where(a == b, b, convert_bits(moved, a.dtype))
    return where((a != a) | (b != b), _NAN, result)


#: The most that an exponent changes, its bias, the bits behind it, and the integer of that size.
_SINGLE, _DOUBLE = (300, 127, 23, int32), (2200, 1023, 52, int64)


def _by_a_power_of_two(name: str) -> Callable[[Any, Any], tensor]:
    def function(x: Any, n: Any) -> tensor:
        value, exponent = take_float(x, name), to_tensor(n)
        if not exponent.dtype.is_int():
            raise TypeError(f"{name} takes an integer as exponent, not {exponent.dtype}")
        most, bias, mantissa, kind = _SINGLE if value.dtype == float32 else _DOUBLE
        # A power that a float has, three times.
        rest = minimum(maximum(convert(exponent, int32), -most), most)
        for parts in (3, 2, 1):
            part = rest // parts
            value = value * convert_bits(convert(part + bias, kind) << mantissa, value.dtype)
            rest = rest - part
        return value

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "x times 2 to the power of an integer, of fp32 and fp64."
    return word(function)


ldexp, scalbn = _by_a_power_of_two("ldexp"), _by_a_power_of_two("scalbn")


@word
def ilogb(x: Any) -> tensor:
    """The exponent of a float as int32; of 0 and NaN the least integer, of infinity the largest."""
    value = absolute(take_float(x, "ilogb"))
    _, bias, mantissa, kind = _SINGLE if value.dtype == float32 else _DOUBLE
    is_small = value < 2.0 ** (1 - bias)
    bits = convert_bits(value * where(is_small, 2.0**64, 1.0), kind)
    exponent = convert(bits >> mantissa, int32) - where(is_small, bias + 64, bias)
    exponent = where((value == 0.0) | (value != value), -(2**31), exponent)
    return where(value == _INFINITY, 2**31 - 1, exponent)


def _take_bits(x: Any, name: str) -> tensor:
    value = to_tensor(x)
    if value.dtype not in (int32, uint32, int64, uint64):
        raise TypeError(f"{name} takes integers of 32 and 64 bits, not {value.dtype}")
    return value


def _of_bits(name: str, what: str, result: dtype | None = None) -> Callable[[Any], tensor]:
    """The instruction of that name, whose result has this type, or that of what it takes."""

    def function(x: Any) -> tensor:
        value = _take_bits(x, name)
        kind = result or value.dtype
        registers = ["r" if each.int_bitwidth == 32 else "l" for each in (kind, value.dtype)]
        text = f"{name}.b{value.dtype.int_bitwidth} $0, $1;"
        asked = (text, "={},{}".format(*registers), [value], kind)
        made: tensor = inline_asm_elementwise(*asked, is_pure=True, pack=1)
        return made

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{what}, of integers of 32 and 64 bits."
    return word(function)


popc = _of_bits("popc", "How many bits are 1", int32)
clz = _of_bits("clz", "How many bits are 0 before the first 1", int32)
brev = _of_bits("brev", "The bits in the opposite order")


@word
def ffs(x: Any) -> tensor:
    """Where the last bit that is 1 stands, counted from 1 at the end; 0 where none is."""
    value = _take_bits(x, "ffs")
    return value.dtype.int_bitwidth - clz(value & -value)


@word
def mulhi(x: Any, y: Any) -> tensor:
    """The upper half of the product of two int32."""
    a, b = join_types(x, y, "mulhi")
    if a.dtype != int32:
        raise TypeError(f"mulhi takes int32, not {a.dtype}; umulhi takes those without a sign")
    return convert((convert(a, int64) * convert(b, int64)) >> 32, int32)
