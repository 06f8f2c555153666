#!/usr/bin/env python3
"""Checks everything that needs a GPU, in one go: results, memory accesses, predictions.

    scripts/gpu-check.py --json gpu-check.json
    scripts/gpu-check.py --only sizes,profile

Sections:
  sizes      every example at awkward sizes, compared with its reference
  specials   NaNs, infinities, zeros and denormals among the inputs
  simulator  the bits that the GPU gives beside those of the simulator: a suite of instructions
             (test/gpu), and every example
  random     products and reductions of random types, tiles, sizes, stages, warps and layouts, for
             every target that the GPU runs, by each target's instructions, with --warpgroup-dots
             and without, compared with their references; --seed chooses which
  scoreboards
             registers that ptxas's code of every example, and of the random kernels, uses before
             they are written (scripts/scoreboards.py); skipped without cuobjdump and ptxas
  layouts    counted wavefronts beside predicted ones of random tiles, written in one random layout
             and read in another (needs ncu); --seed chooses which
  profile    counted wavefronts beside predicted ones, in every shared layout (needs ncu)
  python     the Python package on tensors of PyTorch and CuPy: results, streams, errors, and what a
             launch takes of the host; skipped where this Python has not the package or PyTorch
  sanitizer  compute-sanitizer's memcheck and racecheck
  large      more than 2^31 elements, where the GPU's memory is large enough

It runs in the repository and in the unpacked package, with Python 3.10 or newer, and takes about
three minutes on one GPU and 16 cores: sections run at the same time, but for `python`, which is
timed. `large` also takes host memory: both matrices, up to 35 GB, of three steps at a time where
there is as much. The exit status is 1 if anything failed. With --device=sim the sections sizes,
specials, simulator, random, layouts and profile run in the simulator instead, `simulator` with
nothing to compare; it is much too slow for their larger sizes, and --match picks others.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
import sys
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gputools.check import SECTIONS
from gputools.schedule import FAILED, PASSED, SKIPPED, Outcome, Settings, run_sections
from gputools.tools import EXAMPLES, Run, call, find_tool, parse_result, run_script

# These need NVIDIA's tools, or a real GPU.
GPU_ONLY = {"python", "sanitizer", "scoreboards", "large"}


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", metavar="SECTION,...", help="these sections (default: all)")
    parser.add_argument("--match", metavar="REGEX", help="only steps whose name matches")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write a record here")
    parser.add_argument("--device", choices=("cuda", "sim"), default="cuda")
    parser.add_argument(
        "--time-limit", type=float, default=900, metavar="S", help="start no step after this"
    )
    parser.add_argument(
        "--case-timeout", type=float, default=120, metavar="S", help="for one step (default: 120)"
    )
    parser.add_argument(
        "--random", type=int, default=200, metavar="N", help="random products (default: 200)"
    )
    parser.add_argument(
        "--layouts", type=int, default=300, metavar="N", help="random layouts (default: 300)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the random kernels (default: 0)")
    parser.add_argument(
        "--jobs",
        type=int,
        default=min(12, os.cpu_count() or 1),
        metavar="N",
        help="steps at a time, where nothing is measured (default: 12)",
    )
    parser.add_argument("--list", action="store_true", help="print the steps and run none")
    options = parser.parse_args()
    known = [name for name in SECTIONS if options.device == "cuda" or name not in GPU_ONLY]
    if options.random < 0 or options.layouts < 0 or options.jobs < 1:
        parser.error("--random and --layouts must not be negative, and --jobs at least 1")
    options.sections = options.only.split(",") if options.only else known
    for section in options.sections:
        if section not in known:
            parser.error(f"no section '{section}' for {options.device}; there are {known}")
    try:
        options.match = re.compile(options.match or "")
    except re.error as error:
        parser.error(f"--match: {error}")
    return options


def ask_device(device: str) -> dict[str, Any]:
    """What tile-run says of the device, from a run of the smallest example."""
    run = Run(EXAMPLES / "copy_f32.mlir", "n=1")
    return parse_result(call(run.command(device), timeout=60))["device"]


def make_settings(options: argparse.Namespace, device: dict[str, Any]) -> Settings:
    """`device`: as tile-run describes it, empty where nobody asked."""
    architecture = re.search(r"\d+", device.get("architecture", ""))
    return Settings(
        device=options.device,
        memory_bytes=device.get("memory_bytes", 0),
        case_timeout=options.case_timeout,
        architecture=int(architecture[0]) if architecture else 0,
        random_products=options.random,
        random_layouts=options.layouts,
        seed=options.seed,
        jobs=options.jobs,
    )


def show(outcome: Outcome) -> None:
    lines = outcome.detail.splitlines() or [""]
    first = f"{outcome.status:<8}{outcome.seconds:6.1f} s  {outcome.name}"
    print(first + (f": {lines[0]}" if lines[0] else ""), flush=True)
    for line in lines[1:]:
        print(f"          {line}", flush=True)


def print_table(outcomes: list[Outcome], seconds: float) -> None:
    print(f"\n{'section':<12}{PASSED:>8}{FAILED:>8}{SKIPPED:>9}{'seconds':>9}")
    for section in dict.fromkeys(outcome.section for outcome in outcomes):
        ours = [outcome for outcome in outcomes if outcome.section == section]
        count = Counter(outcome.status for outcome in ours)
        spent = sum(outcome.seconds for outcome in ours)
        print(f"{section:<12}{count[PASSED]:>8}{count[FAILED]:>8}{count[SKIPPED]:>9}{spent:>9.1f}")
    print(f"{'all':<37}{seconds:>9.1f}")
    failed = [outcome for outcome in outcomes if outcome.status == FAILED]
    for outcome in failed:
        print(f"FAILED {outcome.section}: {outcome.name}")
    if not outcomes:
        print("no step was run")


def make_sections(outcomes: list[dict[str, Any]]) -> dict[str, Any]:
    """What a record keeps of each section: its seconds, what is worth knowing of each step that
    passed, and all that was found of the others."""
    sections: dict[str, Any] = {}
    for outcome in outcomes:
        empty: dict[str, Any] = {"seconds": 0, "passed": {}, "others": []}
        section = sections.setdefault(outcome["section"], empty)
        section["seconds"] = round(section["seconds"] + outcome["seconds"], 1)
        if outcome["status"] == PASSED:
            section["passed"][outcome["name"]] = outcome["detail"]
        else:
            section["others"].append(outcome)
    return sections


def write_json(path: Path, device: dict[str, Any], outcomes: list[Outcome], passed: bool) -> None:
    version = call([find_tool("tile-run"), "--version"]).stdout.strip()
    record = {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "device": device,
        "host": platform.platform(),
        "version": version.splitlines()[0] if version else "",
        "passed": passed,
        "sections": make_sections([asdict(outcome) for outcome in outcomes]),
    }
    path.write_text(json.dumps(record, indent=1) + "\n")


def run(options: argparse.Namespace) -> int:
    start = time.monotonic()
    outcomes: list[Outcome] = []
    device = ask_device(options.device)
    print(f"{device['name']}, {device['memory_bytes'] / 2**30:.0f} GiB")
    settings = make_settings(options, device)
    sections = {name: SECTIONS[name] for name in options.sections}
    for outcome in run_sections(sections, settings, options.time_limit, options.match):
        outcomes.append(outcome)
        show(outcome)
    print_table(outcomes, time.monotonic() - start)
    passed = bool(outcomes) and all(outcome.status != FAILED for outcome in outcomes)
    if options.json:
        write_json(options.json, device, outcomes, passed)
    return 0 if passed else 1


def main() -> int:
    options = parse_arguments()
    if options.list:
        for section in options.sections:
            for step in SECTIONS[section].steps(make_settings(options, {})):
                print(f"{section:<12}{step.name:<44}{step.bytes_needed / 2**20:>10.1f} MiB")
        return 0
    return run_script("gpu-check.py", lambda: run(options))


if __name__ == "__main__":
    sys.exit(main())
