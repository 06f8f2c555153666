"""What the first launch of a matrix product takes of the host, with PyTorch and the compiler
imported and the context made.

    python benchmarks/bench/first_call.py tilewright|"tilewright, from disk"|triton

makes it in this process and prints its phases in milliseconds as JSON. Each compiler gets fresh
processes with empty caches; ours, processes that find these caches filled, too.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.both_languages import OURS, TRITON, load_ours, load_triton
from bench.cuda import Driver
from gputools.tools import ToolError, call

RUNS = 3
#: Ours once more, in a process that finds on disk what another one made.
KEPT = f"{OURS}, from disk"
SIZE = 512
OPTIONS = {"blocks": (128, 128, 64), "num_warps": 4, "num_stages": 3}


def _milliseconds(action: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    action()
    return (time.perf_counter() - begin) * 1e3


class _Watch:
    """Adds up the time that is spent in a function of a module."""

    def __init__(self, module: Any, name: str) -> None:
        self.milliseconds = 0.0
        self.results: list[Any] = []
        function = getattr(module, name)

        def watched(*arguments: Any, **keywords: Any) -> Any:
            begin = time.perf_counter()
            self.results.append(function(*arguments, **keywords))
            self.milliseconds += (time.perf_counter() - begin) * 1e3
            return self.results[-1]

        setattr(module, name, watched)


def _make_launch(torch: Any, matmul: Any) -> Callable[[], Any]:
    a, b, c = (torch.zeros(SIZE, SIZE, device="cuda", dtype=torch.float16) for _ in range(3))
    torch.cuda.synchronize()

    def launch() -> None:
        matmul(a, b, c, **OPTIONS)
        torch.cuda.synchronize()

    return launch


def _phases_of_ours(torch: Any) -> dict[str, float]:
    from tilewright import _core
    from tilewright.frontend import program

    launch = _make_launch(torch, load_ours()["matmul"].matmul)
    front_end = _Watch(program, "compile_function")
    kernels = _Watch(_core, "compile_kernel")
    total = _milliseconds(launch)
    # What the driver makes of the same PTX, which it keeps no copy of.
    kernel = kernels.results[-1]
    code = kernel.variants[-1]["ptx"]
    driver = _milliseconds(lambda: Driver().load(code, kernel.name, kernel.shared_bytes))
    return {
        "all": total,
        "front end": front_end.milliseconds,
        "source to PTX": total - front_end.milliseconds - driver,
        "driver": driver,
    }


def _kept_by_ours(torch: Any) -> dict[str, float]:
    """With all of it on disk."""
    return {"all": _milliseconds(_make_launch(torch, load_ours()["matmul"].matmul))}


def _phases_of_triton(torch: Any, folder: Path) -> dict[str, float]:
    return {"all": _milliseconds(_make_launch(torch, load_triton(folder)["matmul"].matmul))}


def measure_here(language: str) -> dict[str, float]:
    """In this process, which has launched nothing yet."""
    import torch

    torch.zeros(1, device="cuda")
    if language == OURS:
        return _phases_of_ours(torch)
    if language == KEPT:
        return _kept_by_ours(torch)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRITON_CACHE_DIR"] = str(Path(folder) / "cache")
        return _phases_of_triton(torch, Path(folder))


def measure_first_calls() -> dict[str, dict[str, float]]:
    """The medians of a few processes, of each compiler."""
    medians = {}
    with tempfile.TemporaryDirectory() as folder:
        for language in (OURS, KEPT, TRITON):
            medians[language] = _measure_processes(language, Path(folder))
    return medians


def _measure_processes(language: str, folder: Path) -> dict[str, float]:
    runs = []
    command = [sys.executable, __file__, language]
    for number in range(RUNS):
        environment = {
            **os.environ,
            "TILEWRIGHT_CACHE_DIR": str(folder / str(number)),
            # Of machine code, which is the driver's to keep.
            "CUDA_CACHE_PATH": str(folder / f"driver {number}"),
            "CUDA_CACHE_DISABLE": "0" if language == KEPT else "1",
        }
        for _ in range(2 if language == KEPT else 1):
            finished = call(command, environment=environment, timeout=300)
            if finished.code != 0:
                raise ToolError(f"the first call of {language} failed: {finished.complaint()}")
        runs.append(json.loads(finished.stdout.splitlines()[-1]))
    return {phase: statistics.median(each[phase] for each in runs) for phase in runs[0]}


if __name__ == "__main__":
    print(json.dumps(measure_here(sys.argv[1])))
