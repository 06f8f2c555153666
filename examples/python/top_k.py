"""The K largest of each row and their places, as routers of experts want them: K times the largest
of those that are left."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import strides


@tilewright.jit
def top_k_kernel(x, values, places, stride, N, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    # What is not there, or not left, is no number: the largest is none of it.
    nan: tl.constexpr = float("nan")
    numbers = tl.load(x + row * stride + columns, mask=columns < N, other=nan)
    for k in range(K):
        most = tl.max(numbers, axis=0)
        # Of equals the first.
        place = tl.min(tl.where(numbers == most, columns, BLOCK), axis=0)
        tl.store(values + row * K + k, most)
        tl.store(places + row * K + k, place)
        numbers = tl.where(columns == place, nan, numbers)


def top_k(x: Any, values: Any, places: Any, **launch: Any) -> None:
    """The largest numbers of each row of x in order, as many as `values` and `places` (i32) have
    columns. Without NaNs."""
    m, n = x.shape
    if values.shape[1] > n:
        raise ValueError(f"{values.shape[1]} of {n} numbers are asked for")
    top_k_kernel[(m,)](
        x, values, places, strides(x)[0], n,
        K=values.shape[1], BLOCK=tilewright.next_power_of_2(n), **launch,
    )  # fmt: skip


def reference(x: numpy.ndarray, k: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    places = numpy.argsort(-x.astype(numpy.float64), axis=1, kind="stable")[:, :k]
    return numpy.take_along_axis(x, places, axis=1), places
