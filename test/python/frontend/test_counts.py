"""What the simulator counts of kernels by pointers is what the report says of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@tilewright.jit
def transpose(x, out, M, N, BLOCK: tl.constexpr):
    m = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    n = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = (m[:, None] < M) & (n[None, :] < N)
    tile = tl.load(x + m[:, None] * N + n[None, :], mask=inside)
    tl.store(out + n[:, None] * M + m[None, :], tile.T, mask=inside.T)


def count_reported(report: dict[str, Any], op: str) -> int:
    return sum(each["wavefronts"] for each in report["accesses"] if each["op"] == f"tile.{op}")


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int8])
def test_transpose(target: str, dtype: Any) -> None:
    x = np.random.default_rng(0).integers(-100, 100, (128, 192)).astype(dtype)
    out = np.zeros((192, 128), dtype)
    kernel: Any = tilewright.jit(transpose.fn)
    compiled = kernel[(2, 3)](x, out, 128, 192, BLOCK=64, target=target)
    np.testing.assert_array_equal(out, x.T)
    counts, report = compiled.simulation["counts"], compiled.variants[-1]["report"]
    loads = count_reported(report, "local_load")
    assert loads > 0
    assert counts["shared_load_wavefronts"] == 6 * loads
    assert counts["shared_store_wavefronts"] == 6 * count_reported(report, "local_store")
