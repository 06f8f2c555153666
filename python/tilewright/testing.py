"""How long something takes on the GPU."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any


def do_bench(function: Callable[[], Any], warmup: int = 25, rep: int = 100) -> float:
    """The median time of a call, in milliseconds, by CUDA events of PyTorch.

    Args:
        function: What is called; it launches on the current stream.
        warmup: Milliseconds of calls that do not count.
        rep: Milliseconds of calls that do.
    """
    import torch

    def time_once() -> float:
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        function()
        end.record()
        end.synchronize()
        return float(start.elapsed_time(end))

    # A cache that still holds the operands would make small kernels too good.
    flush = torch.empty(64 * 2**20, dtype=torch.int32, device="cuda")
    function()
    estimate = max(time_once(), 1e-3)
    for _ in range(max(1, int(warmup / estimate))):
        function()
    times = []
    for _ in range(max(3, int(rep / estimate))):
        flush.zero_()
        times.append(time_once())
    return median(times)
