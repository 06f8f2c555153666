"""Rotary position embedding: the two halves of each head are turned against each other, by an angle
that depends on the position of the token. In place."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import strides


@tilewright.jit
def turn(first, second, cosine, sine):
    return first * cosine - second * sine, second * cosine + first * sine


@tilewright.jit
def rope_kernel(x, positions, cosines, sines, token_stride, head_stride, n_heads,
                HALF: tl.constexpr, HEADS: tl.constexpr, BACKWARD: tl.constexpr):  # fmt: skip
    token = tl.program_id(0).to(tl.int64)
    position = tl.load(positions + token)
    dims = tl.arange(0, HALF)
    cosine = tl.load(cosines + position * HALF + dims)[None, :]
    sine = tl.load(sines + position * HALF + dims)[None, :]
    if BACKWARD:
        sine = -sine
    # Their number need not be a power of two.
    heads = tl.arange(0, HEADS)
    inside = heads[:, None] < n_heads
    place = x + token * token_stride + heads[:, None] * head_stride + dims[None, :]
    first = tl.load(place, mask=inside, other=0.0).to(tl.float32)
    second = tl.load(place + HALF, mask=inside, other=0.0).to(tl.float32)
    first, second = turn(first, second, cosine, sine)
    tl.store(place, first.to(x.dtype.element_ty), mask=inside)
    tl.store(place + HALF, second.to(x.dtype.element_ty), mask=inside)


def rope(
    x: Any, positions: Any, cosines: Any, sines: Any, backward: bool = False, **launch: Any
) -> None:
    """Turns x, of [tokens, heads, dimension]. The tables have a row of f32 for each position."""
    tokens, heads, dimension = x.shape
    rope_kernel[(tokens,)](
        x, positions, cosines, sines, *strides(x)[:2], heads,
        HALF=dimension // 2, HEADS=tilewright.next_power_of_2(heads), BACKWARD=backward, **launch,
    )  # fmt: skip


def tables(length: int, dimension: int, base: float = 10000.0) -> tuple[Any, Any]:
    """The cosines and sines of `length` positions."""
    speeds = base ** (-numpy.arange(0, dimension, 2) / dimension)
    angles = numpy.arange(length)[:, None] * speeds
    return numpy.cos(angles).astype(numpy.float32), numpy.sin(angles).astype(numpy.float32)


def reference(
    x: numpy.ndarray, positions: numpy.ndarray, cosines: numpy.ndarray, sines: numpy.ndarray,
    backward: bool = False,
) -> numpy.ndarray:  # fmt: skip
    half = x.shape[2] // 2
    numbers = x.astype(numpy.float64)
    turns = cosines[positions].astype(numpy.float64) + 1j * sines[positions]
    turned = (numbers[..., :half] + 1j * numbers[..., half:]) * (
        turns.conj() if backward else turns
    )[:, None]
    return numpy.concatenate([turned.real, turned.imag], axis=2)
