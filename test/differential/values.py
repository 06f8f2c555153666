# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data with what goes wrong: zeros of both signs, ends of types, halfway cases of roundings."""

from __future__ import annotations

import numpy as np

from differential.elements import Array, Element, Float

Random = np.random.Generator


def special_bits(element: Element) -> list[int]:
    """The few numbers of a type that rules are made for."""
    if isinstance(element, Float):
        return _special_floats(element)
    powers = {0, 1, element.mask, element.mask >> 1, 1 << (element.bits - 1)}
    for bit in range(element.bits):
        powers |= {(1 << bit) + step & element.mask for step in (-1, 0, 1)}
        powers |= {-(1 << bit) + step & element.mask for step in (-1, 0, 1)}
    return sorted(powers)


def _special_floats(element: Float) -> list[int]:
    digits = element.precision - 1
    top = element.infinity_bits if element.has_infinity else element.nan_bits
    positive = {0, 1, 2, (1 << digits) - 1, 1 << digits, (1 << digits) + 1, top - 1, top - 2, top}
    positive.add(element.nan_bits)
    if element.has_infinity:
        # A signalling NaN, and the NaN with all bits.
        positive |= {element.infinity_bits | 1, element.mask >> 1}
    numbers = [1.0, 0.5, 1.5, 2.0, 2.5, 3.0, 0.1, 1 / 3, 127.5, 128.5, 255.5, 256.5, 65504, 65520]
    numbers += [448, 464, 465, 57344, 61440, 2.0**-9, 2.0**-10, 2.0**-14, 2.0**-24, 2.0**-25]
    # The ends of integers.
    numbers += [
        2.0**bits + step for bits in (7, 8, 15, 16, 24, 31, 32, 53, 63, 64) for step in (-1, 0)
    ]
    positive |= {int(bits) for bits in element.encode(np.array(numbers))}
    return sorted(positive | {bits | element.sign_bit for bits in positive})


def draw(rng: Random, element: Element, count: int) -> Array:
    """Elements of all kinds."""
    if element.bits == 1:
        return rng.integers(0, 2, count).astype(np.uint64)
    kinds = rng.integers(0, 8, count)
    special = rng.choice(np.array(special_bits(element), np.uint64), count)
    random = element.wrap(rng.integers(0, 1 << 64, count, np.uint64))
    small = small_numbers(rng, element, count, 20)
    return np.select(
        [kinds < 3, kinds < 5, kinds < 7],
        [special, small, _halfway(rng, element, random)],
        random,
    )


def _halfway(rng: Random, element: Element, bits: Array) -> Array:
    """Digits that are all zero from some place on, or 1000..., or their neighbours."""
    width = element.precision - 1 if isinstance(element, Float) else element.bits
    if isinstance(element, Float):
        # Near one, where other types have numbers too; a few anywhere.
        size = rng.integers(-30, 66, bits.size)
        size = np.clip(size, element.least, element.largest)
        near = (size - element.least + 1).astype(np.uint64) << np.uint64(width)
        sign, fraction = np.uint64(element.sign_bit), np.uint64((1 << width) - 1)
        bits = np.where(rng.integers(0, 4, bits.size) > 0, bits & (sign | fraction) | near, bits)
    else:
        bits = bits >> rng.integers(0, width, bits.size).astype(np.uint64)
    cut = rng.integers(1, width + 1, bits.size).astype(np.uint64)
    low = (np.uint64(1) << cut) - np.uint64(1)
    half = np.uint64(1) << (cut - np.uint64(1))
    tail = rng.integers(-1, 2, bits.size).view(np.uint64)
    kept = (bits & ~low) + np.where(rng.integers(0, 4, bits.size) > 0, half, np.uint64(0)) + tail
    return element.wrap(kept)


def small_numbers(rng: Random, element: Element, count: int, limit: int) -> Array:
    """Integers from -limit to limit; a type that ends before takes what it has."""
    numbers = rng.integers(-limit, limit + 1, count)
    if isinstance(element, Float):
        return element.encode(numbers.astype(np.float64))
    return element.wrap(numbers.view(np.uint64))
