"""The sections of scripts/gpu-check.py: each runs its cases and says how each went."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

from gputools.cases import (
    Case,
    Use,
    code_cases,
    device_cases,
    large_cases,
    profile_cases,
    sanitizer_cases,
    size_cases,
    special_cases,
)
from gputools.devices import compare_devices
from gputools.layouts import check_layouts
from gputools.machine_code import find_absent, find_unwaited
from gputools.package_steps import STEPS, TIMED
from gputools.profile import profile_all
from gputools.random_kernels import random_cases
from gputools.sanitizer import SANITIZERS, sanitize
from gputools.schedule import (
    AFTERWARDS,
    ALONE,
    FAILED,
    LARGE,
    PASSED,
    SIDE_BY_SIDE,
    SKIPPED,
    Context,
    Lane,
    Result,
    Section,
    Settings,
    Step,
)
from gputools.tools import ROOT, Finished, Run, ToolError, call, parse_result

COUNTING = Lane("counting")


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


def _judge(run: Run, finished: Finished, device: str) -> Result:
    """A run with --check."""
    result = parse_result(finished)
    data = {key: result[key] for key in ("grid", "launched", "outputs", "violations")}
    if finished.code or not result["passed"]:
        if run.text:
            command = [*run.command(device), "--check"]
            data.update(command=[str(part) for part in command], kernel=run.text)
        return Result(FAILED, describe_mistakes(result), data)
    if not result["outputs"]:
        return Result(FAILED, "nothing was checked: the kernel has no reference", data)
    checked = sum(output["checked"] for output in result["outputs"])
    elements = sum(output["elements"] for output in result["outputs"])
    sampled = "" if checked == elements else f"{checked} of {elements} elements compared"
    return Result(PASSED, sampled if result["launched"] else "nothing to launch", data)


def _run_checked(run: Run, context: Context) -> Result:
    return _judge(run, context.ask(run), context.settings.device)


def _run_compared(comparison: Any, context: Context) -> Result:
    settings = context.settings
    good, detail, data = compare_devices(comparison, settings.device, settings.case_timeout)
    return Result(PASSED if good else FAILED, detail, data)


def _run_scoreboards(run: Run | None, context: Context) -> Result:
    if run is None:
        return Result(SKIPPED, find_absent())
    settings = context.settings
    good, detail = find_unwaited(run, settings.architecture, settings.case_timeout)
    return Result(PASSED if good else FAILED, detail)


def _run_package_step(name: str, context: Context) -> Result:
    script = ROOT / "scripts" / "gputools" / "package_steps.py"
    # In a process of its own: a fault of the GPU ends with it.
    finished = call([sys.executable, script, name], context.settings.case_timeout)
    lines = finished.stdout.splitlines()
    if finished.code or not lines:
        return Result(FAILED, finished.complaint())
    record = json.loads(lines[-1])
    return Result(record["status"], record["detail"], record["data"])


def _run_sanitized(steps: list[Step], context: Context) -> list[Result]:
    """Steps of one tool."""
    runs: list[Run] = [step.case[1] for step in steps]
    results = []
    for run, each in zip(
        runs, sanitize(steps[0].case[0], runs, context.settings.case_timeout), strict=True
    ):
        try:
            result = _judge(run, each.finished, "cuda")
        except ToolError as error:
            result = Result(FAILED, str(error))
        if each.found:
            result = Result(FAILED, each.found)
        results.append(Result(result.status, result.detail, seconds=each.finished.seconds))
    return results


def _run_profiled(steps: list[Step], context: Context) -> list[Result]:
    results = []
    settings = context.settings
    runs = [step.case for step in steps]
    for profiled in profile_all(runs, settings.device, settings.case_timeout):
        if isinstance(profiled, ToolError):
            results.append(Result(FAILED, str(profiled)))
            continue
        comparison = profiled.comparison
        counted = comparison.counted
        detail = "; ".join(comparison.differences) or (
            f"wavefronts: loads {counted.load_wavefronts}, stores {counted.store_wavefronts}, "
            f"instructions of copies {counted.copy_instructions}"
        )
        status = PASSED if comparison.agrees else FAILED
        results.append(Result(status, detail, profiled.to_json(), profiled.seconds))
    return results


# Kernels of one step: more would be told of in one go.
LAYOUTS_OF_STEP = 50


def _run_layouts(steps: list[Step], context: Context) -> list[Result]:
    settings = context.settings
    numbers = [number for step in steps for number in step.case]
    kernels = iter(check_layouts(numbers, settings.seed, settings.device, settings.case_timeout))
    results = []
    for step in steps:
        ours = [next(kernels) for _ in step.case]
        wrong = [kernel for kernel in ours if kernel["differences"]]
        lines = [f"{each['name']}: {'; '.join(each['differences'])}" for each in wrong]
        detail = "\n".join(lines) or f"{len(ours)} kernels as predicted"
        seconds = sum(each["seconds"] for each in ours)
        results.append(Result(FAILED if wrong else PASSED, detail, {"kernels": ours}, seconds))
    return results


# What steps need whose kernels are their own business; it is more than any takes.
LITTLE_MEMORY = 1 << 28


def _layouts(settings: Settings) -> list[Step]:
    steps: list[Step] = []
    for first in range(0, settings.random_layouts, LAYOUTS_OF_STEP):
        numbers = range(first, min(first + LAYOUTS_OF_STEP, settings.random_layouts))
        steps.append(Step(f"layouts {numbers[0]} to {numbers[-1]}", LITTLE_MEMORY, numbers))
    return steps


def _steps(cases: Sequence[Case[Use]]) -> list[Step]:
    return [Step(case.name, case.bytes_needed, case.run) for case in cases]


def _sanitized(_: Settings) -> list[Step]:
    return [
        Step(f"{tool} {case.name}", case.bytes_needed, (tool, case.run))
        for tool in SANITIZERS
        for case in sanitizer_cases()
    ]


def _random(settings: Settings) -> list[Step]:
    is_simulated = settings.device == "sim"
    return _steps(
        random_cases(settings.random_products, settings.seed, settings.architecture, is_simulated)
    )


def _code(settings: Settings) -> list[Step]:
    if find_absent():
        return [Step("all code", 0, None)]
    # No memory of the GPU: nothing is launched.
    return [Step(step.name, 0, step.case) for step in _steps(code_cases()) + _random(settings)]


def _package(_: Settings) -> list[Step]:
    return [Step(name, LITTLE_MEMORY, name) for name in STEPS]


def _alone(
    steps: Callable[[Settings], list[Step]],
    run: Callable[[Any, Context], Result],
    lane: Callable[[Step], Lane] = lambda _: SIDE_BY_SIDE,
) -> Section:
    return Section(steps, lambda steps, context: [run(steps[0].case, context)], lane)


# In the order of a run.
SECTIONS: dict[str, Section] = {
    "sizes": _alone(lambda _: _steps(size_cases()), _run_checked),
    "specials": _alone(lambda _: _steps(special_cases()), _run_checked),
    "simulator": _alone(lambda _: _steps(device_cases()), _run_compared),
    "random": _alone(_random, _run_checked),
    "scoreboards": _alone(_code, _run_scoreboards),
    "layouts": Section(_layouts, _run_layouts, lambda _: COUNTING, lambda _: 0),
    "profile": Section(
        lambda _: _steps(profile_cases()), _run_profiled, lambda _: COUNTING, lambda _: 0
    ),
    "sanitizer": Section(
        _sanitized, _run_sanitized, lambda step: Lane(step.case[0]), lambda step: step.case[0]
    ),
    "large": _alone(lambda _: _steps(large_cases()), _run_checked, lambda _: LARGE),
    "python": _alone(
        _package, _run_package_step, lambda step: ALONE if step.case in TIMED else AFTERWARDS
    ),
}
