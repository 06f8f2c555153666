"""Backward passes: attention, look-ups, products with a softmax behind them, norms of many rows."""

from __future__ import annotations

import tilewright
import tilewright.language as tl
from bench.users.case import Data, case
from bench.work import Work, count_bytes


@tilewright.jit
def dkdv_part(dk, dv, q, k, v, do, lse, delta, start_m, steps, n, T, scale, MASKED: tl.constexpr,
              BM: tl.constexpr, D: tl.constexpr):  # fmt: skip
    """Adds what blocks of queries give to a block of keys and values."""
    d = tl.arange(0, D)
    m = start_m + tl.arange(0, BM)
    for _ in range(steps):
        q_t = tl.load(q + m[None, :] * D + d[:, None])
        total = tl.load(lse + m)
        p_t = tl.math.exp2(tl.dot(k, q_t) * (scale * 1.44269504) - total[None, :])
        if MASKED:
            p_t = tl.where(m[None, :] >= n[:, None], p_t, 0.0)
        g = tl.load(do + m[:, None] * D + d[None, :])
        dv += tl.dot(p_t.to(g.dtype), g)
        di = tl.load(delta + m)
        dp_t = tl.dot(v, tl.trans(g)).to(tl.float32)
        ds_t = p_t * (dp_t - di[None, :])
        dk += tl.dot(ds_t.to(q_t.dtype), tl.trans(q_t))
        m += BM
    return dk, dv


@tilewright.jit
def attn_dkdv_kernel(q, k, v, do, lse, delta, dk, dv, T, scale, BM: tl.constexpr, BN: tl.constexpr,
                     D: tl.constexpr):  # fmt: skip
    """Gradients of keys and values of causal attention: first the diagonal, then those below."""
    head = tl.program_id(1).to(tl.int64)
    base = head * T * D
    q += base
    do += base
    lse += head * T
    delta += head * T
    start_n = tl.program_id(0) * BN
    n = start_n + tl.arange(0, BN)
    d = tl.arange(0, D)
    place = base + n[:, None] * D + d[None, :]
    keys = tl.load(k + place)
    values = tl.load(v + place)
    grad_k = tl.zeros([BN, D], dtype=tl.float32)
    grad_v = tl.zeros([BN, D], dtype=tl.float32)
    grad_k, grad_v = dkdv_part(
        grad_k, grad_v, q, keys, values, do, lse, delta, start_n, BN // BM, n, T, scale,
        MASKED=True, BM=BM, D=D,
    )  # fmt: skip
    below = start_n + BN
    grad_k, grad_v = dkdv_part(
        grad_k, grad_v, q, keys, values, do, lse, delta, below, (T - below) // BM, n, T, scale,
        MASKED=False, BM=BM, D=D,
    )  # fmt: skip
    tl.store(dv + place, grad_v.to(dv.dtype.element_ty))
    tl.store(dk + place, (grad_k * scale).to(dk.dtype.element_ty))


@tilewright.jit
def attn_dq_kernel(q, k, v, do, lse, delta, dq, T, scale, BM: tl.constexpr, BN: tl.constexpr,
                   D: tl.constexpr):  # fmt: skip
    head = tl.program_id(1).to(tl.int64)
    base = head * T * D
    start_m = tl.program_id(0) * BM
    m = start_m + tl.arange(0, BM)
    d = tl.arange(0, D)
    place = base + m[:, None] * D + d[None, :]
    queries = tl.load(q + place)
    g = tl.load(do + place)
    total = tl.load(lse + head * T + m)[:, None]
    di = tl.load(delta + head * T + m)
    acc = tl.zeros([BM, D], dtype=tl.float32)
    for start_n in range(0, start_m + BM, BN):
        n = start_n + tl.arange(0, BN)
        at = base + n[None, :] * D + d[:, None]
        k_t = tl.load(k + at)
        v_t = tl.load(v + at)
        p = tl.math.exp2(tl.dot(queries, k_t) * (scale * 1.44269504) - total)
        p = tl.where(m[:, None] >= n[None, :], p, 0.0)
        ds = p * (tl.dot(g, v_t) - di[:, None])
        acc += tl.dot(ds.to(k_t.dtype), tl.trans(k_t))
    tl.store(dq + place, (acc * scale).to(dq.dtype.element_ty))


class _Attention:
    """Data of causal attention, what its forward pass leaves, and its gradients."""

    def __init__(self, data: Data, b: int, h: int, t: int, d: int) -> None:
        self.data, self.shape = data, (b * h, t, d)
        self.scale = d**-0.5
        self.q, self.k, self.v, self.do = (data.randn(b * h, t, d) for _ in range(4))
        self.lse = data.make((b * h, t), "float32", lambda torch: self._forward(torch)[0])
        self.delta = data.make((b * h, t), "float32", lambda torch: self._forward(torch)[1])

    def _scores(self, torch):
        t = self.shape[1]
        scores = self.q.float() @ self.k.float().transpose(1, 2) * self.scale
        later = torch.ones(t, t, device=scores.device, dtype=torch.bool).triu(1)
        return scores.masked_fill_(later, -float("inf"))

    def _forward(self, torch):
        scores = self._scores(torch)
        out = torch.softmax(scores, 2) @ self.v.float()
        return torch.logsumexp(scores, 2) * 1.44269504, (out * self.do.float()).sum(2)

    def gradients(self):
        torch = self.data.torch
        p = torch.softmax(self._scores(torch), 2)
        g = self.do.float()
        ds = p * (g @ self.v.float().transpose(1, 2) - self.delta[:, :, None]) * self.scale
        turned = ds.transpose(1, 2)
        return ds @ self.k.float(), turned @ self.q.float(), p.transpose(1, 2) @ g


@case
def attn_dkdv(data: Data, b: int = 1, h: int = 16, t: int = 2048, d: int = 64) -> Work:
    s = _Attention(data, b, h, t, d)
    dk, dv = data.empty(b * h, t, d), data.empty(b * h, t, d)

    def launch(k, BM, BN, **options):
        k.attn_dkdv_kernel[t // BN, b * h](
            s.q, s.k, s.v, s.do, s.lse, s.delta, dk, dv, t, s.scale, BM=BM, BN=BN, D=d, **options
        )

    return Work(
        "gradients", launch,
        [(dk, lambda: s.gradients()[1]), (dv, lambda: s.gradients()[2])],
        4.0 * b * h * t * t * d, "TFLOP/s", tolerance=2e-2,
        configs=[
            {"BM": m, "BN": n, "num_warps": w, "num_stages": g}
            for m, n, w, g in ((32, 128, 4, 3), (64, 128, 8, 2), (64, 64, 4, 3))
        ],
    )  # fmt: skip


@case
def attn_dq(data: Data, b: int = 1, h: int = 16, t: int = 2048, d: int = 64) -> Work:
    s = _Attention(data, b, h, t, d)
    dq = data.empty(b * h, t, d)

    def launch(k, BM, BN, **options):
        k.attn_dq_kernel[t // BM, b * h](
            s.q, s.k, s.v, s.do, s.lse, s.delta, dq, t, s.scale, BM=BM, BN=BN, D=d, **options
        )

    return Work(
        "gradients", launch, [(dq, lambda: s.gradients()[0])], 3.0 * b * h * t * t * d, "TFLOP/s",
        tolerance=2e-2,
        configs=[
            {"BM": m, "BN": n, "num_warps": w, "num_stages": g}
            for m, n, w, g in ((128, 32, 4, 3), (128, 64, 8, 2), (64, 64, 4, 3))
        ],
    )  # fmt: skip


@tilewright.jit
def embedding_grad_kernel(grad, ids, order, out, n, D, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Rows in the order of their ids are added up, and stored by atomics where an id ends."""
    first = tl.program_id(0) * ROWS
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < D
    acc = tl.zeros((BLOCK,), tl.float32)
    current = tl.load(ids + first)
    for i in range(first, min(first + ROWS, n)):
        id = tl.load(ids + i)
        if id != current:
            tl.atomic_add(out + current * D + cols, acc, mask=mask, sem="relaxed")
            acc = tl.zeros((BLOCK,), tl.float32)
            current = id
        row = tl.load(order + i)
        acc += tl.load(grad + row * D + cols, mask=mask, other=0.0).to(tl.float32)
    tl.atomic_add(out + current * D + cols, acc, mask=mask, sem="relaxed")


@case
def embedding_grad(data: Data, n: int = 32768, v: int = 8192, d: int = 512) -> Work:
    grad = data.randn(n, d)
    # Some tokens are frequent.
    tokens = data.make((n,), "int64", lambda torch: (data.rand(n) ** 3 * v).long())
    ids = data.make((n,), "int64", lambda torch: tokens.sort().values)
    order = data.make((n,), "int64", lambda torch: tokens.sort().indices)
    out = data.zeros(v, d)

    def launch(k, ROWS, BLOCK, **options):
        grid = (tilewright.cdiv(n, ROWS), tilewright.cdiv(d, BLOCK))
        k.embedding_grad_kernel[grid](
            grad, ids, order, out, n, d, ROWS=ROWS, BLOCK=BLOCK, **options
        )

    def expected():
        zeros = data.torch.zeros(v, d, device=grad.device)
        return zeros.index_add_(0, tokens, grad.float())

    return Work(
        "gradients", launch, [(out, expected)], count_bytes(grad), tolerance=1e-3,
        reset=lambda: out.zero_(),
        configs=[
            {"ROWS": r, "BLOCK": b, "num_warps": w}
            for r, b, w in ((16, 512, 4), (32, 256, 2), (16, 256, 1))
        ],
    )  # fmt: skip


@tilewright.jit
def linear_lse_kernel(x, w, targets, lse, picked, locks, B, V, D, BM: tl.constexpr,
                      BN: tl.constexpr, BK: tl.constexpr):  # fmt: skip
    """Logits that are never stored: their sums of powers meet under a lock a block of rows."""
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    rows = pid_m * BM + tl.arange(0, BM)
    cols = pid_n * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    x_ptrs = x + rows[:, None] * D + k[None, :]
    w_ptrs = w + cols[None, :] * D + k[:, None]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, tl.cdiv(D, BK)):
        left = tl.load(x_ptrs, mask=(rows < B)[:, None], other=0.0)
        right = tl.load(w_ptrs, mask=(cols < V)[None, :], other=0.0)
        acc = tl.dot(left, right, acc)
        x_ptrs += BK
        w_ptrs += BK
    acc = tl.where((cols < V)[None, :], acc, -float("inf"))
    target = tl.load(targets + rows, mask=rows < B, other=-1)
    hit = target[:, None] == cols[None, :]
    own = tl.sum(tl.where(hit, acc, 0.0), axis=1)
    here = (target >= pid_n * BN) & (target < pid_n * BN + BN)
    tl.store(picked + rows, own, mask=here & (rows < B))
    top = tl.max(acc, axis=1)
    mine = top + tl.log(tl.sum(tl.exp(acc - top[:, None]), axis=1))
    lock = locks + pid_m
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    before = tl.load(lse + rows, mask=rows < B, other=0.0, eviction_policy="evict_last")
    most = tl.maximum(before, mine)
    least = tl.minimum(before, mine)
    both = most + tl.log(1.0 + tl.exp(least - most))
    tl.store(lse + rows, both, mask=rows < B, eviction_policy="evict_last")
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@case
def linear_lse(data: Data, b: int = 2048, v: int = 16384, d: int = 1024) -> Work:
    x, w = data.randn(b, d, dtype="bfloat16"), data.randn(v, d, dtype="bfloat16", scale=d**-0.5)
    targets = data.randint(0, v, b)
    lse, picked = data.empty(b, dtype="float32"), data.empty(b, dtype="float32")
    locks = data.zeros(4096, dtype="int32")

    def launch(k, BM, BN, **options):
        k.linear_lse_kernel[tilewright.cdiv(b, BM), tilewright.cdiv(v, BN)](
            x, w, targets, lse, picked, locks, b, v, d, BM=BM, BN=BN, **options
        )

    def logits():
        return x.float() @ w.float().T

    def own():
        return logits().gather(1, targets.long()[:, None])[:, 0]

    def reset():
        lse.fill_(-float("inf"))

    return Work(
        "gradients", launch,
        [(lse, lambda: logits().logsumexp(1)), (picked, own)],
        2.0 * b * v * d, "TFLOP/s", tolerance=1e-2, reset=reset,
        configs=[
            {"BM": m, "BN": n, "BK": 64, "num_warps": w, "num_stages": 3}
            for m, n, w in ((128, 128, 4), (128, 256, 8), (128, 128, 8))
        ],
    )  # fmt: skip


@tilewright.jit
def layer_norm_bwd_kernel(x, w, mean, rstd, grad, dx, dw, db, M, N, ROWS, BLOCK: tl.constexpr):
    """Gradients of layer norm: each program has ROWS rows, and sums of its own for the weights."""
    pid = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    weight = tl.load(w + cols, mask=mask, other=0.0).to(tl.float32)
    sum_w = tl.zeros((BLOCK,), dtype=tl.float32)
    sum_b = tl.zeros((BLOCK,), dtype=tl.float32)
    for row in range(pid * ROWS, tl.minimum((pid + 1) * ROWS, M)):
        value = tl.load(x + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        g = tl.load(grad + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        scale = tl.load(rstd + row)
        normal = (value - tl.load(mean + row)) * scale
        weighted = weight * g
        c1 = tl.sum(normal * weighted, axis=0) / N
        c2 = tl.sum(weighted, axis=0) / N
        tl.store(dx + row * N + cols, (weighted - (normal * c1 + c2)) * scale, mask=mask)
        sum_w += g * normal
        sum_b += g
    tl.store(dw + pid * N + cols, sum_w, mask=mask)
    tl.store(db + pid * N + cols, sum_b, mask=mask)


@case
def layer_norm_bwd(data: Data, m: int = 8192, n: int = 4096, programs: int = 132) -> Work:
    x, grad = data.randn(m, n, dtype="bfloat16"), data.randn(m, n, dtype="bfloat16")
    w, dx = data.randn(n, dtype="bfloat16"), data.empty(m, n, dtype="bfloat16")
    rows = tilewright.cdiv(m, programs)
    mean = data.make((m,), "float32", lambda torch: x.float().mean(1))
    rstd = data.make((m,), "float32", lambda torch: (x.float().var(1, correction=0) + 1e-5).rsqrt())
    dw, db = (data.empty(programs, n, dtype="float32") for _ in range(2))

    def launch(k, **options):
        k.layer_norm_bwd_kernel[(programs,)](
            x, w, mean, rstd, grad, dx, dw, db, m, n, rows, BLOCK=tilewright.next_power_of_2(n),
            **options,
        )  # fmt: skip

    def normal():
        return (x.float() - mean[:, None]) * rstd[:, None]

    def right_x():
        weighted = w.float() * grad.float()
        c1 = (normal() * weighted).mean(1, keepdim=True)
        return (weighted - normal() * c1 - weighted.mean(1, keepdim=True)) * rstd[:, None]

    def parts(values):
        pad = data.torch.nn.functional.pad(values, (0, 0, 0, programs * rows - m))
        return pad.view(programs, rows, n).sum(1)

    return Work(
        "gradients", launch,
        [(dx, right_x), (dw, lambda: parts(grad.float() * normal())),
         (db, lambda: parts(grad.float()))],
        count_bytes(x, grad, dx), tolerance=1e-2,
        configs=({"num_warps": 8}, {"num_warps": 16}, {"num_warps": 4}),
    )  # fmt: skip
