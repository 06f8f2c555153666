"""Products of tiles whose elements have few bits, and a scale for each 16 or 32 of them along K.

These are the microscaling formats of the Open Compute Project. Elements become bf16 with their
scales in them, which is exact unless that is too large or too small for bf16, and are multiplied
as such:

    e2m1  s ee m     0 0.5 1 1.5 2 3 4 6, two of them in a byte, the first in its lower half
    e4m3, e5m2       8 bits
    scales           e8m0: 2^(byte - 127), 255 is NaN; of 16 elements: fp8e4nv
"""

from __future__ import annotations

from typing import Any

from tilewright.language.casts import convert, convert_bits
from tilewright.language.comparisons import where
from tilewright.language.context import word
from tilewright.language.pairs import interleave
from tilewright.language.product import dot
from tilewright.language.shapes import broadcast_to_shape, describe, expand_dims, reshape, trans
from tilewright.language.tensor import read_constant, tensor
from tilewright.language.types import (
    bfloat16,
    float8e4nv,
    float8e5,
    float16,
    float32,
    int8,
    int32,
    uint8,
    uint16,
    uint32,
)

_FORMATS = {
    "e2m1": (int8, uint8),
    "e4m3": (int8, uint8, float8e4nv),
    "e5m2": (int8, uint8, float8e5),
    "bf16": (bfloat16,),
    "fp16": (float16,),
}


@word
def dot_scaled(
    lhs: Any,
    lhs_scale: Any,
    lhs_format: Any,
    rhs: Any,
    rhs_scale: Any,
    rhs_format: Any,
    acc: Any = None,
    fast_math: Any = False,
    lhs_k_pack: Any = True,
    rhs_k_pack: Any = True,
    out_dtype: Any = float32,
) -> tensor:
    """The product of tiles in microscaling formats, added to `acc`: of bf16, or fp16 where one is.

    A format is "e2m1", "e4m3", "e5m2", "bf16" or "fp16". Scales are uint8, one for 32 elements, or
    fp8e4nv, one for 16, of shapes M x K / 32 and N x K / 32, or None. "e2m1" has two elements in a
    byte, along K, or along M or N where `lhs_k_pack` or `rhs_k_pack` is False.
    """
    formats = [_read_format(lhs, lhs_format, "lhs"), _read_format(rhs, rhs_format, "rhs")]
    left = _decode(lhs, formats[0], along_last=_packs_k(lhs_k_pack, formats[0], "lhs"))
    right = _decode(rhs, formats[1], along_last=not _packs_k(rhs_k_pack, formats[1], "rhs"))
    kind = float16 if "fp16" in formats else bfloat16
    left = convert(_scale(left, lhs_scale, "lhs_scale"), kind)
    right = convert(trans(_scale(trans(right), rhs_scale, "rhs_scale")), kind)
    return dot(left, right, acc, out_dtype=out_dtype)


def _read_format(tile: Any, name: Any, what: str) -> str:
    name = read_constant(name, f"{what}_format")
    if name not in _FORMATS:
        raise ValueError(f"{what}_format is one of {', '.join(_FORMATS)}, not {name!r}")
    if not isinstance(tile, tensor) or len(tile.type.shape) not in (2, 3):
        raise TypeError(f"{what} is a tile of two dimensions, or of three, not {describe(tile)}")
    if tile.dtype not in _FORMATS[name]:
        kinds = ", ".join(str(kind) for kind in _FORMATS[name])
        raise TypeError(f"{what} in the format {name} is a tile of {kinds}, not of {tile.dtype}")
    return str(name)


def _packs_k(packs: Any, name: str, what: str) -> bool:
    if read_constant(packs, f"{what}_k_pack"):
        return True
    if name != "e2m1":
        raise ValueError(f"{what}_k_pack=False is for two elements in a byte, e2m1, not {name}")
    return False


def _decode(tile: tensor, name: str, along_last: bool) -> tensor:
    """The elements as fp32; those of one byte follow each other along the last dimension, or the
    last but one."""
    if name in ("bf16", "fp16") or tile.dtype.is_fp8():
        return convert(tile, float32)
    bits = convert(convert_bits(tile, uint8), uint32)
    if name == "e5m2":
        # The upper half of an fp16.
        return convert(convert_bits(convert(bits << 8, uint16), float16), float32)
    if name == "e4m3":
        sign, rest = (bits & 0x80) << 24, bits & 0x7F
        # As the exponent of an fp32 it counts from 127, and not from 7.
        number = convert_bits(rest << 20 | sign, float32) * 2.0**120
        return where(rest == 0x7F, float("nan"), number)
    if along_last:
        return _decode_e2m1(interleave(bits & 15, bits >> 4))
    return trans(_decode_e2m1(interleave(trans(bits & 15), trans(bits >> 4))))


def _decode_e2m1(bits: tensor) -> tensor:
    """One bit of sign, two of the exponent, which counts from 1, one of the mantissa."""
    sign, rest = (bits & 8) << 28, bits & 7
    return convert_bits(rest << 22 | sign, float32) * 2.0**126


def _scale(tile: tensor, scale: Any, what: str) -> tensor:
    """The elements times their scales, which are for runs of them along the last dimension."""
    if scale is None:
        return tile
    if not isinstance(scale, tensor) or scale.dtype not in (int8, uint8, float8e4nv):
        raise TypeError(f"{what} is a tile of uint8 or fp8e4nv, or None, not {describe(scale)}")
    run = 16 if scale.dtype == float8e4nv else 32
    (*outer, extent) = tile.type.shape
    wanted = (*outer, extent // run)
    if scale.type.shape != wanted or extent % run:
        raise ValueError(
            f"{what} has the shape {list(scale.type.shape)}, and a scale for each {run} of "
            f"{extent} elements along K makes {list(wanted)}"
        )
    each = broadcast_to_shape(expand_dims(_decode_scale(scale), len(wanted)), (*wanted, run))
    return tile * reshape(each, tile.type.shape)


def _decode_scale(scale: tensor) -> tensor:
    if scale.dtype == float8e4nv:
        return convert(scale, float32)
    bits = convert(convert_bits(scale, uint8), int32)
    # 2^-127 is no normal number of fp32.
    bits = where(bits == 0, 1 << 22, where(bits == 255, 0x7FC00000, bits << 23))
    return convert_bits(bits, float32)
