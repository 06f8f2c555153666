"""Matrix products of any shape and order, with what may stand behind them; and two, one after the
other, of which the second takes what the first gives."""

from __future__ import annotations

from typing import Any

import numpy

import batched_matmul
import matmul
import persistent_matmul
import tilewright
import tilewright.language as tl

from .arrays import ROUNDING, Case, Drawing, Matrix, differs

HALVES = ("bfloat16", "float16")
# Tiles of C, steps along K, and warps.
BLOCKS = (
    ((128, 256, 64), 8),
    ((128, 128, 64), 8),
    ((128, 128, 64), 4),
    ((64, 256, 64), 4),
    ((64, 128, 64), 4),
    ((128, 64, 32), 4),
    ((64, 64, 64), 4),
    ((32, 64, 32), 2),
    ((32, 64, 64), 4),
    ((16, 128, 64), 4),
    ((16, 16, 16), 1),
)


@tilewright.jit
def epilogue_kernel(
    a, b, c, bias, scales, residual, M, N, K, a_row, b_row, c_row, residual_row,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    RELU: tl.constexpr,
):  # fmt: skip
    m, n = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    rows = tl.make_tensor_descriptor(a, [M, K], [a_row, 1], [BLOCK_M, BLOCK_K])
    columns = tl.make_tensor_descriptor(b, [K, N], [b_row, 1], [BLOCK_K, BLOCK_N])
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(tl.cdiv(K, BLOCK_K)):
        k = step * BLOCK_K
        total = tl.dot(rows.load([m, k]), columns.load([k, n]), total)
    places_m, places_n = m + tl.arange(0, BLOCK_M), n + tl.arange(0, BLOCK_N)
    if scales is not None:
        factors = tl.load(scales + places_m, mask=places_m < M, other=0.0)
        total *= factors[:, None].to(tl.float32)
    if bias is not None:
        total += tl.load(bias + places_n, mask=places_n < N, other=0.0)[None, :].to(tl.float32)
    if residual is not None:
        others = tl.make_tensor_descriptor(residual, [M, N], [residual_row, 1], [BLOCK_M, BLOCK_N])
        total += others.load([m, n]).to(tl.float32)
    if RELU:
        total = tl.maximum(total, 0.0)
    results = tl.make_tensor_descriptor(c, [M, N], [c_row, 1], [BLOCK_M, BLOCK_N])
    results.store([m, n], total.to(c.dtype.element_ty))


@tilewright.jit
def triangle_kernel(
    a, b, c, M, N, K, a_row, b_row, c_row,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, LOWER: tl.constexpr,
):  # fmt: skip
    """c = a @ b of which tiles of rows of a end with the diagonal, or begin at it."""
    m, n = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    rows = tl.make_tensor_descriptor(a, [M, K], [a_row, 1], [BLOCK_M, BLOCK_K])
    columns = tl.make_tensor_descriptor(b, [K, N], [b_row, 1], [BLOCK_K, BLOCK_N])
    first, last = (0, tl.minimum(K, m + BLOCK_M)) if LOWER else (m, K)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(first, last, BLOCK_K):
        total = tl.dot(rows.load([m, k]), columns.load([k, n]), total)
    results = tl.make_tensor_descriptor(c, [M, N], [c_row, 1], [BLOCK_M, BLOCK_N])
    results.store([m, n], total.to(c.dtype.element_ty))


@tilewright.jit
def chain_kernel(
    a, b, d, c, M, HIDDEN, a_row, b_row, d_row, c_row,
    BLOCK_M: tl.constexpr, BLOCK_H: tl.constexpr, K: tl.constexpr, N: tl.constexpr,
):  # fmt: skip
    """c = relu(a @ b) @ d, by parts of the hidden dimension."""
    m = tl.program_id(0) * BLOCK_M
    inner = tl.make_tensor_descriptor(b, [K, HIDDEN], [b_row, 1], [K, BLOCK_H])
    outer = tl.make_tensor_descriptor(d, [HIDDEN, N], [d_row, 1], [BLOCK_H, N])
    rows = tl.make_tensor_descriptor(a, [M, K], [a_row, 1], [BLOCK_M, K])
    x = rows.load([m, 0])
    total = tl.zeros((BLOCK_M, N), dtype=tl.float32)
    for h in range(0, HIDDEN, BLOCK_H):
        hidden = tl.maximum(tl.dot(x, inner.load([0, h])), 0.0).to(a.dtype.element_ty)
        total = tl.dot(hidden, outer.load([h, 0]), total)
    results = tl.make_tensor_descriptor(c, [M, N], [c_row, 1], [BLOCK_M, N])
    results.store([m, 0], total.to(c.dtype.element_ty))


def draw_type(drawing: Drawing) -> str:
    return drawing.dtype(*(each for each in drawing.device.types if each in HALVES))


def draw_blocks(drawing: Drawing) -> tuple[tuple[int, int, int], dict[str, Any]]:
    """Of which the slots of all stages, and C on its way out, have room in a block."""
    blocks, warps = drawing.pick(*BLOCKS)
    m, n, k = blocks
    room = (drawing.device.shared_bytes - 2 * m * n) // (2 * (m + n) * k)
    return blocks, {"num_warps": warps, "num_stages": min(drawing.pick(1, 2, 3, 4), max(room, 1))}


def draw_sizes(drawing: Drawing, blocks: tuple[int, ...], stages: int) -> tuple[int, int, int]:
    """M and N of a part of a tile up to some tiles; K of no step, one, and as many as there are
    stages, more or less."""
    tiles = 1.2 if drawing.device.room < 1 << 20 else 9
    m, n = (max(int(size * drawing.random.uniform(0, tiles)), 1) for size in blocks[:2])
    m, n = (drawing.pick(size, -(-size // 8) * 8) for size in (m, n))
    many = drawing.random.randint(0, int(8 * tiles))
    steps = drawing.pick(0, 1, stages - 1, stages, stages + 1, many)
    if drawing.device.room < 1 << 20:
        steps = min(steps, stages + 1)
    return m, n, max(steps * blocks[2] + drawing.pick(0, 0, 0, -8, 1, 5), 0)


def slack_of(a: numpy.ndarray, b: numpy.ndarray) -> Any:
    """A bound for sums in f32 in any order, as tensor cores make them."""
    return 2.0**-19 * (numpy.abs(a) @ numpy.abs(b)) + 1e-7


def draw_matrix(drawing: Drawing, m: int, n: int, dtype: str) -> Matrix:
    """By rows, or by columns."""
    values = drawing.normal(m, n)
    if drawing.pick(True, False):
        return drawing.matrix(values, dtype)
    turned = drawing.matrix(numpy.ascontiguousarray(values.T), dtype)
    turned.array = turned.array.T
    return turned


def plain_product(drawing: Drawing) -> Case:
    dtype, (blocks, launch) = draw_type(drawing), draw_blocks(drawing)
    m, n, k = draw_sizes(drawing, blocks, launch["num_stages"])
    activation, has_bias = drawing.pick("", "leaky_relu"), drawing.pick(True, False)

    def run() -> str:
        a, b = draw_matrix(drawing, m, k, dtype), draw_matrix(drawing, k, n, dtype)
        c = drawing.result(m, n, dtype)
        bias = drawing.vector(drawing.normal(n), dtype) if has_bias else None
        matmul.matmul(a.array, b.array, c.array, bias, activation, blocks, **launch)
        x, y = a.values(), b.values()
        numbers = None if bias is None else drawing.device.get(bias).astype(numpy.float64)
        wanted = matmul.reference(x, y, numbers, activation)
        return differs(c.values(), wanted, dtype, slack_of(x, y)) or c.what_is_beside()

    text = f"bias={has_bias} activation={activation!r}"
    return Case(f"product {dtype} {m} x {n} x {k} {text} {blocks} {launch}", run)


def batched_product(drawing: Drawing) -> Case:
    dtype, (blocks, launch) = draw_type(drawing), draw_blocks(drawing)
    m, n, k = draw_sizes(drawing, blocks, launch["num_stages"])
    batches = drawing.pick(1, 2, 3)

    def run() -> str:
        x, y = drawing.normal(batches, m, k), drawing.normal(batches, k, n)
        a, b = drawing.device.put(x, dtype), drawing.device.put(y, dtype)
        c = drawing.device.put(numpy.zeros((batches, m, n)), dtype)
        batched_matmul.batched_matmul(a, b, c, blocks, **launch)
        x, y = (drawing.device.get(each).astype(numpy.float64) for each in (a, b))
        return differs(drawing.device.get(c), x @ y, dtype, slack_of(x, y))

    return Case(f"batched product {dtype} {batches} x {m} x {n} x {k} {blocks} {launch}", run)


def persistent_product(drawing: Drawing) -> Case:
    dtype, (blocks, launch) = draw_type(drawing), draw_blocks(drawing)
    m, n, k = draw_sizes(drawing, blocks, launch["num_stages"])
    by_descriptors, programs = drawing.pick(True, False), drawing.pick(1, 3, 132)
    if by_descriptors and blocks[1] >= 64:
        launch["in_halves"] = drawing.pick(True, False)

    def run() -> str:
        a, b = (drawing.matrix(drawing.normal(rows, k), dtype) for rows in (m, n))
        c = drawing.result(m, n, dtype)
        function = (
            persistent_matmul.descriptor_matmul
            if by_descriptors
            else persistent_matmul.persistent_matmul
        )
        function(a.array, b.array, c.array, programs, blocks, **launch)
        x, y = a.values(), b.values()
        wanted = persistent_matmul.reference(x, y)
        return differs(c.values(), wanted, dtype, slack_of(x, y.T)) or c.what_is_beside()

    text = f"descriptors={by_descriptors} programs={programs}"
    return Case(f"persistent product {dtype} {m} x {n} x {k} {text} {blocks} {launch}", run)


def product_with_epilogue(drawing: Drawing) -> Case:
    dtype, (blocks, launch) = draw_type(drawing), draw_blocks(drawing)
    m, n, k = draw_sizes(drawing, blocks, launch["num_stages"])
    has_bias, has_scales, has_residual, relu = (drawing.pick(True, False) for _ in range(4))

    def run() -> str:
        a = drawing.matrix(drawing.normal(m, k), dtype)
        b = drawing.matrix(drawing.normal(k, n), dtype)
        c = drawing.result(m, n, dtype)
        bias = drawing.vector(drawing.normal(n), dtype) if has_bias else None
        scales = drawing.vector(drawing.normal(m), dtype) if has_scales else None
        residual = drawing.matrix(drawing.normal(m, n), dtype) if has_residual else None
        epilogue_kernel[(tilewright.cdiv(m, blocks[0]), tilewright.cdiv(n, blocks[1]))](
            a.array, b.array, c.array, bias, scales, residual.array if residual else None, m, n, k,
            *(row_stride(each) for each in (a, b, c)), row_stride(residual) if residual else 0,
            BLOCK_M=blocks[0], BLOCK_N=blocks[1], BLOCK_K=blocks[2], RELU=relu, **launch,
        )  # fmt: skip
        x, y = a.values(), b.values()
        wanted, slack = x @ y, slack_of(x, y)
        if scales is not None:
            factors = drawing.device.get(scales).astype(numpy.float64)[:, None]
            wanted, slack = wanted * factors, slack * abs(factors)
        if bias is not None:
            wanted = wanted + drawing.device.get(bias).astype(numpy.float64)
        if residual:
            wanted = wanted + residual.values()
        if relu:
            wanted = numpy.maximum(wanted, 0)
        return differs(c.values(), wanted, dtype, slack + 1e-6) or c.what_is_beside()

    text = f"bias={has_bias} scales={has_scales} residual={has_residual} relu={relu}"
    return Case(f"product {dtype} {m} x {n} x {k} {text} {blocks} {launch}", run)


def triangular_product(drawing: Drawing) -> Case:
    """Of which each program has a loop of its own length, and may not look at the rest of a."""
    dtype, (blocks, launch) = draw_type(drawing), draw_blocks(drawing)
    m, n, k = draw_sizes(drawing, blocks, launch["num_stages"])
    lower = drawing.pick(True, False)

    def run() -> str:
        height, width, step = blocks
        begin = numpy.arange(m)[:, None] // height * height
        # Steps are whole: the last one of the rows may go beyond the diagonal.
        end = -(-(begin + height) // step) * step
        places = numpy.arange(k)[None, :]
        is_read = places < end if lower else places >= begin
        x = drawing.normal(m, k)
        a = drawing.matrix(numpy.where(is_read, x, numpy.nan), dtype)
        b = drawing.matrix(drawing.normal(k, n), dtype)
        c = drawing.result(m, n, dtype)
        triangle_kernel[(tilewright.cdiv(m, height), tilewright.cdiv(n, width))](
            a.array, b.array, c.array, m, n, k, *(row_stride(each) for each in (a, b, c)),
            BLOCK_M=height, BLOCK_N=width, BLOCK_K=step, LOWER=lower, **launch,
        )  # fmt: skip
        x, y = numpy.where(is_read, a.values(), 0.0), b.values()
        return differs(c.values(), x @ y, dtype, slack_of(x, y)) or c.what_is_beside()

    text = f"lower={lower}"
    return Case(f"triangular product {dtype} {m} x {n} x {k} {text} {blocks} {launch}", run)


def row_stride(matrix: Matrix) -> int:
    return int(matrix.whole.shape[1])


def chained_products(drawing: Drawing) -> Case:
    dtype, k, n = draw_type(drawing), drawing.pick(32, 64, 128), drawing.pick(32, 64, 128)
    rows, part = drawing.pick(64, 128), drawing.pick(32, 64)
    room = (drawing.device.shared_bytes - 2 * rows * (k + n)) // (2 * part * (k + n))
    stages = min(drawing.pick(1, 2, 3), max(room, 1))
    launch = {"num_warps": drawing.pick(4, 4, 8), "num_stages": stages}
    m = drawing.random.randint(1, 300 if drawing.device.room < 1 << 20 else 3000)
    hidden = drawing.pick(0, 1, 8) + part * drawing.pick(0, 1, 2, 3, 5)

    def run() -> str:
        a = drawing.matrix(drawing.normal(m, k), dtype)
        b = drawing.matrix(drawing.normal(k, hidden), dtype)
        d = drawing.matrix(drawing.normal(hidden, n), dtype)
        c = drawing.result(m, n, dtype)
        chain_kernel[(tilewright.cdiv(m, rows),)](
            a.array, b.array, d.array, c.array, m, hidden,
            *(row_stride(each) for each in (a, b, d, c)),
            BLOCK_M=rows, BLOCK_H=part, K=k, N=n, **launch,
        )  # fmt: skip
        x, y, z = a.values(), b.values(), d.values()
        between = numpy.maximum(x @ y, 0)
        # What stands between the products is rounded, of sums that differ a little.
        slack = (ROUNDING[dtype] * between + slack_of(x, y)) @ abs(z) + slack_of(between, z)
        return differs(c.values(), between @ z, dtype, slack) or c.what_is_beside()

    sizes = f"{m} x {k} x {hidden} x {n}"
    return Case(f"chained products {dtype} {sizes} by {rows} x {part} {launch}", run)


FAMILIES = (
    plain_product,
    product_with_epilogue,
    triangular_product,
    chained_products,
    persistent_product,
    batched_product,
)
