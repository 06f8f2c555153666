#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs examples/python at random shapes, and kernels that are drawn, beside NumPy.

    PYTHONPATH=build/python .venv/bin/python scripts/random-shapes.py --cases 50
    python scripts/random-shapes.py --device=cuda --cases 300 --json random-shapes.json

Rows, parts of rows, permutations, products, loops of products, loops by loaded numbers, rows of
drawn kernels, neighbours, orders of accesses, totals and words: so many cases of each. In the
simulator they are small, and take the targets in turn; on a GPU, by tensors of PyTorch, rows have
up to a million elements. A case is made of its number alone: --group rows --seed 17 --cases 1 runs
number 17 again. It needs the package and NumPy. The exit status is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "test"
sys.path.insert(0, str(TESTS))

import numpy  # noqa: E402
from shapes import FAMILIES, draw  # noqa: E402
from shapes.arrays import Device, Gpu  # noqa: E402

import tilewright  # noqa: E402

TARGETS = ("sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a")


def run_one(job: tuple[str, int, str]) -> tuple[str, int, str, str]:
    """The group and number of a case, what it is, and what is wrong with it."""
    group, seed, device = job
    if device == "sim":
        os.environ["TILEWRIGHT_TARGET"] = TARGETS[seed % len(TARGETS)]
    case = draw(group, seed, Gpu() if device == "cuda" else Device())
    try:
        # Rows may have infinities, for NumPy too.
        with numpy.errstate(invalid="ignore"):
            return group, seed, case.name, case.run()
    except (tilewright.CompileError, tilewright.LaunchError) as error:
        return group, seed, case.name, f"{type(error).__name__}: {error}"


def run_all(
    jobs: list[tuple[str, int, str]], processes: int
) -> Iterator[tuple[str, int, str, str]]:
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(run_one, jobs)


def main() -> int:
    options = parse_options()
    # What is tested here is what the compiler makes now.
    os.environ["TILEWRIGHT_CACHE_DIR"] = ""
    groups = [options.group] if options.group else list(FAMILIES)
    numbers = range(options.seed, options.seed + options.cases)
    jobs = [(group, seed, options.device) for seed in numbers for group in groups]
    start = time.monotonic()
    ran: Counter[str] = Counter()
    wrong = []
    for group, seed, name, complaint in run_all(jobs, options.jobs):
        ran[group] += 1
        if complaint:
            wrong.append({"group": group, "seed": seed, "case": name, "complaint": complaint})
            print(f"{group} {seed}: {name}\n    {complaint}", flush=True)
    seconds = time.monotonic() - start
    counts = ", ".join(f"{count} {group}" for group, count in ran.items())
    print(f"{counts}: {len(wrong)} wrong, {seconds:.0f} s")
    if options.json:
        report = {"device": options.device, "seed": options.seed, "cases": ran, "wrong": wrong}
        options.json.write_text(json.dumps(report, indent=1) + "\n")
    return 1 if wrong else 0


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=100, help="of each group (default: 100)")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first case")
    parser.add_argument("--group", choices=list(FAMILIES), help="default: all")
    parser.add_argument("--device", choices=["sim", "cuda"], default="sim")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", type=Path, metavar="PATH", help="write what was found here")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
