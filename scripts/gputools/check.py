"""The sections of scripts/gpu-check.py: each runs its cases and says how each went."""

from __future__ import annotations

import functools
import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gputools.cases import (
    Case,
    Use,
    device_cases,
    large_cases,
    profile_cases,
    sanitizer_cases,
    size_cases,
    special_cases,
)
from gputools.devices import Comparison, compare_devices
from gputools.layouts import check_layouts
from gputools.package_steps import STEPS
from gputools.profile import profile
from gputools.random_kernels import random_cases
from gputools.tools import ROOT, Run, ToolError, call, find_nvidia, parse_result

PASSED, FAILED, SKIPPED = "passed", "FAILED", "skipped"

SANITIZERS = ("memcheck", "racecheck")
# compute-sanitizer's exit status where it found something; tile-run has no such one.
FOUND = 86
# "ERROR SUMMARY: 0 errors", "RACECHECK SUMMARY: 0 hazards displayed (...)".
NOTHING_FOUND = re.compile(r"SUMMARY: 0 (errors|hazards)")

EVERYTHING = re.compile("")


@dataclass
class Outcome:
    """How a case went. `detail`: why it failed or was skipped, or what is worth knowing."""

    section: str
    name: str
    status: str
    seconds: float = 0
    detail: str = ""
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Settings:
    """Device `cuda` or `sim`; the GPU's memory in bytes and its architecture (90 of sm_90), 0 where
    it is not known; how many random products and layouts there are, and which.
    `jobs`: steps at a time, in sections whose steps do not disturb one another."""

    device: str
    memory_bytes: int
    case_timeout: float = 120
    architecture: int = 0
    random_products: int = 200
    random_layouts: int = 300
    seed: int = 0
    jobs: int = 1


# The status, why or what is worth knowing, and everything that was found.
Result = tuple[str, str, dict[str, Any]]


@dataclass(frozen=True)
class Step:
    """A part of a section: the GPU memory in bytes that it needs, and how to run it."""

    name: str
    bytes_needed: int
    run: Callable[[Settings], Result]


def describe_mistakes(result: dict[str, Any]) -> str:
    """What is wrong in a result of tile-run --json."""
    found = list(result["violations"])
    for output in result["outputs"]:
        if not output["wrong"]:
            continue
        text = f"{output['name']}: {output['wrong']} of {output['checked']} elements are wrong"
        if output["mismatches"]:
            first = output["mismatches"][0]
            text += f", first {first['index']}: {first['got']} for {first['expected']}"
        found.append(text)
    return "; ".join(found) or "tile-run failed without saying why"


def _run_checked(run: Run, settings: Settings) -> Result:
    command = [*run.command(settings.device), "--check"]
    finished = call(command, settings.case_timeout, run.text)
    result = parse_result(finished)
    data = {key: result[key] for key in ("grid", "launched", "outputs", "violations")}
    if finished.code or not result["passed"]:
        if run.text:
            data.update(command=[str(part) for part in command], kernel=run.text)
        return FAILED, describe_mistakes(result), data
    if not result["outputs"]:
        return FAILED, "nothing was checked: the kernel has no reference", data
    checked = sum(output["checked"] for output in result["outputs"])
    elements = sum(output["elements"] for output in result["outputs"])
    sampled = "" if checked == elements else f"{checked} of {elements} elements compared"
    return PASSED, sampled if result["launched"] else "nothing to launch", data


def _run_sanitized(tool: str, run: Run, settings: Settings) -> Result:
    command: list[str | Path] = [
        find_nvidia("compute-sanitizer"),
        *("--tool", tool),
        *("--error-exitcode", str(FOUND)),
        *("--print-limit", "3"),
        *run.command("cuda"),
        "--check",
    ]
    finished = call(command, settings.case_timeout)
    said = [line for line in finished.stdout.splitlines() if line.startswith("=========")]
    if finished.code == FOUND:
        return FAILED, "\n".join(said[:12]), {}
    result = parse_result(finished)
    if finished.code or not result["passed"]:
        return FAILED, describe_mistakes(result), {}
    # Warnings leave the exit status alone, and so does a sanitizer that did not run.
    summary = next((line for line in said if "SUMMARY:" in line), f"{tool} printed no summary")
    if not NOTHING_FOUND.search(summary):
        return FAILED, "\n".join([summary, *said[:12]]), {}
    return PASSED, "", {}


def _run_profiled(run: Run, settings: Settings) -> Result:
    profiled = profile(run, settings.device, settings.case_timeout)
    comparison = profiled.comparison
    counted = comparison.counted
    detail = "; ".join(comparison.differences) or (
        f"wavefronts: loads {counted.load_wavefronts}, stores {counted.store_wavefronts}, "
        f"instructions of copies {counted.copy_instructions}"
    )
    return PASSED if comparison.agrees else FAILED, detail, profiled.to_json()


def _run_compared(comparison: Comparison, settings: Settings) -> Result:
    good, detail, data = compare_devices(comparison, settings.device, settings.case_timeout)
    return PASSED if good else FAILED, detail, data


def _run_package_step(name: str, settings: Settings) -> Result:
    script = ROOT / "scripts" / "gputools" / "package_steps.py"
    # In a process of its own: a fault of the GPU ends with it.
    finished = call([sys.executable, script, name], settings.case_timeout)
    lines = finished.stdout.splitlines()
    if finished.code or not lines:
        return FAILED, finished.complaint(), {}
    record = json.loads(lines[-1])
    return record["status"], record["detail"], record["data"]


# Kernels in one run of the profiler, which takes longer to start than to count.
LAYOUTS_OF_STEP = 50


def _run_layouts(numbers: range, settings: Settings) -> Result:
    kernels = check_layouts(numbers, settings.seed, settings.device, settings.case_timeout)
    wrong = [kernel for kernel in kernels if kernel["differences"]]
    lines = [f"{each['name']}: {'; '.join(each['differences'])}" for each in wrong]
    detail = "\n".join(lines) or f"{len(kernels)} kernels as predicted"
    return FAILED if wrong else PASSED, detail, {"kernels": kernels}


# What steps need whose kernels are their own business; it is more than any takes.
LITTLE_MEMORY = 1 << 28


def _layouts(settings: Settings) -> list[Step]:
    steps: list[Step] = []
    for first in range(0, settings.random_layouts, LAYOUTS_OF_STEP):
        numbers = range(first, min(first + LAYOUTS_OF_STEP, settings.random_layouts))
        name = f"layouts {numbers[0]} to {numbers[-1]}"
        steps.append(Step(name, LITTLE_MEMORY, functools.partial(_run_layouts, numbers)))
    return steps


def _package() -> list[Step]:
    return [Step(name, LITTLE_MEMORY, functools.partial(_run_package_step, name)) for name in STEPS]


def _steps(
    cases: list[Case[Use]], run: Callable[[Use, Settings], Result], prefix: str = ""
) -> list[Step]:
    return [
        Step(prefix + case.name, case.bytes_needed, functools.partial(run, case.run))
        for case in cases
    ]


def _checked(cases: list[Case[Run]]) -> list[Step]:
    return _steps(cases, _run_checked)


def _sanitized() -> list[Step]:
    return [
        step
        for tool in SANITIZERS
        for step in _steps(sanitizer_cases(), functools.partial(_run_sanitized, tool), f"{tool} ")
    ]


def _random(settings: Settings) -> list[Step]:
    is_simulated = settings.device == "sim"
    return _checked(
        random_cases(settings.random_products, settings.seed, settings.architecture, is_simulated)
    )


# In the order of a run: what is slow comes last.
SECTIONS: dict[str, Callable[[Settings], list[Step]]] = {
    "sizes": lambda _: _checked(size_cases()),
    "specials": lambda _: _checked(special_cases()),
    "simulator": lambda _: _steps(device_cases(), _run_compared),
    "random": _random,
    "layouts": _layouts,
    "profile": lambda _: _steps(profile_cases(), _run_profiled),
    "python": lambda _: _package(),
    "sanitizer": lambda _: _sanitized(),
    "large": lambda _: _checked(large_cases()),
}
# Their steps take little memory and measure nothing.
SIDE_BY_SIDE = {"sizes", "specials", "simulator", "random"}


def run_step(section: str, step: Step, settings: Settings) -> Outcome:
    """Runs one step; whatever goes wrong in it is its outcome."""
    if settings.memory_bytes and step.bytes_needed > 0.9 * settings.memory_bytes:
        needed = step.bytes_needed / 2**30
        return Outcome(section, step.name, SKIPPED, detail=f"needs {needed:.0f} GiB of GPU memory")
    start = time.monotonic()
    try:
        status, detail, data = step.run(settings)
    except ToolError as error:
        status, detail, data = FAILED, str(error), {}
    return Outcome(section, step.name, status, time.monotonic() - start, detail, data)


def run_sections(
    names: list[str],
    settings: Settings,
    time_limit: float,
    match: re.Pattern[str] = EVERYTHING,
) -> Iterator[Outcome]:
    """The steps of the sections whose names match, in turn. Those after the limit, in seconds, are
    not run, which is a failure: a check that was cut short has shown nothing."""
    start = time.monotonic()

    def run(section: str, step: Step) -> Outcome:
        if time.monotonic() - start > time_limit:
            detail = f"not run: the limit of {time_limit:.0f} s was over"
            return Outcome(section, step.name, FAILED, detail=detail)
        return run_step(section, step, settings)

    for section in names:
        steps = [step for step in SECTIONS[section](settings) if match.search(step.name)]
        jobs = settings.jobs if section in SIDE_BY_SIDE else 1
        with ThreadPoolExecutor(jobs) as pool:
            try:
                yield from pool.map(functools.partial(run, section), steps)
            finally:
                pool.shutdown(cancel_futures=True)
