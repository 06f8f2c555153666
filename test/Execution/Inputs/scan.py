#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans tiles in the simulator and checks the results.

    scan.py --random 50 --seed 1

Runs random kernels: elements, combinations, tiles of one to four dimensions,
axes, directions, warps, targets, and permutations of the dimensions between the
load and the scan, which give it layouts that no load has. `filter` is a
combination of two tiles that does not commute: y[i] = y[i - 1] / 2 + x[i].
"""

import collections
import math
import sys

from kernel_checks import TARGETS, run_random
from reduce import FLOATS, INTEGERS, make_view, neutral_constant

# What the region does with %a and %b, the term of the reference's sum or maximum, what changes
# nothing, and elements.
Combination = collections.namedtuple("Combination", "name region reference neutral elements")

COMBINATIONS = [
    Combination("sum", "arith.addi %a, %b", "sum({r}, select({before}, {x}, 0))", "0", INTEGERS),
    Combination("sum", "arith.addf %a, %b", "sum({r}, select({before}, {x}, 0))", "0", ["f32"]),
    Combination(
        "max",
        "arith.maxsi %a, %b",
        "max({r}, select({before}, {x}, -9223372036854775807))",
        "min",
        INTEGERS,
    ),
    Combination(
        "min", "arith.minnumf %a, %b", "minnum({r}, select({before}, {x}, inf))", "inf", FLOATS
    ),
    Combination(
        "filter",
        "",
        "sum({r}, select({before}, {x} * exp2(-1.0 * abs({r} - {i})), 0))",
        "0",
        ["f64"],
    ),
]

Case = collections.namedtuple(
    "Case", "combination element tile order axis reverse extents warps target"
)

KERNEL = """
tile.kernel @scan(%X: !tile.ptr<{element}>, %Y: !tile.ptr<{element}>, {arguments})
    shapes ["X[{extents}]", "Y[{extents}]"] grid ["1"]
    reference ["Y[{indices}] = {reference}"]
    attributes {{num_warps = {warps} : i32}} {{
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %neutral = arith.constant {neutral} : {element}
  {strides}
  %x = tile.view %X, shape [{shape}], strides [{x_strides}] : !tile.ptr<{element}> -> {view}
  %y = tile.view %Y, shape [{shape}], strides [{x_strides}] : !tile.ptr<{element}> -> {view}
  %l = tile.load_view %x[{starts}] else %neutral : {element} : {view} -> {tile}
  %t = tile.trans %l [{order}] : {tile} -> {turned}
  {scan}
  %s = tile.trans %r [{back}] : {turned} -> {tile}
  tile.store_view %s, %y[{starts}] : {tile}, {view}
  tile.return
}}
"""

SIMPLE = """%r = tile.scan %t axis {axis}{reverse} : {turned} -> {turned} {{
  ^bb0(%a: {element}, %b: {element}):
    %c = {region} : {element}
    tile.yield %c : {element}
  }}"""

FILTER = """%half = arith.constant dense<0.5> : {turned}
  %d, %r = tile.scan %half, %t axis {axis}{reverse} : {turned}, {turned} -> {turned}, {turned} {{
  ^bb0(%d0: {element}, %a: {element}, %d1: {element}, %b: {element}):
    %d = arith.mulf %d0, %d1 : {element}
    %m = arith.mulf %a, %d1 : {element}
    %c = arith.addf %m, %b : {element}
    tile.yield %d, %c : {element}, {element}
  }}"""


def make_tile(extents, element):
    return f"tensor<{'x'.join(map(str, extents))}x{element}>"


def make_kernel(case):
    dims = list(range(len(case.tile)))
    # The axis of the matrix, and of the tile that is scanned.
    own = [f"i{dim}" for dim in dims]
    summed = ["r" if dim == case.axis else f"i{dim}" for dim in dims]
    reference = case.combination.reference.format(
        r="r",
        i=f"i{case.axis}",
        x=f"X[{', '.join(summed)}]",
        before=f"r {'>=' if case.reverse else '<='} i{case.axis}",
    )
    turned = make_tile([case.tile[dim] for dim in case.order], case.element)
    scan = (FILTER if case.combination.name == "filter" else SIMPLE).format(
        axis=case.order.index(case.axis),
        reverse=" reverse" if case.reverse else "",
        region=case.combination.region,
        element=case.element,
        turned=turned,
    )
    lines, strides, shape, view = make_view("x", dims, case.element)
    return KERNEL.format(
        element=case.element,
        arguments=", ".join(f"%N{dim}: index" for dim in dims),
        extents=", ".join(f"N{dim}" for dim in dims),
        indices=", ".join(own),
        reference=reference,
        warps=case.warps,
        neutral=neutral_constant(case.combination.neutral, case.element),
        strides="\n  ".join(lines),
        shape=shape,
        x_strides=strides,
        view=view,
        starts=", ".join(["%zero"] * len(dims)),
        tile=make_tile(case.tile, case.element),
        order=", ".join(map(str, case.order)),
        back=", ".join(str(case.order.index(dim)) for dim in dims),
        turned=turned,
        scan=scan,
    )


def draw_case(rng, most=1 << 12):
    combination = rng.choice(COMBINATIONS)
    while True:
        tile = tuple(2 ** rng.randrange(11) for _ in range(rng.choice([1, 2, 2, 3, 4])))
        warps = 2 ** rng.randrange(6)
        # As many registers as a scan in one thread makes code for.
        if math.prod(tile) <= min(most, 16 * 32 * warps):
            break
    dims = list(range(len(tile)))
    return Case(
        combination=combination,
        element=rng.choice(combination.elements),
        tile=tile,
        order=rng.sample(dims, len(dims)),
        axis=rng.choice(dims),
        reverse=rng.random() < 0.5,
        extents=tuple(rng.choice([extent, rng.randint(1, extent)]) for extent in tile),
        warps=warps,
        target=rng.choice(TARGETS),
    )


if __name__ == "__main__":
    sys.exit(run_random(__doc__, draw_case, make_kernel, "scans"))
