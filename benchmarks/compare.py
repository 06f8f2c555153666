#!/usr/bin/env python3
"""Times Tilewright's kernels beside PyTorch, Triton and the device-to-device copy.

    benchmarks/compare.py --json results.json --markdown results.md
    benchmarks/compare.py --only transpose --dtypes f32 --variants --tiles 32x32,128x64
    benchmarks/compare.py --shapes benchmarks/layouts.json --layouts --without torch,triton,copy
    benchmarks/compare.py --dry-run

All in one process on one GPU, over the problems of a shapes file (default: shapes.json beside this
file). Every contender's output is compared with PyTorch's before it is timed: bit for bit, but for
products. Needs
Python 3.10, torch and triton, and tile-compile; --without=triton does without it. --dry-run needs
neither these nor a GPU: it compiles our kernels and prints what the compiler decided.

The exit status is 1 if a contender was wrong or ours could not be run.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import sys
from pathlib import Path
from typing import Any

from bench.ours import Compiled, compile_variants, make_contender, variants_of
from bench.problem import US, Contender, Problem, Tensors, Variant
from bench.record import Record
from bench.results import PEERS, Entry, layouts_markdown, markdown, variants_markdown
from bench.shapes import read_shapes
from bench.timing import METHOD, ORDER_SEED, Timer, TorchTimer, measure
from gputools.tools import ToolError, call, find_tool, run_script, target_of

SHAPES = Path(__file__).resolve().parent / "shapes.json"

# Enough to tell a group's configurations apart; the best one is then timed with the others.
SELECTION_ROUNDS = 7

VARIANT_LAYOUTS = ["auto", "none", "pad", "swizzle"]
VARIANT_WARPS = [0, 4, 8, 16]


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--shapes", type=Path, default=SHAPES)
    parser.add_argument("--only", metavar="PROBLEM,...", help="these problems (default: all)")
    parser.add_argument("--dtypes", metavar="TYPE,...", help="these types (default: all)")
    parser.add_argument("--limit", type=int, metavar="N", help="the first N shapes of each type")
    parser.add_argument("--without", default="", metavar="PEER,...", help=", ".join(PEERS))
    parser.add_argument("--rounds", type=int, default=31, help="timed runs of each (default: 31)")
    parser.add_argument(
        "--variants", action="store_true", help="try our shared layouts and numbers of warps"
    )
    parser.add_argument(
        "--layouts", action="store_true", help="time our shared layouts, each in all rounds"
    )
    parser.add_argument("--tiles", default="", metavar="RxC,...", help="try these tiles as well")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the record here")
    parser.add_argument("--markdown", type=Path, metavar="PATH", help="write the tables here")
    parser.add_argument("--dry-run", action="store_true", help="compile only; no GPU is needed")
    parser.add_argument("--target", default="sm_90a", help="of --dry-run (default: sm_90a)")
    options = parser.parse_args()
    if options.rounds < 2:
        parser.error("--rounds: two or more")
    without = frozenset(options.without.split(",")) - {""}
    if unknown := without - set(PEERS):
        parser.error(
            f"--without: no peer {', '.join(sorted(unknown))}; there are {', '.join(PEERS)}"
        )
    options.groups = frozenset(PEERS) - without
    return options


def select_problems(options: argparse.Namespace) -> list[Problem]:
    problems = read_shapes(options.shapes)
    if options.only:
        problems = [problem for problem in problems if problem.name in options.only.split(",")]
    if options.dtypes:
        problems = [problem for problem in problems if problem.dtype in options.dtypes.split(",")]
    if options.limit:
        seen: dict[str, int] = {}
        kept = []
        for problem in problems:
            seen[problem.title] = seen.get(problem.title, 0) + 1
            if seen[problem.title] <= options.limit:
                kept.append(problem)
        problems = kept
    if not problems:
        raise ToolError("no problem is left to run")
    return problems


def our_variants(problem: Problem, options: argparse.Namespace) -> list[Variant]:
    tiles = [tile for tile in options.tiles.split(",") if tile]
    if options.variants:
        return variants_of(problem, VARIANT_LAYOUTS, VARIANT_WARPS, tiles)
    return variants_of(problem, VARIANT_LAYOUTS if options.layouts else ["auto"], [0], tiles)


def describe_compiled(problem: Problem, compiled: Compiled) -> str:
    report = compiled.report
    layouts = ", ".join(tile["layout"] for tile in report["tiles"]) or "no shared tile"
    widths = "/".join(str(access["vector_bytes"]) for access in report["accesses"])
    registers = report.get("resources", {}).get("registers", "?")
    return (
        f"{problem.title:<14} {problem.shape:<16} {compiled.variant.describe():<24} "
        f"grid {compiled.grid(problem)}, {report['launch']['threads']} threads, "
        f"{registers} registers, vectors of {widths} bytes, {layouts}"
    )


def dry_run(problems: list[Problem], options: argparse.Namespace) -> int:
    status = 0
    for problem in problems:
        variants = our_variants(problem, options)
        compiled, failed = compile_variants(problem, variants, options.target)
        for one in compiled:
            print(describe_compiled(problem, one))
        for name, reason in failed.items():
            print(f"{problem.title:<14} {problem.shape:<16} FAILED {name}: {reason}")
            status = 1
    return status


def require(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ToolError(f"this needs the Python package {module}: {error}") from error


def open_gpu() -> Any:
    torch = require("torch")
    if not torch.cuda.is_available():
        raise ToolError("PyTorch sees no GPU; --dry-run does without one")
    # PyTorch's context becomes the current one, which our launches use too.
    torch.cuda.init()
    torch.zeros(1, device="cuda")
    return torch


def describe_environment(torch: Any, options: argparse.Namespace) -> dict[str, Any]:
    versions = {"torch": torch.__version__}
    if "triton" in options.groups:
        versions["triton"] = require("triton").__version__
    version = call([find_tool("tile-compile"), "--version"]).stdout.strip().splitlines()
    smi = call(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"])
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "gpu": torch.cuda.get_device_name(0),
        "driver": smi.stdout.strip().splitlines()[0] if smi.stdout.strip() else "unknown",
        "versions": versions,
        "compiler": version[0] if version else "",
        "rounds": options.rounds,
        "method": METHOD,
        "order_seed": ORDER_SEED,
    }


def is_right(torch: Any, problem: Problem, contender: Contender, tensors: Tensors) -> bool:
    """Whether a launch on a poisoned output leaves what is expected."""
    poison = float("nan") if tensors.output.is_floating_point() else 0x55
    tensors.output.fill_(poison)
    contender.launch()
    torch.cuda.synchronize()
    return problem.agrees(torch, tensors)


def usable(
    torch: Any, contenders: list[Contender], tensors: Tensors, entry: Entry
) -> list[Contender]:
    """Those that run on this GPU and are right; the entry says which are not."""
    good = []
    for contender in contenders:
        name = f"{contender.group} {contender.config}".strip()
        try:
            if contender.is_solution and not is_right(torch, entry.problem, contender, tensors):
                entry.wrong.append(name)
                continue
        except Exception as error:  # A peer's own: too much shared memory, for one.
            entry.failed[name] = f"{error}"
            continue
        good.append(contender)
    return good


def fastest_of_groups(
    timer: Timer, contenders: list[Contender], entry: Entry, rounds: int
) -> list[Contender]:
    """One contender for each group. Where there is a choice, all are timed, so many rounds."""
    groups: dict[str, list[Contender]] = {}
    for contender in contenders:
        groups.setdefault(contender.group, []).append(contender)
    chosen = []
    for group, ours in groups.items():
        best = ours[0]
        if len(ours) > 1:
            stats = measure(timer, [contender.launch for contender in ours], rounds)
            times = [stat.median for stat in stats]
            best = ours[times.index(min(times))]
            entry.candidates[group] = {
                contender.config: time for contender, time in zip(ours, times, strict=True)
            }
        chosen.append(best)
    return chosen


def compare(torch: Any, timer: Timer, problem: Problem, options: argparse.Namespace) -> Entry:
    entry = Entry(problem)
    target = target_of(*torch.cuda.get_device_capability(0))
    compiled, entry.failed = compile_variants(problem, our_variants(problem, options), target)
    try:
        tensors = problem.allocate(torch)
    except torch.cuda.OutOfMemoryError:
        entry.skipped = "not enough GPU memory"
        return entry
    contenders = [make_contender(torch, problem, tensors, each) for each in compiled]
    peers = problem.peers(torch, tensors, options.groups)
    contenders += [peer for peer in peers if peer.group in options.groups]
    contenders = usable(torch, contenders, tensors, entry)
    rounds = options.rounds if options.layouts else SELECTION_ROUNDS
    chosen = fastest_of_groups(timer, contenders, entry, rounds)
    stats = measure(timer, [contender.launch for contender in chosen], options.rounds)
    for contender, stat in zip(chosen, stats, strict=True):
        entry.best[contender.group] = (contender.config, stat)
    return entry


def progress(entry: Entry) -> str:
    shown = [f"{entry.problem.title} {entry.problem.shape}:"]
    for group in entry.best:
        shown.append(f"{group} {entry.rate(group):.0f}")
    shown.append(entry.problem.unit)
    if entry.wrong:
        shown.append("WRONG: " + ", ".join(entry.wrong))
    shown += [f"FAILED: {name}: {reason}" for name, reason in entry.failed.items()]
    return " ".join(shown) if not entry.skipped else f"{shown[0]} skipped, {entry.skipped}"


def run(options: argparse.Namespace) -> int:
    problems = select_problems(options)
    if options.dry_run:
        return dry_run(problems, options)
    torch = open_gpu()
    environment = describe_environment(torch, options)
    timer = TorchTimer(torch)
    record = Record(options.json, environment, "results")
    entries = []
    for problem in problems:
        entries.append(compare(torch, timer, problem, options))
        record.add(entries[-1].to_json())
        print(progress(entries[-1]), file=sys.stderr, flush=True)
        torch.cuda.empty_cache()
    tables = markdown(environment, entries)
    if options.layouts:
        tables += layouts_markdown(entries, VARIANT_LAYOUTS)
    elif any(US in entry.candidates for entry in entries):
        tables += variants_markdown(entries)
    print(tables)
    if options.markdown:
        options.markdown.write_text(tables)
    record.finish()
    return 0 if all(entry.is_good for entry in entries) else 1


def main() -> int:
    options = parse_arguments()
    return run_script("compare.py", lambda: run(options))


if __name__ == "__main__":
    sys.exit(main())
