"""The sum of two vectors: one program adds BLOCK elements."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl


@tilewright.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(n.dtype) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


def add(x: Any, y: Any, out: Any, block: int = 1024, **launch: Any) -> None:
    """out = x + y. `launch`: what any launch takes, such as num_warps."""
    n = out.shape[0]
    add_kernel[(tilewright.cdiv(n, block),)](x, y, out, n, BLOCK=block, **launch)


def reference(x: numpy.ndarray, y: numpy.ndarray) -> numpy.ndarray:
    return x + y
