"""Interleaved runs with a cold cache, and their statistics."""

from __future__ import annotations

import os
import random
import secrets
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

METHOD = (
    "CUDA events around each launch. Contenders take turns within a round and the order is drawn "
    "anew each round, by a seed that each process draws, so that clocks, temperature and what ran "
    "before are the same for all. Before "
    "every timed launch a buffer larger than twice the L2 cache is written, then another is read, "
    "so that inputs come from memory and no launch pays for writing the first buffer back. A time "
    "is the median of the rounds; the spread is the distance of the quartiles by the median."
)


# Long enough that the launch is queued before the flush is over.
MIN_FLUSH_BYTES = 256 << 20


def find_seed() -> int:
    """By which this process draws orders: TILEWRIGHT_ORDER_SEED, as one that it recorded, or the
    system's choice. By one seed in all processes a contender would have the same ones in front of
    it everywhere: a kernel under two names differed by 2.8 % in three processes of three
    (docs/decisions/0163-what-stores-of-walks-cost.md)."""
    asked = os.environ.get("TILEWRIGHT_ORDER_SEED")
    return int(asked) if asked else secrets.randbits(32)


ORDER_SEED = find_seed()


class Timer(Protocol):
    """What measuring needs of a GPU."""

    def flush(self) -> None:
        """Empties the cache."""

    def mark(self) -> Any:
        """A point in the GPU's stream of work."""

    def synchronize(self) -> None:
        """Waits for all work."""

    def microseconds(self, start: Any, stop: Any) -> float:
        """Between two marks that the GPU has passed."""


class TorchTimer:
    """The GPU that PyTorch uses."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        l2_bytes = torch.cuda.get_device_properties(0).L2_cache_size
        count = max(4 * l2_bytes, MIN_FLUSH_BYTES) // 4
        self._written = torch.empty(count, dtype=torch.int32, device="cuda")
        self._read = torch.zeros(count, dtype=torch.int32, device="cuda")

    def flush(self) -> None:
        self._written.zero_()
        self._read.amax()

    def mark(self) -> Any:
        event = self._torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def synchronize(self) -> None:
        self._torch.cuda.synchronize()

    def microseconds(self, start: Any, stop: Any) -> float:
        return float(start.elapsed_time(stop)) * 1e3


@dataclass(frozen=True)
class Stats:
    """Times in microseconds. `spread`: distance of the quartiles by the median. `middle`: the mean
    of those between the quartiles. Times that fall into two clusters, as those of short
    kernels do, have a median that jumps from one to the other; the middle does not."""

    median: float
    min: float
    max: float
    spread: float
    runs: int
    middle: float

    @staticmethod
    def of(samples: Sequence[float]) -> Stats:
        """Of one sample or more."""
        if len(samples) == 1:
            return Stats(samples[0], samples[0], samples[0], 0.0, 1, samples[0])
        low, median, high = statistics.quantiles(samples, n=4, method="inclusive")
        quarter = len(samples) // 4
        middle = statistics.fmean(sorted(samples)[quarter : len(samples) - quarter])
        spread = (high - low) / median
        return Stats(median, min(samples), max(samples), spread, len(samples), middle)


def turns(count: int, rounds: int, seed: int = ORDER_SEED) -> Iterator[list[int]]:
    """For each round, the order of `count` contenders, drawn by a seed.

    No contender has the same one in front of it every time: what that leaves behind, such as the
    state of the memory, is worth up to 4 % (docs/decisions/0135-kernels-that-begin-early.md).
    """
    draw = random.Random(seed)
    for _ in range(rounds):
        yield draw.sample(range(count), count)


def measure(
    timer: Timer,
    launches: Sequence[Callable[[], None]],
    rounds: int,
    warmups: int = 3,
    seed: int = ORDER_SEED,
) -> list[Stats]:
    """Times each launch once a round. One round tells of no spread."""
    for launch in launches:
        for _ in range(warmups):
            launch()
    marks: list[list[tuple[Any, Any]]] = [[] for _ in launches]
    for order in turns(len(launches), rounds, seed):
        for index in order:
            timer.flush()
            start = timer.mark()
            launches[index]()
            marks[index].append((start, timer.mark()))
    timer.synchronize()
    return [Stats.of([timer.microseconds(start, stop) for start, stop in ours]) for ours in marks]
