"""Mixtures of experts: routing, sorting of tokens, grouped products, and what stands between."""

from __future__ import annotations

import tilewright
import tilewright.language as tl
from bench.users.case import Data, case
from bench.work import Work, count_bytes


@tilewright.jit
def ordered_bits(x):
    """Integers that are in order as the numbers are."""
    bits = x.to(tl.uint32, bitcast=True)
    return bits ^ tl.where((bits >> 31) != 0, 0xFFFFFFFF, 0x80000000).to(tl.uint32)


@tilewright.jit
def from_ordered_bits(bits):
    sign = tl.where((bits >> 31) != 0, 0x80000000, 0xFFFFFFFF).to(tl.uint32)
    return (bits ^ sign).to(tl.float32, bitcast=True)


@tilewright.jit
def route_topk_kernel(logits, weights, experts, n_tokens, E: tl.constexpr, K: tl.constexpr,
                      BM: tl.constexpr):  # fmt: skip
    """The K largest of a row by keys that hold the number and its place; softmax of those."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.arange(0, E)
    mask = (rows < n_tokens)[:, None]
    x = tl.load(logits + rows[:, None] * E + cols[None, :], mask=mask, other=-float("inf"))
    key = (ordered_bits(x.to(tl.float32)).to(tl.uint64) << 16) | (E - 1 - cols)[None, :].to(
        tl.uint64
    )
    best = tl.topk(key, K, dim=1)
    place = E - 1 - (best & 0xFFFF).to(tl.int32)
    value = from_ordered_bits((best >> 16).to(tl.uint32))
    power = tl.exp(value - tl.max(value, axis=1)[:, None])
    power = power / tl.sum(power, axis=1)[:, None]
    k = tl.arange(0, K)
    tl.store(weights + rows[:, None] * K + k[None, :], power, mask=mask)
    tl.store(experts + rows[:, None] * K + k[None, :], place.to(tl.int16), mask=mask)


@case
def route_topk(data: Data, tokens: int = 16384, experts: int = 128) -> Work:
    logits = data.randn(tokens, experts, dtype="float32")
    weights = data.empty(tokens, 8, dtype="float32")
    places = data.empty(tokens, 8, dtype="int16")

    def launch(k, BM, **options):
        grid = (tilewright.cdiv(tokens, BM),)
        k.route_topk_kernel[grid](logits, weights, places, tokens, E=experts, K=8, BM=BM, **options)

    def best():
        return data.torch.topk(logits, 8, dim=1)

    return Work(
        "experts", launch,
        [(weights, lambda: data.torch.softmax(best()[0], 1)), (places, lambda: best()[1])],
        count_bytes(logits, weights, places), tolerance=1e-4,
        configs=[{"BM": rows, "num_warps": warps} for rows, warps in ((8, 4), (32, 4))],
    )  # fmt: skip


@tilewright.jit
def expert_counts_kernel(experts, counts, n, E: tl.constexpr, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    offs = start + tl.arange(0, BLOCK)
    mask = offs < n
    which = tl.load(experts + offs, mask=mask, other=0)
    part = tl.histogram(which, E, mask=mask)
    tl.atomic_add(counts + tl.arange(0, E), part, mask=part > 0, sem="relaxed")


@case
def expert_counts(data: Data, n: int = 1 << 22, experts: int = 128) -> Work:
    which = data.randint(0, experts, n)
    counts = data.zeros(experts, dtype="int32")

    def launch(k, BLOCK, **options):
        grid = (tilewright.cdiv(n, BLOCK),)
        k.expert_counts_kernel[grid](which, counts, n, E=experts, BLOCK=BLOCK, **options)

    return Work(
        "experts", launch, [(counts, lambda: data.torch.bincount(which, minlength=experts))],
        count_bytes(which), reset=lambda: counts.zero_(),
        configs=[{"BLOCK": block, "num_warps": 4} for block in (1024, 4096)],
    )  # fmt: skip


@tilewright.jit
def gate_up_kernel(x, w, out, sorted_ids, expert_ids, n_pairs, N, K, top_k, limit, alpha,
                   BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):  # fmt: skip
    """Gate and up side by side in columns of w, whose clipped SwiGLU is stored."""
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    expert = tl.load(expert_ids + pid_m).to(tl.int64)
    if expert == -1:
        return
    ids = tl.load(sorted_ids + pid_m * BM + tl.arange(0, BM))
    here = ids < n_pairs
    cols = (pid_n * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    a_ptrs = x + (ids // top_k)[:, None] * K + k[None, :]
    b_ptrs = w + expert * N * K + cols[None, :] * K + k[:, None]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=here[:, None] & (k[None, :] < K - step * BK), other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < K - step * BK, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK
        b_ptrs += BK
    gate, up = tl.split(tl.reshape(acc, (BM, BN // 2, 2)))
    gate = tl.minimum(gate, limit)
    up = tl.clamp(up, -limit, limit)
    result = gate * tl.sigmoid(alpha * gate) * (up + 1)
    half = pid_n * (BN // 2) + tl.arange(0, BN // 2)
    places = out + ids[:, None] * (N // 2) + half[None, :]
    tl.store(places, result.to(out.dtype.element_ty), mask=here[:, None] & (half < N // 2)[None, :])


def _sort_tokens(torch, chosen, experts, block):
    """Pairs by expert, in whole blocks, as (sorted_ids, expert_ids)."""
    pairs, ids, owners = chosen.numel(), [], []
    flat = chosen.flatten().cpu()
    for expert in range(experts):
        mine = torch.nonzero(flat == expert).flatten()
        blocks = -(-len(mine) // block)
        pad = torch.full((blocks * block - len(mine),), pairs)
        ids.append(torch.cat((mine, pad)))
        owners += [expert] * blocks
    # As many blocks as there are at the most; those behind have no expert.
    most = pairs // block + experts
    rest = most - len(owners)
    ids.append(torch.full((rest * block,), pairs))
    return torch.cat(ids).int(), torch.tensor(owners + [-1] * rest).int()


@case
def moe_gate_up(
    data: Data, tokens: int = 4096, experts: int = 16, n: int = 2816, k: int = 1024
) -> Work:
    x, w = data.randn(tokens, k), data.randn(experts, n, k, scale=k**-0.5)
    chosen = data.randint(0, experts, tokens, 2)
    out = data.zeros(tokens * 2, n // 2, dtype="float16")
    blocks = {}
    for block in (64, 128):
        most = tokens * 2 // block + experts
        blocks[block] = [
            data.make(shape, "int32", lambda torch, b=block, p=part: _sort_tokens(
                torch, chosen, experts, b)[p])
            for part, shape in enumerate(((most * block,), (most,)))
        ]  # fmt: skip

    def launch(kernels, BM, BN, **options):
        ids, owners = blocks[BM]
        grid = (owners.shape[0], tilewright.cdiv(n, BN))
        kernels.gate_up_kernel[grid](
            x, w, out, ids, owners, tokens * 2, n, k, 2, 7.0, 1.702, BM=BM, BN=BN, **options
        )

    def expected():
        torch = data.torch
        right = torch.empty(tokens * 2, n // 2, device=x.device)
        flat = chosen.flatten()
        for expert in range(experts):
            mine = torch.nonzero(flat == expert).flatten()
            both = x[mine // 2].float() @ w[expert].float().T
            gate, up = both[:, ::2].clamp(max=7.0), both[:, 1::2].clamp(-7.0, 7.0)
            right[mine] = gate * torch.sigmoid(1.702 * gate) * (up + 1)
        return right

    configs = [
        {"BM": m, "BN": b, "BK": 64, "num_warps": warps, "num_stages": 3}
        for m, b, warps in ((64, 128, 4), (128, 128, 8), (128, 256, 8))
    ]
    return Work(
        "experts", launch, [(out, expected)], 4.0 * tokens * n * k, "TFLOP/s", tolerance=1e-2,
        configs=configs,
    )  # fmt: skip


@tilewright.jit
def combine_kernel(y, weights, out, D, K: tl.constexpr, BLOCK: tl.constexpr):
    """The sum of what a token's experts gave, weighted."""
    token = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < D
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for k in tl.static_range(K):
        weight = tl.load(weights + token * K + k)
        value = tl.load(y + (token * K + k) * D + cols, mask=mask, other=0.0)
        acc += weight * value.to(tl.float32)
    tl.store(out + token * D + cols, acc.to(out.dtype.element_ty), mask=mask)


@case
def moe_combine(data: Data, tokens: int = 4096, top: int = 8, d: int = 2880) -> Work:
    y, weights = data.randn(tokens, top, d, dtype="bfloat16"), data.rand(tokens, top)
    out = data.empty(tokens, d, dtype="bfloat16")

    def launch(k, BLOCK, **options):
        grid = (tokens, tilewright.cdiv(d, BLOCK))
        k.combine_kernel[grid](y, weights, out, d, K=top, BLOCK=BLOCK, **options)

    def expected():
        return (y.float() * weights[:, :, None]).sum(1)

    return Work(
        "experts", launch, [(out, expected)], count_bytes(y, out), tolerance=1e-2,
        configs=[{"BLOCK": b, "num_warps": w} for b, w in ((512, 2), (1024, 4), (4096, 8))],
    )  # fmt: skip


@tilewright.jit
def permute_tokens_kernel(x, places, out, scale, D, K: tl.constexpr, BLOCK: tl.constexpr):
    """Each token, scaled to fp8, in the rows of its experts; a place of -1 is elsewhere."""
    token = tl.program_id(0).to(tl.int64)
    factor = tl.load(scale)
    for start in range(0, D, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < D
        value = tl.load(x + token * D + cols, mask=mask, other=0.0).to(tl.float32) * factor
        value = tl.clamp(value, -448.0, 448.0).to(out.dtype.element_ty)
        for k in tl.static_range(K):
            row = tl.load(places + token * K + k).to(tl.int64)
            if row >= 0:
                tl.store(out + row * D + cols, value, mask=mask)


@case
def permute_tokens(data: Data, tokens: int = 8192, top: int = 4, d: int = 4096) -> Work:
    x = data.randn(tokens, d, dtype="bfloat16")
    scale = data.make((1,), "float32", lambda torch: torch.full((1,), 2.0))

    def shuffled(torch):
        order = torch.randperm(tokens * top, generator=torch.Generator().manual_seed(0))
        return order.view(tokens, top)

    places = data.make((tokens, top), "int32", shuffled)
    out = data.empty(tokens * top, d, dtype="float8_e4m3fn")

    def launch(k, BLOCK, **options):
        k.permute_tokens_kernel[(tokens,)](x, places, out, scale, d, K=top, BLOCK=BLOCK, **options)

    def expected():
        torch = data.torch
        rows = (x.float() * 2).clamp(-448, 448).to(torch.float8_e4m3fn).float()
        right = torch.empty(tokens * top, d, device=x.device)
        right[places.long().flatten()] = rows.repeat_interleave(top, 0)
        return right

    return Work(
        "experts", launch, [(out, expected)], count_bytes(x, out),
        configs=[{"BLOCK": b, "num_warps": w} for b, w in ((1024, 4), (2048, 4), (4096, 8))],
    )  # fmt: skip


@tilewright.jit
def grouped_pointers_kernel(a_ptrs, b_ptrs, c_ptrs, sizes, strides, groups, SMS: tl.constexpr,
                            BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):  # fmt: skip
    """Products of several sizes, whose matrices are named in arrays of addresses."""
    tile = tl.program_id(0)
    before = 0
    for g in range(groups):
        M = tl.load(sizes + g * 3)
        N = tl.load(sizes + g * 3 + 1)
        K = tl.load(sizes + g * 3 + 2)
        tiles_n = tl.cdiv(N, BN)
        tiles = tl.cdiv(M, BM) * tiles_n
        while tile >= before and tile < before + tiles:
            lda = tl.load(strides + g * 3)
            ldb = tl.load(strides + g * 3 + 1)
            ldc = tl.load(strides + g * 3 + 2)
            a = tl.load(a_ptrs + g).to(tl.pointer_type(tl.float16))
            b = tl.load(b_ptrs + g).to(tl.pointer_type(tl.float16))
            c = tl.load(c_ptrs + g).to(tl.pointer_type(tl.float16))
            mine = tile - before
            rows = (mine // tiles_n) * BM + tl.arange(0, BM)
            cols = (mine % tiles_n) * BN + tl.arange(0, BN)
            k = tl.arange(0, BK)
            a_at = a + rows[:, None] * lda + k[None, :]
            b_at = b + k[:, None] * ldb + cols[None, :]
            acc = tl.zeros((BM, BN), dtype=tl.float32)
            for _ in range(0, tl.cdiv(K, BK)):
                tl.multiple_of(a_at, [16, 16])
                tl.multiple_of(b_at, [16, 16])
                acc += tl.dot(tl.load(a_at), tl.load(b_at))
                a_at += BK
                b_at += BK * ldb
            tl.store(c + rows[:, None] * ldc + cols[None, :], acc.to(tl.float16))
            tile += SMS
        before += tiles


@case
def grouped_pointers(data: Data, size: int = 1024, groups: int = 4, sms: int = 132) -> Work:
    shapes = [(size >> (g % 3), size, size << (g % 2)) for g in range(groups)]
    a = [data.randn(m, k) for m, _, k in shapes]
    b = [data.randn(k, n, scale=k**-0.5) for _, n, k in shapes]
    c = [data.empty(m, n) for m, n, _ in shapes]

    def addresses(tensors):
        return data.make(
            (groups,), "int64", lambda torch: torch.tensor([t.data_ptr() for t in tensors])
        )

    tables = [addresses(each) for each in (a, b, c)]
    sizes = data.make((groups, 3), "int32", lambda torch: torch.tensor(shapes))
    strides = data.make(
        (groups, 3), "int32", lambda torch: torch.tensor([(k, n, n) for _, n, k in shapes])
    )

    def launch(kernels, **options):
        kernels.grouped_pointers_kernel[(sms,)](*tables, sizes, strides, groups, SMS=sms, **options)

    results = [
        (out, lambda left=left, right=right: left.float() @ right.float())
        for left, right, out in zip(a, b, c, strict=True)
    ]
    configs = [
        {"BM": m, "BN": n, "BK": k, "num_warps": warps, "num_stages": 3}
        for m, n, k, warps in ((128, 128, 32, 4), (64, 128, 64, 4), (128, 128, 64, 8))
    ]
    return Work(
        "experts", launch, results, 2.0 * sum(m * n * k for m, n, k in shapes), "TFLOP/s",
        tolerance=1e-2, configs=configs,
    )  # fmt: skip
