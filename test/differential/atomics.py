# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws atomic accesses, each to an array of its own.

What the array holds afterwards is the same in each order, and what an access found there too where
no other one goes to the same place.
"""

from __future__ import annotations

from differential import values
from differential.accesses import mask_of, own_places, wrapping_offsets
from differential.arithmetic import ATOMICS
from differential.builder import Builder
from differential.elements import BF16, F16, F32, I32, INDEX, Array, Element, Float
from differential.program import Shape, Type, Value

ORDERS = ["relaxed", "relaxed", "relaxed", "acquire", "release", "acq_rel"]


def atomic(builder: Builder, depth: int) -> None:
    rng, shape = builder.rng, builder.any_shape()
    found = [e for e in builder.elements if e.in_memory and e.bits >= 16] or [I32]
    if rng.random() < 0.4:
        found = [F16, BF16, F32]  # Several of them go at once.
    type = Type(rng.choice(found), shape)
    kinds = [kind for kind, ops in ATOMICS.items() if ops[1] or not type.element.is_float]
    kinds += ["add", "add", "add"]
    if depth == 0 and rng.random() < 0.25:
        kinds = ["xchg", "cas"]
    kind = rng.choice(kinds)
    places, bias, count = _places(builder, shape, kind)
    operands, bits = _operands(builder, kind, type, count)
    if rng.random() < 0.4:
        operands.append(mask_of(builder, places))
    # Programs go to their own parts of the array, or all to one.
    step = count if kind in ("xchg", "cas") or rng.random() < 0.6 else 0
    memory = builder.memory(type.element, bits if step else bits[:count], is_output=True)
    result = builder.one(
        "tile.atomic_cas" if kind == "cas" else "tile.atomic_rmw",
        [places, *operands],
        type,
        kind=kind,
        memory=memory,
        bias=bias,
        step=step,
        order=rng.choice(ORDERS),
        scope=rng.choice(["gpu", "gpu", "sys"] + ["cta"] * (step > 0)),
    )
    # Many want only what becomes of the array; and in a loop one finds what the last trip left.
    if depth > 0 or rng.random() < 0.6:
        builder.scopes[-1].remove(result)


def _places(builder: Builder, shape: Shape, kind: str) -> tuple[Value, int, int]:
    """Offsets, what is added to them, and the elements that they reach."""
    type = Type(INDEX, shape)
    if kind in ("xchg", "cas") or builder.rng.random() < 0.6:
        place, stride = own_places(builder, shape)
        return place, 0, type.count * stride
    offsets, least, count = wrapping_offsets(builder, type)
    return offsets, -least, count


def _operands(builder: Builder, kind: str, type: Type, count: int) -> tuple[list[Value], Array]:
    """What the access brings, and what the array has before it."""
    element, size = type.element, count * builder.program.blocks
    if kind == "cas":
        expected, desired = builder.load(type, small=1), builder.find(type)
        return [expected, desired], _small(builder, element, size, 1)
    if kind == "add" and isinstance(element, Float):
        limit = 3 if element.precision < 10 else 20
        return [builder.load(type, small=limit)], _small(builder, element, size, limit)
    return [builder.find(type)], values.draw(builder.data, element, size)


def _small(builder: Builder, element: Element, count: int, limit: int) -> Array:
    return values.small_numbers(builder.data, element, count, limit)
