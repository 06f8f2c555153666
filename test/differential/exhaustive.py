# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each cast of arith, on all numbers of 8 and 16 bits, and on the special ones of wider types; and
what else has so few operands that all of them can be tried."""

from __future__ import annotations

import numpy as np

from differential import values
from differential.arithmetic import FLOAT_UNARY, INTEGER_BINARY, INTEGER_UNARY, casts_between
from differential.elements import (
    BF16,
    E4M3,
    E5M2,
    F16,
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
# Elements of a tile.
_COUNT = 2048


def keys() -> list[str]:
    """The names of the programs: one for each pair of types that has casts, then ops of one or two
    small operands."""
    pairs = ((a, b) for a in _SOURCES for b in _SOURCES if casts_between(a, b))
    names = [f"{source} to {target}" for source, target in pairs]
    names += [f"functions of {element}" for element in (I8, I16, F16, BF16)]
    return names + [f"{op} of i8" for op in INTEGER_BINARY]


def program_of(key: str) -> Program:
    elements = {str(element): element for element in _SOURCES}
    match key.split():
        case [source, "to", target]:
            return _casts(elements[source], elements[target])
        case ["functions", "of", element]:
            return _functions(elements[element])
        case [op, "of", _]:
            return _pairs(op)
    raise KeyError(key)


def _casts(source: Element, target: Element) -> Program:
    """All casts between two types, on the same numbers."""
    program, value = _begin(source, _numbers(source))
    for name in casts_between(source, target):
        _store(program, _add(program, name, [value], target, to=True))
    return program


def _functions(element: Element) -> Program:
    program, value = _begin(element, _numbers(element))
    for op in FLOAT_UNARY if element.is_float else INTEGER_UNARY:
        _store(program, _add(program, op, [value], element))
    return program


def _pairs(op: str) -> Program:
    """An op on all pairs of numbers of 8 bits."""
    numbers = np.arange(256, dtype=np.uint64)
    program, a = _begin(I8, np.repeat(numbers, 256))
    b = _load(program, I8, np.tile(numbers, 256))
    _store(program, _add(program, op, [a, b], I8))
    return program


def _begin(element: Element, bits: Array) -> tuple[Program, Value]:
    """A program that has loaded numbers."""
    program = Program(Body(), [], [], blocks=bits.size // _COUNT, num_warps=4)
    value = _load(program, stored_as(element), bits)
    if value.type.element != element:
        cast = "arith.index_cast" if element == INDEX else "arith.trunci"
        value = _add(program, cast, [value], element, to=True)
    return program, value


def _load(program: Program, element: Element, bits: Array) -> Value:
    memory = Memory(f"X{len(program.memories)}", element, bits)
    program.memories.append(memory)
    view = plain_view((_COUNT,), program.blocks, memory)
    return _add(program, "tile.load_view", [], element, view=view, **{"else": False})


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
