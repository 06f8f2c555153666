"""The product of two matrices, of any strides: f16 or bf16 in, sums in f32."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import reach, strides


@tilewright.jit
def tile_of_program(tiles_m, tiles_n, GROUP: tl.constexpr):
    """The tile of C that is this program's. Programs that run together do GROUP tiles one below the
    other and some columns of them, so that they find in the cache what others have read."""
    program = tl.program_id(0)
    programs_of_group = GROUP * tiles_n
    first = program // programs_of_group * GROUP
    height = min(tiles_m - first, GROUP)
    place = program % programs_of_group
    return first + place % height, place // height


@tilewright.jit
def leaky_relu(x, slope=0.01):
    return tl.where(x >= 0, x, slope * x)


@tilewright.jit
def matmul_kernel(
    a, b, c, bias, M, N, K, a_row, a_column, b_row, b_column, c_row, c_column,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
    ACTIVATION: tl.constexpr = "", PLACES: tl.constexpr = tl.int32,
):  # fmt: skip
    tile_m, tile_n = tile_of_program(tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP)
    # Rows and columns beyond the end are read again from the beginning, and are not stored.
    m = ((tile_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M).to(PLACES)
    n = ((tile_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N).to(PLACES)
    k = tl.arange(0, BLOCK_K).to(PLACES)
    k_step = tl.full([], BLOCK_K, PLACES)
    a_tile = a + (m[:, None] * a_row + k[None, :] * a_column)
    b_tile = b + (k[:, None] * b_row + n[None, :] * b_column)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BLOCK_K)):
        left = K - step * BLOCK_K
        x = tl.load(a_tile, mask=k[None, :] < left, other=0.0)
        y = tl.load(b_tile, mask=k[:, None] < left, other=0.0)
        total = tl.dot(x, y, total)
        a_tile += k_step * a_column
        b_tile += k_step * b_row
    if bias is not None:
        total += tl.load(bias + n)[None, :].to(tl.float32)
    if ACTIVATION == "leaky_relu":
        total = leaky_relu(total)
    m = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c_tile = c + m.to(PLACES)[:, None] * c_row + n.to(PLACES)[None, :] * c_column
    tl.store(c_tile, total.to(c.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


def config(m: int, n: int, k: int, num_warps: int, num_stages: int) -> Any:
    blocks = {"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP": 8}
    return tilewright.Config(blocks, num_warps=num_warps, num_stages=num_stages)


tuned_matmul_kernel = tilewright.autotune(
    configs=[
        config(128, 256, 64, 8, 3),
        config(128, 128, 64, 4, 4),
        config(128, 128, 64, 8, 3),
        config(64, 128, 64, 4, 4),
    ],
    key=["M", "N", "K"],
)(matmul_kernel)


def matmul(
    a: Any, b: Any, c: Any, bias: Any = None, activation: str = "",
    blocks: tuple[int, int, int] | None = None, **launch: Any,
) -> None:  # fmt: skip
    """c = activation(a @ b + bias), by tiles of that many rows and columns, and steps along K.
    Without `blocks` the best of a few is found out on the first call with these sizes."""
    m, n = c.shape
    kernel = tuned_matmul_kernel if blocks is None else matmul_kernel
    if blocks is not None:
        launch |= dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), blocks, strict=True), GROUP=8)

    # Places in large matrices have 64 bits.
    is_large = any(reach(each) >= 2**31 for each in (a, b, c))

    def grid(meta: dict[str, Any]) -> tuple[int]:
        return (tilewright.cdiv(m, meta["BLOCK_M"]) * tilewright.cdiv(n, meta["BLOCK_N"]),)

    kernel[grid](
        a, b, c, bias, m, n, a.shape[1], *strides(a), *strides(b), *strides(c),
        ACTIVATION=activation, PLACES=tl.int64 if is_large else tl.int32, **launch,
    )  # fmt: skip


def reference(
    a: numpy.ndarray, b: numpy.ndarray, bias: numpy.ndarray | None = None, activation: str = ""
) -> numpy.ndarray:
    c = a.astype(numpy.float64) @ b.astype(numpy.float64)
    if bias is not None:
        c += bias
    return numpy.where(c >= 0, c, 0.01 * c) if activation == "leaky_relu" else c
