# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws loops and choices, which carry values of any types in any order.

What they carry is computed, handed on as it is, put in another's place, or cheap; it comes in
several layouts of registers, since it was loaded, transposed or reduced.
"""

from __future__ import annotations

from collections.abc import Callable

from differential.accesses import load_view
from differential.builder import Builder
from differential.elements import I1, INDEX
from differential.program import Shape, Type, Value

# Draws one op, or several; it is told how many regions it stands in.
Step = Callable[[Builder, int], None]


def any_shape(builder: Builder) -> Shape | None:
    return None if builder.rng.random() < 0.1 else builder.any_shape()


def choice(builder: Builder, depth: int, step: Step) -> None:
    rng, condition = builder.rng, builder.compare(None)
    with builder.region([]) as yes:
        for _ in range(rng.randrange(0, 4)):
            step(builder, depth + 1)
        types = _some_types(builder, builder.scopes[-1])
        yes.yields = _yields(builder, types, [])
    with builder.region([]) as no:
        for _ in range(rng.randrange(0, 4)):
            step(builder, depth + 1)
        no.yields = _yields(builder, types, [])
    builder.add("scf.if", [condition], types, bodies=[yes, no])


def counted_loop(builder: Builder, depth: int, step: Step) -> None:
    rng = builder.rng
    low, high, step_by = _bounds(builder)
    types = _some_types(builder, builder.visible()[-12:])
    carried = [_init(builder, type) for type in types]
    counter = Value(high.type)
    arguments = [counter, *(Value(type) for type in types)]
    with builder.region(arguments) as body:
        if rng.random() < 0.4:
            load_view(builder, counter)
        for _ in range(rng.randrange(1, 6 - depth)):
            step(builder, depth + 1)
        body.yields = _yields(builder, types, arguments)
    builder.add("scf.for", [low, high, step_by, *carried], types, bodies=[body])


def conditional_loop(builder: Builder, depth: int, step: Step) -> None:
    """A loop that ends when a counter says so, at the latest."""
    rng, index = builder.rng, Type(INDEX)
    types = _some_types(builder, builder.visible()[-12:])
    # The counter goes around with all else.
    at = rng.randrange(len(types) + 1)
    inits = [_init(builder, type) for type in types]
    inits.insert(at, builder.index(0))
    arguments = [Value(init.type) for init in inits]
    with builder.region(arguments) as before:
        for _ in range(rng.randrange(0, 3)):
            step(builder, depth + 1)
        condition = _goes_on(builder, arguments[at])
        passed = _yields(builder, _some_types(builder, builder.scopes[-1]), arguments)
        passed_at = rng.randrange(len(passed) + 1)
        passed.insert(passed_at, arguments[at])
        before.yields = [condition, *passed]
    results = [value.type for value in passed]
    arguments = [Value(type) for type in results]
    with builder.region(arguments) as after:
        counter = arguments[passed_at]
        if rng.random() < 0.3:
            load_view(builder, counter)
        for _ in range(rng.randrange(0, 4)):
            step(builder, depth + 1)
        after.yields = _yields(builder, types, arguments)
        after.yields.insert(at, builder.one("arith.addi", [counter, builder.index(1)], index))
    builder.add("scf.while", inits, results, bodies=[before, after])


def _goes_on(builder: Builder, counter: Value) -> Value:
    """Whether a loop is not at its end: it has few trips, or none, or fewer than they may be."""
    rng, bit = builder.rng, Type(I1)
    most = builder.index(rng.choice([0, 1, 2, 2, 3, 3]))
    condition = builder.one("arith.cmpi", [counter, most], bit, predicate="ult")
    if rng.random() < 0.3:
        condition = builder.one("arith.andi", [condition, builder.compare(None)], bit)
    return condition


def _some_types(builder: Builder, values: list[Value]) -> list[Type]:
    """A few types, often those of the values; what is of one type can change places, and what is of
    a shape turned is transposed."""
    rng = builder.rng
    types: list[Type] = []
    for _ in range(rng.randrange(1, 5)):
        type = Type(builder.any_element(), any_shape(builder))
        if values and rng.random() < 0.7:
            type = rng.choice(values).type
        if types and rng.random() < 0.55:
            type = rng.choice(types)
            type = type.transposed() if rng.random() < 0.2 else type
        types.append(type)
    return types


def _init(builder: Builder, type: Type) -> Value:
    """What a loop begins with: cheap at times, so that it has no layout of its own."""
    if builder.rng.random() < 0.25:
        return _cheap(builder, type)
    return builder.find(type)


def _cheap(builder: Builder, type: Type) -> Value:
    integers = type.shape is not None and not type.element.is_float
    return (
        builder.numbers(type) if integers and builder.rng.random() < 0.5 else builder.constant(type)
    )


def _yields(builder: Builder, types: list[Type], arguments: list[Value]) -> list[Value]:
    """For each type something that the region made, or was given, or of both, or a constant."""
    rng = builder.rng
    yields: list[Value] = []
    inner = [v for node in builder.bodies[-1].nodes if node.bodies for v in node.results]
    for type in types:
        given = [v for v in arguments if v.type == type]
        given = [v for v in given if v not in yields] or given
        made = [v for v in builder.scopes[-1] if v.type == type and v not in arguments]
        # What regions within made has no other use as often as not.
        for wanted in (yields, [v for v in made if v not in inner]):
            made = [v for v in made if v not in wanted] or made
        if given and rng.random() < 0.25:
            yields.append(rng.choice(given))
        elif rng.random() < 0.1:
            yields.append(_cheap(builder, type))
        elif given and made and not type.element.is_float and rng.random() < 0.4:
            both = [rng.choice(given), rng.choice(made)]
            yields.append(builder.one(rng.choice(["arith.addi", "arith.xori"]), both, type))
        elif made:
            yields.append(rng.choice(made))
        else:
            yields.append(builder.find(type))
    return yields


def _bounds(builder: Builder) -> tuple[Value, Value, Value]:
    """Bounds of a loop with few trips: numbers, arguments, or a share of the work of all."""
    rng, index = builder.rng, Type(INDEX)
    trips = rng.randrange(0, 5)
    high = builder.argument(index, trips) if rng.random() < 0.3 else builder.index(trips)
    if rng.random() < 0.2:
        low = builder.one("tile.program_id", [], index)
        return low, high, builder.one("tile.num_programs", [], index)
    return builder.index(rng.choice([0, 0, 0, 1, -2])), high, builder.index(rng.choice([1, 1, 2]))
