"""Products of many pairs of matrices of different sizes in one launch. Where they are, the kernel
reads from arrays of addresses; programs take tiles in turns until none of any product is left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import address, array_of, strides


@tilewright.jit
def grouped_matmul_kernel(
    addresses, sizes, groups,
    ALIGNED: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    tile = tl.program_id(0)
    first = 0
    for group in range(groups):
        M = tl.load(sizes + group * 3)
        N = tl.load(sizes + group * 3 + 1)
        K = tl.load(sizes + group * 3 + 2)
        a = tl.load(addresses + group * 3).to(tl.pointer_type(tl.float16))
        b = tl.load(addresses + group * 3 + 1).to(tl.pointer_type(tl.float16))
        c = tl.load(addresses + group * 3 + 2).to(tl.pointer_type(tl.float16))
        # What was read from memory is a multiple of nothing, unless the kernel says so.
        if ALIGNED:
            N, K = tl.multiple_of(N, 8), tl.multiple_of(K, 8)
            a, b, c = tl.multiple_of(a, 16), tl.multiple_of(b, 16), tl.multiple_of(c, 16)
        tiles_n = tl.cdiv(N, BLOCK_N)
        end = first + tl.cdiv(M, BLOCK_M) * tiles_n
        # Tiles are counted through all products; those before `first` are done.
        while tile < end:
            m = (tile - first) // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)
            n = (tile - first) % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)
            k = tl.arange(0, BLOCK_K)
            a_tile = a + (m[:, None] * K + k[None, :])
            b_tile = b + (k[:, None] * N + n[None, :])
            total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
            for start in range(0, K, BLOCK_K):
                left = k < K - start
                x = tl.load(a_tile, mask=(m[:, None] < M) & left[None, :], other=0.0)
                y = tl.load(b_tile, mask=left[:, None] & (n[None, :] < N), other=0.0)
                total = tl.dot(x, y, total)
                a_tile += BLOCK_K
                b_tile += BLOCK_K * N
            c_tile = c + (m[:, None] * N + n[None, :])
            inside = (m[:, None] < M) & (n[None, :] < N)
            tl.store(c_tile, total.to(tl.float16), mask=inside)
            tile += tl.num_programs(0)
        first = end


def grouped_matmul(
    a: Sequence[Any], b: Sequence[Any], c: Sequence[Any], programs: int = 132,
    blocks: tuple[int, int, int] = (128, 128, 64), **launch: Any,
) -> None:  # fmt: skip
    """c[i] = a[i] @ b[i], of f16, rows without gaps. On a GPU `programs` is best its number of
    multiprocessors. In the simulator the launch is to know what the addresses reach:
    `reaches=[*a, *b, *c]`."""
    matrices = [matrix for group in zip(a, b, c, strict=True) for matrix in group]
    assert all(strides(matrix) == (matrix.shape[1], 1) for matrix in matrices)
    sizes = [size for x, y in zip(a, b, strict=True) for size in (*x.shape, y.shape[1])]
    sizes[1::3], sizes[2::3] = sizes[2::3], sizes[1::3]
    places = [address(matrix) for matrix in matrices]
    aligned = all(place % 16 == 0 for place in places) and all(
        size % 8 == 0 for size in sizes[1::3] + sizes[2::3]
    )
    stream = launch.get("stream")
    grouped_matmul_kernel[(programs,)](
        array_of(a[0], places, "int64", stream), array_of(a[0], sizes, "int32", stream), len(a),
        ALIGNED=aligned, BLOCK_M=blocks[0], BLOCK_N=blocks[1], BLOCK_K=blocks[2], **launch,
    )  # fmt: skip


def reference(a: Sequence[numpy.ndarray], b: Sequence[numpy.ndarray]) -> list[numpy.ndarray]:
    return [x.astype(numpy.float64) @ y.astype(numpy.float64) for x, y in zip(a, b, strict=True)]
