#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reduces tiles in the simulator and checks the results.

    reduce.py f16,f32 maximumf max --neutral=-inf

runs, for each type, kernels that reduce tiles of one to three dimensions along
each of their axes, in few warps and in many. The axis of the matrix is shorter
than that of the tile, and the elements behind its end are the neutral one.

    --neutral X   what changes nothing: 0 unless told, or inf, -inf, min, max
    --specials    with NaNs, infinities and denormals
"""

import argparse
import subprocess
import sys

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

KERNEL = """
tile.kernel @reduce(%X: !tile.ptr<{element}>, %Y: !tile.ptr<{element}>, {arguments})
    shapes ["X[{extents}]", "Y[{kept}]"] grid [{grid}]
    reference ["Y[{results}] = {reduction}(r, X[{indices}])"] {{
  %one = arith.constant 1 : index
  %neutral = arith.constant {neutral} : {element}
  {starts}
  {strides}
  %x = tile.view %X, shape [{x_shape}], strides [{x_strides}] : !tile.ptr<{element}> -> {x_type}
  %t = tile.load_view %x[{x_starts}] else %neutral : {element} : {x_type} -> {tile_type}
  %r = tile.reduce %t axis {axis} : {tile_type} -> {result} {{
  ^bb0(%a: {element}, %b: {element}):
    %c = arith.{combiner} %a, %b : {element}
    tile.yield %c : {element}
  }}
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


def make_kernel(element, options, tile, axis):
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
    if kept:
        y_lines, y_strides, y_shape, y_type = make_view("y", kept, element)
        result = f"tensor<{'x'.join(str(tile[dim]) for dim in kept)}x{element}>"
        y_starts = ", ".join(f"%s{dim}" for dim in kept)
        store = (
            f"%y = tile.view %Y, shape [{y_shape}], strides [{y_strides}] : "
            f"!tile.ptr<{element}> -> {y_type}\n"
            f"  tile.store_view %r, %y[{y_starts}] : {result}, {y_type}"
        )
    else:  # One number.
        y_lines, result = [], element
        store = (
            f"%y = tile.view %Y, shape [%one], strides [1] : !tile.ptr<{element}> "
            f"-> !tile.view<?x{element}, [1]>\n"
            f"  %v = tile.splat %r : {element} -> tensor<1x{element}>\n"
            f"  tile.store_view %v, %y[%s0] : tensor<1x{element}>, !tile.view<?x{element}, [1]>"
        )
    return KERNEL.format(
        element=element,
        combiner=options.combiner,
        reduction=options.reduction,
        neutral=neutral_constant(options.neutral, element),
        axis=axis,
        tile_type=f"tensor<{'x'.join(map(str, tile))}x{element}>",
        arguments=", ".join(f"%N{dim}: index" for dim in dims),
        extents=", ".join(f"N{dim}" for dim in dims),
        kept=", ".join(f"N{dim}" for dim in kept) or "1",
        grid=", ".join(f'"ceildiv(N{dim}, {tile[dim]})"' for dim in kept) or '"1"',
        results=", ".join(f"i{dim}" for dim in kept) or "i",
        indices=", ".join("r" if dim == axis else f"i{dim}" for dim in dims),
        starts="\n  ".join(starts),
        strides="\n  ".join(x_lines + y_lines),
        x_shape=x_shape,
        x_strides=x_strides,
        x_type=x_type,
        x_starts=", ".join(f"%s{dim}" for dim in dims),
        result=result,
        store=store,
    )


def run(kernel, extents, warps, specials):
    arguments = " ".join(f"N{dim}={extent}" for dim, extent in enumerate(extents))
    command = ["tile-run", "-", "--device=sim", "--check", f"--num-warps={warps}"]
    command += ["--args", arguments] + ["--specials"] * specials
    return subprocess.run(command, input=kernel, text=True, capture_output=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("types")
    parser.add_argument("combiner")
    parser.add_argument("reduction")
    parser.add_argument("--neutral", default="0")
    parser.add_argument("--specials", action="store_true")
    options = parser.parse_args()
    failures = 0
    for element in options.types.split(","):
        for tile, axis, extents, numbers_of_warps in CASES:
            kernel = make_kernel(element, options, tile, axis)
            for warps in numbers_of_warps:
                result = run(kernel, extents, warps, options.specials)
                # Silence of the tool is no success either.
                if result.returncode == 0 and "correct, checked" in result.stdout:
                    continue
                failures += 1
                print(f"{element} {tile} axis {axis}, {warps} warps:", file=sys.stderr)
                print(result.stdout + result.stderr + kernel, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
