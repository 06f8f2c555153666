"""The JSON record and the Markdown table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from bench.problem import US, Problem
from bench.record import describe_peers, table
from bench.timing import Stats

# What we are compared with, and how the table calls it.
PEERS = {"copy": "copy", "triton": "Triton", "torch": "torch"}


@dataclass
class Entry:
    """One problem's outcome. `best`: of each group, its fastest configuration and times.
    `candidates`: of each group, all its configurations and their median times. `wrong`: whose
    output was not the expected one; `failed`: which could not be run, and why. Neither is timed."""

    problem: Problem
    best: dict[str, tuple[str, Stats]] = field(default_factory=dict)
    candidates: dict[str, dict[str, float]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    skipped: str = ""

    @property
    def is_good(self) -> bool:
        """Everyone was right, and ours could be run."""
        return not self.wrong and (self.skipped != "" or US in self.best)

    def rate(self, group: str) -> float:
        """Work a second, in the problem's unit."""
        microseconds = self.best[group][1].median
        return self.problem.work / (microseconds * 1e-6) / self.problem.unit_work

    def ratio(self, peer: str) -> float | None:
        """Our rate by a peer's; None where one of them did not run."""
        if US not in self.best or peer not in self.best:
            return None
        return self.best[peer][1].median / self.best[US][1].median

    def to_json(self) -> dict[str, Any]:
        return {
            "problem": self.problem.name,
            "dtype": self.problem.dtype,
            "sizes": self.problem.sizes,
            "work": self.problem.work,
            "unit": self.problem.unit,
            "contenders": {
                group: {
                    "config": config,
                    "rate": round(self.rate(group), 1),
                    "microseconds": asdict(stats),
                }
                for group, (config, stats) in self.best.items()
            },
            "candidates": self.candidates,
            "ratios": {peer: self.ratio(peer) for peer in PEERS},
            "wrong": self.wrong,
            "failed": self.failed,
            "skipped": self.skipped,
        }


def _cells(entry: Entry) -> list[str]:
    problem = entry.problem
    cells = [problem.title, problem.shape]
    if entry.skipped:
        return [*cells, f"skipped: {entry.skipped}"]
    for group in (US, *PEERS):
        cells.append(f"{entry.rate(group):.0f}" if group in entry.best else "-")
    for peer in PEERS:
        ratio = entry.ratio(peer)
        cells.append("-" if ratio is None else f"{ratio:.2f}")
    spread = entry.best[US][1].spread if US in entry.best else None
    cells.append("-" if spread is None else f"{spread:.1%}")
    cells.append("WRONG: " + ", ".join(entry.wrong) if entry.wrong else "yes")
    return cells


def markdown(environment: Mapping[str, Any], entries: list[Entry]) -> str:
    """A table for people: rates, and ours by each peer's."""
    units = ", ".join(dict.fromkeys(entry.problem.unit for entry in entries))
    heads = ["problem", "shape", "us", *PEERS.values()]
    heads += [f"us / {name}" for name in PEERS.values()] + ["spread", "right"]
    rounds = f"Rates in {units}; {environment['rounds']} rounds. {environment['method']}"
    rows = [_cells(entry) for entry in entries]
    rows = [[*cells, *[""] * (len(heads) - len(cells))] for cells in rows]
    lines = [describe_peers(environment), "", rounds, "", *table(heads, rows)]
    return "\n".join(lines) + "\n"


def variants_markdown(entries: list[Entry]) -> str:
    """All configurations of each group that had several, the fastest first."""
    lines = []
    for entry in entries:
        for group, times in entry.candidates.items():
            lines += ["", f"{entry.problem.title} {entry.problem.shape}, {group}:", ""]
            rows = []
            for config, time in sorted(times.items(), key=lambda item: item[1]):
                rate = entry.problem.work / (time * 1e-6) / entry.problem.unit_work
                rows.append([config, f"{time:.1f}", f"{rate:.0f} {entry.problem.unit}"])
            lines += table(["configuration", "us", "rate"], rows)
    return "\n".join(lines) + "\n"


def layouts_markdown(entries: list[Entry], layouts: list[str]) -> str:
    """Our time with each shared layout, and that of `auto` by the best of them. A layout with the
    code of one before it has no time of its own."""
    heads = ["problem", "shape", *(f"{layout}, us" for layout in layouts), "auto / best"]
    rows = []
    for entry in entries:
        times = entry.candidates.get(US)
        if times is None:
            times = {entry.best[US][0]: entry.best[US][1].median} if US in entry.best else {}
        cells = []
        for layout in layouts:
            other = "failed" if f"{US} {layout}" in entry.failed else "same"
            cells.append(f"{times[layout]:.1f}" if layout in times else other)
        ratio = f"{times['auto'] / min(times.values()):.3f}" if "auto" in times else "-"
        rows.append([entry.problem.title, entry.problem.shape, *cells, ratio])
    return "\n".join(["", *table(heads, rows)]) + "\n"
