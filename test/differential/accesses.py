# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws loads and stores: through pointers with offsets that wrap, and of views."""

from __future__ import annotations

from differential import values
from differential.builder import Builder
from differential.elements import I1, I8, I16, I32, I64, INDEX, Integer, integer
from differential.program import Shape, Type, Value, stored_as


def load_view(builder: Builder, counter: Value) -> None:
    """A block that moves with a number."""
    element = stored_as(builder.any_element())
    shape = builder.any_shape()
    type, along = Type(element, shape), builder.rng.randrange(len(shape))
    view = builder.view(shape, element)
    builder.one("tile.load_view", [counter], type, view=view, along=along, **{"else": False})


def load_through_pointers(builder: Builder) -> None:
    rng = builder.rng
    shape = builder.any_shape()
    offsets, least, count = wrapping_offsets(builder, Type(INDEX, shape))
    element = stored_as(builder.any_element())
    if count > 1024:
        element = I8 if element.bits > 16 else element
    memory = builder.memory(element, values.draw(builder.data, element, count))
    operands, type = [offsets], Type(element, shape)
    if rng.random() < 0.4:
        operands.append(builder.find(Type(I1, shape)))
        if rng.random() < 0.5:
            operands.append(builder.find(type))
    builder.one("tile.load", operands, type, memory=memory, bias=-least)


def wrapping_offsets(builder: Builder, type: Type) -> tuple[Value, int, int]:
    """Offsets, the least that they can be, and how many there can be."""
    rng = builder.rng
    if rng.random() < 0.3:
        # Of a wide type, brought into range.
        wide = type.of(rng.choice([I16, I32, I64, INDEX]))
        count = rng.choice([5, 64, 100, 256])
        value = builder.numbers(wide) if rng.random() < 0.5 else builder.find(wide)
        return builder.one("arith.remui", [value, builder.constant(wide, count)], wide), 0, count
    element = rng.choice([I8, I8, I8, I16, integer(rng.randrange(2, 13))])
    narrow = type.of(element)
    value = builder.numbers(narrow) if rng.random() < 0.7 else builder.find(narrow)
    for _ in range(rng.choice([0, 1, 1, 2])):
        op = rng.choice(["arith.addi", "arith.subi", "arith.muli", "arith.shli", "arith.xori"])
        value = builder.one(op, [value, builder.find_uniform(narrow)], narrow)
    count = 1 << element.bits
    if rng.random() < 0.3:
        return value, -(count // 2), count
    return _widen(builder, value, element)


def _widen(builder: Builder, value: Value, element: Integer) -> tuple[Value, int, int]:
    """Narrow offsets, which may have wrapped, in a wider type; perhaps moved by a number."""
    rng, signed, count = builder.rng, builder.rng.random() < 0.6, 1 << element.bits
    wide = rng.choice([e for e in (I16, I32, I64, INDEX) if e.bits > element.bits])
    if wide == INDEX:
        op = "arith.index_cast" if signed else "arith.index_castui"
    else:
        op = "arith.extsi" if signed else "arith.extui"
    value = builder.one(op, [value], value.type.of(wide), to=True)
    least = -(count // 2) if signed else 0
    if wide.bits > 16 and rng.random() < 0.5:
        number = rng.choice([1, 3, 128, 1000])
        value = builder.one("arith.addi", [value, builder.constant(value.type, number)], value.type)
        least += number
    return value, least, count


def store(builder: Builder, value: Value) -> None:
    """Writes a value, as memory can hold it, into an array of its own."""
    rng = builder.rng
    element = stored_as(value.type.element)
    if value.type.shape is None:
        value = builder.one("tile.splat", [value], Type(value.type.element, (32,)), **{"->": True})
    if value.type.element != element:
        extensions = ["arith.extsi", "arith.extui"]
        casts = ["arith.index_cast"] if value.type.element == INDEX else extensions
        value = builder.one(rng.choice(casts), [value], value.type.of(element), to=True)
    if rng.random() < 0.7:
        view = builder.view(value.type.shape or (), element, is_output=True)
        builder.add("tile.store_view", [value], [], view=view)
    else:
        _store_through_pointers(builder, value)


def _store_through_pointers(builder: Builder, value: Value) -> None:
    """Each element to a place of its own."""
    shape = value.type.shape or ()
    place, stride = own_places(builder, shape)
    operands = [value, place]
    if builder.rng.random() < 0.4:
        operands.append(mask_of(builder, place))
    step = value.type.count * stride
    bits = values.draw(builder.data, value.type.element, step * builder.program.blocks)
    memory = builder.memory(value.type.element, bits, is_output=True)
    builder.add("tile.store", operands, [], memory=memory, bias=0, step=step)


def own_places(builder: Builder, shape: Shape) -> tuple[Value, int]:
    """For each element of a tile another number, and by how many more of them there are."""
    rng, count = builder.rng, Type(INDEX, shape).count
    wide = rng.choice([e for e in (I16, I32, I64, INDEX) if count * 2 <= 1 << (e.bits - 1)])
    place = builder.one("tile.iota", [], Type(wide, (count,)), start=0)
    if shape != (count,):
        place = builder.one("tile.reshape", [place], Type(wide, shape), **{"->": True})
    match rng.choice(["as it is", "as it is", "as it is", "mixed", "reversed", "spread"]):
        case "mixed":
            mix = builder.constant(place.type, rng.randrange(count))
            place = builder.one("arith.xori", [place, mix], place.type)
        case "reversed":
            last = builder.constant(place.type, count - 1)
            place = builder.one("arith.subi", [last, place], place.type)
        case "spread":
            twice = builder.constant(place.type, 2)
            return builder.one("arith.muli", [place, twice], place.type), 2
    return place, 1


def mask_of(builder: Builder, place: Value) -> Value:
    """Any mask, or the places before a number, as of the edge of an array."""
    rng, mask = builder.rng, Type(I1, place.type.shape)
    if rng.random() < 0.5:
        return builder.find(mask)
    end = rng.randrange(place.type.count + 1) & rng.choice([-1, -8])
    edge = builder.constant(place.type, end)
    return builder.one("arith.cmpi", [place, edge], mask, predicate="slt")
