"""Dropout without a stored mask: who stays is a hash of the seed and the place, so that the
backward pass, which is the same kernel, finds it again."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl

FIRST = tl.constexpr(0x9E3779B1)
SECOND = tl.constexpr(0x85157AF5)


@tilewright.jit
def mix(bits):
    """Every bit of the result depends on every bit of `bits`: two rounds of shifts and products."""
    bits = (bits ^ (bits >> 16)) * FIRST
    bits = (bits ^ (bits >> 15)) * SECOND
    return bits ^ (bits >> 16)


# A seed may be 1, which would be a constant.
@tilewright.jit(do_not_specialize=["seed"])
def dropout_kernel(x, out, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    bits = mix(mix(i.to(tl.uint32)) ^ seed.to(tl.uint32))
    uniform = (bits >> 8).to(tl.float32) * 2.0**-24
    value = tl.load(x + i, mask=inside).to(tl.float32)
    result = tl.where(uniform >= p, value / (1.0 - p), 0.0)
    tl.store(out + i, result.to(out.dtype.element_ty), mask=inside)


def dropout(x: Any, out: Any, p: float, seed: int, block: int = 1024, **launch: Any) -> None:
    """out = x / (1 - p), or 0 with probability p < 1."""
    n = out.shape[0]
    dropout_kernel[(tilewright.cdiv(n, block),)](x, out, n, p, seed, BLOCK=block, **launch)


def reference(x: numpy.ndarray, p: float, seed: int) -> numpy.ndarray:
    def mix_bits(bits: numpy.ndarray) -> numpy.ndarray:
        bits = (bits ^ (bits >> 16)) * numpy.uint32(0x9E3779B1)
        bits = (bits ^ (bits >> 15)) * numpy.uint32(0x85157AF5)
        return bits ^ (bits >> 16)

    places = numpy.arange(x.size, dtype=numpy.uint32)
    bits = mix_bits(mix_bits(places) ^ numpy.uint32(seed & 0xFFFFFFFF))
    uniform = (bits >> 8).astype(numpy.float32) * numpy.float32(2.0**-24)
    keep = uniform >= numpy.float32(p)
    return numpy.where(keep, x.astype(numpy.float64) / (1 - p), 0)
