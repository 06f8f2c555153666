"""Masks by places: a program's begin, which may be below 0, and a thread's offset, against an end
anywhere."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@tilewright.jit
def copy_inside(x, y, begin, end, first, BLOCK: tl.constexpr):
    i = (tl.program_id(0) + first) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + begin + i, tl.load(x + begin + i, mask=i < end, other=-1.0), mask=i < end)


@pytest.mark.parametrize("warps", [1, 8])
def test_ends_anywhere(target: str, warps: int) -> None:
    x = np.random.default_rng(1).standard_normal(4096).astype(np.float32)
    for first in (0, -2):
        places = np.arange(4096) + first * 1024
        for end in (-3000, -1025, -1, 0, 1, 1023, 1024, 1025, 2047, 2**31 - 1, -(2**31)):
            y = np.zeros_like(x)
            copy_inside[(4,)](
                x, y, -first * 1024, end, first, BLOCK=1024, num_warps=warps, target=target
            )
            np.testing.assert_array_equal(y, np.where(places < end, x, 0))
