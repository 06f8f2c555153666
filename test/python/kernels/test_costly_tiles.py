"""What takes many instructions goes to other threads where it is needed in another layout."""

import examples_support
import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@tilewright.jit
def mask_in_bits(x, y, kept, bits, n, seed, BLOCK: tl.constexpr):
    """A random mask of elements, and the same in bits."""
    i = tl.arange(0, BLOCK)
    keep = tl.rand(seed, i) > 0.3
    tl.store(y + i, tl.where(keep, tl.load(x + i, mask=i < n, other=0.0), 0.0), mask=i < n)
    tl.store(kept + i, keep, mask=i < n)
    words = tl.reshape((keep & (i < n)).to(tl.int32), (BLOCK // 32, 32))
    words = tl.sum(words << tl.arange(0, 32)[None, :], 1)
    j = tl.arange(0, BLOCK // 32)
    tl.store(bits + j, words, mask=j < tl.cdiv(n, 32))


@pytest.mark.parametrize("target", examples_support.TARGETS)
@pytest.mark.parametrize(("n", "warps"), [(1024, 4), (1001, 1), (77, 2), (4096, 16)])
def test_masks(n, warps, target):
    x, y = examples_support.numbers(n), examples_support.unset(n)
    kept, bits = np.zeros(n, np.int8), np.zeros(-(-n // 32), np.int32)
    block = max(tilewright.next_power_of_2(n), 64)
    mask_in_bits[(1,)](x, y, kept, bits, n, 7, BLOCK=block, num_warps=warps, target=target)
    assert 0.5 < kept.mean() < 0.9
    assert np.array_equal(y, np.where(kept != 0, x, 0))
    padded = np.zeros(32 * bits.size, np.uint8)
    padded[:n] = kept
    assert np.array_equal(np.packbits(padded, bitorder="little").view(np.int32), bits)
