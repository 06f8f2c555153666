# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws reductions whose result is the same in each order."""

from __future__ import annotations

from differential.builder import Builder
from differential.elements import I1, Float, Integer
from differential.program import Body, Node, Shape, Type, Value

INTEGER_COMBINERS = [
    "arith." + name
    for name in ("addi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui")
]
FLOAT_COMBINERS = ["arith." + name for name in ("maximumf", "minimumf", "maxnumf", "minnumf")]


def reduction(builder: Builder) -> None:
    """One tile or several, along one axis."""
    rng, shape = builder.rng, builder.any_shape()
    axis = rng.randrange(len(shape))
    if rng.random() < 0.25:
        sources, body = _places(builder, Type(builder.any_integer(), shape))
    else:
        sources, body = each_by_itself(builder, shape, axis)
    rest = (*shape[:axis], *shape[axis + 1 :]) or None
    types = [Type(source.type.element, rest) for source in sources]
    builder.add("tile.reduce", sources, types, axis=axis, bodies=[body])


def each_by_itself(builder: Builder, shape: Shape, axis: int) -> tuple[list[Value], Body]:
    """Tiles, and what combines the elements of each."""
    sources, body = [], Body()
    pairs: list[tuple[Value, Value]] = []
    for _ in range(builder.rng.choice([1, 1, 1, 2])):
        source, op = _source(builder, Type(builder.any_element(), shape), shape[axis])
        sources.append(source)
        scalar = source.type.of_scalar()
        pair = (Value(scalar), Value(scalar))
        pairs.append(pair)
        body.nodes.append(Node(op, list(pair), [Value(scalar)]))
    body.arguments = [a for a, _ in pairs] + [b for _, b in pairs]
    body.yields = [node.results[0] for node in body.nodes]
    return sources, body


def _source(builder: Builder, type: Type, extent: int) -> tuple[Value, str]:
    """A tile and an op that combines its elements."""
    rng, element = builder.rng, type.element
    if isinstance(element, Integer):
        return builder.find(type), rng.choice(INTEGER_COMBINERS)
    assert isinstance(element, Float)
    if element.bits == 8:
        return _source(builder, type.of(builder.any_integer()), extent)
    limit = min(1 << element.precision, 1 << 20) // extent
    if limit and rng.random() < 0.5:
        return builder.load(type, small=min(limit, 100)), "arith.addf"
    return builder.find(type), rng.choice(FLOAT_COMBINERS)


def _places(builder: Builder, type: Type) -> tuple[list[Value], Body]:
    """The largest (or least) number and its place; of equal ones the first place, of equal places
    the larger: that is one order of all pairs."""
    rng = builder.rng
    places = builder.numbers(
        type.of(rng.choice([e for e in builder.elements if _counts(e)] or [type.element]))
    )
    sources = [builder.find(type), places]
    a, ai, b, bi = (Value(v.type.of_scalar()) for v in (*sources, *sources))
    bit = Type(I1)
    better, same, first, tie, take = (Value(bit) for _ in range(5))
    more = rng.choice(["sgt", "slt", "ugt", "ult"])
    results = [Value(a.type), Value(ai.type)]
    nodes = [
        Node("arith.cmpi", [b, a], [better], {"predicate": more}),
        Node("arith.cmpi", [b, a], [same], {"predicate": "eq"}),
        Node("arith.cmpi", [bi, ai], [first], {"predicate": "slt"}),
        Node("arith.andi", [same, first], [tie]),
        Node("arith.ori", [better, tie], [take]),
        Node("arith.select", [take, b, a], [results[0]]),
        Node("arith.select", [take, bi, ai], [results[1]]),
    ]
    return sources, Body([a, ai, b, bi], nodes, results)


def _counts(element: object) -> bool:
    return isinstance(element, Integer) and element.bits > 1
