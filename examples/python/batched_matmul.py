"""Products of two batches of matrices, by block pointers: a block of a matrix is named by its
shape, its strides and its place, and what lies outside of the matrix reads as zero."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import strides


@tilewright.jit
def batched_matmul_kernel(
    a, b, c, M, N, K, a_batch, a_row, a_column, b_batch, b_row, b_column, c_batch, c_row, c_column,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    m = tl.program_id(0) * BLOCK_M
    n = tl.program_id(1) * BLOCK_N
    batch = tl.program_id(2).to(tl.int64)
    left = tl.make_block_ptr(
        a + batch * a_batch, shape=(M, K), strides=(a_row, a_column), offsets=(m, 0),
        block_shape=(BLOCK_M, BLOCK_K), order=(1, 0),
    )  # fmt: skip
    right = tl.make_block_ptr(
        b + batch * b_batch, shape=(K, N), strides=(b_row, b_column), offsets=(0, n),
        block_shape=(BLOCK_K, BLOCK_N), order=(1, 0),
    )  # fmt: skip
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, K, BLOCK_K):
        x = tl.load(left, boundary_check=(0, 1), padding_option="zero")
        y = tl.load(right, boundary_check=(0, 1), padding_option="zero")
        total = tl.dot(x, y, acc=total)
        left = tl.advance(left, (0, BLOCK_K))
        right = tl.advance(right, (BLOCK_K, 0))
    result = tl.make_block_ptr(
        c + batch * c_batch, shape=(M, N), strides=(c_row, c_column), offsets=(m, n),
        block_shape=(BLOCK_M, BLOCK_N), order=(1, 0),
    )  # fmt: skip
    tl.store(result, total.to(c.dtype.element_ty), boundary_check=(0, 1))


def batched_matmul(
    a: Any, b: Any, c: Any, blocks: tuple[int, int, int] = (128, 128, 64), **launch: Any
) -> None:
    """c[i] = a[i] @ b[i]."""
    batches, m, n = c.shape
    grid = (tilewright.cdiv(m, blocks[0]), tilewright.cdiv(n, blocks[1]), batches)
    batched_matmul_kernel[grid](
        a, b, c, m, n, a.shape[2], *strides(a), *strides(b), *strides(c),
        BLOCK_M=blocks[0], BLOCK_N=blocks[1], BLOCK_K=blocks[2], **launch,
    )  # fmt: skip


def reference(a: numpy.ndarray, b: numpy.ndarray) -> numpy.ndarray:
    return a.astype(numpy.float64) @ b.astype(numpy.float64)
