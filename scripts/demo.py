#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs three kernels in Python's words, says what the compiler decided, and draws a bank map.

    PYTHONPATH=build/python:examples/python .venv/bin/python scripts/demo.py [--bin BIN]

With PyTorch and a GPU they run there, else in the simulator. BIN is where tile-banks is; without it
there is no bank map.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples" / "python"))

import matmul  # noqa: E402
import softmax  # noqa: E402
import vector_add  # noqa: E402

#: Lines of a report's summary that tell most.
DECIDED = (
    "time bound",
    "shared memory",
    "global memory",
    "narrow accesses",
    "registers",
    "products",
)


#: Columns that a line may have.
WIDTH = 116


def find_device() -> tuple[Callable[[np.ndarray], Any], Callable[[Any], np.ndarray], str]:
    """How an array gets to where kernels run, and back; and where that is."""
    try:
        import torch
    except ImportError:
        torch = None
    if torch is None or not torch.cuda.is_available():
        return np.copy, np.asarray, "the simulator"

    def bring(array: np.ndarray) -> Any:
        return torch.from_numpy(array).cuda()

    return bring, lambda tensor: tensor.cpu().numpy(), torch.cuda.get_device_name()


def show(name: str, kernel: Any, error: float, bound: float) -> None:
    """What was decided for a kernel, and whether it was right."""
    print(f"\n{name}: largest error {error:.2g}, {'right' if error <= bound else 'WRONG'}")
    for line in kernel.report_text.splitlines():
        if line.startswith(tuple(f"  {name} " for name in DECIDED)):
            print(line if len(line) <= WIDTH else line[: WIDTH - 4] + " ...")
    if not error <= bound:
        sys.exit(1)


def largest_difference(got: Any, expected: np.ndarray) -> float:
    return float(np.max(np.abs(got.astype(np.float64) - expected)))


def run_all(on_device: bool) -> Any:
    """The three kernels; gives that of the product."""
    bring, take, _ = find_device()
    generator = np.random.default_rng(0)

    def draw(*shape: int, dtype: type = np.float32) -> np.ndarray:
        return generator.standard_normal(shape).astype(dtype)

    x, y = draw(10_000), draw(10_000)
    out = bring(np.empty_like(x))
    kernel = vector_add.add_kernel[(10,)](bring(x), bring(y), out, 10_000, BLOCK=1024)
    show("vector add", kernel, largest_difference(take(out), x + y), 0)

    x = draw(64, 1000)
    out = bring(np.empty_like(x))
    kernel = softmax.softmax_kernel[(64,)](bring(x), out, 1000, 1000, 1000)
    show("softmax of rows", kernel, largest_difference(take(out), softmax.reference(x)), 1e-6)

    size = 4096 if on_device else 256
    a, b = draw(size, size, dtype=np.float16), draw(size, size, dtype=np.float16)
    c = bring(np.empty_like(a))
    blocks = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP": 8}
    kernel = matmul.matmul_kernel[((size // 128) ** 2,)](
        bring(a), bring(b), c, None, size, size, size, size, 1, size, 1, size, 1, **blocks
    )
    bound = 0.001 * float(np.max(np.abs(expected := matmul.reference(a, b))))
    show("product of two matrices", kernel, largest_difference(take(c), expected), bound)
    return kernel


def draw_banks(kernel: Any, binaries: Path) -> None:
    """The banks of the product's first operand: lanes that read 16 bytes below each other."""
    tile = kernel.report["tiles"][0]
    # A tile with stages has one such layout in each.
    rows, columns = tile["type"].split("x")[-3:-1]
    layout = f"{rows}x{columns}, {tile['layout']}"
    print(f"\nthe banks of its first operand in shared memory, {tile['type']}, by tile-banks:")
    access = f"lane[32,1] register[{int(rows) // 32},{columns}]"
    shape = ["--bytes=2", "--vector=8", "--rows=6", "--columns=12"]
    sys.stdout.flush()
    subprocess.run([binaries / "tile-banks", layout, f"--access={access}", *shape], check=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, help="where tile-banks is")
    options = parser.parse_args()
    where = find_device()[2]
    print(f"on {where}")
    kernel = run_all(on_device=where != "the simulator")
    if options.bin is not None:
        draw_banks(kernel, options.bin)
    return 0


if __name__ == "__main__":
    sys.exit(main())
