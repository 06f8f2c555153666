"""Kernels that are tuned without a GPU: another clock stands in, and what would run there runs in
the simulator."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from package_support import import_package

tilewright = import_package()
tl = pytest.importorskip("tilewright.language")


@tilewright.autotune(
    [
        tilewright.Config({"BLOCK": 100}),
        tilewright.Config({"BLOCK": 256}, num_warps=2),
        tilewright.Config({"BLOCK": 512}),
    ],
    key=["n"],
)
@tilewright.jit
def tuned(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, i, mask=i < n)


CONFIGS = [tilewright.Config({"BLOCK": block}) for block in (64, 128, 256, 512)]


class FakeGpu(contextlib.AbstractContextManager):
    """One that is never current, and has nothing to wait for."""

    number, name, driver = 0, "NVIDIA Fake", "13.0"
    is_lost = captures = False

    def __exit__(self, *error: Any) -> None:
        pass

    def synchronize(self) -> None:
        if self.is_lost:
            raise RuntimeError("CUDA error: an illegal memory access was encountered")

    def is_capturing(self) -> bool:
        return self.captures


class Tuner:
    """A kernel, as on a GPU where small blocks take long; with the blocks that are timed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, fn: Any = None, **options: Any) -> None:
        self.timed: list[int] = []
        self.gpu = FakeGpu()
        self.block = 0
        self.calls: list[dict[str, Any]] = []
        monkeypatch.setattr("tilewright.testing.do_bench", self.run_and_time)
        monkeypatch.setattr("tilewright.tuning.autotuner.find_gpu", lambda _: self.gpu)
        options = {"configs": CONFIGS, "key": ["n"], **options}
        self.kernel = tilewright.autotune(**options)(self.note_blocks(fn or tuned.kernel.fn))

    def note_blocks(self, fn: Any) -> Any:
        owner = self

        class Noting(tilewright.JITFunction):
            def run(self, *arguments: Any, **keywords: Any) -> Any:
                owner.block = keywords["BLOCK"]
                return super().run(*arguments, **keywords)

        return Noting(fn)

    def run_and_time(self, launch: Callable[[], None], **options: Any) -> list[float]:
        launch()
        launch()
        self.calls.append(options)
        self.timed.append(self.block)
        time = 1 / self.block
        return [time, 0.9 * time, 1.1 * time]

    def launch(self, x: Any = None, n: int = 100, **keywords: Any) -> Any:
        x = np.zeros(1000, np.float32) if x is None else x
        self.kernel[(1,)](x, n, **keywords)
        return x
