"""Layer norm of rows: forward, and backward in three ways, which differ in how the programs add up
the gradients of weight and bias: each in a buffer of its own, which a second kernel adds, so that
the result has the same bits in each run; by atomics; or in buffers that locks guard."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import empty, strides, zeros

# Several programs share each of so few rows, and rows of more columns than a program has registers
# for: one after the other, in parts of so many.
FEW_ROWS, LONG_ROW, LONGEST_ROW, PART = 32, 65536, 2**19, 4096


@tilewright.jit
def load_row(row, columns, N):
    """Elements of a row, zeros beyond its end."""
    return tl.load(row + columns, mask=columns < N, other=0.0).to(tl.float32)


@tilewright.jit
def forward_kernel(x, out, weight, bias, mean, rstd, x_stride, out_stride, N, eps,
                   BLOCK: tl.constexpr):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    x += row * x_stride
    out += row * out_stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        total += load_row(x, start + tl.arange(0, BLOCK), N)
    average = tl.sum(total, axis=0) / N
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, N, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        distance = tl.where(columns < N, load_row(x, columns, N) - average, 0.0)
        squares += distance * distance
    inverse = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + eps)
    tl.store(mean + row, average)
    tl.store(rstd + row, inverse)
    for start in range(0, N, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        value = (load_row(x, columns, N) - average) * inverse
        if weight is not None:
            value *= load_row(weight, columns, N)
        if bias is not None:
            value += load_row(bias, columns, N)
        tl.store(out + columns, value.to(out.dtype.element_ty), mask=columns < N)


@tilewright.jit
def sums_of_parts_kernel(x, sums, stride, N, BLOCK: tl.constexpr):
    """Of each row and part the mean, and the sum of squared distances to it, two arrays."""
    # The kernel that writes the result begins while this one ends.
    tl.extra.cuda.gdc_wait()
    row = tl.program_id(0).to(tl.int64)
    first = tl.program_id(1) * BLOCK
    columns = tl.arange(0, BLOCK)
    value = load_row(x + row * stride + first, columns, N - first)
    average = tl.sum(value, axis=0) / tl.minimum(N - first, BLOCK)
    distance = tl.where(columns < N - first, value - average, 0.0)
    sums += row * tl.num_programs(1) + tl.program_id(1)
    tl.store(sums, average)
    sums += tl.num_programs(0).to(tl.int64) * tl.num_programs(1)
    tl.store(sums, tl.sum(distance * distance, axis=0))


@tilewright.jit
def parts_kernel(x, sums, out, weight, bias, mean, rstd, x_stride, out_stride, N, eps, n_parts,
                 BLOCK: tl.constexpr, PARTS: tl.constexpr):  # fmt: skip
    tl.extra.cuda.gdc_wait()
    row = tl.program_id(0).to(tl.int64)
    part = tl.arange(0, PARTS)
    sums += row * n_parts
    averages = load_row(sums, part, n_parts)
    squares = load_row(sums + tl.num_programs(0).to(tl.int64) * n_parts, part, n_parts)
    first = tl.program_id(1) * BLOCK
    columns = tl.arange(0, BLOCK)
    value = load_row(x + row * x_stride + first, columns, N - first)
    counts = tl.maximum(tl.minimum(N - part * BLOCK, BLOCK), 0).to(tl.float32)
    average = tl.sum(averages * counts, axis=0) / N
    # The distances of parts are those to their own means, and of these to that of all.
    distance = averages - average
    variance = tl.sum(squares + distance * distance * counts, axis=0) / N
    inverse = 1 / tl.sqrt(variance + eps)
    if tl.program_id(1) == 0:
        tl.store(mean + row, average)
        tl.store(rstd + row, inverse)
    value = (value - average) * inverse
    if weight is not None:
        value *= load_row(weight + first, columns, N - first)
    if bias is not None:
        value += load_row(bias + first, columns, N - first)
    place = out + row * out_stride + first + columns
    tl.store(place, value.to(out.dtype.element_ty), mask=columns < N - first)


@tilewright.jit
def gradients_of_row(grad, x, weight, mean, rstd, row, x_stride, grad_stride, N, columns):
    """Those of x, weight and bias by one row of x."""
    y_grad = load_row(grad + row * grad_stride, columns, N)
    inverse = tl.load(rstd + row)
    normal = (load_row(x + row * x_stride, columns, N) - tl.load(mean + row)) * inverse
    normal = tl.where(columns < N, normal, 0.0)
    scaled = y_grad * load_row(weight, columns, N)
    slope = tl.sum(scaled * normal, axis=0) / N
    level = tl.sum(scaled, axis=0) / N
    return (scaled - normal * slope - level) * inverse, y_grad * normal, y_grad


@tilewright.jit
def load_rows(x, rows, columns, stride, M, N):
    """As they are stored, and zeros beyond the last row and the last column."""
    inside = (rows < M) & (columns < N)
    return tl.load(x + rows.to(tl.int64) * stride + columns, mask=inside, other=0.0)


@tilewright.jit
def load_all(grad, x, mean, rstd, rows, columns, grad_stride, x_stride, M, N):
    """What a gradient needs of some rows."""
    g = load_rows(grad, rows, columns, grad_stride, M, N)
    value = load_rows(x, rows, columns, x_stride, M, N)
    average = tl.load(mean + rows, mask=rows < M, other=0.0)
    return g, value, average, tl.load(rstd + rows, mask=rows < M, other=0.0)


@tilewright.jit
def backward_kernel(grad, x, weight, mean, rstd, x_grad, weight_sums, bias_sums,
                    x_stride, grad_stride, x_grad_stride, M, N,
                    ATOMIC: tl.constexpr, AHEAD: tl.constexpr, ROWS: tl.constexpr,
                    BLOCK: tl.constexpr):  # fmt: skip
    # The kernel that adds up begins while this one ends.
    tl.extra.cuda.gdc_wait()
    columns = tl.arange(0, BLOCK)[None, :]
    weights = tl.load(weight + columns, mask=columns < N, other=0.0)
    weight_sum = tl.zeros((ROWS, BLOCK), dtype=tl.float32)
    bias_sum = tl.zeros((ROWS, BLOCK), dtype=tl.float32)
    # A program does several rows, and then has one sum of them. While it does some, the next ones
    # are under way, if there are registers for them.
    step = tl.num_programs(0) * ROWS
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    if AHEAD:
        next_ones = load_all(grad, x, mean, rstd, rows, columns, grad_stride, x_stride, M, N)
    for start in range(tl.program_id(0) * ROWS, M, step):
        rows = start + tl.arange(0, ROWS)[:, None]
        if AHEAD:
            g, value, average, inverse = next_ones
        else:
            g, value, average, inverse = load_all(
                grad, x, mean, rstd, rows, columns, grad_stride, x_stride, M, N
            )  # fmt: skip
        g, value = g.to(tl.float32), value.to(tl.float32)
        if AHEAD:
            next_ones = load_all(
                grad, x, mean, rstd, rows + step, columns, grad_stride, x_stride, M, N
            )  # fmt: skip
        inside = (rows < M) & (columns < N)
        normal = (value - average) * inverse
        weight_sum += g * normal
        bias_sum += g
        # Zeros beyond the end of the row.
        scaled = g * weights.to(tl.float32)
        slope = tl.sum(scaled * normal, axis=1, keep_dims=True) / N
        level = tl.sum(scaled, axis=1, keep_dims=True) / N
        result = (scaled - normal * slope - level) * inverse
        target = x_grad + rows.to(tl.int64) * x_grad_stride + columns
        tl.store(target, result.to(x_grad.dtype.element_ty), mask=inside)
    weight_total = tl.sum(weight_sum, axis=0, keep_dims=True)
    bias_total = tl.sum(bias_sum, axis=0, keep_dims=True)
    if ATOMIC:
        tl.atomic_add(weight_sums + columns, weight_total, mask=columns < N)
        tl.atomic_add(bias_sums + columns, bias_total, mask=columns < N)
    else:
        first = tl.program_id(0) * N
        tl.store(weight_sums + first + columns, weight_total, mask=columns < N)
        tl.store(bias_sums + first + columns, bias_total, mask=columns < N)


@tilewright.jit
def backward_lock_kernel(grad, x, weight, mean, rstd, x_grad, weight_sums, bias_sums, locks,
                         x_stride, grad_stride, x_grad_stride, N,
                         GROUPS: tl.constexpr, BLOCK: tl.constexpr):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    inside = columns < N
    of_x, of_weight, of_bias = gradients_of_row(
        grad, x, weight, mean, rstd, row, x_stride, grad_stride, N, columns
    )
    target = x_grad + row * x_grad_stride + columns
    tl.store(target, of_x.to(x_grad.dtype.element_ty), mask=inside)
    # The rows of a group share a buffer, a lock, and a word that is 1 once the buffer has numbers.
    group = tl.program_id(0) % GROUPS
    lock = locks + group
    used = locks + GROUPS + group
    weight_sum = weight_sums + group * N + columns
    bias_sum = bias_sums + group * N + columns
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    if tl.load(used) == 0:
        tl.atomic_xchg(used, 1)
    else:
        of_weight += tl.load(weight_sum, mask=inside)
        of_bias += tl.load(bias_sum, mask=inside)
    tl.store(weight_sum, of_weight, mask=inside)
    tl.store(bias_sum, of_bias, mask=inside)
    # All threads have stored before one of them opens the lock.
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@tilewright.jit
def sum_of_groups_kernel(weight_sums, bias_sums, weight_grad, bias_grad, GROUPS, N,
                         BLOCK_G: tl.constexpr, BLOCK_N: tl.constexpr):  # fmt: skip
    tl.extra.cuda.gdc_wait()
    columns = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    of_weight = tl.zeros((BLOCK_G, BLOCK_N), dtype=tl.float32)
    of_bias = tl.zeros((BLOCK_G, BLOCK_N), dtype=tl.float32)
    for start in range(0, GROUPS, BLOCK_G):
        groups = start + tl.arange(0, BLOCK_G)
        inside = (groups[:, None] < GROUPS) & (columns[None, :] < N)
        places = groups[:, None] * N + columns[None, :]
        of_weight += tl.load(weight_sums + places, mask=inside, other=0.0)
        of_bias += tl.load(bias_sums + places, mask=inside, other=0.0)
    tl.store(weight_grad + columns, tl.sum(of_weight, axis=0), mask=columns < N)
    tl.store(bias_grad + columns, tl.sum(of_bias, axis=0), mask=columns < N)


def forward(
    x: Any, out: Any, weight: Any, bias: Any, mean: Any, rstd: Any, eps: float = 1e-5,
    block: int | None = None, **launch: Any,
) -> None:  # fmt: skip
    """out = (x - mean) * rstd * weight + bias; without weight or bias where they are None.
    `block`: columns that a program takes at a time; by default all, so that it reads them once,
    or parts of several programs where there are few, or very long rows."""
    m, n = x.shape
    if block is None and n > (LONG_ROW if m <= FEW_ROWS else LONGEST_ROW):
        forward_in_parts(x, out, weight, bias, mean, rstd, eps, **launch)
        return
    if block is None:
        block = tilewright.next_power_of_2(n)
    forward_kernel[(m,)](
        x, out, weight, bias, mean, rstd, strides(x)[0], strides(out)[0], n, eps,
        BLOCK=block, **launch,
    )  # fmt: skip


def forward_in_parts(
    x: Any, out: Any, weight: Any, bias: Any, mean: Any, rstd: Any, eps: float = 1e-5,
    **launch: Any,
) -> None:  # fmt: skip
    """The same, a row by several programs, which read it twice."""
    m, n = x.shape
    parts = tilewright.cdiv(n, PART)
    sums = empty(x, (2, m, parts), "float32", launch.get("stream"))
    sums_of_parts_kernel[(m, parts)](x, sums, strides(x)[0], n, BLOCK=PART, **launch)
    parts_kernel[(m, parts)](
        x, sums, out, weight, bias, mean, rstd, strides(x)[0], strides(out)[0], n, eps, parts,
        BLOCK=PART, PARTS=tilewright.next_power_of_2(parts), **launch,
    )  # fmt: skip


def backward(
    grad: Any, x: Any, weight: Any, mean: Any, rstd: Any, x_grad: Any, weight_grad: Any,
    bias_grad: Any, atomic: bool = False, programs: int = 264, rows: int | None = None,
    ahead: bool | None = None, **launch: Any,
) -> None:  # fmt: skip
    """The gradients. Those of weight and bias are f32, and are added to what is there if they are
    summed up by atomics. `ahead`: whether a program loads its next rows before it needs them; by
    default where registers alone hold them."""
    m, n = x.shape
    block = tilewright.next_power_of_2(n)
    rows = rows or max(4096 // block, 1)
    programs = min(tilewright.cdiv(m, rows), programs)
    if ahead is None:
        ahead = rows * block <= 512 * launch.get("num_warps", 4)
    sums = [weight_grad, bias_grad]
    if not atomic:
        sums = [empty(x, (programs, n), "float32", launch.get("stream")) for _ in range(2)]
    backward_kernel[(programs,)](
        grad, x, weight, mean, rstd, x_grad, *sums,
        strides(x)[0], strides(grad)[0], strides(x_grad)[0], m, n,
        ATOMIC=atomic, AHEAD=ahead, ROWS=rows, BLOCK=block, **launch,
    )  # fmt: skip
    if not atomic:
        add_groups(*sums, weight_grad, bias_grad, **launch)


def backward_atomic(*arrays: Any, **options: Any) -> None:
    """The same by atomics."""
    backward(*arrays, atomic=True, **options)


def add_groups(
    weight_sums: Any, bias_sums: Any, weight_grad: Any, bias_grad: Any, **launch: Any
) -> None:
    """The sums of the rows of both, each column in the same order in each run."""
    groups, n = weight_sums.shape
    # All of a column are under way at once, as far as registers hold them.
    warps = launch.get("num_warps", 4)
    rows = min(tilewright.next_power_of_2(groups), 64 * warps)
    columns = min(1024 * warps // rows, 32)
    sum_of_groups_kernel[(tilewright.cdiv(n, columns),)](
        weight_sums, bias_sums, weight_grad, bias_grad, groups, n, BLOCK_G=rows, BLOCK_N=columns,
        **launch,
    )  # fmt: skip


def backward_locks(
    grad: Any, x: Any, weight: Any, mean: Any, rstd: Any, x_grad: Any, weight_grad: Any,
    bias_grad: Any, groups: int = 64, **launch: Any,
) -> None:  # fmt: skip
    """The gradients; those of weight and bias are f32."""
    m, n = x.shape
    # A group without a row would leave its buffer without numbers.
    groups = min(groups, m)
    stream = launch.get("stream")
    locks = zeros(x, (2 * groups,), "int32", stream)
    weight_sums = empty(x, (groups, n), "float32", stream)
    bias_sums = empty(x, (groups, n), "float32", stream)
    backward_lock_kernel[(m,)](
        grad, x, weight, mean, rstd, x_grad, weight_sums, bias_sums, locks,
        strides(x)[0], strides(grad)[0], strides(x_grad)[0], n,
        GROUPS=groups, BLOCK=tilewright.next_power_of_2(n), **launch,
    )  # fmt: skip
    add_groups(weight_sums, bias_sums, weight_grad, bias_grad, **launch)


def reference(
    x: numpy.ndarray, weight: numpy.ndarray | None, bias: numpy.ndarray | None, eps: float = 1e-5
) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """The result, the means and the inverse deviations."""
    x = x.astype(numpy.float64)
    mean = x.mean(axis=1)
    rstd = 1 / numpy.sqrt(x.var(axis=1) + eps)
    out = (x - mean[:, None]) * rstd[:, None]
    if weight is not None:
        out = out * weight
    return (out if bias is None else out + bias), mean, rstd


def reference_backward(
    grad: numpy.ndarray, x: numpy.ndarray, weight: numpy.ndarray, eps: float = 1e-5
) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """The gradients of x, weight and bias."""
    normal, _, rstd = reference(x, None, None, eps)
    grad = grad.astype(numpy.float64)
    scaled = grad * weight
    slope = (scaled * normal).mean(axis=1, keepdims=True)
    level = scaled.mean(axis=1, keepdims=True)
    of_x = (scaled - normal * slope - level) * rstd[:, None]
    return of_x, (grad * normal).sum(axis=0), grad.sum(axis=0)
