#!/usr/bin/env python3
"""Times transposes and other permutations of dimensions beside a copy of as many bytes.

    benchmarks/permutations.py --json permutations.json --markdown permutations.md
    benchmarks/permutations.py --only "i8 8191" --rounds 31

All in one process on one GPU: examples/python/permute.py, on what bench/permutation_cases.py lists,
in a few configurations, of which the fastest counts. Beside it stand a copy from the device to
itself, PyTorch's copy of a permuted tensor, and the same source compiled by Triton, where that is
installed. Results are compared with PyTorch's, bit by bit, before anything is timed. It needs the
package tilewright and torch.

The exit status is 1 if a result was wrong or a kernel of ours could not be run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from bench.beside_copy import (
    is_wanted,
    make_parser,
    ratios_of,
    summary,
    time_all,
    time_beside_copy,
)
from bench.both_languages import OURS, TRITON
from bench.permutation_cases import CONFIGS, PERMUTATIONS, TRANSPOSES, TYPES, Permutation
from bench.record import table
from bench.timing import METHOD, TorchTimer
from gputools.tools import run_script


def parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument(
        "--configs", type=int, default=12, metavar="N", help="the first N of each type; default: 12"
    )
    parser.add_argument(
        "--triton-configs", type=int, default=12, metavar="N", help="of Triton's; default: 12"
    )
    options = parser.parse_args()
    options.cases = [case for case in [*TRANSPOSES, *PERMUTATIONS] if is_wanted(case.name, options)]
    if not options.cases:
        parser.error("--only: no case has such a name")
    return options


def make_launches(
    case: Permutation, x: Any, out: Any, languages: Mapping[str, Mapping[str, ModuleType]],
    counts: Mapping[str, int],
) -> dict[str, Callable[[], None]]:  # fmt: skip
    """Of each language in so many configurations."""
    launches: dict[str, Callable[[], None]] = {}
    for language, modules in languages.items():
        for shape in CONFIGS[case.type][: counts[language]]:
            if any(shape[4:]) and case.order != (1, 0):
                continue  # Only transposes have halves.

            def launch(
                example: ModuleType = modules["permute"], shape: tuple[int, ...] = shape
            ) -> None:
                example.permute(x, out, case.order, shape=shape)

            name = "{}, {} x {}, warps {}".format(language, *shape)
            name += "".join(f", streams {count}" for count in shape[3:4] if count > 1)
            launches[name + ", halves first" * any(shape[4:])] = launch
    return launches


def find_mistake(torch: Any, out: Any, right: Any, launch: Callable[[], None]) -> str:
    """Why a contender is not timed, or an empty text."""
    out.fill_(0x55)
    try:
        launch()
        return "" if bool(torch.equal(out, right)) else "wrong"
    except Exception as error:
        return f"failed: {type(error).__name__}: {error}"


def time_case(
    torch: Any, timer: TorchTimer, case: Permutation,
    languages: Mapping[str, Mapping[str, ModuleType]], options: argparse.Namespace,
) -> dict[str, Any]:  # fmt: skip
    dtype = getattr(torch, TYPES[case.type])
    x = torch.randint(-128, 128, case.shape, device="cuda", dtype=torch.int8).to(dtype)
    right = x.permute(case.order)
    out = torch.empty(right.shape, device="cuda", dtype=dtype)
    counts = {OURS: options.configs, TRITON: options.triton_configs}
    launches = make_launches(case, x, out, languages, counts)
    faults = {name: find_mistake(torch, out, right, launch) for name, launch in launches.items()}
    contenders: dict[str, Callable[[], Any]] = {"torch": lambda: out.copy_(right)}
    contenders |= {name: launch for name, launch in launches.items() if not faults[name]}
    count = 2 * x.numel() * x.element_size()
    return {
        "case": case.name,
        "transpose": case.order == (1, 0),
        "faults": {name: fault for name, fault in faults.items() if fault},
        **time_beside_copy(torch, timer, count, contenders, languages, options.rounds),
    }


def markdown(record: dict[str, Any]) -> str:
    names = (OURS, TRITON, "torch")
    lines = [f"# Permutations beside a copy: {record['gpu']}", ""]
    lines += [f"{record['date']}, {record['software']}. {METHOD}", ""]
    for is_transpose, title in ((True, "Transposes"), (False, "Of 3 to 5 dimensions")):
        cases = [case for case in record["cases"] if case["transpose"] == is_transpose]
        if not cases:
            continue
        head = ["case", "copy, us", "ours, us", "ours, of copy", "Triton, of copy"]
        head += ["torch, of copy", "ours", "Triton"]
        rows = []
        for case in cases:
            best = [case["best"].get(who, "-") for who in (OURS, TRITON)]
            row = [case["case"], str(case["microseconds"]["copy"])]
            row += [str(case["microseconds"].get(best[0], "-")), *ratios_of(case, names)]
            rows.append([*row, *(name.partition(", ")[2] for name in best)])
        lines += [f"## {title}", "", *table(head, rows), ""]
        for who in names:
            if ratios := [case["of_copy"][who] for case in cases if who in case["of_copy"]]:
                lines += [f"{who}: {summary(ratios)}"]
        lines += [""]
    return "\n".join(lines)


def run() -> int:
    return time_all(parse_arguments(), time_case, markdown)


if __name__ == "__main__":
    sys.exit(run_script("permutations.py", run))
