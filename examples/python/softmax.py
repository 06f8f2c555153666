"""Softmax of each row of a matrix and its logarithm, forward and backward. What is read is read
once."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import strides

WHOLE_ROWS = {"BLOCK": lambda args: tilewright.next_power_of_2(args["n_columns"])}


@tilewright.heuristics(WHOLE_ROWS)
@tilewright.jit
def softmax_kernel(x, out, x_stride, out_stride, n_rows, n_columns, BLOCK: tl.constexpr,
                   LOG: tl.constexpr = False):  # fmt: skip
    columns = tl.arange(0, BLOCK)
    inside = columns < n_columns
    # Few programs may do many rows.
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0)):
        start = row.to(tl.int64) * x_stride
        values = tl.load(x + start + columns, mask=inside, other=-float("inf")).to(tl.float32)
        distances = values - tl.max(values, axis=0)
        powers = tl.exp(distances)
        total = tl.sum(powers, axis=0)
        result = distances - tl.log(total) if LOG else powers / total
        start = row.to(tl.int64) * out_stride
        tl.store(out + start + columns, result.to(out.dtype.element_ty), mask=inside)


@tilewright.heuristics(WHOLE_ROWS)
@tilewright.jit
def backward_kernel(grad, out, x_grad, grad_stride, out_stride, x_grad_stride, n_rows, n_columns,
                    BLOCK: tl.constexpr, LOG: tl.constexpr = False):  # fmt: skip
    columns = tl.arange(0, BLOCK)
    inside = columns < n_columns
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0)):
        place = row.to(tl.int64)
        given = grad + place * grad_stride + columns
        g = tl.load(given, mask=inside, other=0.0).to(tl.float32)
        y = tl.load(out + place * out_stride + columns, mask=inside, other=0.0).to(tl.float32)
        if LOG:
            result = g - tl.exp(y) * tl.sum(g, axis=0)
        else:
            result = y * (g - tl.sum(g * y, axis=0))
        target = x_grad + place * x_grad_stride + columns
        tl.store(target, result.to(x_grad.dtype.element_ty), mask=inside)


def softmax(
    x: Any, out: Any, programs: int | None = None, log: bool = False, **launch: Any
) -> None:
    """out = softmax(x) along the rows, or its logarithm, by so many programs, or one a row."""
    n_rows, n_columns = x.shape
    grid = (min(n_rows, programs or n_rows),)
    softmax_kernel[grid](
        x, out, strides(x)[0], strides(out)[0], n_rows, n_columns, LOG=log, **launch
    )  # fmt: skip


def backward(
    grad: Any, out: Any, x_grad: Any, programs: int | None = None, log: bool = False, **launch: Any
) -> None:
    """The gradient of x by that of the result and the result itself."""
    n_rows, n_columns = out.shape
    backward_kernel[(min(n_rows, programs or n_rows),)](
        grad, out, x_grad, strides(grad)[0], strides(out)[0], strides(x_grad)[0],
        n_rows, n_columns, LOG=log, **launch,
    )  # fmt: skip


def reference(x: numpy.ndarray, log: bool = False) -> numpy.ndarray:
    x = x.astype(numpy.float64)
    distances = x - x.max(axis=1, keepdims=True)
    total = numpy.exp(distances).sum(axis=1, keepdims=True)
    return distances - numpy.log(total) if log else numpy.exp(distances) / total


def reference_backward(grad: numpy.ndarray, out: numpy.ndarray, log: bool = False) -> numpy.ndarray:
    grad, out = grad.astype(numpy.float64), out.astype(numpy.float64)
    if log:
        return grad - numpy.exp(out) * grad.sum(axis=1, keepdims=True)
    return out * (grad - (grad * out).sum(axis=1, keepdims=True))
