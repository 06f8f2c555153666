"""A matrix product in the Python language, as short as it can be written: a program makes one tile
of C, and the compiler has to find stages, roles, bulk copies and the walk over the tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
def store(
    matrix, total, bias, scales, residual, m, n, M, N,
    HEIGHT: tl.constexpr, WIDTH: tl.constexpr, EPILOGUE: tl.constexpr, TURNED: tl.constexpr,
):  # fmt: skip
    """Finishes the sums of a block of a result; TURNED, of its transpose."""
    if TURNED:
        total = finish(total.T, bias, scales, residual, n, m, N, M, WIDTH, HEIGHT, EPILOGUE)
        matrix.store([n, m], total.to(matrix.dtype))
    else:
        total = finish(total, bias, scales, residual, m, n, M, N, HEIGHT, WIDTH, EPILOGUE)
        matrix.store([m, n], total.to(matrix.dtype))


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
    LAST: tl.constexpr = 0, TURNED: tl.constexpr = False, PRECISION: tl.constexpr = "ieee",
):  # fmt: skip
    """A B, of M x N, by tiles of BLOCK_M x (BLOCK_N + REST + LAST), or of (BLOCK_M + LOW) x
    BLOCK_N. TURNED, it is the transpose of C."""
    left = matrix(a, M, K, BLOCK_M, BLOCK_K, A_ACROSS)
    right = matrix(b, K, N, BLOCK_K, BLOCK_N, B_ACROSS)
    results = matrix(c, M, N, BLOCK_M, BLOCK_N, TURNED)
    m, n = tl.program_id(0) * (BLOCK_M + LOW), tl.program_id(1) * (BLOCK_N + REST + LAST)
    sums = tl.float64 if a.dtype.element_ty == tl.float64 else tl.float32
    if a.dtype.element_ty == tl.int8:
        sums = tl.int32
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=sums)
    if REST:
        right_rest = matrix(b, K, N, BLOCK_K, REST, B_ACROSS)
        results_rest = matrix(c, M, N, BLOCK_M, REST, TURNED)
        rest = tl.zeros((BLOCK_M, REST), dtype=sums)
    if LAST:
        right_last = matrix(b, K, N, BLOCK_K, LAST, B_ACROSS)
        results_last = matrix(c, M, N, BLOCK_M, LAST, TURNED)
        last = tl.zeros((BLOCK_M, LAST), dtype=sums)
    if LOW:
        left_low = matrix(a, M, K, LOW, BLOCK_K, A_ACROSS)
        results_low = matrix(c, M, N, LOW, BLOCK_N, TURNED)
        low = tl.zeros((LOW, BLOCK_N), dtype=sums)
    for k in range(0, K, BLOCK_K):
        x = load(left, m, k, A_ACROSS)
        y = load(right, k, n, B_ACROSS)
        total = tl.dot(x, y, total, input_precision=PRECISION)
        if REST:
            z = load(right_rest, k, n + BLOCK_N, B_ACROSS)
            rest = tl.dot(x, z, rest, input_precision=PRECISION)
        if LAST:
            z = load(right_last, k, n + BLOCK_N + REST, B_ACROSS)
            last = tl.dot(x, z, last, input_precision=PRECISION)
        if LOW:
            z = load(left_low, m + BLOCK_M, k, A_ACROSS)
            low = tl.dot(z, y, low, input_precision=PRECISION)
    store(results, total, bias, scales, residual, m, n, M, N, BLOCK_M, BLOCK_N, EPILOGUE, TURNED)
    if REST:
        n += BLOCK_N
        store(
            results_rest, rest, bias, scales, residual, m, n, M, N, BLOCK_M, REST, EPILOGUE, TURNED
        )
    if LAST:
        n += REST
        store(
            results_last, last, bias, scales, residual, m, n, M, N, BLOCK_M, LAST, EPILOGUE, TURNED
        )
    if LOW:
        m += BLOCK_M
        store(results_low, low, bias, scales, residual, m, n, M, N, LOW, BLOCK_N, EPILOGUE, TURNED)


@dataclass(frozen=True)
class Tile:
    """(BLOCK_M + LOW) x (BLOCK_N + REST + LAST), in steps of BLOCK_K, with its warps and stages;
    turned, of the transpose of C."""

    m: int
    n: int
    rest: int = 0
    warps: int = 8
    stages: int = 3
    k: int = 64
    low: int = 0
    last: int = 0
    turned: bool = False

    @property
    def height(self) -> int:
        return self.m + self.low

    @property
    def width(self) -> int:
        return self.n + self.rest + self.last

    @property
    def sums(self) -> int:
        """Of a thread."""
        return self.height * self.width // (32 * self.warps)

    def __str__(self) -> str:
        rows = "+".join(str(part) for part in (self.m, self.low) if part)
        columns = "+".join(str(part) for part in (self.n, self.rest, self.last) if part)
        sizes = f"{columns}x{rows}" if self.turned else f"{rows}x{columns}"
        turned = ", turned" if self.turned else ""
        return f"{sizes}x{self.k}{turned}, {self.warps} warps, {self.stages} stages"


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
    precision: str = "ieee"

    def turn(self) -> Operands:
        """Of the transpose, B^T A^T. The result stays, and what is done with it."""
        m, n, k = self.sizes
        layout = {"nn": "tt", "tt": "nn"}.get(self.layout, self.layout)
        return replace(self, a=self.b, b=self.a, sizes=[n, m, k], layout=layout)


def multiply(operands: Operands, tile: Tile, epilogue: str) -> None:
    if tile.turned:
        operands = operands.turn()
    m, n, k = operands.sizes
    grid = (tilewright.cdiv(m, tile.height), tilewright.cdiv(n, tile.width))
    product_kernel[grid](
        operands.a, operands.b, operands.c,
        operands.bias, operands.scales, operands.residual, m, n, k,
        BLOCK_M=tile.m, BLOCK_N=tile.n, REST=tile.rest, BLOCK_K=tile.k,
        A_ACROSS=operands.layout[0] == "t", B_ACROSS=operands.layout[1] == "t", EPILOGUE=epilogue,
        LOW=tile.low, LAST=tile.last, TURNED=tile.turned, PRECISION=operands.precision,
        num_warps=tile.warps, num_stages=tile.stages,
    )  # fmt: skip
