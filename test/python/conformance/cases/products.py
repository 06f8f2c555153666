# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tl.dot: whole numbers, whose products are exact, and any numbers, within a bound."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from conformance.case import Case, Result
from conformance.rules import convert
from conformance.values import Array, Values, draw, draw_from, draw_whole, tl_name

SHAPES = (
    (16, 16, 16),
    (32, 64, 16),
    (64, 16, 64),
    (16, 128, 32),
    (64, 8, 16),
    (1, 1, 16),
    (8, 4, 32),
)
# The operands, and what the product is.
TYPES = {
    "int8": "int32",
    "fp16": "fp32",
    "bf16": "fp32",
    "fp32": "fp32",
    "fp64": "fp64",
    "fp8e4nv": "fp32",
    "fp8e5": "fp32",
}


def make_cases() -> Iterator[Case]:
    for dtype, result in TYPES.items():
        for m, n, k in SHAPES:
            k = max(k, 32) if dtype.startswith("fp8") or dtype == "int8" else k
            inputs = _draw_operands(dtype, m, n, k)
            exact = [Result(result, lambda x, y, result=result: _multiply(x, y, result))]
            size = f"{dtype}, {m} x {n} x {k}"
            yield Case(f"tl.dot, {size}", "tl.dot(x, y)", inputs, exact)
            added = {**inputs, "c": draw_whole(result, (m, n), 50, 3)}
            yield Case(
                f"tl.dot with acc, {size}",
                "tl.dot(x, y, c)",
                added,
                [Result(result, lambda x, y, c, r=result: _multiply(x, y, r) + c)],
            )
            yield Case(
                f"acc += tl.dot, {size}",
                "z = c + 1\nz += tl.dot(x, y)",
                added,
                [
                    Result(
                        result, lambda x, y, c, r=result: _multiply(x, y, r) + c + c.dtype.type(1)
                    )
                ],
            )
    yield from _batches()
    yield from _transposed()
    yield from _precisions()
    yield from _result_types()


def _batches() -> Iterator[Case]:
    """Of three dimensions: fewer products than warps, as many, and more."""
    for dtype, result in TYPES.items():
        for batch, m, n, k in ((1, 32, 16, 32), (2, 16, 32, 32), (4, 32, 32, 32), (16, 16, 16, 32)):
            shapes = {"x": (batch, m, k), "y": (batch, k, n), "c": (batch, m, n)}
            size = f"{dtype}, {batch} x {m} x {n} x {k}"
            data = {
                name: draw_whole(result if name == "c" else dtype, shape, 8, seed)
                for seed, (name, shape) in enumerate(shapes.items())
            }
            yield Case(
                f"tl.dot of three dimensions, {size}",
                "tl.dot(x, y, c)",
                data,
                [Result(result, lambda x, y, c, r=result: _multiply(x, y, r) + c)],
            )
        yield Case(
            f"tl.dot of three dimensions, transposed, {dtype}",
            "tl.dot(tl.permute(x, 0, 2, 1), tl.permute(y, 0, 2, 1))",
            {
                "x": draw_whole(dtype, (4, 32, 16), 8, 6),
                "y": draw_whole(dtype, (4, 16, 32), 8, 7),
            },
            [
                Result(
                    result,
                    lambda x, y, r=result: _multiply(x.transpose(0, 2, 1), y.transpose(0, 2, 1), r),
                )
            ],
        )


def _draw_operands(dtype: str, m: int, n: int, k: int) -> dict[str, Values]:
    if dtype == "int8":
        return {"x": draw(dtype, (m, k), 1), "y": draw(dtype, (k, n), 2)}
    return {"x": draw_whole(dtype, (m, k), 8, 1), "y": draw_whole(dtype, (k, n), 8, 2)}


def _multiply(x: Array, y: Array, result: str) -> Array:
    kind = np.int32 if result == "int32" else np.float64
    return x.astype(kind) @ y.astype(kind)


def _transposed() -> Iterator[Case]:
    for dtype, result in TYPES.items():
        for a, b in (("x.T", "y"), ("x", "tl.trans(y)"), ("tl.trans(x)", "y.T")):
            inputs = {
                "x": draw_whole(dtype, (32, 32), 8, 4),
                "y": draw_whole(dtype, (32, 32), 8, 5),
            }
            yield Case(
                f"tl.dot({a}, {b}), {dtype}",
                f"tl.dot({a}, {b})",
                inputs,
                [
                    Result(
                        result,
                        lambda x, y, a=a, b=b, r=result: _multiply(
                            x if a == "x" else x.T, y if b == "y" else y.T, r
                        ),
                    )
                ],
            )


def _cut_to_tf32(x: Array) -> Array:
    """As tensor cores read it: the low 13 bits of an fp32 are not looked at."""
    bits = x.astype(np.float32).view(np.uint32) & np.uint32(0xFFFFE000)
    return bits.view(np.float32).astype(np.float64)


def _precisions() -> Iterator[Case]:
    inputs = {"x": draw_from("fp32", (32, 32), 0, 9, 6), "y": draw_from("fp32", (32, 32), 0, 9, 7)}
    exact = [Result("fp32", lambda x, y: x @ y, relative=32 * 2.0**-23)]
    cut = [Result("fp32", lambda x, y: _cut_to_tf32(x) @ _cut_to_tf32(y), relative=32 * 2.0**-23)]
    for options, results in (
        ("", cut),
        (", allow_tf32=True", cut),
        (', input_precision="tf32"', cut),
        (", allow_tf32=False", exact),
        (', input_precision="ieee"', exact),
        (', input_precision="tf32x3"', exact),
    ):
        yield Case(
            f"tl.dot of fp32{options}",
            f"tl.dot(x, y{options})",
            inputs,
            results,
            shows="tl.dot of fp32",
        )
    for dtype in ("fp8e4nv", "fp8e5"):
        yield Case(
            f"tl.dot of any numbers, {dtype}, exact",
            "tl.dot(x, y, max_num_imprecise_acc=0)",
            {"x": draw_from(dtype, (64, 64), -9, 9, 8), "y": draw_from(dtype, (64, 64), -9, 9, 9)},
            [Result("fp32", lambda x, y: x @ y, absolute=64 * 81 * 2.0**-21)],
            shows="tl.dot of 8-bit floats",
        )
    for dtype in ("fp16", "bf16", "fp64"):
        bound = (2.0**-50 if dtype == "fp64" else 2.0**-21) * 32
        yield Case(
            f"tl.dot of any numbers, {dtype}",
            "tl.dot(x, y)",
            {"x": draw_from(dtype, (32, 32), -9, 9, 8), "y": draw_from(dtype, (32, 32), -9, 9, 9)},
            [Result(TYPES[dtype], lambda x, y: x @ y, absolute=bound * 81)],
        )


def _result_types() -> Iterator[Case]:
    inputs = _draw_operands("fp16", 16, 16, 16)
    for dtype, operand in (("fp16", "fp16"), ("fp32", "fp16"), ("fp32", "bf16")):
        data = _draw_operands(operand, 16, 16, 16)
        yield Case(
            f"tl.dot of {operand}, out_dtype {dtype}",
            f"tl.dot(x, y, out_dtype={tl_name(dtype)})",
            data,
            [Result(dtype, lambda x, y, d=dtype: convert(_multiply(x, y, "fp32"), d))],
        )
    yield Case(
        "tl.dot of fp16 with acc of fp16",
        "tl.dot(x, y, c, out_dtype=tl.float16)",
        {**inputs, "c": draw_whole("fp16", (16, 16), 9)},
        [Result("fp16", lambda x, y, c: x @ y + c)],
    )
    yield Case(
        "tl.dot of two 8-bit floats",
        "tl.dot(x, y)",
        {"x": draw_whole("fp8e4nv", (16, 32), 8), "y": draw_whole("fp8e5", (32, 16), 4)},
        [Result("fp32", lambda x, y: x @ y)],
    )
    yield Case(
        "tl.dot in a loop",
        "z = tl.zeros((16, 16), tl.float32)\nfor i in range(4):\n    z = tl.dot(x, y, acc=z)",
        inputs,
        [Result("fp32", lambda x, y: 4 * (x @ y))],
    )
