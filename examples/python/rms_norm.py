"""RMS norm of rows, with what transformers do just before it: adding the residual. The gradient of
the weight is summed up in a fixed order, so that its bits are the same in each run."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import empty, strides

# Several programs share each of so few rows, and rows of more columns than a program has registers
# for: one after the other, in parts of so many.
FEW_ROWS, LONG_ROW, LONGEST_ROW, PART = 8, 65536, 2**19, 4096


@tilewright.jit
def rms_norm_kernel(x, residual, weight, out, x_stride, residual_stride, out_stride, N, eps,
                    BLOCK: tl.constexpr):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    inside = columns < N
    value = tl.load(x + row * x_stride + columns, mask=inside, other=0.0).to(tl.float32)
    if residual is not None:
        place = residual + row * residual_stride + columns
        value += tl.load(place, mask=inside, other=0.0).to(tl.float32)
        tl.store(place, value.to(residual.dtype.element_ty), mask=inside)
    inverse = tl.rsqrt(tl.sum(value * value, axis=0) / N + eps)
    value *= inverse
    if weight is not None:
        value *= tl.load(weight + columns, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + row * out_stride + columns, value.to(out.dtype.element_ty), mask=inside)


@tilewright.jit
def squares_of_parts_kernel(x, squares, stride, N, BLOCK: tl.constexpr):
    # The kernel that writes the result begins while this one ends.
    tl.extra.cuda.gdc_wait()
    row = tl.program_id(0).to(tl.int64)
    first = tl.program_id(1) * BLOCK
    columns = tl.arange(0, BLOCK)
    place = x + row * stride + first + columns
    value = tl.load(place, mask=columns < N - first, other=0.0).to(tl.float32)
    place = squares + row * tl.num_programs(1) + tl.program_id(1)
    tl.store(place, tl.sum(value * value, axis=0))


@tilewright.jit
def parts_kernel(x, squares, weight, out, x_stride, out_stride, N, eps, n_parts,
                 BLOCK: tl.constexpr, PARTS: tl.constexpr):  # fmt: skip
    tl.extra.cuda.gdc_wait()
    row = tl.program_id(0).to(tl.int64)
    part = tl.arange(0, PARTS)
    sums = tl.load(squares + row * n_parts + part, mask=part < n_parts, other=0.0)
    first = tl.program_id(1) * BLOCK
    columns = tl.arange(0, BLOCK)
    inside = columns < N - first
    place = x + row * x_stride + first + columns
    value = tl.load(place, mask=inside, other=0.0).to(tl.float32)
    value *= tl.rsqrt(tl.sum(sums, axis=0) / N + eps)
    if weight is not None:
        value *= tl.load(weight + first + columns, mask=inside, other=0.0).to(tl.float32)
    place = out + row * out_stride + first + columns
    tl.store(place, value.to(out.dtype.element_ty), mask=inside)


@tilewright.jit
def load_rows(x, rows, columns, stride, M, N):
    """As they are stored, and zeros beyond the last row and the last column."""
    inside = (rows < M) & (columns < N)
    return tl.load(x + rows.to(tl.int64) * stride + columns, mask=inside, other=0.0)


@tilewright.jit
def backward_kernel(grad, x, weight, x_grad, weight_sums, grad_stride, x_stride, x_grad_stride,
                    M, N, eps, AHEAD: tl.constexpr, ROWS: tl.constexpr,
                    BLOCK: tl.constexpr):  # fmt: skip
    # The kernel that adds up begins while this one ends.
    tl.extra.cuda.gdc_wait()
    columns = tl.arange(0, BLOCK)[None, :]
    sums = tl.zeros((ROWS, BLOCK), tl.float32)
    if weight is not None:
        weights = tl.load(weight + columns, mask=columns < N, other=0.0)
    # A program does several rows, and then has one sum of them. While it does some, the next ones
    # are under way, if there are registers for them.
    step = tl.num_programs(0) * ROWS
    if AHEAD:
        rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
        next_grad = load_rows(grad, rows, columns, grad_stride, M, N)
        next_value = load_rows(x, rows, columns, x_stride, M, N)
    for start in range(tl.program_id(0) * ROWS, M, step):
        rows = start + tl.arange(0, ROWS)[:, None]
        if AHEAD:
            g, value = next_grad.to(tl.float32), next_value.to(tl.float32)
            next_grad = load_rows(grad, rows + step, columns, grad_stride, M, N)
            next_value = load_rows(x, rows + step, columns, x_stride, M, N)
        else:
            g = load_rows(grad, rows, columns, grad_stride, M, N).to(tl.float32)
            value = load_rows(x, rows, columns, x_stride, M, N).to(tl.float32)
        inside = (rows < M) & (columns < N)
        scaled = g if weight is None else g * weights.to(tl.float32)
        squares = tl.sum(value * value, axis=1, keep_dims=True)
        products = tl.sum(scaled * value, axis=1, keep_dims=True)
        inverse = tl.rsqrt(squares / N + eps)
        normal = value * inverse
        if weight is not None:
            sums += tl.where(inside, g * normal, 0.0)
        result = (scaled - normal * (products * inverse / N)) * inverse
        target = x_grad + rows.to(tl.int64) * x_grad_stride + columns
        tl.store(target, result.to(x_grad.dtype.element_ty), mask=inside)
    if weight is not None:
        place = weight_sums + tl.program_id(0) * N + columns
        tl.store(place, tl.sum(sums, axis=0, keep_dims=True), mask=columns < N)


@tilewright.jit
def sum_of_programs_kernel(sums, out, PROGRAMS, N, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    tl.extra.cuda.gdc_wait()
    columns = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for start in range(0, PROGRAMS, ROWS):
        rows = start + tl.arange(0, ROWS)
        inside = (rows < PROGRAMS)[:, None] & (columns < N)[None, :]
        total += tl.load(sums + rows[:, None] * N + columns[None, :], mask=inside, other=0.0)
    result = tl.sum(total, axis=0).to(out.dtype.element_ty)
    tl.store(out + columns, result, mask=columns < N)


def rms_norm(
    x: Any, out: Any, weight: Any = None, residual: Any = None, eps: float = 1e-6,
    in_parts: bool | None = None, **launch: Any,
) -> None:  # fmt: skip
    """out = x / rms(x) * weight, of x + residual where there is one, which becomes that sum.
    `in_parts`: whether several programs share a row; by default where there are few, or very long
    ones, and no residual."""
    m, n = x.shape
    if in_parts is None:
        in_parts = n > (LONG_ROW if m <= FEW_ROWS else LONGEST_ROW)
    if in_parts and residual is None:
        parts = tilewright.cdiv(n, PART)
        squares = empty(x, (m, parts), "float32", launch.get("stream"))
        squares_of_parts_kernel[(m, parts)](x, squares, strides(x)[0], n, BLOCK=PART, **launch)
        parts_kernel[(m, parts)](
            x, squares, weight, out, strides(x)[0], strides(out)[0], n, eps, parts, BLOCK=PART,
            PARTS=tilewright.next_power_of_2(parts), **launch,
        )  # fmt: skip
        return
    rms_norm_kernel[(m,)](
        x, residual, weight, out,
        strides(x)[0], 0 if residual is None else strides(residual)[0], strides(out)[0], n, eps,
        BLOCK=tilewright.next_power_of_2(n), **launch,
    )  # fmt: skip


def backward(
    grad: Any, x: Any, x_grad: Any, weight: Any = None, weight_grad: Any = None, eps: float = 1e-6,
    programs: int = 264, rows: int | None = None, ahead: bool | None = None, **launch: Any,
) -> None:  # fmt: skip
    """The gradients of x, which is the sum where there was a residual, and of the weight. `ahead`:
    whether a program loads its next rows before it needs them; by default where registers alone
    hold them."""
    m, n = x.shape
    block = tilewright.next_power_of_2(n)
    rows = rows or max(4096 // block, 1)
    programs = min(tilewright.cdiv(m, rows), programs)
    if ahead is None:
        ahead = rows * block <= 512 * launch.get("num_warps", 4)
    sums = None
    if weight is not None:
        sums = empty(x, (programs, n), "float32", launch.get("stream"))
    backward_kernel[(programs,)](
        grad, x, weight, x_grad, sums, strides(grad)[0], strides(x)[0], strides(x_grad)[0],
        m, n, eps, AHEAD=ahead, ROWS=rows, BLOCK=block, **launch,
    )  # fmt: skip
    if weight is not None:
        # All of a column are under way at once, as far as registers hold them.
        warps = launch.get("num_warps", 4)
        rows = min(tilewright.next_power_of_2(programs), 64 * warps)
        columns = min(1024 * warps // rows, 32)
        sum_of_programs_kernel[(tilewright.cdiv(n, columns),)](
            sums, weight_grad, programs, n, ROWS=rows, COLUMNS=columns, **launch
        )


def reference(
    x: numpy.ndarray, weight: numpy.ndarray | None = None, residual: numpy.ndarray | None = None,
    eps: float = 1e-6,
) -> numpy.ndarray:  # fmt: skip
    x = x.astype(numpy.float64)
    if residual is not None:
        x = x + residual
    out = x / numpy.sqrt((x * x).mean(axis=1, keepdims=True) + eps)
    return out if weight is None else out * weight


def reference_backward(
    grad: numpy.ndarray, x: numpy.ndarray, weight: numpy.ndarray | None = None, eps: float = 1e-6
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """The gradients of x and the weight."""
    grad, x = grad.astype(numpy.float64), x.astype(numpy.float64)
    inverse = 1 / numpy.sqrt((x * x).mean(axis=1, keepdims=True) + eps)
    normal = x * inverse
    scaled = grad if weight is None else grad * weight
    slope = (scaled * normal).mean(axis=1, keepdims=True)
    return (scaled - normal * slope) * inverse, (grad * normal).sum(axis=0)
