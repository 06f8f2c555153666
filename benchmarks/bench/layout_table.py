"""The comparison of a kernel's layouts with Triton's, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.layout_counts import Counts
from bench.record import table

_HEADS = ("wavefronts", "conflicts", "shuffles", "bytes", "barriers")


@dataclass(frozen=True)
class Comparison:
    """Of a block of each. `layouts`: of our shared tiles."""

    name: str
    target: str
    warps: int
    ours: Counts
    triton: Counts
    layouts: Sequence[str] = field(default_factory=list)

    @property
    def wavefront_ratio(self) -> float | None:
        """Ours by Triton's; None where Triton needs none."""
        return _ratio(self.ours.total_wavefronts, self.triton.total_wavefronts)

    @property
    def pass_ratio(self) -> float | None:
        """The same of wavefronts and shuffles together."""
        return _ratio(self.ours.passes, self.triton.passes)

    @property
    def is_worse(self) -> bool:
        return self.ours.total_wavefronts > self.triton.total_wavefronts

    def describe(self) -> str:
        def both(counts: Counts) -> str:
            return f"{_number(counts.total_wavefronts)} + {_number(counts.shuffles)}"

        mark = " MORE" if self.is_worse else ""
        return f"{self.name}: us {both(self.ours)}, Triton {both(self.triton)}{mark}"

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "target": self.target,
            "warps": self.warps,
            "us": self.ours.to_json(),
            "triton": self.triton.to_json(),
            "wavefront_ratio": self.wavefront_ratio,
            "pass_ratio": self.pass_ratio,
            "layouts": list(self.layouts),
        }


def _number(value: float) -> str:
    return f"{value:g}" if isinstance(value, int) else f"{value:.1f}"


def _ratio(ours: float, theirs: float) -> float | None:
    return ours / theirs if theirs else None


def _cells(counts: Counts) -> list[str]:
    kinds = " + ".join(
        f"{_number(count)} {kind}" for kind, count in counts.wavefronts.items() if count
    )
    total = _number(counts.total_wavefronts)
    numbers = (counts.conflicts, counts.shuffles, counts.shared_bytes, counts.barriers)
    return [f"{total} ({kinds})" if kinds else total, *map(_number, numbers)]


def _row(comparison: Comparison) -> list[str]:
    ratios = (comparison.wavefront_ratio, comparison.pass_ratio)
    cells = [comparison.name, str(comparison.warps)]
    cells += _cells(comparison.ours) + _cells(comparison.triton)
    return cells + ["-" if ratio is None else f"{ratio:.2f}" for ratio in ratios]


def _summary(what: str, pairs: Sequence[tuple[float, float]]) -> str:
    """In how many lines we need less, as much, and more."""
    fewer = sum(ours < theirs for ours, theirs in pairs)
    more = sum(ours > theirs for ours, theirs in pairs)
    equal = len(pairs) - fewer - more
    return f"{what}: fewer than Triton's {fewer} times, as many {equal} times, more {more} times."


def markdown(environment: Mapping[str, Any], comparisons: Sequence[Comparison]) -> str:
    """A table, and how often we need less, as much, or more."""
    wavefronts = [(one.ours.total_wavefronts, one.triton.total_wavefronts) for one in comparisons]
    passes = [(one.ours.passes, one.triton.passes) for one in comparisons]
    heads = ["kernel", "warps"]
    heads += [f"us: {_HEADS[0]}", *_HEADS[1:], f"Triton: {_HEADS[0]}", *_HEADS[1:]]
    heads += ["wavefronts, us / Triton", "with shuffles"]
    return "\n".join(
        [
            f"Triton {environment['triton']}, {environment['compiler']}, {environment['date']}. "
            f"{len(comparisons)} kernels.",
            "",
            f"- {_summary('Wavefronts', wavefronts)}",
            f"- {_summary('Wavefronts and shuffles', passes)}",
            "",
            *table(heads, map(_row, comparisons)),
            "",
        ]
    )
