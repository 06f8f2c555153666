"""Products with pages of an array that a list names, and with rows by masks: beside NumPy."""

import numpy as np
import pytest
from examples_support import assert_close, numbers, unset

import tilewright
import tilewright.language as tl


@tilewright.jit
def pages_kernel(
    left, right, pages, counts, out, most,
    M: tl.constexpr, N: tl.constexpr, PAGE: tl.constexpr, DESCRIBED: tl.constexpr,
    STAGES: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    m, k, n = tl.arange(0, M), tl.arange(0, PAGE), tl.arange(0, N)
    rows = tl.make_tensor_descriptor(right, [most * PAGE, N], [N, 1], [PAGE, N])
    total = tl.zeros((M, N), dtype=tl.float32)
    for trip in tl.range(0, tl.load(counts + program), num_stages=STAGES):
        page = tl.load(pages + program * most + trip)
        a = tl.load(left + m[:, None] * most * PAGE + (trip * PAGE + k)[None, :])
        if DESCRIBED:
            b = rows.load([page * PAGE, 0])
        else:
            b = tl.load(right + (page * PAGE + k)[:, None] * N + n[None, :])
        total = tl.dot(a, b, total)
    tl.store(out + (program * M + m)[:, None] * N + n[None, :], total)


@pytest.mark.parametrize("described", [False, True])
@pytest.mark.parametrize("stages", [1, 2, 3, 4])
def test_products_with_pages(target, described, stages):
    m, n, page, counts = 64, 64, 32, np.array([0, 1, 2, 5], np.int32)
    most = 7
    left, right = (
        numbers(m, most * page, dtype=np.float16),
        numbers(most * page, n, dtype=np.float16),
    )
    pages = np.random.default_rng(3).permuted(
        np.tile(np.arange(most, dtype=np.int32), (len(counts), 1)), axis=1
    )
    out = unset(len(counts), m, n)
    pages_kernel[(len(counts),)](
        left, right, pages, counts, out, most, M=m, N=n, PAGE=page, DESCRIBED=described,
        STAGES=stages, target=target,
    )  # fmt: skip
    for program, count in enumerate(counts):
        used = [right[p * page : (p + 1) * page] for p in pages[program, :count]]
        b = np.concatenate([np.zeros((0, n), np.float16), *used]).astype(np.float32)
        assert_close(out[program], left[:, : count * page].astype(np.float32) @ b)


@tilewright.jit
def experts_kernel(
    tokens, ids, weights, out, valid, K,
    M: tl.constexpr, N: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    m, k, n = tl.arange(0, M), tl.arange(0, BLOCK), tl.arange(0, N)
    token = tl.load(ids + tl.program_id(0) * M + m)
    there = token < valid
    total = tl.zeros((M, N), dtype=tl.float32)
    for first in range(0, K, BLOCK):
        inside = first + k < K
        a = tl.load(
            tokens + token[:, None] * K + (first + k)[None, :],
            mask=there[:, None] & inside[None, :],
            other=0.0,
        )
        b = tl.load(weights + (first + k)[:, None] * N + n, mask=inside[:, None], other=0.0)
        total = tl.dot(a, b, total)
    tl.store(out + token[:, None] * N + n[None, :], total, mask=there[:, None])


@pytest.mark.parametrize("columns", [160, 152])
def test_products_of_sorted_rows(target, columns):
    valid, m, n = 100, 64, 64
    ids = np.random.default_rng(5).permutation(128).astype(np.int32)
    tokens = numbers(valid, columns, dtype=np.float16)
    weights = numbers(columns, n, dtype=np.float16)
    out = unset(valid, n)
    experts_kernel[(2,)](
        tokens, ids, weights, out, valid, columns, M=m, N=n, BLOCK=32, target=target
    )
    assert_close(out, tokens.astype(np.float32) @ weights.astype(np.float32))
