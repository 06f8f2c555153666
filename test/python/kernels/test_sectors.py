"""Blocks that end with sectors of memory: what a program leaves another one stores, whatever the
grid, and nothing is read or written that no program was told to."""

import numpy as np
import pytest
from examples_support import TARGETS

import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")


@tilewright.jit
def walk(
    x, out, M, N, x_stride, out_stride, in_row, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
    num_warps: tl.constexpr = 4,
):  # fmt: skip
    """A transpose, whose programs go along the rows of `out`, so many in each."""
    i = tl.program_id(0) % in_row * ROWS + tl.arange(0, ROWS)
    j = tl.program_id(0) // in_row * COLUMNS + tl.arange(0, COLUMNS)
    inside = (i[None, :] < M) & (j[:, None] < N)
    block = tl.load(x + i[None, :].to(tl.int64) * x_stride + j[:, None], mask=inside)
    tl.store(out + j[:, None].to(tl.int64) * out_stride + i[None, :], block, mask=inside)


@tilewright.jit
def plane(
    x, out, M, N, x_stride, out_stride, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
    num_warps: tl.constexpr = 4,
):  # fmt: skip
    """The same by a grid of two dimensions."""
    i = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    j = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    inside = (i[None, :] < M) & (j[:, None] < N)
    block = tl.load(x + i[None, :].to(tl.int64) * x_stride + j[:, None], mask=inside)
    tl.store(out + j[:, None].to(tl.int64) * out_stride + i[None, :], block, mask=inside)


@tilewright.jit
def numbered(
    x, out, M, N, x_stride, out_stride, first, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
    num_warps: tl.constexpr = 4,
):  # fmt: skip
    """The same with blocks along a row that two axes of the grid number, from another one on."""
    number = first + tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)
    i = number * ROWS + tl.arange(0, ROWS)
    j = tl.program_id(2) * COLUMNS + tl.arange(0, COLUMNS)
    inside = (i[None, :] < M) & (j[:, None] < N)
    block = tl.load(x + i[None, :].to(tl.int64) * x_stride + j[:, None], mask=inside)
    tl.store(out + j[:, None].to(tl.int64) * out_stride + i[None, :], block, mask=inside)


BLOCKS = {"int8": (256, 64), "int16": (128, 64), "float32": (64, 64), "float64": (32, 32)}


def draw(count, dtype, seed=0):
    numbers = np.random.default_rng(seed)
    return numbers.integers(0, 256, count * np.dtype(dtype).itemsize, "u1").view(dtype)


class Move:
    """Arrays of odd rows, and what becomes of them."""

    def __init__(self, dtype, m, n, gap=0, before=0):
        self.m, self.n = m, n
        self.rows, self.columns = BLOCKS[dtype]
        # No element behind the last one, so that one that is read is found.
        self.x = draw(m * n, dtype).reshape(m, n)
        self.stride = m + gap
        self.room = draw(before + n * self.stride - gap, dtype, seed=1)
        self.expected = self.room.copy()
        self.out = self.room[before:]
        size = self.x.itemsize
        self.there = np.lib.stride_tricks.as_strided(
            self.expected[before:], (n, m), (self.stride * size, size)
        )
        self.in_row = -(-m // self.rows)
        self.in_column = -(-n // self.columns)

    def run(self, kernel, grid, *more, target="sm_90a"):
        sizes = (self.m, self.n, self.n, self.stride, *more)
        kernel[grid](self.x, self.out, *sizes, self.rows, self.columns, target=target)

    def store(self, program_i, program_j):
        """What a program stores."""
        i = slice(program_i * self.rows, min((program_i + 1) * self.rows, self.m))
        j = slice(program_j * self.columns, min((program_j + 1) * self.columns, self.n))
        if i.start < self.m and j.start < self.n:
            self.there[j, i] = self.x[i, j].T

    def check(self):
        assert self.room.tobytes() == self.expected.tobytes()


def store_all(move):
    for i in range(move.in_row):
        for j in range(move.in_column):
            move.store(i, j)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", BLOCKS)
def test_rows(dtype, target):
    rows = BLOCKS[dtype][0]
    for m in (2 * rows + 37, rows + 1):
        move = Move(dtype, m, 69, gap=3, before=5)
        move.run(walk, (move.in_row * move.in_column,), move.in_row, target=target)
        store_all(move)
        move.check()


@pytest.mark.parametrize("dtype", BLOCKS)
def test_sectors_are_stored(dtype):
    """Else the other tests try nothing."""
    move = Move(dtype, 401, 71)
    sizes = (move.m, move.n, move.n, move.stride)
    for kernel, more in ((walk, (4,)), (plane, ())):
        code = kernel.warmup(
            move.x, move.out, *sizes, *more, move.rows, move.columns, grid=(2, 2), target="sm_90a"
        ).ir("placed")
        assert "copy_sectors" in code
        assert "store_sectors" in code


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("before", [0, 1, 16, 31])
def test_remainders(dtype, before):
    """Where rows begin in a sector, and how much of the last one is theirs."""
    rows = BLOCKS[dtype][0]
    for more in (-1, 1, 15, 31, 33):
        move = Move(dtype, 2 * rows + more, 35, gap=before % 3, before=before)
        move.run(plane, (move.in_column, move.in_row))
        store_all(move)
        move.check()


@pytest.mark.parametrize("dtype", ["int8", "float64"])
@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_some_programs_alone(dtype, count):
    """What no program was told to store stays as it is."""
    rows = BLOCKS[dtype][0]
    move = Move(dtype, 3 * rows - 3, 71)
    move.run(walk, (count,), move.in_row)
    for program in range(count):
        move.store(program % move.in_row, program // move.in_row)
    move.check()


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("grid", [(3, 2), (2, 3), (1, 4), (4, 1)])
@pytest.mark.parametrize("first", [0, 1, 2])
def test_blocks_behind_others(dtype, grid, first):
    """That blocks lie in front of a program's own does not say that programs have them."""
    move = Move(dtype, 5 * BLOCKS[dtype][0] - 3, 67)
    move.run(numbered, (*grid, move.in_column), first)
    for i in range(first, first + grid[0] * grid[1]):
        for j in range(move.in_column):
            move.store(i, j)
    move.check()


@pytest.mark.parametrize("grid", [(1, 1), (1, 3), (2, 2), (1, 4), (3, 6)])
def test_planes(grid):
    move = Move("int8", 4 * 256 - 3, 71)
    move.run(plane, grid)
    for j in range(grid[0]):
        for i in range(grid[1]):
            move.store(i, j)
    move.check()


@pytest.mark.parametrize("in_row", [1, 2, 3, 5, 9])
def test_other_counts_in_rows(in_row):
    """Fewer programs than blocks in a row, and more."""
    move = Move("int16", 4 * 128 - 3, 71)
    move.run(walk, (2 * in_row + 1,), in_row)
    for program in range(2 * in_row + 1):
        move.store(program % in_row, program // in_row)
    move.check()


@pytest.mark.parametrize("dtype", ["int8", "int16"])
def test_masks_that_say_more(dtype):
    """Rows behind those that programs reach are no memory, though the mask has them."""
    rows = BLOCKS[dtype][0]
    move = Move(dtype, 2 * rows, 63)
    sizes = (4 * rows - 3, move.n, move.n, move.stride)
    walk[(2,)](move.x, move.out, *sizes, 4, move.rows, move.columns)
    store_all(move)
    move.check()


@pytest.mark.parametrize("target", TARGETS)
def test_grids_of_many_bytes(target):
    """Programs of so many bytes in all fetch whole lines; those behind the array move nothing."""
    rows, columns, m, n = 64, 256, 101, 259
    x = draw(m * n, "float32").reshape(m, n)
    out = np.zeros((n, m), "float32")
    programs = (96 << 20) // (rows * columns * 4) // 2
    for more in (-1, 0):
        out[:] = 0
        plane[(programs + more, 2)](x, out, m, n, n, m, rows, columns, target=target)
        assert out.tobytes() == x.T.tobytes()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", [*BLOCKS, "long rows"])
def test_columns_that_masks_say_more_of(dtype, target):
    """Nor are columns memory behind those that programs reach, not even to the end of 16 bytes."""
    rows, columns = BLOCKS.get(dtype, (512, 64))
    dtype = dtype if dtype in BLOCKS else "int8"
    x_stride = columns + 1
    x = draw((rows + 3) * x_stride - 1, dtype)
    out = np.zeros((columns, rows + 3), dtype)
    sizes = (rows + 3, 3 * columns, x_stride, rows + 3)
    plane[(1, 2)](x, out, *sizes, rows, columns, target=target)
    matrix = np.lib.stride_tricks.as_strided(
        x, (rows + 3, columns), (x_stride * x.itemsize, x.itemsize)
    )
    assert out.tobytes() == matrix.T.tobytes()
