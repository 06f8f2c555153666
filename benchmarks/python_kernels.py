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
import datetime
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from bench.both_languages import OURS, TRITON, give_triton_memory, load_ours, load_triton
from bench.first_call import measure_first_calls
from bench.python_cases import CASES
from bench.python_table import markdown
from bench.record import Record
from bench.timing import METHOD, Stats, TorchTimer, measure
from bench.work import describe, find_mistake
from gputools.tools import ToolError, call, run_script


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


@dataclass
class Outcome:
    """What came of a case. `times`: of each configuration, of each contender."""

    name: str
    work: float = 0.0
    unit: str = ""
    times: dict[str, dict[str, Stats]] = field(default_factory=dict)
    peers: dict[str, Stats] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)

    def fastest(self, contender: str) -> str | None:
        """The configuration that a contender is fastest with."""
        times = {
            config: ours[contender].median
            for config, ours in self.times.items()
            if contender in ours
        }
        return min(times, key=lambda config: times[config]) if times else None

    def ratio(self) -> float | None:
        """Triton's time by ours, in the configuration that suits Triton best."""
        config = self.fastest(TRITON)
        if config is None or OURS not in self.times[config]:
            return None
        return self.times[config][TRITON].median / self.times[config][OURS].median

    def ratio_of_best(self) -> float | None:
        """The same, each in the configuration that suits it best."""
        ours, triton = self.fastest(OURS), self.fastest(TRITON)
        if ours is None or triton is None:
            return None
        return self.times[triton][TRITON].median / self.times[ours][OURS].median

    def to_json(self) -> dict[str, Any]:
        return {
            "case": self.name,
            "work": self.work,
            "unit": self.unit,
            "microseconds": {
                config: {contender: vars(stats) for contender, stats in times.items()}
                for config, times in self.times.items()
            },
            "peers": {name: vars(stats) for name, stats in self.peers.items()},
            "ratio": self.ratio(),
            "ratio_of_best": self.ratio_of_best(),
            "ratio_to_peers": {
                name: stats.median / self.times[best][OURS].median
                for name, stats in self.peers.items()
                if (best := self.fastest(OURS)) is not None
            },
            "wrong": self.wrong,
            "failed": self.failed,
        }


def run_case(
    torch: Any, timer: TorchTimer, name: str, languages: Mapping[str, Mapping[str, ModuleType]],
    rounds: int,
) -> Outcome:  # fmt: skip
    work = CASES[name](torch)
    outcome = Outcome(name, work.work, work.unit)
    launches: dict[tuple[str, str], Callable[[], Any]] = {}
    for options in work.configs:
        for language, modules in languages.items():
            config = describe(options)

            def launch(example: ModuleType = modules[work.module], options: Any = options) -> None:
                work.launch(example, **options)

            try:
                mistake = find_mistake(torch, work, launch)
            except Exception as error:  # Too much shared memory, for one.
                outcome.failed[f"{language}, {config}"] = f"{type(error).__name__}: {error}"
                continue
            if mistake:
                outcome.wrong.append(f"{language}, {config}: {mistake}")
            else:
                launches[config, language] = launch
    peers = dict(work.peers)
    stats = measure(timer, [*launches.values(), *peers.values()], rounds)
    for (config, language), each in zip(launches, stats, strict=False):
        outcome.times.setdefault(config, {})[language] = each
    outcome.peers = dict(zip(peers, stats[len(launches) :], strict=True))
    return outcome


def describe_environment(torch: Any, rounds: int) -> dict[str, Any]:
    import triton

    import tilewright

    smi = call(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"])
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "gpu": torch.cuda.get_device_name(0),
        "driver": smi.stdout.strip().splitlines()[0] if smi.stdout.strip() else "unknown",
        "versions": {
            OURS: tilewright.__version__,
            TRITON: triton.__version__,
            "torch": torch.__version__,
            "python": sys.version.split()[0],
        },
        "rounds": rounds,
        "method": METHOD,
    }


def progress(outcome: Outcome) -> str:
    ratio = outcome.ratio()
    shown = f"{outcome.name}: " + ("-" if ratio is None else f"{ratio:.3f} of Triton's speed")
    faults = [*outcome.wrong, *(f"{who}: {why}" for who, why in outcome.failed.items())]
    return "\n    ".join([shown, *faults])


def is_good(outcome: Outcome) -> bool:
    """All that ran were right, and ours ran."""
    return not outcome.wrong and outcome.fastest(OURS) is not None


def run(options: argparse.Namespace) -> int:
    if options.list:
        print("\n".join(options.cases))
        return 0
    try:
        import torch
    except ImportError as error:
        raise ToolError(f"this needs PyTorch ({error})") from error
    if not torch.cuda.is_available():
        raise ToolError("PyTorch sees no GPU")
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
            outcomes.append(run_case(torch, timer, name, languages, options.rounds))
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
