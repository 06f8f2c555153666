# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tl.inline_asm_elementwise: registers of all widths, packed and not, several results."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from conformance.case import Case, Result
from conformance.values import Array, Values, draw, draw_from, from_numbers, tl_name

#: The letter of a register for each type, alone in it.
LETTERS = {
    "int8": "r",
    "uint8": "h",
    "int16": "h",
    "uint16": "r",
    "fp16": "h",
    "bf16": "h",
    "int32": "r",
    "uint32": "r",
    "fp32": "f",
    "int64": "l",
    "fp64": "d",
}
_BITS = {"h": "b16", "r": "b32", "l": "b64", "f": "b32", "d": "b64"}


def _call(asm: str, constraints: str, args: str, dtype: str, pack: int, pure: bool = True) -> str:
    return (
        f'tl.inline_asm_elementwise("{asm}", "{constraints}", [{args}], {dtype}, '
        f"is_pure={pure}, pack={pack})"
    )


def _move(dtype: str, shape: tuple[int, ...], pack: int, letter: str, count: int) -> Case:
    """Each register of x to one of the result."""
    moves = " ".join(f"mov.{_BITS[letter]} ${i}, ${count + i};" for i in range(count))
    constraints = ",".join(["=" + letter] * count + [letter] * count)
    size = " x ".join(map(str, shape))
    return Case(
        f"asm that moves, {dtype}, pack {pack}, {letter}, {size}",
        _call(moves, constraints, "x", tl_name(dtype), pack),
        {"x": draw(dtype, shape, pack)},
        [Result(dtype, lambda x: x)],
    )


def make_cases() -> Iterator[Case]:
    for dtype, letter in LETTERS.items():
        yield _move(dtype, (64,), 1, letter, 1)
        yield _move(dtype, (8, 16), 1, letter, 1)
    for dtype, bits in (("int8", 8), ("uint8", 8), ("fp16", 16), ("bf16", 16), ("int32", 32)):
        for pack in (2, 4, 8):
            per_register = min(pack, 32 // bits)
            # Whole tiles, and ones of which a thread has fewer elements than the pack.
            yield _move(dtype, (1024,), pack, "r", pack // per_register)
            yield _move(dtype, (32,), pack, "r", pack // per_register)
    yield _move("fp32", (256,), 2, "f", 2)
    yield _move("int64", (256,), 4, "l", 4)
    yield from _narrow()
    yield from _results()
    yield from _packed()
    yield from _forms()


def _narrow() -> Iterator[Case]:
    """Instructions of 16 bits that ptxas has wrong become others, of several in a line too."""
    for text, function in (
        ("max.s16 $0, $1, 7; add.s16 $0, $0, 3;", lambda x: np.maximum(x, 7) + 3),
        ("neg.s16 $0, $1; min.s16 $0, $0, -5;", lambda x: np.minimum(-x, -5)),
        ("abs.s16 $0, $1; shr.s16 $0, $0, 2; // neg.s16 $0, $0;", lambda x: abs(x) >> 2),
    ):
        yield Case(
            f"asm of 16 bits, {text}",
            _call(text, "=h,h", "x", "tl.int16", 1),
            {"x": draw("int16", (128,))},
            [Result("int16", function)],
        )


def _results() -> Iterator[Case]:
    x = {"x": draw("int32", (128,)), "y": draw("int32", (128,), 1)}
    yield Case(
        "asm with two results",
        _call(
            "add.s32 $0, $2, $3; sub.s32 $1, $2, $3;",
            "=&r,=&r,r,r",
            "x, y",
            "(tl.int32, tl.int32)",
            1,
        ),
        x,
        [Result("int32", lambda x, y: x + y), Result("int32", lambda x, y: x - y)],
    )
    yield Case(
        "asm with results of three types",
        _call(
            "{ cvt.u16.u32 $0, $3; cvt.s64.s32 $1, $3; cvt.rn.f32.s32 $2, $3; }",
            "=h,=l,=f,r",
            "x",
            "(tl.int16, tl.int64, tl.float32)",
            1,
        ),
        {"x": x["x"]},
        [
            Result("int16", lambda x: x.astype(np.int16)),
            Result("int64", lambda x: x.astype(np.int64)),
            Result("fp32", lambda x: x.astype(np.float32)),
        ],
    )


def _packed() -> Iterator[Case]:
    """Elements that go from registers of one width to those of another stay in their order."""
    yield Case(
        "asm on bytes, four at a time",
        _call("and.b32 $0, $1, $2;", "=r,r,r", "x, y", "tl.uint8", 4),
        {"x": draw("uint8", (512,), 1), "y": draw("uint8", (512,), 2)},
        [Result("uint8", lambda x, y: x & y)],
    )
    yield Case(
        "asm on halves, two at a time",
        _call("add.rn.f16x2 $0, $1, $2;", "=r,r,r", "x, y", "tl.float16", 2),
        {"x": draw_from("fp16", (256,), -9, 9, 1), "y": draw_from("fp16", (256,), -9, 9, 2)},
        [Result("fp16", lambda x, y: _round_half(x + y))],
    )
    yield Case(
        "asm from halves to floats, two at a time",
        _call(
            "{ .reg .b16 a, b; mov.b32 {a, b}, $2; cvt.f32.f16 $0, a; cvt.f32.f16 $1, b; }",
            "=f,=f,r",
            "x",
            "tl.float32",
            2,
        ),
        {"x": draw_from("fp16", (256,), -9, 9, 3)},
        [Result("fp32", lambda x: x)],
    )
    yield Case(
        "asm from bytes to halves, four at a time",
        _call(
            "{ .reg .b32 s; xor.b32 s, $2, 0x80808080; prmt.b32 $0, s, 0x64646464, 0x4140; "
            "prmt.b32 $1, s, 0x64646464, 0x4342; }",
            "=r,=r,r",
            "x",
            "tl.float16",
            4,
        ),
        {"x": draw("int8", (512,), 4)},
        [Result("fp16", lambda x: x.astype(np.float64) + 1024 + 128)],
    )


def _round_half(x: Array) -> Values:
    return from_numbers("fp16", x)


def _forms() -> Iterator[Case]:
    x = {"x": draw("int32", (64,)), "y": draw("int32", (), 5)}
    yield Case(
        "asm of a tile and a scalar",
        _call("add.s32 $0, $1, $2;", "=r,r,r", "x, y", "tl.int32", 1),
        x,
        [Result("int32", lambda x, y: x + y)],
    )
    yield Case(
        "asm of scalars",
        _call("add.s32 $0, $1, 7;", "=r,r", "y", "tl.int32", 1),
        {"y": x["y"]},
        [Result("int32", lambda y: y + np.int32(7))],
    )
    yield Case(
        "asm without operands",
        f"z = {_call('mov.u32 $0, 42;', '=r', '', 'tl.int32', 1)}\nz = x + z",
        {"x": x["x"]},
        [Result("int32", lambda x: x + np.int32(42))],
    )
    # Each thread has another number: a scalar is what the first one has, also where a loop asks.
    number = _call("mov.u32 $0, %tid.x;", "=r", "", "tl.int32", 1, pure=False)
    yield Case(
        "asm whose scalar differs between threads",
        f"z = x + {number}",
        {"x": x["x"]},
        [Result("int32", lambda x: x)],
    )
    yield Case(
        "asm whose scalar a branch asks for",
        f"z = x\nif {number} < 5:\n    z = x - tl.sum(x, axis=0)",
        {"x": x["x"]},
        [Result("int32", lambda x: x - x.sum(dtype=np.int32))],
    )
    yield Case(
        "asm whose two scalars are added to tiles",
        "a, b = "
        + _call(
            "mov.u32 $0, %tid.x; cvt.u64.u32 $1, $0;",
            "=&r,=l",
            "",
            "(tl.int32, tl.int64)",
            1,
            pure=False,
        )
        + "\nz = x + a + b.to(tl.int32)",
        {"x": x["x"]},
        [Result("int32", lambda x: x)],
    )
    yield Case(
        "asm that is broadcast",
        _call("add.s32 $0, $1, $2;", "=r,r,r", "x[:, None], x[None, :]", "tl.int32", 1),
        {"x": draw("int32", (16,), 6)},
        [Result("int32", lambda x: x[:, None] + x[None, :])],
    )
    yield Case(
        "asm whose operand is its result's register",
        _call("add.s32 $0, $0, $2;", "=r,0,r", "x, y", "tl.int32", 1),
        x,
        [Result("int32", lambda x, y: x + y)],
    )
    yield Case(
        "asm that is not pure",
        "z = "
        + _call("add.s32 $0, $1, 1; // a $$ sign", "=r,r,~{memory}", "x", "tl.int32", 1, False),
        {"x": x["x"]},
        [Result("int32", lambda x: x + np.int32(1))],
    )
