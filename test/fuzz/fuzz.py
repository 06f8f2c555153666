#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tools on random input.

    fuzz.py --bin build/bin                        what CTest runs: a few fixed cases
    fuzz.py --bin build/bin --kernels 1000 --seed 5
    fuzz.py --bin build/bin --mutations 10000 --jobs 8

Random kernels must compute what their reference says, in the simulator. Files
that were valid before some of their bytes or words were changed may be refused,
with a message, and must not crash a tool or hang it. What fails is kept, with
the command that shows it; --seed and the case's number make it again.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import mutations

import kernels

TIME_LIMIT = 120  # seconds of one tool: far more than any takes


class CaseError(Exception):
    pass


def run(command):
    """The result of a tool that ended by itself."""
    try:
        result = subprocess.run(command, capture_output=True, timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        raise CaseError(f"did not end within {TIME_LIMIT} s") from None
    if result.returncode < 0:
        raise CaseError(f"ended by signal {-result.returncode}")
    if result.returncode > 1:
        raise CaseError(f"exit code {result.returncode}")
    if result.returncode == 1 and not result.stderr.strip() and not result.stdout.strip():
        raise CaseError("failed without a message")
    return result


def check_kernel(bin_dir, path, rng):
    kernel = kernels.make_kernel(rng)
    path.write_text(kernel.text)
    command = [str(bin_dir / "tile-run"), str(path), "--device=sim", "--check",
               "--args", kernel.arguments, *kernel.options]  # fmt: skip
    return command, check_is_correct


def check_is_correct(result):
    output = result.stdout.decode(errors="replace")
    if result.returncode != 0 or "correct, checked" not in output:
        raise CaseError("is not correct")


def check_mutation(bin_dir, path, rng):
    program, runs = mutations.mutate(rng)
    path.write_bytes(program)
    tool = rng.choice(["tile-opt", "tile-opt", "tile-compile", "tile-run"])
    command = [str(bin_dir / tool), str(path), *mutations.make_options(tool, rng, runs)]
    return command, lambda result: None


def run_case(make, bin_dir, folder, seed, number):
    """None, or what went wrong."""
    path = folder / f"{make.__name__}-{number}.mlir"
    command, check = make(bin_dir, path, random.Random(f"{seed}/{number}"))
    output = b""
    try:
        result = run(command)
        output = result.stdout + result.stderr
        check(result)
    except CaseError as failure:
        text = output.decode(errors="replace")[-2000:]
        return f"case {number}: {failure}\n  {' '.join(map(repr, command))}\n{text}"
    path.unlink()
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the tools")
    parser.add_argument("--kernels", type=int, default=0, help="random kernels")
    parser.add_argument("--mutations", type=int, default=0, help="changed files")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    folder = pathlib.Path(tempfile.mkdtemp(prefix="tilewright-fuzz-"))
    cases = [(check_kernel, n) for n in range(options.first, options.first + options.kernels)]
    cases += [(check_mutation, n) for n in range(options.first, options.first + options.mutations)]
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = [
            pool.submit(run_case, make, options.bin, folder, options.seed, n) for make, n in cases
        ]
        for future in concurrent.futures.as_completed(futures):
            if problem := future.result():
                failures += 1
                print(problem, file=sys.stderr, flush=True)
    print(f"{len(cases)} cases, {failures} failures")
    if failures:
        print(f"the files are in {folder}")
        return 1
    folder.rmdir()
    return 0


if __name__ == "__main__":
    sys.exit(main())
