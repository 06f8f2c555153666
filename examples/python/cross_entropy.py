"""Cross entropy of rows of logits and their labels, with label smoothing, forward and backward. A
label that is no class, and not the one to be ignored, makes the loss and its gradient NaN."""

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

# Of so few rows several programs share each, so many in all.
FEW_ROWS, PROGRAMS = 512, 4096


@tilewright.jit
def sums_of_row(logits, n_classes, HAS_SMOOTHING: tl.constexpr, BLOCK: tl.constexpr):
    """The largest of the logits, and sums: of powers of the distances to it, and of the logits."""
    most = LEAST
    total = 0.0
    sum_of_logits = 0.0
    for start in range(0, n_classes, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        inside = columns < n_classes
        x = tl.load(logits + columns, mask=inside, other=-float("inf")).to(tl.float32)
        next_most = tl.maximum(most, tl.max(x, axis=0))
        powers = tl.exp2((x - next_most) * LOG2_E)
        total = total * tl.exp2((most - next_most) * LOG2_E) + tl.sum(powers, axis=0)
        most = next_most
        if HAS_SMOOTHING:
            sum_of_logits += tl.sum(tl.where(inside, x, 0.0), axis=0)
    return most, total, sum_of_logits


@tilewright.jit
def store_loss(loss, lse, logits, row, label, most, total, sum_of_logits, n_classes, ignored,
               smoothing, HAS_SMOOTHING: tl.constexpr):  # fmt: skip
    """Of a row by what it is summed up to."""
    counts = label != ignored
    log_of_sum = most + tl.log(total)
    known = (label >= 0) & (label < n_classes)
    value = log_of_sum - tl.load(logits + label, mask=known, other=float("nan")).to(tl.float32)
    if HAS_SMOOTHING:
        even = log_of_sum - sum_of_logits / n_classes
        value = (1.0 - smoothing) * value + smoothing * even
    # An ignored row may hold anything, also infinities.
    tl.store(loss + row, tl.where(counts, value, 0.0))
    tl.store(lse + row, tl.where(counts, log_of_sum, 0.0))


@tilewright.jit
def forward_kernel(logits, labels, loss, lse, stride, n_classes, ignored, smoothing,
                   HAS_SMOOTHING: tl.constexpr, BLOCK: tl.constexpr):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    label = tl.load(labels + row)
    logits += row * stride
    most, total, sum_of_logits = sums_of_row(logits, n_classes, HAS_SMOOTHING, BLOCK)
    store_loss(loss, lse, logits, row, label, most, total, sum_of_logits, n_classes, ignored,
               smoothing, HAS_SMOOTHING)  # fmt: skip


@tilewright.jit
def parts_kernel(logits, sums, stride, n_classes, part_classes, HAS_SMOOTHING: tl.constexpr,
                 BLOCK: tl.constexpr):  # fmt: skip
    """What parts of rows are summed up to. `sums`: of each row and part the largest logit, the sum
    of powers, and that of logits, three arrays one behind the other."""
    # The kernel that adds up begins while this one ends.
    tl.extra.cuda.gdc_wait()
    row = tl.program_id(0).to(tl.int64)
    parts = tl.num_programs(1)
    first = tl.program_id(1) * part_classes
    logits += row * stride + first
    most, total, sum_of_logits = sums_of_row(
        logits, tl.minimum(n_classes - first, part_classes), HAS_SMOOTHING, BLOCK
    )
    all_parts = tl.num_programs(0).to(tl.int64) * parts
    sums += row * parts + tl.program_id(1)
    tl.store(sums, most)
    tl.store(sums + all_parts, total)
    if HAS_SMOOTHING:
        tl.store(sums + 2 * all_parts, sum_of_logits)


@tilewright.jit
def sum_of_parts_kernel(sums, logits, labels, loss, lse, stride, n_parts, n_classes, ignored,
                        smoothing, HAS_SMOOTHING: tl.constexpr, PARTS: tl.constexpr):  # fmt: skip
    tl.extra.cuda.gdc_wait()
    row = tl.program_id(0).to(tl.int64)
    label = tl.load(labels + row)
    all_parts = tl.num_programs(0).to(tl.int64) * n_parts
    columns = tl.arange(0, PARTS)
    inside = columns < n_parts
    sums += row * n_parts + columns
    mosts = tl.load(sums, mask=inside, other=LEAST)
    totals = tl.load(sums + all_parts, mask=inside, other=0.0)
    most = tl.max(mosts, axis=0)
    total = tl.sum(totals * tl.exp2((mosts - most) * LOG2_E), axis=0)
    sum_of_logits = 0.0
    if HAS_SMOOTHING:
        sum_of_logits = tl.sum(tl.load(sums + 2 * all_parts, mask=inside, other=0.0), axis=0)
    store_loss(loss, lse, logits + row * stride, row, label, most, total, sum_of_logits, n_classes,
               ignored, smoothing, HAS_SMOOTHING)  # fmt: skip


@tilewright.jit
def backward_kernel(grad, logits, labels, lse, logits_grad, stride, grad_stride, n_classes, ignored,
                    smoothing, HAS_SMOOTHING: tl.constexpr, BLOCK: tl.constexpr):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = columns < n_classes
    label = tl.load(labels + row)
    known = (label >= 0) & (label < n_classes)
    factor = tl.load(grad + row, mask=known, other=float("nan"))
    x = tl.load(logits + row * stride + columns, mask=inside, other=-float("inf")).to(tl.float32)
    difference = tl.exp2((x - tl.load(lse + row)) * LOG2_E)
    if HAS_SMOOTHING:
        difference -= smoothing / n_classes
        difference = tl.where(columns == label, difference - (1.0 - smoothing), difference)
    else:
        difference = tl.where(columns == label, difference - 1.0, difference)
    # An ignored row may hold anything, also infinities.
    result = tl.where(label == ignored, 0.0, difference * factor)
    target = logits_grad + row * grad_stride + columns
    tl.store(target, result.to(logits_grad.dtype.element_ty), mask=inside)


def forward(
    logits: Any, labels: Any, loss: Any, lse: Any, ignored: int = -100, smoothing: float = 0.0,
    block: int = 4096, parts: int | None = None, **launch: Any,
) -> None:  # fmt: skip
    """The loss of each row, and the logarithm of its sum of powers; 0 for rows to be ignored.
    `parts`: programs that share a row; by default several where there are few, and long ones."""
    m, n = logits.shape
    block = min(block, tilewright.next_power_of_2(n))
    if parts is None:
        parts = tilewright.cdiv(PROGRAMS, m) if 0 < m <= FEW_ROWS and n > 8 * block else 1
    part = max(tilewright.cdiv(tilewright.cdiv(n, parts), block), 1) * block
    parts = tilewright.cdiv(n, part)
    stride, has_smoothing = strides(logits)[0], smoothing > 0
    if parts <= 1:
        forward_kernel[(m,)](
            logits, labels, loss, lse, stride, n, ignored, smoothing,
            HAS_SMOOTHING=has_smoothing, BLOCK=block, **launch,
        )  # fmt: skip
        return
    sums = empty(logits, (2 + has_smoothing, m, parts), "float32", launch.get("stream"))
    parts_kernel[(m, parts)](
        logits, sums, stride, n, part, HAS_SMOOTHING=has_smoothing, BLOCK=block, **launch
    )
    sum_of_parts_kernel[(m,)](
        sums, logits, labels, loss, lse, stride, parts, n, ignored, smoothing,
        HAS_SMOOTHING=has_smoothing, PARTS=tilewright.next_power_of_2(parts), **launch,
    )  # fmt: skip


def backward(
    grad: Any, logits: Any, labels: Any, lse: Any, logits_grad: Any, ignored: int = -100,
    smoothing: float = 0.0, block: int = 4096, **launch: Any,
) -> None:  # fmt: skip
    """The gradient of the logits by that of the losses."""
    m, n = logits.shape
    block = min(block, tilewright.next_power_of_2(n))
    backward_kernel[(m, tilewright.cdiv(n, block))](
        grad, logits, labels, lse, logits_grad, strides(logits)[0], strides(logits_grad)[0], n,
        ignored, smoothing, HAS_SMOOTHING=smoothing > 0, BLOCK=block, **launch,
    )  # fmt: skip


def reference(
    logits: numpy.ndarray, labels: numpy.ndarray, ignored: int = -100, smoothing: float = 0.0
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """The losses, and the logarithms of the sums."""
    x = logits.astype(numpy.float64)
    most = x.max(axis=1)
    lse = most + numpy.log(numpy.exp(x - most[:, None]).sum(axis=1))
    known = (labels >= 0) & (labels < x.shape[1])
    picked = x[numpy.arange(len(x)), numpy.where(known, labels, 0)]
    loss = lse - numpy.where(known, picked, numpy.nan)
    if smoothing:
        loss = (1 - smoothing) * loss + smoothing * (lse - x.mean(axis=1))
    return numpy.where(labels == ignored, 0, loss), numpy.where(labels == ignored, 0, lse)


def reference_backward(
    grad: numpy.ndarray, logits: numpy.ndarray, labels: numpy.ndarray, ignored: int = -100,
    smoothing: float = 0.0,
) -> numpy.ndarray:  # fmt: skip
    x = logits.astype(numpy.float64)
    powers = numpy.exp(x - x.max(axis=1, keepdims=True))
    result = powers / powers.sum(axis=1, keepdims=True) - smoothing / x.shape[1]
    known = (labels >= 0) & (labels < x.shape[1])
    result[numpy.arange(len(x)), numpy.where(known, labels, 0)] -= 1 - smoothing
    factors = numpy.where(known, grad, numpy.where(labels == ignored, 0, numpy.nan))
    return numpy.where((labels == ignored)[:, None], 0, result * factors[:, None])
