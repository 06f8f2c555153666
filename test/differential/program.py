# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program is: values, ops, regions, and the arrays that it is launched with.

    node = Node("arith.addi", [a, b], [Value(a.type)])

A program is held as a graph, so that it can be evaluated, written as source, and made smaller.
`OPS` of the generator are those of the language but for accesses, which are one node each with all
that belongs to them: a view or a tile of pointers, and where it lies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from differential.elements import I64, INDEX, MEMORY_INTEGERS, Array, Element

Shape = tuple[int, ...]

# Of a kernel that does not say.
DEFAULT_STAGES = 3


@dataclass(frozen=True)
class Type:
    """A scalar, where there is no shape, or a tile."""

    element: Element
    shape: Shape | None = None

    def __str__(self) -> str:
        if self.shape is None:
            return str(self.element)
        return f"tensor<{'x'.join(map(str, self.shape))}x{self.element}>"

    def of(self, element: Element) -> Type:
        return Type(element, self.shape)

    def of_scalar(self) -> Type:
        return Type(self.element)

    def transposed(self) -> Type:
        return Type(self.element, None if self.shape is None else self.shape[::-1])

    @property
    def count(self) -> int:
        product = 1
        for extent in self.shape or ():
            product *= extent
        return product


@dataclass(eq=False)
class Value:
    type: Type


@dataclass(eq=False)
class Body:
    """A region: its arguments, its nodes in order, and what it yields."""

    arguments: list[Value] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)

    def walk(self) -> Iterator[Node]:
        for node in self.nodes:
            yield node
            for body in node.bodies:
                yield from body.walk()


@dataclass(eq=False)
class Node:
    """An op. `attributes` is what it has beside its operands; each op knows its own."""

    op: str
    operands: list[Value]
    results: list[Value]
    attributes: dict[str, Any] = field(default_factory=dict)
    bodies: list[Body] = field(default_factory=list)

    @property
    def writes(self) -> bool:
        return not self.results or self.op.startswith("tile.atomic")


@dataclass(eq=False)
class Memory:
    """An array in global memory and what it has before the launch, as bits."""

    name: str
    element: Element
    bits: Array
    is_output: bool = False


@dataclass(frozen=True)
class View:
    """A matrix in an array. The block of program p begins at `start`, p * `step` further along
    dimension 0."""

    memory: Memory
    extents: Shape
    strides: Shape
    start: Shape
    step: int
    # Where extents and strides are arguments of the kernel, rather than constants of it.
    dynamic: bool = False


def plain_view(shape: Shape, blocks: int, memory: Memory) -> View:
    """An array that is the blocks' tiles, row by row."""
    strides: list[int] = []
    span = 1
    for extent in reversed(shape):
        strides.insert(0, span)
        span *= extent
    extents = (shape[0] * blocks, *shape[1:])
    step = shape[0] if blocks > 1 else 0
    return View(memory, extents, tuple(strides), (0,) * len(shape), step)


def stored_as(element: Element) -> Element:
    """The type that memory has for a type of values."""
    if element.in_memory:
        return element
    if element == INDEX:
        return I64
    return next(e for e in MEMORY_INTEGERS if e.bits >= element.bits)


@dataclass(eq=False)
class Program:
    body: Body
    memories: list[Memory]
    # Scalar arguments, with what the launch gives, as bits.
    scalars: list[tuple[Value, int]]
    blocks: int
    num_warps: int
    num_stages: int = DEFAULT_STAGES
    shared_layout: str = "auto"
    warpgroup_dots: bool = True
    specialize: bool = False
    # Whether arrays begin at multiples of 16 bytes, and the kernel is promised so.
    aligned: bool = True

    def nodes(self) -> Iterator[Node]:
        return self.body.walk()

    def uses_float8(self) -> bool:
        """Whether it converts 8-bit floats, or multiplies them, which takes sm_89."""
        return any(
            value.type.element.is_float and value.type.element.bits == 8
            for node in self.nodes()
            if node.op in ("arith.extf", "arith.truncf", "tile.dot")
            for value in [*node.operands, *node.results]
        )
