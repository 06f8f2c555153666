"""The K largest of each row and their places, as routers of experts want them.

The K largest are in the K groups of columns whose largest numbers are the greatest: there are K
numbers greater than all of any other group. So only the largest of each group are put in order, and
then the numbers of K groups."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import strides


@tilewright.jit
def make_keys(numbers, places, COUNT: tl.constexpr):
    """Integers in the order of the numbers; of equals the first is the greatest."""
    bits: tl.constexpr = numbers.dtype.primitive_bitwidth
    # A zero with a sign is as great as one without.
    if bits == 16:
        integers = (numbers + 0.0).to(numbers.dtype).to(tl.int16, bitcast=True).to(tl.int32)
    else:
        integers = (numbers + 0.0).to(tl.int32, bitcast=True)
    # Those below zero count the other way.
    integers = integers ^ ((integers >> 31) & (2 ** (bits - 1) - 1))
    if bits == 32:
        integers = integers.to(tl.int64)
    return (integers << bits) | (COUNT - 1 - places)


@tilewright.jit
def read_places(keys, bits: tl.constexpr, COUNT: tl.constexpr):
    return COUNT - 1 - (keys & (2**bits - 1)).to(tl.int32)


@tilewright.jit
def read_numbers(keys, KIND: tl.constexpr):
    bits: tl.constexpr = KIND.primitive_bitwidth
    integers = (keys >> bits).to(tl.int32)
    integers = integers ^ ((integers >> 31) & (2 ** (bits - 1) - 1))
    if bits == 16:
        integers = integers.to(tl.int16)
    return integers.to(KIND, bitcast=True)


@tilewright.jit
def top_k_kernel(
    x, values, places, stride, N, K: tl.constexpr, KEPT: tl.constexpr, GROUP: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    row = x + tl.program_id(0).to(tl.int64) * stride
    kind: tl.constexpr = x.dtype.element_ty
    tl.static_assert(kind.is_standard_floating(), "keys are made of floats")
    bits: tl.constexpr = kind.primitive_bitwidth
    columns = tl.arange(0, BLOCK)
    numbers = tl.load(row + columns, mask=columns < N, other=float("-inf"))
    greatest = tl.max(tl.reshape(numbers, [BLOCK // GROUP, GROUP]), axis=1).to(kind)
    groups = tl.arange(0, BLOCK // GROUP)
    largest = tl.topk(make_keys(greatest, groups, BLOCK), KEPT)
    if GROUP > 1:
        groups = read_places(largest, bits, BLOCK)
        columns = tl.reshape(groups[:, None] * GROUP + tl.arange(0, GROUP)[None, :], [KEPT * GROUP])
        numbers = tl.load(row + columns, mask=columns < N, other=float("-inf"))
        largest = tl.topk(make_keys(numbers, columns, BLOCK), KEPT)
    order = tl.program_id(0).to(tl.int64) * K + tl.arange(0, KEPT)
    tl.store(values + order, read_numbers(largest, kind), mask=tl.arange(0, KEPT) < K)
    tl.store(places + order, read_places(largest, bits, BLOCK), mask=tl.arange(0, KEPT) < K)


def top_k(x: Any, values: Any, places: Any, group: int | None = None, **launch: Any) -> None:
    """The largest numbers of each row of x in order, as many as `values` and `places` (i32) have
    columns. Without NaNs.

    `group`: how many columns are a group, a power of two.
    """
    m, n = x.shape
    k = values.shape[1]
    if k > n:
        raise ValueError(f"{k} of {n} numbers are asked for")
    if x.itemsize > 4:
        raise ValueError(f"numbers are floats of 16 or 32 bits, not of {8 * x.itemsize}")
    if n > 2**16 and x.itemsize == 2:
        raise ValueError(f"keys have 16 bits for a place, not enough for {n} columns")
    block, kept = tilewright.next_power_of_2(n), tilewright.next_power_of_2(k)
    # About as many groups as there are numbers in those that are looked at.
    if group is None:
        group = 1
        while 4 * group * group * kept <= block:
            group *= 2
    top_k_kernel[(m,)](
        x, values, places, strides(x)[0], n, K=k, KEPT=kept, GROUP=group, BLOCK=block, **launch,
    )  # fmt: skip


def reference(x: numpy.ndarray, k: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    places = numpy.argsort(-x.astype(numpy.float64), axis=1, kind="stable")[:, :k]
    return numpy.take_along_axis(x, places, axis=1), places
