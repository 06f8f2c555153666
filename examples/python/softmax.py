"""Softmax of each row of a matrix and its logarithm, forward and backward. What is read is read
once."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import empty, strides

# Powers of e, as powers of 2.
LOG2_E = tl.constexpr(1.4426950408889634)

# Of f32 but -inf, whose distance from parts that are all -inf is no number.
LEAST = tl.constexpr(-3.4028234663852886e38)

# Several programs share each of so few rows, and rows of more columns than a program has registers
# for: one after the other, in parts of so many.
FEW_ROWS, LONG_ROW, LONGEST_ROW, PART = 8, 65536, 2**19, 4096

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


@tilewright.jit
def load_part(x, stride, n_columns, BLOCK: tl.constexpr):
    """The program's part of its row, the first column of that, and which columns there are."""
    row = tl.program_id(0).to(tl.int64)
    first = tl.program_id(1) * BLOCK
    columns = tl.arange(0, BLOCK)
    inside = columns < n_columns - first
    place = x + row * stride + first + columns
    return tl.load(place, mask=inside, other=-float("inf")).to(tl.float32), first, inside


@tilewright.jit
def sums_of_parts_kernel(x, sums, stride, n_columns, BLOCK: tl.constexpr):
    """Of each row and part the largest number, and the sum of powers, two arrays."""
    # The kernel that writes the result begins while this one ends.
    tl.extra.cuda.gdc_wait()
    values, _, _ = load_part(x, stride, n_columns, BLOCK)
    most = tl.maximum(tl.max(values, axis=0), LEAST)
    parts = tl.num_programs(1)
    sums += tl.program_id(0).to(tl.int64) * parts + tl.program_id(1)
    tl.store(sums, most)
    total = tl.sum(tl.exp2((values - most) * LOG2_E), axis=0)
    tl.store(sums + tl.num_programs(0).to(tl.int64) * parts, total)


@tilewright.jit
def parts_kernel(x, sums, out, x_stride, out_stride, n_columns, n_parts, BLOCK: tl.constexpr,
                 PARTS: tl.constexpr, LOG: tl.constexpr = False):  # fmt: skip
    tl.extra.cuda.gdc_wait()
    row = tl.program_id(0).to(tl.int64)
    part = tl.arange(0, PARTS)
    sums += row * n_parts + part
    mosts = tl.load(sums, mask=part < n_parts, other=LEAST)
    sums += tl.num_programs(0).to(tl.int64) * n_parts
    totals = tl.load(sums, mask=part < n_parts, other=0.0)
    values, first, inside = load_part(x, x_stride, n_columns, BLOCK)
    most = tl.max(mosts, axis=0)
    total = tl.sum(totals * tl.exp2((mosts - most) * LOG2_E), axis=0)
    distances = values - most
    result = distances - tl.log(total) if LOG else tl.exp2(distances * LOG2_E) / total
    place = out + row * out_stride + first + tl.arange(0, BLOCK)
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


def softmax(
    x: Any, out: Any, log: bool = False, in_parts: bool | None = None, **launch: Any
) -> None:
    """out = softmax(x) along the rows, or its logarithm. `in_parts`: whether several programs share
    a row; by default where there are few, or very long ones."""
    n_rows, n_columns = x.shape
    x_stride, out_stride = strides(x)[0], strides(out)[0]
    if in_parts is None:
        in_parts = n_columns > (LONG_ROW if n_rows <= FEW_ROWS else LONGEST_ROW)
    if not in_parts:
        softmax_kernel[(n_rows,)](x, out, x_stride, out_stride, n_columns, LOG=log, **launch)
        return
    parts = tilewright.cdiv(n_columns, PART)
    sums = empty(x, (2, n_rows, parts), "float32", launch.get("stream"))
    sums_of_parts_kernel[(n_rows, parts)](x, sums, x_stride, n_columns, BLOCK=PART, **launch)
    parts_kernel[(n_rows, parts)](
        x, sums, out, x_stride, out_stride, n_columns, parts, BLOCK=PART,
        PARTS=tilewright.next_power_of_2(parts), LOG=log, **launch,
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
