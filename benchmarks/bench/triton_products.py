"""Products in Triton, in all layouts: by pointers, and by descriptors in programs that stay.
Several configurations, of which the best one counts.

Importing this needs triton.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import triton
import triton.language as tl

from bench.both_languages import give_triton_memory
from bench.product_kernel import Operands
from bench.triton_kernels import gemm_kernel

# Rows and columns of a tile, elements along K, warps, stages.
POINTER_CONFIGS = (
    (128, 256, 64, 8, 3),
    (256, 128, 64, 8, 3),
    (128, 128, 64, 4, 4),
    (128, 128, 64, 8, 3),
)
# And whether results are stored by halves, which leaves shared memory for another stage.
DESCRIPTOR_CONFIGS = (
    (128, 256, 64, 8, 3, True),
    (128, 256, 64, 8, 3, False),
    (128, 256, 64, 8, 4, True),
    (256, 128, 64, 8, 3, True),
    (128, 128, 64, 4, 4, False),
)


@triton.jit
def load(matrix, row, column, across: tl.constexpr):
    """A block of a matrix that is stored as it is, or transposed."""
    return matrix.load([column, row]).T if across else matrix.load([row, column])


@triton.jit
def descriptor_kernel(
    a, b, c, m_size, n_size, k_size,
    rows: tl.constexpr, columns: tl.constexpr, depth: tl.constexpr, group: tl.constexpr,
    a_across: tl.constexpr, b_across: tl.constexpr, in_halves: tl.constexpr,
):  # fmt: skip
    if a_across:
        left = tl.make_tensor_descriptor(a, [k_size, m_size], [m_size, 1], [depth, rows])
    else:
        left = tl.make_tensor_descriptor(a, [m_size, k_size], [k_size, 1], [rows, depth])
    if b_across:
        right = tl.make_tensor_descriptor(b, [n_size, k_size], [k_size, 1], [columns, depth])
    else:
        right = tl.make_tensor_descriptor(b, [k_size, n_size], [n_size, 1], [depth, columns])
    width: tl.constexpr = columns // 2 if in_halves else columns
    results = tl.make_tensor_descriptor(c, [m_size, n_size], [n_size, 1], [rows, width])
    tiles_m = tl.cdiv(m_size, rows)
    tiles_n = tl.cdiv(n_size, columns)
    tiles = tiles_m * tiles_n
    for place in tl.range(tl.program_id(0), tiles, tl.num_programs(0), flatten=True):
        first = place // (group * tiles_n) * group
        height = min(tiles_m - first, group)
        m = (first + place % (group * tiles_n) % height) * rows
        n = place % (group * tiles_n) // height * columns
        total = tl.zeros((rows, columns), dtype=tl.float32)
        for step in range(tl.cdiv(k_size, depth)):
            x = load(left, m, step * depth, a_across)
            y = load(right, step * depth, n, b_across)
            total = tl.dot(x, y, total)
        if in_halves:
            halves = tl.permute(tl.reshape(total, (rows, 2, columns // 2)), (0, 2, 1))
            one, other = tl.split(halves)
            results.store([m, n], one.to(c.dtype.element_ty))
            results.store([m, n + columns // 2], other.to(c.dtype.element_ty))
        else:
            results.store([m, n], total.to(c.dtype.element_ty))


def _tiles(operands: Operands, rows: int, columns: int) -> int:
    m, n, _ = operands.sizes
    count: int = triton.cdiv(m, rows) * triton.cdiv(n, columns)
    return count


def _by_pointers(operands: Operands, config: tuple[int, ...]) -> Callable[[], None]:
    rows, columns, depth, warps, stages = config
    a = operands.a.t() if operands.layout[0] == "t" else operands.a
    b = operands.b.t() if operands.layout[1] == "t" else operands.b
    grid = (_tiles(operands, rows, columns),)

    def launch() -> None:
        gemm_kernel[grid](
            a, b, operands.c, *operands.sizes, *a.stride(), *b.stride(),
            rows, columns, depth, 8, "ieee", num_warps=warps, num_stages=stages,
        )  # fmt: skip

    return launch


def _by_descriptors(
    operands: Operands, config: tuple[int, ...], multiprocessors: int
) -> Callable[[], None]:
    rows, columns, depth, warps, stages, in_halves = config
    grid = (min(multiprocessors, _tiles(operands, rows, columns)),)

    def launch() -> None:
        descriptor_kernel[grid](
            operands.a, operands.b, operands.c, *operands.sizes, rows, columns, depth, 8,
            operands.layout[0] == "t", operands.layout[1] == "t", in_halves,
            num_warps=warps, num_stages=stages,
        )  # fmt: skip

    return launch


def _widen(operands: Operands, config: tuple[Any, ...]) -> tuple[Any, ...]:
    """As many bytes along K of elements of 8 bits as of 16."""
    rows, columns, depth, *rest = config
    return (rows, columns, depth * 2 // operands.a.element_size(), *rest)


def contenders(
    operands: Operands, multiprocessors: int
) -> Iterator[tuple[str, Callable[[], None]]]:
    """What each is called, and its launch."""
    give_triton_memory()
    if not operands.c.dtype.is_floating_point:
        return
    for plain in map(partial(_widen, operands), POINTER_CONFIGS):
        yield f"by pointers, {_describe(plain)}", _by_pointers(operands, plain)
    for config in map(partial(_widen, operands), DESCRIPTOR_CONFIGS):
        launch = _by_descriptors(operands, config, multiprocessors)
        yield f"by descriptors, {_describe(config)}", launch


def _describe(config: tuple[Any, ...]) -> str:
    rows, columns, depth, warps, stages, *in_halves = config
    text = f"{rows}x{columns}x{depth}, {warps} warps, {stages} stages"
    return f"{text}, in halves" if any(in_halves) else text
