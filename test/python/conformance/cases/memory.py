# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads and stores: odd masks, what is read where a mask is false, block pointers at edges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from conformance.case import Case, Result
from conformance.rules import convert
from conformance.values import ALL, FLOATS, Array, count, draw, draw_from, from_numbers, numpy_type

ODD = (1, 3, 17, 31, 33, 63)


def make_cases() -> Iterator[Case]:
    yield from _masked_loads()
    yield from _masked_stores()
    yield from _addresses()
    yield from _blocks()
    yield from _descriptors()


def _pad(x: Array, size: int, value: object = 0) -> Array:
    return np.concatenate([x, np.full(size - x.size, value, x.dtype)])


def _masked_loads() -> Iterator[Case]:
    for dtype in ALL:
        values = count(dtype, 33)
        yield Case(
            f"a masked load, {dtype}",
            "i = tl.arange(0, 64)\nz = tl.load(x + i, mask=i < 33)",
            {"x": values},
            [Result(dtype, lambda x: _pad(x, 64))],
            raw=True,
            shows="a masked load without other",
        )
        other = "1" if dtype == "int1" else "7"
        yield Case(
            f"a masked load with other, {dtype}",
            f"i = tl.arange(0, 64)\nz = tl.load(x + i, mask=i < 33, other={other})",
            {"x": values},
            [Result(dtype, lambda x, v=int(other): _pad(x, 64, v))],
            raw=True,
        )
    for size in ODD:
        yield Case(
            f"a load of {size}",
            f"i = tl.arange(0, 64)\nz = tl.load(x + i, mask=i < {size}, other=-1.5)",
            {"x": draw("fp32", size)},
            [Result("fp32", lambda x: _pad(x, 64, -1.5))],
            raw=True,
        )
        yield Case(
            f"a load of {size} x {size}",
            f"i = tl.arange(0, 64)\n"
            f"inside = (i < {size})[:, None] & (i < {size})[None, :]\n"
            f"z = tl.load(x + i[:, None] * {size} + i[None, :], inside, 0)",
            {"x": draw("fp16", (size, size))},
            [Result("fp16", lambda x, s=size: np.pad(x, (0, 64 - s)))],
            raw=True,
        )
    for dtype in FLOATS:
        yield Case(
            f"other is infinity, {dtype}",
            'i = tl.arange(0, 16)\nz = tl.load(x + i, i < 5, float("-inf"))',
            {"x": draw(dtype, 5)},
            [Result(dtype, lambda x: _pad(x, 16, -np.inf))],
            raw=True,
        )
    yield Case(
        "other is a tile of another type",
        "i = tl.arange(0, 16)\nz = tl.load(x + i, mask=i < 5, other=i.to(tl.float32) / 2)",
        {"x": draw("int16", 5)},
        [Result("int16", lambda x: np.concatenate([x, np.arange(5, 16, dtype=np.int16) // 2]))],
        raw=True,
    )
    yield Case(
        "the mask is one value",
        "i = tl.arange(0, 16)\nz = tl.load(x + i, mask=tl.sum(i, 0) > 999, other=4)",
        {"x": draw("int32", 1)},
        [Result("int32", lambda x: np.full(16, 4, np.int32))],
        raw=True,
    )
    yield Case(
        "the mask broadcasts",
        "i = tl.arange(0, 16)\n"
        "z = tl.load(x + i[:, None] * 16 + i[None, :], mask=(i < 3)[:, None], other=9)",
        {"x": draw("int8", (3, 16))},
        [Result("int8", lambda x: np.pad(x, ((0, 13), (0, 0)), constant_values=9))],
        raw=True,
    )
    yield Case(
        "the mask is the constant True",
        "z = tl.load(x + tl.arange(0, 16), mask=True)",
        {"x": draw("int8", 16)},
        [Result("int8", lambda x: x)],
        raw=True,
    )
    for hint in (
        'cache_modifier=".cg"',
        'eviction_policy="evict_last"',
        "volatile=True",
        "cache_modifier=None",
    ):
        yield Case(
            f"a load with {hint}",
            f"z = tl.load(x + tl.arange(0, 16), {hint})",
            {"x": draw("int8", 16)},
            [Result("int8", lambda x: x)],
            raw=True,
        )


def _masked_stores() -> Iterator[Case]:
    """Through memory of the case itself, which is read back."""
    for dtype in ALL:
        yield Case(
            f"a masked store, {dtype}",
            "i = tl.arange(0, 64)\n"
            "tl.store(y + i, tl.load(x + i), mask=i % 3 == 1)\n"
            "tl.debug_barrier()\n"
            "z = tl.load(y + i)",
            {"x": count(dtype, 64), "y": from_numbers(dtype, np.zeros(64, numpy_type(dtype)))},
            [Result(dtype, lambda x, y: np.where(np.arange(64) % 3 == 1, x, y))],
            raw=True,
        )
    for own, target in (("fp32", "fp16"), ("int32", "int8"), ("fp32", "int32"), ("int32", "int1")):
        yield Case(
            f"a store casts {own} to {target}",
            "i = tl.arange(0, 64)\n"
            "tl.store(y + i, tl.load(x + i))\n"
            "tl.debug_barrier()\n"
            "z = tl.load(y + i)",
            {"x": draw(own, 64), "y": draw(target, 64)},
            [Result(target, lambda x, y, t=target: convert(x, t))],
            raw=True,
        )
    yield Case(
        "a store of a number",
        "i = tl.arange(0, 16)\n"
        "tl.store(y + i, 2.5, mask=i < 7)\n"
        "tl.debug_barrier()\n"
        "z = tl.load(y + i)",
        {"y": draw_from("fp32", 16, 0, 1)},
        [Result("fp32", lambda y: np.where(np.arange(16) < 7, 2.5, y))],
        raw=True,
    )


def _addresses() -> Iterator[Case]:
    yield Case(
        "a gather",
        "i = tl.load(y + tl.arange(0, 64))\nz = tl.load(x + i)",
        {"x": draw("fp32", 50), "y": draw_from("int64", 64, 0, 49)},
        [Result("fp32", lambda x, y: x[y])],
        raw=True,
    )
    for dtype in ("int8", "uint8", "int16", "uint16", "uint32", "int64"):
        yield Case(
            f"offsets of {dtype}",
            "i = tl.load(y + tl.arange(0, 64))\nz = tl.load(x + i)",
            {"x": draw("int32", 200), "y": draw_from(dtype, 64, 0, 127)},
            [Result("int32", lambda x, y: x[y.astype(np.int64)])],
            raw=True,
        )
    yield Case(
        "offsets back and forth",
        "i = tl.arange(0, 32)\nz = tl.load(x + 63 - i) + tl.load((x + 40) + i - 40)",
        {"x": draw("int32", 64)},
        [Result("int32", lambda x: x[63:31:-1] + x[:32])],
        raw=True,
    )
    yield Case(
        "pointers chosen by a mask",
        "i = tl.arange(0, 32)\nz = tl.load(tl.where(i < 9, x + i, y + i))",
        {"x": draw("int32", 32), "y": draw("int32", 32, 1)},
        [Result("int32", lambda x, y: np.where(np.arange(32) < 9, x, y))],
        raw=True,
    )
    yield Case(
        "addresses that are computed as integers",
        "i = tl.arange(0, 32)\n"
        "a = x.to(tl.int64) + (31 - i).to(tl.int64) * 4\n"
        "z = tl.load(a.to(tl.pointer_type(tl.int32)))",
        {"x": draw("int32", 32)},
        [Result("int32", lambda x: x[::-1])],
        raw=True,
    )
    yield Case(
        "a pointer to another type",
        "i = tl.arange(0, 64)\nz = tl.load(x.to(tl.pointer_type(tl.uint8)) + i)",
        {"x": draw("int32", 16)},
        [Result("uint8", lambda x: x.view(np.uint8))],
        raw=True,
    )
    yield Case(
        "one element",
        "z = tl.load(x + 3) + tl.load(x + 4, mask=x is None, other=5)",
        {"x": draw("int32", 4)},
        [Result("int32", lambda x: x[3] + np.int32(5))],
        raw=True,
    )
    yield Case(
        "every third element",
        "z = tl.load(x + tl.arange(0, 16)[:, None] * 3 + tl.arange(0, 4)[None, :] * 48)",
        {"x": draw("int16", 192)},
        [Result("int16", lambda x: x.reshape(4, 16, 3)[:, :, 0].T)],
        raw=True,
    )


def _block(shape: str, strides: str, offsets: str, block: str, order: str) -> str:
    return f"p = tl.make_block_ptr(x, {shape}, {strides}, {offsets}, {block}, {order})\n"


def _cut(x: Array, starts: tuple[int, ...], block: tuple[int, ...], value: object = 0) -> Array:
    """A block of an array, with a value beyond its ends."""
    out = np.full(block, value, x.dtype)
    for place in np.ndindex(*block):
        at = tuple(a + b for a, b in zip(starts, place, strict=True))
        if all(0 <= a < extent for a, extent in zip(at, x.shape, strict=True)):
            out[place] = x[at]
    return out


def _blocks() -> Iterator[Case]:
    for dtype in ("int8", "fp16", "bf16", "fp32", "int64", "int1"):
        whole = _block("(37, 45)", "(45, 1)", "(24, 40)", "(16, 32)", "(1, 0)")
        yield Case(
            f"a block at the corner, {dtype}",
            whole + "z = tl.load(p, boundary_check=(0, 1))",
            {"x": count(dtype, (37, 45))},
            [Result(dtype, lambda x: _cut(x, (24, 40), (16, 32)))],
            raw=True,
        )
        if dtype in FLOATS:
            yield Case(
                f"a block padded with NaN, {dtype}",
                whole + 'z = tl.load(p, boundary_check=(0, 1), padding_option="nan")',
                {"x": count(dtype, (37, 45))},
                [Result(dtype, lambda x: _cut(x, (24, 40), (16, 32), np.nan))],
                raw=True,
            )
    yield Case(
        "a block inside",
        _block("(37, 45)", "(45, 1)", "(3, 5)", "(16, 32)", "(1, 0)") + "z = tl.load(p)",
        {"x": draw("int32", (37, 45))},
        [Result("int32", lambda x: _cut(x, (3, 5), (16, 32)))],
        raw=True,
    )
    yield Case(
        "a block checked along one axis",
        _block("(37, 64)", "(64, 1)", "(32, 32)", "(16, 32)", "(1, 0)")
        + 'z = tl.load(p, boundary_check=(0,), padding_option="zero")',
        {"x": draw("int32", (37, 64))},
        [Result("int32", lambda x: _cut(x, (32, 32), (16, 32)))],
        raw=True,
    )
    yield Case(
        "a block before the beginning",
        _block("(37, 45)", "(45, 1)", "(-5, -3)", "(16, 32)", "(1, 0)")
        + "z = tl.load(p, boundary_check=(0, 1))",
        {"x": draw("int32", (37, 45))},
        [Result("int32", lambda x: _cut(x, (-5, -3), (16, 32)))],
        raw=True,
    )
    yield Case(
        "a block of the transposed",
        _block("(45, 37)", "(1, 45)", "(40, 24)", "(16, 16)", "(0, 1)")
        + "z = tl.load(p, boundary_check=(0, 1))",
        {"x": draw("int32", (37, 45))},
        [Result("int32", lambda x: _cut(x.T, (40, 24), (16, 16)))],
        raw=True,
    )
    yield Case(
        "a block of one dimension",
        _block("(29,)", "(1,)", "(16,)", "(32,)", "(0,)") + "z = tl.load(p, boundary_check=(0,))",
        {"x": draw("fp16", 29)},
        [Result("fp16", lambda x: _cut(x, (16,), (32,)))],
        raw=True,
    )
    yield Case(
        "a block of three dimensions",
        _block("(5, 7, 9)", "(63, 9, 1)", "(3, 4, 5)", "(4, 4, 8)", "(2, 1, 0)")
        + "z = tl.load(p, boundary_check=(0, 1, 2))",
        {"x": draw("int16", (5, 7, 9))},
        [Result("int16", lambda x: _cut(x, (3, 4, 5), (4, 4, 8)))],
        raw=True,
    )
    yield Case(
        "a block goes on in a loop",
        _block("(32, 70)", "(70, 1)", "(0, 0)", "(32, 32)", "(1, 0)")
        + "z = tl.zeros((32, 32), tl.int32)\n"
        "for i in range(3):\n"
        "    z += tl.load(p, boundary_check=(1,))\n"
        "    p = tl.advance(p, (0, 32))",
        {"x": draw("int32", (32, 70))},
        [Result("int32", lambda x: sum(_cut(x, (0, 32 * i), (32, 32)) for i in range(3)))],
        raw=True,
    )
    yield Case(
        "a block is stored at the corner",
        "p = tl.make_block_ptr(y, (7, 9), (9, 1), (4, 4), (4, 8), (1, 0))\n"
        "tl.store(p, tl.load(x + tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :]),\n"
        "         boundary_check=(0, 1))\n"
        "tl.debug_barrier()\n"
        "i = tl.arange(0, 64)\n"
        "z = tl.load(y + i, mask=i < 63)",
        {"x": draw("int32", (4, 8)), "y": draw("int32", (7, 9), 1)},
        [Result("int32", _store_corner)],
        raw=True,
    )


def _store_corner(x: Array, y: Array) -> Array:
    out = y.copy()
    out[4:, 4:] = x[:3, :5]
    return _pad(out.ravel(), 64)


def _describe(pointer: str, shape: str, strides: str, block: str, options: str = "") -> str:
    return f"d = tl.make_tensor_descriptor({pointer}, {shape}, {strides}, {block}{options})\n"


def _descriptors() -> Iterator[Case]:
    for dtype in ("int8", "fp16", "bf16", "fp32", "int64", "int1"):
        whole = _describe("x", "[37, 45]", "[45, 1]", "[16, 32]")
        for start in ((24, 40), (-3, -7), (8, 4)):
            yield Case(
                f"a descriptor's block at {start}, {dtype}",
                whole + f"z = d.load([{start[0]}, {start[1]}])",
                {"x": count(dtype, (37, 45))},
                [Result(dtype, lambda x, start=start: _cut(x, start, (16, 32)))],
                raw=True,
            )
        if dtype in FLOATS:
            yield Case(
                f"a descriptor's block padded with NaN, {dtype}",
                _describe("x", "[37, 45]", "[45, 1]", "[16, 32]", ', padding_option="nan"')
                + "z = tl.load_tensor_descriptor(d, [24, 40])",
                {"x": count(dtype, (37, 45))},
                [Result(dtype, lambda x: _cut(x, (24, 40), (16, 32), np.nan))],
                raw=True,
            )
    yield Case(
        "descriptors of one and of three dimensions",
        _describe("x", "[90]", "[1]", "[64]")
        + "a = d.load([60])\n"
        + _describe("x", "[3, 5, 6]", "[30, 6, 1]", "[2, 4, 8]")
        + "b = d.load([2, 3, 1])\n"
        "tl.static_assert(d.block_shape == [2, 4, 8] and d.dtype == tl.int32)\n"
        "z = a + tl.reshape(b, [64])",
        {"x": draw("int32", (90,))},
        [
            Result(
                "int32",
                lambda x: (
                    _cut(x, (60,), (64,)) + _cut(x.reshape(3, 5, 6), (2, 3, 1), (2, 4, 8)).ravel()
                ),
            )
        ],
        raw=True,
    )
    yield from _descriptor_stores()
    yield from _descriptor_rows()
    yield Case(
        "a descriptor that a branch chooses",
        _describe("x", "[16, 32]", "[32, 1]", "[16, 32]")
        + "e = tl.make_tensor_descriptor(y, [16, 32], [32, 1], [16, 32])\n"
        "if tl.load(x) == tl.load(x) + tl.program_id(0):\n"
        "    d = e\n"
        "z = d.load([1, 2])",
        {"x": draw("int32", (16, 32)), "y": draw("int32", (16, 32), 1)},
        [Result("int32", lambda x, y: _cut(y, (1, 2), (16, 32)))],
        raw=True,
    )


def _descriptor_stores() -> Iterator[Case]:
    read = "tl.debug_barrier()\ni = tl.arange(0, 64)\nz = tl.load(y + i, mask=i < 63)"
    tile = "tl.load(x + tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :])"
    data = {"x": draw("int32", (4, 8)), "y": draw("int32", (7, 9), 1)}
    matrix = _describe("y", "[7, 9]", "[9, 1]", "[4, 8]")
    for code in (f"d.store([4, 4], {tile})", f"tl.store_tensor_descriptor(d, [4, 4], {tile})"):
        yield Case(
            f"a descriptor's block is stored by {code.partition('(')[0]}",
            f"{matrix}{code}\n{read}",
            data,
            [Result("int32", _store_corner)],
            raw=True,
        )
    for name, combine in (
        ("add", np.add),
        ("max", np.maximum),
        ("min", np.minimum),
        ("and", np.bitwise_and),
        ("or", np.bitwise_or),
        ("xor", np.bitwise_xor),
    ):
        yield Case(
            f"a descriptor's atomic_{name}",
            f"{matrix}d.atomic_{name}([4, 4], {tile})\n{read}",
            data,
            [Result("int32", lambda x, y, combine=combine: _combine_corner(x, y, combine))],
            raw=True,
        )


def _combine_corner(x: Array, y: Array, combine: Any) -> Array:
    out = y.copy()
    out[4:, 4:] = combine(out[4:, 4:], x[:3, :5])
    return _pad(out.ravel(), 64)


def _descriptor_rows() -> Iterator[Case]:
    row = _describe("x", "[20, 30]", "[30, 1]", "[1, 16]")
    rows = "(tl.arange(0, 8) * 5) % 23"
    yield Case(
        "rows that a descriptor gathers",
        f"{row}z = d.gather({rows}, 20)",
        {"x": draw("int32", (20, 30))},
        [
            Result(
                "int32",
                lambda x: np.stack([_cut(x, (k * 5 % 23, 20), (1, 16))[0] for k in range(8)]),
            )
        ],
        raw=True,
    )
    yield Case(
        "rows that a descriptor scatters",
        _describe("y", "[9, 7]", "[7, 1]", "[1, 8]")
        + "v = tl.load(x + tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :])\n"
        "d.scatter(v, tl.arange(0, 4) * 3, 2)\n"
        "tl.debug_barrier()\ni = tl.arange(0, 64)\nz = tl.load(y + i, mask=i < 63)",
        {"x": draw("int32", (4, 8)), "y": draw("int32", (9, 7), 1)},
        [Result("int32", _scatter)],
        raw=True,
    )


def _scatter(x: Array, y: Array) -> Array:
    out = y.copy()
    out[[0, 3, 6], 2:] = x[:3, :5]
    return _pad(out.ravel(), 64)
