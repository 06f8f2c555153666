"""Comparisons of columns with a number of their row, in rows that begin anywhere: in the simulator,
beside NumPy."""

import numpy as np
import pytest
from examples_support import assert_close, place

import cross_entropy
import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")

IGNORED = -100
# Rows, columns, columns of a block, warps, and what lies between rows: several rows of a warp, one
# that is rotated, one of which nothing but the end stands in the way, and rows in parts.
SHAPES = [
    (70, 33, 64, 1, 0),
    (37, 333, 512, 2, 0),
    (19, 129, 256, 1, 3),
    (9, 777, 1024, 1, 0),
    (5, 997, 1024, 2, 3),
    (5, 2001, 1024, 4, 0),
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_gradient_of_cross_entropy(shape, dtype, target):
    m, n, block, warps, gap = shape
    random = np.random.default_rng(n)
    logits = place(random.standard_normal((m, n + gap)).astype(np.float16), 0)[1][:, :n]
    labels = random.integers(0, n, m).astype(dtype)
    labels[:5] = 0, n - 1, IGNORED, n, -1
    if dtype == np.int64:
        labels[4] = 2**32 + 1
    logits[1, 3] = -np.inf
    with np.errstate(invalid="ignore"):
        lse = cross_entropy.reference(logits, np.zeros(m, int))[1].astype(np.float32)
    logits[2], lse[2] = np.nan, 0
    grad = random.standard_normal(m).astype(np.float32)
    room = place(np.full((m, n + gap), 7, np.float16), 0)[1]
    cross_entropy.backward(
        grad, logits, labels, lse, room[:, :n], IGNORED, block=block, num_warps=warps
    )
    with np.errstate(invalid="ignore"):
        right = cross_entropy.reference_backward(grad, logits, labels, IGNORED)
    assert np.isnan(right[3:5]).all() and not np.isnan(right[:3]).any()
    assert_close(room[:, :n], right)
    assert (room[:, n:] == 7).all()


@tilewright.jit
def one_kernel(out, numbers, first, n, low: tl.constexpr, is_equal: tl.constexpr,
               block: tl.constexpr):  # fmt: skip
    row = tl.program_id(0)
    places = tl.arange(0, block)
    counts = first + places
    if low is not None:
        counts = counts & low
    number = tl.load(numbers + row)
    same = counts == number if is_equal else number != counts
    tl.store(out + row * n + places, same.to(tl.int8), mask=places < n)


# Sums that wrap around, low bits of which each is counted to once or not at all, or twice.
@pytest.mark.parametrize("is_equal", [True, False])
@pytest.mark.parametrize("low", [None, 255, 511, 127, 5])
def test_numbers(low, is_equal, target):
    n, first = 251, 2**31 - 100
    wrapped = (first + np.arange(n)).astype(np.int32)
    counts = wrapped if low is None else wrapped & low
    numbers = np.array(
        [0, 1, -1, 127, 255, 256, first, counts[7], counts[-1], 2**40, -(2**31), 2**31, -100, 411],
        np.int64,
    )
    out = np.full((len(numbers), n), 9, np.int8)
    one_kernel[(len(numbers),)](
        out, numbers, first, n, low=low, is_equal=is_equal, block=256, num_warps=1
    )
    same = counts == numbers[:, None]
    assert (out == (same if is_equal else ~same)).all()
