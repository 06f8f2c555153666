"""Softmax of each row of a matrix and its logarithm, forward and backward. What is read is read
once."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import strides

# Powers of e, as powers of 2.
LOG2_E = tl.constexpr(1.4426950408889634)

WHOLE_ROWS = {"BLOCK": lambda args: tilewright.next_power_of_2(args["n_columns"])}


@tilewright.heuristics(WHOLE_ROWS)
@tilewright.jit
def softmax_kernel(x, out, x_stride, out_stride, n_columns, BLOCK: tl.constexpr,
                   LOG: tl.constexpr = False):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    inside = columns < n_columns
    place = x + row * x_stride + columns
    values = tl.load(place, mask=inside, other=-float("inf")).to(tl.float32)
    distances = values - tl.max(values, axis=0)
    powers = tl.exp2(distances * LOG2_E)
    total = tl.sum(powers, axis=0)
    result = distances - tl.log(total) if LOG else powers / total
    place = out + row * out_stride + columns
    tl.store(place, result.to(out.dtype.element_ty), mask=inside)


@tilewright.heuristics(WHOLE_ROWS)
@tilewright.jit
def backward_kernel(grad, out, x_grad, grad_stride, out_stride, x_grad_stride, n_columns,
                    BLOCK: tl.constexpr, LOG: tl.constexpr = False):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    inside = columns < n_columns
    g = tl.load(grad + row * grad_stride + columns, mask=inside, other=0.0).to(tl.float32)
    y = tl.load(out + row * out_stride + columns, mask=inside, other=0.0).to(tl.float32)
    if LOG:
        result = g - tl.exp2(y * LOG2_E) * tl.sum(g, axis=0)
    else:
        result = y * (g - tl.sum(g * y, axis=0))
    target = x_grad + row * x_grad_stride + columns
    tl.store(target, result.to(x_grad.dtype.element_ty), mask=inside)


def softmax(x: Any, out: Any, log: bool = False, **launch: Any) -> None:
    """out = softmax(x) along the rows, or its logarithm."""
    n_rows, n_columns = x.shape
    softmax_kernel[(n_rows,)](
        x, out, strides(x)[0], strides(out)[0], n_columns, LOG=log, **launch
    )  # fmt: skip


def backward(grad: Any, out: Any, x_grad: Any, log: bool = False, **launch: Any) -> None:
    """The gradient of x by that of the result and the result itself."""
    n_rows, n_columns = out.shape
    backward_kernel[(n_rows,)](
        grad, out, x_grad, strides(grad)[0], strides(out)[0], strides(x_grad)[0],
        n_columns, LOG=log, **launch,
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
