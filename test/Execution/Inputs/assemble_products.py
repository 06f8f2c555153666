#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles products of every legal shape with ptxas, and counts what became of them.

    assemble_products.py --sample 60 --seed 1 --bin build/bin
    assemble_products.py --all --jobs 64 --targets sm_90a --types f16

A shape is M, N and K of 16 to 256, 1 to 32 warps, a type, the orders of A and B, 1 to 4 stages,
matrices that allow wide copies or none, a target. Either the compiler refuses it, with a message
at a place in the kernel, or ptxas takes it. What spills is counted, warned of or not; accumulators
that do not fit must have been warned of.
"""

import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import random
import re
import subprocess
import sys

import gemm

TARGETS = ["sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"]
EXTENTS = [16, 32, 64, 128, 256]
AXES = {
    "type": sorted(set(gemm.TYPES)),
    "layout": ["nn", "nt", "tn", "tt"],
    "tile": list(itertools.product(EXTENTS, EXTENTS, EXTENTS)),
    "warps": [1, 2, 4, 8, 16, 32],
    "stages": [1, 2, 3, 4],
    "aligned": [True, False],
    "target": TARGETS,
}
# Whose options have another name: --types, not --type.
PLURALS = ("type", "layout", "tile", "target")
Product = collections.namedtuple("Product", list(AXES))
# What can become of a product; the last must not happen.
FITS, SPILLS, REFUSED, FAILED = "fits", "spills", "refused", "failed"


def name_of(value):
    """A value of an axis as one writes it."""
    return "x".join(map(str, value)) if isinstance(value, tuple) else str(value).lower()


def describe(product):
    tile = name_of(product.tile)
    aligned = "aligned" if product.aligned else "odd"
    return (
        f"{product.target} {product.type} {product.layout} {tile}, {product.warps} warps,"
        f" {product.stages} stages, {aligned}"
    )


def assemble(tool, product):
    """What became of a product, its engine, and what was said."""
    case = gemm.Case(product.type, product.layout, product.tile, product.warps, product.stages,
                     None, None, None, None, ())  # fmt: skip
    edge = 512 if product.aligned else 511
    command = [tool, "-", "--report=json", f"--target={product.target}",
               "--args", f"M={edge} N={edge} K={edge}"]  # fmt: skip
    result = subprocess.run(command, input=gemm.make_kernel(case), text=True, capture_output=True)
    if result.returncode != 0:
        # A place in the kernel, which messages about the PTX do not have.
        is_refusal = result.returncode == 1 and re.search(r":\d+:\d+: error: ", result.stderr)
        is_refusal = is_refusal and "ptxas" not in result.stderr
        return (REFUSED if is_refusal else FAILED), "none", result.stderr
    report = json.loads(result.stdout)["kernels"][0]
    engine = report["products"][0]["instruction"]
    spilled = report["resources"]["spill_store_bytes"]
    warned = ", warned" if "warning: this product takes" in result.stderr else ""
    said = f"{report['resources']['registers']} registers, {spilled} bytes spilled\n{result.stderr}"
    if count_sums(product) >= count_registers(product) and not warned:
        return FAILED, engine, f"not warned of, {said}"
    return (SPILLS if spilled else FITS) + warned, engine, said


def count_sums(product):
    """The registers of a thread that hold accumulators."""
    rows, columns, _ = product.tile
    return rows * columns * (2 if product.type == "f64" else 1) // (32 * product.warps)


def count_registers(product):
    """The registers that a thread can have."""
    return min(255, 65536 // (32 * product.warps))


def draw(rng):
    return Product(*(rng.choice(values) for values in AXES.values()))


def choose(options):
    products = (
        (Product(*values) for values in itertools.product(*AXES.values()))
        if options.all
        else (draw(random.Random(f"{options.seed}/{n}")) for n in range(options.sample))
    )
    return [
        product
        for product in products
        if all(getattr(product, axis) in wanted for axis, wanted in vars(options.only).items())
    ]


def run(options):
    tool = options.bin / "tile-compile" if options.bin else "tile-compile"
    products = choose(options)
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        outcomes = pool.map(lambda product: assemble(tool, product), products)
        for product, (outcome, engine, said) in zip(products, outcomes, strict=True):
            counts[outcome, engine] += 1
            if options.verbose or outcome == FAILED:
                first = said.splitlines()[0] if said else ""
                print(f"{outcome}: {describe(product)}, {engine}: {first}", flush=True)
    for (outcome, engine), count in sorted(counts.items()):
        print(f"{count:6} {outcome}, by {engine}" if engine != "none" else f"{count:6} {outcome}")
    bad = sum(count for (outcome, _), count in counts.items() if outcome == FAILED)
    print(f"{len(products)} products, {bad} failures")
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="random products")
    parser.add_argument("--seed", type=int, default=0, help="of the random products")
    parser.add_argument("--all", action="store_true", help="every product: weeks on one core")
    for axis, values in AXES.items():
        known = {name_of(value): value for value in values}
        parser.add_argument(
            f"--{axis}" + "s" * (axis in PLURALS), dest=axis, metavar="X,...",
            help=f"only these of {', '.join(list(known)[:6])}",
            type=lambda text, known=known: [known[name] for name in text.split(",")],
        )  # fmt: skip
    parser.add_argument("--bin", type=pathlib.Path, help="folder of the tools")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--verbose", action="store_true", help="print every product")
    options = parser.parse_args()
    chosen = {axis: getattr(options, axis) for axis in AXES}
    options.only = argparse.Namespace(**{axis: only for axis, only in chosen.items() if only})
    return run(options)


if __name__ == "__main__":
    sys.exit(main())
