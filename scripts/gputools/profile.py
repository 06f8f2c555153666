"""Counts the shared-memory wavefronts of kernels and compares them with the compiler's report.

The command behind scripts/profile.sh, which says how to use it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gputools.counting import Counted, count
from gputools.server import Servers
from gputools.tools import Run, ToolError, parse_result, run_script
from gputools.wavefronts import (
    ALL_METRICS,
    METRICS,
    Comparison,
    Counts,
    compare,
    counts_of_ncu,
    counts_of_simulator,
    predict,
)

LAYOUTS = ("none", "pad", "swizzle", "auto")


@dataclass(frozen=True)
class Profile:
    """What one run showed: of which kernel, in which layouts, the comparison, and all metrics of
    ncu."""

    run: Run
    kernel: str
    layouts: list[str]
    comparison: Comparison
    metrics: dict[str, int] = field(default_factory=dict)
    seconds: float = 0

    def to_json(self) -> dict[str, Any]:
        return {
            "file": self.run.file.name,
            "args": self.run.args,
            "shared_layout": self.run.layout,
            "kernel": self.kernel,
            "tiles": self.layouts,
            "agrees": self.comparison.agrees,
            **self.comparison.to_json(),
            "metrics": self.metrics,
        }


def _describe(
    run: Run, result: dict[str, Any], counted: Counts, metrics: dict[str, int], seconds: float
) -> Profile:
    layouts = [f"{tile['type']}: {tile['layout']}" for tile in result["report"]["tiles"]]
    comparison = compare(predict(result), counted)
    return Profile(run, result["kernel"], layouts, comparison, metrics, seconds)


def _simulate(servers: Servers, run: Run, timeout: float) -> Profile | ToolError:
    try:
        finished = servers.ask(run, [], timeout)
        result = parse_result(finished)
        return _describe(run, result, counts_of_simulator(result), {}, finished.seconds)
    except ToolError as error:
        return error


def _describe_counted(run: Run, counted: Counted | ToolError) -> Profile | ToolError:
    if isinstance(counted, ToolError):
        return counted
    try:
        counts = counts_of_ncu(counted.launch)
    except ToolError as error:
        return error
    return _describe(run, counted.result, counts, counted.launch.metrics, counted.seconds)


def profile_all(
    runs: Sequence[Run],
    device: str = "cuda",
    timeout: float = 120,
    metrics: Sequence[str] = ALL_METRICS,
) -> list[Profile | ToolError]:
    """Runs each kernel once and compares. Device `cuda` counts with ncu, `sim` in the simulator. A
    run that could not be counted is why."""
    if device == "sim":
        with Servers("sim") as servers:
            return [_simulate(servers, run, timeout) for run in runs]
    counted = count(runs, metrics, timeout)
    return [_describe_counted(run, each) for run, each in zip(runs, counted, strict=True)]


def format_profile(profiled: Profile) -> str:
    """A short table."""
    predicted, counted = profiled.comparison.predicted, profiled.comparison.counted
    rows = [("", "predicted", "counted")]
    for column in METRICS:
        found = getattr(counted, column)
        shown = "-" if found is None else f"{found}"
        rows.append((column.replace("_", " "), f"{getattr(predicted, column)}", shown))
    lines = [
        f'{profiled.run.file.name} --args "{profiled.run.args}" '
        f"--shared-layout={profiled.run.layout}"
    ]
    lines += [f"  tile {tile}" for tile in profiled.layouts]
    lines += [f"  {name:<18}{left:>14}{right:>14}" for name, left, right in rows]
    lines += [f"  {name:<75}{value:>14}" for name, value in profiled.metrics.items()]
    lines += [f"  MISMATCH {difference}" for difference in profiled.comparison.differences]
    return "\n".join(lines)


def read_list(path: Path) -> list[Run]:
    """Runs from a JSON list: [{"file": ..., "args": ..., "layouts": [...]}, ...].

    Files are relative to the list. Without layouts, all of them.
    """
    try:
        entries = json.loads(path.read_text())
        return [
            Run((path.parent / entry["file"]).resolve(), entry["args"], layout)
            for entry in entries
            for layout in entry.get("layouts", LAYOUTS)
        ]
    except OSError as error:
        raise ToolError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ToolError(
            f'{path}: not a list of {{"file": ..., "args": ..., "layouts": [...]}}: {error!r}'
        ) from error


def _parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="profile.sh",
        description="Counts the shared-memory wavefronts of a kernel with Nsight Compute and "
        "prints them beside those that the compiler predicted. Exit status 1: they differ.",
    )
    parser.add_argument("file", type=Path, nargs="?", help="a file with one kernel")
    parser.add_argument("--args", default="", help='the kernel\'s scalars: "M=4096 N=4096"')
    parser.add_argument(
        "--shared-layout",
        action="append",
        metavar="LAYOUT",
        help="auto, none, pad, pad:N or swizzle; several times for several (default: auto)",
    )
    parser.add_argument("--num-warps", type=int, help="warps a program")
    parser.add_argument("--list", type=Path, help="a JSON list of files, arguments and layouts")
    parser.add_argument("--json", type=Path, help="where to write the results")
    parser.add_argument(
        "--device",
        choices=("cuda", "sim"),
        default="cuda",
        help="sim: count in the simulator, without a GPU",
    )
    options = parser.parse_args(arguments)
    if (options.file is None) == (options.list is None):
        parser.error("give either a file or --list")
    return options


def _runs_of(options: argparse.Namespace) -> list[Run]:
    if options.list:
        return read_list(options.list)
    extra = (f"--num-warps={options.num_warps}",) if options.num_warps else ()
    layouts = options.shared_layout or ["auto"]
    return [Run(options.file, options.args, layout, extra) for layout in layouts]


def _run(options: argparse.Namespace) -> int:
    profiles = []
    for profiled in profile_all(_runs_of(options), options.device):
        if isinstance(profiled, ToolError):
            raise profiled
        profiles.append(profiled)
        print(format_profile(profiled), flush=True)
    if options.json:
        results = [profiled.to_json() for profiled in profiles]
        options.json.write_text(json.dumps(results, indent=2) + "\n")
    return 0 if all(profiled.comparison.agrees for profiled in profiles) else 1


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse_arguments(arguments)
    return run_script("profile.sh", lambda: _run(options))


if __name__ == "__main__":
    sys.exit(main())
