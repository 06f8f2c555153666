#!/usr/bin/env python3
"""Times kernels as people write them for Triton beside the same source compiled by Triton.

    benchmarks/user_kernels.py --json users.json --markdown users.md
    benchmarks/user_kernels.py --only attention.,gemv --rounds 15
    benchmarks/user_kernels.py --dry-run

The kernels are those of bench/users, by subject. Both compilers launch each with the same
parameters, in all configurations of its list, and each is counted in the one that it is fastest
with. Results are compared with PyTorch's before anything is timed. First, processes compile
everything beside one another, so that the GPU's time goes to launches. With `--dry-run` our
compiler does that for a target, without a GPU, and nothing is run.
Needs the package tilewright, torch, triton and numpy, and no other program; the dry run needs only
tilewright.

The exit status is 1 if a result was wrong or a kernel of ours could not be compiled or run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from bench.beside_triton import Outcome, describe_environment, is_good, require_gpu, run_work
from bench.both_languages import OURS, TRITON, give_triton_memory
from bench.record import Record
from bench.timing import TorchTimer
from bench.users.case import TorchData
from bench.users.collection import CASES, Task, compile_all, load_ours, load_triton
from bench.users_table import markdown
from gputools.tools import run_script


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", metavar="TEXT,...", help="cases whose names, subject.case, have one of these"
    )
    parser.add_argument("--rounds", type=int, default=15, help="timed runs of each (default: 15)")
    parser.add_argument("--jobs", type=int, default=8, help="processes that compile (default: 8)")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the record here")
    parser.add_argument("--markdown", type=Path, metavar="PATH", help="write the table here")
    parser.add_argument("--dry-run", action="store_true", help="compile ours, and run nothing")
    parser.add_argument("--target", default="sm_90a", help="of the dry run (default: sm_90a)")
    parser.add_argument("--list", action="store_true", help="print the cases and run none")
    options = parser.parse_args()
    if options.rounds < 2 or options.jobs < 1:
        parser.error("--rounds: two or more; --jobs: one or more")
    wanted = options.only.split(",") if options.only else [""]
    options.cases = [name for name in CASES if any(text in name for text in wanted)]
    if not options.cases:
        parser.error("--only: no case is left; --list prints all")
    return options


def dry_run(options: argparse.Namespace) -> int:
    tasks = [Task(name, OURS, options.target) for name in options.cases]
    failed = 0
    for made in compile_all(tasks, options.jobs):
        failed += bool(made.failed)
        print(made.describe(), flush=True)
    print(f"{len(tasks)} cases, {failed} failed")
    return 1 if failed else 0


def progress(outcome: Outcome) -> str:
    ratio = outcome.ratio_of_best()
    shown = f"{outcome.name}: " + ("-" if ratio is None else f"{ratio:.3f} of Triton's speed")
    faults = [*outcome.wrong, *(f"{who}: {why}" for who, why in outcome.failed.items())]
    return "\n    ".join([shown, *faults])


def run(options: argparse.Namespace) -> int:
    if options.list:
        print("\n".join(options.cases))
        return 0
    if options.dry_run:
        return dry_run(options)
    torch = require_gpu()
    outcomes = []
    with tempfile.TemporaryDirectory() as folder:
        languages = {OURS: load_ours(), TRITON: load_triton(Path(folder))}
        give_triton_memory()
        tasks = [
            Task(name, language, None, folder) for name in options.cases for language in languages
        ]
        # What fails here fails again below, where it is written down.
        for _ in compile_all(tasks, options.jobs):
            pass
        timer = TorchTimer(torch)
        record = Record(options.json, describe_environment(torch, options.rounds), "results")
        for name in options.cases:
            torch.manual_seed(0)
            try:
                work = CASES[name](TorchData(torch))
                outcome = run_work(torch, timer, name, work, languages, options.rounds)
                del work
            except Exception as error:
                outcome = Outcome(name, failed={"the case": f"{type(error).__name__}: {error}"})
            outcomes.append(outcome)
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
    return run_script("user_kernels.py", lambda: run(options))


if __name__ == "__main__":
    sys.exit(main())
