"""Rows in parts, of which the next one is loaded ahead, and several rows in a tile.

They have any length, and begin anywhere; masks are of columns and of rows.
"""

from __future__ import annotations

import numpy

import tilewright
import tilewright.language as tl

from .arrays import UNTOUCHED, Case, Drawing, Matrix, differs, first_complaint
from .rows import draw_float, draw_launch


@tilewright.jit
def parts_kernel(x, out, most, sums, x_stride, out_stride, n, BLOCK: tl.constexpr):
    """The largest element and the sum of small ones; then what is below the largest."""
    row = tl.program_id(0)
    largest, total = -float("inf"), 0.0
    for part in range(0, tl.cdiv(n, BLOCK) * BLOCK, BLOCK):
        columns = part + tl.arange(0, BLOCK)
        values = tl.load(x + row * x_stride + columns, mask=columns < n, other=-float("inf"))
        largest = max(largest, tl.max(values, axis=0).to(tl.float32))
        small = (values > -1) & (values < 1)
        total += tl.sum(tl.where(small, values, 0).to(tl.float32), axis=0)
    tl.store(most + row, largest)
    tl.store(sums + row, total)
    for part in range(0, n, BLOCK):
        columns = part + tl.arange(0, BLOCK)
        values = tl.load(x + row * x_stride + columns, mask=columns < n, other=0)
        below = tl.minimum(values.to(tl.float32), largest - 1)
        tl.store(out + row * out_stride + columns, below.to(out.dtype.element_ty), columns < n)


@tilewright.jit
def tiles_kernel(x, out, sums, x_stride, out_stride, m, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Sums of rows, several in a tile, and the elements that are not negative."""
    columns = tl.arange(0, BLOCK)[None, :]
    for first in range(tl.program_id(0) * ROWS, m, tl.num_programs(0) * ROWS):
        rows = first + tl.arange(0, ROWS)
        inside = (columns < n) & (rows < m)[:, None]
        values = tl.load(x + rows[:, None] * x_stride + columns, mask=inside, other=0)
        tl.store(sums + rows, tl.sum(values.to(tl.float32), axis=1), mask=rows < m)
        place = out + rows[:, None] * out_stride + columns
        tl.store(place, values, mask=inside & (values >= 0))


def stride_of(matrix: Matrix) -> int:
    return int(matrix.whole.shape[1])


def parts_of_rows(drawing: Drawing) -> Case:
    (m, n), dtype, launch = drawing.shape(), draw_float(drawing), draw_launch(drawing)
    block = drawing.pick(256, 1024, 2048)

    def run() -> str:
        x, out = drawing.matrix(drawing.normal(m, n), dtype), drawing.result(m, n, dtype)
        most, sums = (drawing.device.put(numpy.zeros(m), "float32") for _ in range(2))
        strides = (stride_of(x), stride_of(out))
        parts_kernel[(m,)](x.array, out.array, most, sums, *strides, n, BLOCK=block, **launch)
        values = x.values()
        largest = values.max(axis=1)
        small = numpy.where(abs(values) < 1, values, 0)
        slack = 2.0**-20 * abs(small).sum(axis=1)
        below = numpy.minimum(values, largest[:, None] - 1)
        return first_complaint(
            [
                ("largest", differs(drawing.device.get(most), largest, "float32", 0.0)),
                ("sum", differs(drawing.device.get(sums), small.sum(axis=1), "float32", slack)),
                ("below", differs(out.values(), below, dtype) or out.what_is_beside()),
            ]
        )

    return Case(f"parts of rows {dtype} {m} x {n} block={block} {launch}", run)


def tiles_of_rows(drawing: Drawing) -> Case:
    dtype, launch = draw_float(drawing), draw_launch(drawing)
    m, block = drawing.random.randint(1, 20), drawing.pick(64, 1024, 2048)
    n = max(block * drawing.random.randint(1, 16) // 16 + drawing.pick(-1, 0, 1), 1)
    rows, programs = drawing.pick(1, 2, 4), drawing.pick(1, 2, 7)

    def run() -> str:
        x, out = drawing.matrix(drawing.normal(m, n), dtype), drawing.result(m, n, dtype)
        sums = drawing.device.put(numpy.zeros(m), "float32")
        tiles_kernel[(programs,)](
            x.array, out.array, sums, stride_of(x), stride_of(out), m, n,
            ROWS=rows, BLOCK=block, **launch,
        )  # fmt: skip
        values, there = x.values(), min(n, block)
        slack = 2.0**-20 * abs(values).sum(axis=1)
        wanted = numpy.where(values >= 0, values, UNTOUCHED)
        wanted[:, there:] = UNTOUCHED
        of_sums = values[:, :there].sum(axis=1)
        return first_complaint(
            [
                ("sum", differs(drawing.device.get(sums), of_sums, "float32", slack)),
                ("out", differs(out.values(), wanted, dtype, 0.0) or out.what_is_beside()),
            ]
        )

    return Case(f"tiles of {rows} rows {dtype} {m} x {n} of {block} {launch}", run)


FAMILIES = (parts_of_rows, tiles_of_rows)
