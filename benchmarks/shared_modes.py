#!/usr/bin/env python3
"""Measures conflicts of shared memory in the modes that wgmma and bulk tensor copies use.

    benchmarks/shared_modes.py --json shared-modes.json

The loops of its kernels use nothing but shared memory and, for copies, the L2; the clock of the
multiprocessor is read around them. Products of warpgroups: those of few columns need all that
shared memory has, so that a mode with conflicts shows. Reads by ldmatrix, without conflicts and,
as a control, with them. Bulk tensor copies of one box, and products beside them. All results are
compared with NumPy's. It needs PyTorch and a GPU of sm_90. With --counters it runs itself once more
under ncu.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.cuda import Driver
from bench.record import Record
from bench.shared_counters import count
from bench.shared_launch import (
    MAJORS,
    MODES,
    PLAIN,
    Bench,
    Copies,
    Product,
    Reads,
    row_bytes,
)
from bench.shared_ptx import K_STEPS, READ_WARPS, READS, REPEATS, SLOT_BYTES, SLOTS
from bench.shared_tiles import ELEMENT
from gputools.tools import ToolError

COLUMNS = (256, 128, 64, 32, 16, 8)
INSTRUCTIONS = K_STEPS * REPEATS
ENDLESS = 1 << 30
# Clocks for a copy: as fast as it goes, and 48 bytes a clock.
PACES = (0, SLOT_BYTES // 48)


# What is measured, and how.
Case = tuple[dict[str, Any], Callable[[], dict[str, Any]]]


class Clocks:
    """How often a loop runs, and how its clocks are read."""

    def __init__(self, iterations: int, repeats: int) -> None:
        self.iterations, self.repeats = iterations, repeats

    def each(self, launch: Callable[[int], Any], groups: int, instructions: int) -> dict[str, Any]:
        """Clocks of a multiprocessor for an instruction of all those of an iteration: what a loop
        three times as long takes longer."""
        samples: list[float] = []
        for _ in range(self.repeats):
            more = _spans(launch(3 * self.iterations), groups)
            more = more - _spans(launch(self.iterations), groups)
            samples.extend(more / (2 * self.iterations * instructions))
        return _describe(samples)


def _spans(clocks: Any, groups: int) -> Any:
    """From the first warpgroup's beginning to the last one's end, of each block."""
    times = clocks[:, : 2 * groups].reshape(-1, groups, 2)
    return times[:, :, 1].max(axis=1) - times[:, :, 0].min(axis=1)


def _describe(samples: Sequence[float]) -> dict[str, float]:
    numbers = {"median": statistics.median(samples), "least": min(samples), "most": max(samples)}
    return {name: round(float(number), 2) for name, number in numbers.items()}


def _rates(clocks: Any) -> list[float]:
    """Bytes a clock of each block, from the first copy whose clock was kept to the last."""
    first, last, copies = clocks[:, 4], clocks[:, 5], clocks[:, 6]
    return [
        float((count - 1 - 2 * SLOTS) * SLOT_BYTES / (end - start)) if end > start > 0 else 0.0
        for start, end, count in zip(first, last, copies, strict=True)
    ]


def _products(bench: Bench) -> Iterator[tuple[dict[str, Any], Product]]:
    for major, (_, is_across) in MAJORS.items():
        for n in COLUMNS:
            for mode in MODES:
                if is_across and n * ELEMENT < row_bytes(mode):
                    continue
                for groups in (1, 2):
                    case = {"what": "products", "n": n, "mode": mode, "major": major}
                    yield {**case, "warpgroups": groups}, Product(bench, n, mode, major, groups)


def product_cases(bench: Bench, clocks: Clocks) -> Iterator[Case]:
    for case, product in _products(bench):

        def measure(product: Product = product) -> dict[str, Any]:
            def launch(iterations: int) -> Any:
                return product.clocks(bench.blocks, iterations, Copies())

            groups = product.groups
            return {"clocks": clocks.each(launch, groups, INSTRUCTIONS * groups)}

        yield case, measure


def read_cases(bench: Bench, clocks: Clocks) -> Iterator[Case]:
    for mode in (*MODES, PLAIN):

        def measure(mode: str = mode) -> dict[str, Any]:
            reads = Reads(bench, mode)

            def launch(iterations: int) -> Any:
                return reads.clocks(bench.blocks, iterations)

            return {"clocks": clocks.each(launch, 1, READS * READ_WARPS)}

        yield {"what": "reads", "mode": mode}, measure


def copy_cases(bench: Bench, clocks: Clocks) -> Iterator[Case]:
    for mode in (*MODES, PLAIN):
        for blocks in (1, 16, bench.blocks):

            def measure(mode: str = mode, blocks: int = blocks) -> dict[str, Any]:
                copies = Copies(8 * clocks.iterations, mode)
                copies.check(bench)
                rates: list[float] = []
                for _ in range(clocks.repeats):
                    rates += _rates(copies.clocks(bench, blocks))
                return {"bytes_a_clock": _describe(rates)}

            yield {"what": "copies", "mode": mode, "blocks": blocks}, measure


def _beside(clocks: Clocks) -> Iterator[tuple[int, Copies]]:
    """Columns of products, and the copies beside them: 0 are none."""
    for n in COLUMNS:
        yield n, Copies()
        for pace in PACES:
            yield n, Copies(ENDLESS, "128B", pace)
    for mode in (*MODES[1:], PLAIN):
        yield 256, Copies(ENDLESS, mode)
        yield 64, Copies(ENDLESS, mode)


def both_cases(bench: Bench, clocks: Clocks) -> Iterator[Case]:
    for n, copies in _beside(clocks):
        for blocks in (1, bench.blocks):

            def measure(
                n: int = n, copies: Copies = copies, blocks: int = blocks
            ) -> dict[str, Any]:
                product = Product(bench, n, "128B", "A and B by K", 2)
                rates: list[float] = []

                def launch(iterations: int) -> Any:
                    measured = product.clocks(blocks, iterations, copies)
                    rates.extend(_rates(measured))
                    return measured

                of_each = clocks.each(launch, 2, 2 * INSTRUCTIONS)
                return {"clocks": of_each, "bytes_a_clock": _describe(rates)}

            case = {"what": "both", "n": n, "copies": bool(copies.count), "mode": copies.mode}
            yield {**case, "pace": copies.pace, "blocks": blocks}, measure


CASES = (read_cases, product_cases, copy_cases, both_cases)


def launches(bench: Bench) -> Iterator[tuple[dict[str, Any], Callable[[], Any]]]:
    """What is counted, once each: products that need all of shared memory, reads and copies."""
    for case, product in _products(bench):
        if product.n == 64 and product.groups == 2:
            yield case, lambda product=product: product.clocks(1, 64, Copies())
    for mode in (*MODES, PLAIN):
        case = {"mode": mode}
        reads, copies = Reads(bench, mode), Copies(64, mode)
        yield {"what": "reads", **case}, lambda reads=reads: reads.clocks(1, 64)
        yield {"what": "copies", **case}, lambda copies=copies: copies.clocks(bench, 1)


def _counted(bench: Bench) -> list[dict[str, Any]]:
    cases = [case for case, _ in launches(bench)]
    counts = count([Path(__file__).resolve(), "--launch-once"], "products|reads")
    if len(counts) != len(cases):
        raise ToolError(f"ncu counted {len(counts)} launches, not {len(cases)}")
    return [case | {"counts": each} for case, each in zip(cases, counts, strict=True)]


def _line(case: dict[str, Any]) -> str:
    names = [str(value) for value in case.values() if not isinstance(value, dict)]
    numbers = [
        f"{name} {each['median']:.2f} ({each['least']:.2f} to {each['most']:.2f})"
        for name in ("clocks", "bytes_a_clock")
        if (each := case.get(name))
    ]
    return " ".join([*names, *numbers])


def _measure(record: Record, cases: Iterable[Case]) -> None:
    """A case whose results are wrong has the error in place of numbers."""
    for case, measure in cases:
        try:
            measured = case | measure()
        except ToolError as error:
            measured = case | {"error": str(error)}
        print(_line(measured), flush=True)
        record.add(measured)


def main() -> None:
    import torch

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--iterations", type=int, default=256, help="of the shorter loop")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--counters", action="store_true", help="of ncu, too")
    parser.add_argument("--launch-once", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    torch.zeros(1, device="cuda")
    bench = Bench(torch, Driver())
    if arguments.launch_once:
        for _, launch in launches(bench):
            launch()
        return
    clocks = Clocks(arguments.iterations, arguments.repeats)
    head = {"device": torch.cuda.get_device_name(), "instructions": INSTRUCTIONS}
    record = Record(arguments.json, {**head, "iterations": clocks.iterations})
    for cases in CASES:
        _measure(record, cases(bench, clocks))
    record.finish()
    if arguments.counters:
        record.finish(counted=_counted(bench))


if __name__ == "__main__":
    main()
