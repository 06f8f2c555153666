# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a program that fails small.

Each change gives a program that is legal and that is evaluated anew; it is kept if the program
still fails in the same way. Changes are tried until none is left that helps:

    small = shrink(program, fails)
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from differential.elements import INDEX
from differential.evaluate import NoProgramError, run
from differential.program import (
    DEFAULT_STAGES,
    Body,
    Memory,
    Node,
    Program,
    Shape,
    Type,
    Value,
    plain_view,
    stored_as,
)

# Ops whose regions combine elements.
COMBINE = ("tile.reduce", "tile.scan")

Fails = Callable[[Program], bool]
# A change is made on a copy; it tells whether there was something to change.
Change = Callable[[Program], bool]


def shrink(program: Program, fails: Fails, limit: int = 600) -> Program:
    tries = 0
    for changes in (_stores, _structure, _settings, _structure, _sizes, _structure, _data):
        progress = True
        while progress:
            progress = False
            for change in changes(program):
                candidate = copy.deepcopy(program)
                if not _apply(change, candidate):
                    continue
                tries += 1
                if tries > limit:
                    return program
                if _fails_safely(candidate, fails):
                    program, progress = candidate, True
                    break
    return program


def _apply(change: Change, program: Program) -> bool:
    try:
        changed = change(program)
    except NoProgramError:
        return False
    if changed:
        remove_unused(program)
    return changed


def _fails_safely(program: Program, fails: Fails) -> bool:
    try:
        return fails(program)
    except NoProgramError:
        return False


def remove_unused(program: Program) -> None:
    """Leaves out what no store needs."""
    while _remove_unused(program.body, _used(program)):
        pass
    used = _used(program)
    program.scalars = [pair for pair in program.scalars if pair[0] in used]
    memories = {_memory_of(node) for node in program.nodes()}
    program.memories = [memory for memory in program.memories if memory in memories]


def _used(program: Program) -> set[Value]:
    used = {value for node in program.nodes() for value in node.operands}
    return used | {v for node in program.nodes() for body in node.bodies for v in body.yields}


def _remove_unused(body: Body, used: set[Value]) -> bool:
    count = len(body.nodes)
    body.nodes = [
        node for node in body.nodes if node.writes or any(v in used for v in node.results)
    ]
    inner = [_remove_unused(inside, used) for node in body.nodes for inside in node.bodies]
    return len(body.nodes) != count or any(inner)


def _memory_of(node: Node) -> Memory | None:
    view = node.attributes.get("view")
    return view.memory if view else node.attributes.get("memory")


# --- Changes ----------------------------------------------------------------------------------


def _bind(function: Callable[..., bool], *rest: Any) -> Change:
    return lambda program: function(program, *rest)


def _stores(program: Program) -> Iterator[Change]:
    """One store alone; else one less."""
    used, nodes = _used(program), program.body.nodes
    stores = [at for at, node in enumerate(nodes) if node.writes and not used & {*node.results}]
    if len(stores) > 1:
        for kept in stores:
            yield _bind(_drop_stores, set(stores) - {kept})
        for lost in stores:
            yield _bind(_drop_stores, {lost})


def _drop_stores(program: Program, lost: set[int]) -> bool:
    nodes = program.body.nodes
    program.body.nodes = [node for at, node in enumerate(nodes) if at not in lost]
    return True


def _structure(program: Program) -> Iterator[Change]:
    """Tries from the end: a node becomes its operand, or what it computes is loaded."""
    nodes = list(program.nodes())
    # What a reduction or a scan combines with stays: not every op is associative and commutative.
    fixed = {inner for node in nodes if node.op in COMBINE for inner in node.bodies[0].nodes}
    for at in reversed(range(len(nodes))):
        node = nodes[at]
        if node in fixed:
            continue
        outside = node in program.body.nodes
        if not node.results:
            yield _bind(_simplify_store, at)
            continue
        if outside:
            yield _bind(_inline, at)
        for result in range(len(node.results)):
            for operand in range(len(node.operands)):
                yield _bind(_forward, at, result, operand)
        yield _bind(_load_instead if outside else _zero_instead, at)
        if node.bodies and len(node.results) > 1:
            for result in range(len(node.results)):
                yield _bind(_drop_result, at, result)
        if node.op == "scf.while":
            for init in range(len(node.operands)):
                yield _bind(_drop_init, at, init)


def _at(program: Program, at: int) -> Node:
    return list(program.nodes())[at]


def _substitute(program: Program, old: Node, new: list[Node]) -> None:
    """Puts nodes in the place of one that stands outside of regions."""
    at = program.body.nodes.index(old)
    program.body.nodes[at : at + 1] = new


def _replace(program: Program, old: Value, new: Value) -> None:
    for node in program.nodes():
        node.operands = [new if v is old else v for v in node.operands]
        for body in node.bodies:
            body.yields = [new if v is old else v for v in body.yields]


def _forward(program: Program, at: int, result: int, operand: int) -> bool:
    node = _at(program, at)
    old, new = node.results[result], node.operands[operand]
    if old.type != new.type:
        return False
    _replace(program, old, new)
    return True


def _zero_instead(program: Program, at: int) -> bool:
    """A node inside of a region becomes a constant."""
    node = _at(program, at)
    if node.op == "arith.constant" or len(node.results) != 1:
        return False
    node.op, node.operands, node.bodies = "arith.constant", [], []
    node.attributes = {"bits": 0}
    return True


def _drop_result(program: Program, at: int, result: int) -> bool:
    """A region makes one thing less, which nothing outside needs."""
    node = _at(program, at)
    if node.results[result] in _used(program):
        return False
    count = len(node.results)
    if node.op == "scf.while":
        before, after = node.bodies
        if after.arguments[result] in _used(program):
            return False
        del before.yields[1 + result], after.arguments[result], node.results[result]
        return True
    for body in node.bodies:
        del body.yields[result]
        if node.op == "scf.for":
            argument = body.arguments.pop(1 + result)
            _replace(program, argument, node.operands[3 + result])
        elif node.op in COMBINE:
            gone = {body.arguments[result], body.arguments[count + result]}
            body.arguments = [v for v in body.arguments if v not in gone]
            body.nodes = [inner for inner in body.nodes if not set(inner.operands) & gone]
            there = {*body.arguments, *(v for inner in body.nodes for v in inner.results)}
            if not there.issuperset(v for inner in body.nodes for v in inner.operands):
                return False
            if not there.issuperset(body.yields):
                return False
    del node.results[result]
    if node.op == "scf.for":
        del node.operands[3 + result]
    elif node.op in COMBINE:
        del node.operands[result]
    return True


def _drop_init(program: Program, at: int, init: int) -> bool:
    """The first region of a loop gets one thing less, which it does not use."""
    node = _at(program, at)
    before, after = node.bodies
    if before.arguments[init] in _used(program):
        return False
    del node.operands[init], before.arguments[init], after.yields[init]
    return True


def _inline(program: Program, at: int) -> bool:
    """One trip of a loop, or one side of a choice, stands where the region was."""
    node = _at(program, at)
    if node.op not in ("scf.for", "scf.while", "scf.if"):
        return False
    body = node.bodies[0]
    _substitute(program, node, body.nodes)
    if node.op != "scf.if":
        inits = [node.operands[0], *node.operands[3:]]
        if node.op == "scf.while":
            inits, body.yields = node.operands, body.yields[1:]
        for argument, init in zip(body.arguments, inits, strict=True):
            _replace(program, argument, init)
            body.yields = [init if v is argument else v for v in body.yields]
    for result, value in zip(node.results, body.yields, strict=True):
        _replace(program, result, value)
    return True


def _is_plain(node: Node, program: Program) -> bool:
    view, value = node.attributes.get("view"), (*node.results, *node.operands)[0]
    return view is not None and view == plain_view(
        value.type.shape or (), program.blocks, view.memory
    )


def _load_instead(program: Program, at: int) -> bool:
    """What a node computes is read from memory."""
    node = _at(program, at)
    if node.op in ("arith.constant", "tile.program_id", "tile.num_programs") or _is_plain(
        node, program
    ):
        return False
    users = [n for n in program.body.nodes if set(n.operands) & set(node.results)]
    if (
        len(users) == 1
        and users[0].op in ("arith.trunci", "arith.index_cast")
        and node.op == "tile.load_view"
    ):
        return False
    results = run(program)[1]
    made: list[Node] = []
    for index, result in enumerate(node.results):
        tiles = [tile.bits for tile in results[result]]
        element, shape = result.type.element, result.type.shape
        if shape is None:
            if any(bits != tiles[0] for bits in tiles):
                return False
            made.append(Node("arith.constant", [], [result], {"bits": int(tiles[0])}))
            continue
        stored = stored_as(element)
        memory = Memory(
            f"L{_fresh(program)}_{index}", stored, np.concatenate([t.ravel() for t in tiles])
        )
        program.memories.append(memory)
        view = plain_view(shape, program.blocks, memory)
        loaded = result if stored == element else Value(result.type.of(stored))
        made.append(Node("tile.load_view", [], [loaded], {"view": view, "else": False}))
        if loaded is not result:
            cast = "arith.index_cast" if element == INDEX else "arith.trunci"
            made.append(Node(cast, [loaded], [result], {"to": True}))
    _substitute(program, node, made)
    return True


def _fresh(program: Program) -> int:
    numbers = [int(m.name[1:].split("_")[0]) for m in program.memories]
    return max(numbers, default=0) + 1


def _simplify_store(program: Program, at: int) -> bool:
    node = _at(program, at)
    if _is_plain(node, program):
        return False
    value = node.operands[0]
    size = value.type.count * program.blocks
    memory = Memory(f"Y{_fresh(program)}", value.type.element, np.zeros(size, np.uint64), True)
    program.memories.append(memory)
    view = plain_view(value.type.shape or (), program.blocks, memory)
    _substitute(program, node, [Node("tile.store_view", [value], [], {"view": view})])
    return True


def _settings(program: Program) -> Iterator[Change]:
    plain = {
        "num_warps": 1,
        "num_stages": DEFAULT_STAGES,
        "shared_layout": "auto",
        "warpgroup_dots": True,
        "specialize": False,
        "aligned": False,
    }
    for name, value in plain.items():
        if getattr(program, name) != value:
            yield _bind(_set, name, value)


def _set(program: Program, name: str, value: object) -> bool:
    setattr(program, name, value)
    return True


# --- Sizes and data, once all accesses are plain and all tiles of one shape ---------------------


def _only_shape(program: Program) -> Shape | None:
    """The shape that all tiles have, where all of the program is element by element."""
    shapes = {v.type.shape for n in program.nodes() for v in (*n.results, *n.operands)} - {None}
    accesses = [node for node in program.nodes() if _memory_of(node) is not None]
    whole = all(
        node.op.startswith(("arith.", "math.", "scf."))
        or node in accesses
        or node.op == "tile.splat"
        for node in program.nodes()
    )
    if len(shapes) != 1 or not whole or not all(_is_plain(node, program) for node in accesses):
        return None
    return shapes.pop()


def _sizes(program: Program) -> Iterator[Change]:
    shape = _only_shape(program)
    if shape is None:
        return
    count = Type(INDEX, shape).count
    if program.blocks > 1:
        for block in range(program.blocks):
            yield _bind(_resize, shape, slice(block * count, (block + 1) * count))
    elif len(shape) > 1:
        yield _bind(_resize, (count,), slice(0, count))
    elif count > 1:
        yield _bind(_resize, (count // 2,), slice(0, count // 2))
        yield _bind(_resize, (count // 2,), slice(count // 2, count))


def _resize(program: Program, shape: Shape, part: slice) -> bool:
    if _only_shape(program) is None:
        return False
    program.blocks = 1
    for memory in program.memories:
        memory.bits = memory.bits[part].copy()
    seen: set[Value] = set()
    for node in program.nodes():
        inner = [v for body in node.bodies for v in (*body.arguments, *body.yields)]
        for value in (*node.results, *node.operands, *inner):
            if value.type.shape is not None and value not in seen:
                value.type = Type(value.type.element, shape)
                seen.add(value)
        if "view" in node.attributes:
            node.attributes["view"] = plain_view(shape, 1, node.attributes["view"].memory)
    return True


def _data(program: Program) -> Iterator[Change]:
    """Numbers become zero: half of an array at first, then less of it."""
    for at, memory in enumerate(program.memories):
        if memory.is_output:
            continue
        size = memory.bits.size
        while size >= max(1, memory.bits.size // 64):
            for start in range(0, memory.bits.size, size):
                if memory.bits[start : start + size].any():
                    yield _bind(_clear, at, start, size)
            size //= 2


def _clear(program: Program, at: int, start: int, size: int) -> bool:
    program.memories[at].bits[start : start + size] = 0
    return True
