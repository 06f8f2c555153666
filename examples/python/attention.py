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
    acc, total, most, q, k, v, k_row, v_row, queries, dims, first, last, n_keys, scale,
    BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """Goes over the keys from `first` to before `last`. MASKED: not all of them count."""
    for start in range(first, last, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N)
        k_tile = k + keys[None, :] * k_row + dims[:, None]
        v_tile = v + keys[:, None] * v_row + dims[None, :]
        if MASKED:
            scores = tl.dot(q, tl.load(k_tile, mask=keys[None, :] < n_keys, other=0.0)) * scale
            seen = keys[None, :] < n_keys
            if CAUSAL:
                seen = seen & (keys[None, :] <= queries[:, None])
            scores = tl.where(seen, scores, -float("inf"))
            values = tl.load(v_tile, mask=keys[:, None] < n_keys, other=0.0)
        else:
            scores = tl.dot(q, tl.load(k_tile)) * scale
            values = tl.load(v_tile)
        next_most = tl.maximum(most, tl.max(scores, axis=1))
        weights = tl.math.exp2(scores - next_most[:, None])
        shrink = tl.math.exp2(most - next_most)
        total = total * shrink + tl.sum(weights, axis=1)
        acc = tl.dot(weights.to(values.dtype), values, acc * shrink[:, None])
        most = next_most
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
    k += batch * k_batch + head * k_head
    v += batch * v_batch + head * v_head
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
        acc, total, most, q_values, k, v, k_row, v_row, queries, dims, 0, whole, n_keys, scale,
        BLOCK_N, CAUSAL, False,
    )  # fmt: skip
    acc, total, most = attend(
        acc, total, most, q_values, k, v, k_row, v_row, queries, dims, whole, last, n_keys, scale,
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
    length], gets the logarithms of the sums. `causal`: query i sees keys 0 to i."""
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
