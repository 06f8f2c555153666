"""Along a sequence: sums so far, recurrences, state spaces, chunks of linear attention."""

from __future__ import annotations

import itertools

import tilewright
import tilewright.language as tl
from bench.users.case import Data, case
from bench.work import Work, count_bytes


def _blocks(name, *pairs):
    return [{name: block, "num_warps": warps} for block, warps in pairs]


@tilewright.jit(do_not_specialize=["epoch"])
def lookback_scan_kernel(x, out, sums, prefixes, flags, n, epoch, BLOCK: tl.constexpr):
    """One pass over memory: each program publishes its sum, then looks back for its prefix.

    What flags are below 2 * epoch + 1 is of launches before.
    """
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    value = tl.load(x + offs, mask=mask, other=0.0)
    total = tl.sum(value, axis=0)
    has_sum = 2 * epoch + 1
    if pid == 0:
        tl.store(prefixes + pid, total)
        tl.debug_barrier()
        tl.atomic_xchg(flags + pid, has_sum + 1, sem="release")
    else:
        tl.store(sums + pid, total)
        tl.debug_barrier()
        tl.atomic_xchg(flags + pid, has_sum, sem="release")
    prefix = 0.0
    look = pid - 1
    while look >= 0:
        flag = tl.atomic_add(flags + look, 0, sem="acquire")
        while flag < has_sum:
            flag = tl.atomic_add(flags + look, 0, sem="acquire")
        if flag > has_sum:
            prefix += tl.load(prefixes + look, volatile=True)
            look = -1
        else:
            prefix += tl.load(sums + look, volatile=True)
            look -= 1
    if pid > 0:
        tl.store(prefixes + pid, prefix + total)
        tl.debug_barrier()
        tl.atomic_xchg(flags + pid, has_sum + 1, sem="release")
    tl.store(out + offs, tl.cumsum(value, axis=0) + prefix, mask=mask)


@case
def lookback_scan(data: Data, n: int = 1 << 26) -> Work:
    x, out = data.randn(n, dtype="float32"), data.empty(n, dtype="float32")
    most = n // 1024
    sums, prefixes = data.zeros(most), data.zeros(most)
    flags = data.zeros(most, dtype="int32")
    epochs = itertools.count(1)

    def launch(k, BLOCK, **options):
        k.lookback_scan_kernel[(n // BLOCK,)](
            x, out, sums, prefixes, flags, n, next(epochs), BLOCK=BLOCK, **options
        )

    return Work(
        "scans", launch, [(out, lambda: x.double().cumsum(0))], count_bytes(x, out),
        tolerance=1e-4, scales={0: lambda: 1000.0},
        configs=_blocks("BLOCK", (1024, 4), (4096, 8), (2048, 4)),
    )  # fmt: skip


@tilewright.jit
def cumsum_columns_kernel(x, out, T, N, BT: tl.constexpr, BN: tl.constexpr):
    """Along the first dimension, with what is carried from block to block."""
    cols = tl.program_id(0) * BN + tl.arange(0, BN)
    carry = tl.zeros((BN,), tl.float32)
    for start in range(0, T, BT):
        rows = start + tl.arange(0, BT)
        mask = (rows < T)[:, None] & (cols < N)[None, :]
        place = rows[:, None] * N + cols[None, :]
        value = tl.load(x + place, mask=mask, other=0.0).to(tl.float32)
        sums = tl.cumsum(value, axis=0) + carry[None, :]
        carry += tl.sum(value, axis=0)
        tl.store(out + place, sums, mask=mask)


@case
def cumsum_columns(data: Data, t: int = 4096, n: int = 4096) -> Work:
    x, out = data.randn(t, n, dtype="float32"), data.empty(t, n, dtype="float32")

    def launch(k, BT, BN, **options):
        grid = (tilewright.cdiv(n, BN),)
        k.cumsum_columns_kernel[grid](x, out, t, n, BT=BT, BN=BN, **options)

    configs = [
        {"BT": a, "BN": b, "num_warps": w} for a, b, w in ((64, 32, 4), (32, 32, 4), (16, 64, 4))
    ]
    return Work(
        "scans", launch, [(out, lambda: x.double().cumsum(0))], count_bytes(x, out),
        tolerance=1e-4, configs=configs,
    )  # fmt: skip


@tilewright.jit
def combine(a_left, b_left, a_right, b_right):
    return a_left * a_right, b_left * a_right + b_right


@tilewright.jit
def gated_scan_kernel(gates, tokens, out, T, BT: tl.constexpr):
    """h = gate * h + token of each channel, by an associative scan; channels before tokens."""
    row = tl.program_id(0).to(tl.int64) * T
    state = 0.0
    for start in range(0, T, BT):
        offs = start + tl.arange(0, BT)
        mask = offs < T
        a = tl.load(gates + row + offs, mask=mask, other=1.0)
        b = tl.load(tokens + row + offs, mask=mask, other=0.0)
        decay, value = tl.associative_scan((a, b), 0, combine)
        value += decay * state
        tl.store(out + row + offs, value, mask=mask)
        state = tl.sum(tl.where(offs == start + BT - 1, value, 0.0), axis=0)


@case
def gated_scan(data: Data, rows: int = 4096, t: int = 4096) -> Work:
    gates, tokens = data.rand(rows, t), data.randn(rows, t, dtype="float32")
    out = data.empty(rows, t, dtype="float32")

    def launch(k, BT, **options):
        k.gated_scan_kernel[(rows,)](gates, tokens, out, t, BT=BT, **options)

    def expected():
        torch = data.torch
        right, state = torch.empty_like(out), torch.zeros(rows, device=out.device)
        columns = torch.empty(t, rows, device=out.device)
        a, b = gates.T.contiguous(), tokens.T.contiguous()
        for time in range(t):
            state = a[time] * state + b[time]
            columns[time] = state
        return right.copy_(columns.T)

    return Work(
        "scans", launch, [(out, expected)], count_bytes(gates, tokens, out), tolerance=1e-4,
        configs=_blocks("BT", (512, 4), (1024, 4), (4096, 8)),
    )  # fmt: skip


@tilewright.jit
def selective_scan_kernel(u, delta, A, B, C, D, out, L, CH, N: tl.constexpr, BD: tl.constexpr):
    """A state space model step by step: N states of each channel in registers."""
    batch = tl.program_id(0)
    chans = tl.program_id(1) * BD + tl.arange(0, BD)
    states = tl.arange(0, N)
    a = tl.load(A + chans[:, None] * N + states[None, :])
    d = tl.load(D + chans)
    h = tl.zeros((BD, N), tl.float32)
    for t in range(L):
        row = (batch * L + t) * CH + chans
        dt = tl.load(delta + row).to(tl.float32)
        x = tl.load(u + row).to(tl.float32)
        b = tl.load(B + (batch * L + t) * N + states).to(tl.float32)
        c = tl.load(C + (batch * L + t) * N + states).to(tl.float32)
        h = h * tl.exp(dt[:, None] * a) + (dt * x)[:, None] * b[None, :]
        y = tl.sum(h * c[None, :], axis=1) + d * x
        tl.store(out + row, y.to(out.dtype.element_ty))


@case
def selective_scan(data: Data, b: int = 4, length: int = 512, ch: int = 2048, n: int = 16) -> Work:
    u = data.randn(b, length, ch)
    delta = data.make((b, length, ch), "float16", lambda torch: data.rand(b, length, ch) * 0.1)
    a = data.make((ch, n), "float32", lambda torch: -data.rand(ch, n) * 4)
    bs, cs = data.randn(b, length, n), data.randn(b, length, n)
    d, out = data.randn(ch, dtype="float32"), data.empty(b, length, ch)

    def launch(k, BD, **options):
        k.selective_scan_kernel[b, ch // BD](
            u, delta, a, bs, cs, d, out, length, ch, N=n, BD=BD, **options
        )

    def expected():
        torch = data.torch
        h, ys = torch.zeros(b, ch, n, device=u.device), []
        for t in range(length):
            dt, x = delta[:, t].float(), u[:, t].float()
            h = h * (dt[..., None] * a).exp() + (dt * x)[..., None] * bs[:, t, None].float()
            ys.append((h * cs[:, t, None].float()).sum(-1) + d * x)
        return torch.stack(ys, 1)

    return Work(
        "scans", launch, [(out, expected)], count_bytes(u, delta, out), tolerance=4e-3,
        configs=_blocks("BD", (64, 4), (32, 2), (32, 4)),
    )  # fmt: skip


@tilewright.jit
def wkv_kernel(w, u, k, v, out, T, C, BLOCK: tl.constexpr):
    """RWKV's weighted keys and values, in a form that keeps exponents small."""
    batch = tl.program_id(0)
    chans = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = chans < C
    decay = tl.load(w + chans, mask=mask).to(tl.float32)
    bonus = tl.load(u + chans, mask=mask).to(tl.float32)
    num = tl.zeros((BLOCK,), tl.float32)
    den = tl.zeros((BLOCK,), tl.float32)
    top = tl.full((BLOCK,), -1e38, tl.float32)
    for t in range(T):
        place = (batch * T + t) * C + chans
        key = tl.load(k + place, mask=mask).to(tl.float32)
        value = tl.load(v + place, mask=mask).to(tl.float32)
        most = tl.maximum(top, bonus + key)
        e1 = tl.exp(top - most)
        e2 = tl.exp(bonus + key - most)
        result = (e1 * num + e2 * value) / (e1 * den + e2)
        tl.store(out + place, result.to(out.dtype.element_ty), mask=mask)
        most = tl.maximum(top + decay, key)
        e1 = tl.exp(top + decay - most)
        e2 = tl.exp(key - most)
        num = e1 * num + e2 * value
        den = e1 * den + e2
        top = most


@case
def wkv(data: Data, b: int = 8, t: int = 512, c: int = 4096) -> Work:
    w = data.make((c,), "float32", lambda torch: -data.rand(c))
    u, key, v = data.randn(c, dtype="float32"), data.randn(b, t, c), data.randn(b, t, c)
    out = data.empty(b, t, c)

    def launch(k, BLOCK, **options):
        k.wkv_kernel[b, tilewright.cdiv(c, BLOCK)](w, u, key, v, out, t, c, BLOCK=BLOCK, **options)

    def expected():
        torch = data.torch
        num, den = (torch.zeros(b, c, device=v.device).double() for _ in range(2))
        rows = []
        for time in range(t):
            e, value = key[:, time].double().exp(), v[:, time].double()
            bonus = u.double().exp() * e
            rows.append((num + bonus * value) / (den + bonus))
            num, den = num * w.double().exp() + e * value, den * w.double().exp() + e
        return torch.stack(rows, 1)

    return Work(
        "scans", launch, [(out, expected)], count_bytes(key, v, out), tolerance=4e-3,
        configs=_blocks("BLOCK", (32, 1), (64, 1), (128, 2)),
    )  # fmt: skip


@tilewright.jit
def gated_delta_kernel(q, k, v, g, beta, out, state, T, H, K: tl.constexpr, V: tl.constexpr,
                       BV: tl.constexpr):  # fmt: skip
    """The delta rule with a decay, a token after the other; BV columns of a head's state."""
    off_bh = tl.program_id(1)
    batch = off_bh // H
    head = off_bh % H
    cols = tl.program_id(0) * BV + tl.arange(0, BV)
    rows = tl.arange(0, K)
    h = tl.zeros((K, BV), tl.float32)
    for t in range(T):
        row = (batch * T + t) * H + head
        key = tl.load(k + row * K + rows).to(tl.float32)
        query = tl.load(q + row * K + rows).to(tl.float32)
        value = tl.load(v + row * V + cols).to(tl.float32)
        h *= tl.exp(tl.load(g + row))
        value = (value - tl.sum(h * key[:, None], axis=0)) * tl.load(beta + row)
        h += key[:, None] * value[None, :]
        tl.store(out + row * V + cols, tl.sum(h * query[:, None], axis=0).to(out.dtype.element_ty))
    tl.store(state + off_bh * K * V + rows[:, None] * V + cols[None, :], h)


@case
def gated_delta(data: Data, b: int = 2, t: int = 512, h: int = 16, d: int = 128) -> Work:
    def unit(torch):
        return torch.nn.functional.normalize(data.randn(b, t, h, d, dtype="float32"), dim=-1)

    q, key = (data.make((b, t, h, d), "bfloat16", unit) for _ in range(2))
    v = data.randn(b, t, h, d, dtype="bfloat16")
    g = data.make((b, t, h), "float32", lambda torch: -data.rand(b, t, h) * 0.1)
    beta = data.rand(b, t, h)
    out, state = data.empty(b, t, h, d, dtype="bfloat16"), data.empty(b, h, d, d, dtype="float32")

    def launch(k, BV, **options):
        k.gated_delta_kernel[d // BV, b * h](
            q, key, v, g, beta, out, state, t, h, K=d, V=d, BV=BV, **options
        )

    def right_state():
        torch = data.torch
        s = torch.zeros(b, h, d, d, device=v.device)
        for time in range(t):
            k_t, v_t = key[:, time].float(), v[:, time].float()
            s = s * g[:, time].exp()[..., None, None]
            new = (v_t - (s * k_t[..., None]).sum(-2)) * beta[:, time][..., None]
            s = s + k_t[..., None] * new[..., None, :]
        return s

    return Work(
        "scans", launch, [(state, right_state)], count_bytes(q, key, v, out), tolerance=1e-2,
        configs=_blocks("BV", (8, 1), (16, 2), (32, 4)),
    )  # fmt: skip


@tilewright.jit
def chunk_fwd_o_kernel(q, k, v, h, g, out, scale, T, H, K: tl.constexpr, V: tl.constexpr,
                       BT: tl.constexpr, BK: tl.constexpr, BV: tl.constexpr):  # fmt: skip
    """Results of gated linear attention in chunks: what the state gives and what the chunk does."""
    chunk = tl.program_id(1)
    off_bh = tl.program_id(2)
    batch = off_bh // H
    head = off_bh % H
    chunks = tl.cdiv(T, BT)
    base = (batch * T * H + head).to(tl.int64)
    q += base * K
    k += base * K
    v += base * V
    out += base * V
    h += (off_bh * chunks + chunk).to(tl.int64) * K * V
    acc = tl.zeros((BT, BV), tl.float32)
    scores = tl.zeros((BT, BT), tl.float32)
    for i in range(tl.cdiv(K, BK)):
        p_q = tl.make_block_ptr(q, (T, K), (H * K, 1), (chunk * BT, i * BK), (BT, BK), (1, 0))
        p_k = tl.make_block_ptr(k, (K, T), (1, H * K), (i * BK, chunk * BT), (BK, BT), (0, 1))
        p_h = tl.make_block_ptr(
            h, (K, V), (V, 1), (i * BK, tl.program_id(0) * BV), (BK, BV), (1, 0)
        )
        b_q = tl.load(p_q, boundary_check=(0, 1))
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_h = tl.load(p_h, boundary_check=(0, 1))
        acc += tl.dot(b_q, b_h)
        scores += tl.dot(b_q, b_k)
    times = tl.arange(0, BT)
    gate = tl.load(g + base + (chunk * BT + times) * H)
    acc = acc * tl.exp(gate)[:, None]
    scores = scores * tl.exp(gate[:, None] - gate[None, :])
    scores = tl.where(times[:, None] >= times[None, :], scores, 0.0)
    p_v = tl.make_block_ptr(
        v, (T, V), (H * V, 1), (chunk * BT, tl.program_id(0) * BV), (BT, BV), (1, 0)
    )
    b_v = tl.load(p_v, boundary_check=(0, 1))
    acc = (acc + tl.dot(scores.to(b_v.dtype), b_v)) * scale
    p_o = tl.make_block_ptr(
        out, (T, V), (H * V, 1), (chunk * BT, tl.program_id(0) * BV), (BT, BV), (1, 0)
    )
    tl.store(p_o, acc.to(out.dtype.element_ty), boundary_check=(0, 1))


@case
def chunk_fwd_o(data: Data, b: int = 4, t: int = 2048, h: int = 16, d: int = 128) -> Work:
    chunk = 64
    chunks = t // chunk
    q, key, v = (data.randn(b, t, h, d, dtype="bfloat16") for _ in range(3))
    state = data.randn(b, h, chunks, d, d, dtype="bfloat16")
    g = data.make(
        (b, t, h), "float32",
        lambda torch: (-data.rand(b, chunks, chunk, h) * 0.1).cumsum(2).view(b, t, h),
    )  # fmt: skip
    out = data.empty(b, t, h, d, dtype="bfloat16")

    def launch(k, BK, BV, **options):
        k.chunk_fwd_o_kernel[d // BV, chunks, b * h](
            q, key, v, state, g, out, d**-0.5, t, h, K=d, V=d, BT=chunk, BK=BK, BV=BV, **options
        )

    def expected():
        def split(x):
            return x.view(b, chunks, chunk, h, -1).permute(0, 3, 1, 2, 4).float()

        a, c, e = split(q), split(key), split(v)
        gate = split(g)
        inner = a @ c.transpose(-1, -2) * (gate - gate.transpose(-1, -2)).tril().exp()
        result = (a @ state.float()) * gate.exp() + inner.tril() @ e
        return (result * d**-0.5).permute(0, 2, 3, 1, 4).reshape(b, t, h, d)

    names = ("BK", "BV", "num_warps", "num_stages")
    lists = ((64, 128, 4, 2), (64, 64, 4, 3), (128, 128, 8, 2))
    configs = [dict(zip(names, each, strict=True)) for each in lists]
    return Work(
        "scans", launch, [(out, expected)], count_bytes(q, key, v, state, out), tolerance=2e-2,
        configs=configs,
    )  # fmt: skip


@tilewright.jit
def cummax_kernel(x, out, places, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    value = tl.load(x + row * N + cols, mask=mask, other=-float("inf"))
    best, place = tl.associative_scan((value, cols), 0, later_max)
    tl.store(out + row * N + cols, best, mask=mask)
    tl.store(places + row * N + cols, place, mask=mask)


@tilewright.jit
def later_max(a, i, b, j):
    takes = b >= a
    return tl.where(takes, b, a), tl.where(takes, j, i)


@case
def cummax(data: Data, rows: int = 8192, n: int = 1024) -> Work:
    x, out = data.randn(rows, n, dtype="float32"), data.empty(rows, n, dtype="float32")
    places = data.empty(rows, n, dtype="int32")

    def launch(k, **options):
        k.cummax_kernel[(rows,)](x, out, places, n, BLOCK=n, **options)

    return Work(
        "scans", launch,
        [(out, lambda: x.cummax(1).values), (places, lambda: x.cummax(1).indices)],
        count_bytes(x, out, places), configs=({"num_warps": 2}, {"num_warps": 4}, {"num_warps": 8}),
    )  # fmt: skip
