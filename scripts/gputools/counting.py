"""Runs kernels under ncu, many in one process, and says what it counted of each.

ncu takes seconds to start and a tenth of a second to count a small kernel.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gputools.server import Server
from gputools.tools import Finished, Run, ToolError, find_nvidia, parse_result
from gputools.wavefronts import Launch, find_unknown, parse_ncu


@dataclass(frozen=True)
class Counted:
    """What tile-run said of a run, and ncu of its launch."""

    result: dict[str, Any]
    launch: Launch
    seconds: float


# Processes in which nothing was counted, before the rest is given up.
MOST_FAILURES = 3

# A run that could not be counted is why.
Outcome = Counted | ToolError


def kernel_name(run: Run) -> str:
    """The name of the one kernel of a run."""
    text = run.text
    if text is None:
        try:
            text = run.file.read_text()
        except OSError as error:
            raise ToolError(f"cannot read {run.file}: {error.strerror}") from error
    names = re.findall(r"^\s*tile\.kernel @\s*([^(\s]+)", text, re.MULTILINE)
    if len(names) != 1:
        raise ToolError(f"{run.file} has {len(names)} kernels; profiling needs a file with one")
    return str(names[0])


def _ncu(kernels: set[str], metrics: Sequence[str], log: Path) -> list[str | Path]:
    return [
        find_nvidia("ncu"),
        *("--target-processes", "all"),
        *("--clock-control", "none"),
        "--csv",
        *("--print-units", "base"),
        *("--log-file", log),
        *("--metrics", ",".join(metrics)),
        *("--kernel-name", f"regex:^({'|'.join(sorted(kernels))})$"),
    ]


def _run(runs: list[Run], metrics: Sequence[str], timeout: float) -> tuple[list[Finished], str]:
    """The results up to the first that failed, and what ncu said of them."""
    finished: list[Finished] = []
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "ncu.csv"
        kernels = {kernel_name(run) for run in runs}
        with Server("cuda", _ncu(kernels, metrics, log)) as server:
            for run in runs:
                finished.append(server.ask(run, [], timeout))
                if not server.is_open:
                    break
            else:
                server.close()
        return finished, log.read_text(errors="replace") if log.exists() else ""


def _result_of(finished: Finished) -> dict[str, Any] | ToolError:
    try:
        return parse_result(finished)
    except ToolError as error:
        return error


def _attribute(finished: list[Finished], said: str) -> list[Outcome]:
    """Launches of one name belong to the runs of that kernel, in their order."""
    results = [_result_of(each) for each in finished]
    try:
        launches = parse_ncu(said)
    except ToolError as error:
        return [result if isinstance(result, ToolError) else error for result in results]
    seen: defaultdict[str, list[Launch]] = defaultdict(list)
    for launch in launches:
        seen[launch.kernel].append(launch)
    good = [result for result in results if not isinstance(result, ToolError)]
    asked = Counter(result["kernel"] for result in good if result["launched"])

    def find(result: dict[str, Any] | ToolError, seconds: float) -> Outcome:
        if isinstance(result, ToolError):
            return result
        name = result["kernel"]
        if not result["launched"]:
            return ToolError(f"{name} had nothing to launch")
        if len(seen[name]) != asked[name]:
            return ToolError(
                f"ncu profiled {len(seen[name])} launches of {name}, not {asked[name]}"
            )
        return Counted(result, next(turns[name]), seconds)

    turns = {name: iter(ours) for name, ours in seen.items()}
    return [find(result, each.seconds) for result, each in zip(results, finished, strict=True)]


def count(runs: Sequence[Run], metrics: Sequence[str], timeout: float) -> list[Outcome]:
    """Counts all runs: in one process, but that a run that fails ends it, and the next begins
    another. Metrics that ncu does not know are left out in a second try."""
    outcomes: list[Outcome] = []
    failures = 0
    while (rest := runs[len(outcomes) :]) and failures < MOST_FAILURES:
        finished, said = _run(list(rest), metrics, timeout)
        unknown = find_unknown(said + finished[-1].stdout + finished[-1].stderr, metrics)
        if unknown and '"ID"' not in said:
            metrics = [name for name in metrics if name not in unknown]
            continue
        counted = _attribute(finished, said)
        outcomes += counted
        failures = 0 if any(isinstance(each, Counted) for each in counted) else failures + 1
    # Nothing works here, and each process would take seconds to say so.
    return outcomes + [outcomes[-1]] * len(rest)
