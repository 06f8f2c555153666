#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts tiles between random register layouts in the simulator.

    convert_layout.py f16,mask,index --count 10 --seed 1

The two layouts of a case give each warp the same elements, with some of them in
several lanes or registers; so the conversion is one by shuffles, or through
shared memory where that is cheaper. At least a quarter of the cases must be shuffles.

Kinds are element types, of which random numbers are converted, and
    mask      of where these are positive
    index     of the places of elements
    pointer   to the elements
"""

import argparse
import random
import re
import subprocess
import sys

from simulator import find_mistake

LANE_BITS = 5

KERNEL = """
#from = #tile.register_layout<{size}, {source}>
#to = #tile.register_layout<{size}, {target}>
tile.kernel @convert(%X: !tile.ptr<{x}>, %Y: !tile.ptr<{y}>, %n: index)
    shapes ["X[n]", "Y[n]"] grid ["ceildiv(n, {size})"] reference ["Y[i] = {reference}"]
    attributes {{num_warps = {warps} : i32}} {{
  %size = arith.constant {size} : index
  %p = tile.program_id 0
  %start = arith.muli %p, %size : index
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<{x}> -> !tile.view<?x{x}, [1]>
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<{y}> -> !tile.view<?x{y}, [1]>
  {body}
  tile.store_view %r, %y[%start] : TO<{y}>, !tile.view<?x{y}, [1]>
  tile.return
}}
"""

LOAD = """
  %a = tile.load_view %x[%start] : !tile.view<?x{x}, [1]> -> FROM<{x}>"""
PLACES = """
  %line{0} = tile.iota 0 : {1}<index>
  %starts{0} = tile.splat %start : index -> {1}<index>
  %at{0} = arith.addi %line{0}, %starts{0} : {1}<index>"""

# The types of X and Y, the reference, and the code.
PLAIN = ("", "", "X[i]", LOAD + "\n  %r = tile.convert_layout %a : FROM<{x}> -> TO<{x}>")
KINDS = {
    "mask": (
        "i32",
        "i32",
        "min(1, max(0, X[i]))",
        LOAD
        + """
  %zero = arith.constant dense<0> : FROM<i32>
  %m = arith.cmpi sgt, %a, %zero : FROM<i32>
  %c = tile.convert_layout %m : FROM<i1> -> TO<i1>
  %r = arith.extui %c : TO<i1> to TO<i32>""",
    ),
    "index": (
        "i8",
        "i64",
        "i",
        PLACES.format(0, "FROM")
        + """
  %c = tile.convert_layout %at0 : FROM<index> -> TO<index>
  %r = arith.index_cast %c : TO<index> to TO<i64>""",
    ),
    "pointer": (
        "f16",
        "f16",
        "X[i]",
        PLACES.format(0, "FROM")
        + PLACES.format(1, "TO")
        + """
  %base = tile.splat %X : !tile.ptr<f16> -> FROM<!tile.ptr<f16>>
  %ps = tile.addptr %base, %at0 : FROM<!tile.ptr<f16>>, FROM<index>
  %c = tile.convert_layout %ps : FROM<!tile.ptr<f16>> -> TO<!tile.ptr<f16>>
  %ends = tile.splat %n : index -> TO<index>
  %inside = arith.cmpi slt, %at1, %ends : TO<index>
  %r = tile.load %c mask %inside : TO<!tile.ptr<f16>>""",
    ),
}


def format_layout(registers, lanes, warps):
    def bases(numbers):
        return "[" + ", ".join(f"[{number}]" for number in numbers) + "]"

    return f"register = {bases(registers)}, lane = {bases(lanes)}, warp = {bases(warps)}"


def make_layouts(numbers, size, warp_bits):
    """Two layouts in which each warp has the same elements."""
    units = [1 << bit for bit in range(size.bit_length() - 1)]
    numbers.shuffle(units)
    warps = [units.pop() for _ in range(warp_bits)]

    def deal():
        bits = list(units)
        numbers.shuffle(bits)
        for _ in range(numbers.choice([0, 0, 2])):
            a, b = numbers.sample(range(len(bits)), 2)
            bits[a] ^= bits[b]
        # Copies: of nothing, or of another bit.
        for _ in range(numbers.choice([0, 0, 1, 2])):
            bits.insert(numbers.randrange(len(bits)), numbers.choice([0, *units]))
        return format_layout(bits[LANE_BITS:], bits[:LANE_BITS], warps)

    return deal(), deal()


def make_kernel(kind, numbers):
    size, warp_bits = numbers.choice([(64, 0), (128, 0), (128, 1), (256, 1), (512, 2), (1024, 2)])
    source, target = make_layouts(numbers, size, warp_bits)
    x, y, reference, body = KINDS.get(kind, PLAIN)
    x, y = x or kind, y or kind
    kernel = KERNEL.format(
        size=size,
        warps=1 << warp_bits,
        source=source,
        target=target,
        x=x,
        y=y,
        reference=reference,
        body=body.format(x=x).strip(),
    )
    return re.sub(
        r"(FROM|TO)<(!tile.ptr<\w+>|\w+)>",
        lambda match: f"tensor<{size}x{match[2]}, #{match[1].lower()}>",
        kernel,
    )


def place(kernel):
    command = ["tile-compile", "-", "--emit=placed", "-o", "-"]
    return subprocess.run(command, input=kernel, text=True, capture_output=True).stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kinds")
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    failures = 0
    for kind in options.kinds.split(","):
        numbers = random.Random(f"{options.seed} {kind}")
        shuffled = 0
        for _ in range(options.count):
            kernel = make_kernel(kind, numbers)
            sizes = f"n={numbers.randrange(1, 3000)}"
            shuffled += "alloc_shared" not in place(kernel)
            if mistake := find_mistake(kernel, sizes):
                failures += 1
                print(f"{kernel}\n{sizes}\n{mistake}", file=sys.stderr)
        if 4 * shuffled < options.count:
            failures += 1
            print(f"{kind}: only {shuffled} of {options.count} are shuffles", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
