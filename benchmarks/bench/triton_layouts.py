"""The kernels of layout_cases.py in Triton, with the arguments of ours in their order.

They say what ours say, in the same order: load, cast, transpose, store. Sizes are `i64`, as our
`index` is. Importing this needs triton.
"""

from __future__ import annotations

import triton
import triton.language as tl

from bench.triton_kernels import gemm_kernel


@triton.jit
def _tile_positions(n_size, rows: tl.constexpr, columns: tl.constexpr):
    """The rows and columns of this program's tile; programs go along the rows of tiles."""
    program = tl.program_id(0)
    tiles_n = tl.cdiv(n_size, columns)
    m = (program // tiles_n) * rows + tl.arange(0, rows)
    n = (program % tiles_n) * columns + tl.arange(0, columns)
    return m, n


@triton.jit
def _load(a, m, n, m_size, n_size):
    """Rows m and columns n of a row-major matrix."""
    inside = (m[:, None] < m_size) & (n[None, :] < n_size)
    return tl.load(a + m[:, None] * n_size + n[None, :], mask=inside)


@triton.jit
def _store(b, m, n, m_size, n_size, tile):
    inside = (m[:, None] < m_size) & (n[None, :] < n_size)
    tl.store(b + m[:, None] * n_size + n[None, :], tile, mask=inside)


@triton.jit
def transpose(a, b, m_size, n_size, rows: tl.constexpr, columns: tl.constexpr):
    m, n = _tile_positions(n_size, rows, columns)
    tile = _load(a, m, n, m_size, n_size)
    _store(b, n, m, n_size, m_size, tl.trans(tile))


@triton.jit
def transpose_cast(a, b, m_size, n_size, rows: tl.constexpr, columns: tl.constexpr):
    m, n = _tile_positions(n_size, rows, columns)
    tile = _load(a, m, n, m_size, n_size).to(b.dtype.element_ty)
    _store(b, n, m, n_size, m_size, tl.trans(tile))


@triton.jit
def rows_to_columns(a, b, m_size, n_size, rows: tl.constexpr, columns: tl.constexpr):
    m, n = _tile_positions(n_size, rows, columns)
    tile = _load(a, m, n, m_size, n_size)
    inside = (m[:, None] < m_size) & (n[None, :] < n_size)
    tl.store(b + m[:, None] + n[None, :] * m_size, tile, mask=inside)


@triton.jit
def add_transposed(a, b, c, m_size, n_size, rows: tl.constexpr, columns: tl.constexpr):
    m, n = _tile_positions(n_size, rows, columns)
    left = _load(a, m, n, m_size, n_size)
    right = _load(b, n, m, n_size, m_size)
    _store(c, m, n, m_size, n_size, left + tl.trans(right))


@triton.jit
def _reduced(tile, takes_max: tl.constexpr):
    if takes_max:
        return tl.max(tile, axis=1)
    return tl.sum(tile, axis=1)


@triton.jit
def reduce_transposed(
    a, y, m_size, n_size, rows: tl.constexpr, columns: tl.constexpr, takes_max: tl.constexpr
):
    m = tl.arange(0, rows)
    n = tl.program_id(0) * columns + tl.arange(0, columns)
    tile = _load(a, m, n, m_size, n_size)
    tl.store(y + n, _reduced(tl.trans(tile), takes_max), mask=n < n_size)


@triton.jit
def subtract_row_max(a, b, m_size, n_size, rows: tl.constexpr, columns: tl.constexpr):
    m = tl.program_id(0) * rows + tl.arange(0, rows)
    n = tl.arange(0, columns)
    tile = _load(a, m, n, m_size, n_size)
    largest = tl.max(tile, axis=1)
    _store(b, n, m, n_size, m_size, tl.trans(tile - largest[:, None]))


@triton.jit
def gemm(
    a, b, c, m_size, n_size, k_size,
    rows: tl.constexpr, columns: tl.constexpr, depth: tl.constexpr,
    transposes_a: tl.constexpr, transposes_b: tl.constexpr, precision: tl.constexpr,
):  # fmt: skip
    if transposes_a:
        am, ak = 1, m_size
    else:
        am, ak = k_size, 1
    if transposes_b:
        bk, bn = 1, k_size
    else:
        bk, bn = n_size, 1
    gemm_kernel(
        a, b, c, m_size, n_size, k_size, am, ak, bk, bn, rows, columns, depth, 16, precision
    )
