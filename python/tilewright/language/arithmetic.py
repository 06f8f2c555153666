"""Arithmetic, element by element."""

from __future__ import annotations

from typing import Any

from tilewright.language.casts import cast, convert, to_bool
from tilewright.language.comparisons import (
    equal,
    less,
    logical_and,
    logical_not,
    logical_or,
    not_equal,
    where,
)
from tilewright.language.context import Attributes, constant, emit, word
from tilewright.language.operands import (
    is_pointer,
    join_types,
    refuse_float8,
    refuse_pointer,
    widen_bfloat16,
)
from tilewright.language.shapes import broadcast_together
from tilewright.language.tensor import read_constant, tensor, to_tensor
from tilewright.language.types import dtype, float32, int32, int64

# As in Triton, a product and a sum that follow each other may be rounded once.
FUSED: Attributes = [("fastmath", "#arith.fastmath<contract>")]
# A quotient of fp32 may be off by 2 units in the last place.
APPROXIMATE: Attributes = [("fastmath", "#arith.fastmath<arcp>")]


def _pick(kind: dtype, real: str, signed: str, unsigned: str) -> str:
    """The op for a type."""
    if kind.is_floating():
        return real
    return signed if kind.is_int_signed() else unsigned


def _same(op: str, *operands: tensor, attributes: Attributes = ()) -> tensor:
    """An op whose result has the type of its first operand."""
    return emit(op, operands, operands[0].type, attributes)


def _ring(name: str, a: tensor, b: tensor) -> tensor:
    if a.dtype.is_floating():
        return _same(f"arith.{name}f", a, b, attributes=FUSED)
    return _same(f"arith.{name}i", a, b)


def _offset_pointer(pointer: tensor, offset: tensor) -> tensor:
    if not offset.dtype.is_int():
        raise TypeError(f"a pointer moves by a number of elements, an integer, not {offset.type}")
    if offset.dtype.is_bool():
        offset = convert(offset, int32)
    elif offset.dtype.is_int_unsigned():
        # Offsets are signed: a large unsigned one stays so.
        offset = convert(offset, int64)
    a, b = broadcast_together(pointer, offset)
    return emit("tile.addptr", [a, b], a.type)


@word
def add(x: Any, y: Any, sanitize_overflow: Any = True) -> tensor:
    """``x + y``; of a pointer and an integer: the pointer, that many elements on.

    `sanitize_overflow` is taken and not used: integers wrap around.
    """
    if is_pointer(x) and is_pointer(y):
        raise TypeError("two pointers cannot be added")
    if is_pointer(x):
        return _offset_pointer(x, to_tensor(y))
    if is_pointer(y):
        return _offset_pointer(y, to_tensor(x))
    return _ring("add", *join_types(x, y, "+"))


@word
def sub(x: Any, y: Any, sanitize_overflow: Any = True) -> tensor:
    """``x - y``; of a pointer and an integer: the pointer, that many elements back.

    `sanitize_overflow` is taken and not used: integers wrap around.
    """
    if is_pointer(y):
        raise TypeError("a pointer cannot be subtracted")
    if is_pointer(x):
        return _offset_pointer(x, minus(convert(to_tensor(y), int64)))
    return _ring("sub", *join_types(x, y, "-"))


@word
def mul(x: Any, y: Any, sanitize_overflow: Any = True) -> tensor:
    """``x * y``.

    `sanitize_overflow` is taken and not used: integers wrap around.
    """
    return _ring("mul", *join_types(x, y, "*"))


@word
def truediv(x: Any, y: Any) -> tensor:
    """``x / y``; integers, fp16 and bf16 are divided as fp32."""
    a, b = join_types(x, y, "/", division=True)
    if a.dtype.is_int():
        a, b = convert(a, float32), convert(b, float32)
    return _same("arith.divf", a, b, attributes=APPROXIMATE)


@word
def floordiv(x: Any, y: Any) -> tensor:
    """``x // y`` of integers. At run time it goes toward zero, as in C."""
    a, b = join_types(x, y, "//", division=True)
    if not a.dtype.is_int():
        # By the type that it was given: fp16 has become fp32 above.
        given = next(each for each in map(to_tensor, (x, y)) if not each.dtype.is_int())
        raise TypeError(f"// takes integers, not {given.dtype}; cast them by .to()")
    return _same(_pick(a.dtype, "", "arith.divsi", "arith.divui"), a, b)


@word
def mod(x: Any, y: Any) -> tensor:
    """``x % y``. At run time it has the sign of `x`, as in C.

    Of floats it is exact where ``x / y`` is less than 2**23 (fp64: 2**52); fp16 and bf16 as fp32.
    """
    a, b = join_types(x, y, "%", division=True)
    if a.dtype.is_int():
        return _same(_pick(a.dtype, "", "arith.remsi", "arith.remui"), a, b)
    return _remainder(a, b)


def _remainder(a: tensor, b: tensor) -> tensor:
    quotient = _same("math.trunc", _same("arith.divf", a, b))
    rest = _same("math.fma", minus(quotient), b, a)
    # Where the quotient was rounded up to a whole number, the rest has the other sign.
    back = rest + _same("math.copysign", b, a)
    rest = where(_same("math.copysign", rest, a) == rest, rest, back)
    # No multiple of infinity comes off.
    rest = where((abs(b) == float("inf")) & (abs(a) != float("inf")), a, rest)
    return _same("math.copysign", rest, a)


def _bits(x: Any, y: Any, what: str) -> tuple[tensor, tensor]:
    a, b = join_types(x, y, what)
    if not a.dtype.is_int():
        raise TypeError(f"{what} takes integers and booleans, not {a.dtype}")
    return a, b


@word
def and_(x: Any, y: Any) -> tensor:
    """``x & y``, bit by bit."""
    return _same("arith.andi", *_bits(x, y, "&"))


@word
def or_(x: Any, y: Any) -> tensor:
    """``x | y``, bit by bit."""
    return _same("arith.ori", *_bits(x, y, "|"))


@word
def xor(x: Any, y: Any) -> tensor:
    """``x ^ y``, bit by bit."""
    return _same("arith.xori", *_bits(x, y, "^"))


@word
def shift_left(x: Any, y: Any) -> tensor:
    """``x << y``; 0 where all bits are shifted out."""
    return _same("arith.shli", *_bits(x, y, "<<"))


@word
def shift_right(x: Any, y: Any) -> tensor:
    """``x >> y``; the sign is shifted in where the type of `x` has one."""
    # Before both meet in one type, which may have no sign.
    has_sign = (x if isinstance(x, tensor) else y).dtype.is_int_signed()
    return _same("arith.shrsi" if has_sign else "arith.shrui", *_bits(x, y, ">>"))


@word
def minus(x: Any) -> tensor:
    """``-x``."""
    value = to_tensor(x)
    refuse_pointer(value, "-")
    refuse_float8(value.dtype, "-")
    if value.dtype.is_floating():
        return _same("arith.negf", value)
    if value.dtype.is_bool():
        raise TypeError("- takes numbers; not turns a boolean around")
    return _same("arith.subi", constant(0, value.type), value)


@word
def invert(x: Any) -> tensor:
    """``~x``, bit by bit."""
    value = to_tensor(x)
    if not value.dtype.is_int():
        raise TypeError(f"~ takes integers and booleans, not {value.dtype}")
    return _same("arith.xori", value, constant(-1, value.type))


# The less, the greater


def _propagates(propagate_nan: Any) -> bool:
    from tilewright.language.program import PropagateNan

    propagate_nan = read_constant(propagate_nan, "propagate_nan")
    if propagate_nan is None:
        return False
    if not isinstance(propagate_nan, PropagateNan):
        raise TypeError("propagate_nan is tl.PropagateNan.NONE or tl.PropagateNan.ALL")
    return propagate_nan is PropagateNan.ALL


def _extreme(x: Any, y: Any, which: str, propagate_nan: Any) -> tensor:
    # A number has the type that it has alone here: 0.0 is fp32 beside fp16.
    x, y = widen_bfloat16(to_tensor(x)), widen_bfloat16(to_tensor(y))
    a, b = join_types(x, y, f"{which}imum")
    real = f"{which}imumf" if _propagates(propagate_nan) else f"{which}numf"
    return _same(f"arith.{_pick(a.dtype, real, f'{which}si', f'{which}ui')}", a, b)


@word
def minimum(x: Any, y: Any, propagate_nan: Any = None) -> tensor:
    """The less of two; a NaN is passed over, or with tl.PropagateNan.ALL the result.

    bf16 is compared as fp32, and a number has the type that it has alone.
    """
    return _extreme(x, y, "min", propagate_nan)


@word
def maximum(x: Any, y: Any, propagate_nan: Any = None) -> tensor:
    """The greater of two; a NaN is passed over, or with tl.PropagateNan.ALL the result.

    bf16 is compared as fp32, and a number has the type that it has alone.
    """
    return _extreme(x, y, "max", propagate_nan)


@word
def clamp(x: Any, min: Any, max: Any, propagate_nan: Any = None) -> tensor:
    """`x`, but not less than `min` and not more than `max`, of floats.

    A NaN becomes `min`, or stays with tl.PropagateNan.ALL.
    """
    value = to_tensor(x)
    refuse_pointer(value, "clamp")
    result = minimum(maximum(value, min, propagate_nan), max, propagate_nan)
    if not result.dtype.is_floating():
        raise TypeError(
            f"clamp takes floats, not {result.dtype}; tl.minimum and tl.maximum take all"
        )
    return result


@word
def abs(x: Any) -> tensor:
    """The absolute value; that of the least integer is itself."""
    value = to_tensor(x)
    refuse_pointer(value, "abs")
    refuse_float8(value.dtype, "abs")
    if value.dtype.is_floating():
        return _same("math.absf", value)
    return _same("math.absi", value) if value.dtype.is_int_signed() else value


__all__ = [
    "FUSED",
    "abs",
    "add",
    "and_",
    "cast",
    "clamp",
    "convert",
    "equal",
    "floordiv",
    "invert",
    "less",
    "logical_and",
    "logical_not",
    "logical_or",
    "maximum",
    "minimum",
    "minus",
    "mod",
    "mul",
    "not_equal",
    "or_",
    "shift_left",
    "shift_right",
    "sub",
    "to_bool",
    "truediv",
    "where",
    "xor",
]
