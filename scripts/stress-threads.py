#!/usr/bin/env python3
"""Threads that compile and launch kernels with changing constants at the same time.

    PYTHONPATH=build/python .venv/bin/python scripts/stress-threads.py --seconds 60

Each result is checked, and memory of the host, and of the GPU, is not to grow once all code is
made: the median of the last quarter of its samples is compared with that of the first. Arrays are
NumPy's, for the simulator, or with --device=cuda those of PyTorch on a GPU.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import random
import statistics
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

import tilewright
import tilewright.language as tl

SIZE, BLOCK = 200, 64
CONSTANTS = (2, 3, 5, 7)


def make_kernel(number: int) -> tilewright.JITFunction:
    """One of many kernels that are no copies of each other."""
    amount = tl.constexpr(number)

    @tilewright.jit
    def kernel(x, out, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]  # noqa: N803
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, mask=i < n) * FACTOR + amount, mask=i < n)

    return kernel


class Arrays:
    """The arrays of one thread, on the host or a GPU."""

    def __init__(self, device: str, seed: int) -> None:
        self.values = np.random.default_rng(seed).integers(-99, 99, SIZE).astype(np.float32)
        self.x: Any = self.values.copy()
        self.out: Any = np.zeros(SIZE, np.float32)
        if device == "cuda":
            import torch

            self.x, self.out = (torch.from_numpy(each).cuda() for each in (self.x, self.out))

    def read(self) -> Any:
        return self.out.cpu().numpy() if hasattr(self.out, "cpu") else self.out


class Stress:
    """Threads, and what went wrong in them."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.kernels = [make_kernel(number) for number in range(options.kernels)]
        self.stop = threading.Event()
        self.launches = [0] * options.threads
        self.failures: list[str] = []

    def launch(self, number: int, arrays: Arrays, kernel: int, factor: int) -> None:
        grid = (tilewright.cdiv(SIZE, BLOCK),)
        arrays.out[...] = 0
        self.kernels[kernel][grid](arrays.x, arrays.out, SIZE, FACTOR=factor, BLOCK=BLOCK)
        self.launches[number] += 1
        if not np.array_equal(arrays.read(), arrays.values * factor + kernel):
            self.failures.append(f"thread {number}: kernel {kernel} with {factor} is wrong")

    def run_all(self, number: int) -> None:
        """Each kernel with each constant, in an order of this thread, until it is to stop."""
        arrays, order = Arrays(self.options.device, number), random.Random(number)
        cases = [(kernel, factor) for kernel in range(len(self.kernels)) for factor in CONSTANTS]
        try:
            while not self.stop.is_set():
                order.shuffle(cases)
                for kernel, factor in cases:
                    self.launch(number, arrays, kernel, factor)
                    if self.stop.is_set():
                        return
        except Exception as error:
            self.failures.append(f"thread {number}: {error!r}")

    def is_compiled(self) -> bool:
        return all(len(each.kernels) == len(CONSTANTS) for each in self.kernels)


def read_memory(device: str) -> tuple[float, float]:
    """MiB of this process on the host, and of all on the GPU."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    used = 0
    if device == "cuda":
        import torch

        free, total = torch.cuda.mem_get_info()
        used = total - free
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20, used / 2**20


def sample_memory(stress: Stress, seconds: float, device: str) -> list[tuple[float, float]]:
    """Some dozens of samples, over so many seconds."""
    end = time.monotonic() + seconds
    samples = [read_memory(device)]
    while time.monotonic() < end and not stress.failures:
        stress.stop.wait(seconds / 40)
        samples.append(read_memory(device))
    return samples


def find_growth(samples: list[tuple[float, float]]) -> list[float]:
    """How much memory of the host and of the GPU grew."""
    count = max(1, len(samples) // 4)
    first, last = samples[:count], samples[-count:]
    return [
        statistics.median(each[place] for each in last)
        - statistics.median(each[place] for each in first)
        for place in range(2)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60, help="once all code is made")
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--kernels", type=int, default=40)
    parser.add_argument("--device", choices=("sim", "cuda"), default="sim")
    parser.add_argument("--growth", type=float, default=4, help="the most, in MiB")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write the record here")
    options = parser.parse_args()
    # Heaps of threads grow for long, and hide what is lost: one for all (M_ARENA_MAX).
    ctypes.CDLL(None).mallopt(-8, 1)
    stress = Stress(options)
    threads = [
        threading.Thread(target=stress.run_all, args=(number,)) for number in range(options.threads)
    ]
    for each in threads:
        each.start()
    begin = time.monotonic()
    while not stress.is_compiled() and not stress.failures:
        time.sleep(0.05)
    compiled = time.monotonic()
    # Allocators of threads settle first.
    stress.stop.wait(options.seconds / 5)
    samples = sample_memory(stress, options.seconds * 4 / 5, options.device)
    stress.stop.set()
    for each in threads:
        each.join()
    growth = find_growth(samples)
    if options.json:
        record = {
            "device": options.device,
            "launches": sum(stress.launches),
            "threads": options.threads,
            "kernels": options.kernels,
            "seconds_to_compile": compiled - begin,
            "growth_mib": growth,
            "host_mib": [round(each[0], 1) for each in samples],
            "gpu_mib": [round(each[1], 1) for each in samples],
            "failures": stress.failures,
        }
        options.json.write_text(json.dumps(record) + "\n", encoding="utf-8")
    print(
        f"{sum(stress.launches)} launches by {options.threads} threads of {options.kernels} "
        f"kernels; all code was made after {compiled - begin:.1f} s; memory grew by "
        f"{growth[0]:.1f} MiB on the host and {growth[1]:.1f} MiB on the GPU"
    )
    for text in stress.failures[:10]:
        print(text, file=sys.stderr)
    if max(growth) > options.growth:
        print(f"memory grew by more than {options.growth:g} MiB", file=sys.stderr)
        return 1
    return 1 if stress.failures else 0


if __name__ == "__main__":
    sys.exit(main())
