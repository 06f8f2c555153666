"""Functions of numbers, element by element.

How exact each is stands in `docs/math.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilewright.language.arithmetic import abs as absolute
from tilewright.language.casts import convert
from tilewright.language.context import Attributes, emit, word
from tilewright.language.operands import join_types
from tilewright.language.tensor import read_constant, tensor, to_tensor
from tilewright.language.types import dtype, float32, float64, uint32, uint64
from tilewright.sizes import is_integer

_LOG2_E = 1.4426950408889634

# A result that is subnormal may be 0.
_FLUSHED: Attributes = [("fastmath", "#arith.fastmath<afn>")]

#: What functions take, as Triton's.
_FLOATS = (float32, float64)


def check_type(value: tensor, allowed: tuple[dtype, ...], name: str) -> None:
    """Refuses what a function does not take."""
    if value.dtype not in allowed:
        kinds = " and ".join(str(kind) for kind in allowed)
        raise TypeError(f"{name} takes {kinds}, not {value.dtype}: cast it by .to(tl.float32)")


def apply(op: str, value: tensor) -> tensor:
    """An op of one operand whose result has its type."""
    return emit(op, [value], value.type)


def unary(name: str, op: str, allowed: tuple[dtype, ...], what: str) -> Callable[[Any], tensor]:
    """A word that is one op of one operand."""

    def function(x: Any) -> tensor:
        value = to_tensor(x)
        check_type(value, allowed, name)
        return apply(op, value)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{what}, of {' and '.join(str(kind) for kind in allowed)}."
    return word(function)


@word
def exp(x: Any) -> tensor:
    """e to the power of x, of fp32 and fp64; of fp32 off by |x| + 2 units in the last place.

    That takes two instructions; ``libdevice.exp`` is off by 2 at most, for four times as many.
    """
    value = to_tensor(x)
    check_type(value, _FLOATS, "exp")
    if value.dtype == float64:
        return apply("math.exp", value)
    return apply("math.exp2", value * _LOG2_E)


@word
def exp2(x: Any) -> tensor:
    """2 to the power of x, of fp32 and fp64; of fp32 0 where that is subnormal.

    That is one instruction. ``libdevice.exp2`` has subnormal results, for four.
    """
    value = to_tensor(x)
    check_type(value, _FLOATS, "exp2")
    return emit("math.exp2", [value], value.type, _FLUSHED)


@word
def sqrt(x: Any) -> tensor:
    """The square root, of fp32 and fp64; of fp32 off by 2 units in the last place at most.

    That is one instruction, which takes subnormal numbers for 0. ``sqrt_rn`` is rounded to nearest,
    for ten and a branch.
    """
    value = to_tensor(x)
    check_type(value, _FLOATS, "sqrt")
    return emit("math.sqrt", [value], value.type, _FLUSHED)


log = unary("log", "math.log", _FLOATS, "The natural logarithm")
log2 = unary("log2", "math.log2", _FLOATS, "The logarithm to base 2")
cos = unary("cos", "math.cos", _FLOATS, "The cosine")
sin = unary("sin", "math.sin", _FLOATS, "The sine")
erf = unary("erf", "math.erf", _FLOATS, "The error function")
sqrt_rn = unary("sqrt_rn", "math.sqrt", _FLOATS, "The square root, rounded to nearest")
rsqrt = unary("rsqrt", "math.rsqrt", _FLOATS, "1 over the square root")
floor = unary("floor", "math.floor", _FLOATS, "The largest whole number that is not greater")
ceil = unary("ceil", "math.ceil", _FLOATS, "The least whole number that is not less")
abs = absolute


@word
def fma(x: Any, y: Any, z: Any) -> tensor:
    """``x * y + z``, rounded once."""
    a, b = join_types(x, y, "fma")
    b, c = join_types(b, z, "fma")
    a, c = join_types(a, c, "fma")
    a, b = join_types(a, b, "fma")
    if not a.dtype.is_floating():
        return a * b + c
    return emit("math.fma", [a, b, c], a.type)


def _divide(x: Any, y: Any, name: str) -> tensor:
    a, b = join_types(x, y, name)
    if not a.dtype.is_floating():
        raise TypeError(f"{name} takes floats, not {a.dtype}")
    return emit("arith.divf", [a, b], a.type)


@word
def fdiv(x: Any, y: Any, ieee_rounding: Any = False) -> tensor:
    """``x / y`` of floats, in their own type; it is always rounded to nearest."""
    return _divide(x, y, "fdiv")


@word
def div_rn(x: Any, y: Any) -> tensor:
    """``x / y`` of floats, rounded to nearest."""
    return _divide(x, y, "div_rn")


@word
def umulhi(x: Any, y: Any) -> tensor:
    """The upper half of the product of two integers of 32 or 64 bits without sign."""
    a, b = join_types(x, y, "umulhi")
    if not a.dtype.is_int() or a.dtype.int_bitwidth < 32:
        raise TypeError(f"umulhi takes integers of 32 and 64 bits, not {a.dtype}")
    if a.dtype.int_bitwidth == 32:
        wide = convert(_as_unsigned(a, uint32), uint64) * convert(_as_unsigned(b, uint32), uint64)
        return tensor(convert(wide >> 32, uint32).handle, a.type)
    return _multiply_high64(a, b)


def _as_unsigned(value: tensor, kind: dtype) -> tensor:
    return tensor(value.handle, kind.with_shape(value.type.shape))


def _multiply_high64(a: tensor, b: tensor) -> tensor:
    """The upper half of a product, by four products of halves: there is none of 128 bits."""
    x, y = _as_unsigned(a, uint64), _as_unsigned(b, uint64)
    low = 0xFFFFFFFF
    x0, x1, y0, y1 = x & low, x >> 32, y & low, y >> 32
    middle = x1 * y0 + ((x0 * y0) >> 32)
    carry = (middle & low) + x0 * y1
    high = x1 * y1 + (middle >> 32) + (carry >> 32)
    return tensor(high.handle, a.type)


@word
def sigmoid(x: Any) -> tensor:
    """``1 / (1 + exp(-x))``, of fp32 and fp64."""
    value = to_tensor(x)
    check_type(value, _FLOATS, "sigmoid")
    return 1 / (1 + exp(-value))


@word
def softmax(x: Any, dim: Any = None, keep_dims: Any = False, ieee_rounding: Any = False) -> tensor:
    """``exp(x) / sum(exp(x))`` along an axis, by default the first, without overflow."""
    from tilewright.language import reductions

    value = to_tensor(x)
    dim = read_constant(dim, "dim")
    axis = 0 if dim is None else dim
    shifted = value - reductions.max(value, axis, keep_dims=True)
    powers = exp(shifted)
    return powers / reductions.sum(powers, axis, keep_dims=True)


@word
def pow(x: Any, y: Any) -> tensor:
    """``x ** y`` of floats; constants from 1 to 4 are products, of integers too."""
    if is_integer(y) and 0 < y <= 4:
        value = to_tensor(x)
        result = value
        for _ in range(y - 1):
            result = result * value
        return result
    a, b = join_types(x, y, "**")
    if not a.dtype.is_floating():
        raise TypeError(f"** takes floats, or an exponent from 1 to 4, not {a.dtype}")
    return emit("math.powf", [a, b], a.type)
