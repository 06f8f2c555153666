"""Loops whose iterations store behind one another have no barrier between them, others have one."""

import examples_support
import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@tilewright.jit
def by_programs(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    step = tl.num_programs(0) * BLOCK
    for at in range(tl.program_id(0) * BLOCK, n, step):
        tl.store(y + at + i, 2 * tl.load(x + at + i, mask=at + i < n), mask=at + i < n)


@tilewright.jit
def along_rows(x, y, stride, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0).to(tl.int64) * stride
    for at in range(0, n, BLOCK):
        v = tl.load(x + row + at + i, mask=at + i < n)
        tl.store(y + row + at + i, 2 * v, mask=at + i < n)


@tilewright.jit
def overlapping(x, y, n, BLOCK: tl.constexpr, STEP: tl.constexpr, FIRST: tl.constexpr):
    """Each iteration stores over a part of what the one before did."""
    i = tl.arange(0, BLOCK)
    for at in range(FIRST, n, STEP):
        v = tl.load(x + at + i, mask=(at + i < n) & (at + i >= 0), other=0.0)
        tl.store(y + at + i, v + at, mask=(at + i < n) & (at + i >= 0))


@tilewright.jit
def again(y, n, times, BLOCK: tl.constexpr):
    """The same blocks in each iteration of the loop around."""
    i = tl.arange(0, BLOCK)
    for time in range(times):
        for at in range(0, n, BLOCK):
            v = tl.load(y + at + (i + 1) % BLOCK, mask=at + (i + 1) % BLOCK < n, other=0.0)
            tl.store(y + at + i, v + time, mask=at + i < n)


@tilewright.jit
def downwards(y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for at in range(n, -BLOCK, -BLOCK // 2):
        tl.store(y + at + i, (at + i).to(tl.float32) + at, mask=(at + i < n) & (at + i >= 0))


def count_barriers(kernel, grid, *arguments, **options):
    return kernel.warmup(*arguments, grid=grid, **options).ptx.count("bar.sync")


@pytest.mark.parametrize("target", examples_support.TARGETS)
@pytest.mark.parametrize("n", [1, 255, 1000, 4099])
def test_blocks_behind_one_another(n, target):
    x = examples_support.numbers(n)
    for warps in (1, 4):
        y = examples_support.unset(n)
        by_programs[(3,)](x, y, n, BLOCK=256, num_warps=warps, target=target)
        assert np.array_equal(y, 2 * x)
    x = examples_support.numbers(3, n)
    y = examples_support.unset(3, n)
    along_rows[(3,)](x, y, n, n, BLOCK=256, target=target)
    assert np.array_equal(y, 2 * x)


def test_no_barrier():
    x, y = examples_support.numbers(4096), examples_support.unset(4096)
    assert count_barriers(by_programs, (3,), x, y, 4096, BLOCK=1024) == 0
    assert count_barriers(along_rows, (1,), x, y, 4096, 4096, BLOCK=1024) == 0
    # One that is needed.
    options = {"BLOCK": 1024, "STEP": 512, "FIRST": 0}
    assert count_barriers(overlapping, (1,), x, y, 4096, **options) > 0


@pytest.mark.parametrize("target", examples_support.TARGETS)
@pytest.mark.parametrize(("step", "first"), [(128, 0), (255, 0), (256, 0), (257, 0), (100, -300)])
def test_blocks_that_overlap(step, first, target):
    n = 1003
    x, y = examples_support.numbers(n), np.zeros(n, np.float32)
    expected = y.copy()
    for at in range(first, n, step):
        begin, end = max(at, 0), min(at + 256, n)
        if end > begin:
            expected[begin:end] = x[begin:end] + np.float32(at)
    overlapping[(1,)](x, y, n, BLOCK=256, STEP=step, FIRST=first, target=target)
    assert np.array_equal(y, expected)


@pytest.mark.parametrize("target", examples_support.TARGETS)
def test_blocks_that_are_stored_again(target):
    n, block = 700, 256
    y = examples_support.numbers(n)
    expected = np.zeros(768, np.float32)
    expected[:n] = y
    for time in range(3):
        for at in range(0, n, block):
            part = np.roll(expected[at : at + block], -1)
            expected[at : at + block] = part + np.float32(time)
            expected[n:] = 0
    again[(1,)](y, n, 3, BLOCK=block, target=target)
    assert np.array_equal(y, expected[:n])


@pytest.mark.parametrize("target", examples_support.TARGETS)
def test_downwards(target):
    n, block = 700, 256
    y = examples_support.unset(n)
    expected = np.zeros(n, np.float32)
    for at in range(n, -block, -block // 2):
        begin, end = max(at, 0), min(at + block, n)
        if end > begin:
            expected[begin:end] = np.arange(begin, end) + at
    downwards[(1,)](y, n, BLOCK=block, target=target)
    assert np.array_equal(y, expected)
