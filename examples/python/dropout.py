"""Dropout without a stored mask: who stays is a hash of the seed and the place (Philox), so that
the backward pass, which is the same kernel, finds it again. A hash has 128 bits, which serve four
elements."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl


@tilewright.jit
def drop(x, out, i, n, scale, is_kept):
    value = tl.load(x + i, mask=i < n).to(tl.float32)
    result = tl.where(is_kept, value * scale, 0.0)
    tl.store(out + i, result.to(out.dtype.element_ty), mask=i < n)


# A seed may be 1, which would be a constant.
@tilewright.jit(do_not_specialize=["seed"])
def dropout_kernel(x, out, n, p, seed, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b, c, d = tl.randint4x(seed, places)
    least = (p * 4294967296.0).to(tl.uint32)
    scale = 1.0 / (1.0 - p)
    i = tl.program_id(0).to(n.dtype) * 4 * BLOCK + tl.arange(0, BLOCK)
    drop(x, out, i, n, scale, a >= least)
    drop(x, out, i + BLOCK, n, scale, b >= least)
    drop(x, out, i + 2 * BLOCK, n, scale, c >= least)
    drop(x, out, i + 3 * BLOCK, n, scale, d >= least)


def dropout(x: Any, out: Any, p: float, seed: int, block: int = 1024, **launch: Any) -> None:
    """out = x / (1 - p), or 0 with probability p < 1."""
    n = out.shape[0]
    dropout_kernel[(tilewright.cdiv(n, 4 * block),)](x, out, n, p, seed, BLOCK=block, **launch)


def philox(seed: int, places: numpy.ndarray) -> list[numpy.ndarray]:
    """Four words for each place, of 32 bits."""
    low = numpy.uint64(0xFFFFFFFF)
    half = numpy.uint64(32)
    a, b, c, d = places.astype(numpy.uint64), *numpy.zeros((3, places.size), numpy.uint64)
    k, m = numpy.uint64(seed & 0xFFFFFFFF), numpy.uint64(seed >> 32 & 0xFFFFFFFF)
    for _ in range(10):
        p, q = a * numpy.uint64(0xD2511F53), c * numpy.uint64(0xCD9E8D57)
        a, b, c, d = q >> half ^ b ^ k, q & low, p >> half ^ d ^ m, p & low
        k, m = k + numpy.uint64(0x9E3779B9) & low, m + numpy.uint64(0xBB67AE85) & low
    return [a, b, c, d]


def reference(x: numpy.ndarray, p: float, seed: int, block: int = 1024) -> numpy.ndarray:
    places = numpy.arange(tilewright.cdiv(x.size, 4 * block) * block)
    # A program has a block of each word.
    bits = numpy.stack(philox(seed, places)).reshape(4, -1, block).swapaxes(0, 1).reshape(-1)
    keep = bits[: x.size] >= int(numpy.float32(p) * 2.0**32)
    return numpy.where(keep, x.astype(numpy.float64) * (1 / (1 - numpy.float32(p))), 0)
