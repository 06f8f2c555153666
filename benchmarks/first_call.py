#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the first call of a matmul in new processes, and what comes before it.

    PYTHONPATH=build/python benchmarks/first_call.py
    PYTHONPATH=build/python benchmarks/first_call.py --simulate

Each process imports the package and numpy, and then launches the matmul of examples/python once, on
a driver that does nothing (by default the one of the build folder) or in the simulator. First with
an empty cache on disk, then with one that has all of it; a time is the least of several processes,
which other work of the machine changes least.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FAKE_DRIVER = ROOT / "build" / "test" / "python" / "fake_cuda" / "libcuda.so.1"

PROCESS = """
import ctypes, json, sys, time
begin = time.perf_counter()
import tilewright, tilewright.language
imported = time.perf_counter()
import numpy
driver, examples = sys.argv[1:]
if driver:
    ctypes.CDLL(driver, mode=ctypes.RTLD_GLOBAL)
sys.path.insert(0, examples)
from matmul import matmul_kernel

class Array:
    def __init__(self, number):
        self.__cuda_array_interface__ = {
            "shape": (64, 64), "typestr": "<f2", "version": 3, "stream": 1,
            "data": ((1 << 40) + (number << 20), False),
        }

arrays = [Array(i) if driver else numpy.zeros((64, 64), numpy.float16) for i in range(3)]
constants = {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32, "GROUP": 8, "ACTIVATION": "leaky_relu"}
start = time.perf_counter()
matmul_kernel[(1,)](*arrays, None, 64, 64, 64, 64, 1, 64, 1, 64, 1, **constants)
end = time.perf_counter()
times = {"import": imported - begin, "first_call": end - start}
times = {name: round(seconds * 1e3, 2) for name, seconds in times.items()}
print(json.dumps({**times, "compiles": tilewright._core.is_compiler_loaded()}))
"""


def run(cache: str, driver: str) -> dict[str, float]:
    """The milliseconds of one process."""
    command = [sys.executable, "-c", PROCESS, driver, str(ROOT / "examples" / "python")]
    environment = {**os.environ, "TILEWRIGHT_CACHE_DIR": cache}
    result = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    times: dict[str, float] = json.loads(result.stdout)
    return times


def measure(driver: str, processes: int) -> dict[str, dict[str, float]]:
    """The least times with nothing on disk, and with all."""
    cold, warm = [], []
    for _ in range(processes):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(run(cache, driver))
            warm.append(run(cache, driver))
    if any(each["compiles"] for each in warm):
        raise SystemExit("first_call.py: what was on disk was compiled again")
    best = {}
    for name, runs in (("nothing on disk", cold), ("all on disk", warm)):
        best[name] = {key: min(each[key] for each in runs) for key in ("import", "first_call")}
    return best


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--simulate", action="store_true", help="launch in the simulator")
    parser.add_argument("--driver", default=str(FAKE_DRIVER), help="the driver that does nothing")
    parser.add_argument("--processes", type=int, default=7, help="of each kind")
    options = parser.parse_args()
    driver = "" if options.simulate else options.driver
    print(json.dumps({"milliseconds": measure(driver, options.processes)}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
