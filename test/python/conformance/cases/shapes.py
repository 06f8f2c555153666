# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Words for the shape of tiles, and tiles that are made of nothing."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from conformance.case import Case, Result
from conformance.values import (
    ALL,
    Array,
    Values,
    count,
    draw,
    draw_whole,
    is_float,
    make,
    numpy_type,
    tl_name,
)

#: An expression of x, the shape of x, and the same in NumPy.
MOVES: tuple[tuple[str, tuple[int, ...], Callable[[Array], Any]], ...] = (
    ("x[:, None] + tl.zeros([16, 8], tl.int32)", (16,), lambda x: np.tile(x[:, None], (1, 8))),
    ("x[None, :]", (16,), lambda x: x[None]),
    ("x[None]", (16,), lambda x: x[None]),
    ("x[:, None]", (16,), lambda x: x[:, None]),
    ("x[:]", (16,), lambda x: x),
    ("x[:, None, :]", (8, 16), lambda x: x[:, None]),
    ("x[None, :, None, :]", (8, 16), lambda x: x[None, :, None]),
    ("x[:, None]", (8, 16), lambda x: x[:, None]),
    ("tl.expand_dims(x, 0)", (8, 16), lambda x: x[None]),
    ("tl.expand_dims(x, -1)", (8, 16), lambda x: x[..., None]),
    ("tl.expand_dims(x, (0, 2))", (8, 16), lambda x: x[None, :, None]),
    ("x.expand_dims(1)", (32,), lambda x: x[:, None]),
    ("tl.broadcast_to(x, 4, 32)", (32,), lambda x: np.tile(x, (4, 1))),
    ("tl.broadcast_to(x, (4, 32))", (4, 1), lambda x: np.tile(x, (1, 32))),
    ("tl.broadcast_to(x, [2, 4, 8])", (4, 1), lambda x: np.tile(x, (2, 1, 8))),
    ("x.broadcast_to(8, 4)", (1, 4), lambda x: np.tile(x, (8, 1))),
    ("tl.broadcast_to(tl.sum(x, 0), 16)", (8,), lambda x: np.full(16, x.sum(), np.int32)),
    ("tl.reshape(x, (32, 4))", (8, 16), lambda x: x.reshape(32, 4)),
    ("tl.reshape(x, 2, 64)", (8, 16), lambda x: x.reshape(2, 64)),
    ("tl.reshape(x, [4, 2, 16])", (8, 16), lambda x: x.reshape(4, 2, 16)),
    ("x.reshape(-1)", (4, 4, 8), lambda x: x.reshape(-1)),
    ("x.reshape(2, -1, 4)", (4, 4, 8), lambda x: x.reshape(2, -1, 4)),
    ("x.reshape(2, 2, 2, 2)", (16,), lambda x: x.reshape(2, 2, 2, 2)),
    ("tl.view(x, (128,))", (8, 16), lambda x: x.reshape(-1)),
    ("tl.ravel(x)", (8, 16), lambda x: x.ravel()),
    ("x.ravel()", (2, 4, 8), lambda x: x.ravel()),
    ("tl.trans(x)", (8, 16), lambda x: x.T),
    ("x.T", (64, 4), lambda x: x.T),
    ("tl.trans(x)", (2, 8, 16), lambda x: x.transpose(0, 2, 1)),
    ("tl.trans(x, (1, 0))", (16, 16), lambda x: x.T),
    ("tl.trans(x, 2, 0, 1)", (2, 8, 16), lambda x: x.transpose(2, 0, 1)),
    ("x.trans().T.trans()", (8, 32), lambda x: x.T),
    ("tl.trans(x).reshape(128)", (8, 16), lambda x: x.T.reshape(-1)),
    ("x.reshape(x.shape[:-1] + [4, 4])", (8, 16), lambda x: x.reshape(8, 4, 4)),
    ("x.reshape([x.shape[0] * x.shape[1]])", (8, 16), lambda x: x.ravel()),
    ("x + x.shape[0] * 10 + x.numel", (8, 16), lambda x: x + np.int32(80 + 128)),
)


def make_cases() -> Iterator[Case]:
    for code, shape, function in MOVES:
        yield Case(
            f"{code}, {len(shape)}-D",
            code,
            {"x": draw("int32", shape)},
            [Result("int32", function)],
        )
    for order in itertools.permutations(range(3)):
        for dtype in ("int8", "fp16", "int64"):
            yield Case(
                f"tl.permute {order}, {dtype}",
                f"tl.permute(x, {order})",
                {"x": count(dtype, (4, 8, 16))},
                [Result(dtype, lambda x, order=order: x.transpose(order))],
            )
    for dtype in ALL:
        yield Case(
            f"a tile moves, {dtype}",
            "tl.trans(x).reshape(16, 4, 4).permute(2, 0, 1)",
            {"x": count(dtype, (16, 16))},
            [Result(dtype, lambda x: x.T.reshape(16, 4, 4).transpose(2, 0, 1))],
        )
    yield from _broadcasts()
    yield from _creation()
    yield from _pairs()
    yield from _sorted()


def _broadcasts() -> Iterator[Case]:
    shapes = (((16, 1), (1, 16)), ((16,), (8, 16)), ((4, 1, 8), (16, 1)), ((1,), (2, 4, 8)))
    for a, b in shapes:
        yield Case(
            f"{list(a)} + {list(b)}",
            "x + y",
            {"x": draw("int32", a), "y": draw("int32", b, 1)},
            [Result("int32", lambda x, y: x + y)],
        )
        yield Case(
            f"tl.broadcast of {list(a)} and {list(b)}",
            "tl.broadcast(x, y)",
            {"x": draw("int32", a), "y": draw("fp16", b, 1)},
            [
                Result("int32", lambda x, y: np.broadcast_arrays(x, y)[0]),
                Result("fp16", lambda x, y: np.broadcast_arrays(x, y)[1]),
            ],
        )


def _creation() -> Iterator[Case]:
    for first, last in ((0, 1), (0, 64), (5, 13), (-16, 16), (100, 116)):
        yield Case(
            f"tl.arange({first}, {last})",
            f"tl.arange({first}, {last})",
            {},
            [Result("int32", lambda a=first, b=last: np.arange(a, b, dtype=np.int32))],
        )
    for dtype in ALL:
        yield Case(
            f"tl.zeros, {dtype}",
            f"tl.zeros((4, 16), dtype={tl_name(dtype)})",
            {},
            [Result(dtype, lambda dtype=dtype: np.zeros((4, 16), numpy_type(dtype)))],
        )
        yield Case(
            f"tl.zeros_like, {dtype}",
            "tl.zeros_like(x)",
            {"x": draw(dtype, (4, 16))},
            [Result(dtype, np.zeros_like)],
        )
        value = 1 if dtype == "int1" else 3
        yield Case(
            f"tl.full, {dtype}",
            f"tl.full([32], {value}, {tl_name(dtype)})",
            {},
            [Result(dtype, lambda d=dtype, v=value: np.full(32, v, numpy_type(d)))],
        )
    for dtype in ("fp16", "bf16", "fp32", "fp64"):
        for text in ('float("-inf")', 'float("nan")', "0.1", "1e-40"):
            number = float(text.removeprefix('float("').removesuffix('")'))
            yield Case(
                f"tl.full of {text}, {dtype}",
                f"tl.full([8], {text}, {tl_name(dtype)})",
                {},
                [Result(dtype, lambda d=dtype, n=number: make(d, np.full(8, n)).numbers)],
            )
    yield Case(
        "tl.full of a value",
        "tl.full((2, 8), tl.sum(x, 0), tl.float16)",
        {"x": draw("int8", 8)},
        [Result("fp16", lambda x: np.full((2, 8), x.sum(dtype=np.float64)))],
    )
    yield Case(
        "tl.full of a tile of one",
        "tl.full((2, 8), x, tl.int64)",
        {"x": make("int8", [-5])},
        [Result("int64", lambda x: np.full((2, 8), -5))],
    )


def _sorted() -> Iterator[Case]:
    """In order along the last dimension, with equal elements among them."""
    for dtype in ("int1", "int8", "uint32", "int64", "fp16", "bf16", "fp32", "fp64"):
        for shape in ((32,), (4, 16)) if dtype != "fp32" else ((1,), (64,), (2, 4, 8)):
            values = draw_whole(dtype, shape, 100) if is_float(dtype) else draw(dtype, shape)
            for falls in (False, True):

                def reference(x: Array, falls: bool = falls) -> Array:
                    return np.flip(np.sort(x), -1) if falls else np.sort(x)

                turned = ", descending=True" if falls else ""
                yield Case(
                    f"tl.sort, {dtype}, {list(shape)}{turned}",
                    f"tl.sort(x{turned})",
                    {"x": values},
                    [Result(dtype, reference)],
                )
    # In threads that have several, and pairs of those of 16 bits.
    for dtype in ("int8", "uint16", "fp16", "bf16", "fp32", "int64"):
        for shape in ((512,), (4, 128), (256, 2)):
            values = draw_whole(dtype, shape, 100) if is_float(dtype) else draw(dtype, shape)
            for falls in (False, True):

                def order(x: Array, falls: bool = falls) -> Array:
                    return np.flip(np.sort(x), -1) if falls else np.sort(x)

                yield Case(
                    f"tl.sort, {dtype}, {list(shape)}, {'falling' if falls else 'rising'}",
                    f"tl.sort(x, descending={falls})",
                    {"x": values},
                    [Result(dtype, order)],
                )
    infinite = make("fp32", [np.inf, -1, -np.inf, 1e-40, 0, -1e-40, 3e38, -3e38])
    yield Case("tl.sort of infinities", "tl.sort(x, 0)", {"x": infinite}, [Result("fp32", np.sort)])


def _pairs() -> Iterator[Case]:
    for dtype in ("int1", "int8", "fp16", "fp32", "int64", "fp8e5"):
        for shape in ((32,), (8, 16)):
            both = {"x": count(dtype, shape), "y": draw(dtype, shape, 1)}
            size = f"{dtype}, {len(shape)}-D"
            values = both["x"].bits, both["y"].bits
            joined = np.stack(values, -1)
            yield Case(
                f"tl.join, {size}",
                "tl.join(x, y)",
                both,
                [Result(dtype, lambda x, y, d=dtype, b=joined: Values(d, b))],
            )
            yield Case(
                f"tl.interleave, {size}",
                "tl.interleave(x, y)",
                both,
                [
                    Result(
                        dtype,
                        lambda x, y, d=dtype, b=joined: Values(d, b.reshape(*b.shape[:-2], -1)),
                    )
                ],
            )
            yield Case(
                f"tl.split, {size}",
                "tl.split(x)",
                {"x": Values(dtype, joined)},
                [Result(dtype, lambda x, d=dtype, b=half: Values(d, b)) for half in values],
            )
    yield Case(
        "tl.swizzle2d",
        "i = tl.arange(0, 64)\nz = tl.swizzle2d(i // 8, i % 8, 8, 8, 3)",
        {},
        [
            Result("int32", lambda: _swizzle()[0]),
            Result("int32", lambda: _swizzle()[1]),
        ],
    )


def _swizzle() -> Array:
    """Rows and columns of 64 blocks, three rows at a time, column by column."""
    order = [
        (row, column)
        for first in range(0, 8, 3)
        for column in range(8)
        for row in range(first, min(first + 3, 8))
    ]
    return np.array(order, np.int32).T.copy()
