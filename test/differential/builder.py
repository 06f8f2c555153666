# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program while it is drawn: what is visible, and values of a wanted type."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from differential import values
from differential.arithmetic import FLOAT_COMPARE, INTEGER_COMPARE, casts_between
from differential.elements import (
    BF16,
    F16,
    F32,
    F64,
    FLOAT8,
    I1,
    I8,
    I16,
    I32,
    I64,
    INDEX,
    Element,
    Integer,
    integer,
)
from differential.functions import FUNCTIONS
from differential.program import (
    Body,
    Memory,
    Node,
    Program,
    Shape,
    Type,
    Value,
    View,
    stored_as,
)

# Tiles of more elements come only from products.
MAX_COUNT = 1024


def _promises() -> dict[str, str]:
    """For each op, what may stand behind its operands and means nothing."""
    wrapping = ("addi", "subi", "muli", "shli", "trunci")
    found = {f"arith.{op}": " overflow<nsw, nuw>" for op in wrapping}
    found |= {f"arith.{op}": " exact" for op in ("divsi", "divui", "shrsi", "shrui")}
    # Not `contract`, which fuses.
    fast = " fastmath<reassoc, nnan, ninf, nsz, arcp, afn>"
    found |= {f"arith.{op}": fast for op in ("addf", "subf", "mulf")}
    # Not `arcp` of a quotient, which may then be off by two units.
    found["arith.divf"] = " fastmath<reassoc, nnan, ninf, nsz, contract, afn>"
    alone = ("negf", "maximumf", "minimumf", "maxnumf", "minnumf", "extf", "truncf")
    found |= {f"arith.{op}": " fastmath<fast>" for op in alone}
    return found | {op: " fastmath<fast>" for op in ("math.fma", *FUNCTIONS) if op != "math.exp2"}


PROMISES = _promises()


class Builder:
    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.data = np.random.default_rng(seed)
        rng = self.rng
        warps = rng.choice([1, 1, 2, 4, 4, 8])
        self.program = Program(
            Body(),
            [],
            [],
            blocks=rng.choice([1, 1, 2, 3]),
            num_warps=warps,
            num_stages=rng.choice([1, 2, 3, 4]),
            shared_layout=rng.choice(["auto", "auto", "none", "pad", "pad:1", "pad:4", "swizzle"]),
            warpgroup_dots=rng.random() < 0.7,
            specialize=rng.random() < 0.3,
            aligned=rng.random() < 0.5,
        )
        self.bodies = [self.program.body]
        self.scopes: list[list[Value]] = [[]]
        # Values with a bound instead of bits, which only go to outputs.
        self.loose: list[Value] = []
        # How deep regions stand in each other, and how much more often than else they are drawn,
        # and what changes layouts.
        self.nesting, self.regions, self.moves = 2, 1.0, 1.0
        self.elements = self._palette()
        self.shapes = [self.shape(2 ** rng.randrange(5, 10))]

    def _palette(self) -> list[Element]:
        """The few types that meet in this program."""
        rng = self.rng
        common: list[Element] = [I1, I8, I16, I32, I64, INDEX, F16, BF16, F32, F64]
        found = rng.sample(common, rng.randrange(3, 7))
        if rng.random() < 0.3:
            found += [integer(rng.randrange(2, 64)) for _ in range(rng.randrange(1, 3))]
        if rng.random() < 0.2:
            found += rng.sample(FLOAT8, rng.randrange(1, 3))
        return found

    def shape(self, count: int) -> Shape:
        """A shape of so many elements."""
        rank = self.rng.choice([1, 1, 2, 2, 2, 3])
        extents = [1] * rank
        while count > 1:
            extents[self.rng.randrange(rank)] *= 2
            count //= 2
        return tuple(extents)

    # --- Nodes ---

    def add(self, op: str, operands: list[Value], types: list[Type], **rest: Any) -> list[Value]:
        bodies = rest.pop("bodies", [])
        if op in PROMISES and self.rng.random() < 0.2:
            rest["suffix"] = PROMISES[op]
        node = Node(op, operands, [Value(type) for type in types], rest, bodies)
        self.bodies[-1].nodes.append(node)
        self.scopes[-1] += node.results
        for value in node.results:
            shape = value.type.shape
            if shape is not None and shape not in self.shapes and value.type.count <= MAX_COUNT:
                self.shapes.append(shape)
        return node.results

    def one(self, op: str, operands: list[Value], type: Type, **rest: Any) -> Value:
        return self.add(op, operands, [type], **rest)[0]

    @contextmanager
    def region(self, arguments: list[Value]) -> Iterator[Body]:
        body = Body(arguments)
        self.bodies.append(body)
        self.scopes.append(list(arguments))
        shapes = list(self.shapes)
        yield body
        self.bodies.pop()
        self.scopes.pop()
        self.shapes = shapes

    def visible(self) -> list[Value]:
        return [value for scope in self.scopes for value in scope if value not in self.loose]

    # --- Values of a type ---

    def any_element(self) -> Element:
        return self.rng.choice(self.elements)

    def any_integer(self) -> Integer:
        found = [e for e in self.elements if isinstance(e, Integer)]
        return self.rng.choice(found) if found else I32

    def any_shape(self) -> Shape:
        return self.rng.choice(self.shapes[:1] + self.shapes)

    def find(self, type: Type) -> Value:
        """A value that is there, often a recent one, or a new one."""
        same = [value for value in self.visible() if value.type == type]
        if same and self.rng.random() < 0.75:
            return self.rng.choice(same[-4:] + same)
        return self.make(type)

    def make(self, type: Type) -> Value:
        if type.shape is None:
            return self._make_scalar(type)
        rng = self.rng
        match rng.choices(
            ["load", "cast", "constant", "splat", "move", "count"], [8, 6, 2, 1, 2, 2]
        )[0]:
            case "cast":
                others = [
                    v for v in self.visible() if v.type.shape == type.shape and v.type != type
                ]
                if others:
                    return self.cast(rng.choice(others), type.element)
            case "constant":
                return self.constant(type)
            case "splat":
                return self.one("tile.splat", [self.find(type.of_scalar())], type, **{"->": True})
            case "move":
                count = type.count
                moved = [
                    v
                    for v in self.visible()
                    if v.type.element == type.element
                    and v.type.shape is not None
                    and v.type.count == count
                ]
                if moved:
                    return self.one("tile.reshape", [rng.choice(moved)], type, **{"->": True})
            case "count" if isinstance(type.element, Integer):
                return self.numbers(type)
        return self.load(type)

    def _make_scalar(self, type: Type) -> Value:
        rng, element = self.rng, type.element
        scalars = [v for v in self.visible() if v.type.shape is None]
        if scalars and rng.random() < 0.4:
            return self.cast(rng.choice(scalars), element)
        if element == INDEX and rng.random() < 0.15:
            return self.one(rng.choice(["tile.program_id", "tile.num_programs"]), [], type)
        passed = element in (I8, I16, I32, I64, INDEX, F32, F64)
        if passed and len(self.program.scalars) < 4 and rng.random() < 0.6:
            return self.argument(type, int(values.draw(self.data, element, 1)[0]))
        return self.constant(type)

    def argument(self, type: Type, bits: int) -> Value:
        value = Value(type)
        self.program.scalars.append((value, bits))
        self.scopes[0].append(value)
        return value

    def constant(self, type: Type, number: int | None = None) -> Value:
        bits = int(values.draw(self.data, type.element, 1)[0])
        if number is not None:
            bits = number & type.element.mask
        return self.one("arith.constant", [], type, bits=bits)

    def index(self, number: int) -> Value:
        return self.constant(Type(INDEX), number)

    def numbers(self, type: Type) -> Value:
        """Integers that follow from where an element stands, as of a loop over places."""
        rng = self.rng
        assert type.shape is not None
        dim = rng.randrange(len(type.shape))
        extent = type.shape[dim]
        wide = rng.choice([I32, I64, INDEX])
        line = self.one("tile.iota", [], Type(wide, (extent,)), start=rng.randrange(0, 100))
        if rng.random() < 0.7:
            line = self.cast(line, type.element)
        spread = list(type.shape)
        shape: list[int] = [extent]
        for axis in range(len(spread)):
            if axis != dim:
                shape.insert(axis, 1)
                line = self.one(
                    "tile.expand_dims",
                    [line],
                    Type(line.type.element, tuple(shape)),
                    suffix=f" {{axis = {axis} : i32}}",
                    **{"->": True},
                )
        if tuple(shape) != type.shape:
            wanted = Type(line.type.element, type.shape)
            line = self.one("tile.broadcast", [line], wanted, **{"->": True})
        line = self.cast(line, type.element)
        for _ in range(rng.randrange(0, 3)):
            op = rng.choice(["arith.addi", "arith.muli", "arith.subi", "arith.xori"])
            number = self.constant(type, rng.choice([1, 2, 3, 8, 25, 64, 100, 127, 200, -25, -1]))
            line = self.one(op, [line, number], type)
        return line

    def cast(self, value: Value, element: Element) -> Value:
        """The value in another type, by one cast or the fewest that there are."""
        source = value.type.element
        if source == element:
            return value
        names = casts_between(source, element)
        if names:
            return self.one(self.rng.choice(names), [value], value.type.of(element), to=True)
        if INDEX in (source, element):
            return self.cast(self.cast(value, I64), element)
        return self.cast(
            self.cast(
                value, self.rng.choice([F16, F32]) if source.bits == 8 or element.bits == 8 else F32
            ),
            element,
        )

    def compare(self, shape: Shape | None) -> Value:
        element = self.any_element()
        if element.is_float and element.bits == 8:  # No GPU compares them.
            element = self.any_integer()
        a, b = self.find(Type(element, shape)), self.find(Type(element, shape))
        integers = isinstance(element, Integer)
        predicate = self.rng.choice(list(INTEGER_COMPARE if integers else FLOAT_COMPARE))
        op = "arith.cmpi" if integers else "arith.cmpf"
        return self.one(op, [a, b], Type(I1, shape), predicate=predicate)

    def find_uniform(self, type: Type) -> Value:
        """A tile of one number."""
        if self.rng.random() < 0.5:
            return self.constant(type)
        return self.one("tile.splat", [self.find(type.of_scalar())], type, **{"->": True})

    # --- Loads of views ---

    def memory(self, element: Element, bits: Any, is_output: bool = False) -> Memory:
        name = f"{'Y' if is_output else 'X'}{len(self.program.memories)}"
        memory = Memory(name, element, bits, is_output)
        self.program.memories.append(memory)
        return memory

    def load(self, type: Type, small: int = 0, else_value: bool = True) -> Value:
        """A block of a new array; `small` bounds its numbers, which are integers then."""
        element = stored_as(type.element)
        view = self.view(type.shape or (), element, small=small)
        stored = type.of(element)
        outside = else_value and self.rng.random() < 0.25
        operands = [self.find(stored.of_scalar())] if outside and not small else []
        value = self.one("tile.load_view", operands, stored, view=view, **{"else": bool(operands)})
        return self.cast(value, type.element)

    def view(self, shape: Shape, element: Element, small: int = 0, is_output: bool = False) -> View:
        """A view of a new array, with odd extents, strides and coordinates."""
        rng, blocks = self.rng, self.program.blocks
        step = shape[0] if is_output or rng.random() < 0.7 else 0
        whole = [shape[0] * (blocks if step else 1), *shape[1:]]
        odd = rng.random() < 0.5
        extents = [max(1, n + rng.randrange(-5, 6)) if odd else n for n in whole]
        start = [rng.randrange(-5, 6) if odd and rng.random() < 0.4 else 0 for _ in shape]
        order = list(range(len(shape)))
        if rng.random() < 0.3:
            rng.shuffle(order)
        strides, span = [1] * len(shape), rng.choice([1, 1, 1, 1, 1, 2, 3])
        for dim in reversed(order):
            strides[dim] = span
            span = span * extents[dim] + (rng.randrange(0, 9) if rng.random() < 0.2 else 0)
        if small:
            bits = values.small_numbers(self.data, element, span, small)
        else:
            bits = values.draw(self.data, element, span)
        memory = self.memory(element, bits, is_output)
        return View(memory, tuple(extents), tuple(strides), tuple(start), step, rng.random() < 0.6)
