# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which cases run on which targets, and in how many processes."""

from __future__ import annotations

import multiprocessing
import zlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from conformance.batch import TARGETS, Failure, run_batch
from conformance.case import Case
from conformance.cases import collect

#: Cases of one kernel: compiling few large ones takes less time than many small ones.
BATCH = 16


@dataclass(frozen=True)
class Job:
    """Cases, by their numbers, that become one kernel for a target."""

    numbers: tuple[int, ...]
    target: str
    device: str


def draw_third(cases: Sequence[Case], seed: str) -> Iterator[tuple[int, str]]:
    """A third of the cases, each on one target."""
    for number, case in enumerate(cases):
        drawn = zlib.crc32(f"{seed} {case.name}".encode())
        if drawn % 3 == 0:
            yield number, TARGETS[drawn // 3 % len(TARGETS)]


def draw_all(cases: Sequence[Case], targets: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Every case on every target."""
    for target in targets:
        for number in range(len(cases)):
            yield number, target


def make_jobs(runs: Iterable[tuple[int, str]], device: str = "sim") -> list[Job]:
    by_target: dict[str, list[int]] = {}
    for number, target in runs:
        by_target.setdefault(target, []).append(number)
    return [
        Job(tuple(numbers[first : first + BATCH]), target, device)
        for target, numbers in by_target.items()
        for first in range(0, len(numbers), BATCH)
    ]


def run_job(job: Job) -> list[Failure]:
    cases = collect()
    return run_batch([cases[number] for number in job.numbers], job.target, job.device)


def run_jobs(jobs: Sequence[Job], processes: int) -> Iterator[list[Failure]]:
    """What each job found, in order."""
    if processes == 1:
        yield from map(run_job, jobs)
        return
    # What has asked for a GPU cannot be forked.
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(run_job, jobs)
