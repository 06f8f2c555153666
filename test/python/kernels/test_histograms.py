"""Counts in shared memory, added up by atomic additions.

Blocks that are whole and the last one, many bins and few, numbers that are all alike, and some that
are in no bin. The simulator looks for races.
"""

import numpy as np
import pytest
from examples_support import as_on_gpus

import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")


@tilewright.jit
def count_kernel(x, counts, n, bins: tl.constexpr, block: tl.constexpr):
    i = tl.program_id(0) * block + tl.arange(0, block)
    found = tl.histogram(tl.load(x + i, mask=i < n, other=0).to(tl.int32), bins, mask=i < n)
    tl.atomic_add(counts + tl.arange(0, bins), found)


@tilewright.jit
def count_in_loop_kernel(x, counts, n, bins: tl.constexpr, block: tl.constexpr):
    found = tl.zeros((bins,), tl.int32)
    for first in range(0, n, block):
        i = first + tl.arange(0, block)
        found += tl.histogram(tl.load(x + i, mask=i < n, other=-1), bins)
    tl.store(counts + tl.arange(0, bins), found)


def count(x, bins):
    return np.bincount(x[(x >= 0) & (x < bins)].astype(np.int64), minlength=bins)


@pytest.mark.parametrize("bins, block", [(256, 4096), (8, 512), (2048, 1024), (16384, 256)])
def test_bytes_and_words(target, bins, block):
    rng = np.random.default_rng(bins)
    for x in (
        rng.integers(0, 256, 2 * block + 77).astype(np.uint8),
        np.full(block + 1, 7, np.uint8),
        rng.integers(-bins, 2 * bins, block + 5).astype(np.int32),
    ):
        counts = as_on_gpus(np.zeros(bins, np.int32))
        grid = (-(-x.size // block),)
        count_kernel[grid](as_on_gpus(x), counts, x.size, bins=bins, block=block, target=target)
        np.testing.assert_array_equal(counts, count(x, bins))


def test_counters_are_cleared_in_each_trip(target):
    x = np.random.default_rng(3).integers(-3, 70, 1000).astype(np.int32)
    counts = as_on_gpus(np.full(64, 7, np.int32))
    count_in_loop_kernel[(1,)](as_on_gpus(x), counts, x.size, bins=64, block=256, target=target)
    np.testing.assert_array_equal(counts, count(x, 64))


def test_whole_blocks_are_loaded_in_vectors(monkeypatch):
    """And no element of them asks whether it is there."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    x = as_on_gpus(np.arange(5000).astype(np.uint8))
    counts = as_on_gpus(np.zeros(256, np.int32))
    kernel = count_kernel[(2,)](x, counts, x.size, bins=256, block=4096)
    whole = kernel.ir("placed").partition("} else {")[0]
    assert "vector_width = 16" in whole
    assert "arith.select" not in whole.partition("scf.if")[2]
    np.testing.assert_array_equal(counts, count(x, 256))
