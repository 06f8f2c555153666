# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws products of small integers, whose sums are exact in each order."""

from __future__ import annotations

from differential.builder import Builder
from differential.elements import BF16, F16, F32, F64, FLOAT8, I8, I32, INDEX, Element
from differential.program import Type, Value

SMALL = 8


def product(builder: Builder) -> None:
    """One product, or a loop of them along K."""
    rng = builder.rng
    builder.program.num_warps = rng.choice([1, 2, 4, 4, 4, 8])
    element = rng.choice([F16, BF16, F32, F64, I8, rng.choice(FLOAT8)])
    result = {F64: F64, I8: I32}.get(element, F32)
    m, n, k = (
        rng.choice([16, 32, 64, 64, 128]),
        rng.choice([16, 16, 32, 64]),
        rng.choice([16, 32, 64]),
    )
    if m * n > 4096:
        n = 32
    tf32 = element == F32 and rng.random() < 0.5
    type = Type(result, (m, n))
    start = builder.load(type, small=100) if rng.random() < 0.4 else builder.constant(type, 0)
    if rng.random() < 0.5:
        sides = [
            _operand(builder, element, (m, k), None, 1),
            _operand(builder, element, (k, n), None, 0),
        ]
        builder.one("tile.dot", [*sides, start], type, tf32=tf32)
        return
    trips = rng.randrange(1, 5)
    counter, carried = Value(Type(INDEX)), Value(type)
    bounds = [builder.index(0), builder.index(trips * k), builder.index(k)]
    with builder.region([counter, carried]) as body:
        a = _operand(builder, element, (m, k), counter, 1)
        b = _operand(builder, element, (k, n), counter, 0)
        body.yields = [builder.one("tile.dot", [a, b, carried], type, tf32=tf32)]
    builder.add("scf.for", [*bounds, start], [type], bodies=[body])


def _operand(
    builder: Builder, element: Element, shape: tuple[int, int], counter: Value | None, along: int
) -> Value:
    """A tile of small numbers, as it is stored or the other way round; perhaps of another type, or
    with arithmetic on it."""
    rng = builder.rng
    stored = element
    if rng.random() < 0.15 and element != I8 and element not in FLOAT8:
        stored = rng.choice([I8, F16, F32])
    turned = rng.random() < 0.4
    at = (shape[1], shape[0]) if turned else shape
    view = builder.view(at, stored, small=127 if element == I8 else SMALL)
    operands = [counter] if counter is not None else []
    value = builder.one(
        "tile.load_view",
        operands,
        Type(stored, at),
        view=view,
        along=1 - along if turned else along,
        **{"else": False},
    )
    if stored != element:
        value = _exact_cast(builder, value, element)
    if rng.random() < 0.15 and element.is_float and element not in FLOAT8:
        value = builder.one("arith.negf", [value], value.type)
    if turned:
        value = builder.one(
            "tile.trans",
            [value],
            value.type.transposed(),
            permutation=[1, 0],
            suffix=" [1, 0]",
            **{"->": True},
        )
    return value


def _exact_cast(builder: Builder, value: Value, element: Element) -> Value:
    source = value.type.element
    if not source.is_float:
        return builder.one("arith.sitofp", [value], value.type.of(element), to=True)
    if source.bits == element.bits:
        value = builder.one("arith.extf", [value], value.type.of(F32), to=True)
    op = "arith.extf" if value.type.element.bits < element.bits else "arith.truncf"
    return builder.one(op, [value], value.type.of(element), to=True)
