# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers: Philox 4x32 by Python's integers, and what is made of its bits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from conformance.case import Case, Result
from conformance.values import Array, draw, draw_from, make

SIZE = 256
MASK = 0xFFFFFFFF
SEEDS = (0, 42, -1, 0x123456789ABCDEF)


def philox(counter: list[int], key: list[int], rounds: int = 10) -> list[int]:
    """The published algorithm; its known answers are held to in the tests."""
    a, b, c, d = counter
    low, high = key
    for _ in range(rounds):
        first, second = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = second >> 32 ^ b ^ low, second & MASK, first >> 32 ^ d ^ high, first & MASK
        low, high = (low + 0x9E3779B9) & MASK, (high + 0xBB67AE85) & MASK
    return [a, b, c, d]


def _draw_bits(seed: int, offsets: Array, rounds: int = 10) -> Array:
    """Four numbers for each offset."""
    key = [seed & MASK, seed >> 32 & MASK]
    wide = offsets.dtype.itemsize == 8
    rows = [
        philox([offset & MASK, offset >> 32 & MASK if wide else 0, 0, 0], key, rounds)
        for offset in offsets.tolist()
    ]
    return np.array(rows, np.uint32)


def _to_floats(bits: Array) -> Array:
    signed = bits.view(np.int32).astype(np.float64)
    rounded = np.where(signed < 0, -signed - 1, signed).astype(np.float32)
    return (rounded * np.float32(4.6566127342e-10)).astype(np.float64)


def _uniform(seed: int, offsets: Array, which: int) -> Array:
    return _to_floats(_draw_bits(seed, offsets)[:, which])


def _normal(seed: int, offsets: Array, which: int) -> Array:
    u1, u2 = (_uniform(seed, offsets, which // 2 * 2 + each) for each in (0, 1))
    angle = 2 * np.pi * u2
    turn = np.cos(angle) if which % 2 == 0 else np.sin(angle)
    return np.sqrt(-2 * np.log(np.maximum(u1, 1e-7))) * turn


def make_cases() -> Iterator[Case]:
    offsets = {"x": draw("int32", SIZE)}
    four = [_pick(_draw_bits, "uint32", which) for which in range(4)]
    for seed in SEEDS:
        yield Case(
            f"tl.randint4x of seed {seed}",
            f"tl.randint4x({seed}, x)",
            offsets,
            [make_result(seed) for make_result in four],
        )
        yield Case(
            f"tl.rand of seed {seed}",
            f"tl.rand({seed}, x)",
            offsets,
            [Result("fp32", lambda x, s=seed: _uniform(s, x, 0))],
        )
    yield Case(
        "tl.randint of offsets of 64 bits",
        "tl.randint(42, x)",
        {"x": draw("int64", SIZE)},
        [Result("uint32", lambda x: _draw_bits(42, x)[:, 0])],
    )
    yield Case(
        "tl.randint of a seed of run time",
        "tl.randint(tl.sum(s, 0), x, 7)",
        {"s": make("int64", [-(2**40)]), "x": draw("uint32", SIZE)},
        [Result("uint32", lambda s, x: _draw_bits(int(s[0]), x, 7)[:, 0])],
    )
    yield Case(
        "tl.rand4x",
        "tl.rand4x(7, x)",
        offsets,
        [Result("fp32", lambda x, w=which: _uniform(7, x, w)) for which in range(4)],
    )
    yield Case(
        "tl.philox of four counters",
        "tl.philox(3, x, y, x + 1, 5)",
        {"x": draw_from("uint32", SIZE, 0, 2**32 - 2), "y": draw("uint32", SIZE)},
        [Result("uint32", lambda x, y, w=which: _of_four(x, y)[:, w].copy()) for which in range(4)],
    )
    bound: dict[str, Any] = {"relative": 1e-5, "absolute": 3e-6}
    yield Case(
        "tl.randn",
        "tl.randn(5, x)",
        offsets,
        [Result("fp32", lambda x: _normal(5, x, 0), **bound)],
    )
    yield Case(
        "tl.randn4x",
        "tl.randn4x(5, x)",
        offsets,
        [Result("fp32", lambda x, w=which: _normal(5, x, w), **bound) for which in range(4)],
    )


def _pick(function: Any, dtype: str, which: int) -> Any:
    return lambda seed: Result(dtype, lambda x: function(seed, x)[:, which].copy())


def _of_four(x: Array, y: Array) -> Array:
    pairs = zip(x.tolist(), y.tolist(), strict=True)
    return np.array([philox([a, b, a + 1, 5], [3, 0]) for a, b in pairs], np.uint32)
