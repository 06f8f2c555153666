# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts share that run random kernels in the simulator, and check them."""

import argparse
import random
import sys

from simulator import find_mistake

TARGETS = ["sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"]


def make_arguments(case):
    """The extents of a case, as the kernel's arguments."""
    return " ".join(f"N{dim}={extent}" for dim, extent in enumerate(case.extents))


def fails(case, kernel, *options):
    """Whether a case goes wrong; says how."""
    mistake = find_mistake(kernel, make_arguments(case), *options)
    if mistake:
        print(f"{case}:\n{mistake}\n{kernel}", file=sys.stderr)
    return bool(mistake)


def draw_cases(draw_case, options):
    """As many as --random says, by --seed."""
    return [draw_case(random.Random(f"{options.seed}/{n}")) for n in range(options.random)]


def make_parser(description):
    parser = argparse.ArgumentParser(description=description.split("\n", 1)[0])
    parser.add_argument("--random", type=int, default=0, help="kernels to run")
    parser.add_argument("--seed", type=int, default=0)
    return parser


def run_random(description, draw_case, make_kernel, what):
    """Runs random cases, each on its target; gives the exit status."""
    cases = draw_cases(draw_case, make_parser(description).parse_args())
    failures = sum(fails(case, make_kernel(case), f"--target={case.target}") for case in cases)
    print(f"{len(cases)} {what}, {failures} failures")
    return 1 if failures or not cases else 0
