"""The product of two matrices by programs that stay: as many as run at once, each of which computes
one tile of C after the other.

Twice: by blocks of pointers, and by descriptors that the kernel makes of the matrices. Triton keeps
these in memory, for which triton.set_allocator() is to name a function.
"""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import strides


@tilewright.jit
def block_of(base, rows, columns, stride, row, column, HEIGHT: tl.constexpr, WIDTH: tl.constexpr):
    """The block of a matrix that begins at (row, column)."""
    return tl.make_block_ptr(
        base, shape=(rows, columns), strides=(stride, 1), offsets=(row, column),
        block_shape=(HEIGHT, WIDTH), order=(1, 0),
    )  # fmt: skip


@tilewright.jit
def tile_at(place, tiles_m, tiles_n, GROUP: tl.constexpr):
    """GROUP tiles one below the other, then those of the next column: neighbours in time share rows
    of A and columns of B."""
    height = min(tiles_m - place // (GROUP * tiles_n) * GROUP, GROUP)
    inner = place % (GROUP * tiles_n)
    return place // (GROUP * tiles_n) * GROUP + inner % height, inner // height


@tilewright.jit
def persistent_matmul_kernel(
    a, b, c, M, N, K, a_stride, b_stride, c_stride,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    for place in range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0)):
        tile_m, tile_n = tile_at(place, tiles_m, tiles_n, GROUP)
        m, n = tile_m * BLOCK_M, tile_n * BLOCK_N
        total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(0, K, BLOCK_K):
            x = tl.load(
                block_of(a, M, K, a_stride, m, k, BLOCK_M, BLOCK_K),
                boundary_check=(0, 1), padding_option="zero",
            )  # fmt: skip
            y = tl.load(
                block_of(b, N, K, b_stride, n, k, BLOCK_N, BLOCK_K),
                boundary_check=(0, 1), padding_option="zero",
            )  # fmt: skip
            total = tl.dot(x, y.T, total)
        result = block_of(c, M, N, c_stride, m, n, BLOCK_M, BLOCK_N)
        tl.store(result, total.to(c.dtype.element_ty), boundary_check=(0, 1))


@tilewright.jit
def store_halves(target, m, n, tile, HEIGHT: tl.constexpr, WIDTH: tl.constexpr):
    """Writes a tile by its left and its right half, each of which needs half the shared memory."""
    halves = tl.permute(tl.reshape(tile, (HEIGHT, 2, WIDTH // 2)), (0, 2, 1))
    left, right = tl.split(halves)
    target.store([m, n], left)
    target.store([m, n + WIDTH // 2], right)


@tilewright.jit
def descriptor_matmul_kernel(
    a, b, c, M, N, K, a_stride, b_stride, c_stride,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
    IN_HALVES: tl.constexpr,
):  # fmt: skip
    width: tl.constexpr = BLOCK_N // 2 if IN_HALVES else BLOCK_N
    rows = tl.make_tensor_descriptor(a, [M, K], [a_stride, 1], [BLOCK_M, BLOCK_K])
    columns = tl.make_tensor_descriptor(b, [N, K], [b_stride, 1], [BLOCK_N, BLOCK_K])
    results = tl.make_tensor_descriptor(c, [M, N], [c_stride, 1], [BLOCK_M, width])
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    first, step = tl.program_id(0), tl.num_programs(0)
    for place in tl.range(first, tiles_m * tiles_n, step, flatten=True):
        tile_m, tile_n = tile_at(place, tiles_m, tiles_n, GROUP)
        m, n = tile_m * BLOCK_M, tile_n * BLOCK_N
        total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for step_k in range(tl.cdiv(K, BLOCK_K)):
            x, y = rows.load([m, step_k * BLOCK_K]), columns.load([n, step_k * BLOCK_K])
            total = tl.dot(x, y.T, total)
        result = total.to(c.dtype.element_ty)
        if IN_HALVES:
            store_halves(results, m, n, result, BLOCK_M, BLOCK_N)
        else:
            results.store([m, n], result)


def persistent_matmul(
    a: Any, b: Any, c: Any, programs: int = 132, blocks: tuple[int, int, int] = (128, 128, 64),
    **launch: Any,
) -> None:  # fmt: skip
    """c = a @ b.T, rows without gaps. On a GPU `programs` is best its number of multiprocessors."""
    m, n = c.shape
    tiles = tilewright.cdiv(m, blocks[0]) * tilewright.cdiv(n, blocks[1])
    persistent_matmul_kernel[(min(programs, tiles),)](
        a, b, c, m, n, a.shape[1], strides(a)[0], strides(b)[0], strides(c)[0],
        BLOCK_M=blocks[0], BLOCK_N=blocks[1], BLOCK_K=blocks[2], GROUP=8, **launch,
    )  # fmt: skip


def descriptor_matmul(
    a: Any, b: Any, c: Any, programs: int = 132, blocks: tuple[int, int, int] = (128, 128, 64),
    in_halves: bool = False, **launch: Any,
) -> None:  # fmt: skip
    """The same by descriptors. Those of Triton begin at multiples of 16 bytes, as do all rows."""
    m, n = c.shape
    tiles = tilewright.cdiv(m, blocks[0]) * tilewright.cdiv(n, blocks[1])
    descriptor_matmul_kernel[(min(programs, tiles),)](
        a, b, c, m, n, a.shape[1], strides(a)[0], strides(b)[0], strides(c)[0],
        BLOCK_M=blocks[0], BLOCK_N=blocks[1], BLOCK_K=blocks[2], GROUP=8, IN_HALVES=in_halves,
        **launch,
    )  # fmt: skip


def reference(a: numpy.ndarray, b: numpy.ndarray) -> numpy.ndarray:
    return a.astype(numpy.float64) @ b.astype(numpy.float64).T
