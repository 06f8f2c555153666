#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes matrix products, and runs them in the simulator against their reference.

    gemm.py --print f16 --layout=nt --tile=64x64x32 --warps=4 --stages=3
    gemm.py --random 50 --seed 1 --bin build/bin

The first prints one kernel, the second runs random ones: sizes (0, 1, primes
and others), types, layouts of A and B (n: as in the formula, t: transposed),
tiles, warps, stages, shared layouts, targets, with wgmma and without.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys

KERNEL = """
tile.kernel @gemm(%A: !tile.ptr<{a}>, %B: !tile.ptr<{b}>, %C: !tile.ptr<{c}>,
                  %M: index, %N: index, %K: index)
    shapes ["A[{shape_a}]", "B[{shape_b}]", "C[M, N]"]
    grid ["ceildiv(N, {bn})", "ceildiv(M, {bm})"]
    reference ["C[m, n] = sum(k, {product})"]
    attributes {{num_warps = {warps} : i32, num_stages = {stages} : i32}} {{
  %c0 = arith.constant 0 : index
  %bm = arith.constant {bm} : index
  %bn = arith.constant {bn} : index
  %bk = arith.constant {bk} : index
  %zero = arith.constant dense<{zero}> : tensor<{bm}x{bn}x{c}>
  %i = tile.program_id 1
  %j = tile.program_id 0
  %m = arith.muli %i, %bm : index
  %n = arith.muli %j, %bn : index
{views}
  %sum = scf.for %k = %c0 to %K step %bk iter_args(%acc = %zero) -> tensor<{bm}x{bn}x{c}> {{
{loads}
    %next = tile.dot %a, %b, %acc{mark}
        : tensor<{bm}x{bk}x{a}>, tensor<{bk}x{bn}x{b}>, tensor<{bm}x{bn}x{c}>
    scf.yield %next : tensor<{bm}x{bn}x{c}>
  }}
  tile.store_view %sum, %vc[%m, %n] : tensor<{bm}x{bn}x{c}>, !tile.view<?x?x{c}, [?, 1]>
  tile.return
}}
"""

# Of A and B; the accumulator's follows. Those with wide ways of their own come up more often.
TYPES = ["f16", "f16", "bf16", "f32", "f32", "tf32", "tf32", "f64", "f64", "i8"]
TYPES += ["f8E4M3FN", "f8E5M2"]

# sm_90a has more engines than the others.
TARGETS = ["sm_80", "sm_86", "sm_89", "sm_90a", "sm_90a", "sm_90a", "sm_100a", "sm_120a"]

Case = collections.namedtuple(
    "Case",
    "type layout tile warps stages sizes shared target specials options engine imprecise right",
    defaults=[None, None, None],
)


def has_float8(target):
    """From sm_89 on there is mma.sync of 8-bit floats."""
    return int("".join(filter(str.isdigit, target))) >= 89


def make_view(name, pointer, rows, columns, element):
    return (
        f"  %v{name} = tile.view %{pointer}, shape [%{rows}, %{columns}], strides [%{columns}, 1]"
        f" : !tile.ptr<{element}> -> !tile.view<?x?x{element}, [?, 1]>"
    )


def make_operand(name, rows, columns, extents, element, transposed):
    """The loads of one operand, as its tile of rows x columns."""
    height, width = extents
    view = f"!tile.view<?x?x{element}, [?, 1]>"
    tile = f"tensor<{height}x{width}x{element}>"
    if not transposed:
        return [f"    %{name} = tile.load_view %v{name}[%{rows}, %{columns}] : {view} -> {tile}"]
    stored = f"tensor<{width}x{height}x{element}>"
    return [
        f"    %r{name} = tile.load_view %v{name}[%{columns}, %{rows}] : {view} -> {stored}",
        f"    %{name} = tile.trans %r{name} [1, 0] : {stored} -> {tile}",
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
    bm, bn, bk = case.tile
    trans_a, trans_b = (letter == "t" for letter in case.layout)
    rows_a, columns_a = ("K", "M") if trans_a else ("M", "K")
    rows_b, columns_b = ("N", "K") if trans_b else ("K", "N")
    element_a = "A[k, m]" if trans_a else "A[m, k]"
    element_b = "B[n, k]" if trans_b else "B[k, n]"
    if is_tf32:
        element_a, element_b = f"tf32({element_a})", f"tf32({element_b})"
    product = f"{element_a} * {element_b}"
    if a == "i8":
        product = f"i32({product})"
    views = [
        make_view("a", "A", rows_a, columns_a, a),
        make_view("b", "B", rows_b, columns_b, b),
        make_view("c", "C", "M", "N", c),
    ]
    loads = make_operand("a", "m", "k", (bm, bk), a, trans_a)
    loads += make_operand("b", "k", "n", (bk, bn), b, trans_b)
    return KERNEL.format(
        a=a, b=b, c=c, bm=bm, bn=bn, bk=bk, warps=case.warps, stages=case.stages, product=product,
        mark=make_mark(case),
        shape_a=f"{rows_a}, {columns_a}", shape_b=f"{rows_b}, {columns_b}",
        zero="0" if a == "i8" else "0.0", views="\n".join(views), loads="\n".join(loads),
    )  # fmt: skip


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
        if copies <= 80 * 1024 and results <= 4 * 128 * 32 * warps:
            break
    sizes = tuple(draw_size(rng, extent, most) for extent in tile)
    imprecise = right = None
    if element.startswith("f8"):
        imprecise = rng.choice([None, 32, 64, 1 << 30, 1 << 30])
        right = rng.choice([None, None, "f8E4M3FN", "f8E5M2"])
        targets = [target for target in targets if has_float8(target)]
    return Case(
        type=element,
        layout=rng.choice(["nn", "nt", "tn", "tt"]),
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
    )


def make_arguments(case):
    return "M={} N={} K={}".format(*case.sizes)


def run_case(tool, case):
    """None, or what went wrong."""
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
    parser.add_argument("--layout", default="nn", choices=["nn", "nt", "tn", "tt"])
    parser.add_argument("--tile", default="64x64x32")
    parser.add_argument("--warps", type=int, default=4)
    parser.add_argument("--stages", type=int, default=3)
    parser.add_argument("--engine", help="what makes the products, as written behind `by`")
    parser.add_argument("--imprecise", type=int, help="sums of 8-bit floats that may have few bits")
    parser.add_argument("--right", help="the type of B, where it is another")
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
                           options.right)))  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
