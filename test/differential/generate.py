# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A random program, the same for the same seed.

It is a few steps, each of which adds an op, or a region with steps of its own, whose operands are
found among what is there; then all that nothing uses is stored.
"""

from __future__ import annotations

from collections.abc import Callable

from differential.accesses import load_through_pointers, store
from differential.arithmetic import (
    FLOAT_BINARY,
    FLOAT_TESTS,
    FLOAT_UNARY,
    INTEGER_BINARY,
    INTEGER_UNARY,
)
from differential.atomics import atomic
from differential.builder import MAX_COUNT, Builder
from differential.elements import I1, Float
from differential.functions import FUNCTIONS
from differential.products import product
from differential.program import Program, Type
from differential.reductions import reduction
from differential.regions import any_shape, choice, conditional_loop, counted_loop
from differential.scans import scan


def generate(seed: int) -> Program:
    builder = Builder(seed)
    if builder.rng.random() < 0.12:
        product(builder)
    for _ in range(builder.rng.randrange(4, 16)):
        step(builder)
    _store_leaves(builder)
    return builder.program


def generate_nested(seed: int) -> Program:
    """Mostly regions in regions, around few ops that need layouts of their own."""
    builder = Builder(seed)
    rng = builder.rng
    builder.nesting, builder.regions, builder.moves = 3, 8, 3
    rows, columns = 2 ** rng.randrange(0, 6), 2 ** rng.randrange(2, 6)
    builder.shapes = [(rows, columns), (columns, rows), (rows * columns,), (columns,)]
    if rng.random() < 0.1:
        product(builder)
    for _ in range(rng.randrange(1, 4)):
        step(builder)
    rng.choice([counted_loop, conditional_loop, choice])(builder, 0, step)
    for _ in range(rng.randrange(1, 4)):
        step(builder)
    _store_leaves(builder)
    return builder.program


def step(builder: Builder, depth: int = 0) -> None:
    names = list(STEPS)
    weights = []
    for name in names:
        weight = STEPS[name][0]
        if name in REGIONS:
            weight *= builder.regions if depth < builder.nesting else 0
        if name == "move":
            weight *= builder.moves
        weights.append(weight)
    name = builder.rng.choices(names, weights)[0]
    STEPS[name][1](builder, depth)


def _arithmetic(builder: Builder, depth: int) -> None:
    rng, element, shape = builder.rng, builder.any_element(), any_shape(builder)
    type = Type(element, shape)
    if element.is_float and element.bits == 8:
        return _conversions(builder, depth)
    if isinstance(element, Float):
        if rng.random() < 0.15:
            builder.one("math.fma", [builder.find(type) for _ in range(3)], type)
        elif rng.random() < 0.05:
            builder.one(rng.choice(list(FLOAT_TESTS)), [builder.find(type)], type.of(I1))
        elif rng.random() < 0.3:
            builder.one(rng.choice(list(FLOAT_UNARY)), [builder.find(type)], type)
        else:
            operands = [builder.find(type), builder.find(type)]
            builder.one(rng.choice(list(FLOAT_BINARY)), operands, type)
        return None
    if rng.random() < 0.1:
        builder.one(rng.choice(list(INTEGER_UNARY)), [builder.find(type)], type)
        return None
    op = rng.choice(list(INTEGER_BINARY))
    operands = [builder.find(type), builder.find(type)]
    if op.startswith("arith.sh") and rng.random() < 0.5:
        operands[1] = builder.constant(type, rng.randrange(0, element.bits + 2))
    builder.one(op, operands, type)
    return None


def _conversions(builder: Builder, depth: int) -> None:
    """One cast, or several in a row."""
    value = builder.find(Type(builder.any_element(), any_shape(builder)))
    for _ in range(builder.rng.choice([1, 1, 2, 3])):
        value = builder.cast(value, builder.any_element())


def _select(builder: Builder, depth: int) -> None:
    rng, shape = builder.rng, any_shape(builder)
    type = Type(builder.any_element(), shape)
    chosen = None if rng.random() < 0.15 else shape
    condition = builder.compare(chosen) if rng.random() < 0.7 else builder.find(Type(I1, chosen))
    builder.one("arith.select", [condition, builder.find(type), builder.find(type)], type)


def _compare(builder: Builder, depth: int) -> None:
    builder.compare(any_shape(builder))


def _function(builder: Builder, depth: int) -> None:
    """A function with a bound; nothing is computed from its result."""
    rng = builder.rng
    name, function = rng.choice(list(FUNCTIONS.items()))
    type = Type(rng.choice(function.elements), builder.any_shape())
    if depth == 0:
        operands = [builder.find(type) for _ in range(function.operands)]
        builder.loose.append(builder.one(name, operands, type))


def _move(builder: Builder, depth: int) -> None:
    """Other shapes of a tile, which need other layouts of registers."""
    rng = builder.rng
    value = builder.find(Type(builder.any_element(), builder.any_shape()))
    shape, element = value.type.shape or (), value.type.element
    moves = ["reshape"] + ["trans"] * 3 * (len(shape) > 1) + ["expand"] * (len(shape) < 3)
    moves += ["broadcast"] * 3 * (1 in shape)
    match rng.choice(moves):
        case "reshape":
            other = builder.shape(value.type.count)
            builder.one("tile.reshape", [value], Type(element, other), **{"->": True})
        case "trans":
            order = list(range(len(shape)))
            rng.shuffle(order)
            type = Type(element, tuple(shape[dim] for dim in order))
            builder.one(
                "tile.trans", [value], type, permutation=order, suffix=f" {order}", **{"->": True}
            )
        case "expand":
            axis = rng.randrange(len(shape) + 1)
            type = Type(element, (*shape[:axis], 1, *shape[axis:]))
            suffix = f" {{axis = {axis} : i32}}"
            builder.one("tile.expand_dims", [value], type, suffix=suffix, **{"->": True})
        case "broadcast":
            room = MAX_COUNT // value.type.count
            extents = list(shape)
            dim = rng.choice([dim for dim, extent in enumerate(shape) if extent == 1])
            extents[dim] = 2 ** rng.randrange(0, max(1, room.bit_length()))
            builder.one("tile.broadcast", [value], Type(element, tuple(extents)), **{"->": True})


STEPS: dict[str, tuple[float, Callable[[Builder, int], None]]] = {
    "arithmetic": (10, _arithmetic),
    "conversions": (8, _conversions),
    "select": (3, _select),
    "compare": (1, _compare),
    "function": (0.7, _function),
    "move": (4, _move),
    "reduction": (1.5, lambda builder, depth: reduction(builder)),
    "scan": (1.2, lambda builder, depth: scan(builder)),
    "atomic": (1.2, atomic),
    "pointers": (2.5, lambda builder, depth: load_through_pointers(builder)),
    "loop": (0.8, lambda builder, depth: counted_loop(builder, depth, step)),
    "while": (0.4, lambda builder, depth: conditional_loop(builder, depth, step)),
    "choice": (0.8, lambda builder, depth: choice(builder, depth, step)),
}
REGIONS = ("loop", "while", "choice")


def _store_leaves(builder: Builder) -> None:
    """Stores what nothing else uses, so that nothing of the program is dead; some more too."""
    rng = builder.rng
    used = {value for node in builder.program.nodes() for value in node.operands}
    used |= {v for node in builder.program.nodes() for body in node.bodies for v in body.yields}
    tiles = [v for v in builder.scopes[0] if v not in used]
    loose = [v for v in builder.loose if v not in tiles]
    for value in [*rng.sample(tiles, min(len(tiles), 10)), *loose]:
        store(builder, value)
    if not tiles:
        store(builder, rng.choice(builder.scopes[0]))
