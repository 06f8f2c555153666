"""Blocks that walk along rows which begin anywhere: all programs are done once, whatever the grid,
and nothing is read or written that no program was told to."""

import numpy as np
import pytest
from examples_support import TARGETS

import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")

ROWS, COLUMNS = 256, 64


@tilewright.jit
def strips_first(x, out, M, N, x_stride, out_stride, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """A transpose. Programs that follow one another have rows of `x`."""
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    j = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside = (i[None, :] < M) & (j[:, None] < N)
    block = tl.load(x + i[None, :].to(tl.int64) * x_stride + j[:, None], mask=inside)
    tl.store(out + j[:, None].to(tl.int64) * out_stride + i[None, :], block, mask=inside)


@tilewright.jit
def steps_first(x, out, M, N, x_stride, out_stride, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """The same, whose programs that follow one another have columns of `x`."""
    i = tl.program_id(2) * ROWS + tl.arange(0, ROWS)
    j = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    inside = (i[None, :] < M) & (j[:, None] < N)
    block = tl.load(x + i[None, :].to(tl.int64) * x_stride + j[:, None], mask=inside)
    tl.store(out + j[:, None].to(tl.int64) * out_stride + i[None, :], block, mask=inside)


@tilewright.jit
def of_batches(
    x, out, M, N, x_stride, out_stride, x_batch, out_batch,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """The same of some matrices."""
    x += tl.program_id(2).to(tl.int64) * x_batch
    out += tl.program_id(2).to(tl.int64) * out_batch
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    j = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside = (i[None, :] < M) & (j[:, None] < N)
    block = tl.load(x + i[None, :].to(tl.int64) * x_stride + j[:, None], mask=inside)
    tl.store(out + j[:, None].to(tl.int64) * out_stride + i[None, :], block, mask=inside)


@tilewright.jit
def shifted(x, out, M, N, x_stride, out_stride, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """The same, whose blocks begin in front of the matrix."""
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    j = tl.program_id(1) * COLUMNS - 7 + tl.arange(0, COLUMNS)
    inside = (i[None, :] < M) & (j[:, None] < N) & (j[:, None] >= 0)
    block = tl.load(x + i[None, :].to(tl.int64) * x_stride + j[:, None], mask=inside)
    tl.store(out + j[:, None].to(tl.int64) * out_stride + i[None, :], block, mask=inside)


def draw(count, seed=0):
    return np.random.default_rng(seed).integers(0, 256, count, "u1")


class Move:
    """Arrays of odd rows, and what becomes of them."""

    def __init__(self, m, n, gap=0, before=0, from_byte=0, x_gap=0):
        self.m, self.n = m, n
        self.x_stride, self.stride = n + x_gap, m + gap
        # No byte behind the last one, so that one that is read is found.
        self.x = draw(from_byte + max(m * self.x_stride - x_gap, 0))[from_byte:]
        self.room = draw(before + max(n * self.stride - gap, 0), seed=1)
        self.expected = self.room.copy()
        self.out = self.room[before:]
        strided = np.lib.stride_tricks.as_strided
        self.from_x = strided(self.x, (m, n), (self.x_stride, 1))
        self.there = strided(self.expected[before:], (n, m), (self.stride, 1))
        self.grid = (-(-m // ROWS), -(-n // COLUMNS))

    def run(self, kernel, grid, target="sm_90a", num_warps=16):
        sizes = (self.m, self.n, self.x_stride, self.stride)
        kernel[grid](self.x, self.out, *sizes, ROWS, COLUMNS, target=target, num_warps=num_warps)

    def store(self, programs_i, programs_j):
        """What so many programs store."""
        i, j = slice(0, programs_i * ROWS), slice(0, programs_j * COLUMNS)
        self.there[j, i] = self.from_x[i, j].T

    def check(self):
        assert self.room.tobytes() == self.expected.tobytes()


def code_of(kernel, dtype="u1", num_warps=16):
    x, sizes = np.zeros((401, 263), dtype), [401, 263, 263, 401]
    if kernel is of_batches:
        sizes += [401 * 263] * 2
    return kernel.warmup(
        x, x.T.copy(), *sizes, ROWS, COLUMNS, grid=(2, 2, 2), target="sm_90a", num_warps=num_warps
    ).ir("placed")


@pytest.mark.parametrize("kernel", [strips_first, steps_first, of_batches])
def test_blocks_walk(kernel):
    """Else the other tests try nothing."""
    assert "walk_rows" in code_of(kernel)


def test_where_blocks_do_not_walk():
    assert "walk_rows" not in code_of(shifted)
    assert "walk_rows" not in code_of(strips_first, num_warps=8)
    assert "walk_rows" not in code_of(strips_first, "f4")


@pytest.mark.parametrize("target", TARGETS)
def test_targets(target):
    for m, n in ((2 * ROWS + 37, 5 * COLUMNS + 5), (ROWS + 1, 11 * COLUMNS - 1)):
        move = Move(m, n, gap=3, before=5)
        move.run(strips_first, move.grid, target=target)
        move.store(*move.grid)
        move.check()


@pytest.mark.parametrize("from_byte", range(16))
def test_where_arrays_begin(from_byte):
    move = Move(ROWS + 33, 261, gap=from_byte % 3, before=31 - 2 * from_byte, from_byte=from_byte)
    move.run(strips_first, move.grid)
    move.store(*move.grid)
    move.check()


@pytest.mark.parametrize("more", [-1, 0, 1, 3, 15, 31, 32, 33])
@pytest.mark.parametrize("target", ["sm_90a", "sm_86"])
def test_last_strips(more, target):
    """How much of the last sectors the last strip has; a ring of less shared memory."""
    for before in (0, 1, 16, 31):
        move = Move(2 * ROWS + more, 203, gap=before % 3, before=before, x_gap=before % 2 * 2)
        move.run(strips_first, move.grid, target=target)
        move.store(*move.grid)
        move.check()


@pytest.mark.parametrize("m", [0, 1, 2, 31, ROWS - 1, ROWS])
@pytest.mark.parametrize("n", [0, 1, 3, 127, 129, 513])
def test_small(m, n):
    move = Move(m, n)
    move.run(strips_first, tuple(max(count, 1) for count in move.grid))
    move.store(*move.grid)
    move.check()


@pytest.mark.parametrize("grid", [(1, 1), (1, 5), (2, 3), (3, 2), (4, 9), (7, 13)])
def test_other_grids(grid):
    """Programs for a part of the matrix, and for more than there is."""
    move = Move(4 * ROWS - 3, 9 * COLUMNS - 5)
    move.run(strips_first, grid)
    move.store(*grid)
    move.check()
    move = Move(4 * ROWS - 3, 9 * COLUMNS - 5)
    move.run(steps_first, (grid[1], 1, grid[0]))
    move.store(*grid)
    move.check()


@pytest.mark.parametrize("strips", [9, 23])
def test_more_strips_than_blocks(strips):
    """The simulator has a block for five programs."""
    move = Move(strips * ROWS - 101, 3 * COLUMNS - 1)
    move.run(strips_first, move.grid)
    move.store(*move.grid)
    move.check()


def test_masks_that_say_more():
    """Rows and columns behind those that programs reach are no memory, though the mask has them."""
    move = Move(2 * ROWS, 5 * COLUMNS - 1)
    sizes = (4 * ROWS - 3, move.n, move.x_stride, move.stride)
    strips_first[(2, 5)](move.x, move.out, *sizes, ROWS, COLUMNS, num_warps=16)
    move.store(2, 5)
    move.check()
    move = Move(ROWS + 9, 2 * COLUMNS, x_gap=1)
    sizes = (move.m, 5 * COLUMNS, move.x_stride, move.stride)
    strips_first[(2, 2)](move.x, move.out, *sizes, ROWS, COLUMNS, num_warps=16)
    move.store(2, 2)
    move.check()


@pytest.mark.parametrize("count", [1, 3])
def test_batches(count):
    m, n = ROWS + 77, 3 * COLUMNS + 3
    x = draw(count * m * n).reshape(count, m, n)
    out = np.zeros((count, n, m), "u1")
    grid = (2, 4, count)
    of_batches[grid](x, out, m, n, n, m, m * n, m * n, ROWS, COLUMNS, num_warps=16)
    assert out.tobytes() == x.transpose(0, 2, 1).tobytes()


def test_arrays_that_may_overlap():
    """What lies between rows may be written, so that nothing is copied ahead."""
    room = draw(700 * 700)
    expected = room.copy().reshape(700, 700)
    expected[350:613, 300:600] = expected[0:300, 0:263].T.copy()
    matrix = room.reshape(700, 700)
    strips_first[(2, 5)](
        matrix, matrix[350:, 300:], 300, 263, 700, 700, ROWS, COLUMNS, num_warps=16
    )
    assert room.tobytes() == expected.tobytes()
