"""Sums, means and largest elements along any axis of an array. Partial results meet in a fixed
order, so that sums have the same bits in each run."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import empty


@tilewright.jit
def larger(x, y):
    return tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)


@tilewright.jit
def reduce_kernel(x, out, kept, length, parts, part_length, kept_stride, stride, scale,
                  LARGEST: tl.constexpr, TYPE: tl.constexpr,
                  KEPT: tl.constexpr, BLOCK: tl.constexpr):  # fmt: skip
    """Of x[outer, kept, length], where one of the last two is dense: out[outer, kept, part] is what
    one part along the last comes to."""
    blocks = tl.cdiv(kept, KEPT)
    outer = (tl.program_id(0) // blocks).to(tl.int64) * kept
    places = tl.program_id(0) % blocks * KEPT + tl.arange(0, KEPT)
    part = tl.program_id(1)
    end = tl.minimum((part + 1) * part_length, length)
    nothing: tl.constexpr = -float("inf") if LARGEST else 0.0
    total = tl.full((KEPT, BLOCK), nothing, TYPE)
    for start in range(part * part_length, end, BLOCK):
        steps = start + tl.arange(0, BLOCK)
        inside = (places < kept)[:, None] & (steps < end)[None, :]
        there = places.to(tl.int64)[:, None] * kept_stride + steps.to(tl.int64)[None, :] * stride
        values = tl.load(x + outer * length + there, mask=inside, other=nothing).to(TYPE)
        total = larger(total, values) if LARGEST else total + values
    result = tl.reduce(total, 1, larger) if LARGEST else tl.sum(total, axis=1) * scale
    target = out + (outer + places) * parts + part
    tl.store(target, result.to(out.dtype.element_ty), mask=places < kept)


def reduce(
    x: Any, out: Any, axis: int | None, largest: bool = False, scale: float = 1.0,
    dtype: Any = tl.float32, programs: int = 1056, **launch: Any,
) -> None:  # fmt: skip
    """out = the sums along an axis, or of all elements, times `scale`, or the largest. Where the
    result has few elements, many programs have parts of each."""
    axes = (0, x.ndim) if axis is None else (axis % x.ndim, axis % x.ndim + 1)
    outer, length = math.prod(x.shape[: axes[0]]), math.prod(x.shape[slice(*axes)])
    kept, kept_stride, stride = math.prod(x.shape[axes[1] :]), 1, math.prod(x.shape[axes[1] :])
    if kept == 1:
        # Rows: the last axis is combined.
        outer, kept, kept_stride, stride = 1, outer, length, 1
        block = min(tilewright.next_power_of_2(length), 4096)
        size = max(4096 // block, 1)
    else:
        size = min(tilewright.next_power_of_2(kept), 128)
        block = 4096 // size
    places = outer * tilewright.cdiv(kept, size)
    parts = max(min(programs // max(places, 1), length // (4 * block)), 1)
    part_length = tilewright.cdiv(tilewright.cdiv(length, parts), block) * block
    results = out
    if parts > 1:
        results = empty(x, (outer * kept, parts), "float64" if dtype == tl.float64 else "float32")
    reduce_kernel[(places, parts)](
        x.reshape(-1), results, kept, length, parts, part_length, kept_stride, stride,
        scale if parts == 1 else 1.0, LARGEST=largest, TYPE=dtype, KEPT=size, BLOCK=block, **launch,
    )  # fmt: skip
    if parts > 1:
        reduce(results, out, 1, largest, scale, dtype, programs=1, **launch)


def sums(x: Any, out: Any, axis: int | None = None, **options: Any) -> None:
    """out = the sum along an axis, or of all elements, in f32 or another `dtype`."""
    reduce(x, out, axis, **options)


def means(x: Any, out: Any, axis: int | None = None, **options: Any) -> None:
    """out = the mean, which is NaN of nothing."""
    count = math.prod(x.shape) if axis is None else x.shape[axis]
    reduce(x, out, axis, scale=1 / count if count else math.nan, **options)


def maxima(x: Any, out: Any, axis: int | None = None, **options: Any) -> None:
    """out = the largest; NaN where there is one, and -inf of nothing."""
    reduce(x, out, axis, largest=True, **options)


def reference(
    x: numpy.ndarray, axis: int | None, function: Callable[..., Any] = numpy.sum
) -> numpy.ndarray:
    result: numpy.ndarray = function(x.astype(numpy.float64), axis=axis)
    return result
