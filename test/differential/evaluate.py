# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program computes, by NumPy.

    images = evaluate(program)
    images[memory].bits, images[memory].known

Nothing of the compiler is used. An element is not `known` where the language leaves it open (the
bits of a NaN, the order of a sum that is rounded), or where it comes from a function that has a
bound instead of bits; such elements are compared by that bound, or not at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from differential import arithmetic
from differential.elements import I32, INDEX, Array, Element, Float, Integer
from differential.functions import FUNCTIONS, bound_of
from differential.program import Body, Memory, Node, Program, Type, Value, View

# Of a loop that ends when a condition says so; those that are drawn have fewer.
MOST_TRIPS = 100


@dataclass
class Tile:
    """The elements of a tile, or of an array."""

    bits: Array
    known: Array
    # How far off an element may be that is not known, in units in the last place of the
    # reference; 0: anything goes.
    ulps: Array
    reference: Array

    @staticmethod
    def exact(bits: Array, known: Array | None = None) -> Tile:
        if known is None:
            known = np.ones(bits.shape, bool)
        zeros = np.zeros(bits.shape)
        return Tile(bits, known, zeros, zeros)

    def map(self, move: Callable[[Array], Array]) -> Tile:
        """The same elements at other places."""
        return Tile(move(self.bits), move(self.known), move(self.ulps), move(self.reference))

    def unknown(self) -> Tile:
        return Tile.exact(self.bits, np.zeros(self.bits.shape, bool))

    def fields(self) -> tuple[Array, Array, Array, Array]:
        return self.bits, self.known, self.ulps, self.reference


def evaluate(program: Program) -> dict[Memory, Tile]:
    """What each array holds after the launch."""
    return run(program)[0]


def run(program: Program) -> tuple[dict[Memory, Tile], dict[Value, list[Tile]]]:
    """The arrays, and what each value outside of regions is in each block."""
    images = {memory: Tile.exact(memory.bits.copy()) for memory in program.memories}
    for image in images.values():
        image.ulps, image.reference = image.ulps.copy(), image.reference.copy()
    values: dict[Value, list[Tile]] = {}
    sizes: dict[Memory, Array] = {}
    for block in range(program.blocks):
        evaluator = _Evaluator(images, block, program.blocks, sizes)
        for value, bits in program.scalars:
            evaluator.values[value] = Tile.exact(np.array(bits, np.uint64))
        with np.errstate(all="ignore"):
            evaluator.run(program.body)
        for value, tile in evaluator.values.items():
            values.setdefault(value, []).append(tile)
    return images, values


def _place(view: View, type: Type, starts: list[int]) -> tuple[Array, Array]:
    """Where each element of a block stands in the array, and whether it is inside of the view."""
    assert type.shape is not None
    place, inside = np.zeros(type.shape, np.int64), np.ones(type.shape, bool)
    for dim, extent in enumerate(type.shape):
        along = [1] * len(type.shape)
        along[dim] = extent
        at = (np.arange(extent) + starts[dim]).reshape(along)
        inside &= (at >= 0) & (at < view.extents[dim])
        place += at * view.strides[dim]
    return np.where(inside, place, 0), inside


class _Evaluator:
    def __init__(
        self, images: dict[Memory, Tile], block: int, blocks: int, sizes: dict[Memory, Array]
    ) -> None:
        self.images = images
        # Of arrays that floats are added to: by each element, how large sums of it can be.
        self.sizes = sizes
        self.block, self.blocks = block, blocks
        self.values: dict[Value, Tile] = {}

    def run(self, body: Body) -> list[Tile]:
        for node in body.nodes:
            operands = [self.values[v] for v in node.operands]
            results = self.node(node, operands)
            self.values.update(zip(node.results, results, strict=True))
        return [self.values[v] for v in body.yields]

    def node(self, node: Node, operands: list[Tile]) -> list[Tile]:
        method = getattr(self, "_" + node.op.split(".")[1], None)
        if method is not None:
            made: list[Tile] = method(node, *operands)
            return made
        return [elementwise(node, operands)]

    # --- Tiles out of nothing, and their shapes ---

    def _constant(self, node: Node) -> list[Tile]:
        bits = np.full(node.results[0].type.shape or (), node.attributes["bits"], np.uint64)
        return [Tile.exact(bits)]

    def _program_id(self, node: Node) -> list[Tile]:
        return [Tile.exact(np.array(self.block, np.uint64))]

    def _num_programs(self, node: Node) -> list[Tile]:
        return [Tile.exact(np.array(self.blocks, np.uint64))]

    def _iota(self, node: Node) -> list[Tile]:
        type = node.results[0].type
        numbers = np.arange(type.count, dtype=np.uint64) + np.uint64(node.attributes["start"])
        return [Tile.exact(type.element.wrap(numbers))]

    def _splat(self, node: Node, source: Tile) -> list[Tile]:
        shape = node.results[0].type.shape or ()
        return [source.map(lambda x: np.broadcast_to(x, shape))]

    def _reshape(self, node: Node, source: Tile) -> list[Tile]:
        shape = node.results[0].type.shape or ()
        return [source.map(lambda x: x.reshape(shape))]

    _expand_dims = _reshape
    _broadcast = _splat

    def _trans(self, node: Node, source: Tile) -> list[Tile]:
        return [source.map(lambda x: x.transpose(node.attributes["permutation"]))]

    # --- Memory ---

    def _load_view(self, node: Node, *operands: Tile) -> list[Tile]:
        rest = list(operands)
        view: View = node.attributes["view"]
        other = rest.pop(0).bits if node.attributes["else"] else np.uint64(0)
        starts = [view.start[0] + view.step * self.block, *view.start[1:]]
        if rest:
            starts[node.attributes["along"]] += int(INDEX.signed(rest[0].bits))
        place, inside = _place(view, node.results[0].type, starts)
        found = self.images[view.memory].map(lambda x: x[place])
        return [
            Tile(
                np.where(inside, found.bits, other),
                found.known | ~inside,
                np.where(inside, found.ulps, 0),
                found.reference,
            )
        ]

    def _store_view(self, node: Node, value: Tile) -> list[Tile]:
        view: View = node.attributes["view"]
        starts = [view.start[0] + view.step * self.block, *view.start[1:]]
        place, inside = _place(view, node.operands[0].type, starts)
        self.write(view.memory, place, inside, np.ones(inside.shape, bool), value)
        return []

    def write(self, memory: Memory, place: Array, where: Array, sure: Array, value: Tile) -> None:
        """Writes elements; those of which it is not sure that they are written become unknown."""
        for image, part in zip(self.images[memory].fields(), value.fields(), strict=True):
            image[place[where]] = part[where]
        self.images[memory].known[place[~sure]] = False
        self.images[memory].ulps[place[~sure]] = 0

    def _offsets(self, node: Node, offsets: Value) -> Array:
        element = offsets.type.element
        assert isinstance(element, Integer)
        start = node.attributes["bias"] + node.attributes.get("step", 0) * self.block
        found: Array = element.signed(self.values[offsets].bits) + start
        return found

    def _load(self, node: Node, offsets: Tile, *rest: Tile) -> list[Tile]:
        place = self._offsets(node, node.operands[0])
        mask = rest[0] if rest else Tile.exact(np.ones(place.shape, np.uint64))
        where = mask.bits != 0
        image = self.images[node.attributes["memory"]]
        inside = (place >= 0) & (place < image.bits.size)
        if np.any(where & ~inside & offsets.known & mask.known):
            raise NoProgramError
        place = np.where(where & inside, place, 0)
        other = rest[1] if len(rest) > 1 else Tile.exact(np.zeros(place.shape, np.uint64))
        bits = np.where(where, image.bits[place], other.bits)
        known = np.where(where, image.known[place] & offsets.known, other.known) & mask.known
        return [Tile.exact(bits, known)]

    def _store(self, node: Node, value: Tile, offsets: Tile, *mask: Tile) -> list[Tile]:
        place = self._offsets(node, node.operands[1])
        where = mask[0].bits != 0 if mask else np.ones(place.shape, bool)
        image = self.images[node.attributes["memory"]]
        if np.any(where & ((place < 0) | (place >= image.bits.size))):
            raise NoProgramError
        sure = mask[0].known if mask else np.ones(place.shape, bool)
        self.write(node.attributes["memory"], place, where, sure, value)
        return []

    def _atomic_rmw(self, node: Node, offsets: Tile, *operands: Tile) -> list[Tile]:
        """One element after the other; nothing may hang on their order."""
        count = 2 if node.op == "tile.atomic_cas" else 1
        place = self._offsets(node, node.operands[0]).ravel()
        mask = operands[count] if len(operands) > count else None
        where = np.ones(place.shape, bool) if mask is None else mask.bits.ravel() != 0
        memory: Memory = node.attributes["memory"]
        image = self.images[memory]
        if np.any(where & ((place < 0) | (place >= image.bits.size))):
            raise NoProgramError
        parts = [offsets, *operands]
        known = np.logical_and.reduce([tile.known.ravel() for tile in parts])
        if not offsets.known.all():
            image.known[:] = False
        if mask is not None:
            image.known[place[~mask.known.ravel()]] = False
        bits = [tile.bits.ravel() for tile in operands[:count]]
        old = np.zeros(place.shape, np.uint64)
        alone = np.bincount(place[where], minlength=image.bits.size)[place * where] == 1
        for at in _turns(place, np.flatnonzero(where)):
            old[at] = image.bits[place[at]]
            known[at] &= image.known[place[at]]
            image.bits[place[at]] = self._changed(node, old[at], *(x[at] for x in bits))
            image.known[place[at]] &= known[at]
        self._bound_sums(node, memory, place[where], bits[0][where])
        own = self.blocks == 1 or node.attributes["step"] > 0
        known &= ~where | (alone & own)
        shape = node.results[0].type.shape or ()
        return [Tile.exact(old.reshape(shape), known.reshape(shape))]

    _atomic_cas = _atomic_rmw

    def _changed(self, node: Node, old: Array, *operands: Array) -> Array:
        """What stands in memory then."""
        kind, element = node.attributes["kind"], node.results[0].type.element
        if kind == "xchg":
            return operands[0]
        if kind == "cas":
            return np.where(old == operands[0], operands[1], old)
        of_integers, of_floats = arithmetic.ATOMICS[kind]
        if isinstance(element, Float):
            assert of_floats is not None
            return np.asarray(arithmetic.FLOAT_BINARY[of_floats](element, old, operands[0]))
        assert isinstance(element, Integer)
        return np.asarray(arithmetic.INTEGER_BINARY[of_integers](element, old, operands[0]))

    def _bound_sums(self, node: Node, memory: Memory, place: Array, bits: Array) -> None:
        """Sums of floats are known while no order of them rounds."""
        element = memory.element
        if node.attributes["kind"] != "add" or not isinstance(element, Float):
            return
        sizes = self.sizes.setdefault(memory, np.abs(element.decode(memory.bits)))
        numbers = element.decode(bits)
        np.add.at(sizes, place, np.where(_whole(numbers), np.abs(numbers), np.inf))
        self.images[memory].known &= sizes <= 2.0**element.precision

    # --- Regions ---

    def _may_have_run(self, node: Node) -> None:
        """What regions change of memory is no longer known."""
        for inner in (inner for body in node.bodies for inner in body.walk() if inner.writes):
            self.images[inner.attributes["memory"]].known[:] = False

    def _for(self, node: Node, low: Tile, high: Tile, step: Tile, *carried: Tile) -> list[Tile]:
        body = node.bodies[0]
        now = list(carried)
        bounds = (int(INDEX.signed(tile.bits)) for tile in (low, high, step))
        for counter in range(*bounds):
            number = np.array(counter & (1 << 64) - 1, np.uint64)
            arguments = [Tile.exact(number), *now]
            self.values.update(zip(body.arguments, arguments, strict=True))
            now = self.run(body)
        return now

    def _while(self, node: Node, *carried: Tile) -> list[Tile]:
        before, after = node.bodies
        now = list(carried)
        for _ in range(MOST_TRIPS):
            self.values.update(zip(before.arguments, now, strict=True))
            condition, *passed = self.run(before)
            if not condition.known:
                self._may_have_run(node)
                return [tile.unknown() for tile in passed]
            if not condition.bits:
                return passed
            self.values.update(zip(after.arguments, passed, strict=True))
            now = self.run(after)
        raise NoProgramError

    def _if(self, node: Node, condition: Tile) -> list[Tile]:
        results = self.run(node.bodies[0 if condition.bits else 1])
        if not condition.known:
            self._may_have_run(node)
        return results if condition.known else [tile.unknown() for tile in results]

    def _reduce(self, node: Node, *sources: Tile) -> list[Tile]:
        axis, body = node.attributes["axis"], node.bodies[0]
        tiles = [source.map(lambda x: np.moveaxis(x, axis, 0)) for source in sources]
        known = [_order_is_free(body, node.operands, tiles, at) for at in range(len(tiles))]
        while tiles[0].bits.shape[0] > 1:
            half = tiles[0].bits.shape[0] // 2
            parts = [t.map(lambda x: x[:half]) for t in tiles]  # noqa: B023
            parts += [t.map(lambda x: x[half:]) for t in tiles]  # noqa: B023
            self.values.update(zip(body.arguments, parts, strict=True))
            tiles = self.run(body)
        results = [tile.map(lambda x: x[0]) for tile in tiles]
        return [
            Tile.exact(tile.bits, tile.known & sure)
            for tile, sure in zip(results, known, strict=True)
        ]

    def _scan(self, node: Node, *sources: Tile) -> list[Tile]:
        """Each element with the one before it, then with the one two before, and so on."""
        axis, body = node.attributes["axis"], node.bodies[0]
        along = slice(None, None, -1 if node.attributes["reverse"] else 1)
        tiles = [source.map(lambda x: np.moveaxis(x, axis, 0)[along]) for source in sources]
        known = [_order_is_free(body, node.operands, tiles, at) for at in range(len(tiles))]
        far = 1
        while far < tiles[0].bits.shape[0]:
            parts = [t.map(lambda x: x[:-far]) for t in tiles]  # noqa: B023
            parts += [t.map(lambda x: x[far:]) for t in tiles]  # noqa: B023
            self.values.update(zip(body.arguments, parts, strict=True))
            tiles = [
                Tile.exact(
                    np.concatenate([tile.bits[:far], behind.bits]),
                    np.concatenate([tile.known[:far], behind.known]),
                )
                for tile, behind in zip(tiles, self.run(body), strict=True)
            ]
            far *= 2
        return [
            Tile.exact(tile.bits, tile.known & sure).map(lambda x: np.moveaxis(x[along], 0, axis))
            for tile, sure in zip(tiles, known, strict=True)
        ]

    # --- Products ---

    def _dot(self, node: Node, a: Tile, b: Tile, c: Tile) -> list[Tile]:
        element, result = node.operands[0].type.element, node.results[0].type.element
        known = a.known.all(1, keepdims=True) & b.known.all(0, keepdims=True) & c.known
        if isinstance(element, Integer):
            x, y = element.signed(a.bits), element.signed(b.bits)
            return [Tile.exact(I32.wrap((x @ y).view(np.uint64) + c.bits), known)]
        assert isinstance(element, Float)
        assert isinstance(result, Float)
        x, y, z = element.decode(a.bits), element.decode(b.bits), result.decode(c.bits)
        total = x @ y + z
        # Where all parts are integers and small, the sum has no rounding in any order.
        size = np.abs(x) @ np.abs(y) + np.abs(z)
        whole = _whole(x).all(1, keepdims=True) & _whole(y).all(0, keepdims=True) & _whole(z)
        small = size < 2.0 ** min(result.precision, 24)
        # The sign of a sum that is zero depends on how units take zeros.
        return [Tile.exact(result.encode(total), known & whole & small & (total != 0))]


class NoProgramError(Exception):
    """The program is none: it reads or writes where there is nothing, or never ends."""


def _turns(place: Array, left: Array) -> list[Array]:
    """Numbers of accesses in groups, in each of which all go to different places."""
    left = left[np.argsort(place[left], kind="stable")]
    first = np.searchsorted(place[left], place[left])
    turn = np.arange(left.size) - first
    left = left[np.argsort(turn, kind="stable")]
    return np.split(left, np.cumsum(np.bincount(turn))[:-1]) if left.size else []


def _whole(x: Array) -> Array:
    return np.isfinite(x) & (x == np.trunc(x))


def _order_is_free(body: Body, sources: list[Value], tiles: list[Tile], at: int) -> Array:
    """Whether a reduction gives the same in each order: sums of floats, where all are exact."""
    element = sources[at].type.element
    sums = any(node.op == "arith.addf" and body.yields[at] in node.results for node in body.nodes)
    if not isinstance(element, Float) or not sums:
        return np.ones(tiles[at].bits.shape[1:], bool)
    numbers = element.decode(tiles[at].bits)
    exact: Array = _whole(numbers).all(0) & (np.abs(numbers).sum(0) <= 2.0**element.precision)
    return exact


def elementwise(node: Node, operands: list[Tile]) -> Tile:
    """An op on each element alone."""
    bits = [tile.bits for tile in operands]
    known = np.logical_and.reduce(np.broadcast_arrays(*(tile.known for tile in operands)))
    source, target = node.operands[0].type.element, node.results[0].type.element
    if node.op == "arith.select":
        condition = bits[0] != 0
        chosen = np.where(condition, operands[1].known, operands[2].known)
        return Tile.exact(np.where(condition, bits[1], bits[2]), chosen & operands[0].known)
    if node.op in FUNCTIONS:
        return _bounded(node.op, target, bits, known)
    if node.op == "arith.bitcast" and isinstance(source, Float):
        known = known & ~source.is_nan(bits[0])
    if node.op == "math.copysign" and isinstance(source, Float):
        known = known & ~source.is_nan(bits[1])
    return Tile.exact(_compute(node, source, target, bits), known)


def _compute(node: Node, source: Element, target: Element, bits: list[Array]) -> Array:
    op = node.op
    if op in arithmetic.CASTS:
        return arithmetic.CASTS[op](source, target, *bits)
    if isinstance(source, Float):
        if op == "arith.cmpf":
            holds = arithmetic.FLOAT_COMPARE[node.attributes["predicate"]](source, *bits)
            return np.asarray(holds).astype(np.uint64)
        if op in arithmetic.FLOAT_TESTS:
            return np.asarray(arithmetic.FLOAT_TESTS[op](source, *bits)).astype(np.uint64)
        if op == "math.fma":
            return arithmetic.fma(source, *bits)
        table = arithmetic.FLOAT_BINARY if len(bits) == 2 else arithmetic.FLOAT_UNARY
        return np.asarray(table[op](source, *bits))
    if op == "arith.cmpi":
        assert isinstance(source, Integer)
        holds = arithmetic.INTEGER_COMPARE[node.attributes["predicate"]](source, *bits)
        return np.asarray(holds).astype(np.uint64)
    integers = arithmetic.INTEGER_BINARY if len(bits) == 2 else arithmetic.INTEGER_UNARY
    assert isinstance(source, Integer)
    return np.asarray(integers[op](source, *bits))


def _bounded(op: str, element: Element, bits: list[Array], known: Array) -> Tile:
    assert isinstance(element, Float)
    reference = np.asarray(FUNCTIONS[op].compute(*(element.decode(x) for x in bits)))
    ulps = np.where(known, bound_of(op, element), 0.0)
    return Tile(element.encode(reference), np.zeros(known.shape, bool), ulps, reference)
