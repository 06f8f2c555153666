# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tl.dot_scaled: small numbers with scales, whose products fp32 sums exactly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from conformance.case import Case, Result
from conformance.values import Array, Values, make, make_rng

M, N, K = 32, 16, 64
_E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
_E2M1 = np.concatenate([_E2M1, -_E2M1])


def make_cases() -> Iterator[Case]:
    for left in ("e2m1", "e4m3", "e5m2", "bf16", "fp16"):
        for right in ("e2m1", "e4m3", "e5m2", "fp16"):
            yield _multiply(left, right, 32)
    yield _multiply("e2m1", "e2m1", 32, left_packs_k=False, right_packs_k=False)
    yield _multiply("e4m3", "e2m1", 32, right_packs_k=False)
    yield _multiply("e2m1", "e4m3", 0)
    yield _multiply("fp8e4nv", "fp8e5", 32)
    yield _multiply("e2m1", "e2m1", 16)
    yield from _ends()


def _draw(name: str, shape: tuple[int, int], packed: int, seed: str) -> tuple[Values, Array]:
    """A tile in a format, and its numbers: whole ones and halves, to 6."""
    places = make_rng(seed).integers(0, 16, shape)
    numbers = _E2M1[places]
    if name == "e2m1":
        pairs = np.moveaxis(places, packed, -1).reshape(*np.delete(shape, packed), -1, 2)
        both = np.moveaxis(pairs[..., 0] | pairs[..., 1] << 4, -1, packed)
        return make("uint8", both), numbers
    kind = {"e4m3": "fp8e4nv", "e5m2": "fp8e5"}.get(name, name)
    values = make(kind, numbers)
    return (Values("uint8", values.bits) if kind != name else values), numbers


def _multiply(
    left: str, right: str, run: int, left_packs_k: bool = True, right_packs_k: bool = True
) -> Case:
    """`run` is how many elements have a scale, or 0."""
    lhs, a = _draw(left, (M, K), 1 if left_packs_k else 0, "lhs")
    rhs, b = _draw(right, (K, N), 0 if right_packs_k else 1, "rhs")
    inputs: dict[str, Any] = {"x": lhs, "y": rhs}
    scales = ["None", "None"]
    if run:
        exponents = [make_rng(s).integers(-2, 3, (n, K // run)) for s, n in (("s", M), ("t", N))]
        for name, each in zip("st", exponents, strict=True):
            inputs[name] = make("uint8", each + 127) if run == 32 else make("fp8e4nv", 2.0**each)
        scales = ["s", "t"]
        a = a * np.repeat(2.0 ** exponents[0], run, 1)
        b = b * np.repeat(2.0 ** exponents[1], run, 1).T
    formats = [{"fp8e4nv": "e4m3", "fp8e5": "e5m2"}.get(each, each) for each in (left, right)]
    packs = "" if left_packs_k else ", lhs_k_pack=False"
    packs += "" if right_packs_k else ", rhs_k_pack=False"
    return Case(
        f"tl.dot_scaled, {left} and {right}, {run or 'no'} scales{packs}",
        f'tl.dot_scaled(x, {scales[0]}, "{formats[0]}", y, {scales[1]}, "{formats[1]}"{packs})',
        inputs,
        [Result("fp32", lambda *_: a @ b)],
    )


def _ends() -> Iterator[Case]:
    """All bytes of a format, with the least scale that a product shows, and NaN."""
    bits = np.arange(256, dtype=np.uint8).reshape(16, 16)
    ones = np.zeros((16, 16))
    np.fill_diagonal(ones, 1)
    for name, kind in (("e4m3", "fp8e4nv"), ("e5m2", "fp8e5")):
        # A row with NaN or infinity has nothing else.
        values = Values(kind, np.where(np.isfinite(Values(kind, bits).numbers), bits, 0))
        yield Case(
            f"tl.dot_scaled of all numbers of {name}",
            f'tl.dot_scaled(x, None, "{name}", y, None, "bf16")',
            {"x": Values("uint8", values.bits), "y": make("bf16", ones)},
            [Result("fp32", lambda *_, values=values: values.numbers + 0.0)],
        )
    scales = np.full((16, 1), 127)
    scales[3], scales[5], scales[7] = 255, 0, 20
    expected = np.ones((16, 8)) * 32
    expected[3], expected[5], expected[7] = np.nan, 32 * 2.0**-127, 32 * 2.0**-107
    yield Case(
        "tl.dot_scaled with scales of all sizes",
        'tl.dot_scaled(x, s, "e4m3", y, None, "bf16", acc=tl.zeros([16, 8], tl.float32))',
        {
            "x": Values("uint8", np.full((16, 32), 0x38, np.uint8)),
            "s": make("uint8", scales),
            "y": make("bf16", np.ones((32, 8))),
        },
        [Result("fp32", lambda *_: expected)],
    )
