#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes matrix products, and runs them in the simulator against their reference.

    gemm.py --print f16 --layout=nt --tile=64x64x32 --warps=4 --stages=3
    gemm.py --random 50 --seed 1 --bin build/bin

The first prints one kernel, the second runs random ones: sizes (0, 1, primes
and others), types, layouts of A and B (n: as in the formula, t: transposed, c: as
in the formula, but by columns), one product or several, tiles, warps, stages,
shared layouts, targets, with wgmma and without.
"""

import argparse
import collections
import os
import pathlib
import sys

KERNEL = """
tile.kernel @gemm(%A: !tile.ptr<{a}>, %B: !tile.ptr<{b}>, %C: !tile.ptr<{c}>,
                  {scalars})
    shapes ["A[{shape_a}]", "B[{shape_b}]", "C[{shape_c}]"]
    grid [{grid}]
    reference ["C[{element_c}] = sum(k, {product})"]
    attributes {{num_warps = {warps} : i32, num_stages = {stages} : i32}} {{
  %c0 = arith.constant 0 : index
  %bm = arith.constant {bm} : index
  %bn = arith.constant {bn} : index
  %bk = arith.constant {bk} : index
  %zero = arith.constant dense<{zero}> : {tile_c}
  %i = tile.program_id 1
  %j = tile.program_id 0
  %m = arith.muli %i, %bm : index
  %n = arith.muli %j, %bn : index
{plane}{views}
  %sum = scf.for %k = %c0 to %K step %bk iter_args(%acc = %zero) -> {tile_c} {{
{loads}
    %next = tile.dot %a, %b, %acc{mark}
        : {tile_a}, {tile_b}, {tile_c}
    scf.yield %next : {tile_c}
  }}
  tile.store_view %sum, %vc[{place_c}] : {tile_c}, {view_c}
  tile.return
}}
"""

# Of A and B; the accumulator's follows. Those with wide ways of their own come up more often.
TYPES = ["f16", "f16", "bf16", "f32", "f32", "tf32", "tf32", "f64", "f64", "i8"]
TYPES += ["f8E4M3FN", "f8E5M2"]

# sm_90a has more engines than the others.
TARGETS = ["sm_80", "sm_86", "sm_89", "sm_90a", "sm_90a", "sm_90a", "sm_100a", "sm_120a"]

# `batch`: how many products there are, and how many of them a program makes; none: one.
Case = collections.namedtuple(
    "Case",
    "type layout tile warps stages sizes shared target specials options engine imprecise right"
    " batch",
    defaults=[None, None, None, None],
)


def has_float8(target):
    """From sm_89 on there is mma.sync of 8-bit floats."""
    return int("".join(filter(str.isdigit, target))) >= 89


# A dimension of a matrix: its size, its index, and how much of it a tile has.
Dimension = collections.namedtuple("Dimension", "size index extent")


class Operand:
    """How A, B or C is viewed, and accessed tile by tile. `plane`: which of several it is."""

    def __init__(self, name, element, rows, columns, plane=None, layout="n"):
        self.name = name
        self.element = element
        self.layout = layout
        self.formula = [*([plane] if plane else []), rows, columns]
        by_rows = [*self.formula[:-2], columns, rows]
        # As the matrix lies in memory, and as it is viewed.
        self.stored = self.formula if layout == "n" else by_rows
        self.viewed = by_rows if layout == "t" else self.formula

    def get_tile(self, dimensions):
        extents = "".join(f"{dimension.extent}x" for dimension in dimensions)
        return f"tensor<{extents}{self.element}>"

    @property
    def tile(self):
        return self.get_tile(self.formula)

    @property
    def view(self):
        strides = ["?"] * len(self.viewed)
        strides[self.viewed.index(self.stored[-1])] = "1"
        return f"!tile.view<{'?x' * len(strides)}{self.element}, [{', '.join(strides)}]>"

    @property
    def place(self):
        return ", ".join(f"%{dimension.index}" for dimension in self.viewed)

    @property
    def shape(self):
        return ", ".join(dimension.size for dimension in self.stored)

    @property
    def formula_element(self):
        indices = ", ".join(dimension.index for dimension in self.stored)
        return f"{self.name.upper()}[{indices}]"

    def make_view(self):
        *_, line, last = self.stored
        strides = {last: "1", line: f"%{last.size}"}
        lines = []
        for plane in self.stored[:-2]:
            strides[plane] = f"%plane_{self.name}"
            lines += [f"  {strides[plane]} = arith.muli %{line.size}, %{last.size} : index"]
        sizes = ", ".join(f"%{dimension.size}" for dimension in self.viewed)
        steps = ", ".join(strides[dimension] for dimension in self.viewed)
        pointer = self.name.upper()
        return [
            *lines,
            f"  %v{self.name} = tile.view %{pointer}, shape [{sizes}], strides [{steps}]"
            f" : !tile.ptr<{self.element}> -> {self.view}",
        ]

    def make_load(self):
        """As its tile of rows x columns."""
        access = f"tile.load_view %v{self.name}[{self.place}] : {self.view}"
        if self.layout != "t":
            return [f"    %{self.name} = {access} -> {self.tile}"]
        loaded = self.get_tile(self.viewed)
        turned = "[0, 2, 1]" if len(self.viewed) == 3 else "[1, 0]"
        return [
            f"    %r{self.name} = {access} -> {loaded}",
            f"    %{self.name} = tile.trans %r{self.name} {turned} : {loaded} -> {self.tile}",
        ]


def make_mark(case):
    """What stands behind the operands."""
    words = [" tf32"] if case.type == "tf32" else []
    words += [f" imprecise {case.imprecise}"] if case.imprecise else []
    words += [f" by {case.engine}"] if case.engine else []
    return "".join(words)


def make_kernel(case):
    a = case.type
    is_tf32 = a == "tf32"
    a = "f32" if is_tf32 else a
    b = case.right or a
    c = {"i8": "i32", "f64": "f64"}.get(a, "f32")
    m, n, k = (
        Dimension(size, size.lower(), extent) for size, extent in zip("MNK", case.tile, strict=True)
    )
    plane = Dimension("Z", "z", case.batch[1]) if case.batch else None
    of_a = Operand("a", a, m, k, plane, case.layout[0])
    of_b = Operand("b", b, k, n, plane, case.layout[1])
    of_c = Operand("c", c, m, n, plane)
    factors = [operand.formula_element for operand in (of_a, of_b)]
    if is_tf32:
        factors = [f"tf32({factor})" for factor in factors]
    product = " * ".join(factors)
    if a == "i8":
        product = f"i32({product})"
    return KERNEL.format(
        a=a, b=b, c=c, bm=m.extent, bn=n.extent, bk=k.extent,
        scalars=", ".join(f"%{size}: index" for size in ("MNKZ" if plane else "MNK")),
        shape_a=of_a.shape, shape_b=of_b.shape, shape_c=of_c.shape,
        grid=", ".join(f'"ceildiv({d.size}, {d.extent})"' for d in (n, m, plane) if d),
        element_c=of_c.formula_element[2:-1], product=product,
        warps=case.warps, stages=case.stages, mark=make_mark(case),
        zero="0" if a == "i8" else "0.0", plane=make_plane(plane),
        views="\n".join(line for each in (of_a, of_b, of_c) for line in each.make_view()),
        loads="\n".join(of_a.make_load() + of_b.make_load()),
        tile_a=of_a.tile, tile_b=of_b.tile, tile_c=of_c.tile,
        place_c=of_c.place, view_c=of_c.view,
    )  # fmt: skip


def make_plane(plane):
    """Where a program begins, of several matrices."""
    if not plane:
        return ""
    return (
        f"  %bz = arith.constant {plane.extent} : index\n"
        "  %first = tile.program_id 2\n"
        "  %z = arith.muli %first, %bz : index\n"
    )


def draw_size(rng, tile, most):
    """An extent: often an odd one, sometimes one that allows wide vectors."""
    odd = [0, 1, 7, 13, 31, tile, tile + 1, rng.randrange(1, most)]
    return rng.choice([*odd, 8 * rng.randrange(most // 8), 2 * tile + 8])


def draw_case(rng, types=TYPES, most=100, targets=TARGETS):
    """A random case of these types and targets; extents up to `most`, or some two tiles."""
    element = rng.choice(types)
    byte_size = {"f16": 2, "bf16": 2, "f32": 4, "tf32": 4, "f64": 8}.get(element, 1)
    while True:
        tile = (
            rng.choice([16, 32, 64, 128]),
            rng.choice([8, 16, 32, 64, 128, 256]),
            rng.choice([16, 32, 64]),
        )
        stages = rng.choice([1, 2, 2, 3, 3, 4, 5, 8])
        warps = rng.choice([1, 2, 4, 4, 8, 16])
        # Shared memory holds the stages; the result goes through it in pieces.
        copies = (tile[0] + tile[1]) * tile[2] * byte_size * stages
        results = tile[0] * tile[1] * max(4, byte_size)
        room = min(80 * 1024 / copies, 4 * 128 * 32 * warps / results)
        if room >= 1:
            break
    sizes = tuple(draw_size(rng, extent, most) for extent in tile)
    imprecise = right = None
    if element.startswith("f8"):
        imprecise = rng.choice([None, 32, 64, 1 << 30, 1 << 30])
        right = rng.choice([None, None, "f8E4M3FN", "f8E5M2"])
        targets = [target for target in targets if has_float8(target)]
    return Case(
        type=element,
        layout=rng.choice("nntc") + rng.choice("nntc"),
        tile=tile,
        warps=warps,
        stages=stages,
        sizes=sizes,
        shared=rng.choice(["auto", "auto", "auto", "none", "pad", "swizzle"]),
        target=rng.choice(targets),
        specials=element != "i8" and rng.random() < 0.25,
        options=("--warpgroup-dots=false",) if rng.random() < 0.2 else (),
        imprecise=imprecise,
        right=right,
        batch=rng.choice([None, None, None, (1, 1), (3, 1), (3, 2 if room >= 2 else 1)]),
    )


def make_arguments(case):
    several = f" Z={case.batch[0]}" if case.batch else ""
    return "M={} N={} K={}".format(*case.sizes) + several


def run_case(tool, case):
    """None, or what went wrong."""
    import subprocess

    command = [tool, "-", "--device=sim", "--check", f"--target={case.target}",
               f"--shared-layout={case.shared}", *case.options,
               "--args", make_arguments(case)]  # fmt: skip
    if case.specials:
        command.append("--specials")
    result = subprocess.run(command, input=make_kernel(case), text=True, capture_output=True)
    if result.returncode == 0 and "correct, checked" in result.stdout:
        return None
    return f"{case}\n{' '.join(map(str, command))}\n{result.stdout[-1500:]}{result.stderr[-1500:]}"


def run_random(options):
    # Most runs of this script print a kernel, in half the time without these.
    import concurrent.futures
    import random

    tool = options.bin / "tile-run" if options.bin else "tile-run"
    cases = [draw_case(random.Random(f"{options.seed}/{n}")) for n in range(options.random)]
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, problem in enumerate(pool.map(lambda case: run_case(tool, case), cases)):
            if problem:
                failures += 1
                print(f"case {number}: {problem}", file=sys.stderr, flush=True)
    print(f"{len(cases)} products, {failures} failures")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--print", metavar="TYPE", help="the type of A and B")
    parser.add_argument("--layout", default="nn", choices=[a + b for a in "ntc" for b in "ntc"])
    parser.add_argument("--tile", default="64x64x32")
    parser.add_argument("--warps", type=int, default=4)
    parser.add_argument("--stages", type=int, default=3)
    parser.add_argument("--engine", help="what makes the products, as written behind `by`")
    parser.add_argument("--imprecise", type=int, help="sums of 8-bit floats that may have few bits")
    parser.add_argument("--right", help="the type of B, where it is another")
    parser.add_argument("--batch", type=int, help="products of a program, of Z in all")
    parser.add_argument("--random", type=int, default=0, help="products to run")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bin", type=pathlib.Path, help="folder of the tools")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if not options.print:
        return run_random(options)
    tile = tuple(map(int, options.tile.split("x")))
    print(make_kernel(Case(options.print, options.layout, tile, options.warps, options.stages,
                           None, None, None, None, (), options.engine, options.imprecise,
                           options.right,
                           options.batch and (None, options.batch))))  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
