# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Words that find elements by their number or by their order, and that turn and join tiles."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from conformance.case import Case, Result
from conformance.values import Array, Values, count, draw, draw_whole, is_float, make, make_rng

SORTED = ("int1", "int8", "uint32", "int64", "fp16", "bf16", "fp32", "fp64")
MOVED = ("int1", "int8", "fp16", "fp32", "int64", "fp8e5")


def make_cases() -> Iterator[Case]:
    yield from _largest()
    yield from _sorted_with_nan()
    yield from _merged()
    yield from _flipped()
    yield from _joined()
    yield from _gathered()
    yield from _counted()


def _largest() -> Iterator[Case]:
    for dtype in SORTED:
        for shape, k in (((32,), 4), ((4, 16), 16), ((2, 4, 8), 1), ((1,), 1), ((8, 2), 1)):
            values = draw_whole(dtype, shape, 100) if is_float(dtype) else draw(dtype, shape)

            def reference(x: Array, k: int = k) -> Array:
                return np.flip(np.sort(x), -1)[..., :k]

            yield Case(
                f"tl.topk, {dtype}, {k} of {list(shape)}",
                f"tl.topk(x, {k})",
                {"x": values},
                [Result(dtype, reference)],
            )
    for dtype in ("int8", "uint16", "fp16", "fp32"):
        for shape, k in (((512,), 8), ((4, 128), 64), ((4, 128), 128), ((8, 64), 1)):
            values = draw_whole(dtype, shape, 100) if is_float(dtype) else draw(dtype, shape)

            def largest(x: Array, k: int = k) -> Array:
                return np.flip(np.sort(x), -1)[..., :k]

            yield Case(
                f"tl.topk, {dtype}, {k} of {list(shape)}, several a thread",
                f"tl.topk(x, {k})",
                {"x": values},
                [Result(dtype, largest)],
            )
    infinite = make("fp32", [np.inf, -1, -np.inf, 1e-40, 0, -1e-40, 3e38, -3e38])
    best = [np.inf, 3e38, 1e-40, 0]
    yield Case(
        "tl.topk of infinities",
        "tl.topk(x, 4, dim=-1)",
        {"x": infinite},
        [Result("fp32", lambda x: make("fp32", best))],
    )


def _sorted_with_nan() -> Iterator[Case]:
    """NaN of both signs is the greatest."""
    numbers = [np.inf, -1, np.nan, -np.inf, 1e-7, 3, -1e-7, -np.nan, 60000, -60000, 2, -2, 5, 6]
    for dtype, times in (("fp16", 1), ("fp16", 32), ("bf16", 1), ("fp32", 1), ("fp64", 1)):
        inputs = {"x": make(dtype, [*numbers, -np.nan, 7] * times)}
        for falls in (False, True):

            def reference(x: Array, falls: bool = falls) -> Array:
                return np.flip(np.sort(x)) if falls else np.sort(x)

            yield Case(
                f"tl.sort with NaN, {16 * times} {dtype}, {'falling' if falls else 'rising'}",
                f"tl.sort(x, descending={falls})",
                inputs,
                [Result(dtype, reference)],
                shows="NaN in sort and topk",
            )
        yield Case(
            f"tl.topk with NaN, {16 * times} {dtype}",
            "tl.topk(x, 8)",
            inputs,
            [Result(dtype, lambda x: np.flip(np.sort(x))[:8])],
        )


def _merged() -> Iterator[Case]:
    """Rows that rise and fall."""
    for dtype in ("int32", "fp16"):
        for falls in (False, True):
            half = np.sort(make_rng("merged").integers(-50, 50, (4, 2, 16)))
            rows = np.concatenate([half[:, 0], half[:, 1, ::-1]], 1)

            def reference(x: Array, falls: bool = falls) -> Array:
                return np.flip(np.sort(x), -1) if falls else np.sort(x)

            yield Case(
                f"tl.bitonic_merge, {dtype}, {'falling' if falls else 'rising'}",
                f"tl.bitonic_merge(x, descending={falls})",
                {"x": make(dtype, rows)},
                [Result(dtype, reference)],
            )


def _flipped() -> Iterator[Case]:
    for dtype in MOVED:
        for shape in ((32,), (1,), (8, 16), (2, 4, 8)):
            for axis in (None, *range(len(shape))):
                values = count(dtype, shape)
                turned = Values(dtype, np.flip(values.bits, -1 if axis is None else axis))
                yield Case(
                    f"tl.flip, {dtype}, {list(shape)}, {axis}",
                    "tl.flip(x)" if axis is None else f"x.flip({axis})",
                    {"x": values},
                    [Result(dtype, lambda x, turned=turned: turned)],
                )


def _joined() -> Iterator[Case]:
    for dtype in MOVED:
        for shape in ((16,), (4, 8)):
            for axis in range(len(shape)):
                both = {"x": count(dtype, shape), "y": draw(dtype, shape, 1)}
                bits = np.concatenate([both["x"].bits, both["y"].bits], axis)
                whole = Values(dtype, bits)
                yield Case(
                    f"tl.cat, {dtype}, {list(shape)}, {axis}",
                    f"tl.cat(x, y, can_reorder={axis == 0}, dim={axis})",
                    both,
                    [Result(dtype, lambda x, y, whole=whole: whole)],
                )


def _gathered() -> Iterator[Case]:
    """Each place some times, and places that are not there: these give 0."""
    for dtype in MOVED:
        for shape, axis, extent in (
            ((32,), 0, 16),
            ((1,), 0, 8),
            ((8, 16), 0, 4),
            ((8, 16), 1, 32),
            ((2, 4, 8), 1, 2),
        ):
            size = (*shape[:axis], extent, *shape[axis + 1 :])
            yield _gather(dtype, "int32", shape, axis, size)
    for kind in ("int8", "uint8", "int64", "uint32"):
        yield _gather("int32", kind, (64,), 0, (32,))
    # Of many lines of shared memory, and more often than there are elements.
    yield _gather("fp16", "int32", (2048,), 0, (4096,))
    yield _gather("fp16", "int32", (256,), 0, (256,))
    yield _gather("int64", "int32", (4, 128), 1, (4, 128))


def _gather(
    dtype: str, kind: str, shape: tuple[int, ...], axis: int, size: tuple[int, ...]
) -> Case:
    values = draw(dtype, shape)
    extent = shape[axis]
    numbers = make_rng(f"gather {shape}").integers(0, extent + 2, size)
    is_there = numbers < extent
    bits = np.take_along_axis(values.bits, np.where(is_there, numbers, 0), axis)
    found = Values(dtype, np.where(is_there, bits, np.zeros((), bits.dtype)))
    return Case(
        f"tl.gather, {dtype}, {list(size)} of {list(shape)} by {kind}, {axis}",
        f"x.gather(y, {axis})",
        {"x": values, "y": make(kind, numbers)},
        [Result(dtype, lambda x, y: found)],
    )


def _counted() -> Iterator[Case]:
    for kind in ("int8", "uint8", "int32", "uint32", "int64"):
        for size, bins in ((64, 16), (1, 1), (32, 64), (256, 64)):
            numbers = make_rng(f"histogram {size}").integers(0, bins + 3, size)

            def reference(x: Array, bins: int = bins) -> Array:
                return np.bincount(x[x < bins].astype(np.int64), minlength=bins).astype(np.int32)

            yield Case(
                f"tl.histogram, {kind}, {size} in {bins}",
                f"tl.histogram(x, {bins})",
                {"x": make(kind, numbers)},
                [Result("int32", reference)],
            )
    # Several counters for each; all elements alike; more bins than are counted at a time.
    for what, numbers, bins in (
        ("4096 in 256", make_rng("counters").integers(0, 256, 4096), 256),
        ("4096 in 4", make_rng("few").integers(-1, 6, 4096), 4),
        ("4096 alike", np.full(4096, 77), 128),
        ("256 in 16384", make_rng("many").integers(-2, 16400, 256), 16384),
    ):
        yield Case(
            f"tl.histogram, {what}",
            f"tl.histogram(x, {bins})",
            {"x": make("int32", numbers)},
            [Result("int32", lambda x, bins=bins: _count(x[x < bins], bins))],
        )
    for kind, bins in (("uint8", 256), ("int32", 512), ("int64", 2048)):
        ends = (0, 256) if kind == "uint8" else (-20, bins + 20)
        yield Case(
            f"tl.histogram, {kind}, 1024 in {bins}",
            f"tl.histogram(x, {bins}, mask=tl.arange(0, 1024) < 1000)",
            {"x": make(kind, make_rng(f"histogram {bins}").integers(*ends, 1024))},
            [Result("int32", lambda x, bins=bins: _count(x[:1000][x[:1000] < bins], bins))],
        )
    yield Case(
        "tl.histogram with a mask",
        "tl.histogram(x, 8, mask=tl.arange(0, 64) < 50)",
        {"x": make("int32", make_rng("mask").integers(-3, 8, 64))},
        [Result("int32", lambda x: _count(x[:50], 8))],
    )
    yield Case(
        "tl.histogram with one mask for all",
        "tl.histogram(x, 8, mask=True)",
        {"x": make("int32", make_rng("mask").integers(-3, 8, 64))},
        [Result("int32", lambda x: _count(x, 8))],
    )


def _count(numbers: Array, bins: int) -> Array:
    counted = numbers[numbers >= 0].astype(np.int64)
    return np.bincount(counted, minlength=bins).astype(np.int32)
