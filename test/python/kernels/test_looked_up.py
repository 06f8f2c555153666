"""Kernels that look things up: slots of tables, rows by numbers; promises that stand alone."""

import itertools

import numpy as np
import pytest
from examples_support import assert_close, numbers, unset

import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")


@tilewright.jit
def probe_kernel(keys, table, values, out, n, capacity, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    key = tl.load(keys + offs, mask=mask, other=-1)
    slot = key % capacity
    result = tl.full((BLOCK,), -1, tl.int32)
    searching = mask
    while tl.max(searching.to(tl.int32), axis=0) > 0:
        there = tl.load(table + slot, mask=searching, other=-1)
        found = searching & (there == key)
        result = tl.where(found, tl.load(values + slot, mask=found, other=-1), result)
        searching = searching & (there != key) & (there != -1)
        slot = (slot + 1) % capacity
    tl.store(out + offs, result, mask=mask)


def test_slots_of_a_table_stand_where_the_first_ones_do(target):
    capacity, stored = 64, np.arange(0, 96, 3, dtype=np.int32)
    table, values = np.full(capacity, -1, np.int32), np.full(capacity, -1, np.int32)
    for number, key in enumerate(stored):
        slot = key % capacity
        while table[slot] != -1:
            slot = (slot + 1) % capacity
        table[slot], values[slot] = key, number
    keys = np.random.default_rng(0).integers(0, 96, 700).astype(np.int32)
    out = unset(700, dtype=np.int32)
    kernel = tilewright.jit(probe_kernel.fn)
    kernel[(2,)](keys, table, values, out, 700, capacity, BLOCK=512)
    np.testing.assert_array_equal(out, np.where(keys % 3 == 0, keys // 3, -1))
    # What a trip combines goes through shared memory, and no slots do.
    report = kernel.kernels[-1].report_text
    assert "512xi32" not in report.partition("shared tiles")[2]


@tilewright.jit
def stated_kernel(x, places, out, N, STEPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = x + tl.load(places + row) + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for _ in range(STEPS):
        tl.multiple_of(at, 16)
        total += tl.load(at)
        at += BLOCK
    tl.store(out + row * N + tl.arange(0, BLOCK), total)


@pytest.mark.parametrize("steps", [1, 3])
def test_promises_that_stand_alone_hold_behind_them(target, steps):
    x = numbers(2048, dtype=np.float32)
    places = np.array([0, 64, 12, 1000], np.int32)
    out = unset(4, 256, dtype=np.float32)
    kernel = tilewright.jit(stated_kernel.fn)
    kernel[(4,)](x, places, out, 256, STEPS=steps, BLOCK=256, num_warps=2)
    rows = [sum(x[at + 256 * i : at + 256 * (i + 1)] for i in range(steps)) for at in places]
    assert_close(out, np.stack(rows), digits=1e-5)
    assert "vector of 4 (16 bytes)" in kernel.kernels[-1].report_text


@tilewright.jit
def latent_kernel(q, rows, numbers_of, out, n, D: tl.constexpr, BH: tl.constexpr, BN: tl.constexpr):
    """Attention over rows by their numbers, which are keys and values."""
    heads, d = tl.arange(0, BH), tl.arange(0, D)
    queries = tl.load(q + heads[:, None] * D + d[None, :])
    top = tl.full([BH], -float("inf"), tl.float32)
    total = tl.zeros([BH], tl.float32)
    acc = tl.zeros([BH, D], tl.float32)
    if n > 0:
        for first in range(0, n, BN):
            at = first + tl.arange(0, BN)
            row = tl.load(numbers_of + at, mask=at < n, other=0) * D
            keys = tl.load(rows + row[None, :] + d[:, None], mask=(at < n)[None, :], other=0.0)
            scores = tl.where((at < n)[None, :], tl.dot(queries, keys), -float("inf"))
            new_top = tl.maximum(top, tl.max(scores, 1))
            p = tl.exp(scores - new_top[:, None])
            shrink = tl.exp(top - new_top)
            acc = acc * shrink[:, None] + tl.dot(p.to(keys.dtype), tl.trans(keys))
            total = total * shrink + tl.sum(p, 1)
            top = new_top
    tl.store(out + heads[:, None] * D + d[None, :], acc / total[:, None])


@pytest.mark.parametrize("d", [64, 512])
def test_keys_are_stored_once_that_are_values_too(target, d):
    n = 75
    q = numbers(16, d, dtype=np.float16) * np.float16(d**-0.5)
    rows, places = (
        numbers(90, d, dtype=np.float16, seed=1),
        np.random.default_rng(0).permutation(90),
    )
    out = unset(16, d, dtype=np.float32)
    kernel = tilewright.jit(latent_kernel.fn)
    kernel[(1,)](q, rows, places[:n].astype(np.int32), out, n, D=d, BH=16, BN=32, num_stages=1)
    taken = rows[places[:n]].astype(np.float64)
    powers = np.exp(q.astype(np.float64) @ taken.T)
    assert_close(out, powers / powers.sum(1, keepdims=True) @ taken, digits=1e-2)
    tiles = kernel.kernels[-1].report_text.partition("shared tiles")[2].partition("accesses")[0]
    assert tiles.count(f"{d}x32xf16") == 1


@tilewright.jit
def bag_kernel(table, indices, offsets, out, D, BLOCK: tl.constexpr):
    bag = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    for i in range(tl.load(offsets + bag), tl.load(offsets + bag + 1)):
        row = tl.load(indices + i).to(tl.int64)
        acc += tl.load(table + row * D + cols, mask=cols < D, other=0.0).to(tl.float32)
    tl.store(out + bag * D + cols, acc, mask=cols < D)


def test_rows_by_their_numbers_have_registers_for_four(target):
    table, indices = numbers(40, 250, dtype=np.float16), np.arange(39, dtype=np.int32)[::-1].copy()
    offsets, out = np.array([0, 5, 5, 39], np.int32), unset(3, 250, dtype=np.float32)
    kernel = tilewright.jit(bag_kernel.fn)
    kernel[(3,)](table, indices, offsets, out, 250, BLOCK=256, num_warps=2)
    parts = [table[indices[a:b]].astype(np.float64).sum(0) for a, b in itertools.pairwise(offsets)]
    assert_close(out, np.stack(parts), digits=1e-4)
    assert ".minnctapersm" in kernel.kernels[-1].ptx
