# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws scans whose result is the same however elements are grouped."""

from __future__ import annotations

from differential.builder import Builder
from differential.program import Body, Node, Type, Value
from differential.reductions import each_by_itself


def scan(builder: Builder) -> None:
    """One tile or several, along one axis, from either end."""
    rng, shape = builder.rng, builder.any_shape()
    axis = rng.randrange(len(shape))
    if rng.random() < 0.3:
        sources, body = _functions(builder, Type(builder.any_integer(), shape))
    else:
        sources, body = each_by_itself(builder, shape, axis)
    types = [source.type for source in sources]
    reverse = rng.random() < 0.4
    builder.add("tile.scan", sources, types, axis=axis, reverse=reverse, bodies=[body])


def _functions(builder: Builder, type: Type) -> tuple[list[Value], Body]:
    """Functions y -> s * y + t, one behind the other: here it matters which comes first."""
    sources = [builder.find(type), builder.find(type)]
    s0, t0, s1, t1, s, scaled, t = (Value(type.of_scalar()) for _ in range(7))
    nodes = [
        Node("arith.muli", [s0, s1], [s]),
        Node("arith.muli", [s1, t0], [scaled]),
        Node("arith.addi", [scaled, t1], [t]),
    ]
    return sources, Body([s0, t0, s1, t1], nodes, [s, t])
