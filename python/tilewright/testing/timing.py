"""How long something takes on the GPU."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from statistics import fmean, median
from typing import Any

#: What a second-level cache of any GPU is smaller than.
_FLUSHED_BYTES = 256 * 2**20
#: Calls by which the time of one is estimated.
_ESTIMATES = 5
#: How often a graph is replayed.
_REPLAYS = 10

_SUMMARIES: dict[str, Callable[[list[float]], Any]] = {
    "min": min,
    "max": max,
    "mean": fmean,
    "median": median,
    "all": list,
}


class _TorchClock:
    """The GPU's own clock, by events on PyTorch's current stream."""

    def __init__(self) -> None:
        import torch

        self._cuda = torch.cuda
        self._large = torch.empty(_FLUSHED_BYTES // 4, dtype=torch.int32, device="cuda")

    def mark(self) -> Any:
        """A moment in the order of the stream."""
        event = self._cuda.Event(enable_timing=True)
        event.record()
        return event

    def synchronize(self) -> None:
        """Waits until all marks have passed."""
        self._cuda.synchronize()

    def get_milliseconds(self, start: Any, end: Any) -> float:
        return float(start.elapsed_time(end))

    def flush(self) -> None:
        """Leaves nothing of the operands in the cache: it would make small kernels too good."""
        self._large.zero_()


class _CupyClock:
    """The same on CuPy's current stream."""

    def __init__(self) -> None:
        import cupy

        self._cuda = cupy.cuda
        self._large = cupy.empty(_FLUSHED_BYTES // 4, dtype="int32")

    def mark(self) -> Any:
        event = self._cuda.Event()
        event.record()
        return event

    def synchronize(self) -> None:
        self._cuda.Device().synchronize()

    def get_milliseconds(self, start: Any, end: Any) -> float:
        return float(self._cuda.get_elapsed_time(start, end))

    def flush(self) -> None:
        self._large.fill(0)


def make_clock() -> Any:
    """The clock of the GPU that is current.

    Raises:
        RuntimeError: There is neither PyTorch nor CuPy, or no GPU for them.
    """
    for kind in (_TorchClock, _CupyClock):
        with contextlib.suppress(ImportError):
            return kind()
    raise RuntimeError("times on a GPU are taken by events of PyTorch or CuPy: install one of them")


def _interpolate(ordered: list[float], quantile: float) -> float:
    place = quantile * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _check(quantiles: Sequence[float] | None, return_mode: str) -> None:
    if return_mode not in _SUMMARIES:
        raise ValueError(f"return_mode is one of {', '.join(_SUMMARIES)}, not {return_mode!r}")
    for quantile in quantiles or ():
        if not 0 <= quantile <= 1:
            raise ValueError(f"a quantile is from 0 to 1, not {quantile!r}")


def _summarize(times: list[float], quantiles: Sequence[float] | None, return_mode: str) -> Any:
    if quantiles is None:
        return _SUMMARIES[return_mode](times)
    ordered = sorted(times)
    values = [_interpolate(ordered, quantile) for quantile in quantiles]
    return values[0] if len(values) == 1 else values


def _forget_gradients(tensors: Sequence[Any] | None) -> None:
    for tensor in tensors or ():
        tensor.grad = None


def do_bench(
    fn: Callable[[], Any],
    warmup: float = 25,
    rep: float = 100,
    grad_to_none: Sequence[Any] | None = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
) -> Any:
    """How long a call takes on the GPU, in milliseconds.

    Calls are timed one by one, by events of PyTorch or CuPy, each with a second-level cache that
    has nothing of its operands.

    >>> do_bench(lambda: kernel[grid](x, y, n), quantiles=[0.5, 0.2, 0.8])

    Args:
        fn: What is called; it launches on the current stream.
        warmup: Milliseconds of calls that do not count.
        rep: Milliseconds of calls that do.
        grad_to_none: Tensors whose gradients are dropped before each call, so that they are
            written and not added to.
        quantiles: Which of the times to give: 0.5 is the median. One gives a number, several a
            list.
        return_mode: What to give without quantiles: "min", "max", "mean", "median" or "all".
    """
    _check(quantiles, return_mode)
    clock = make_clock()
    fn()
    clock.synchronize()

    def time_calls(count: int) -> list[float]:
        marks = []
        for _ in range(count):
            _forget_gradients(grad_to_none)
            clock.flush()
            start = clock.mark()
            fn()
            marks.append((start, clock.mark()))
        clock.synchronize()
        return [clock.get_milliseconds(*pair) for pair in marks]

    estimate = max(fmean(time_calls(_ESTIMATES)), 1e-3)
    for _ in range(max(1, int(warmup / estimate))):
        fn()
    return _summarize(time_calls(max(1, int(rep / estimate))), quantiles, return_mode)


def do_bench_cudagraph(
    fn: Callable[[], Any],
    rep: float = 20,
    grad_to_none: Sequence[Any] | None = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
) -> Any:
    """The same for calls that are shorter than the host needs to launch them.

    As many as fit into `rep` milliseconds become one CUDA graph, which is replayed and timed as a
    whole; operands stay in the cache. It needs PyTorch. The other arguments are as in `do_bench`.
    """
    import torch

    _check(quantiles, return_mode)
    cuda = torch.cuda
    with cuda.stream(cuda.Stream()):
        # What a capture has no place for, code to load and gradients to make, is done before.
        fn()
        cuda.synchronize()
        _forget_gradients(grad_to_none)

        def time_once(call: Callable[[], Any]) -> float:
            start, end = (cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            call()
            end.record()
            cuda.synchronize()
            return float(start.elapsed_time(end))

        def call_some() -> None:
            for _ in range(_ESTIMATES):
                fn()

        estimate = max(time_once(call_some) / _ESTIMATES, 1e-3)
        count = max(1, int(rep / estimate))
        graph = cuda.CUDAGraph()
        with cuda.graph(graph):
            for _ in range(count):
                _forget_gradients(grad_to_none)
                fn()
        cuda.synchronize()
        times = [time_once(graph.replay) / count for _ in range(_REPLAYS)]
    return _summarize(times, quantiles, return_mode)
