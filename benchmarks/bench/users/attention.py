"""Attention: flash, with masks as functions, of ragged batches, by pages, decoding, gradients."""

from __future__ import annotations

import itertools

import tilewright
import tilewright.language as tl
from bench.users.case import Data, case, plain
from bench.work import Work, count_bytes

LOG2_E = tl.constexpr(1.4426950408889634)


def tiles(*lists):
    """Configurations of "BM BN warps stages"."""
    names = ("BM", "BN", "num_warps", "num_stages")
    return [dict(zip(names, map(int, each.split()), strict=True)) for each in lists]


USUAL = tiles("128 64 4 3", "128 128 8 2", "64 64 4 3")


@tilewright.jit
def attn_fwd_kernel(q, k, v, out, lse, scale, H, KV_GROUP, T, slope_base, D: tl.constexpr,
                    CAUSAL: tl.constexpr, WINDOW: tl.constexpr, SOFTCAP: tl.constexpr,
                    ALIBI: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):  # fmt: skip
    start_m = tl.program_id(0)
    off_bh = tl.program_id(1)
    head = off_bh % H
    kv = (off_bh // H) * (H // KV_GROUP) + head // KV_GROUP
    q_base = q + off_bh.to(tl.int64) * T * D
    k_base = k + kv.to(tl.int64) * T * D
    v_base = v + kv.to(tl.int64) * T * D
    offs_m = start_m * BM + tl.arange(0, BM)
    offs_n = tl.arange(0, BN)
    offs_d = tl.arange(0, D)
    query = tl.load(q_base + offs_m[:, None] * D + offs_d[None, :])
    m_i = tl.full((BM,), -float("inf"), tl.float32)
    l_i = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    factor = scale * LOG2_E
    low = 0
    if WINDOW > 0:
        low = tl.maximum(start_m * BM - WINDOW + 1, 0) // BN * BN
    high = T
    if CAUSAL:
        high = (start_m + 1) * BM
    if ALIBI:
        slope = tl.exp2(-slope_base * (head + 1).to(tl.float32)) * LOG2_E
    for start_n in range(low, high, BN):
        cols = start_n + offs_n
        keys = tl.load(k_base + cols[None, :] * D + offs_d[:, None])
        scores = tl.dot(query, keys)
        if SOFTCAP > 0:
            x = scores * (scale / SOFTCAP)
            scores = (2 * tl.sigmoid(2 * x) - 1) * (SOFTCAP * LOG2_E)
        else:
            scores = scores * factor
        if ALIBI:
            scores += slope * (cols[None, :] - offs_m[:, None]).to(tl.float32)
        if CAUSAL:
            keep = offs_m[:, None] >= cols[None, :]
            if WINDOW > 0:
                keep = keep & (offs_m[:, None] - cols[None, :] < WINDOW)
            scores = tl.where(keep, scores, -1.0e6)
        m_new = tl.maximum(m_i, tl.max(scores, 1))
        p = tl.math.exp2(scores - m_new[:, None])
        alpha = tl.math.exp2(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        values = tl.load(v_base + cols[:, None] * D + offs_d[None, :])
        acc = tl.dot(p.to(values.dtype), values, acc)
        m_i = m_new
    acc = acc / l_i[:, None]
    tl.store(lse + off_bh * T + offs_m, m_i + tl.log2(l_i))
    o_ptrs = out + off_bh.to(tl.int64) * T * D + offs_m[:, None] * D + offs_d[None, :]
    tl.store(o_ptrs, acc.to(out.dtype.element_ty))


def _scores(torch, q, k, scale):
    group = q.shape[1] // k.shape[1]
    keys = k.repeat_interleave(group, 1).float()
    return q.float() @ keys.transpose(-1, -2) * scale


def _weighted(torch, scores, v, group):
    return torch.softmax(scores, -1) @ v.repeat_interleave(group, 1).float()


def _attention(data, b, h, t, d, configs, causal=False, window=0, softcap=0.0, alibi=False,
               group=1, dtype="float16"):  # fmt: skip
    q = data.randn(b, h, t, d, dtype=dtype)
    keys, v = (data.randn(b, h // group, t, d, dtype=dtype) for _ in range(2))
    out, lse = data.empty(b, h, t, d, dtype=dtype), data.empty(b, h, t, dtype="float32")
    scale = d**-0.5
    slope = 8.0 / h

    def launch(k, BM, BN, **options):
        k.attn_fwd_kernel[t // BM, b * h](
            q, keys, v, out, lse, scale, h, group, t, slope, D=d, CAUSAL=causal, WINDOW=window,
            SOFTCAP=softcap, ALIBI=alibi, BM=BM, BN=BN, **options,
        )  # fmt: skip

    def expected():
        torch = data.torch
        scores = _scores(torch, q, keys, scale)
        if softcap:
            scores = torch.tanh(scores / softcap) * softcap
        place = torch.arange(t, device=q.device)
        far = place[:, None] - place[None, :]
        if alibi:
            slopes = 2.0 ** (-slope * (torch.arange(h, device=q.device) + 1))
            scores -= slopes[:, None, None] * far
        if causal:
            scores.masked_fill_(far < 0, -float("inf"))
        if window:
            scores.masked_fill_(far >= window, -float("inf"))
        return _weighted(torch, scores, v, group)

    tolerance = 3e-2 if dtype == "bfloat16" else 2e-2
    pairs = t * window if window else t * t // (2 if causal else 1)
    return Work(
        "attention", launch, [(out, expected)], 4.0 * b * h * d * pairs, "TFLOP/s",
        tolerance=tolerance, configs=configs,
    )  # fmt: skip


@case
def attn(data: Data, b: int = 2, h: int = 32, t: int = 2048, d: int = 64) -> Work:
    return _attention(data, b, h, t, d, USUAL)


@case
def attn_causal(data: Data, b: int = 2, h: int = 32, t: int = 2048, d: int = 128) -> Work:
    return _attention(data, b, h, t, d, tiles("128 64 8 3", "128 128 8 2"), causal=True)


@case
def attn_alibi_gqa(data: Data, b: int = 2, h: int = 32, t: int = 2048, d: int = 64) -> Work:
    return _attention(data, b, h, t, d, USUAL, causal=True, alibi=True, group=4, dtype="bfloat16")


@case
def attn_swa_softcap(data: Data, b: int = 2, h: int = 16, t: int = 4096, d: int = 128) -> Work:
    configs = tiles("128 64 8 3", "128 128 8 2")
    return _attention(data, b, h, t, d, configs, causal=True, window=1024, softcap=30.0)


@tilewright.jit
def prefix_mask(rows, cols, prefix):
    return (rows >= cols) | (cols < prefix)


@tilewright.jit
def causal_mask(rows, cols, prefix):
    return rows >= cols


@tilewright.jit
def attn_flex_kernel(q, k, v, out, prefixes, scale, H, T, MASK: tl.constexpr, D: tl.constexpr,
                     BM: tl.constexpr, BN: tl.constexpr):  # fmt: skip
    """The mask is a function of rows and columns; descriptors are made in the kernel."""
    start_m = tl.program_id(0)
    off_bh = tl.program_id(1)
    rows_all = tl.num_programs(1) * T
    q_desc = tl.make_tensor_descriptor(q, [rows_all, D], [D, 1], [BM, D])
    k_desc = tl.make_tensor_descriptor(k, [rows_all, D], [D, 1], [BN, D])
    v_desc = tl.make_tensor_descriptor(v, [rows_all, D], [D, 1], [BN, D])
    o_desc = tl.make_tensor_descriptor(out, [rows_all, D], [D, 1], [BM, D])
    prefix = tl.load(prefixes + off_bh // H)
    first = off_bh * T
    query = q_desc.load([first + start_m * BM, 0])
    rows = start_m * BM + tl.arange(0, BM)
    m_i = tl.full((BM,), -float("inf"), tl.float32)
    l_i = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start_n in range(0, T, BN):
        keys = k_desc.load([first + start_n, 0])
        scores = tl.dot(query, keys.T) * (scale * LOG2_E)
        cols = start_n + tl.arange(0, BN)
        keep = MASK(rows[:, None], cols[None, :], prefix)
        scores = tl.where(keep, scores, -1.0e6)
        m_new = tl.maximum(m_i, tl.max(scores, 1))
        p = tl.exp2(scores - m_new[:, None])
        alpha = tl.exp2(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        values = v_desc.load([first + start_n, 0])
        acc = tl.dot(p.to(values.dtype), values, acc)
        m_i = m_new
    acc = acc / l_i[:, None]
    o_desc.store([first + start_m * BM, 0], acc.to(out.dtype.element_ty))


def _flex(data, mask, b, h, t, d):
    q, keys, v = (data.randn(b, h, t, d) for _ in range(3))
    out = data.empty(b, h, t, d)
    prefixes = data.randint(100, t // 2, b)

    def launch(k, BM, BN, **options):
        k.attn_flex_kernel[t // BM, b * h](
            q, keys, v, out, prefixes, d**-0.5, h, t, MASK=getattr(plain(k), mask), D=d, BM=BM,
            BN=BN, **options,
        )  # fmt: skip

    def expected():
        torch = data.torch
        place = torch.arange(t, device=q.device)
        keep = place[:, None] >= place[None, :]
        if mask == "prefix_mask":
            keep = keep | (place[None, None, None, :] < prefixes[:, None, None, None])
        scores = _scores(torch, q, keys, d**-0.5).masked_fill_(~keep, -float("inf"))
        return _weighted(torch, scores, v, 1)

    return Work(
        "attention", launch, [(out, expected)], 4.0 * b * h * d * t * t, "TFLOP/s",
        tolerance=2e-2, configs=tiles("128 64 8 3", "128 128 8 2", "128 64 4 3"),
    )  # fmt: skip


@case
def attn_flex_prefix(data: Data, b: int = 4, h: int = 16, t: int = 2048, d: int = 128) -> Work:
    return _flex(data, "prefix_mask", b, h, t, d)


@case
def attn_flex_causal(data: Data, b: int = 4, h: int = 16, t: int = 2048, d: int = 128) -> Work:
    return _flex(data, "causal_mask", b, h, t, d)


@tilewright.jit
def attn_varlen_kernel(q, k, v, out, cu_seqlens, scale, stride_t, stride_h, D: tl.constexpr,
                       CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):  # fmt: skip
    """Sequences one behind the other, tokens by heads."""
    batch = tl.program_id(0)
    head = tl.program_id(1)
    start_m = tl.program_id(2)
    begin = tl.load(cu_seqlens + batch)
    length = tl.load(cu_seqlens + batch + 1) - begin
    if start_m * BM >= length:
        return
    offs_m = start_m * BM + tl.arange(0, BM)
    offs_n = tl.arange(0, BN)
    offs_d = tl.arange(0, D)
    base = begin.to(tl.int64) * stride_t + head * stride_h
    query = tl.load(
        q + base + offs_m[:, None] * stride_t + offs_d[None, :],
        mask=offs_m[:, None] < length, other=0.0,
    )  # fmt: skip
    m_i = tl.full((BM,), -float("inf"), tl.float32)
    l_i = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    end = length
    if CAUSAL:
        end = tl.minimum((start_m + 1) * BM, length)
    for start_n in range(0, end, BN):
        cols = start_n + offs_n
        inside = cols < length
        keys = tl.load(
            k + base + cols[None, :] * stride_t + offs_d[:, None], mask=inside[None, :], other=0.0
        )
        scores = tl.dot(query, keys) * scale
        keep = inside[None, :]
        if CAUSAL:
            keep = keep & (offs_m[:, None] >= cols[None, :])
        scores = tl.where(keep, scores, -float("inf"))
        m_new = tl.maximum(m_i, tl.max(scores, 1))
        p = tl.exp(scores - m_new[:, None])
        alpha = tl.exp(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        values = tl.load(
            v + base + cols[:, None] * stride_t + offs_d[None, :], mask=inside[:, None], other=0.0
        )
        acc = acc * alpha[:, None] + tl.dot(p.to(values.dtype), values)
        m_i = m_new
    acc = acc / l_i[:, None]
    place = out + base + offs_m[:, None] * stride_t + offs_d[None, :]
    tl.store(place, acc.to(out.dtype.element_ty), mask=offs_m[:, None] < length)


def _varlen(data, causal, h, longest, d):
    lengths = [int(share * longest) for share in (1.0, 0.4, 0.83, 0.61, 0.95, 0.3, 0.77, 0.52)]
    ends = [sum(lengths[:count]) for count in range(9)]
    tokens = ends[-1]
    q, keys, v = (data.randn(tokens, h, d) for _ in range(3))
    out = data.empty(tokens, h, d)
    offsets = data.make((9,), "int32", lambda torch: torch.tensor(ends))

    def launch(k, BM, BN, **options):
        k.attn_varlen_kernel[8, h, tilewright.cdiv(longest, BM)](
            q, keys, v, out, offsets, d**-0.5, h * d, d, D=d, CAUSAL=causal, BM=BM, BN=BN,
            **options,
        )  # fmt: skip

    def expected():
        torch = data.torch
        parts = []
        for low, high in itertools.pairwise(ends):
            a, b, c = (each[low:high].transpose(0, 1).float() for each in (q, keys, v))
            scores = a @ b.transpose(-1, -2) * d**-0.5
            if causal:
                upper = torch.ones_like(scores[0], dtype=torch.bool).triu(1)
                scores.masked_fill_(upper, -float("inf"))
            parts.append((torch.softmax(scores, -1) @ c).transpose(0, 1))
        return torch.cat(parts)

    work = 4.0 * h * d * sum(length * length for length in lengths) / (2 if causal else 1)
    return Work(
        "attention", launch, [(out, expected)], work, "TFLOP/s", tolerance=2e-2,
        configs=tiles("128 64 4 3", "128 64 8 3", "64 64 4 3"),
    )  # fmt: skip


@case
def attn_varlen_full(data: Data, h: int = 16, longest: int = 2048, d: int = 128) -> Work:
    return _varlen(data, False, h, longest, d)


@case
def attn_varlen_causal(data: Data, h: int = 16, longest: int = 2048, d: int = 128) -> Work:
    return _varlen(data, True, h, longest, d)


@tilewright.jit
def paged_decode_kernel(q, k_cache, v_cache, tables, lengths, out, scale, H, KV_H, max_pages,
                        GROUP: tl.constexpr, PAGE: tl.constexpr, D: tl.constexpr):  # fmt: skip
    """A token of each sequence; GROUP heads share keys. Pages are PAGE tokens x KV_H x D."""
    seq = tl.program_id(0)
    kv_head = tl.program_id(1)
    length = tl.load(lengths + seq)
    offs_g = tl.arange(0, 16)
    offs_d = tl.arange(0, D)
    offs_p = tl.arange(0, PAGE)
    heads = kv_head * GROUP + offs_g
    head_mask = offs_g < GROUP
    q_ptrs = q + seq * H * D + heads[:, None] * D + offs_d[None, :]
    query = tl.load(q_ptrs, mask=head_mask[:, None], other=0.0)
    m_i = tl.full((16,), -float("inf"), tl.float32)
    l_i = tl.zeros((16,), tl.float32)
    acc = tl.zeros((16, D), tl.float32)
    for page in range(0, tl.cdiv(length, PAGE)):
        number = tl.load(tables + seq * max_pages + page).to(tl.int64)
        base = number * PAGE * KV_H * D + kv_head * D
        cols = page * PAGE + offs_p
        inside = cols < length
        k_ptrs = k_cache + base + offs_p[None, :] * KV_H * D + offs_d[:, None]
        keys = tl.load(k_ptrs, mask=inside[None, :], other=0.0)
        scores = tl.dot(query, keys) * scale
        scores = tl.where(inside[None, :], scores, -float("inf"))
        m_new = tl.maximum(m_i, tl.max(scores, 1))
        alpha = tl.exp(m_i - m_new)
        p = tl.exp(scores - m_new[:, None])
        l_i = l_i * alpha + tl.sum(p, 1)
        v_ptrs = v_cache + base + offs_p[:, None] * KV_H * D + offs_d[None, :]
        values = tl.load(v_ptrs, mask=inside[:, None], other=0.0)
        acc = acc * alpha[:, None] + tl.dot(p.to(values.dtype), values)
        m_i = m_new
    acc = acc / l_i[:, None]
    o_ptrs = out + seq * H * D + heads[:, None] * D + offs_d[None, :]
    tl.store(o_ptrs, acc.to(out.dtype.element_ty), mask=head_mask[:, None])


@case
def paged_decode(
    data: Data, batch: int = 64, h: int = 32, kv_h: int = 8, longest: int = 1024
) -> Work:
    d, page = 128, 16
    pages = longest // page
    q, out = data.randn(batch, h, d), data.empty(batch, h, d)
    k_cache, v_cache = (data.randn(batch * pages, page, kv_h, d) for _ in range(2))
    order = data.make(
        (batch, pages), "int32", lambda torch: torch.randperm(batch * pages).view(batch, pages)
    )
    lengths = data.randint(longest // 2, longest + 1, batch)

    def launch(k, **options):
        k.paged_decode_kernel[batch, kv_h](
            q, k_cache, v_cache, order, lengths, out, d**-0.5, h, kv_h, pages, GROUP=h // kv_h,
            PAGE=page, D=d, **options,
        )  # fmt: skip

    def expected():
        torch = data.torch
        keys, values = (
            each[order.long()].reshape(batch, longest, kv_h, d).transpose(1, 2).float()
            for each in (k_cache, v_cache)
        )
        group = h // kv_h
        scores = q.float().view(batch, kv_h, group, d) @ keys.transpose(-1, -2) * d**-0.5
        place = torch.arange(longest, device=q.device)
        scores.masked_fill_(place >= lengths[:, None, None, None], -float("inf"))
        return (torch.softmax(scores, -1) @ values).reshape(batch, h, d)

    configs = [{"num_warps": w, "num_stages": s} for w, s in ((4, 2), (2, 3), (4, 4))]
    return Work(
        "attention", launch, [(out, expected)], count_bytes(k_cache, v_cache) * 0.75,
        tolerance=4e-3, configs=configs,
    )  # fmt: skip


@tilewright.jit
def attn_bwd_pre_kernel(out, grad, delta, T, D: tl.constexpr, BM: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    off_bh = tl.program_id(1)
    cols = tl.arange(0, D)
    place = off_bh * T * D + rows[:, None] * D + cols[None, :]
    o = tl.load(out + place).to(tl.float32)
    do = tl.load(grad + place).to(tl.float32)
    tl.store(delta + off_bh * T + rows, tl.sum(o * do, axis=1))


@case
def attn_bwd_pre(data: Data, b: int = 4, h: int = 32, t: int = 4096, d: int = 64) -> Work:
    out, grad = data.randn(b, h, t, d), data.randn(b, h, t, d)
    delta = data.empty(b, h, t, dtype="float32")

    def launch(k, BM, **options):
        k.attn_bwd_pre_kernel[t // BM, b * h](out, grad, delta, t, D=d, BM=BM, **options)

    configs = [{"BM": rows, "num_warps": warps} for rows, warps in ((128, 4), (64, 4), (32, 4))]
    return Work(
        "attention", launch, [(delta, lambda: (out.float() * grad.float()).sum(-1))],
        count_bytes(out, grad, delta), tolerance=1e-3, configs=configs,
    )  # fmt: skip


@tilewright.jit
def decode_stage2_kernel(parts, lse, out, H, S, D: tl.constexpr):
    """Puts parts of a decoded attention together."""
    seq = tl.program_id(0)
    head = tl.program_id(1)
    offs_d = tl.arange(0, D)
    row = (seq * H + head) * S
    top = -float("inf")
    total = 0.0
    acc = tl.zeros((D,), tl.float32)
    for part in range(0, S):
        value = tl.load(parts + (row + part) * D + offs_d)
        logit = tl.load(lse + row + part)
        new_top = tl.maximum(top, logit)
        shrink = tl.exp(top - new_top)
        weight = tl.exp(logit - new_top)
        acc = acc * shrink + weight * value
        total = total * shrink + weight
        top = new_top
    tl.store(out + (seq * H + head) * D + offs_d, (acc / total).to(out.dtype.element_ty))


@case
def decode_stage2(data: Data, batch: int = 256, h: int = 32, parts: int = 16, d: int = 128) -> Work:
    values = data.randn(batch, h, parts, d, dtype="float32")
    lse = data.randn(batch, h, parts, dtype="float32")
    out = data.empty(batch, h, d, dtype="bfloat16")

    def launch(k, **options):
        k.decode_stage2_kernel[batch, h](values, lse, out, h, parts, D=d, **options)

    def expected():
        return (data.torch.softmax(lse, -1)[..., None] * values).sum(-2)

    return Work(
        "attention", launch, [(out, expected)], count_bytes(values, out), tolerance=1e-2,
        configs=({"num_warps": 4, "num_stages": 2}, {"num_warps": 1}, {"num_warps": 2}),
    )  # fmt: skip


@tilewright.jit
def block_sparse_kernel(q, k, v, out, layout, counts, scale, T, max_blocks, D: tl.constexpr,
                        BM: tl.constexpr, BN: tl.constexpr):  # fmt: skip
    """Of each block of rows a list names the blocks of columns."""
    start_m = tl.program_id(0)
    off_bh = tl.program_id(1)
    base = off_bh * T * D
    offs_m = start_m * BM + tl.arange(0, BM)
    offs_d = tl.arange(0, D)
    query = tl.load(q + base + offs_m[:, None] * D + offs_d[None, :])
    m_i = tl.full((BM,), -float("inf"), tl.float32)
    l_i = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    count = tl.load(counts + start_m)
    for i in range(count):
        block = tl.load(layout + start_m * max_blocks + i)
        cols = block * BN + tl.arange(0, BN)
        keys = tl.load(k + base + cols[None, :] * D + offs_d[:, None])
        scores = tl.dot(query, keys) * (scale * LOG2_E)
        scores = tl.where(offs_m[:, None] >= cols[None, :], scores, -float("inf"))
        m_new = tl.maximum(m_i, tl.max(scores, 1))
        p = tl.exp2(scores - m_new[:, None])
        alpha = tl.exp2(m_i - m_new)
        l_i = l_i * alpha + tl.sum(p, 1)
        values = tl.load(v + base + cols[:, None] * D + offs_d[None, :])
        acc = tl.dot(p.to(values.dtype), values, acc * alpha[:, None])
        m_i = m_new
    place = out + base + offs_m[:, None] * D + offs_d[None, :]
    tl.store(place, (acc / l_i[:, None]).to(out.dtype.element_ty))


@case
def block_sparse_attn(data: Data, bh: int = 32, t: int = 4096, d: int = 128) -> Work:
    block = 64
    count = t // block
    q, keys, v = (data.randn(bh, t, d) for _ in range(3))
    out = data.empty(bh, t, d)

    # The own block first, so that no row is without any; then every third one.
    lists = [[row, *range(0, row, 3)] for row in range(count)]
    layout = data.make(
        (count, count), "int32",
        lambda torch: torch.tensor([each + [0] * (count - len(each)) for each in lists]),
    )  # fmt: skip
    counts = data.make((count,), "int32", lambda torch: torch.tensor([*map(len, lists)]))

    def launch(k, **options):
        k.block_sparse_kernel[count, bh](
            q, keys, v, out, layout, counts, d**-0.5, t, count, D=d, BM=block, BN=block, **options
        )

    def expected():
        torch = data.torch
        keep = torch.zeros(count, count, dtype=torch.bool)
        for row, columns in enumerate(lists):
            keep[row, columns] = True
        keep = keep.repeat_interleave(block, 0).repeat_interleave(block, 1).tril().to(q.device)
        parts = []
        for head in range(bh):
            scores = q[head].float() @ keys[head].float().T * d**-0.5
            scores.masked_fill_(~keep, -float("inf"))
            parts.append(torch.softmax(scores, -1) @ v[head].float())
        return torch.stack(parts)

    pairs = block * block * sum(map(len, lists))
    return Work(
        "attention", launch, [(out, expected)], 4.0 * bh * d * pairs, "TFLOP/s", tolerance=2e-2,
        configs=({"num_warps": 4, "num_stages": 3}, {"num_warps": 4, "num_stages": 2}),
    )  # fmt: skip
