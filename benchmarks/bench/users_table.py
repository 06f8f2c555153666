"""The record of user_kernels.py as a table for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bench.both_languages import OURS, TRITON
from bench.python_table import find_fastest
from bench.record import describe_peers, geometric_mean, table

HEADS = ("kernel", "ours, us", "Triton, us", "of Triton", "ours in", "Triton in", "faults")


def _cells(result: Mapping[str, Any]) -> list[str]:
    times = result["microseconds"]
    configs = [find_fastest(times, each) for each in (OURS, TRITON)]
    medians = [
        "-" if config is None else f"{times[config][each]['median']:.1f}"
        for config, each in zip(configs, (OURS, TRITON), strict=True)
    ]
    ratio = result["ratio_of_best"]
    faults = ["WRONG: " + each for each in result["wrong"]]
    faults += ["failed: " + each for each in result["failed"]]
    return [
        result["case"], *medians, "-" if ratio is None else f"{ratio:.3f}",
        *(each or "-" for each in configs), "; ".join(faults),
    ]  # fmt: skip


def _order(result: Mapping[str, Any]) -> float:
    ratio = result["ratio_of_best"]
    return 0.0 if ratio is None else float(ratio)


def markdown(record: Mapping[str, Any]) -> str:
    """Microseconds of each in its fastest configuration, and Triton's by ours, the least first."""
    results = sorted(record["results"], key=_order)
    ratios = [each["ratio_of_best"] for each in results if each["ratio_of_best"]]
    lines = [describe_peers(record), "", f"{record['rounds']} rounds. {record['method']}", ""]
    if ratios:
        near = sum(ratio >= 0.97 for ratio in ratios)
        mean = geometric_mean(ratios)
        lines += [
            f"{near} of {len(ratios)} are at least 0.97, all {mean:.2f} in geometric mean.",
            "",
        ]
    return "\n".join([*lines, *table(HEADS, map(_cells, results))]) + "\n"
