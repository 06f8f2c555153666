"""What a server of language models runs a token: caches, attention over them, sampling."""

from __future__ import annotations

import tilewright
import tilewright.language as tl
from bench.users.case import Data, case
from bench.work import Work, count_bytes


@tilewright.jit
def cache_kernel(key, value, key_cache, value_cache, slots, k_scale, v_scale, HEADS: tl.constexpr,
                 D: tl.constexpr, PAGE: tl.constexpr, BLOCK: tl.constexpr):  # fmt: skip
    """Keys and values of new tokens to fp8 pages; a slot of -1 is padding."""
    token = tl.program_id(0)
    slot = tl.load(slots + token).to(tl.int64)
    if slot < 0:
        return
    page = slot // PAGE
    inside = slot % PAGE
    offs = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < HEADS * D
    target = ((page * HEADS + offs // D) * PAGE + inside) * D + offs % D
    k = tl.load(key + token * HEADS * D + offs, mask=mask, other=0.0).to(tl.float32)
    v = tl.load(value + token * HEADS * D + offs, mask=mask, other=0.0).to(tl.float32)
    k = k / tl.load(k_scale)
    v = v / tl.load(v_scale)
    tl.store(key_cache + target, k.to(key_cache.dtype.element_ty), mask=mask)
    tl.store(value_cache + target, v.to(value_cache.dtype.element_ty), mask=mask)


@case
def write_cache(data: Data, tokens: int = 8192, heads: int = 8, d: int = 128) -> Work:
    page, pages = 16, tokens // 8
    key, value = (data.randn(tokens, heads, d, dtype="bfloat16") for _ in range(2))
    caches = [data.empty(pages, heads, page, d, dtype="float8_e4m3fn") for _ in range(2)]

    def places(torch):
        order = torch.randperm(pages * page, generator=torch.Generator().manual_seed(0))
        return torch.where(torch.arange(tokens) % 17 == 0, -1, order[:tokens])

    slots = data.make((tokens,), "int64", places)
    scales = [data.make((1,), "float32", lambda torch: torch.full((1,), 0.5)) for _ in range(2)]

    def launch(k, BLOCK, **options):
        grid = (tokens, tilewright.cdiv(heads * d, BLOCK))
        k.cache_kernel[grid](
            key, value, *caches, slots, *scales, HEADS=heads, D=d, PAGE=page, BLOCK=BLOCK,
            **options,
        )  # fmt: skip

    def right(x):
        torch = data.torch
        whole = torch.zeros(pages, page, heads, d, device=x.device)
        real = slots >= 0
        written = (x[real].float() / 0.5).to(torch.float8_e4m3fn).float()
        whole.view(-1, heads, d)[slots[real]] = written
        return whole.transpose(1, 2)

    def clear():
        for each in caches:
            each.zero_()

    return Work(
        "decoding", launch,
        [(caches[0], lambda: right(key)), (caches[1], lambda: right(value))],
        1.5 * count_bytes(key, value), reset=clear,
        configs=[{"BLOCK": b, "num_warps": w} for b, w in ((1024, 4), (512, 2), (1024, 2))],
    )  # fmt: skip


@tilewright.jit
def mla_decode_kernel(q, latent, pages, lengths, mid, mid_lse, scale, H, MOST,
                      RANK: tl.constexpr, ROPE: tl.constexpr, SPLITS: tl.constexpr,
                      PAGE: tl.constexpr, BH: tl.constexpr, BN: tl.constexpr):  # fmt: skip
    """Heads over a part of latent keys, which are values as well."""
    batch = tl.program_id(0)
    heads = tl.program_id(1) * BH + tl.arange(0, BH)
    split = tl.program_id(2)
    rank = tl.arange(0, RANK)
    rope = RANK + tl.arange(0, ROPE)
    q_base = q + (batch * H + heads[:, None]) * (RANK + ROPE)
    head_mask = (heads < H)[:, None]
    q_rank = tl.load(q_base + rank[None, :], mask=head_mask, other=0.0)
    q_rope = tl.load(q_base + rope[None, :], mask=head_mask, other=0.0)
    length = tl.load(lengths + batch)
    part = tl.cdiv(tl.cdiv(length, SPLITS), 32) * 32
    start = split * part
    end = tl.minimum(start + part, length)
    top = tl.full([BH], -float("inf"), dtype=tl.float32)
    total = tl.zeros([BH], dtype=tl.float32)
    acc = tl.zeros([BH, RANK], dtype=tl.float32)
    if end > start:
        for first in range(start, end, BN):
            n = first + tl.arange(0, BN)
            page = tl.load(pages + batch * MOST + n // PAGE, mask=n < end, other=0)
            row = (page * PAGE + n % PAGE) * (RANK + ROPE)
            keys = tl.load(
                latent + row[None, :] + rank[:, None], mask=(n < end)[None, :], other=0.0
            )
            scores = tl.dot(q_rank, keys.to(q_rank.dtype))
            more = tl.load(
                latent + row[None, :] + rope[:, None], mask=(n < end)[None, :], other=0.0
            )
            scores += tl.dot(q_rope, more.to(q_rope.dtype))
            scores = tl.where(head_mask & (n < end)[None, :], scores * scale, -float("inf"))
            values = tl.trans(keys)
            new_top = tl.maximum(top, tl.max(scores, 1))
            shrink = tl.exp(top - new_top)
            p = tl.exp(scores - new_top[:, None])
            acc = acc * shrink[:, None] + tl.dot(p.to(values.dtype), values)
            total = total * shrink + tl.sum(p, 1)
            top = new_top
        place = (batch * H + heads) * SPLITS + split
        tl.store(mid + place[:, None] * RANK + rank[None, :], acc / total[:, None], mask=head_mask)
        tl.store(mid_lse + place, top + tl.log(total), mask=heads < H)


@case
def mla_decode(data: Data, b: int = 16, h: int = 16, longest: int = 4096) -> Work:
    rank, rope, page, splits = 512, 64, 64, 8
    most = longest // page
    q = data.randn(b, h, rank + rope, dtype="bfloat16")
    latent = data.randn(b * most, page, rank + rope, dtype="bfloat16")
    pages = data.make(
        (b, most), "int32",
        lambda torch: torch.randperm(
            b * most, generator=torch.Generator().manual_seed(0)
        ).view(b, most),
    )  # fmt: skip
    lengths = data.make((b,), "int32", lambda torch: longest - torch.arange(b) * (longest // 32))
    mid = data.empty(b, h, splits, rank, dtype="float32")
    mid_lse = data.empty(b, h, splits, dtype="float32")

    def launch(k, **options):
        grid = (b, tilewright.cdiv(h, 16), splits)
        k.mla_decode_kernel[grid](
            q, latent, pages, lengths, mid, mid_lse, 0.05, h, most, RANK=rank, ROPE=rope,
            SPLITS=splits, PAGE=page, BH=16, **options,
        )  # fmt: skip

    def both():
        torch = data.torch
        out = torch.zeros(b, h, splits, rank, device=q.device)
        lse = torch.zeros(b, h, splits, device=q.device)
        for i in range(b):
            length = int(lengths[i])
            rows = latent[pages[i].long()].reshape(-1, rank + rope)[:length].float()
            scores = (q[i].float() @ rows.T) * 0.05
            part = tilewright.cdiv(tilewright.cdiv(length, splits), 32) * 32
            for s in range(splits):
                mine = scores[:, s * part : (s + 1) * part]
                lse[i, :, s] = torch.logsumexp(mine, 1)
                out[i, :, s] = torch.softmax(mine, 1) @ rows[s * part : (s + 1) * part, :rank]
        return out, lse

    return Work(
        "decoding", launch, [(mid, lambda: both()[0]), (mid_lse, lambda: both()[1])],
        count_bytes(latent), tolerance=2e-2,
        configs=[{"BN": n, "num_warps": w, "num_stages": s}
                 for n, w, s in ((32, 4, 2), (32, 8, 2), (16, 4, 2))],
    )  # fmt: skip


@tilewright.jit
def mrope_kernel(q, k, cos, sin, T, HQ: tl.constexpr, HK: tl.constexpr, D: tl.constexpr,
                 PART_T: tl.constexpr, PART_H: tl.constexpr, PQ: tl.constexpr,
                 PK: tl.constexpr):  # fmt: skip
    """Rotates heads in place by angles of time, height and width, each for some of the columns."""
    t = tl.program_id(0)
    q += t * HQ * D
    k += t * HK * D
    half = tl.arange(0, D // 2)
    at_t = cos + t * D
    at_h = at_t + T * D
    at_w = at_h + T * D
    is_t = half < PART_T
    is_h = (half >= PART_T) & (half < PART_T + PART_H)
    is_w = half >= PART_T + PART_H
    c = tl.load(at_t + half, mask=is_t, other=0) + tl.load(at_h + half, mask=is_h, other=0)
    c += tl.load(at_w + half, mask=is_w, other=0)
    at_t = sin + t * D
    at_h = at_t + T * D
    at_w = at_h + T * D
    s = tl.load(at_t + half, mask=is_t, other=0) + tl.load(at_h + half, mask=is_h, other=0)
    s += tl.load(at_w + half, mask=is_w, other=0)
    q_at = tl.arange(0, PQ)[:, None] * D + half[None, :]
    k_at = tl.arange(0, PK)[:, None] * D + half[None, :]
    q_mask = (tl.arange(0, PQ) < HQ)[:, None]
    k_mask = (tl.arange(0, PK) < HK)[:, None]
    q0 = tl.load(q + q_at, mask=q_mask, other=0).to(tl.float32)
    q1 = tl.load(q + q_at + D // 2, mask=q_mask, other=0).to(tl.float32)
    k0 = tl.load(k + k_at, mask=k_mask, other=0).to(tl.float32)
    k1 = tl.load(k + k_at + D // 2, mask=k_mask, other=0).to(tl.float32)
    tl.store(q + q_at, q0 * c - q1 * s, mask=q_mask)
    tl.store(q + q_at + D // 2, q1 * c + q0 * s, mask=q_mask)
    tl.store(k + k_at, k0 * c - k1 * s, mask=k_mask)
    tl.store(k + k_at + D // 2, k1 * c + k0 * s, mask=k_mask)


@case
def mrope(data: Data, t: int = 8192, hq: int = 28, hk: int = 4, d: int = 128) -> Work:
    first = [data.randn(t, h, d, dtype="bfloat16") for h in (hq, hk)]
    q, k = (data.empty(t, h, d, dtype="bfloat16") for h in (hq, hk))
    cos, sin = (data.randn(3, t, d, dtype="float32") for _ in range(2))

    def launch(kernels, **options):
        kernels.mrope_kernel[(t,)](
            q, k, cos, sin, t, HQ=hq, HK=hk, D=d, PART_T=16, PART_H=24,
            PQ=tilewright.next_power_of_2(hq), PK=tilewright.next_power_of_2(hk), **options,
        )  # fmt: skip

    def reset():
        q.copy_(first[0])
        k.copy_(first[1])

    def rotated(x):
        torch = data.torch
        part = [slice(0, 16), slice(16, 40), slice(40, d // 2)]
        c, s = (torch.cat([each[i][:, at] for i, at in enumerate(part)], 1)[:, None]
                for each in (cos, sin))  # fmt: skip
        a, b = x.float()[..., : d // 2], x.float()[..., d // 2 :]
        return torch.cat((a * c - b * s, b * c + a * s), 2)

    return Work(
        "decoding", launch,
        [(q, lambda: rotated(first[0])), (k, lambda: rotated(first[1]))],
        2 * count_bytes(q, k) + count_bytes(cos, sin) / 2, tolerance=1e-2, reset=reset,
        configs=({"num_warps": 4}, {"num_warps": 8}, {"num_warps": 2}),
    )  # fmt: skip


@tilewright.jit
def top_p_kernel(probs, seeds, out, V, top_p, min_p, BLOCK: tl.constexpr):
    """Sorts a row, keeps what has top_p of the whole, and draws by its cumulative sum."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    p = tl.load(probs + row * V + cols, mask=cols < V, other=0.0)
    key = (p.to(tl.uint32, bitcast=True).to(tl.uint64) << 32) | cols.to(tl.uint64)
    key = tl.sort(key, descending=True)
    p = (key >> 32).to(tl.uint32).to(tl.float32, bitcast=True)
    place = (key & 0xFFFFFFFF).to(tl.int32)
    before = tl.cumsum(p, 0) - p
    most = tl.max(p, axis=0)
    p = tl.where((before < top_p) & (p >= min_p * most), p, 0.0)
    sums = tl.cumsum(p, 0)
    goal = tl.rand(tl.load(seeds + row), row) * tl.sum(p, axis=0)
    chosen = tl.sum((sums <= goal).to(tl.int32), axis=0)
    tl.store(out + row, tl.sum(tl.where(cols == chosen, place, 0), axis=0))


@case
def top_p_sort(data: Data, rows: int = 512, v: int = 1024) -> Work:
    probs = data.make(
        (rows, v), "float32", lambda torch: torch.softmax(2 * data.randn(rows, v).float(), 1)
    )
    seeds, out = data.randint(0, 1 << 30, rows, dtype="int64"), data.empty(rows, dtype="int32")

    def launch(k, **options):
        k.top_p_kernel[(rows,)](
            probs, seeds, out, v, 0.8, 0.001, BLOCK=tilewright.next_power_of_2(v), **options
        )

    # Which one is drawn is random: that it is one of those that are left is looked at.
    def expected():
        torch = data.torch
        p, place = probs.sort(1, descending=True)
        kept = ((p.cumsum(1) - p) < 0.8) & (p >= 0.001 * p[:, :1])
        mine = torch.zeros_like(probs, dtype=torch.bool).scatter_(1, place, kept)
        row = torch.arange(rows, device=probs.device)
        good = mine[row, out.long().clamp(0, v - 1)]
        return torch.where(good, out, place[:, 0].int())

    return Work(
        "decoding", launch, [(out, expected)], count_bytes(probs), tolerance=0.0,
        configs=({"num_warps": 4}, {"num_warps": 8}, {"num_warps": 2}),
    )  # fmt: skip


@tilewright.jit
def larger_pair(a, i, b, j):
    first = (a > b) | ((a == b) & (i < j))
    return tl.where(first, a, b), tl.where(first, i, j)


@tilewright.jit
def beam_step_kernel(logits, scores, out_scores, out_ids, V, BEAMS: tl.constexpr,
                     BLOCK: tl.constexpr):  # fmt: skip
    """The best BEAMS of a part of the vocabulary, one after the other, by a reduction of pairs."""
    batch = tl.program_id(0)
    part = tl.program_id(1)
    beam = tl.arange(0, BEAMS)
    cols = part * BLOCK + tl.arange(0, BLOCK)
    base = logits + (batch * BEAMS + beam)[:, None] * V + cols[None, :]
    x = tl.load(base, mask=(cols < V)[None, :], other=-float("inf")).to(tl.float32)
    x += tl.load(scores + batch * BEAMS + beam)[:, None]
    flat = tl.reshape(x, (BEAMS * BLOCK,))
    ids = tl.reshape(beam[:, None] * V + cols[None, :], (BEAMS * BLOCK,))
    place = (batch * tl.num_programs(1) + part) * BEAMS
    for k in tl.static_range(BEAMS):
        best, which = tl.reduce((flat, ids), 0, larger_pair)
        tl.store(out_scores + place + k, best)
        tl.store(out_ids + place + k, which)
        flat = tl.where(ids == which, -float("inf"), flat)


@case
def beam_step(data: Data, batches: int = 32, v: int = 32000, beams: int = 4) -> Work:
    parts = tilewright.cdiv(v, 1024)
    logits, scores = data.randn(batches, beams, v, dtype="float32"), data.rand(batches, beams)
    best = data.empty(batches, parts, beams, dtype="float32")
    ids = data.empty(batches, parts, beams, dtype="int32")

    def launch(k, **options):
        k.beam_step_kernel[batches, parts](
            logits, scores, best, ids, v, BEAMS=beams, BLOCK=1024, **options
        )

    def both():
        torch = data.torch
        whole = torch.full((batches, beams, parts * 1024), -float("inf"), device=logits.device)
        whole[:, :, :v] = logits + scores[:, :, None]
        flat = whole.view(batches, beams, parts, 1024).transpose(1, 2).flatten(2)
        value, place = flat.topk(beams, 2)
        first = torch.arange(parts, device=logits.device)[None, :, None] * 1024
        return value, (place // 1024) * v + first + place % 1024

    return Work(
        "decoding", launch, [(best, lambda: both()[0]), (ids, lambda: both()[1])],
        count_bytes(logits), configs=({"num_warps": 4}, {"num_warps": 8}, {"num_warps": 2}),
    )  # fmt: skip


@tilewright.jit
def verify_kernel(draft, model, tokens, uniform, accepted, emitted, V, STEPS: tl.constexpr,
                  BLOCK: tl.constexpr):  # fmt: skip
    """Speculative decoding: tokens are taken until one is refused; then the rest is drawn from."""
    row = tl.program_id(0)
    taken = 0
    going = True
    while going and taken < STEPS:
        place = row * STEPS + taken
        token = tl.load(tokens + place)
        p = tl.load(model + place.to(tl.int64) * V + token)
        q = tl.load(draft + place.to(tl.int64) * V + token)
        if tl.load(uniform + place) * q < p:
            tl.store(emitted + row * STEPS + taken, token)
            taken += 1
        else:
            going = False
    tl.store(accepted + row, taken)
    if taken < STEPS:
        place = (row * STEPS + taken).to(tl.int64) * V
        best = -1.0
        which = 0
        for start in range(0, V, BLOCK):
            cols = start + tl.arange(0, BLOCK)
            p = tl.load(model + place + cols, mask=cols < V, other=0.0)
            q = tl.load(draft + place + cols, mask=cols < V, other=0.0)
            rest = tl.maximum(p - q, 0.0)
            value, index = tl.max(rest, axis=0, return_indices=True)
            if value > best:
                best = value
                which = start + index
        tl.store(emitted + row * STEPS + taken, which)


@case
def speculative_verify(data: Data, rows: int = 256, steps: int = 4, v: int = 32000) -> Work:
    def soft(torch):
        return torch.softmax(data.randn(rows, steps, v).float(), 2)

    draft, target = (data.make((rows, steps, v), "float32", soft) for _ in range(2))
    tokens, uniform = data.randint(0, v, rows, steps), data.rand(rows, steps)
    accepted = data.empty(rows, dtype="int32")
    emitted = data.empty(rows, steps, dtype="int32")

    def launch(k, **options):
        k.verify_kernel[(rows,)](
            draft, target, tokens, uniform, accepted, emitted, v, STEPS=steps, **options
        )

    def both():
        torch = data.torch
        count = torch.zeros(rows, dtype=torch.int32)
        right = torch.full((rows, steps), 0x55, dtype=torch.int32)
        chosen = tokens.long()[:, :, None]
        keep = (uniform * draft.gather(2, chosen)[..., 0] < target.gather(2, chosen)[..., 0]).cpu()
        best = (target - draft).clamp(min=0).argmax(2).cpu()
        for r in range(rows):
            n = 0
            while n < steps and keep[r, n]:
                right[r, n] = tokens[r, n]
                n += 1
            count[r] = n
            if n < steps:
                right[r, n] = best[r, n]
        return count.to(tokens.device), right.to(tokens.device)

    return Work(
        "decoding", launch, [(accepted, lambda: both()[0]), (emitted, lambda: both()[1])],
        count_bytes(draft) / 2, tolerance=0.0,
        configs=[{"BLOCK": b, "num_warps": w} for b, w in ((1024, 4), (4096, 8))],
    )  # fmt: skip
