#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the words of the language on data with what goes wrong, against NumPy.

    PYTHONPATH=build/python .venv/bin/python scripts/conformance.py
    python scripts/conformance.py --device=cuda

By default every case runs on every target in the simulator; with --device=cuda, on the GPU of this
machine. It needs the package and NumPy. It prints how many cases there are of each family, and
those that are wrong.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

# What is tested here is what the compiler makes now.
os.environ["TILEWRIGHT_CACHE_DIR"] = ""

TESTS = Path(__file__).resolve().parent.parent / "test"
sys.path[:0] = [str(TESTS), str(TESTS / "python")]

from conformance.batch import TARGETS  # noqa: E402
from conformance.cases import collect, get_families  # noqa: E402

from conformance import runner  # noqa: E402
from tilewright import _core  # noqa: E402


def main() -> int:
    options = parse_options()
    cases = collect()
    family = {case.name for case in get_families().get(options.filter, ())}
    chosen = {
        number
        for number, case in enumerate(cases)
        if options.filter in case.name or case.name in family
    }
    targets = options.targets
    if options.device == "cuda":
        targets = [_core.get_gpu_target()]
    runs = [run for run in runner.draw_all(cases, targets) if run[0] in chosen]
    start = time.monotonic()
    wrong: dict[str, int] = {}
    jobs = runner.make_jobs(runs, options.device)
    for failures in runner.run_jobs(jobs, options.jobs):
        for failure in failures:
            print(f"{failure.target}: {failure.case}: {failure.text}", flush=True)
            wrong[failure.case] = wrong.get(failure.case, 0) + 1
    print_table([cases[number].name for number, _ in runs], wrong)
    seconds = time.monotonic() - start
    where = "the simulator" if options.device == "sim" else "the GPU"
    print(
        f"{len(chosen)} cases, {len(runs)} runs in {where} ({' '.join(targets)}), {seconds:.0f} s"
    )
    print("all as they must be" if not wrong else f"{len(wrong)} cases are wrong")
    return 1 if wrong else 0


def print_table(names: list[str], wrong: dict[str, int]) -> None:
    print(f"{'family':<14}{'cases':>7}{'runs':>8}{'wrong':>7}")
    for family, members in get_families().items():
        own = {case.name for case in members}
        ran = [name for name in names if name in own]
        failed = sum(count for name, count in wrong.items() if name in own)
        print(f"{family:<14}{len(set(ran)):>7}{len(ran):>8}{failed:>7}")


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--targets", type=lambda text: text.split(","), default=list(TARGETS), metavar="A,B"
    )
    parser.add_argument("--device", choices=["sim", "cuda"], default="sim")
    parser.add_argument("--filter", default="", help="a family, or a part of the names of cases")
    parser.add_argument("--jobs", type=int, default=None, help="processes")
    options = parser.parse_args()
    if options.jobs is None:
        options.jobs = os.cpu_count() or 1
    return options


if __name__ == "__main__":
    sys.exit(main())
