"""Products of matrices that lie anyhow: steps, rows that overlap, stand still or go backwards, and
operands that are computed of what is loaded. All numbers are small and whole, so that sums are
exact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy

import tilewright
import tilewright.language as tl

from .arrays import Case, Drawing, differs
from .products import draw_blocks, draw_sizes, draw_type

STRIDES = (0, 1, 1, 2, 3, 7, 8, 16, 24, 64, -1, -8)


@tilewright.jit
def strided_kernel(
    a, b, c, factors, M, N, K, a_first, a_row, a_column, b_first, b_row, b_column, c_row,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    ABSOLUTE: tl.constexpr,
):  # fmt: skip
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        places_a = a_first + m[:, None] * a_row + k[None, :] * a_column
        places_b = b_first + k[:, None] * b_row + n[None, :] * b_column
        x = tl.load(a + places_a, mask=(m < M)[:, None] & (k < K)[None, :], other=0)
        y = tl.load(b + places_b, mask=(k < K)[:, None] & (n < N)[None, :], other=0)
        if factors is not None:
            x *= tl.load(factors + k, mask=k < K, other=0.0)[None, :]
        if ABSOLUTE:
            y = tl.abs(y)
        total = tl.dot(x, y.to(x.dtype), total)
    tl.store(c + m[:, None] * c_row + n[None, :], total, mask=(m < M)[:, None] & (n < N)[None, :])


@dataclass
class Strided:
    """A matrix in an array of one dimension: where its first element is, and its strides."""

    array: Any
    first: int
    strides: tuple[int, int]
    values: numpy.ndarray


def draw_whole(drawing: Drawing, *shape: int) -> numpy.ndarray:
    return drawing.numbers.integers(-3, 4, shape).astype(numpy.float64)


def draw_strided(drawing: Drawing, rows: int, columns: int, dtype: str) -> Strided:
    """Often one whose rows or columns lie as those of a matrix do."""
    step, padding = drawing.pick(*STRIDES), drawing.pick(0, 0, 1, 8)
    strides = drawing.pick(
        (columns + padding, 1), (1, rows + padding), (step, 1), (1, step), (step, step)
    )
    places = numpy.arange(rows)[:, None] * strides[0] + numpy.arange(columns)[None, :] * strides[1]
    first = drawing.pick(0, 0, 1, 8) - int(places.min(initial=0))
    numbers = draw_whole(drawing, first + int(places.max(initial=0)) + 1)
    return Strided(drawing.device.put(numbers, dtype), first, strides, numbers[first + places])


def strided_product(drawing: Drawing) -> Case:
    dtype, (blocks, launch) = draw_type(drawing), draw_blocks(drawing)
    m, n, k = draw_sizes(drawing, blocks, launch["num_stages"])
    right, has_factors, absolute = (
        drawing.pick(dtype, dtype, "int8"),
        drawing.pick(True, False),
        drawing.pick(True, False),
    )

    def run() -> str:
        a, b = draw_strided(drawing, m, k, dtype), draw_strided(drawing, k, n, right)
        c = drawing.result(m, n, "float32")
        numbers = draw_whole(drawing, k + 1)
        factors = drawing.device.put(numbers, dtype) if has_factors else None
        strided_kernel[(tilewright.cdiv(m, blocks[0]), tilewright.cdiv(n, blocks[1]))](
            a.array, b.array, c.array, factors, m, n, k, a.first, *a.strides, b.first, *b.strides,
            int(c.whole.shape[1]), BLOCK_M=blocks[0], BLOCK_N=blocks[1], BLOCK_K=blocks[2],
            ABSOLUTE=absolute, **launch,
        )  # fmt: skip
        x = a.values * numbers[:k] if has_factors else a.values
        wanted = x @ (abs(b.values) if absolute else b.values)
        return differs(c.values(), wanted, "float32") or c.what_is_beside()

    text = f"right={right} factors={has_factors} absolute={absolute}"
    return Case(f"strided product {dtype} {m} x {n} x {k} {text} {blocks} {launch}", run)
