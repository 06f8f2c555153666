#!/usr/bin/env python3
"""Times the host's part of a launch whose tensor maps are those of the launch before, or others.

    benchmarks/launch_maps.py --json launch-maps.json

A product of 256^3, with three maps, and the same kernel with tiles that have none. In turns: with
the same matrices each time, two sets of them in turn, 64 sets in turn, and an A that begins
elsewhere each time. A round is a hundred launches, with a wait behind them that is not timed; a
time is the median of the rounds, by the launches of one. It needs the package, PyTorch and a GPU
with tensor maps.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from bench.product_kernel import product_kernel
from bench.record import write_json

SIZE, SETS, COUNT, STEP = 256, 64, 100, 8
WITH_MAPS = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "num_warps": 4, "num_stages": 3}
WITHOUT = {**WITH_MAPS, "BLOCK_M": 32, "BLOCK_N": 64, "BLOCK_K": 32}


def main() -> None:
    import torch

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--rounds", type=int, default=120)
    arguments = parser.parse_args()

    def half(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, device="cuda", dtype=torch.float16)

    a, b, c = ([half(SIZE, SIZE) for _ in range(SETS)] for _ in range(3))
    bias, scales, residual = half(SIZE), torch.zeros(SIZE, device="cuda"), half(SIZE, SIZE)
    fresh = iter(half(SIZE * SIZE + STEP * COUNT * arguments.rounds).unfold(0, SIZE * SIZE, STEP))

    def launch(x: torch.Tensor, number: int, options: dict[str, int]) -> None:
        product_kernel[(2, 2)](
            x, b[number], c[number], bias, scales, residual, SIZE, SIZE, SIZE,
            REST=0, A_ACROSS=False, B_ACROSS=False, EPILOGUE="", **options,
        )  # fmt: skip

    def time_of(
        chosen: Callable[[int], tuple[torch.Tensor, int]], options: dict[str, int]
    ) -> float:
        matrices = [chosen(index) for index in range(COUNT)]
        torch.cuda.synchronize()
        start = time.perf_counter_ns()
        for x, number in matrices:
            launch(x, number, options)
        end = time.perf_counter_ns()
        torch.cuda.synchronize()
        return (end - start) / COUNT

    cases = {
        "same, without maps": (lambda index: (a[0], 0), WITHOUT),
        "64 in turn, without maps": (lambda index: (a[index % SETS], index % SETS), WITHOUT),
        "same": (lambda index: (a[0], 0), WITH_MAPS),
        "two in turn": (lambda index: (a[index % 2], index % 2), WITH_MAPS),
        "64 in turn": (lambda index: (a[index % SETS], index % SETS), WITH_MAPS),
        "A elsewhere each time": (lambda index: (next(fresh).view(SIZE, SIZE), 0), WITH_MAPS),
    }
    for options in (WITH_MAPS, WITHOUT):
        time_of(cases["64 in turn"][0], options)
    times: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(arguments.rounds):
        for name, (chosen, options) in cases.items():
            times[name].append(time_of(chosen, options))
    nanoseconds = {
        name: {"median": round(statistics.median(each), 1), "least": round(min(each), 1)}
        for name, each in times.items()
    }
    record = {"device": torch.cuda.get_device_name(), "complete": True, "nanoseconds": nanoseconds}
    print(json.dumps(record, indent=1))
    write_json(arguments.json, record)


if __name__ == "__main__":
    main()
