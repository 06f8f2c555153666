"""Arithmetic, comparisons and casts, element by element."""

from __future__ import annotations

from typing import Any

from tilewright.language.context import Attributes, constant, emit, word
from tilewright.language.promotion import promote, promote_number
from tilewright.language.shapes import broadcast_together, describe
from tilewright.language.tensor import is_number, tensor, to_tensor
from tilewright.language.types import block_type, constexpr, dtype, float32, int1, int32, int64

# MLIR's names of comparisons.
_FLOAT_PREDICATES = {"eq": 1, "gt": 2, "ge": 3, "lt": 4, "le": 5, "ne": 13}
_SIGNED_PREDICATES = {"eq": 0, "ne": 1, "lt": 2, "le": 3, "gt": 4, "ge": 5}
_UNSIGNED_PREDICATES = {"eq": 0, "ne": 1, "lt": 6, "le": 7, "gt": 8, "ge": 9}


def _unwrap(value: Any) -> Any:
    return value.value if isinstance(value, constexpr) else value


def _refuse_pointer(value: tensor, what: str) -> None:
    if value.dtype.is_ptr():
        raise TypeError(f"{what} takes numbers, not pointers ({value.type})")


def join_types(lhs: Any, rhs: Any, what: str, division: bool = False) -> tuple[tensor, tensor]:
    """Both operands in one type and one shape.

    Raises:
        TypeError: One is a pointer, or no number at all.
        ValueError: Their shapes do not fit, or a number does not fit the other's type.
    """
    lhs, rhs = _unwrap(lhs), _unwrap(rhs)
    for value in (lhs, rhs):
        if not is_number(value) and not isinstance(value, tensor):
            raise TypeError(f"{what} takes numbers and tiles, not {value!r}")
        if isinstance(value, tensor):
            _refuse_pointer(value, what)
    if is_number(lhs) and is_number(rhs):
        lhs = to_tensor(lhs)
    if is_number(lhs):
        kind = promote_number(lhs, rhs.dtype, division)
        a, b = constant(lhs, kind), convert(rhs, kind)
    elif is_number(rhs):
        kind = promote_number(rhs, lhs.dtype, division)
        a, b = convert(lhs, kind), constant(rhs, kind)
    else:
        kind = promote(lhs.dtype, rhs.dtype, division)
        a, b = convert(lhs, kind), convert(rhs, kind)
    a, b = broadcast_together(a, b)
    return a, b


# As in Triton, a product and a sum that follow each other may be rounded once.
FUSED: Attributes = [("fastmath", "#arith.fastmath<contract>")]
# A quotient of fp32 may be off by 2 units in the last place.
APPROXIMATE: Attributes = [("fastmath", "#arith.fastmath<arcp>")]


def _pick(kind: dtype, real: str, signed: str, unsigned: str | None = None) -> str:
    if kind.is_floating():
        return f"arith.{real}"
    return f"arith.{signed if kind.is_int_signed() or unsigned is None else unsigned}"


def _same(op: str, *operands: tensor, attributes: Attributes = ()) -> tensor:
    """An op whose result has the type of its first operand."""
    return emit(op, operands, operands[0].type, attributes)


def _ring(name: str, a: tensor, b: tensor) -> tensor:
    if a.dtype.is_floating():
        return _same(f"arith.{name}f", a, b, attributes=FUSED)
    return _same(f"arith.{name}i", a, b)


# Pointers


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


def _is_pointer(value: Any) -> bool:
    return isinstance(value, tensor) and value.dtype.is_ptr()


# Operators


@word
def add(x: Any, y: Any) -> tensor:
    """``x + y``; of a pointer and an integer: the pointer, that many elements on."""
    if _is_pointer(x) and _is_pointer(y):
        raise TypeError("two pointers cannot be added")
    if _is_pointer(x):
        return _offset_pointer(x, to_tensor(y))
    if _is_pointer(y):
        return _offset_pointer(y, to_tensor(x))
    return _ring("add", *join_types(x, y, "+"))


@word
def sub(x: Any, y: Any) -> tensor:
    """``x - y``; of a pointer and an integer: the pointer, that many elements back."""
    if _is_pointer(y):
        raise TypeError("a pointer cannot be subtracted")
    if _is_pointer(x):
        return _offset_pointer(x, minus(convert(to_tensor(y), int64)))
    return _ring("sub", *join_types(x, y, "-"))


@word
def mul(x: Any, y: Any) -> tensor:
    """``x * y``."""
    return _ring("mul", *join_types(x, y, "*"))


@word
def truediv(x: Any, y: Any) -> tensor:
    """``x / y``; integers are divided as fp32."""
    a, b = _unwrap(x), _unwrap(y)
    for value in (a, b):
        if isinstance(value, tensor):
            _refuse_pointer(value, "/")
    kinds = [to_tensor(value).dtype for value in (a, b)]
    if not any(kind.is_floating() for kind in kinds):
        a, b = convert(to_tensor(a), float32), convert(to_tensor(b), float32)
    elif isinstance(a, tensor) and a.dtype.is_int():
        a = convert(a, kinds[1])
    elif isinstance(b, tensor) and b.dtype.is_int():
        b = convert(b, kinds[0])
    a, b = join_types(a, b, "/", division=True)
    return _same("arith.divf", a, b, attributes=APPROXIMATE)


def _integers(x: Any, y: Any, what: str) -> tuple[tensor, tensor]:
    a, b = join_types(x, y, what, division=True)
    if not a.dtype.is_int():
        raise TypeError(f"{what} takes integers, not {a.dtype}; cast them by .to()")
    return a, b


@word
def floordiv(x: Any, y: Any) -> tensor:
    """``x // y`` of integers. At run time it goes toward zero, as in C."""
    a, b = _integers(x, y, "//")
    return _same(_pick(a.dtype, "", "divsi", "divui"), a, b)


@word
def mod(x: Any, y: Any) -> tensor:
    """``x % y``. At run time it has the sign of `x`, as in C."""
    a, b = join_types(x, y, "%", division=True)
    if a.dtype.is_int():
        return _same(_pick(a.dtype, "", "remsi", "remui"), a, b)
    whole = emit("math.trunc", [_same("arith.divf", a, b)], a.type)
    return _same("math.fma", _same("arith.negf", whole), b, a)


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
    """``x >> y``; the sign is shifted in where the type has one."""
    a, b = _bits(x, y, ">>")
    return _same(_pick(a.dtype, "", "shrsi", "shrui"), a, b)


@word
def power(x: Any, y: Any) -> tensor:
    """``x ** y`` of floats; small whole constants are products."""
    from tilewright.language.math import pow_of

    return pow_of(x, y)


@word
def minus(x: Any) -> tensor:
    """``-x``."""
    value = to_tensor(x)
    _refuse_pointer(value, "-")
    if value.dtype.is_floating():
        return _same("arith.negf", value)
    if value.dtype.is_bool():
        raise TypeError("- takes numbers; not turns a boolean around")
    return _same("arith.subi", constant(0, value.type), value)


@word
def plus(x: Any) -> tensor:
    """``+x``."""
    return to_tensor(x)


@word
def invert(x: Any) -> tensor:
    """``~x``, bit by bit."""
    value = to_tensor(x)
    if not value.dtype.is_int():
        raise TypeError(f"~ takes integers and booleans, not {value.dtype}")
    return _same("arith.xori", value, constant(-1, value.type))


# Comparisons


def _compare(x: Any, y: Any, which: str, text: str) -> tensor:
    if _is_pointer(x) or _is_pointer(y):
        x, y = (convert(v, int64) if _is_pointer(v) else v for v in (x, y))
    a, b = join_types(x, y, text)
    result = int1.with_shape(a.type.shape)
    if a.dtype.is_floating():
        return emit(
            "arith.cmpf", [a, b], result, [("predicate", f"{_FLOAT_PREDICATES[which]} : i64")]
        )
    table = _SIGNED_PREDICATES if a.dtype.is_int_signed() else _UNSIGNED_PREDICATES
    return emit("arith.cmpi", [a, b], result, [("predicate", f"{table[which]} : i64")])


@word
def less(x: Any, y: Any) -> tensor:
    """``x < y``."""
    return _compare(x, y, "lt", "<")


@word
def less_equal(x: Any, y: Any) -> tensor:
    """``x <= y``."""
    return _compare(x, y, "le", "<=")


@word
def greater(x: Any, y: Any) -> tensor:
    """``x > y``."""
    return _compare(x, y, "gt", ">")


@word
def greater_equal(x: Any, y: Any) -> tensor:
    """``x >= y``."""
    return _compare(x, y, "ge", ">=")


@word
def equal(x: Any, y: Any) -> tensor:
    """``x == y``; no NaN equals anything."""
    return _compare(x, y, "eq", "==")


@word
def not_equal(x: Any, y: Any) -> tensor:
    """``x != y``; NaN differs from everything."""
    return _compare(x, y, "ne", "!=")


# Logic


def to_bool(value: Any) -> tensor:
    """Whether each element is not zero."""
    value = to_tensor(value)
    return value if value.dtype.is_bool() else not_equal(value, 0)


@word
def logical_and(input: Any, other: Any) -> tensor:
    """``input and other`` of tiles: whether neither is zero."""
    return and_(to_bool(input), to_bool(other))


@word
def logical_or(input: Any, other: Any) -> tensor:
    """``input or other`` of tiles: whether one of them is not zero."""
    return or_(to_bool(input), to_bool(other))


@word
def logical_not(input: Any) -> tensor:
    """``not input`` of a tile: whether each element is zero."""
    return invert(to_bool(input))


@word
def where(condition: Any, x: Any, y: Any) -> tensor:
    """`x` where the condition holds, else `y`. Both are computed."""
    condition = to_bool(condition)
    if _is_pointer(x) or _is_pointer(y):
        a, b = to_tensor(x), to_tensor(y)
        if a.dtype != b.dtype:
            raise TypeError(f"where takes two pointers of one type, not {a.dtype} and {b.dtype}")
    elif is_number(_unwrap(x)) and is_number(_unwrap(y)):
        kind = promote(to_tensor(x).dtype, to_tensor(y).dtype)
        a, b = constant(_unwrap(x), kind), constant(_unwrap(y), kind)
    else:
        a, b = join_types(x, y, "where")
    condition, a, b = broadcast_together(condition, a, b)
    return emit("arith.select", [condition, a, b], a.type)


# The less, the greater


def _check_propagation(propagate_nan: Any) -> bool:
    from tilewright.language.program import PropagateNan

    propagate_nan = _unwrap(propagate_nan)
    if not isinstance(propagate_nan, PropagateNan):
        raise TypeError("propagate_nan is tl.PropagateNan.NONE or tl.PropagateNan.ALL")
    return propagate_nan is PropagateNan.ALL


def _extreme(x: Any, y: Any, which: str, propagate_nan: Any) -> tensor:
    a, b = join_types(x, y, f"{which}imum")
    keeps = propagate_nan is not None and _check_propagation(propagate_nan)
    real = f"{which}imumf" if keeps else f"{which}numf"
    return _same(_pick(a.dtype, real, f"{which}si", f"{which}ui"), a, b)


@word
def minimum(x: Any, y: Any, propagate_nan: Any = None) -> tensor:
    """The less of two; a NaN is passed over, or with tl.PropagateNan.ALL the result."""
    return _extreme(x, y, "min", propagate_nan)


@word
def maximum(x: Any, y: Any, propagate_nan: Any = None) -> tensor:
    """The greater of two; a NaN is passed over, or with tl.PropagateNan.ALL the result."""
    return _extreme(x, y, "max", propagate_nan)


@word
def clamp(x: Any, min: Any, max: Any, propagate_nan: Any = None) -> tensor:
    """`x`, but not less than `min` and not more than `max`."""
    value = to_tensor(x)
    if not value.dtype.is_floating():
        raise TypeError(
            f"clamp takes floats, not {value.dtype}; tl.minimum and tl.maximum take all"
        )
    return minimum(maximum(value, min, propagate_nan), max, propagate_nan)


@word
def abs(x: Any) -> tensor:
    """The absolute value; that of the least integer is itself."""
    value = to_tensor(x)
    _refuse_pointer(value, "abs")
    if value.dtype.is_floating():
        return _same("math.absf", value)
    return _same("math.absi", value) if value.dtype.is_int_signed() else value


# Casts


def _cast_floats(value: tensor, target: dtype) -> tensor:
    result = target.with_shape(value.type.shape)
    own = value.dtype
    if own.primitive_bitwidth < target.primitive_bitwidth:
        return emit("arith.extf", [value], result)
    if own.primitive_bitwidth > target.primitive_bitwidth:
        return emit("arith.truncf", [value], result)
    # Neither of the two kinds of 8 or 16 bits holds the other.
    return _cast_floats(_cast_floats(value, float32), target)


def _cast_integers(value: tensor, target: dtype) -> tensor:
    result = target.with_shape(value.type.shape)
    own = value.dtype
    if own.int_bitwidth == target.int_bitwidth:
        return tensor(value.handle, result)
    if own.int_bitwidth > target.int_bitwidth:
        return emit("arith.trunci", [value], result)
    return emit("arith.extsi" if own.is_int_signed() else "arith.extui", [value], result)


def _cast_pointers(value: tensor, target: dtype) -> tensor:
    result = target.with_shape(value.type.shape)
    if value.dtype.is_ptr() and target.is_ptr():
        return emit("tile.ptr_cast", [value], result)
    if target.is_ptr():
        return emit("tile.int_to_ptr", [convert(value, int64)], result)
    whole = emit("tile.ptr_to_int", [value], int64.with_shape(value.type.shape))
    return convert(whole, target)


def convert(value: tensor, target: dtype) -> tensor:
    """A value in another type of elements, by its number."""
    own, target = value.dtype, target.scalar
    if own == target:
        return value
    if own.is_ptr() or target.is_ptr():
        return _cast_pointers(value, target)
    if target.is_bool():
        return not_equal(value, 0)
    if own.is_floating() and target.is_floating():
        return _cast_floats(value, target)
    result = target.with_shape(value.type.shape)
    if own.is_floating():
        return emit("arith.fptosi" if target.is_int_signed() else "arith.fptoui", [value], result)
    if target.is_floating():
        return emit("arith.sitofp" if own.is_int_signed() else "arith.uitofp", [value], result)
    return _cast_integers(value, target)


def _cast_bits(value: tensor, target: dtype) -> tensor:
    own = value.dtype
    if own.is_ptr() or target.is_ptr():
        return _cast_pointers(value, target) if own != target else value
    if own.primitive_bitwidth != target.primitive_bitwidth:
        raise ValueError(
            f"a bitcast of {own}, of {own.primitive_bitwidth} bits, to {target}, of "
            f"{target.primitive_bitwidth}: they are to be equal"
        )
    result = target.with_shape(value.type.shape)
    if own.mlir == target.mlir:
        return tensor(value.handle, result)
    return emit("arith.bitcast", [value], result)


@word
def cast(
    input: Any, dtype: Any, fp_downcast_rounding: str | None = None, bitcast: bool = False
) -> tensor:
    """`input` with elements of another type.

    Floats are rounded to nearest, ties to even. A float becomes an integer toward zero, and at
    most the ends of its type; NaN becomes 0. With `bitcast` the bits stay, and their meaning
    changes.
    """
    value, target = to_tensor(input), _unwrap(dtype)
    if not isinstance(target, _dtype):
        raise TypeError(f"a cast goes to a type such as tl.float16, not to {describe(target)}")
    if isinstance(target, block_type):
        target = target.element_ty
    rounding = _unwrap(fp_downcast_rounding)
    if rounding not in (None, "rtne"):
        raise ValueError(
            f"fp_downcast_rounding is 'rtne' (to nearest, ties to even) here, not {rounding!r}"
        )
    return _cast_bits(value, target) if _unwrap(bitcast) else convert(value, target)


# The parameter of cast has the name of the class.
_dtype = dtype
