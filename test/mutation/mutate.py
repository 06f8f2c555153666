#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants faults in the examples and asks the simulator to find them.

    mutate.py --bin build/bin                 what CTest runs: a fixed sample
    mutate.py --bin build/bin --all           every mutant
    mutate.py --bin build/bin --example copy_f32 --all --verbose

Each mutant has one fault: a barrier, wait or fence left out, a mask that is
always true, an address shifted, a layout that one side of a shared tile has and
the other has not, a branch negated, two stored registers swapped. tile-run must
fail on it: the simulator reports it, or the result differs from the reference.

Mutants that cannot go wrong survive. survivors.txt says how many of each group
(an example at one size, a class of faults, an instruction) and why. A survivor
beyond those fails the test, and so does a missing one where the whole group ran.
"""

import argparse
import concurrent.futures
import fnmatch
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from mutants import Mutant, mutate_placed, mutate_ptx

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from example_sizes import EXAMPLES, find_examples, find_sizes

SURVIVORS = Path(__file__).with_name("survivors.txt")
TIME_LIMIT = 120  # seconds of one run: far more than any takes
INSTRUCTION_LIMIT = 1 << 18  # of one block, far more than any of these has
WARP_ORDERS = (1, 2)  # seeds to try when the usual order finds nothing

# Where a tile in shared memory may lie: layouts of one side are swapped in each.
POLICIES = ("swizzle", "pad", "none")


@dataclass(frozen=True)
class Case:
    """An example at one size."""

    example: str
    arguments: str

    @property
    def source(self) -> Path:
        return EXAMPLES / f"{self.example}.mlir"

    def command(self, bin_dir: Path, tool: str, source: Path) -> list[str]:
        return [str(bin_dir / tool), str(source), "--args", self.arguments]

    def compile(self, bin_dir: Path, *options: str) -> str:
        command = [*self.command(bin_dir, "tile-compile", self.source), *options, "-o", "-"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@dataclass(frozen=True)
class Task:
    case: Case
    mutant: Mutant
    options: str = ""

    @property
    def name(self) -> str:
        case = f"{self.case.example} {self.case.arguments}"
        return f"{case}{self.options and ' '}{self.options}: {self.mutant.name}"

    @property
    def group(self) -> str:
        return f"{self.case.example} {self.case.arguments}: {self.mutant.kind} {self.mutant.place}"


@dataclass(frozen=True)
class Outcome:
    task: Task
    verdict: str  # "found", "wrong", "survived" or "broken"
    output: str


def find_cases(only: str | None) -> list[Case]:
    examples = find_examples()
    if only is not None and only not in examples:
        sys.exit(f"mutate.py: there is no example '{only}'")
    try:
        return [
            Case(example, arguments)
            for example in examples
            if only in (None, example)
            for arguments in find_sizes(example).edges
        ]
    except LookupError as error:
        sys.exit(f"mutate.py: {error}")


def make_tasks(bin_dir: Path, case: Case) -> list[Task]:
    tasks = [Task(case, mutant) for mutant in mutate_ptx(case.compile(bin_dir), case.example)]
    for policy in POLICIES:
        option = f"--shared-layout={policy}"
        placed = case.compile(bin_dir, "--emit=placed", option)
        tasks += [Task(case, mutant, option) for mutant in mutate_placed(placed)]
    return tasks


def judge(result: subprocess.CompletedProcess[str]) -> str:
    if result.returncode == 0:
        return "survived"
    if result.returncode == 1 and "the simulator found:" in result.stderr:
        return "found"
    if result.returncode == 1 and re.search(r"WRONG|wrong|unwritten", result.stdout):
        return "wrong"
    return "broken"  # a crash, or text that is not a program


def run_task(bin_dir: Path, folder: Path, number: int, task: Task) -> Outcome:
    isplaced = task.mutant.kind == "placed"
    path = folder / f"{number}.{'mlir' if isplaced else 'ptx'}"
    path.write_text(task.mutant.text)
    if isplaced:
        command = task.case.command(bin_dir, "tile-run", path)
    else:
        command = task.case.command(bin_dir, "tile-run", task.case.source)
        command.append(f"--code={path}")
    command += ["--device=sim", "--check", f"--instruction-limit={INSTRUCTION_LIMIT}"]
    verdict, output = "survived", ""
    for order in (None, *WARP_ORDERS):
        options = [] if order is None else [f"--sim-seed={order}"]
        try:
            result = subprocess.run(
                [*command, *options], capture_output=True, text=True, timeout=TIME_LIMIT
            )
        except subprocess.TimeoutExpired:
            return Outcome(task, "broken", f"did not end within {TIME_LIMIT} s")
        verdict, output = judge(result), result.stdout + result.stderr
        if verdict != "survived":
            break
    path.unlink()
    return Outcome(task, verdict, output)


@dataclass(frozen=True)
class Rule:
    """Groups of which some mutants survive: `count` of each, or any number."""

    pattern: str
    count: int | None

    def covers(self, group: str) -> bool:
        return fnmatch.fnmatchcase(group, self.pattern)


def read_survivors() -> list[Rule]:
    """The indented lines of the file: "14  GROUP" or "some  PATTERN"."""
    found = re.findall(r"^ +(\d+|some)  (.+)$", SURVIVORS.read_text(), re.MULTILINE)
    return [Rule(pattern, None if count == "some" else int(count)) for count, pattern in found]


def sample(tasks: list[Task], size: int) -> list[Task]:
    """About so many, a like number of each example and class."""
    groups: dict[tuple[str, str], list[Task]] = defaultdict(list)
    for task in tasks:
        groups[task.case.example, task.mutant.kind].append(task)
    rng = random.Random(0)
    for group in groups.values():
        rng.shuffle(group)
    rounds = itertools.zip_longest(*groups.values())
    chosen = [task for row in rounds for task in row if task is not None]
    return chosen[:size]


def print_table(outcomes: list[Outcome]) -> None:
    counts = Counter((outcome.task.mutant.kind, outcome.verdict) for outcome in outcomes)
    print(f"{'class':<16}{'mutants':>8}{'found':>8}{'wrong':>8}{'survived':>10}")
    for kind in dict.fromkeys(outcome.task.mutant.kind for outcome in outcomes):
        row = [counts[kind, verdict] for verdict in ("found", "wrong", "survived")]
        total = sum(count for (k, _), count in counts.items() if k == kind)
        print(f"{kind:<16}{total:>8}{row[0]:>8}{row[1]:>8}{row[2]:>10}")


def find_faults(outcomes: list[Outcome], population: Counter[str], rules: list[Rule]) -> list[str]:
    """What is unlike survivors.txt; `population` counts all mutants of a group."""
    faults = []
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.task.group].append(outcome)
        if outcome.verdict == "broken":
            faults.append(f"could not be judged: {describe(outcome)}\n{outcome.output[:400]}")
    unconfirmed = set()
    confirmed = set()
    for name, group in groups.items():
        survivors = [outcome for outcome in group if outcome.verdict == "survived"]
        rule = next((rule for rule in rules if rule.covers(name)), Rule(name, 0))
        most = population[name] if rule.count is None else rule.count
        if len(survivors) > most:
            places = "".join(f"\n  {describe(outcome)}" for outcome in survivors)
            faults.append(f"{len(survivors)} survive, not {most}: {name}{places}")
        if survivors:
            confirmed.add(rule)
        if len(group) == population[name] and len(survivors) < (rule.count or 0):
            faults.append(f"only {len(survivors)} survive, not {rule.count}: {name}")
        elif len(group) == population[name]:
            unconfirmed.add(rule)
    stale = [rule for rule in unconfirmed - confirmed if rule.count is None]
    return faults + [f"none survives: {rule.pattern}" for rule in stale]


def find_overstated(population: Counter[str], rules: list[Rule]) -> list[str]:
    """Groups of which more are said to survive than there are. A sample shows it, too, where the
    code of an example is another than it was."""
    faults = []
    for name, size in population.items():
        rule = next((rule for rule in rules if rule.covers(name)), Rule(name, 0))
        if (rule.count or 0) > size:
            faults.append(f"{size} mutants, of which {rule.count} are to survive: {name}")
    return faults


def describe(outcome: Outcome) -> str:
    return f"{outcome.task.name}\n    {outcome.task.mutant.describe()}"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bin", type=Path, required=True, help="where tile-run is")
    parser.add_argument("--example", help="this one only")
    parser.add_argument("--kind", help="this class of faults only")
    parser.add_argument("--all", action="store_true", help="every mutant, not a sample")
    parser.add_argument("--sample", type=int, default=250, help="mutants in a sample")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time")
    parser.add_argument("--verbose", action="store_true", help="print each verdict")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    rules = read_survivors()
    cases = find_cases(arguments.example)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        made = pool.map(lambda case: make_tasks(arguments.bin, case), cases)
        tasks = list(itertools.chain.from_iterable(made))
    tasks = [task for task in tasks if arguments.kind in (None, task.mutant.kind)]
    population = Counter(task.group for task in tasks)
    if not arguments.all:
        tasks = sample(tasks, arguments.sample)
    with (
        tempfile.TemporaryDirectory() as folder,
        concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool,
    ):
        running = [
            pool.submit(run_task, arguments.bin, Path(folder), number, task)
            for number, task in enumerate(tasks)
        ]
        outcomes = []
        for future in running:
            outcomes.append(future.result())
            if arguments.verbose:
                print(f"{outcomes[-1].verdict:<9} {outcomes[-1].task.name}", flush=True)
    print_table(outcomes)
    faults = find_faults(outcomes, population, rules)
    if arguments.kind is None:
        faults += find_overstated(population, rules)
    for rule in rules:
        if not (arguments.example or arguments.kind) and not any(
            rule.covers(group) for group in population
        ):
            faults.append(f"is in {SURVIVORS.name} and covers no mutant: {rule.pattern}")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
