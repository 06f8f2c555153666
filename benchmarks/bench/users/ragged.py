"""Work that is shared unevenly: tiles cut along K, ragged sums, trees of drafts, chunks, digits."""

from __future__ import annotations

from itertools import pairwise

import tilewright
import tilewright.language as tl
from bench.users.case import Data, case
from bench.work import Work, count_bytes


@tilewright.jit
def number_of_tile(tile, M, N, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    width = GROUP * tl.cdiv(N, BN)
    group = tile // width
    size = tl.minimum(tl.cdiv(M, BM) - group * GROUP, GROUP)
    return group * GROUP + tile % size, tile % width // size


@tilewright.jit
def multiply_part(a, b, c, locks, M, N, K, steps, start, end, BM: tl.constexpr, BN: tl.constexpr,
                  BK: tl.constexpr, GROUP: tl.constexpr):  # fmt: skip
    """Steps of one tile. Who has the last one stores, and the others add when they may."""
    tile = start // steps
    tile_m, tile_n = number_of_tile(tile, M, N, BM, BN, GROUP)
    m = tile_m * BM + tl.arange(0, BM)
    n = tile_n * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    first = start % steps * BK
    a_tile = a + m[:, None] * K + (first + k)[None, :]
    b_tile = b + (first + k)[:, None] * N + n[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(start, end):
        left = K - step % steps * BK
        x = tl.load(a_tile, mask=(m[:, None] < M) & (k[None, :] < left), other=0.0)
        y = tl.load(b_tile, mask=(k[:, None] < left) & (n[None, :] < N), other=0.0)
        acc += tl.dot(x, y)
        a_tile += BK
        b_tile += BK * N
    c_tile = c + m[:, None] * N + n[None, :]
    mask = (m < M)[:, None] & (n < N)[None, :]
    if end % steps == 0:
        tl.store(c_tile, acc, mask=mask)
        if start % steps != 0:
            tl.atomic_xchg(locks + tile, 1)
    else:
        while tl.atomic_cas(locks + tile, 1, 1) != 1:
            pass
        tl.atomic_add(c_tile, acc, mask=mask)


@tilewright.jit
def stream_k_kernel(a, b, c, locks, M, N, K, whole, rest, steps, BM: tl.constexpr,
                    BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):  # fmt: skip
    """Each program has as many steps of products as the others, of however many tiles."""
    program = tl.program_id(0)
    start = program * whole + tl.minimum(program, rest)
    last = (program + 1) * whole + tl.minimum(program + 1, rest)
    while start < last:
        end = tl.minimum(start + (steps - start % steps), last)
        multiply_part(a, b, c, locks, M, N, K, steps, start, end, BM, BN, BK, GROUP)
        start = end


@case
def stream_k(data: Data, m: int = 3072, n: int = 4096, k: int = 4096, programs: int = 132) -> Work:
    a, b = data.randn(m, k, scale=0.1), data.randn(k, n, scale=0.1)
    c = data.empty(m, n, dtype="float32")
    locks = data.zeros(m * n // 4096, dtype="int32")

    def launch(kernels, BM, BN, **options):
        steps = tilewright.cdiv(k, 64)
        total = tilewright.cdiv(m, BM) * tilewright.cdiv(n, BN) * steps
        if data.torch is not None:
            locks.zero_()
        kernels.stream_k_kernel[(programs,)](
            a, b, c, locks, m, n, k, total // programs, total % programs, steps,
            BM=BM, BN=BN, BK=64, GROUP=4, **options,
        )  # fmt: skip

    return Work(
        "ragged", launch, [(c, lambda: a.float() @ b.float())], 2.0 * m * n * k, "TFLOP/s",
        tolerance=1e-3,
        configs=[{"BM": 128, "BN": n, "num_warps": 8} for n in (128, 256)],
    )  # fmt: skip


@tilewright.jit
def ragged_sum_kernel(x, grad, weight_grad, offsets, K, N, BK: tl.constexpr, BN: tl.constexpr,
                      BT: tl.constexpr):  # fmt: skip
    """The gradient of an expert's weight: a product along as many tokens as it has."""
    expert = tl.program_id(0).to(tl.int64)
    k = tl.program_id(1) * BK + tl.arange(0, BK)
    n = tl.program_id(2) * BN + tl.arange(0, BN)
    start = tl.load(offsets + expert)
    end = tl.load(offsets + expert + 1)
    acc = tl.zeros((BK, BN), tl.float32)
    for first in tl.range(start, end, BT):
        t = first + tl.arange(0, BT)
        mask = t < end
        rows = tl.load(
            x + t[None, :] * K + k[:, None], mask=mask[None, :] & (k < K)[:, None], other=0.0
        )
        g = tl.load(
            grad + t[:, None] * N + n[None, :], mask=mask[:, None] & (n < N)[None, :], other=0.0
        )
        acc = tl.dot(rows, g, acc)
    target = weight_grad + expert * K * N + k[:, None] * N + n[None, :]
    tl.store(target, acc, mask=(k < K)[:, None] & (n < N)[None, :])


@case
def expert_weight_grad(
    data: Data, experts: int = 16, tokens: int = 8192, k: int = 1024, n: int = 2048
) -> Work:
    x, grad = data.randn(tokens, k, scale=0.1), data.randn(tokens, n, scale=0.1)

    def cuts(torch):
        places = torch.randint(0, tokens + 1, (experts - 1,), generator=torch.manual_seed(0))
        return torch.cat([torch.tensor([0]), places.sort().values, torch.tensor([tokens])])

    offsets = data.make((experts + 1,), "int64", cuts)
    out = data.empty(experts, k, n, dtype="float32")

    def launch(kernels, BK, BN, BT, **options):
        grid = (experts, tilewright.cdiv(k, BK), tilewright.cdiv(n, BN))
        kernels.ragged_sum_kernel[grid](x, grad, out, offsets, k, n, BK=BK, BN=BN, BT=BT, **options)

    def expected():
        ends = offsets.tolist()
        parts = [(x[a:b].float(), grad[a:b].float()) for a, b in pairwise(ends)]
        return data.torch.stack([some.T @ g for some, g in parts])

    return Work(
        "ragged", launch, [(out, expected)], 2.0 * tokens * k * n, "TFLOP/s", tolerance=1e-3,
        configs=[
            {"BK": 128, "BN": n, "BT": t, "num_warps": w}
            for n, t, w in ((128, 64, 8), (128, 32, 4), (256, 64, 8))
        ],
    )  # fmt: skip


@tilewright.jit
def tree_attention_kernel(q, k, v, bits, out, context, T, scale, q_head, k_head, WORDS,
                          D: tl.constexpr, BT: tl.constexpr, BN: tl.constexpr):  # fmt: skip
    """Drafts of a tree see the context and, by a bit each, those that they follow."""
    head = tl.program_id(0)
    t = tl.arange(0, BT)
    d = tl.arange(0, D)
    queries = tl.load(
        q + head * q_head + t[:, None] * D + d[None, :], mask=(t < T)[:, None], other=0.0
    )
    top = tl.full([BT], float("-inf"), tl.float32)
    total = tl.zeros([BT], tl.float32)
    acc = tl.zeros([BT, D], tl.float32)
    length = context + T
    for first in range(0, length, BN):
        n = first + tl.arange(0, BN)
        here = k_head * head + n * D
        keys = tl.load(k + here[None, :] + d[:, None], mask=(n < length)[None, :], other=0.0)
        scores = tl.dot(queries, keys) * (scale * 1.44269504)
        draft = n - context
        is_draft = (draft >= 0) & (draft < T)
        word = tl.load(
            bits + t[:, None] * WORDS + (draft >> 5)[None, :],
            mask=(t < T)[:, None] & is_draft[None, :], other=0,
        )  # fmt: skip
        seen = (draft < 0)[None, :] | (((word >> (draft & 31)[None, :]) & 1) != 0)
        scores = tl.where(seen & (n < length)[None, :], scores, float("-inf"))
        new_top = tl.maximum(top, tl.max(scores, 1))
        p = tl.math.exp2(scores - new_top[:, None])
        shrink = tl.math.exp2(top - new_top)
        total = total * shrink + tl.sum(p, 1)
        values = tl.load(v + here[:, None] + d[None, :], mask=(n < length)[:, None], other=0.0)
        acc = acc * shrink[:, None] + tl.dot(p.to(values.dtype), values)
        top = new_top
    acc /= total[:, None]
    target = out + head * q_head + t[:, None] * D + d[None, :]
    tl.store(target, acc.to(out.dtype.element_ty), mask=(t < T)[:, None])


@case
def tree_attention(
    data: Data, heads: int = 512, context: int = 2011, drafts: int = 61, d: int = 128
) -> Work:
    length, words = context + drafts, tilewright.cdiv(drafts, 32)
    q, out = data.randn(heads, drafts, d), data.empty(heads, drafts, d)
    k, v = data.randn(heads, length, d), data.randn(heads, length, d)

    def follows(torch):
        chosen = torch.rand(drafts, drafts, generator=torch.manual_seed(0)) < 0.4
        return chosen.tril() | torch.eye(drafts, dtype=torch.bool)

    def words_of(torch):
        seen = torch.zeros(drafts, 32 * words, dtype=torch.int64)
        seen[:, :drafts] = follows(torch)
        return (seen.view(drafts, words, 32) << torch.arange(32)).sum(-1).to(torch.int32)

    bits = data.make((drafts, words), "int32", words_of)

    def launch(kernels, BN, **options):
        kernels.tree_attention_kernel[(heads,)](
            q, k, v, bits, out, context, drafts, d**-0.5, drafts * d, length * d, words,
            D=d, BT=64, BN=BN, **options,
        )  # fmt: skip

    def expected():
        torch = data.torch
        seen = torch.ones(drafts, length, dtype=torch.bool, device=q.device)
        seen[:, context:] = follows(torch).to(q.device)
        scores = q.float() @ k.float().transpose(1, 2) * d**-0.5
        return scores.masked_fill(~seen, float("-inf")).softmax(-1) @ v.float()

    return Work(
        "ragged", launch, [(out, expected)], 4.0 * heads * drafts * length * d, "TFLOP/s",
        tolerance=5e-3,
        configs=[
            {"BN": n, "num_warps": w} for n, w in ((64, 4), (128, 4), (32, 4), (64, 8))
        ],
    )  # fmt: skip


@tilewright.jit
def better(value, place, other, other_place):
    is_left = (value > other) | ((value == other) & (place < other_place))
    return tl.where(is_left, value, other), tl.where(is_left, place, other_place)


@tilewright.jit
def min_p_kernel(logits, min_p, temperature, seeds, out, V, BLOCK: tl.constexpr):
    """A token of those that are likely enough beside the likeliest one."""
    row = tl.program_id(0)
    warmth = tl.load(temperature + row)
    base = logits + row.to(tl.int64) * V
    i = tl.arange(0, BLOCK)
    top = tl.full((BLOCK,), float("-inf"), tl.float32)
    for s in range(0, V, BLOCK):
        x = tl.load(base + s + i, mask=s + i < V, other=float("-inf")).to(tl.float32)
        top = tl.maximum(top, x)
    limit = tl.max(top, 0) / warmth + tl.log(tl.load(min_p + row))
    seed = tl.load(seeds + row)
    best = tl.full((BLOCK,), float("-inf"), tl.float32)
    place = tl.zeros((BLOCK,), tl.int32)
    for s in range(0, V, BLOCK):
        at = s + i
        x = tl.load(base + at, mask=at < V, other=float("-inf")).to(tl.float32) / warmth
        u = tl.maximum(tl.rand(seed, at), 1e-10)
        score = tl.where(x >= limit, x - tl.log(-tl.log(u)), float("-inf"))
        best, place = better(best, place, score, at)
    _, found = tl.reduce((best, place), 0, better)
    tl.store(out + row, found)


@case
def min_p_sample(data: Data, rows: int = 512, vocabulary: int = 128256) -> Work:
    # All but one of a row are far too unlikely, so that the result hangs on no seed.
    logits = data.randn(rows, vocabulary)
    chosen = data.randint(0, vocabulary, rows, dtype="int64")
    min_p = data.make((rows,), "float32", lambda torch: torch.full((rows,), 0.5))
    temperature = data.make((rows,), "float32", lambda torch: torch.full((rows,), 0.7))
    seeds = data.randint(0, 2**31 - 1, rows, dtype="int64")
    out = data.empty(rows, dtype="int32")
    if data.torch is not None:
        logits.scatter_(1, chosen[:, None], 20.0)

    def launch(k, BLOCK, **options):
        k.min_p_kernel[(rows,)](
            logits, min_p, temperature, seeds, out, vocabulary, BLOCK=BLOCK, **options
        )

    return Work(
        "ragged", launch, [(out, lambda: chosen)], count_bytes(logits), tolerance=0.0,
        configs=[
            {"BLOCK": b, "num_warps": w}
            for b, w in ((1024, 4), (2048, 8), (4096, 8), (4096, 16))
        ],
    )  # fmt: skip


@tilewright.jit
def ordered(x):
    """Integers without a sign that are in the order of the floats."""
    bits = x.to(tl.uint32, bitcast=True)
    return tl.where(bits >> 31 != 0, ~bits, bits | 0x80000000)


@tilewright.jit
def radix_select_kernel(x, values, places, N, k, BLOCK: tl.constexpr):
    """The k largest of a row, in its order: a digit after the other says which ones."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    numbers = tl.load(x + row * N + i, mask=i < N, other=float("-inf"))
    key = ordered(numbers)
    digit = tl.arange(0, 256)
    prefix = tl.zeros((), tl.uint32)
    need = k
    shift = 24
    while shift >= 0:
        live = (i < N) & ((key >> shift) >> 8 == prefix)
        counts = tl.histogram(((key >> shift) & 255).to(tl.int32), 256, mask=live)
        above = tl.cumsum(counts, 0, reverse=True)
        found = tl.max(tl.where(above >= need, digit, 0), 0)
        need -= tl.sum(tl.where(digit > found, counts, 0), 0)
        prefix = (prefix << 8) | found.to(tl.uint32)
        shift -= 8
    same = (key == prefix) & (i < N)
    rank = tl.cumsum(same.to(tl.int32), 0)
    take = ((key > prefix) & (i < N)) | (same & (rank <= need))
    at = tl.cumsum(take.to(tl.int32), 0) - 1
    tl.store(values + row * k + at, numbers, mask=take)
    tl.store(places + row * k + at, i, mask=take)


@case
def radix_select(data: Data, rows: int = 8192, n: int = 4000, k: int = 64) -> Work:
    # Many are equal.
    x = data.make((rows, n), "float32", lambda torch: (torch.randn(rows, n) * 50).round() / 8)
    values, places = data.empty(rows, k, dtype="float32"), data.empty(rows, k, dtype="int32")

    def launch(kernels, **options):
        kernels.radix_select_kernel[(rows,)](
            x, values, places, n, k, BLOCK=tilewright.next_power_of_2(n), **options
        )

    def right_places():
        order = data.torch.sort(x, dim=1, descending=True, stable=True).indices[:, :k]
        return order.sort(dim=1).values

    return Work(
        "ragged", launch,
        [(places, right_places), (values, lambda: x.gather(1, right_places()))],
        count_bytes(x, values, places), tolerance=0.0,
        configs=[{"num_warps": w} for w in (4, 8, 16)],
    )  # fmt: skip
