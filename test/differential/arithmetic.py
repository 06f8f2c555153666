# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each op computes, element by element, on bits.

The rules are those of docs/language.md. Every function takes the element type of its operands, then
their bits, and gives the bits of its result:

    INTEGER_BINARY["arith.divsi"](I8, a, b)
    CASTS["arith.sitofp"](I32, F16, a)
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np

from differential.elements import (
    F32,
    F64,
    INDEX,
    Array,
    Element,
    Float,
    Integer,
    round_to_odd,
)

# --- Integers ---------------------------------------------------------------------------------


def _divide(t: Integer, a: Array, b: Array) -> tuple[Array, Array, Array]:
    """Quotient toward zero, whether something is left, and whether the signs differ."""
    sa, sb = t.signed(a), t.signed(b)
    magnitude_a = np.where(sa < 0, np.uint64(0) - sa.view(np.uint64), sa.view(np.uint64))
    magnitude_b = np.where(sb < 0, np.uint64(0) - sb.view(np.uint64), sb.view(np.uint64))
    divisor = np.where(magnitude_b == 0, np.uint64(1), magnitude_b)
    quotient, remainder = magnitude_a // divisor, magnitude_a % divisor
    differ = (sa < 0) != (sb < 0)
    return np.where(differ, np.uint64(0) - quotient, quotient), remainder != 0, differ


def _unless_zero(t: Integer, a: Array, divisor: Array, quotient: Array) -> Array:
    """A division by zero gives what a division by one gives."""
    return t.wrap(np.where(divisor == 0, a, quotient))


def _divsi(t: Integer, a: Array, b: Array) -> Array:
    return _unless_zero(t, a, b, _divide(t, a, b)[0])


def _ceildivsi(t: Integer, a: Array, b: Array) -> Array:
    quotient, left, differ = _divide(t, a, b)
    return _unless_zero(t, a, b, quotient + (left & ~differ))


def _floordivsi(t: Integer, a: Array, b: Array) -> Array:
    quotient, left, differ = _divide(t, a, b)
    return _unless_zero(t, a, b, quotient - (left & differ))


def _divui(t: Integer, a: Array, b: Array) -> Array:
    return a // np.maximum(b, np.uint64(1))


def _ceildivui(t: Integer, a: Array, b: Array) -> Array:
    divisor = np.maximum(b, np.uint64(1))
    return a // divisor + (a % divisor != 0)


def _remui(t: Integer, a: Array, b: Array) -> Array:
    return a % np.maximum(b, np.uint64(1))


def _remsi(t: Integer, a: Array, b: Array) -> Array:
    return np.where(b == 0, np.uint64(0), t.wrap(a - _divide(t, a, b)[0] * b))


def _shift(t: Integer, a: Array, amount: Array, left: bool) -> Array:
    inside = np.minimum(amount, np.uint64(t.bits - 1))
    shifted = t.wrap(a << inside) if left else a >> inside
    return np.where(amount >= t.bits, np.uint64(0), shifted)


def _shrsi(t: Integer, a: Array, amount: Array) -> Array:
    inside = np.minimum(amount, np.uint64(t.bits - 1)).astype(np.int64)
    return t.from_signed(t.signed(a) >> inside)


def _choose(signed: bool, larger: bool) -> Callable[[Integer, Array, Array], Array]:
    def choose(t: Integer, a: Array, b: Array) -> Array:
        x, y = (t.signed(a), t.signed(b)) if signed else (a, b)
        return np.where((x > y) == larger, a, b)

    return choose


INTEGER_BINARY: dict[str, Callable[[Integer, Array, Array], Array]] = {
    "arith.addi": lambda t, a, b: t.wrap(a + b),
    "arith.subi": lambda t, a, b: t.wrap(a - b),
    "arith.muli": lambda t, a, b: t.wrap(a * b),
    "arith.divsi": _divsi,
    "arith.divui": _divui,
    "arith.ceildivsi": _ceildivsi,
    "arith.ceildivui": _ceildivui,
    "arith.floordivsi": _floordivsi,
    "arith.remsi": _remsi,
    "arith.remui": _remui,
    "arith.andi": lambda t, a, b: a & b,
    "arith.ori": lambda t, a, b: a | b,
    "arith.xori": lambda t, a, b: a ^ b,
    "arith.shli": lambda t, a, b: _shift(t, a, b, left=True),
    "arith.shrui": lambda t, a, b: _shift(t, a, b, left=False),
    "arith.shrsi": _shrsi,
    "arith.maxsi": _choose(signed=True, larger=True),
    "arith.minsi": _choose(signed=True, larger=False),
    "arith.maxui": _choose(signed=False, larger=True),
    "arith.minui": _choose(signed=False, larger=False),
}


def _count_ones(a: Array) -> Array:
    count = np.zeros(a.shape, np.uint64)
    for bit in range(64):
        count += (a >> np.uint64(bit)) & np.uint64(1)
    return count


def _smear(a: Array) -> Array:
    """All bits below the highest one."""
    for shift in (1, 2, 4, 8, 16, 32):
        a = a | (a >> np.uint64(shift))
    return a


INTEGER_UNARY: dict[str, Callable[[Integer, Array], Array]] = {
    "math.absi": lambda t, a: t.from_signed(np.where(t.signed(a) < 0, -t.signed(a), t.signed(a))),
    # Counts are numbers of the type: of i1 and i2 they wrap.
    "math.ctlz": lambda t, a: t.wrap(np.uint64(t.bits) - _count_ones(_smear(a))),
    "math.cttz": lambda t, a: t.wrap(
        np.where(a == 0, np.uint64(t.bits), _count_ones((a & (np.uint64(0) - a)) - np.uint64(1)))
    ),
    "math.ctpop": lambda t, a: t.wrap(_count_ones(a)),
}

INTEGER_COMPARE: dict[str, Callable[[Integer, Array, Array], Array]] = {
    "eq": lambda t, a, b: a == b,
    "ne": lambda t, a, b: a != b,
    "slt": lambda t, a, b: t.signed(a) < t.signed(b),
    "sle": lambda t, a, b: t.signed(a) <= t.signed(b),
    "sgt": lambda t, a, b: t.signed(a) > t.signed(b),
    "sge": lambda t, a, b: t.signed(a) >= t.signed(b),
    "ult": lambda t, a, b: a < b,
    "ule": lambda t, a, b: a <= b,
    "ugt": lambda t, a, b: a > b,
    "uge": lambda t, a, b: a >= b,
}

# --- Floats -----------------------------------------------------------------------------------


def _native(t: Float, bits: Array) -> Array:
    """In a type whose own arithmetic rounds as `t` does, or so far beyond it (f64 for f16 and
    bf16, by 2p + 2 digits and more) that the second rounding changes nothing."""
    if t == F32:
        return bits.astype(np.uint32).view(np.float32)
    return t.decode(bits)


def _rounded(
    compute: Callable[..., Array],
) -> Callable[..., Array]:
    """An op of one rounding on `t`, from the op of NumPy."""

    def op(t: Float, *operands: Array) -> Array:
        result = compute(*(_native(t, bits) for bits in operands))
        if t == F32:
            return result.astype(np.float32).view(np.uint32).astype(np.uint64)
        return t.encode(result)

    return op


def _extreme(larger: bool, nan_wins: bool) -> Callable[[Float, Array, Array], Array]:
    def choose(t: Float, a: Array, b: Array) -> Array:
        x, y = t.decode(a), t.decode(b)
        # Of two zeros the one with the sign is less.
        a_less = (x < y) | ((x == y) & np.signbit(x) & ~np.signbit(y))
        result = np.where(a_less == larger, b, a)
        nan_a, nan_b = t.is_nan(a), t.is_nan(b)
        if nan_wins:
            return np.where(nan_a | nan_b, np.uint64(t.nan_bits), result)
        return np.where(nan_a, b, np.where(nan_b, a, result))

    return choose


FLOAT_BINARY: dict[str, Callable[[Float, Array, Array], Array]] = {
    "arith.addf": _rounded(np.add),
    "arith.subf": _rounded(np.subtract),
    "arith.mulf": _rounded(np.multiply),
    "arith.divf": _rounded(np.divide),
    "arith.maximumf": _extreme(larger=True, nan_wins=True),
    "arith.minimumf": _extreme(larger=False, nan_wins=True),
    "arith.maxnumf": _extreme(larger=True, nan_wins=False),
    "arith.minnumf": _extreme(larger=False, nan_wins=False),
    "math.copysign": lambda t, a, b: (a & np.uint64(t.mask >> 1)) | (b & np.uint64(t.sign_bit)),
}


def _round_away(x: Array) -> Array:
    """To the nearest integer, ties away from zero."""
    whole = np.trunc(x)
    return np.copysign(whole + np.where(np.abs(x - whole) >= 0.5, np.copysign(1.0, x), 0.0), x)


FLOAT_UNARY: dict[str, Callable[[Float, Array], Array]] = {
    "arith.negf": lambda t, a: a ^ np.uint64(t.sign_bit),
    "math.absf": lambda t, a: a & np.uint64(t.mask >> 1),
    "math.sqrt": _rounded(np.sqrt),
    "math.floor": _rounded(np.floor),
    "math.ceil": _rounded(np.ceil),
    "math.trunc": _rounded(np.trunc),
    "math.round": _rounded(_round_away),
    "math.roundeven": _rounded(np.rint),
}

FLOAT_TESTS: dict[str, Callable[[Float, Array], Array]] = {
    "math.isnan": lambda t, a: t.is_nan(a),
    "math.isinf": lambda t, a: np.isinf(t.decode(a)),
    "math.isfinite": lambda t, a: np.isfinite(t.decode(a)),
    "math.isnormal": lambda t, a: np.isfinite(t.decode(a)) & (np.abs(t.decode(a)) >= 2.0**t.least),
}

_libm = ctypes.CDLL("libm.so.6")
_libm.fma.argtypes = [ctypes.c_double] * 3
_libm.fma.restype = ctypes.c_double


def fma(t: Float, a: Array, b: Array, c: Array) -> Array:
    x, y, z = t.decode(a), t.decode(b), t.decode(c)
    if t == F64:
        rows = zip(x.flat, y.flat, z.flat, strict=True)
        numbers = [_libm.fma(*row) for row in rows]
        return t.encode(np.array(numbers, np.float64).reshape(x.shape))
    # The product is exact; the sum is rounded to odd, by the error of its own rounding.
    product = x * y
    total = product + z
    part = total - product
    error = (product - (total - part)) + (z - part)
    bits = total.view(np.uint64).copy()
    inexact = np.isfinite(total) & (error != 0) & (bits & np.uint64(1) == 0)
    toward_zero = (error < 0) != (total < 0)
    step = np.where(toward_zero, np.uint64(0) - np.uint64(1), np.uint64(1))
    return t.encode(np.where(inexact, bits + step, bits).view(np.float64))


def _compare(ordered: bool, holds: Callable[[Array, Array], Array]) -> Callable[..., Array]:
    def compare(t: Float, a: Array, b: Array) -> Array:
        x, y = t.decode(a), t.decode(b)
        unordered = np.isnan(x) | np.isnan(y)
        return holds(x, y) & ~unordered if ordered else holds(x, y) | unordered

    return compare


_RELATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "eq": lambda x, y: x == y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "ne": lambda x, y: x != y,
}
FLOAT_COMPARE: dict[str, Callable[..., Array]] = {
    **{"o" + name: _compare(True, holds) for name, holds in _RELATIONS.items()},
    **{"u" + name: _compare(False, holds) for name, holds in _RELATIONS.items()},
    "ord": _compare(True, lambda x, y: np.ones(x.shape, bool)),
    "uno": _compare(False, lambda x, y: np.zeros(x.shape, bool)),
    "true": lambda t, a, b: np.ones(a.shape, bool),
    "false": lambda t, a, b: np.zeros(a.shape, bool),
}

# --- Conversions ------------------------------------------------------------------------------


def _to_float(signed: bool) -> Callable[[Integer, Float, Array], Array]:
    def convert(source: Integer, target: Float, a: Array) -> Array:
        integers = source.signed(a) if signed else a
        if target == F64:
            return target.encode(integers.astype(np.float64))
        return target.encode(round_to_odd(integers.view(np.uint64), signed))

    return convert


def _to_integer(signed: bool) -> Callable[[Float, Integer, Array], Array]:
    def convert(source: Float, target: Integer, a: Array) -> Array:
        x = np.trunc(source.decode(a))
        digits = target.bits - 1 if signed else target.bits
        low, high = (-(1 << digits) if signed else 0), (1 << digits) - 1
        over, under = x >= 2.0**digits, x < low
        x = np.where(over | under | np.isnan(x), 0.0, x)
        inside = x.astype(np.int64).view(np.uint64) if signed else x.astype(np.uint64)
        result = np.where(over, np.uint64(high), inside)
        result = np.where(under, np.uint64(low & ((1 << 64) - 1)), result)
        return target.wrap(result)

    return convert


def _refloat(source: Float, target: Float, a: Array) -> Array:
    return target.encode(source.decode(a))


def _zero_extended(source: Element, target: Element, a: Array) -> Array:
    return target.wrap(a)


def _sign_extended(source: Integer, target: Integer, a: Array) -> Array:
    return target.from_signed(source.signed(a))


CASTS: dict[str, Callable[..., Array]] = {
    "arith.extf": _refloat,
    "arith.truncf": _refloat,
    "arith.extsi": _sign_extended,
    "arith.extui": _zero_extended,
    "arith.trunci": _zero_extended,
    "arith.index_cast": _sign_extended,
    "arith.index_castui": _zero_extended,
    "arith.bitcast": _zero_extended,
    "arith.sitofp": _to_float(signed=True),
    "arith.uitofp": _to_float(signed=False),
    "arith.fptosi": _to_integer(signed=True),
    "arith.fptoui": _to_integer(signed=False),
}


def casts_between(source: Element, target: Element) -> list[str]:
    """The casts that arith has from one type to another."""
    names: list[str] = []
    if source == target:
        return names
    if (source == INDEX) != (target == INDEX):
        other = target if source == INDEX else source
        return [] if other.is_float else ["arith.index_cast", "arith.index_castui"]
    if source.bits == target.bits:
        names.append("arith.bitcast")
    wider = target.bits > source.bits
    float8 = source.bits == 8 or target.bits == 8
    match source.is_float, target.is_float:
        case True, True if source.bits != target.bits:
            names.append("arith.extf" if wider else "arith.truncf")
        case False, False if source.bits != target.bits:
            names += ["arith.extsi", "arith.extui"] if wider else ["arith.trunci"]
        # No GPU converts between 8-bit floats and integers.
        case False, True if not (float8 and target.bits == 8):
            names += ["arith.sitofp", "arith.uitofp"]
        case True, False if not (float8 and source.bits == 8):
            names += ["arith.fptosi", "arith.fptoui"]
    return names


# By kind, the ops that compute what an atomic access writes, of integers and of floats.
ATOMICS: dict[str, tuple[str, str | None]] = {
    "add": ("arith.addi", "arith.addf"),
    "max": ("arith.maxsi", "arith.maximumf"),
    "min": ("arith.minsi", "arith.minimumf"),
    "umax": ("arith.maxui", None),
    "umin": ("arith.minui", None),
    "and": ("arith.andi", None),
    "or": ("arith.ori", None),
    "xor": ("arith.xori", None),
}
