"""Sums, means and largest elements along any axis of an array. Partial results meet in a fixed
order, so that sums have the same bits in each run."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import empty, working_on


@tilewright.jit
def larger(x, y):
    return tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)


@tilewright.jit
def reduce_kernel(x, out, kept, length, rest, parts, part_length, scale,
                  LARGEST: tl.constexpr, TYPE: tl.constexpr, HAS_REST: tl.constexpr,
                  KEPT: tl.constexpr, BLOCK: tl.constexpr):  # fmt: skip
    """Of x[outer, length, kept]: out[outer, part, kept] is what one part of the length comes to.
    Behind the length stand the first `rest` elements of one step more."""
    # What adds up the parts begins while these are computed.
    tl.extra.cuda.gdc_wait()
    blocks = tl.cdiv(kept, KEPT)
    outer = (tl.program_id(0) // blocks).to(tl.int64)
    places = tl.program_id(0) % blocks * KEPT + tl.arange(0, KEPT)
    part = tl.program_id(1)
    first = 0 if parts == 1 else tl.multiple_of(part.to(length.dtype) * part_length, BLOCK)
    matrix = x + outer * (length.to(tl.int64) * kept + rest)
    nothing: tl.constexpr = -float("inf") if LARGEST else 0.0
    total = tl.full((KEPT, BLOCK), nothing, TYPE)
    for start in range(0, part_length, BLOCK):
        steps = first + start + tl.arange(0, BLOCK)
        inside = (places < kept)[:, None] & (steps < length)[None, :]
        there = steps.to(tl.int64)[None, :] * kept + places[:, None]
        values = tl.load(matrix + there, mask=inside, other=nothing).to(TYPE)
        total = larger(total, values) if LARGEST else total + values
    result = tl.reduce(total, 1, larger) if LARGEST else tl.sum(total, axis=1)
    if HAS_REST:
        inside = (places < rest) & (part == parts - 1)
        behind = matrix + length.to(tl.int64) * kept + places
        values = tl.load(behind, mask=inside, other=nothing).to(TYPE)
        result = larger(result, values) if LARGEST else result + values
    if not LARGEST:
        result *= scale
    target = out + (outer * parts + part) * kept + places
    tl.store(target, result.to(out.dtype.element_ty), mask=places < kept)


def choose_block(outer: int, length: int, kept: int) -> tuple[int, int]:
    """How many results a program has, and how many steps it takes at a time."""
    if kept == 1:
        # Rows, which are read at once where registers hold them.
        return 1, tilewright.next_power_of_2(length) if length <= 8192 else 2048
    size = min(tilewright.next_power_of_2(kept), 128)
    if size == 128 and tilewright.cdiv(kept, 128) * 128 > 1.15 * kept:
        size = 64  # A last block of few takes as long as a whole one.
    is_little = outer * length * kept <= 2**19 and length <= 4096
    if is_little or 64 < length <= 128:
        # All steps at once; of little so that nothing is left for another kernel to add up.
        block = tilewright.next_power_of_2(length)
        return min(size, 4096 // block), block
    block = (4096 if kept <= 64 else 2048) // size
    # So does a last block of few steps.
    while block > 8 and tilewright.cdiv(length, block) * block > 1.25 * length:
        block //= 2
    return min(tilewright.next_power_of_2(kept), max(size, 2048 // block)), block


def choose_fold(outer: int, length: int, kept: int) -> int:
    """How many steps are taken as one, which is as many times as wide. Where rows are odd, each of
    them begins elsewhere in a vector; all begin with one if 16 of them are a row. Only short ones,
    of which blocks would have lanes for none."""
    fold = 16 // math.gcd(kept, 16)
    is_short = 32 < kept <= 1024
    if outer > 1 or fold == 1 or not is_short or length < 64 * fold or length * kept < 2**20:
        return 1
    while fold * kept < 2048 and length >= 128 * fold:
        fold *= 2
    return fold


def reduce(
    x: Any, out: Any, axis: int | None, largest: bool = False, scale: float = 1.0,
    dtype: Any = tl.float32, programs: int = 1056, **launch: Any,
) -> None:  # fmt: skip
    """out = the sums along an axis, or of all elements, times `scale`, or the largest. Where the
    result has few elements, many programs have parts of each."""
    axes = (0, x.ndim) if axis is None else (axis % x.ndim, axis % x.ndim + 1)
    outer, length = math.prod(x.shape[: axes[0]]), math.prod(x.shape[slice(*axes)])
    kept = math.prod(x.shape[axes[1] :])
    fold = choose_fold(outer, length, kept)
    rest, length, kept = length % fold * kept, length // fold, kept * fold
    size, block = choose_block(outer, length, kept)
    places = outer * tilewright.cdiv(kept, size)
    parts = max(min(programs // max(places, 1), length // (4 * block)), 1)
    part_length = tilewright.cdiv(tilewright.cdiv(length, block), parts) * block
    results, is_last = out, parts * fold == 1
    if not is_last:
        type_name = "float64" if dtype == tl.float64 else "float32"
        shape = (outer, parts * fold, kept // fold)
        results = empty(x, shape, type_name, launch.get("stream"))
    with working_on(launch.get("stream"), x):
        flat = x.reshape(-1)
    reduce_kernel[(places, parts)](
        flat, results, kept, length, rest, parts, part_length, scale if is_last else 1.0,
        LARGEST=largest, TYPE=dtype, HAS_REST=rest > 0, KEPT=size, BLOCK=block, **launch,
    )  # fmt: skip
    if not is_last:
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
