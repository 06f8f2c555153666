#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reduces tiles in the simulator and checks the results.

    reduce.py f16,f32 maximumf max --neutral=-inf
    reduce.py f16,bf16 maxnumf maxnum --neutral=-inf --widened
    reduce.py --random 50 --seed 1

The first runs, for each type, kernels that reduce tiles of one to three
dimensions along each of their axes, in few warps and in many. The axis of the
matrix is shorter than that of the tile, and the elements behind its end are the
neutral one. The second runs random ones: types, reductions, tiles, axes, sizes
and warps; half of them subtract what came out from each element again.

    --neutral X   what changes nothing: 0 unless told, or inf, -inf, min, max
    --specials    with NaNs, infinities and denormals
    --widened     made f32 before they are reduced, on each target
"""

import collections
import math
import sys

from kernel_checks import TARGETS, draw_cases, fails, make_parser

# The tile, the axis, the extents of the matrix and the numbers of warps.
CASES = [
    ((1024,), 0, (1000,), (1, 4, 32)),
    ((8,), 0, (1,), (1, 4)),
    ((16, 128), 1, (21, 117), (1, 8)),
    ((128, 16), 0, (117, 21), (1, 8)),
    ((64, 64), 0, (64, 128), (4, 32)),
    ((1, 512), 1, (3, 301), (4, 16)),
    ((4, 32, 8), 1, (5, 27, 11), (2, 16)),
    ((8, 4, 16), 0, (7, 5, 19), (4,)),
    ((2, 8, 32), 2, (3, 9, 31), (4,)),
]

INFINITIES = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F800000, "f64": 0x7FF0000000000000}

QUIET_NANS = {"f16": 0x7E00, "bf16": 0x7FC0, "f32": 0x7FC00000, "f64": 0x7FF8000000000000}

INTEGERS = ["i8", "i16", "i32", "i64"]
HALVES = ["f16", "bf16"]
FLOATS = ["f16", "bf16", "f32", "f64"]

# The op that combines two elements, its name in a reference, its neutral element.
Reduction = collections.namedtuple("Reduction", "combiner reference neutral")

# With types; sums of few bits round too often for a bound to say much.
REDUCTIONS = [
    (Reduction("addi", "sum", "0"), INTEGERS),
    (Reduction("maxsi", "max", "min"), INTEGERS),
    (Reduction("minsi", "min", "max"), INTEGERS),
    (Reduction("addf", "sum", "0"), ["f32", "f64"]),
    (Reduction("maximumf", "max", "-inf"), FLOATS),
    (Reduction("minimumf", "min", "inf"), HALVES),
    # Infinities would change what comes of NaNs alone.
    (Reduction("maxnumf", "maxnum", "nan"), HALVES),
    (Reduction("minnumf", "minnum", "nan"), FLOATS),
]

# `rowwise`: the result is subtracted from what was reduced.
# `widened`: elements are made f32 for the reduction, and what comes out narrow again.
Case = collections.namedtuple(
    "Case", "element reduction tile axis rowwise extents warps specials widened target"
)

KERNEL = """
tile.kernel @reduce(%X: !tile.ptr<{element}>, %Y: !tile.ptr<{element}>, {arguments})
    shapes ["X[{extents}]", "Y[{kept}]"] grid [{grid}]
    reference ["Y[{results}] = {reference}"]
    attributes {{num_warps = {warps} : i32}} {{
  %one = arith.constant 1 : index
  %neutral = arith.constant {neutral} : {element}
  {starts}
  {strides}
  %x = tile.view %X, shape [{x_shape}], strides [{x_strides}] : !tile.ptr<{element}> -> {x_type}
  %t = tile.load_view %x[{x_starts}] else %neutral : {element} : {x_type} -> {tile_type}
  {reduction}
  {store}
  tile.return
}}
"""


def neutral_constant(neutral, element):
    if element.startswith("i"):
        least = -(2 ** (int(element[1:]) - 1))
        return {"min": least, "max": -least - 1}.get(neutral, neutral)
    if neutral in ("inf", "-inf"):
        sign = 1 << (16 if "16" in element else int(element[1:])) - 1
        return hex(INFINITIES[element] | (sign if neutral == "-inf" else 0))
    if neutral == "nan":
        return hex(QUIET_NANS[element])
    return float(neutral)


def make_view(name, dims, element):
    """The ops that compute its strides, and the strides, shape and type of the view."""
    lines, stride, strides = [], "%one", ["1"]
    for dim in dims[:0:-1]:
        lines.append(f"%{name}{dim} = arith.muli {stride}, %N{dim} : index")
        stride = f"%{name}{dim}"
        strides.insert(0, stride)
    shape = ", ".join(f"%N{dim}" for dim in dims)
    static = ", ".join(["?"] * (len(dims) - 1) + ["1"])
    return lines, ", ".join(strides), shape, f"!tile.view<{'?x' * len(dims)}{element}, [{static}]>"


def make_difference(case, result):
    """The ops that subtract a result, of a type, from the tile."""
    tile_type = f"tensor<{'x'.join(map(str, case.tile))}x{case.element}>"
    op = "subi" if case.element in INTEGERS else "subf"
    if len(case.tile) == 1:
        spread = f"%w = tile.splat %r : {result} -> {tile_type}"
    else:
        column = [1 if dim == case.axis else extent for dim, extent in enumerate(case.tile)]
        column_type = f"tensor<{'x'.join(map(str, column))}x{case.element}>"
        spread = (
            f"%g = tile.expand_dims %r {{axis = {case.axis} : i32}} : {result} -> {column_type}\n"
            f"  %w = tile.broadcast %g : {column_type} -> {tile_type}"
        )
    return f"{spread}\n  %d = arith.{op} %t, %w : {tile_type}\n  "


def make_reduction(case, tile_type, result):
    """The ops that reduce the tile, of a type, to a result of one."""
    wide = "f32" if case.widened else case.element

    def widen(type):
        return type.removesuffix(f"{case.element}>") + f"{wide}>" if ">" in type else wide

    lines = [
        f"%q = tile.reduce {'%u' if case.widened else '%t'} axis {case.axis} : "
        f"{widen(tile_type)} -> {widen(result)} {{",
        f"^bb0(%a: {wide}, %b: {wide}):",
        f"  %c = arith.{case.reduction.combiner} %a, %b : {wide}",
        f"  tile.yield %c : {wide}",
        "}",
    ]
    if not case.widened:
        return "\n  ".join(lines).replace("%q", "%r")
    before = f"%u = arith.extf %t : {tile_type} to {widen(tile_type)}"
    after = f"%r = arith.truncf %q : {widen(result)} to {result}"
    return "\n  ".join([before, *lines, after])


def make_kernel(case):
    element, tile, axis = case.element, case.tile, case.axis
    dims = list(range(len(tile)))
    kept = [dim for dim in dims if dim != axis]
    starts = []
    for dim in dims:
        start = f"tile.program_id {kept.index(dim)}" if dim in kept else "arith.constant 0 : index"
        starts += [
            f"%p{dim} = {start}",
            f"%b{dim} = arith.constant {tile[dim]} : index",
            f"%s{dim} = arith.muli %p{dim}, %b{dim} : index",
        ]
    x_lines, x_strides, x_shape, x_type = make_view("x", dims, element)
    tile_type = f"tensor<{'x'.join(map(str, tile))}x{element}>"
    result = f"tensor<{'x'.join(str(tile[dim]) for dim in kept)}x{element}>" if kept else element
    x_starts = ", ".join(f"%s{dim}" for dim in dims)
    if case.rowwise:
        y_lines = []
        store = (
            f"{make_difference(case, result)}"
            f"%y = tile.view %Y, shape [{x_shape}], strides [{x_strides}] : "
            f"!tile.ptr<{element}> -> {x_type}\n"
            f"  tile.store_view %d, %y[{x_starts}] : {tile_type}, {x_type}"
        )
    elif kept:
        y_lines, y_strides, y_shape, y_type = make_view("y", kept, element)
        y_starts = ", ".join(f"%s{dim}" for dim in kept)
        store = (
            f"%y = tile.view %Y, shape [{y_shape}], strides [{y_strides}] : "
            f"!tile.ptr<{element}> -> {y_type}\n"
            f"  tile.store_view %r, %y[{y_starts}] : {result}, {y_type}"
        )
    else:  # One number.
        y_lines = []
        store = (
            f"%y = tile.view %Y, shape [%one], strides [1] : !tile.ptr<{element}> "
            f"-> !tile.view<?x{element}, [1]>\n"
            f"  %v = tile.splat %r : {element} -> tensor<1x{element}>\n"
            f"  tile.store_view %v, %y[%s0] : tensor<1x{element}>, !tile.view<?x{element}, [1]>"
        )
    indices = ", ".join("r" if dim == axis else f"i{dim}" for dim in dims)
    reference = f"{case.reduction.reference}(r, X[{indices}])"
    results, written = kept, kept
    if case.rowwise:
        results, written = dims, dims
        own = ", ".join(f"i{dim}" for dim in dims)
        reference = f"{element}(X[{own}] - {element}({reference}))"
    return KERNEL.format(
        element=element,
        warps=case.warps,
        reduction=make_reduction(case, tile_type, result),
        reference=reference,
        neutral=neutral_constant(case.reduction.neutral, element),
        tile_type=tile_type,
        arguments=", ".join(f"%N{dim}: index" for dim in dims),
        extents=", ".join(f"N{dim}" for dim in dims),
        kept=", ".join(f"N{dim}" for dim in written) or "1",
        grid=", ".join(f'"ceildiv(N{dim}, {tile[dim]})"' for dim in kept) or '"1"',
        results=", ".join(f"i{dim}" for dim in results) or "i",
        starts="\n  ".join(starts),
        strides="\n  ".join(x_lines + y_lines),
        x_shape=x_shape,
        x_strides=x_strides,
        x_type=x_type,
        x_starts=x_starts,
        store=store,
    )


def draw_case(rng, most=1 << 14):
    """A random case with up to so many elements in all tiles."""
    reduction, elements = rng.choice(REDUCTIONS)
    while True:
        tile = tuple(2 ** rng.randrange(11) for _ in range(rng.choice([1, 2, 2, 2, 3])))
        warps = 2 ** rng.randrange(6)
        # Of the program's own, as many as 32 registers of a thread.
        if math.prod(tile) > min(most, 32 * 32 * warps):
            continue
        axis = rng.randrange(len(tile))
        extents = tuple(
            rng.choice([1, extent, rng.randint(1, extent)])
            if dim == axis
            else rng.choice([0, 1, extent, extent + 1, *rng.choices(range(1, 3 * extent + 8), k=4)])
            for dim, extent in enumerate(tile)
        )
        programs = math.prod(-(-size // extent) for size, extent in zip(extents, tile, strict=True))
        if programs * math.prod(tile) <= most:
            break
    element = rng.choice(elements)
    return Case(
        element=element,
        reduction=reduction,
        tile=tile,
        axis=axis,
        rowwise=rng.random() < 0.5,
        extents=extents,
        warps=warps,
        specials=elements is not INTEGERS and reduction.combiner != "addf" and rng.random() < 0.4,
        widened=element in HALVES and rng.random() < 0.5,
        target=rng.choice(TARGETS),
    )


def main():
    parser = make_parser(__doc__)
    parser.add_argument("types", nargs="?", default="")
    parser.add_argument("combiner", nargs="?")
    parser.add_argument("reduction", nargs="?")
    parser.add_argument("--neutral", default="0")
    parser.add_argument("--specials", action="store_true")
    parser.add_argument("--widened", action="store_true")
    options = parser.parse_args()
    cases = draw_cases(draw_case, options)
    reduction = Reduction(options.combiner, options.reduction, options.neutral)
    cases += [
        Case(
            element,
            reduction,
            tile,
            axis,
            False,
            extents,
            warps,
            options.specials,
            options.widened,
            target,
        )
        for element in filter(None, options.types.split(","))
        for tile, axis, extents, numbers_of_warps in CASES
        for warps in numbers_of_warps
        for target in (TARGETS if options.widened else ["sm_90a"])
    ]
    failures = sum(
        fails(case, make_kernel(case), f"--target={case.target}", *(["--specials"] * case.specials))
        for case in cases
    )
    print(f"{len(cases)} reductions, {failures} failures")
    return 1 if failures or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
