"""Cumulative sums along the rows of a matrix, from the left or from the right. Where there are few
rows, and long ones, many programs have parts of each, and tell one another what these come to."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import strides, zeros

# What registers hold of a row, the length of a part (twice that of long rows), and how many of them
# a row has at the most: each looks at all before it.
WHOLE_ROW = 8192
PART = 4096
LONG_ROW = 2**21
MOST_PARTS = 16384


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


@tilewright.jit
def cumsum_parts_kernel(x, out, totals, x_stride, out_stride, M, N, parts,
                        TYPE: tl.constexpr, REVERSE: tl.constexpr, STEP: tl.constexpr,
                        BLOCK: tl.constexpr, PARTS: tl.constexpr):  # fmt: skip
    # Whoever has a lower number runs already, so that it is right to wait for it.
    number = tl.atomic_add(totals, 1)
    row, part = number % M, (number // M).to(tl.int32)
    # Parts begin at multiples of STEP in memory, the first one before its row.
    before = (row * x_stride & (STEP - 1)).to(tl.int32)
    first = (parts - 1 - part if REVERSE else part) * BLOCK
    places = first + tl.arange(0, BLOCK)
    inside = (places >= before) & (places - before < N)
    is_whole = (first >= before) & (first - before + BLOCK <= N)
    x_row = x + tl.multiple_of(row * x_stride - before, STEP)
    if is_whole:
        values = tl.load(x_row + places).to(TYPE)
    else:
        values = tl.load(x_row + places, mask=inside, other=0).to(TYPE)
    # A total and that it is there are one word.
    there: tl.constexpr = 1 << 32
    total = tl.sum(values, axis=0).to(tl.int32, bitcast=True).to(tl.int64) & 0xFFFFFFFF
    totals_of_row = totals + 1 + row * parts
    tl.atomic_xchg(totals_of_row + part, there | total, sem="relaxed")
    sums = tl.cumsum(values, axis=0, reverse=REVERSE)
    others = tl.arange(0, PARTS)
    found = tl.load(totals_of_row + others, mask=others < part, other=there, volatile=True)
    while tl.min(found, axis=0) == 0:
        found = tl.load(totals_of_row + others, mask=others < part, other=there, volatile=True)
    sums += tl.sum(found.to(tl.int32).to(TYPE, bitcast=True), axis=0)
    out_row = out + tl.multiple_of(row * out_stride - before, STEP)
    if is_whole:
        tl.store(out_row + places, sums.to(out.dtype.element_ty))
    else:
        tl.store(out_row + places, sums.to(out.dtype.element_ty), mask=inside)


def cumsum(
    x: Any, out: Any, reverse: bool = False, dtype: Any = tl.float32, block: int | None = None,
    programs: int = 528, **launch: Any,
) -> None:  # fmt: skip
    """out[i, j] = the sum of x[i, 0] to x[i, j], or of x[i, j] to the last of the row; summed up in
    a type of the language."""
    m, n = x.shape
    # Where both arrays have rows alike, parts begin with vectors of both.
    step = 16 if strides(x)[0] == strides(out)[0] else 1
    part = PART if n <= LONG_ROW else 2 * PART
    parts = tilewright.cdiv(n + step - 1, part)
    if (
        n > WHOLE_ROW
        and parts <= MOST_PARTS
        and m < programs
        and block is None
        and dtype in (tl.float32, tl.int32)
    ):
        state = zeros(x, (1 + m * parts,), "int64", launch.get("stream"))
        cumsum_parts_kernel[(m * parts,)](
            x, out, state, strides(x)[0], strides(out)[0], m, n,
            parts, TYPE=dtype, REVERSE=reverse, STEP=step, BLOCK=part,
            PARTS=tilewright.next_power_of_2(parts), **launch,
        )  # fmt: skip
        return
    # Rows that registers hold are read at once.
    block = block or (tilewright.next_power_of_2(n) if n <= WHOLE_ROW else 4096)
    cumsum_kernel[(m,)](
        x, out, strides(x)[0], strides(out)[0], n, TYPE=dtype, REVERSE=reverse, BLOCK=block,
        **launch,
    )  # fmt: skip


def reference(x: numpy.ndarray, reverse: bool = False) -> numpy.ndarray:
    numbers = x.astype(numpy.int64 if x.dtype.kind in "iu" else numpy.float64)
    if reverse:
        return numbers[:, ::-1].cumsum(axis=1)[:, ::-1]
    return numbers.cumsum(axis=1)
