"""Attention, forward: softmax(Q K^T * scale) V without its matrix of scores in memory. The maximum
and the sum of each row are kept while the keys go by, and corrected when the maximum grows."""

from __future__ import annotations

import math
from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import strides


@tilewright.jit
def attend(
    acc, total, most, q, k, v, queries, first, last, n_keys, scale,
    BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """Goes over the keys from `first` to before `last`. MASKED: not all of them count."""
    k = tl.advance(k, (0, first))
    v = tl.advance(v, (first, 0))
    # With masks there are few blocks: none is loaded ahead.
    for start in tl.range(first, last, BLOCK_N, num_stages=1 if MASKED else None):
        if MASKED:
            scores = tl.dot(q, tl.load(k, boundary_check=(1,), padding_option="zero"))
            keys = start + tl.arange(0, BLOCK_N)
            seen = keys[None, :] < n_keys
            if CAUSAL:
                seen = seen & (keys[None, :] <= queries[:, None])
            scores = tl.where(seen, scores, -float("inf"))
            values = tl.load(v, boundary_check=(0,), padding_option="zero")
        else:
            scores = tl.dot(q, tl.load(k))
            values = tl.load(v)
        # With a scale above 0 the largest is the largest before, and one operation scales and
        # subtracts.
        next_most = tl.maximum(most, tl.max(scores, axis=1) * scale)
        weights = tl.math.exp2(scores * scale - next_most[:, None])
        shrink = tl.math.exp2(most - next_most)
        total = total * shrink + tl.sum(weights, axis=1)
        acc = tl.dot(weights.to(values.dtype), values, acc * shrink[:, None])
        most = next_most
        k = tl.advance(k, (0, BLOCK_N))
        v = tl.advance(v, (BLOCK_N, 0))
    return acc, total, most


@tilewright.jit
def attention_kernel(
    q, k, v, out, lse, q_batch, q_head, q_row, k_batch, k_head, k_row, v_batch, v_head, v_row,
    out_batch, out_head, out_row, n_heads, n_queries, n_keys, scale,
    HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    start = tl.program_id(0) * BLOCK_M
    batch = (tl.program_id(1) // n_heads).to(tl.int64)
    head = (tl.program_id(1) % n_heads).to(tl.int64)
    keys = tl.make_block_ptr(
        k + batch * k_batch + head * k_head, shape=(HEAD_DIM, n_keys), strides=(1, k_row),
        offsets=(0, 0), block_shape=(HEAD_DIM, BLOCK_N), order=(0, 1),
    )  # fmt: skip
    values = tl.make_block_ptr(
        v + batch * v_batch + head * v_head, shape=(n_keys, HEAD_DIM), strides=(v_row, 1),
        offsets=(0, 0), block_shape=(BLOCK_N, HEAD_DIM), order=(1, 0),
    )  # fmt: skip
    queries = start + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, HEAD_DIM)
    q_tile = q + batch * q_batch + head * q_head + queries[:, None] * q_row + dims[None, :]
    q_values = tl.load(q_tile, mask=queries[:, None] < n_queries, other=0.0)
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    total = tl.zeros([BLOCK_M], dtype=tl.float32)
    most = tl.full([BLOCK_M], -float("inf"), dtype=tl.float32)
    # Powers of two are cheaper than those of e.
    scale *= 1.4426950408889634
    # Keys of which every query sees every one, in whole blocks; then the others, with masks.
    last = n_keys
    whole = n_keys // BLOCK_N * BLOCK_N
    if CAUSAL:
        last = min(start + BLOCK_M, n_keys)
        whole = min(start, n_keys) // BLOCK_N * BLOCK_N
    acc, total, most = attend(
        acc, total, most, q_values, keys, values, queries, 0, whole, n_keys, scale,
        BLOCK_N, CAUSAL, False,
    )  # fmt: skip
    acc, total, most = attend(
        acc, total, most, q_values, keys, values, queries, whole, last, n_keys, scale,
        BLOCK_N, CAUSAL, True,
    )  # fmt: skip
    inside = queries < n_queries
    if lse is not None:
        place = tl.program_id(1) * n_queries + queries
        tl.store(lse + place, (most + tl.math.log2(total)) * 0.6931471805599453, mask=inside)
    acc = acc / total[:, None]
    out_tile = out + batch * out_batch + head * out_head + queries[:, None] * out_row
    tl.store(out_tile + dims[None, :], acc.to(out.dtype.element_ty), mask=inside[:, None])


def attention(
    q: Any, k: Any, v: Any, out: Any, lse: Any = None, causal: bool = False,
    scale: float | None = None, blocks: tuple[int, int] = (128, 64),
    **launch: Any,
) -> None:  # fmt: skip
    """All of [batch, heads, length, dimension], rows without gaps; `lse`, of [batch, heads,
    length], gets the logarithms of the sums. `causal`: query i sees keys 0 to i. `scale` is above
    0."""
    batches, heads, n_queries, dimension = q.shape
    grid = (tilewright.cdiv(n_queries, blocks[0]), batches * heads)
    attention_kernel[grid](
        q, k, v, out, lse, *strides(q)[:3], *strides(k)[:3], *strides(v)[:3], *strides(out)[:3],
        heads, n_queries, k.shape[2], scale or 1 / math.sqrt(dimension),
        HEAD_DIM=dimension, BLOCK_M=blocks[0], BLOCK_N=blocks[1], CAUSAL=causal, **launch,
    )  # fmt: skip


def reference(
    q: numpy.ndarray, k: numpy.ndarray, v: numpy.ndarray, causal: bool = False,
    scale: float | None = None,
) -> tuple[numpy.ndarray, numpy.ndarray]:  # fmt: skip
    """The result, and the logarithms of the sums."""
    scores = q.astype(numpy.float64) @ k.astype(numpy.float64).swapaxes(-1, -2)
    scores *= scale or 1 / math.sqrt(q.shape[-1])
    if causal:
        seen = numpy.tri(q.shape[2], k.shape[2], dtype=bool)
        scores = numpy.where(seen, scores, -numpy.inf)
    most = scores.max(axis=-1, keepdims=True)
    weights = numpy.exp(scores - most)
    total = weights.sum(axis=-1, keepdims=True)
    return weights / total @ v.astype(numpy.float64), (most + numpy.log(total))[..., 0]
