#!/usr/bin/env python3
"""Times the kernels of examples/python beside the same source compiled by Triton.

    benchmarks/python_kernels.py --json results.json --markdown results.md
    benchmarks/python_kernels.py --only matmul,softmax --rounds 15

All in one process on one GPU, at the sizes of bench/python_cases.py. Both launch each kernel with
the same parameters; where there are several configurations, all are timed, and the ratio is that of
the one that Triton is fastest with. Results are compared with PyTorch's before anything is timed.
Before all, fresh processes make the first launch of a matrix product, and tell what it took of the
host.
Needs the package tilewright, torch, triton and numpy, and no other program.

The exit status is 1 if a result was wrong or a kernel of ours could not be run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from bench.beside_triton import Outcome, describe_environment, is_good, require_gpu, run_work
from bench.both_languages import OURS, TRITON, give_triton_memory, load_ours, load_triton
from bench.first_call import measure_first_calls
from bench.python_cases import CASES
from bench.python_table import markdown
from bench.record import Record
from bench.timing import TorchTimer
from gputools.tools import run_script


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", metavar="TEXT,...", help="cases whose names have one of these")
    parser.add_argument("--rounds", type=int, default=31, help="timed runs of each (default: 31)")
    parser.add_argument("--without-first-call", action="store_true", help="time the GPU only")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the record here")
    parser.add_argument("--markdown", type=Path, metavar="PATH", help="write the tables here")
    parser.add_argument("--list", action="store_true", help="print the cases and run none")
    options = parser.parse_args()
    if options.rounds < 2:
        parser.error("--rounds: two or more")
    wanted = options.only.split(",") if options.only else [""]
    options.cases = [name for name in CASES if any(text in name for text in wanted)]
    if not options.cases:
        parser.error("--only: no case is left; --list prints all")
    return options


def progress(outcome: Outcome) -> str:
    ratio = outcome.ratio()
    shown = f"{outcome.name}: " + ("-" if ratio is None else f"{ratio:.3f} of Triton's speed")
    faults = [*outcome.wrong, *(f"{who}: {why}" for who, why in outcome.failed.items())]
    return "\n    ".join([shown, *faults])


def run(options: argparse.Namespace) -> int:
    if options.list:
        print("\n".join(options.cases))
        return 0
    torch = require_gpu()
    environment = describe_environment(torch, options.rounds)
    # Before this process takes the GPU's memory.
    first_calls = {} if options.without_first_call else measure_first_calls()
    timer = TorchTimer(torch)
    record = Record(options.json, {**environment, "first_calls": first_calls}, "results")
    outcomes = []
    with tempfile.TemporaryDirectory() as folder:
        languages = {OURS: load_ours(), TRITON: load_triton(Path(folder))}
        give_triton_memory()
        for name in options.cases:
            torch.manual_seed(0)
            work = CASES[name](torch)
            outcomes.append(run_work(torch, timer, name, work, languages, options.rounds))
            record.add(outcomes[-1].to_json())
            print(progress(outcomes[-1]), file=sys.stderr, flush=True)
            torch.cuda.empty_cache()
    record.finish()
    tables = markdown(record.content)
    print(tables)
    if options.markdown:
        options.markdown.write_text(tables)
    return 0 if all(map(is_good, outcomes)) else 1


def main() -> int:
    options = parse_arguments()
    return run_script("python_kernels.py", lambda: run(options))


if __name__ == "__main__":
    sys.exit(main())
