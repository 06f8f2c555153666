"""Runs kernels under compute-sanitizer, many in one process."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gputools.server import Server
from gputools.tools import Finished, Run, find_nvidia

SANITIZERS = ("memcheck", "racecheck")
# compute-sanitizer's exit status where it found something; tile-run has no such one.
FOUND = 86
# "ERROR SUMMARY: 0 errors", "RACECHECK SUMMARY: 0 hazards displayed (...)".
NOTHING_FOUND = re.compile(r"SUMMARY: 0 (errors|hazards)")


@dataclass(frozen=True)
class Sanitized:
    """What tile-run said of a run, and what the sanitizer found: nothing where all is well."""

    finished: Finished
    found: str


def _describe(tool: str, code: int, said: list[str]) -> str:
    """What was found, from the exit status and what the tool said."""
    if code == FOUND:
        return "\n".join(said[:12])
    # Warnings leave the exit status alone, and so does a sanitizer that did not run.
    summary = next((line for line in said if "SUMMARY:" in line), f"{tool} printed no summary")
    return "" if NOTHING_FOUND.search(summary) else "\n".join([summary, *said[:12]])


def _run(tool: str, runs: Sequence[Run], timeout: float) -> list[Sanitized]:
    """Runs all in one process: what is found is found in all of them."""
    finished: list[Finished] = []
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        command: list[str | Path] = [
            find_nvidia("compute-sanitizer"),
            *("--tool", tool),
            *("--error-exitcode", str(FOUND)),
            *("--print-limit", "3"),
            *("--log-file", log),
        ]
        with Server("cuda", command) as server:
            for run in runs:
                finished.append(server.ask(run, ["--check"], timeout))
                if not server.is_open:
                    break
            code = server.close().code if server.is_open else finished[-1].code
        said = log.read_text(errors="replace").splitlines() if log.exists() else []
    found = _describe(tool, code, [line for line in said if line.startswith("=========")])
    return [Sanitized(each, found) for each in finished]


def sanitize(tool: str, runs: Sequence[Run], timeout: float) -> list[Sanitized]:
    """Runs all under one of SANITIZERS. Only where something is found, or a run fails, does each
    have a process of its own, which says in which it is."""
    together = _run(tool, runs, timeout)
    if len(runs) == 1 or (len(together) == len(runs) and not together[0].found):
        return together
    return [each for run in runs for each in _run(tool, [run], timeout)]
