"""A matrix product in the Python language, as short as it can be written: a program makes one tile
of C, and the compiler has to find stages, roles, bulk copies and the walk over the tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tilewright
import tilewright.language as tl


@tilewright.jit
def finish(
    total, bias, scales, residual, m, n, M, N,
    HEIGHT: tl.constexpr, WIDTH: tl.constexpr, EPILOGUE: tl.constexpr,
):  # fmt: skip
    """What is done with sums before they are stored."""
    rows, columns = m + tl.arange(0, HEIGHT), n + tl.arange(0, WIDTH)
    if EPILOGUE == "bias_relu":
        added = tl.load(bias + columns, columns < N, 0.0).to(tl.float32)
        total = tl.maximum(total + added[None, :], 0.0)
    if EPILOGUE == "row_scales":
        total = total * tl.load(scales + rows, rows < M, 0.0)[:, None]
    if EPILOGUE == "residual":
        block = tl.make_block_ptr(residual, (M, N), (N, 1), (m, n), (HEIGHT, WIDTH), (1, 0))
        total = total + tl.load(block, boundary_check=(0, 1)).to(tl.float32)
    return total


@tilewright.jit
def matrix(
    base, rows, columns, HEIGHT: tl.constexpr, WIDTH: tl.constexpr, ACROSS: tl.constexpr
):  # fmt: skip
    """Of blocks of HEIGHT x WIDTH; with `ACROSS` it is stored transposed."""
    if ACROSS:
        return tl.make_tensor_descriptor(base, [columns, rows], [rows, 1], [WIDTH, HEIGHT])
    return tl.make_tensor_descriptor(base, [rows, columns], [columns, 1], [HEIGHT, WIDTH])


@tilewright.jit
def load(matrix, row, column, ACROSS: tl.constexpr):
    return matrix.load([column, row]).T if ACROSS else matrix.load([row, column])


@tilewright.jit
def product_kernel(
    a, b, c, bias, scales, residual, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, REST: tl.constexpr, BLOCK_K: tl.constexpr,
    A_ACROSS: tl.constexpr, B_ACROSS: tl.constexpr, EPILOGUE: tl.constexpr, LOW: tl.constexpr = 0,
):  # fmt: skip
    """C = A B by tiles of BLOCK_M x (BLOCK_N + REST), or of (BLOCK_M + LOW) x BLOCK_N."""
    left = matrix(a, M, K, BLOCK_M, BLOCK_K, A_ACROSS)
    right = matrix(b, K, N, BLOCK_K, BLOCK_N, B_ACROSS)
    results = matrix(c, M, N, BLOCK_M, BLOCK_N, False)
    m, n = tl.program_id(0) * (BLOCK_M + LOW), tl.program_id(1) * (BLOCK_N + REST)
    sums = tl.float64 if a.dtype.element_ty == tl.float64 else tl.float32
    if a.dtype.element_ty == tl.int8:
        sums = tl.int32
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=sums)
    if REST:
        right_rest = matrix(b, K, N, BLOCK_K, REST, B_ACROSS)
        results_rest = matrix(c, M, N, BLOCK_M, REST, False)
        rest = tl.zeros((BLOCK_M, REST), dtype=sums)
    if LOW:
        left_low = matrix(a, M, K, LOW, BLOCK_K, A_ACROSS)
        results_low = matrix(c, M, N, LOW, BLOCK_N, False)
        low = tl.zeros((LOW, BLOCK_N), dtype=sums)
    for k in range(0, K, BLOCK_K):
        x = load(left, m, k, A_ACROSS)
        y = load(right, k, n, B_ACROSS)
        total = tl.dot(x, y, total, input_precision="ieee")
        if REST:
            z = load(right_rest, k, n + BLOCK_N, B_ACROSS)
            rest = tl.dot(x, z, rest, input_precision="ieee")
        if LOW:
            z = load(left_low, m + BLOCK_M, k, A_ACROSS)
            low = tl.dot(z, y, low, input_precision="ieee")
    total = finish(total, bias, scales, residual, m, n, M, N, BLOCK_M, BLOCK_N, EPILOGUE)
    results.store([m, n], total.to(c.dtype.element_ty))
    if REST:
        n += BLOCK_N
        rest = finish(rest, bias, scales, residual, m, n, M, N, BLOCK_M, REST, EPILOGUE)
        results_rest.store([m, n], rest.to(c.dtype.element_ty))
    if LOW:
        m += BLOCK_M
        low = finish(low, bias, scales, residual, m, n, M, N, LOW, BLOCK_N, EPILOGUE)
        results_low.store([m, n], low.to(c.dtype.element_ty))


@dataclass(frozen=True)
class Tile:
    """(BLOCK_M + LOW) x (BLOCK_N + REST), in steps of BLOCK_K, with its warps and stages."""

    m: int
    n: int
    rest: int = 0
    warps: int = 8
    stages: int = 3
    k: int = 64
    low: int = 0

    @property
    def height(self) -> int:
        return self.m + self.low

    @property
    def width(self) -> int:
        return self.n + self.rest

    def __str__(self) -> str:
        low = f"+{self.low}" if self.low else ""
        rest = f"+{self.rest}" if self.rest else ""
        sizes = f"{self.m}{low}x{self.n}{rest}x{self.k}"
        return f"{sizes}, {self.warps} warps, {self.stages} stages"


@dataclass
class Operands:
    """The tensors of a product, and of what is done with it."""

    a: Any
    b: Any
    c: Any
    bias: Any
    scales: Any
    residual: Any
    sizes: Sequence[int]
    layout: str


def multiply(operands: Operands, tile: Tile, epilogue: str) -> None:
    m, n, k = operands.sizes
    grid = (tilewright.cdiv(m, tile.height), tilewright.cdiv(n, tile.width))
    product_kernel[grid](
        operands.a, operands.b, operands.c,
        operands.bias, operands.scales, operands.residual, m, n, k,
        BLOCK_M=tile.m, BLOCK_N=tile.n, REST=tile.rest, BLOCK_K=tile.k,
        A_ACROSS=operands.layout[0] == "t", B_ACROSS=operands.layout[1] == "t", EPILOGUE=epilogue,
        LOW=tile.low, num_warps=tile.warps, num_stages=tile.stages,
    )  # fmt: skip
