"""Softmax of each row of a matrix, which is read once and written once."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import strides


@tilewright.heuristics({"BLOCK": lambda args: tilewright.next_power_of_2(args["n_columns"])})
@tilewright.jit
def softmax_kernel(x, out, x_stride, out_stride, n_rows, n_columns, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    inside = columns < n_columns
    # Few programs may do many rows.
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0)):
        start = row.to(tl.int64) * x_stride
        values = tl.load(x + start + columns, mask=inside, other=-float("inf")).to(tl.float32)
        powers = tl.exp(values - tl.max(values, axis=0))
        result = powers / tl.sum(powers, axis=0)
        start = row.to(tl.int64) * out_stride
        tl.store(out + start + columns, result.to(out.dtype.element_ty), mask=inside)


def softmax(x: Any, out: Any, programs: int | None = None, **launch: Any) -> None:
    """out = softmax(x) along the rows, by so many programs, or by one for each row."""
    n_rows, n_columns = x.shape
    grid = (min(n_rows, programs or n_rows),)
    softmax_kernel[grid](
        x, out, strides(x)[0], strides(out)[0], n_rows, n_columns, **launch
    )  # fmt: skip


def reference(x: numpy.ndarray) -> numpy.ndarray:
    x = x.astype(numpy.float64)
    powers = numpy.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
