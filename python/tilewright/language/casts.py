"""From one type of elements to another: by the number, or by the bits."""

from __future__ import annotations

from typing import Any

from tilewright.language import types as tl_types
from tilewright.language.context import constant, current, emit, word
from tilewright.language.shapes import describe
from tilewright.language.tensor import read_constant, tensor, to_tensor
from tilewright.language.types import block_type, float32, get_int_dtype, int1, int64

# "Differs, or is NaN", of floats and of integers.
_NOT_EQUAL = {True: ("arith.cmpf", 13), False: ("arith.cmpi", 1)}


def to_bool(value: Any) -> tensor:
    """Whether each element is not zero."""
    number = to_tensor(value)
    if number.dtype.is_bool():
        return number
    if number.dtype.is_ptr():
        number = convert(number, int64)
    if number.dtype.is_fp8():
        number = convert(number, float32)
    op, predicate = _NOT_EQUAL[number.dtype.is_floating()]
    result = int1.with_shape(number.type.shape)
    operands = [number, constant(0, number.type)]
    return emit(op, operands, result, [("predicate", f"{predicate} : i64")])


def lacks_float8() -> bool:
    """Whether the GPU has no instructions for floats of 8 bits."""
    return current().target in ("sm_80", "sm_86")


def _convert_floats(value: tensor, target: tl_types.dtype) -> tensor:
    result = target.with_shape(value.type.shape)
    own = value.dtype
    if own.primitive_bitwidth < target.primitive_bitwidth:
        return emit("arith.extf", [value], result)
    if own.primitive_bitwidth > target.primitive_bitwidth:
        return emit("arith.truncf", [value], result)
    # Neither of two types of one width holds the other.
    return _convert_floats(_convert_floats(value, float32), target)


def _convert_integers(value: tensor, target: tl_types.dtype) -> tensor:
    result = target.with_shape(value.type.shape)
    own = value.dtype
    if own.int_bitwidth == target.int_bitwidth:
        return tensor(value.handle, result)
    if own.int_bitwidth > target.int_bitwidth:
        return emit("arith.trunci", [value], result)
    return emit("arith.extsi" if own.is_int_signed() else "arith.extui", [value], result)


def _convert_pointers(value: tensor, target: tl_types.dtype) -> tensor:
    result = target.with_shape(value.type.shape)
    if value.dtype.is_ptr() and target.is_ptr():
        # Pointers to integers with and without sign are the same in the dialect.
        if value.dtype.mlir == target.mlir:
            return tensor(value.handle, result)
        return emit("tile.ptr_cast", [value], result)
    if target.is_ptr():
        return emit("tile.int_to_ptr", [convert(value, int64)], result)
    if target.is_floating():
        raise TypeError(
            f"a pointer becomes an integer, or another pointer, and not {target}: tl.load gives "
            "what stands behind it"
        )
    if target.int_bitwidth != 64:
        raise TypeError(f"a pointer has 64 bits, and {target} has not: cast it to tl.int64 first")
    whole = emit("tile.ptr_to_int", [value], int64.with_shape(value.type.shape))
    return convert(whole, target)


def convert(value: tensor, target: tl_types.dtype) -> tensor:
    """A value in another type of elements, by its number."""
    own, target = value.dtype, target.scalar
    if own == target:
        return value
    if target.is_bool():
        return to_bool(value)
    if own.is_ptr() or target.is_ptr():
        return _convert_pointers(value, target)
    if (own.is_fp8() or target.is_fp8()) and lacks_float8():
        from tilewright.language import float8

        return (
            convert(float8.decode(value), target) if own.is_fp8() else float8.encode(value, target)
        )
    if own.is_floating() and target.is_floating():
        return _convert_floats(value, target)
    result = target.with_shape(value.type.shape)
    if own.is_floating():
        return emit("arith.fptosi" if target.is_int_signed() else "arith.fptoui", [value], result)
    if target.is_floating():
        return emit("arith.sitofp" if own.is_int_signed() else "arith.uitofp", [value], result)
    return _convert_integers(value, target)


def convert_bits(value: tensor, target: tl_types.dtype) -> tensor:
    """The same bits with another meaning.

    Raises:
        ValueError: The types differ in width.
    """
    own = value.dtype
    if own.is_ptr() or target.is_ptr():
        return convert(value, target)
    if own.primitive_bitwidth != target.primitive_bitwidth:
        raise ValueError(
            f"a bitcast of {own}, of {own.primitive_bitwidth} bits, to {target}, of "
            f"{target.primitive_bitwidth}: they are to be equal"
        )
    result = target.with_shape(value.type.shape)
    if own.mlir == target.mlir:
        return tensor(value.handle, result)
    return emit("arith.bitcast", [value], result)


def _truncate_float(value: tensor, target: tl_types.dtype) -> tensor:
    """Rounds toward zero: to nearest, and one number back where that went too far."""
    nearest = convert(value, target)
    went_too_far = convert(nearest, value.dtype).abs() > value.abs()
    bits = convert_bits(nearest, get_int_dtype(target.primitive_bitwidth, signed=False))
    return convert_bits(bits - convert(went_too_far, bits.dtype), target)


def round_to_odd(value: tensor, target: tl_types.dtype) -> tensor:
    """Toward zero, with an odd last bit where that changed the number.

    What is rounded once more, to a type with fewer bits still, is then as if it were rounded once.
    """
    near = _truncate_float(value, target)
    bits = convert_bits(near, get_int_dtype(target.primitive_bitwidth, signed=False))
    differs = convert(near, value.dtype) != value
    return convert_bits(bits | convert(differs, bits.dtype), target)


@word
def cast(input: Any, dtype: Any, fp_downcast_rounding: Any = None, bitcast: Any = False) -> tensor:
    """`input` with elements of another type.

    Floats are rounded to nearest, ties to even, or toward zero with
    ``fp_downcast_rounding="rtz"``. A float becomes an integer toward zero, and at most the ends of
    its type; NaN becomes 0. With `bitcast` the bits stay, and their meaning changes.
    """
    value, target = to_tensor(input), read_constant(dtype, "the type of a cast")
    if not isinstance(target, tl_types.dtype):
        raise TypeError(f"a cast goes to a type such as tl.float16, not to {describe(target)}")
    if isinstance(target, block_type):
        target = target.element_ty
    if target.is_void():
        raise TypeError("a cast goes to a type such as tl.float16, not to void")
    rounding = read_constant(fp_downcast_rounding, "fp_downcast_rounding")
    if rounding not in (None, "rtne", "rtz"):
        raise ValueError(
            "fp_downcast_rounding is 'rtne' (to nearest, ties to even) or 'rtz' (toward zero), "
            f"not {rounding!r}"
        )
    if read_constant(bitcast, "bitcast"):
        return convert_bits(value, target)
    if rounding is not None:
        own = value.dtype
        narrows = own.primitive_bitwidth > target.primitive_bitwidth
        if own != target and not (own.is_floating() and target.is_floating() and narrows):
            raise ValueError(
                f"fp_downcast_rounding is for casts of a float to a narrower one, not of {own} to "
                f"{target}"
            )
    rounds_down = rounding == "rtz" and value.dtype != target
    return _truncate_float(value, target) if rounds_down else convert(value, target)
