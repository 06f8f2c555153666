#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random kernels on tiles of three to five dimensions in the simulator.

    ranks.py --random 30 --seed 1

A tile X comes by a view or by pointers with a mask; a line V, of one of its
dimensions, gets the others by expand_dims and broadcast. Their sum is permuted,
doubled under other extents, and its sum along a dimension is taken from it. What
comes out is stored by a view or by pointers.
"""

import collections
import math
import sys

from kernel_checks import TARGETS, run_random

# `order`: of the permutation; `flat`: the extents in between; `by_view`: of load and store.
Case = collections.namedtuple(
    "Case", "element tile extents line order flat axis by_view warps target"
)


def tile_type(extents, element):
    return f"tensor<{'x'.join(map(str, extents))}x{element}>"


class Builder:
    """Lines of a kernel, each of which may make a value with a new name."""

    def __init__(self):
        self.lines = []

    def make(self, text):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def spread(self, line, element, extents, dim):
        """A line of one dimension over all of a tile, by the others of extent 1."""
        shape = [extents[dim]]
        for axis in range(len(extents)):
            if axis == dim:
                continue
            before = tile_type(shape, element)
            shape.insert(axis, 1)
            line = self.make(
                f"tile.expand_dims {line} {{axis = {axis} : i32}} : "
                f"{before} -> {tile_type(shape, element)}"
            )
        whole = tile_type(extents, element)
        return self.make(f"tile.broadcast {line} : {tile_type(shape, element)} -> {whole}")

    def strides(self, sizes):
        strides = ["%one"]
        for size in sizes[:0:-1]:
            strides.insert(0, self.make(f"arith.muli {strides[0]}, {size} : index"))
        return strides

    def pointers(self, base, element, extents, sizes):
        """Pointers to all elements of a dense array, and where they are in it."""
        offsets, inside = None, None
        index, mask = tile_type(extents, "index"), tile_type(extents, "i1")
        for dim, (size, stride) in enumerate(zip(sizes, self.strides(sizes), strict=True)):
            line = self.make(f"tile.iota 0 : tensor<{extents[dim]}xindex>")
            at = self.spread(line, "index", extents, dim)
            bound = self.make(f"tile.splat {size} : index -> {index}")
            below = self.make(f"arith.cmpi slt, {at}, {bound} : {index}")
            step = self.make(f"tile.splat {stride} : index -> {index}")
            offset = self.make(f"arith.muli {at}, {step} : {index}")
            if offsets:
                offsets = self.make(f"arith.addi {offsets}, {offset} : {index}")
                inside = self.make(f"arith.andi {inside}, {below} : {mask}")
            else:
                offsets, inside = offset, below
        pointer = tile_type(extents, f"!tile.ptr<{element}>")
        bases = self.make(f"tile.splat {base} : !tile.ptr<{element}> -> {pointer}")
        result = self.make(f"tile.addptr {bases}, {offsets} : {pointer}, {index}")
        return result, inside, pointer

    def view(self, base, element, sizes):
        """A view of a dense array, and its type."""
        strides = ", ".join([*self.strides(sizes)[:-1], "1"])
        static = ", ".join(["?"] * (len(sizes) - 1) + ["1"])
        view_type = f"!tile.view<{'?x' * len(sizes)}{element}, [{static}]>"
        view = self.make(
            f"tile.view {base}, shape [{', '.join(sizes)}], strides [{strides}] : "
            f"!tile.ptr<{element}> -> {view_type}"
        )
        return view, view_type

    def load(self, base, element, extents, sizes, by_view):
        if by_view:
            view, view_type = self.view(base, element, sizes)
            at = ", ".join(["%zero"] * len(sizes))
            whole = tile_type(extents, element)
            return self.make(f"tile.load_view {view}[{at}] : {view_type} -> {whole}")
        pointers, inside, pointer = self.pointers(base, element, extents, sizes)
        return self.make(f"tile.load {pointers} mask {inside} : {pointer}")

    def store(self, value, base, element, extents, sizes, by_view):
        if by_view:
            view, view_type = self.view(base, element, sizes)
            at = ", ".join(["%zero"] * len(sizes))
            whole = tile_type(extents, element)
            self.lines.append(f"tile.store_view {value}, {view}[{at}] : {whole}, {view_type}")
        else:
            pointers, inside, pointer = self.pointers(base, element, extents, sizes)
            self.lines.append(f"tile.store {pointers}, {value} mask {inside} : {pointer}")


def make_kernel(case):
    element, tile, rank = case.element, case.tile, len(case.tile)
    sizes = [f"%N{dim}" for dim in range(rank)]
    turned = [tile[dim] for dim in case.order]
    whole, other = tile_type(turned, element), tile_type(case.flat, element)
    build = Builder()
    x = build.load("%X", element, tile, sizes, case.by_view[0])
    line = build.load("%V", element, [tile[case.line]], [sizes[case.line]], by_view=True)
    v = build.spread(line, element, tile, case.line)
    s = build.make(f"arith.addi {x}, {v} : {tile_type(tile, element)}")
    t = build.make(
        f"tile.trans {s} [{', '.join(map(str, case.order))}] : "
        f"{tile_type(tile, element)} -> {whole}"
    )
    f = build.make(f"tile.reshape {t} : {whole} -> {other}")
    f = build.make(f"arith.addi {f}, {f} : {other}")
    t = build.make(f"tile.reshape {f} : {other} -> {whole}")
    kept = turned[: case.axis] + turned[case.axis + 1 :]
    r = build.make(
        f"tile.reduce {t} axis {case.axis} : {whole} -> {tile_type(kept, element)} {{\n"
        f"  ^bb0(%a: {element}, %b: {element}):\n"
        f"    %c = arith.addi %a, %b : {element}\n    tile.yield %c : {element}\n  }}"
    )
    column = tile_type([*turned[: case.axis], 1, *turned[case.axis + 1 :]], element)
    r = build.make(
        f"tile.expand_dims {r} {{axis = {case.axis} : i32}} : "
        f"{tile_type(kept, element)} -> {column}"
    )
    r = build.make(f"tile.broadcast {r} : {column} -> {whole}")
    d = build.make(f"arith.subi {t}, {r} : {whole}")
    build.store(d, "%Y", element, turned, [sizes[dim] for dim in case.order], case.by_view[1])

    def term(names):
        return f"2 * (X[{', '.join(names)}] + V[{names[case.line]}])"

    own = [f"i{dim}" for dim in range(rank)]
    reduced = case.order[case.axis]
    summed = [f"r{dim}" if dim == reduced else name for dim, name in enumerate(own)]
    left = ", ".join(own[dim] for dim in case.order)
    reference = f"{term(own)} - sum(r{reduced}, {term(summed)})"
    if reduced != case.line:
        # Where X ends the line goes on.
        reference += f" - 2 * ({tile[reduced]} - N{reduced}) * V[{own[case.line]}]"
    extents = ", ".join(f"N{dim}" for dim in range(rank))
    y_extents = ", ".join(f"N{dim}" for dim in case.order)
    arguments = ", ".join(f"{size}: index" for size in sizes)
    body = "\n  ".join(build.lines)
    return f"""
tile.kernel @ranks(%X: !tile.ptr<{element}>, %V: !tile.ptr<{element}>, %Y: !tile.ptr<{element}>,
                   {arguments})
    shapes ["X[{extents}]", "V[N{case.line}]", "Y[{y_extents}]"] grid ["1"]
    reference ["Y[{left}] = {reference}"]
    attributes {{num_warps = {case.warps} : i32}} {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  {body}
  tile.return
}}
"""


def draw_extents(rng, elements, rank):
    """Powers of two with this product."""
    bits = [0] * rank
    for _ in range(elements.bit_length() - 1):
        bits[rng.randrange(rank)] += 1
    return [2**count for count in bits]


def draw_case(rng):
    warps = 2 ** rng.randrange(5)
    rank = rng.choice([3, 3, 4, 4, 5])
    tile = draw_extents(rng, 2 ** rng.randrange(4, 12), rank)
    return Case(
        element=rng.choice(["i8", "i16", "i32", "i64"]),
        tile=tile,
        extents=[rng.choice([extent, rng.randint(1, extent)]) for extent in tile],
        line=rng.randrange(rank),
        order=rng.sample(range(rank), rank),
        flat=draw_extents(rng, math.prod(tile), rng.randint(1, 5)),
        axis=rng.randrange(rank),
        by_view=(rng.random() < 0.5, rng.random() < 0.5),
        warps=warps,
        target=rng.choice(TARGETS),
    )


if __name__ == "__main__":
    sys.exit(run_random(__doc__, draw_case, make_kernel, "kernels"))
