"""Cumulative sums along the rows of a matrix, from the left or from the right."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import strides


@tilewright.jit
def cumsum_kernel(x, out, x_stride, out_stride, N, TYPE: tl.constexpr, REVERSE: tl.constexpr,
                  BLOCK: tl.constexpr):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    carried = tl.zeros((), dtype=TYPE)
    last = (N - 1) // BLOCK * BLOCK
    for start in range(0, N, BLOCK):
        columns = (last - start if REVERSE else start) + tl.arange(0, BLOCK)
        inside = columns < N
        values = tl.load(x + row * x_stride + columns, mask=inside, other=0).to(TYPE)
        sums = carried + tl.cumsum(values, axis=0, reverse=REVERSE)
        tl.store(out + row * out_stride + columns, sums.to(out.dtype.element_ty), mask=inside)
        carried += tl.sum(values, axis=0)


def cumsum(
    x: Any, out: Any, reverse: bool = False, dtype: Any = tl.float32, block: int = 1024,
    **launch: Any,
) -> None:  # fmt: skip
    """out[i, j] = the sum of x[i, 0] to x[i, j], or of x[i, j] to the last of the row; summed up in
    a type of the language."""
    m, n = x.shape
    cumsum_kernel[(m,)](
        x, out, strides(x)[0], strides(out)[0], n, TYPE=dtype, REVERSE=reverse, BLOCK=block,
        **launch,
    )  # fmt: skip


def reference(x: numpy.ndarray, reverse: bool = False) -> numpy.ndarray:
    numbers = x.astype(numpy.int64 if x.dtype.kind in "iu" else numpy.float64)
    if reverse:
        return numbers[:, ::-1].cumsum(axis=1)[:, ::-1]
    return numbers.cumsum(axis=1)
