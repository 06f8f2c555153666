# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each cast of arith, on all numbers of 8 and 16 bits, and on the special ones of wider types."""

from __future__ import annotations

import numpy as np

from differential import values
from differential.arithmetic import casts_between
from differential.elements import (
    E4M3,
    E5M2,
    FLOATS,
    I1,
    I8,
    I16,
    I32,
    I64,
    INDEX,
    Array,
    Element,
    integer,
)
from differential.program import Body, Memory, Node, Program, Type, Value, plain_view, stored_as

_ODD = (integer(4), integer(12), integer(33))
_SOURCES = (I1, I8, I16, I32, I64, INDEX, *_ODD, *FLOATS, E4M3, E5M2)
# Casts of a program: few, so that what is wrong with one of two does not hide the other.
_COUNT = 512


def cast_keys() -> list[str]:
    """The names of the programs: one for each pair of types that has casts."""
    pairs = ((a, b) for a in _SOURCES for b in _SOURCES if casts_between(a, b))
    return [f"{source} to {target}" for source, target in pairs]


def cast_program(key: str) -> Program:
    """All casts between two types, on the same numbers."""
    elements = {str(element): element for element in _SOURCES}
    source, target = (elements[name] for name in key.split(" to "))
    bits = _numbers(source)
    program = Program(Body(), [], [], blocks=bits.size // _COUNT, num_warps=4)
    stored = stored_as(source)
    memory = Memory("X0", stored, bits)
    view = plain_view((_COUNT,), program.blocks, memory)
    value = _add(program, "tile.load_view", [], stored, view=view, **{"else": False})
    program.memories.append(memory)
    if stored != source:
        cast = "arith.index_cast" if source == INDEX else "arith.trunci"
        value = _add(program, cast, [value], source, to=True)
    for name in casts_between(source, target):
        _store(program, _add(program, name, [value], target, to=True))
    return program


def _numbers(element: Element) -> Array:
    if element.bits <= 16:
        whole = np.arange(1 << element.bits, dtype=np.uint64)
        return np.resize(whole, max(_COUNT, whole.size))
    special = np.array(values.special_bits(element), np.uint64)
    drawn = values.draw(np.random.default_rng(0), element, 4 * _COUNT - special.size)
    return np.concatenate([special, drawn])


def _add(
    program: Program, op: str, operands: list[Value], element: Element, **rest: object
) -> Value:
    result = Value(Type(element, (_COUNT,)))
    program.body.nodes.append(Node(op, operands, [result], dict(rest)))
    return result


def _store(program: Program, value: Value) -> None:
    element = value.type.element
    stored = stored_as(element)
    if stored != element:
        cast = "arith.index_cast" if element == INDEX else "arith.extui"
        value = _add(program, cast, [value], stored, to=True)
    zeros = np.zeros(_COUNT * program.blocks, np.uint64)
    memory = Memory(f"Y{len(program.memories)}", stored, zeros, True)
    view = plain_view((_COUNT,), program.blocks, memory)
    program.memories.append(memory)
    program.body.nodes.append(Node("tile.store_view", [value], [], {"view": view}))
