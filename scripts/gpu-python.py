#!/usr/bin/env python3
"""Tries kernels in Python on a GPU, beside threads, CUDA graphs and PyTorch; prints JSON.

    PYTHONPATH=build/python scripts/gpu-python.py --json gpu-python.json

  launch cost            what a launch takes of the host, beyond the driver's own part
  graph                  a launch captured in a CUDA graph, and replayed
  first call in a graph  one that compiles and loads its code meanwhile
  times                  testing.do_bench and do_bench_cudagraph beside events of PyTorch
  compiled operator      torch.library.custom_op and torch.compile: examples/torch
  tuning by graphs       autotune(use_cuda_graph=True), with results on disk
  other device           arrays of a GPU that is not the current one; needs two
  threads                many that launch many kernels; memory of host and GPU is not to grow

Each step runs in a process of its own, so that a fault of the GPU ends with it, and is ended where
it takes too long. What needs PyTorch and a GPU is skipped without them; threads are then tried in
the simulator. The exit status is 1 if a step failed.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from pathlib import Path
from typing import Any

from gputools.library_steps import make_steps
from gputools.package_steps import run_step
from gputools.tools import call, run_script


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", metavar="TEXT,...", help="steps whose names have one of these")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the record here, too")
    parser.add_argument("--seconds", type=float, default=60, help="of the threads (default: 60)")
    parser.add_argument(
        "--step-timeout", type=float, default=300, metavar="S", help="for one step (default: 300)"
    )
    parser.add_argument("--step", help=argparse.SUPPRESS)
    return parser.parse_args()


def run_apart(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """One step, in another process."""
    command = [sys.executable, __file__, f"--step={name}", f"--seconds={options.seconds}"]
    finished = call(command, options.step_timeout)
    record: dict[str, Any] = {"step": name, "seconds": round(finished.seconds, 1)}
    lines = finished.stdout.splitlines()
    if finished.code or not lines:
        return {**record, "status": "FAILED", "detail": finished.complaint(), "data": {}}
    return {**record, **json.loads(lines[-1])}


def run(options: argparse.Namespace) -> int:
    steps = make_steps(options.seconds)
    if options.step:
        print(json.dumps(run_step(steps[options.step])))
        return 0
    wanted = options.only.split(",") if options.only else [""]
    outcomes = []
    for name in steps:
        if any(text in name for text in wanted):
            outcomes.append(run_apart(name, options))
            outcome = outcomes[-1]
            line = f"{outcome['status']:<8}{outcome['seconds']:6.1f} s  {name}: {outcome['detail']}"
            print(line, file=sys.stderr, flush=True)
    record = json.dumps({"host": platform.platform(), "steps": outcomes}, indent=2)
    print(record)
    if options.json:
        options.json.write_text(record + "\n", encoding="utf-8")
    return 0 if all(each["status"] != "FAILED" for each in outcomes) else 1


def main() -> int:
    options = parse_arguments()
    return run_script("gpu-python.py", lambda: run(options))


if __name__ == "__main__":
    sys.exit(main())
