"""The record of python_kernels.py as tables for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bench.both_languages import OURS, TRITON
from bench.record import describe_peers, table

HEADS = ("case", "configuration", "us", "Triton", "unit", "us / Triton", "best / best", "others")


def find_fastest(times: Mapping[str, Mapping[str, Any]], contender: str) -> str | None:
    """The configuration that a contender is fastest with."""
    known = [config for config in times if contender in times[config]]
    return min(known, key=lambda config: times[config][contender]["median"]) if known else None


def _rate(result: Mapping[str, Any], microseconds: float) -> str:
    scale = {"GB/s": 1e9, "TFLOP/s": 1e12}[result["unit"]]
    return f"{result['work'] / (microseconds * 1e-6) / scale:.0f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _cells(result: Mapping[str, Any]) -> list[str]:
    times = result["microseconds"]
    config = find_fastest(times, TRITON) or find_fastest(times, OURS)
    if config is None:
        return [result["case"], "none ran", *["-"] * (len(HEADS) - 2)]
    rates = [
        _rate(result, times[config][each]["median"]) if each in times[config] else "-"
        for each in (OURS, TRITON)
    ]
    peers = [f"{name} {_rate(result, stats['median'])}" for name, stats in result["peers"].items()]
    faults = ["WRONG: " + each for each in result["wrong"]]
    faults += ["failed: " + each for each in result["failed"]]
    return [
        result["case"], config, *rates, result["unit"], _number(result["ratio"]),
        _number(result["ratio_of_best"]), "; ".join([*peers, *faults]),
    ]  # fmt: skip


def _first_calls(calls: Mapping[str, Mapping[str, float]]) -> list[str]:
    lines = ["", "The first launch of a matrix product, in milliseconds of the host:", ""]
    for name, phases in calls.items():
        lines.append(f"- {name}: " + ", ".join(f"{what} {ms:.1f}" for what, ms in phases.items()))
    return lines


def markdown(record: Mapping[str, Any]) -> str:
    """Rates in the configuration that Triton is fastest with, and ours by Triton's."""
    lines = [describe_peers(record), "", f"{record['rounds']} rounds. {record['method']}", ""]
    lines += table(HEADS, map(_cells, record["results"]))
    if record["first_calls"]:
        lines += _first_calls(record["first_calls"])
    return "\n".join(lines) + "\n"
