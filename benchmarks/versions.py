#!/usr/bin/env python3
"""Times what two versions of the compiler make of the same kernels, in turns.

    TILEWRIGHT_BIN=old/bin benchmarks/versions.py compile old.json
    TILEWRIGHT_BIN=new/bin benchmarks/versions.py compile new.json
    benchmarks/versions.py time old.json new.json --json result.json

`compile` needs no GPU. It writes the code and the launch facts of every problem of a shapes file
(default: versions.json beside this file) for every target of --targets; a GPU of compute capability
9.0 runs the code for sm_80, sm_86 and sm_89 too. `time` needs a GPU and PyTorch. Kernels with the
same code are not timed. Short kernels take more rounds than --rounds. Ratios are new by old, of the
means of the middle half: above 1 is slower. The exit status is 1 if a result was wrong, or with
--limit if a ratio is above it.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import Any

from bench.ours import Compiled, compile_variant, make_contender
from bench.problem import Problem, Variant
from bench.record import Record
from bench.shapes import read_shapes
from bench.timing import TorchTimer, measure
from compare import describe_environment, is_right, open_gpu
from gputools.tools import run_script

SHAPES = Path(__file__).resolve().parent / "versions.json"

# Of each kernel in all its rounds. Of 41 rounds of 35 us, the same code was 0.98 to 1.02 of itself;
# of 2,000, 1.001.
LEAST_MICROSECONDS = 30_000


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--shapes", type=Path, default=SHAPES)
    commands = parser.add_subparsers(dest="command", required=True)
    compiling = commands.add_parser("compile", help="write the code of all problems")
    compiling.add_argument("output", type=Path)
    compiling.add_argument("--targets", default="sm_80,sm_86,sm_89,sm_90a")
    timing = commands.add_parser("time", help="time two versions' code in turns")
    timing.add_argument("old", type=Path)
    timing.add_argument("new", type=Path)
    timing.add_argument("--rounds", type=int, default=41)
    timing.add_argument("--limit", type=float, metavar="RATIO", help="the largest ratio allowed")
    timing.add_argument("--json", type=Path, metavar="PATH")
    options = parser.parse_args()
    # What compare.py's description of a machine asks for.
    options.groups = frozenset()
    return options


def compile_all(problems: list[Problem], options: argparse.Namespace) -> int:
    record: dict[str, Any] = {}
    for target in options.targets.split(","):
        for problem in problems:
            one = compile_variant(problem, Variant(problem.source), target)
            record[f"{target} {problem.title} {problem.shape}"] = {
                "ptx": one.code,
                "report": one.report,
            }
    options.output.write_text(json.dumps(record))
    return 0


def without_lines(ptx: str) -> str:
    """The code without comments and the lines of the source, which say nothing of what it does."""
    lines = (line.split("//")[0].rstrip() for line in ptx.splitlines())
    return "\n".join(line for line in lines if line and not line.lstrip().startswith(".loc"))


def time_pair(
    torch: Any, problem: Problem, pair: list[dict[str, Any]], rounds: int
) -> dict[str, Any]:
    tensors = problem.allocate(torch)
    contenders = [
        make_contender(
            torch, problem, tensors, Compiled(Variant(problem.source), one["ptx"], one["report"])
        )
        for one in pair
    ]
    right = all(is_right(torch, problem, contender, tensors) for contender in contenders)
    timer = TorchTimer(torch)
    launches = [each.launch for each in contenders]
    first, _ = measure(timer, launches, 5)
    rounds = max(rounds, math.ceil(LEAST_MICROSECONDS / first.median))
    old, new = measure(timer, launches, rounds)
    return {
        "right": right,
        "rounds": rounds,
        "old_us": old.median,
        "new_us": new.median,
        "ratio": new.middle / old.middle,
        "ratio_of_medians": new.median / old.median,
        "ratio_of_least": new.min / old.min,
        "spread": max(old.spread, new.spread),
    }


def time_all(problems: list[Problem], options: argparse.Namespace) -> int:
    torch = open_gpu()
    versions = [json.loads(path.read_text()) for path in (options.old, options.new)]
    names = {f"{problem.title} {problem.shape}": problem for problem in problems}
    record = Record(options.json, describe_environment(torch, options), "results")
    results: list[dict[str, Any]] = record.content["results"]
    same = 0
    for key in versions[0]:
        problem = names[key.split(" ", 1)[1]]
        pair = [version[key] for version in versions]
        if without_lines(pair[0]["ptx"]) == without_lines(pair[1]["ptx"]):
            same += 1
            continue
        result = {"problem": key, **time_pair(torch, problem, pair, options.rounds)}
        record.add(result)
        print(
            f"{key}: {result['ratio']:.4f} ({result['old_us']:.1f} us)", file=sys.stderr, flush=True
        )
        torch.cuda.empty_cache()
    record.finish(same=same)
    print(f"{same} with the same code, {len(results)} timed")
    for result in sorted(results, key=lambda each: -each["ratio"])[:10]:
        print(f"{result['ratio']:.4f} {result['problem']}, spread {result['spread']:.4f}")
    good = all(result["right"] for result in results)
    if options.limit:
        good &= all(result["ratio"] <= options.limit for result in results)
    return 0 if good else 1


def run(options: argparse.Namespace) -> int:
    problems = read_shapes(options.shapes)
    return {"compile": compile_all, "time": time_all}[options.command](problems, options)


def main() -> int:
    options = parse_arguments()
    return run_script("versions.py", lambda: run(options))


if __name__ == "__main__":
    sys.exit(main())
