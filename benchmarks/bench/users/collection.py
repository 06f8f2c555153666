"""All cases of users' kernels, and compiling them beside one another."""

from __future__ import annotations

import importlib
import multiprocessing
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from bench.both_languages import OURS, TRITON, for_triton
from bench.users.case import Case, DryModule, HollowData, is_case
from bench.work import describe

SUBJECTS = (
    "products", "attention", "norms", "losses", "quantization", "scans", "sparse", "elementwise",
    "convolutions", "images", "optimizers", "sampling", "experts", "states", "packed",
    "decoding", "transforms", "geometry", "gradients", "ragged", "simulations",
)  # fmt: skip


def load_ours() -> dict[str, ModuleType]:
    """The modules by subject."""
    return {name: importlib.import_module(f"bench.users.{name}") for name in SUBJECTS}


def _find_cases() -> dict[str, Case]:
    return {
        f"{subject}.{name}": value
        for subject, module in load_ours().items()
        for name, value in vars(module).items()
        if is_case(value) and value.__module__ == module.__name__
    }


#: By "subject.case", in the order of the files.
CASES = _find_cases()


def load_triton(folder: Path) -> dict[str, ModuleType]:
    """The same in Triton, from copies in a folder, which must stay: Triton reads them again."""
    modules = {}
    sys.path.insert(0, str(folder))
    try:
        for name, module in load_ours().items():
            copy = folder / f"{TRITON}_users_{name}.py"
            source = for_triton(Path(str(module.__file__)).read_text())
            # Other processes read the copies of the first one.
            if not copy.exists():
                copy.write_text(source)
            modules[name] = importlib.import_module(copy.stem)
    finally:
        sys.path.remove(str(folder))
    return modules


@dataclass(frozen=True)
class Task:
    """A case to compile in all its configurations: by us for a target, which is the machine's
    where none is named, or by Triton from copies in a folder."""

    case: str
    language: str
    target: str | None = None
    folder: str = ""


@dataclass
class Compiled:
    """What came of a task: seconds by configuration, or why there is none."""

    task: Task
    seconds: dict[str, float] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def describe(self) -> str:
        total = sum(self.seconds.values())
        lines = [f"{self.task.case}: {len(self.seconds)} configurations, {total:.1f} s"]
        lines += [f"    {config}: {why}" for config, why in self.failed.items()]
        return "\n".join(lines)


def compile_case(task: Task) -> Compiled:
    """In this process."""
    options: Mapping[str, Any] = {}
    if task.language == OURS:
        modules, data = load_ours(), HollowData()
        if task.target:
            options = {"target": task.target}
    else:
        import torch

        modules, data = load_triton(Path(task.folder)), HollowData(torch)
    work = CASES[task.case](data)
    module = DryModule(modules[work.module], **options)
    compiled = Compiled(task)
    for config in work.configs:
        begin = time.perf_counter()
        try:
            work.launch(module, **config)
        except Exception as error:
            compiled.failed[describe(config)] = f"{type(error).__name__}: {error}"
            continue
        compiled.seconds[describe(config)] = time.perf_counter() - begin
    return compiled


def compile_all(tasks: Sequence[Task], jobs: int) -> Iterator[Compiled]:
    """In their order. What is compiled stays in the caches on disk of both compilers."""
    if jobs == 1:
        yield from map(compile_case, tasks)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        yield from pool.map(compile_case, tasks)
