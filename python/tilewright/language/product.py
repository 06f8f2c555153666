"""Products of tiles."""

from __future__ import annotations

from typing import Any

from tilewright.language.casts import convert
from tilewright.language.context import constant, emit, word
from tilewright.language.shapes import describe
from tilewright.language.tensor import read_constant, tensor
from tilewright.language.types import (
    bfloat16,
    block_type,
    dtype,
    float8e4nv,
    float8e5,
    float16,
    float32,
    float64,
    int8,
    int32,
)

_OPERANDS = (int8, float8e4nv, float8e5, float16, bfloat16, float32, float64)
_PRECISIONS = ("tf32", "tf32x3", "ieee")
_LEAST_EXTENTS = (16, 8, 16)  # Of M, N and K.


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
    (*batch, m, k), (*other_batch, other, n) = a.type.shape, b.type.shape
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
    if any(extent < least for extent, least in zip((m, n, k), _LEAST_EXTENTS, strict=True)):
        raise ValueError(
            f"dot of shapes {list(a.type.shape)} and {list(b.type.shape)}: extents are 16 or "
            "more, but the second one of the second, 8 or more"
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
    # Three products of tf32 are made to be as good as one in full precision.
    return operand == float32 and precision == "tf32"


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

    Tiles of B x M x K and B x K x N are B products. M and K are 16 or more, N is 8 or more. fp16,
    bf16 and 8-bit floats are multiplied exactly and summed as fp32, int8 as int32, fp64 as fp64.
    fp32 is read as tf32, which has 10 bits of mantissa, unless ``input_precision="ieee"`` (or
    ``allow_tf32=False``).
    """
    _check_operands(input, other)
    if input.dtype != other.dtype:
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
    result = emit("tile.dot", [input, other, start], block_type(wide, shape), attributes)
    return convert(result, sums)
