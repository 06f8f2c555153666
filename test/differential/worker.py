# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs, in a process of its own, and tells what it found."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

import numpy as np

from differential.cases import dump
from differential.check import Configuration, Configurations, Failure, check, prepare
from differential.counts import Counts, count
from differential.evaluate import NoProgramError
from differential.exhaustive import program_of
from differential.generate import generate, generate_nested
from differential.program import Program
from differential.shrink import shrink

# Names a program: the seed of a random one, "nested" and a seed, or one of `exhaustive`.
Key = int | str


def make(key: Key) -> Program:
    match key if isinstance(key, int) else key.split():
        case int(seed):
            return generate(seed)
        case ["nested", seed]:
            return generate_nested(int(seed))
        case _:
            return program_of(str(key))


@dataclass(frozen=True)
class Finding:
    """A program that failed, as small as it could be made."""

    key: Key
    configuration: Configuration
    failure: Failure
    case: str = ""


@dataclass
class Result:
    """What became of one program."""

    key: Key
    launches: Counter[str] = field(default_factory=Counter)
    counts: Counts = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)


def work(
    pipe: Connection, keys: Sequence[Key], configurations: Configurations, shrinks: int
) -> None:
    """Sends the key of a program before it begins it, and its result when it is done. It makes so
    many failures small, which takes long."""
    for key in keys:
        pipe.send(key)
        result = run_one(key, configurations, shrinks)
        shrinks -= sum(bool(finding.case) for finding in result.findings)
        pipe.send(result)
    pipe.send(None)


def run_one(key: Key, configurations: Configurations, shrinks: int) -> Result:
    result = Result(key)
    program = make(key)
    launch = prepare(program)
    result.counts = count(program)
    kinds: set[str] = set()
    for configuration in configurations.of(key, launch):
        result.launches[str(configuration)] += 1
        failure = check(launch, configuration)
        if failure is None:
            continue
        if configuration.device != "sim" and failure.kind.startswith("launch"):
            # The driver lets a process do nothing more after a fault.
            sys.exit(f"{key}, {configuration}: {failure.text}")
        case = ""
        # The same failure on several targets is made small once.
        if failure.kind not in kinds and shrinks > 0:
            kinds.add(failure.kind)
            shrinks -= 1
            case = _small_case(program, failure, configuration)
        result.findings.append(Finding(key, configuration, failure, case))
    return result


def _small_case(program: Program, failure: Failure, configuration: Configuration) -> str:
    def fails(candidate: Program) -> bool:
        found = check(prepare(candidate), configuration)
        return found is not None and found.kind == failure.kind

    try:
        program = shrink(program, fails)
    except (NoProgramError, ValueError, KeyError, AssertionError) as error:
        return f"// not made small: {error!r}\n" + dump(prepare(program), failure.text)
    launch = prepare(program)
    found = check(launch, configuration) or failure
    return dump(launch, f"{configuration}: {found.kind}\n{found.text}")


np.seterr(all="ignore")
