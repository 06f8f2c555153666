#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs an elementwise computation in the simulator and checks it.

    elementwise.py f16,f32 "$r = arith.mulf $a, $b : A" "A[i] * B[i]"

makes a kernel Y[i] = A[i] * B[i] for each type and runs it on random numbers,
NaNs, infinities and denormals among them. The body computes $r from $a and $b,
lines separated by semicolons; a value is written with $, since lit gives % a
meaning. In it, A is the type of $a and $b, R that of $r, and tile<T> a tile of
T. In the reference, T is the type's own name.

    --result T        the element type of Y (default: that of A and B)
    --target T,...    targets to compile for (default: sm_90a)
    --size N          elements (default: 3000)
    --no-specials     ordinary numbers only
    --range "L .. H"  numbers from L to H in A and B
"""

import argparse
import re
import sys

from simulator import find_mistake

KERNEL = """
tile.kernel @elementwise(%A: !tile.ptr<{a}>, %B: !tile.ptr<{a}>, %Y: !tile.ptr<{r}>, %count: index)
    shapes ["A[count]{range}", "B[count]{range}", "Y[count]"] grid ["ceildiv(count, 256)"]
    reference ["Y[i] = {reference}"]
    attributes {{num_warps = 2 : i32}} {{
  %size = arith.constant 256 : index
  %program = tile.program_id 0
  %start = arith.muli %program, %size : index
  %av = tile.view %A, shape [%count], strides [1] : !tile.ptr<{a}> -> !tile.view<?x{a}, [1]>
  %bv = tile.view %B, shape [%count], strides [1] : !tile.ptr<{a}> -> !tile.view<?x{a}, [1]>
  %yv = tile.view %Y, shape [%count], strides [1] : !tile.ptr<{r}> -> !tile.view<?x{r}, [1]>
  %a = tile.load_view %av[%start] : !tile.view<?x{a}, [1]> -> tensor<256x{a}>
  %b = tile.load_view %bv[%start] : !tile.view<?x{a}, [1]> -> tensor<256x{a}>
  {body}
  tile.store_view %r, %yv[%start] : tensor<256x{r}>, !tile.view<?x{r}, [1]>
  tile.return
}}
"""


def make_kernel(a, r, body, reference, range):
    body = re.sub(r"\bA\b", f"tile<{a}>", body)
    body = re.sub(r"\bR\b", f"tile<{r}>", body)
    body = re.sub(r"\bT\b", a, body)
    body = re.sub(r"\btile<(\w+)>", r"tensor<256x\1>", body)
    reference = re.sub(r"\bT\b", a, reference)
    body = body.replace(";", "\n ").replace("$", "%")
    in_range = f" in {range}" if range else ""
    return KERNEL.format(a=a, r=r, body=body, reference=reference, range=in_range)


def run(kernel, target, options):
    specials = ["--specials"] * options.specials
    return find_mistake(kernel, f"count={options.size}", f"--target={target}", *specials)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("types")
    parser.add_argument("body")
    parser.add_argument("reference")
    parser.add_argument("--result")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--size", type=int, default=3000)
    parser.add_argument("--no-specials", dest="specials", action="store_false")
    parser.add_argument("--range")
    options = parser.parse_args()
    failures = 0
    for a in options.types.split(","):
        kernel = make_kernel(a, options.result or a, options.body, options.reference, options.range)
        for target in options.target.split(","):
            if mistake := run(kernel, target, options):
                failures += 1
                print(f"{a}, {target}: {options.body}\n{mistake}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
