"""What a benchmark does that runs the same kernels in both languages: cases, checked and timed."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from bench.both_languages import OURS, TRITON
from bench.timing import METHOD, ORDER_SEED, Stats, TorchTimer, measure
from bench.work import Work, describe, find_mistake
from gputools.tools import ToolError, call


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


def run_work(
    torch: Any, timer: TorchTimer, name: str, work: Work,
    languages: Mapping[str, Mapping[str, ModuleType]], rounds: int,
) -> Outcome:  # fmt: skip
    """Checks each configuration of each language, and times those that are right."""
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


def require_gpu() -> Any:
    """PyTorch, which sees a GPU."""
    try:
        import torch
    except ImportError as error:
        raise ToolError(f"this needs PyTorch ({error})") from error
    if not torch.cuda.is_available():
        raise ToolError("PyTorch sees no GPU")
    return torch


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
        "order_seed": ORDER_SEED,
    }


def is_good(outcome: Outcome) -> bool:
    """All that ran were right, and ours ran."""
    return not outcome.wrong and outcome.fastest(OURS) is not None
