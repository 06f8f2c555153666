"""Products of tiles."""

from __future__ import annotations

from typing import Any

from tilewright.language.casts import convert, lacks_float8
from tilewright.language.context import constant, emit, word
from tilewright.language.reductions import reduce_tile
from tilewright.language.shapes import broadcast_to_shape, describe, expand_dims, reshape
from tilewright.language.tensor import read_constant, tensor
from tilewright.language.types import (
    bfloat16,
    dtype,
    float8e4nv,
    float8e5,
    float16,
    float32,
    float64,
    int8,
    int32,
)
from tilewright.sizes import is_integer

_OPERANDS = (int8, float8e4nv, float8e5, float16, bfloat16, float32, float64)
_PRECISIONS = ("tf32", "tf32x3", "bf16x3", "bf16x6", "ieee")
# Of M and N tensor cores have so many; fewer are repeated. Of K a kernel is to have as many.
_LEAST_ROWS, _LEAST_COLUMNS, _LEAST_K = 16, 8, 16
# Elements of K of an instruction that multiplies 8-bit floats, and more than any K.
_INSTRUCTION_K, _ALL_IMPRECISE = 32, 2**30


def _check_operands(a: Any, b: Any) -> None:
    for value in (a, b):
        if not isinstance(value, tensor) or len(value.type.shape) not in (2, 3):
            raise TypeError(
                f"dot takes two tiles of two dimensions, or of three, not {describe(value)}"
            )
        if value.dtype not in _OPERANDS:
            raise TypeError(
                f"dot takes tiles of {', '.join(map(str, _OPERANDS))}, not {value.dtype}"
            )
    if a.dtype != b.dtype and not (a.dtype.is_fp8() and b.dtype.is_fp8()):
        raise TypeError(
            f"dot takes tiles of one type, not {a.dtype} and {b.dtype}: cast one by .to()"
        )
    (*batch, _, k), (*other_batch, other, _) = a.type.shape, b.type.shape
    if batch != other_batch:
        raise ValueError(
            f"dot of shapes {list(a.type.shape)} and {list(b.type.shape)}: of three extents the "
            "first is how many products there are, the same for both"
        )
    if k != other:
        raise ValueError(
            f"dot of shapes {list(a.type.shape)} and {list(b.type.shape)}: the last extent of the "
            "first is to be the last but one of the second"
        )
    if k < _LEAST_K:
        raise ValueError(
            f"dot of shapes {list(a.type.shape)} and {list(b.type.shape)}: what is summed over, "
            f"the last extent of the first, is {_LEAST_K} or more"
        )


def _result_type(operand: dtype, out_dtype: Any) -> dtype:
    """What dot gives: int32 of int8, fp64 of fp64, else fp32; fp16 where that was asked for."""
    wanted = read_constant(out_dtype, "out_dtype")
    if operand == int8:
        return int32
    if operand == float64:
        return float64
    if wanted not in (None, float32, float16):
        raise TypeError(
            f"out_dtype of a dot of {operand} is tl.float32 or tl.float16, not {wanted}; cast the "
            "result by .to()"
        )
    return float16 if wanted == float16 and operand not in (float32, bfloat16) else float32


def _uses_tf32(operand: dtype, precision: Any, allow_tf32: Any) -> bool:
    precision = read_constant(precision, "input_precision")
    allow_tf32 = read_constant(allow_tf32, "allow_tf32")
    if precision is not None and allow_tf32 is not None:
        raise ValueError("dot takes input_precision or allow_tf32, not both")
    if precision is None:
        precision = "tf32" if allow_tf32 is None or allow_tf32 else "ieee"
    if precision not in _PRECISIONS:
        raise ValueError(f"input_precision is one of {', '.join(_PRECISIONS)}, not {precision!r}")
    # Several products of small floats are made to be as good as one in full precision.
    return operand == float32 and precision == "tf32"


def _count_imprecise(operand: dtype, most: Any) -> int:
    """How many elements of K may be added with fewer bits than fp32 has, in whole instructions."""
    number = read_constant(most, "max_num_imprecise_acc")
    if number is None:
        number = _ALL_IMPRECISE
    if not is_integer(number) or number < 0:
        raise ValueError(
            f"max_num_imprecise_acc is a number of elements of K, 0 or more, not {number!r}"
        )
    if not operand.is_fp8():
        return 0
    return min(number, _ALL_IMPRECISE) // _INSTRUCTION_K * _INSTRUCTION_K


@word
def dot(
    input: Any,
    other: Any,
    acc: Any = None,
    input_precision: Any = None,
    allow_tf32: Any = None,
    max_num_imprecise_acc: Any = None,
    out_dtype: Any = float32,
) -> tensor:
    """The product of a tile of M x K and one of K x N, added to `acc`.

    Tiles of B x M x K and B x K x N are B products. K is 16 or more; where M is less than 16 or N
    less than 8, it takes as long as one that has so many. fp16,
    bf16 and 8-bit floats are multiplied exactly and summed as fp32, int8 as int32, fp64 as fp64.
    fp32 is read as tf32, which has 10 bits of mantissa, unless ``input_precision="ieee"`` (or
    ``allow_tf32=False``); "tf32x3", "bf16x3" and "bf16x6" are the same as "ieee".

    Tensor cores of sm_90a add products of 8-bit floats with fewer bits than fp32 has.
    ``max_num_imprecise_acc`` is how many elements of K may be added so before their sum is added
    in fp32; where it is more than K, the products that follow go on with the sum. Unless it is
    given, all may be; with 0 none are, and they are multiplied as fp16.
    """
    _check_operands(input, other)
    if input.dtype.is_fp8() and lacks_float8():
        # fp16 has all numbers of both kinds of fp8.
        input, other = convert(input, float16), convert(other, float16)
    sums = _result_type(input.dtype, out_dtype)
    wide = float32 if sums == float16 else sums
    shape = (*input.type.shape[:-1], other.type.shape[-1])
    start = acc
    if start is None:
        start = constant(0, wide.with_shape(shape))
    elif not isinstance(start, tensor) or start.type.shape != shape:
        raise ValueError(f"acc of this dot has the shape {list(shape)}, not {describe(start)}")
    elif start.dtype not in (sums, wide):
        raise TypeError(f"acc of a dot of {input.dtype} has type {sums}, not {start.dtype}")
    else:
        sums = start.dtype
        start = convert(start, wide)
    attributes: list[tuple[str, str]] = []
    if _uses_tf32(input.dtype, input_precision, allow_tf32):
        attributes.append(("tf32", "unit"))
    if imprecise := _count_imprecise(input.dtype, max_num_imprecise_acc):
        attributes.append(("imprecise", f"{imprecise} : i64"))
    rows, columns = len(shape) - 2, len(shape) - 1
    (m, n) = shape[-2:]
    input, other = _repeat(input, rows, _LEAST_ROWS), _repeat(other, columns, _LEAST_COLUMNS)
    start = _repeat(_repeat(start, rows, _LEAST_ROWS), columns, _LEAST_COLUMNS)
    result = emit("tile.dot", [input, other, start], start.type, attributes)
    return convert(_take_first(_take_first(result, rows, m), columns, n), sums)


def _repeat(tile: tensor, axis: int, least: int) -> tensor:
    """The tile one time after the other along an axis, until that has the least extent."""
    shape = tile.type.shape
    if shape[axis] >= least:
        return tile
    times = least // shape[axis]
    parts = broadcast_to_shape(expand_dims(tile, axis), (*shape[:axis], times, *shape[axis:]))
    return reshape(parts, (*shape[:axis], least, *shape[axis + 1 :]))


def _take_first(tile: tensor, axis: int, extent: int) -> tensor:
    """The first of what `_repeat` put one after the other."""
    shape = tile.type.shape
    if shape[axis] == extent:
        return tile
    parts = reshape(tile, (*shape[:axis], shape[axis] // extent, extent, *shape[axis + 1 :]))
    return reduce_tile(parts, axis, lambda a, b: a)
