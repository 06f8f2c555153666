"""Runs the steps of scripts/gpu-check.py: which at a time, and in which order they are told.

Steps that use one resource stand in one lane. Lanes of a phase run at the same time, and phases one
after the other: what is timed has the machine for itself.
"""

from __future__ import annotations

import itertools
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from gputools.server import Servers
from gputools.tools import Finished, Run, ToolError

PASSED, FAILED, SKIPPED = "passed", "FAILED", "skipped"

EVERYTHING = re.compile("")

# The share of the memory that large steps take together. The others take little.
LARGE_SHARE = 0.65
# Of the host, beside the tensors: lists of the elements to compare.
HOST_EXTRA = 8 << 30


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
class Result:
    """The status, why or what is worth knowing, and everything that was found."""

    status: str
    detail: str
    data: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0


@dataclass(frozen=True)
class Settings:
    """Device `cuda` or `sim`; the GPU's memory in bytes and its architecture (90 of sm_90), 0 where
    it is not known; how many random products and layouts there are, and which.
    `jobs`: steps at a time, where they do not disturb one another."""

    device: str
    memory_bytes: int
    case_timeout: float = 120
    architecture: int = 0
    random_products: int = 200
    random_layouts: int = 300
    seed: int = 0
    jobs: int = 1


@dataclass(frozen=True)
class Step:
    """A part of a section, and the GPU memory in bytes that it needs."""

    name: str
    bytes_needed: int
    case: Any


class Context:
    """What a run of sections shares: the settings, and the processes that have opened the GPU."""

    def __init__(self, settings: Settings, servers: Servers) -> None:
        self.settings = settings
        self._servers = servers

    def ask(self, run: Run) -> Finished:
        """Runs a kernel and compares it with its reference."""
        return self._servers.ask(run, ["--check"], self.settings.case_timeout)


@dataclass(frozen=True)
class Lane:
    """Steps that take turns. `width`: how many run at a time, 0 for as many as there are jobs."""

    name: str
    width: int = 1
    phase: int = 0


SIDE_BY_SIDE = Lane("side by side", 0)
LARGE = Lane("large", 3)
AFTERWARDS = Lane("afterwards", 0, phase=1)
ALONE = Lane("alone", phase=2)


@dataclass(frozen=True)
class Section:
    """`run` has the results of these steps, in their order. Each step is run alone, or with those
    that have the same key."""

    steps: Callable[[Settings], list[Step]]
    run: Callable[[list[Step], Context], list[Result]]
    lane: Callable[[Step], Lane]
    key: Callable[[Step], Any] | None = None

    def chunks(self, steps: list[Step]) -> list[list[Step]]:
        """The steps that are run together."""
        if not self.key:
            return [[step] for step in steps]
        return [list(group) for _, group in itertools.groupby(steps, self.key)]


class Memory:
    """The memory of the GPU and of the host, for steps that need much of it."""

    def __init__(self, gpu_bytes: int) -> None:
        host_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        self._most = (LARGE_SHARE * gpu_bytes or float("inf"), LARGE_SHARE * host_bytes)
        self._used = (0, 0)
        self._changed = threading.Condition()

    def _fits(self, wanted: tuple[int, int]) -> bool:
        # What is more than the share runs alone.
        return self._used == (0, 0) or all(
            used + more <= most
            for used, more, most in zip(self._used, wanted, self._most, strict=True)
        )

    def _add(self, wanted: tuple[int, int], sign: int) -> None:
        gpu, host = self._used
        self._used = (gpu + sign * wanted[0], host + sign * wanted[1])
        self._changed.notify_all()

    @contextmanager
    def hold(self, step: Step) -> Iterator[None]:
        wanted = (step.bytes_needed, step.bytes_needed + HOST_EXTRA)
        with self._changed:
            self._changed.wait_for(lambda: self._fits(wanted))
            self._add(wanted, 1)
        try:
            yield
        finally:
            with self._changed:
                self._add(wanted, -1)


@dataclass(frozen=True)
class Chunk:
    """Steps of a section that are run together."""

    name: str
    section: Section
    steps: list[Step]

    @property
    def lane(self) -> Lane:
        return self.section.lane(self.steps[0])


class Schedule:
    def __init__(self, context: Context, time_limit: float) -> None:
        self._context = context
        self._end = time.monotonic() + time_limit
        self._time_limit = time_limit
        self._memory = Memory(context.settings.memory_bytes)

    def run_phase(self, chunks: list[Chunk]) -> Iterator[Outcome]:
        """Outcomes come in the order of the chunks."""
        with ExitStack() as stack:
            pools: dict[Lane, ThreadPoolExecutor] = {}
            futures = []
            for chunk in chunks:
                if chunk.lane not in pools:
                    pools[chunk.lane] = ThreadPoolExecutor(
                        chunk.lane.width or self._context.settings.jobs
                    )
                    stack.callback(pools[chunk.lane].shutdown, cancel_futures=True)
                futures.append(pools[chunk.lane].submit(self._run, chunk))
            for future in futures:
                yield from future.result()

    def _run(self, chunk: Chunk) -> list[Outcome]:
        """Whatever goes wrong in a step is its outcome."""
        memory = self._context.settings.memory_bytes
        fitting = [step for step in chunk.steps if not memory or step.bytes_needed <= 0.9 * memory]
        results = iter(self._run_fitting(chunk, fitting) if fitting else [])
        outcomes = []
        for step in chunk.steps:
            if step in fitting:
                result = next(results)
            else:
                needed = step.bytes_needed / 2**30
                result = Result(SKIPPED, f"needs {needed:.0f} GiB of GPU memory")
            outcomes.append(
                Outcome(
                    chunk.name,
                    step.name,
                    result.status,
                    result.seconds,
                    result.detail,
                    result.data,
                )
            )
        return outcomes

    def _run_fitting(self, chunk: Chunk, steps: list[Step]) -> list[Result]:
        with self._memory.hold(steps[0]) if chunk.lane is LARGE else nullcontext():
            start = time.monotonic()
            if start > self._end:
                late = f"not run: the limit of {self._time_limit:.0f} s was over"
                return [Result(FAILED, late)] * len(steps)
            try:
                results = chunk.section.run(steps, self._context)
            except ToolError as error:
                results = [Result(FAILED, str(error))] * len(steps)
            if len(steps) == 1:
                results = [replace(results[0], seconds=time.monotonic() - start)]
            return results


def run_sections(
    sections: Mapping[str, Section],
    settings: Settings,
    time_limit: float,
    match: re.Pattern[str] = EVERYTHING,
) -> Iterator[Outcome]:
    """The steps of the sections whose names match. Those after the limit, in seconds, are not run,
    which is a failure: a check that was cut short has shown nothing."""
    chunks = [
        Chunk(name, section, steps)
        for name, section in sections.items()
        for steps in section.chunks(
            [step for step in section.steps(settings) if match.search(step.name)]
        )
    ]
    with Servers(settings.device) as servers:
        schedule = Schedule(Context(settings, servers), time_limit)
        for phase in sorted({chunk.lane.phase for chunk in chunks}):
            yield from schedule.run_phase([chunk for chunk in chunks if chunk.lane.phase == phase])
