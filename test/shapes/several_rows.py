"""A softmax of which a program takes several rows, whose masks have two dimensions."""

from __future__ import annotations

from typing import Any

import tilewright
import tilewright.language as tl
from arrays import strides


@tilewright.jit
def softmax_kernel(x, out, x_stride, out_stride, m, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, BLOCK)
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    place = x + rows[:, None].to(tl.int64) * x_stride + columns[None, :]
    values = tl.load(place, mask=inside, other=-float("inf")).to(tl.float32)
    powers = tl.exp(values - tl.max(values, axis=1)[:, None])
    # What is behind the end is chosen by the columns alone.
    powers = tl.where((columns < n)[None, :], powers, 0.0)
    result = powers / tl.sum(powers, axis=1)[:, None]
    place = out + rows[:, None].to(tl.int64) * out_stride + columns[None, :]
    tl.store(place, result.to(out.dtype.element_ty), mask=inside)


def softmax(x: Any, out: Any, rows: int, num_warps: int) -> None:
    (m, n), block = x.shape, tilewright.next_power_of_2(x.shape[1])
    softmax_kernel[(tilewright.cdiv(m, rows),)](
        x, out, strides(x)[0], strides(out)[0], m, n, ROWS=rows, BLOCK=block, num_warps=num_warps
    )


def find_rows(n: int, num_warps: int) -> list[int]:
    """How many rows a program may have, so that a thread has 128 elements at most."""
    block = tilewright.next_power_of_2(n)
    return [rows for rows in (1, 2, 4, 8) if rows * block <= 128 * 32 * num_warps]
