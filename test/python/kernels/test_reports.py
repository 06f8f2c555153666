"""Reports of kernels that only Python has: rows that are copied ahead, and stored behind."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from examples_support import numbers, unset

import rms_norm
import tilewright

CHECK = Path(__file__).resolve().parents[2] / "tools/tile-compile/Inputs/check-report.py"

pytestmark = pytest.mark.usefixtures("without_ptxas")


@pytest.mark.parametrize("target", ["sm_90a"], indirect=True)
def test_rows_in_turn(target):
    m, n, programs = 5, 3001, 2
    x, grad = numbers(m, n, dtype=np.float16), numbers(m, n, dtype=np.float16, seed=3)
    weight, sums = numbers(n, dtype=np.float16, seed=1), unset(programs, n)
    x_grad = unset(m, n, dtype=np.float16)
    # Of its own: of another one other tests may have compiled other variants.
    backward = tilewright.jit(rms_norm.backward_kernel.fn)
    kernel = backward[(programs,)](
        grad, x, weight, x_grad, sums, n, n, n, m, n, 1e-6, AHEAD=True, ROWS=1, BLOCK=4096,
        num_warps=8,
    )  # fmt: skip
    moves = {each["op"] for each in kernel.report["accesses"]}
    assert {f"tile.{op}_row" for op in ("copy", "load", "place", "store")} <= moves
    subprocess.run(
        [sys.executable, CHECK],
        input=json.dumps({"kernels": [kernel.report]}),
        text=True,
        check=True,
    )
