"""The same problems in Triton, each in several configurations, of which the best one counts.

Importing this needs triton. Offsets have 64 bits only where a tensor needs them, as a Triton
programmer would write it.
"""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl

from bench.problem import Contender

GROUP = "triton"

# Rows and columns of a tile, and warps.
TRANSPOSE_CONFIGS = (
    (32, 32, 4),
    (64, 32, 4),
    (64, 64, 4),
    (64, 64, 8),
    (128, 64, 8),
    (64, 128, 8),
    (128, 128, 8),
)
# Rows and columns of a tile, elements along K, warps, stages.
GEMM_CONFIGS = (
    (128, 256, 64, 8, 3),
    (128, 128, 64, 4, 4),
    (128, 128, 64, 8, 3),
    (256, 128, 64, 8, 3),
    (128, 128, 32, 4, 4),
    (64, 128, 64, 4, 4),
    (64, 64, 64, 4, 4),
)
# The same for elements of 4 bytes.
GEMM_CONFIGS_F32 = (
    (128, 128, 32, 4, 3),
    (128, 128, 32, 8, 3),
    (128, 256, 32, 8, 3),
    (256, 128, 32, 8, 3),
    (128, 128, 16, 8, 4),
    (128, 64, 32, 4, 4),
    (64, 64, 32, 4, 4),
)
SOFTMAX_WARPS = (2, 4, 8, 16)
# Elements of a block, and warps.
ELEMENTWISE_CONFIGS = ((1024, 4), (2048, 4), (4096, 4), (4096, 8), (8192, 8))


@triton.jit
def transpose_kernel(
    a,
    b,
    m_size,
    n_size,
    rows: tl.constexpr,
    columns: tl.constexpr,
    down: tl.constexpr,
    wide: tl.constexpr,
):
    program = tl.program_id(0)
    # Programs walk down the columns of A, or along its rows.
    if down:
        tiles_m = tl.cdiv(m_size, rows)
        tile_m, tile_n = program % tiles_m, program // tiles_m
    else:
        tiles_n = tl.cdiv(n_size, columns)
        tile_m, tile_n = program // tiles_n, program % tiles_n
    m = tile_m * rows + tl.arange(0, rows)
    n = tile_n * columns + tl.arange(0, columns)
    m_row, n_row = m, n
    if wide:
        m_row, n_row = m.to(tl.int64), n.to(tl.int64)
    inside = (m[:, None] < m_size) & (n[None, :] < n_size)
    tile = tl.load(a + m_row[:, None] * n_size + n[None, :], mask=inside)
    inside_t = (n[:, None] < n_size) & (m[None, :] < m_size)
    tl.store(b + n_row[:, None] * m_size + m[None, :], tl.trans(tile), mask=inside_t)


@triton.jit
def elementwise_kernel(
    x, y, n_size, alpha, scales: tl.constexpr, block: tl.constexpr, wide: tl.constexpr
):
    program = tl.program_id(0)
    if wide:
        program = program.to(tl.int64)
    i = program * block + tl.arange(0, block)
    value = tl.load(x + i, mask=i < n_size)
    if scales:
        value = value * alpha
    tl.store(y + i, value, mask=i < n_size)


@triton.jit
def softmax_kernel(x, y, n_size, block: tl.constexpr):
    n = tl.arange(0, block)
    start = tl.program_id(0).to(tl.int64) * n_size
    row = tl.load(x + start + n, mask=n < n_size, other=-float("inf")).to(tl.float32)
    powers = tl.exp(row - tl.max(row, axis=0))
    quotients = powers / tl.sum(powers, axis=0)
    tl.store(y + start + n, quotients.to(y.dtype.element_ty), mask=n < n_size)


@triton.jit
def gemm_kernel(
    a, b, c, m_size, n_size, k_size, am, ak, bk, bn,
    rows: tl.constexpr, columns: tl.constexpr, depth: tl.constexpr, group: tl.constexpr,
    precision: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    tiles_m = tl.cdiv(m_size, rows)
    tiles_n = tl.cdiv(n_size, columns)
    first = program // (group * tiles_n) * group
    height = min(tiles_m - first, group)
    tile_m = first + program % (group * tiles_n) % height
    tile_n = program % (group * tiles_n) // height
    m = (tile_m * rows + tl.arange(0, rows)) % m_size
    n = (tile_n * columns + tl.arange(0, columns)) % n_size
    k = tl.arange(0, depth)
    a_tile = a + m[:, None] * am + k[None, :] * ak
    b_tile = b + k[:, None] * bk + n[None, :] * bn
    total = tl.zeros((rows, columns), dtype=tl.float32)
    for step in range(0, tl.cdiv(k_size, depth)):
        left = k_size - step * depth
        x = tl.load(a_tile, mask=k[None, :] < left, other=0.0)
        y = tl.load(b_tile, mask=k[:, None] < left, other=0.0)
        total = tl.dot(x, y, total, input_precision=precision)
        a_tile += depth * ak
        b_tile += depth * bk
    m = tile_m * rows + tl.arange(0, rows)
    n = tile_n * columns + tl.arange(0, columns)
    inside = (m[:, None] < m_size) & (n[None, :] < n_size)
    tl.store(c + m[:, None] * n_size + n[None, :], total.to(c.dtype.element_ty), mask=inside)


def transpose_contenders(a: Any, b: Any) -> list[Contender]:
    m_size, n_size = a.shape
    wide = a.numel() >= 2**31

    def make(rows: int, columns: int, warps: int, down: bool) -> Contender:
        grid = (triton.cdiv(m_size, rows) * triton.cdiv(n_size, columns),)

        def launch() -> None:
            transpose_kernel[grid](a, b, m_size, n_size, rows, columns, down, wide, num_warps=warps)

        order = "by columns" if down else "by rows"
        return Contender(GROUP, f"{rows}x{columns} {warps} warps {order}", launch)

    return [make(*config, down) for config in TRANSPOSE_CONFIGS for down in (False, True)]


def elementwise_contenders(x: Any, y: Any, alpha: float | None) -> list[Contender]:
    """y = alpha * x, or y = x without an alpha."""
    n_size = x.numel()
    scales = alpha is not None
    wide = n_size >= 2**31

    def make(block: int, warps: int) -> Contender:
        grid = (triton.cdiv(n_size, block),)

        def launch() -> None:
            elementwise_kernel[grid](
                x, y, n_size, alpha or 0.0, scales, block, wide, num_warps=warps
            )

        return Contender(GROUP, f"{block} {warps} warps", launch)

    return [make(*config) for config in ELEMENTWISE_CONFIGS]


def softmax_contenders(x: Any, y: Any) -> list[Contender]:
    """Each row by one program, in one block that holds all of it."""
    m_size, n_size = x.shape
    block = triton.next_power_of_2(n_size)

    def make(warps: int) -> Contender:
        def launch() -> None:
            softmax_kernel[(m_size,)](x, y, n_size, block, num_warps=warps)

        return Contender(GROUP, f"{block} {warps} warps", launch)

    return [make(warps) for warps in SOFTMAX_WARPS]


def gemm_contenders(a: Any, b: Any, c: Any, dtype: str) -> list[Contender]:
    """c = a * b, each of them with any strides."""
    precision = "tf32" if dtype == "tf32" else "ieee"
    configs = GEMM_CONFIGS_F32 if dtype in ("f32", "tf32") else GEMM_CONFIGS
    m_size, k_size = a.shape
    n_size = b.shape[1]

    def make(rows: int, columns: int, depth: int, warps: int, stages: int) -> Contender:
        grid = (triton.cdiv(m_size, rows) * triton.cdiv(n_size, columns),)

        def launch() -> None:
            gemm_kernel[grid](
                a, b, c, m_size, n_size, k_size, *a.stride(), *b.stride(),
                rows, columns, depth, 8, precision, num_warps=warps, num_stages=stages,
            )  # fmt: skip

        return Contender(GROUP, f"{rows}x{columns}x{depth} {warps} warps {stages} stages", launch)

    return [make(*config) for config in configs]
