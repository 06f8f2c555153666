#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets processes fill one cache on disk at the same time, and kills some of them.

    PYTHONPATH=build/python .venv/bin/python scripts/cache-stress.py --rounds 200

A round begins with an empty cache. Its processes compile the same kernels and launch them in the
simulator; some are killed at a random moment, and now and then an entry is damaged under their
hands. Then two more processes run to their end: the first makes what is still missing, the second
must find all of it. Results are compared with NumPy, and what lies in the folder is counted. It
needs the package and NumPy.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

KERNELS = 4


def _work(seed: int) -> bool:
    """Launches all kernels, in some order; whether nothing was compiled for it."""
    import numpy as np

    import tilewright
    import tilewright.language as tl
    from tilewright import _core

    @tilewright.jit
    def scale(x, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def] # noqa: N803
        i = tl.arange(0, BLOCK)
        value = tl.load(x + i, mask=i < n)
        tl.store(x + i, value * FACTOR, mask=i < n)

    order = list(range(1, KERNELS + 1))
    random.Random(seed).shuffle(order)
    for factor in order:
        x = np.arange(61, dtype=np.float32)
        scale[(1,)](x, 61, FACTOR=factor + 1, BLOCK=64)
        if not np.array_equal(x, np.arange(61, dtype=np.float32) * (factor + 1)):
            raise SystemExit(f"cache-stress.py: wrong result of factor {factor + 1}")
    return not _core.is_compiler_loaded()


def _start(cache: Path, seed: int) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "TILEWRIGHT_CACHE_DIR": str(cache), "TILEWRIGHT_DEVICE": "sim"}
    command = [sys.executable, __file__, "--work", str(seed)]
    return subprocess.Popen(command, env=environment)


def _damage(cache: Path, draw: random.Random) -> None:
    """Cuts an entry off, or changes a byte."""
    entries = sorted(cache.glob("llvmcache-*"))
    if not entries:
        return
    entry = draw.choice(entries)
    try:
        data = bytearray(entry.read_bytes())
        at = draw.randrange(len(data))
        if draw.random() < 0.5:
            del data[at:]
        else:
            data[at] ^= 1 << draw.randrange(8)
        entry.write_bytes(data)
    except (OSError, ValueError):
        return


def _run_round(cache: Path, options: argparse.Namespace, draw: random.Random) -> tuple[int, int]:
    """How many were killed, and how many unfinished entries they left."""
    processes = [_start(cache, draw.randrange(1 << 30)) for _ in range(options.processes)]
    victims = draw.sample(processes, options.processes // 2)
    killed = 0
    for process in victims:
        time.sleep(draw.random() * options.seconds / len(victims))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            killed += 1
        if draw.random() < 0.2:
            _damage(cache, draw)
    for process in processes:
        status = process.wait()
        if status not in (0, 3) and not (process in victims and status == -signal.SIGKILL):
            raise SystemExit(f"cache-stress.py: a process ended with {status}")
    left = len(list(cache.glob("unfinished/*")))
    statuses = [_start(cache, 0).wait() for _ in range(2)]
    if statuses[0] not in (0, 3) or statuses[1] != 0:
        raise SystemExit(f"cache-stress.py: the cache is not whole after a round: {statuses}")
    return killed, left


def _check_contents(cache: Path, left: int) -> None:
    """Programs and variants, and nothing else but what the last ones to be killed left."""
    entries = len(list(cache.glob("llvmcache-*")))
    others = [path.name for path in cache.iterdir() if not path.name.startswith("llvmcache-")]
    unfinished = len(list(cache.glob("unfinished/*")))
    if entries != 2 * KERNELS or set(others) - {"unfinished", "llvmcache.timestamp"}:
        raise SystemExit(f"cache-stress.py: {entries} entries, and {others}")
    if unfinished > left:
        raise SystemExit(f"cache-stress.py: {unfinished} unfinished entries")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=2.0, help="in which they are killed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", action="store_true", help="begin a round with what there is")
    parser.add_argument("--work", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work is not None:
        return 0 if _work(options.work) else 3
    draw = random.Random(options.seed)
    killed = abandoned = 0
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "cache"
        for number in range(options.rounds):
            dead, left = _run_round(cache, options, draw)
            _check_contents(cache, left)
            killed, abandoned = killed + dead, abandoned + left
            for entry in [] if options.keep else cache.glob("llvmcache-*"):
                entry.unlink()
            print(f"round {number + 1}: {dead} killed, {left} entries unfinished", flush=True)
    print(
        f"{options.rounds} rounds, {killed} processes killed, {abandoned} entries left unfinished"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
