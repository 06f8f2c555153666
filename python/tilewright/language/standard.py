"""Words by the name of the module in which Triton has those that are written in its own language.

>>> from tilewright.language.standard import _log2
>>> _log2(64)
6
"""

from __future__ import annotations

from tilewright.language.arithmetic import abs, maximum, minimum
from tilewright.language.creation import zeros, zeros_like
from tilewright.language.math import sigmoid, softmax
from tilewright.language.pairs import interleave
from tilewright.language.program import cdiv, swizzle2d
from tilewright.language.reductions import (
    argmax,
    argmin,
    cumprod,
    cumsum,
    max,
    min,
    reduce_or,
    sum,
    xor_sum,
)
from tilewright.language.shapes import ravel
from tilewright.language.sorting import bitonic_merge, flip, sort, topk
from tilewright.sizes import is_integer

__all__ = [
    "abs",
    "argmax",
    "argmin",
    "bitonic_merge",
    "cdiv",
    "cumprod",
    "cumsum",
    "flip",
    "interleave",
    "max",
    "maximum",
    "min",
    "minimum",
    "ravel",
    "reduce_or",
    "sigmoid",
    "softmax",
    "sort",
    "sum",
    "swizzle2d",
    "topk",
    "xor_sum",
    "zeros",
    "zeros_like",
]


def _log2(i: int) -> int:
    """The exponent of a power of two: sorts of programs' own go by it."""
    if not is_integer(i) or i < 1 or i & (i - 1):
        raise ValueError(f"_log2 takes a power of two, not {i!r}")
    return i.bit_length() - 1
