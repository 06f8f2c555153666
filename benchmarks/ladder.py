#!/usr/bin/env python3
"""Times the rungs of examples/ladder beside cuBLAS.

    benchmarks/ladder.py --json ladder.json
    benchmarks/ladder.py --counts

All in one process on one GPU, products of f32 without tf32. With each rung stands what of shared
memory a block takes: wavefronts as the compiler predicts them, and as the simulator counts them.
With --counts that is all, and no GPU is needed. It needs the package tilewright and NumPy, and
torch for times. scripts/ladder-page.py draws the record.

The exit status is 1 if a result was wrong or a count was not as predicted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.ladder_rungs import RUNGS, count
from bench.record import describe_run, write_json
from bench.timing import METHOD, TorchTimer, measure
from gputools.tools import run_script


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--counts", action="store_true", help="count only, without a GPU")
    parser.add_argument("--size", type=int, default=4096, help="M, N and K; default: 4096")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", type=Path, metavar="PATH")
    return parser.parse_args()


def time_rungs(rungs: list[dict[str, Any]], size: int, rounds: int) -> dict[str, Any]:
    import torch

    import tilewright

    torch.backends.cuda.matmul.allow_tf32 = False
    a, b = (torch.randn(size, size, device="cuda") for _ in range(2))
    c = torch.empty_like(a)
    right = a.double() @ b.double()
    launches: list[Callable[[], Any]] = [lambda: torch.matmul(a, b, out=c)]
    for rung, each in zip(rungs, RUNGS, strict=True):
        kernel = tilewright.compile_file(each.file)
        c.fill_(float("nan"))
        kernel(a, b, c)
        error = (c - right).abs().max().item()
        rung["is_right"] = error < 1e-6 * size
        launches.append(lambda kernel=kernel: kernel(a, b, c))  # type: ignore[misc]
    times = measure(TorchTimer(torch), launches, rounds, warmups=1)
    for rung, stats in zip(rungs, times[1:], strict=True):
        rung["microseconds"] = round(stats.median, 1)
        rung["spread"] = round(stats.spread, 3)
        rung["of_cublas"] = round(times[0].median / stats.median, 4)
    return {
        **describe_run(torch),
        "method": METHOD,
        "size": size,
        "cublas_microseconds": round(times[0].median, 1),
    }


def is_good(rung: dict[str, Any]) -> bool:
    predicted, counted = rung["predicted"], rung["counted"]
    same = all(predicted[kind] == counted[kind] for kind in ("wavefronts", "copies"))
    return same and rung.get("is_right", True)


def run() -> int:
    options = parse_arguments()
    rungs = [{"path": rung.path, "idea": rung.idea, **count(rung)} for rung in RUNGS]
    record = {} if options.counts else time_rungs(rungs, options.size, options.rounds)
    record["rungs"] = rungs
    for rung in rungs:
        print(json.dumps(rung))
    write_json(options.json, record)
    return 0 if all(map(is_good, rungs)) else 1


if __name__ == "__main__":
    sys.exit(run_script("ladder.py", run))
