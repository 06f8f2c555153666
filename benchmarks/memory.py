#!/usr/bin/env python3
"""Times the kernels of examples/python that memory limits beside a copy of as many bytes, at odd
and small shapes, of views that begin anywhere, and of several types.

    benchmarks/memory.py --json memory.json --markdown memory.md
    benchmarks/memory.py --only "cumsum f32" --rounds 31

All in one process on one GPU, on what bench/memory_cases.py lists, in a few configurations, of
which the fastest counts. Beside each stand a copy from the device to itself that reads and writes
as many bytes in all, PyTorch where it has the same in one kernel, and the same source compiled by
Triton, where that is installed. Results are compared with PyTorch's before anything is timed. It
needs the package tilewright and torch.

The exit status is 1 if a result was wrong or a kernel of ours could not be run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from bench import memory_cases, more_memory_cases
from bench.beside_copy import (
    is_wanted,
    make_parser,
    ratios_of,
    summary,
    time_all,
    time_beside_copy,
)
from bench.both_languages import OURS, TRITON
from bench.record import table
from bench.timing import METHOD, TorchTimer
from bench.work import Work, find_mistake, launches_of
from gputools.tools import run_script

CASES = {**memory_cases.CASES, **more_memory_cases.CASES}
CONTENDERS = (OURS, TRITON, "torch")


def parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("--part", default="0/1", metavar="I/N", help="every Nth case from the Ith")
    parser.add_argument("--list", action="store_true", help="print the cases and run none")
    options = parser.parse_args()
    first, _, step = options.part.partition("/")
    cases = [name for name in CASES if is_wanted(name, options)]
    options.cases = cases[int(first) :: int(step)]
    if not options.cases:
        parser.error("--only: no case is left; --list prints all")
    return options


def find_fault(torch: Any, work: Work, launch: Callable[[], None]) -> str:
    """Why a contender is not timed, or an empty text."""
    try:
        mistake = find_mistake(torch, work, launch)
    except Exception as error:  # Too many registers, for one.
        return f"failed: {type(error).__name__}: {error}"
    return f"wrong: {mistake}" if mistake else ""


def time_case(
    torch: Any, timer: TorchTimer, name: str, languages: Mapping[str, Mapping[str, ModuleType]],
    options: argparse.Namespace,
) -> dict[str, Any]:  # fmt: skip
    work = CASES[name](torch)
    launches = launches_of(work, languages)
    faults = {each: find_fault(torch, work, launch) for each, launch in launches.items()}
    contenders = {each: launch for each, launch in launches.items() if not faults[each]}
    return {
        "case": name,
        "faults": {each: fault for each, fault in faults.items() if fault},
        **time_beside_copy(
            torch, timer, int(work.work), {**work.peers, **contenders}, languages, options.rounds
        ),
    }


def markdown(record: dict[str, Any]) -> str:
    head = ["case", "copy, us", "ours, us", "ours, of copy", "Triton, of copy", "torch, of copy"]
    head += ["spread", "ours", "Triton"]
    rows = []
    for case in record["cases"]:
        best = [case["best"].get(who, "-") for who in (OURS, TRITON)]
        row = [case["case"], str(case["microseconds"]["copy"])]
        row += [str(case["microseconds"].get(best[0], "-")), *ratios_of(case, CONTENDERS)]
        row += [str(case["spread"]), *(name.partition(", ")[2] for name in best)]
        rows.append(row)
    lines = [f"# Kernels that memory limits, beside a copy: {record['gpu']}", ""]
    lines += [f"{record['date']}, {record['software']}. {METHOD}", "", *table(head, rows), ""]
    for who in CONTENDERS:
        ratios = [case["of_copy"][who] for case in record["cases"] if who in case["of_copy"]]
        if ratios:
            lines += [f"{who}: {summary(ratios)}"]
    return "\n".join(lines) + "\n"


def run() -> int:
    options = parse_arguments()
    if options.list:
        print("\n".join(options.cases))
        return 0
    return time_all(options, time_case, markdown)


if __name__ == "__main__":
    sys.exit(run_script("memory.py", run))
