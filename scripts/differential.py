#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles random programs and compares what they compute with an evaluation by NumPy.

    PYTHONPATH=build/python .venv/bin/python scripts/differential.py --programs 1000 --seed 7

Each program runs on each target, with and without optimisation (--optimize=turn: without it on one
target, the next program on another one), in the simulator or with --device=cuda on a GPU. One that
is wrong is made small and written to --out. What is kept in test/differential/cases is run first,
and with --exhaustive all casts, and some other ops, on all numbers of 8 and 16 bits. It needs the
package and NumPy.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

# What is tested here is what the compiler makes now.
os.environ["TILEWRIGHT_CACHE_DIR"] = ""

TESTS = Path(__file__).resolve().parent.parent / "test"
sys.path.insert(0, str(TESTS))

from differential.cases import parse  # noqa: E402
from differential.check import (  # noqa: E402
    TARGETS,
    Configuration,
    Configurations,
    check,
)
from differential.counts import Counts, describe  # noqa: E402
from differential.runner import run_all  # noqa: E402
from differential.worker import Finding, Key  # noqa: E402

from differential import exhaustive  # noqa: E402
from gputools.tools import architecture_of, loads_on  # noqa: E402
from tilewright import _core  # noqa: E402


def main() -> int:
    options = parse_options()
    modes = {"on": [True], "off": [False]}.get(options.optimize, [True, False])
    configurations = Configurations(
        tuple(
            Configuration(target, optimize, options.device)
            for target in options.targets
            for optimize in modes
        ),
        in_turn=options.optimize == "turn",
    )
    wrong = replay(configurations)
    keys: list[Key] = list(range(options.seed, options.seed + options.programs))
    wrong += run_programs(keys, options, configurations)
    if options.nested:
        seeds = range(options.seed, options.seed + options.nested)
        wrong += run_programs([f"nested {seed}" for seed in seeds], options, configurations)
    if options.exhaustive:
        wrong += run_programs(exhaustive.keys(), options, configurations)
    print("all as they must be" if not wrong else f"{wrong} failures")
    return 1 if wrong else 0


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--nested", type=int, default=0, help="programs of regions in regions")
    parser.add_argument("--seed", type=int, default=0, help="the first program's")
    parser.add_argument(
        "--targets",
        type=lambda text: text.split(","),
        metavar="A,B",
        help="default: all, or those whose code the GPU runs",
    )
    parser.add_argument("--device", choices=["sim", "cuda"], default="sim")
    parser.add_argument("--exhaustive", action="store_true", help="casts on all small numbers")
    parser.add_argument("--optimize", choices=["both", "on", "off", "turn"], default="both")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--shrink", type=int, default=3, help="failures that a job makes small")
    parser.add_argument("--out", type=Path, default=Path("differential-failures"))
    options = parser.parse_args()
    if options.targets is None:
        options.targets = list(TARGETS) if options.device == "sim" else find_gpu_targets()
    return options


def find_gpu_targets() -> list[str]:
    """The targets whose code runs on this machine's GPU."""
    own = _core.get_gpu_target()
    if own is None:
        sys.exit("this machine has no GPU that is known")
    return [target for target in TARGETS if loads_on(target, architecture_of(own))]


def replay(configurations: Configurations) -> int:
    """Runs the cases that are kept; gives how many are wrong."""
    wrong = launches = 0
    for path in sorted((TESTS / "differential" / "cases").glob("*.mlir")):
        launch = parse(path.read_text())
        for configuration in configurations.of(path.name, launch):
            launches += 1
            failure = check(launch, configuration)
            if failure is not None:
                wrong += 1
                print(f"{path.name}, {configuration}: {failure.kind}\n{failure.text}")
    print(f"cases: {launches} launches, {wrong} wrong")
    return wrong


def run_programs(
    keys: Sequence[Key], options: argparse.Namespace, configurations: Configurations
) -> int:
    """Gives how many launches were wrong."""
    begin = time.monotonic()
    launches: Counter[str] = Counter()
    counts: Counts = Counter()
    findings: list[Finding] = []
    for result in run_all(keys, configurations, options.jobs, options.shrink):
        launches += result.launches
        counts += result.counts
        findings += result.findings
        report(result.findings, options.out)
    print(describe(counts))
    print("launches: " + ", ".join(f"{name} {number}" for name, number in launches.items()))
    print(f"{len(keys)} programs in {time.monotonic() - begin:.0f} s")
    return len(findings)


def report(findings: Sequence[Finding], out: Path) -> None:
    """What failed with a program: a line for each kind of failure, and a file where it is small."""
    kinds: dict[str, list[Finding]] = {}
    for finding in findings:
        kinds.setdefault(finding.failure.kind, []).append(finding)
    for kind, same in kinds.items():
        print(f"{same[0].key}: {kind} ({'; '.join(str(f.configuration) for f in same)})")
        print("  " + same[0].failure.text.partition("\n")[0][:200])
        for finding in same:
            if finding.case:
                out.mkdir(parents=True, exist_ok=True)
                path = (
                    out
                    / f"{str(finding.key).replace(' ', '-')}-{finding.configuration.target}.mlir"
                )
                path.write_text(finding.case)
                print(f"  see {path}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
