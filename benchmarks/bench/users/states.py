"""State space models and linear attention by chunks, forward and backward, and their pieces."""

from __future__ import annotations

import tilewright
import tilewright.language as tl
from bench.users.case import Data, case
from bench.work import Work, count_bytes


@tilewright.jit
def softplus(x):
    return tl.where(x <= 20.0, tl.log(1.0 + tl.exp(x)), x)


@tilewright.jit
def ssd_cumsum_kernel(dt, a, bias, dt_out, cumulative, T, H, dt_min, dt_max, SOFTPLUS: tl.constexpr,
                      BH: tl.constexpr, CHUNK: tl.constexpr):  # fmt: skip
    """Steps of a chunk, and the sums so far of what decays, by heads."""
    chunk = tl.program_id(0)
    heads = tl.program_id(1) * BH + tl.arange(0, BH)
    t = chunk * CHUNK + tl.arange(0, CHUNK)
    mask = (heads < H)[:, None] & (t < T)[None, :]
    step = tl.load(dt + t[None, :] * H + heads[:, None], mask=mask, other=0.0).to(tl.float32)
    step += tl.load(bias + heads, mask=heads < H, other=0.0).to(tl.float32)[:, None]
    if SOFTPLUS:
        step = softplus(step)
    step = tl.minimum(tl.maximum(step, dt_min), dt_max)
    step = tl.where(mask, step, 0.0)
    decay = tl.load(a + heads, mask=heads < H, other=0.0)
    place = heads[:, None] * T + t[None, :]
    tl.store(dt_out + place, step, mask=mask)
    tl.store(cumulative + place, tl.cumsum(step * decay[:, None], axis=1), mask=mask)


@case
def ssd_cumsum(data: Data, t: int = 32768, h: int = 128, chunk: int = 256) -> Work:
    dt, bias = data.randn(t, h, dtype="bfloat16"), data.randn(h, dtype="float32")
    a = data.make((h,), "float32", lambda torch: -torch.linspace(0.5, 2, h))
    step, sums = data.empty(h, t, dtype="float32"), data.empty(h, t, dtype="float32")

    def launch(k, BH, **options):
        grid = (tilewright.cdiv(t, chunk), tilewright.cdiv(h, BH))
        k.ssd_cumsum_kernel[grid](
            dt, a, bias, step, sums, t, h, 0.0, 1e9, SOFTPLUS=True, BH=BH, CHUNK=chunk, **options
        )

    def right_step():
        return data.torch.nn.functional.softplus(dt.float() + bias).T

    def right_sums():
        return (right_step() * a[:, None]).reshape(h, -1, chunk).cumsum(2).reshape(h, t)

    return Work(
        "states", launch, [(step, right_step), (sums, right_sums)], count_bytes(dt, step, sums),
        tolerance=1e-4, configs=[{"BH": b, "num_warps": 4} for b in (4, 8, 16)],
    )  # fmt: skip


@tilewright.jit
def ssd_state_kernel(x, b, dt, cumulative, states, T, H, P, N, CHUNK: tl.constexpr,
                     BP: tl.constexpr, BN: tl.constexpr, BT: tl.constexpr):  # fmt: skip
    """What a chunk adds to the state: x.T @ (b * weights), weights by how far the end is."""
    tiles_n = tl.cdiv(N, BN)
    p = (tl.program_id(0) // tiles_n) * BP + tl.arange(0, BP)
    n = (tl.program_id(0) % tiles_n) * BN + tl.arange(0, BN)
    chunk = tl.program_id(1)
    head = tl.program_id(2)
    first = chunk * CHUNK
    last = tl.load(cumulative + head * T + tl.minimum(first + CHUNK, T) - 1)
    t = tl.arange(0, BT)
    x_ptrs = x + (first + t)[None, :] * (H * P) + head * P + p[:, None]
    b_ptrs = b + (first + t)[:, None] * N + n[None, :]
    dt_ptrs = dt + head * T + first + t
    sum_ptrs = cumulative + head * T + first + t
    acc = tl.zeros((BP, BN), dtype=tl.float32)
    rest = tl.minimum(CHUNK, T - first)
    for begin in range(0, rest, BT):
        inside = t < rest - begin
        xs = tl.load(x_ptrs, mask=(p < P)[:, None] & inside[None, :], other=0.0)
        bs = tl.load(b_ptrs, mask=inside[:, None] & (n < N)[None, :], other=0.0).to(tl.float32)
        weight = tl.exp(last - tl.load(sum_ptrs, mask=inside, other=0.0))
        bs *= (weight * tl.load(dt_ptrs, mask=inside, other=0.0))[:, None]
        acc += tl.dot(xs, bs.to(xs.dtype))
        x_ptrs += BT * H * P
        b_ptrs += BT * N
        dt_ptrs += BT
        sum_ptrs += BT
    place = states + ((chunk * H + head) * P + p)[:, None] * N + n[None, :]
    tl.store(place, acc, mask=(p < P)[:, None] & (n < N)[None, :])


def _decays(data, h, t, chunk):
    def values(torch):
        steps = torch.rand(h, t, generator=torch.Generator().manual_seed(0)) * 0.02
        return -steps.view(h, -1, chunk).cumsum(2).view(h, t)

    return data.make((h, t), "float32", values)


@case
def ssd_state(data: Data, t: int = 8192, h: int = 32, p: int = 64, n: int = 128) -> Work:
    chunk = 256
    x, b = data.randn(t, h, p, dtype="bfloat16"), data.randn(t, n, dtype="bfloat16")
    dt, sums = data.rand(h, t), _decays(data, h, t, chunk)
    states = data.empty(t // chunk, h, p, n, dtype="float32")

    def launch(k, BP, BN, **options):
        grid = (tilewright.cdiv(p, BP) * tilewright.cdiv(n, BN), t // chunk, h)
        k.ssd_state_kernel[grid](
            x, b, dt, sums, states, t, h, p, n, CHUNK=chunk, BP=BP, BN=BN, **options
        )

    def expected():
        torch = data.torch
        c = t // chunk
        s = sums.view(h, c, chunk)
        weight = torch.exp(s[:, :, -1:] - s) * dt.view(h, c, chunk)
        scaled = torch.einsum("hct,ctn->chtn", weight, b.float().view(c, chunk, n))
        return torch.einsum("cthp,chtn->chpn", x.float().view(c, chunk, h, p), scaled)

    configs = [
        {"BP": a, "BN": c, "BT": d, "num_warps": 4, "num_stages": s}
        for a, c, d, s in ((64, 128, 32, 3), (64, 64, 64, 3), (64, 128, 64, 2))
    ]
    return Work(
        "states", launch, [(states, expected)], 2.0 * t * h * p * n, "TFLOP/s", tolerance=2e-2,
        configs=configs,
    )  # fmt: skip


@tilewright.jit
def state_passing_kernel(states, cumulative, out, final, T, H, D, chunks, CHUNK: tl.constexpr,
                         BLOCK: tl.constexpr):  # fmt: skip
    """The state in front of each chunk, one after the other."""
    head = tl.program_id(1)
    d = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = d < D
    state_ptrs = states + head * D + d
    out_ptrs = out + head * D + d
    decay_ptr = cumulative + head * T + CHUNK - 1
    state = tl.zeros((BLOCK,), dtype=tl.float32)
    tl.store(out_ptrs, state, mask=mask)
    out_ptrs += H * D
    for c in range(chunks):
        new = tl.load(state_ptrs, mask=mask, other=0.0).to(tl.float32)
        state = tl.exp(tl.load(decay_ptr)) * state + new
        if c < chunks - 1:
            tl.store(out_ptrs, state, mask=mask)
        else:
            tl.store(final + head * D + d, state, mask=mask)
        state_ptrs += H * D
        out_ptrs += H * D
        decay_ptr += CHUNK


@case
def state_passing(data: Data, t: int = 16384, h: int = 64, d: int = 8192) -> Work:
    chunk = 256
    chunks = t // chunk
    states, sums = data.randn(chunks, h, d, dtype="float32"), _decays(data, h, t, chunk)
    out, final = data.empty(chunks, h, d, dtype="float32"), data.empty(h, d, dtype="float32")

    def launch(k, BLOCK, **options):
        grid = (tilewright.cdiv(d, BLOCK), h)
        k.state_passing_kernel[grid](
            states, sums, out, final, t, h, d, chunks, CHUNK=chunk, BLOCK=BLOCK, **options
        )

    def both():
        torch = data.torch
        state, before = torch.zeros(h, d, device=states.device), []
        for c in range(chunks):
            before.append(state)
            state = torch.exp(sums[:, (c + 1) * chunk - 1])[:, None] * state + states[c]
        return torch.stack(before), state

    return Work(
        "states", launch, [(out, lambda: both()[0]), (final, lambda: both()[1])],
        count_bytes(states, out), tolerance=1e-4,
        configs=[{"BLOCK": b, "num_warps": w} for b, w in ((256, 2), (512, 4), (1024, 4))],
    )  # fmt: skip


@tilewright.jit
def chunk_delta_h_kernel(k, v, w, g, h, v_new, T, H: tl.constexpr, K: tl.constexpr,
                         V: tl.constexpr, BT: tl.constexpr, BV: tl.constexpr):  # fmt: skip
    """States of the gated delta rule in front of each chunk, by pointers of blocks."""
    i_v = tl.program_id(0)
    i_h = tl.program_id(1)
    chunks = tl.cdiv(T, BT)
    k += i_h * K
    w += i_h * K
    v += i_h * V
    v_new += i_h * V
    h += i_h * K * V
    b_h = tl.zeros([K, BV], dtype=tl.float32)
    for i_t in range(chunks):
        p_h = tl.make_block_ptr(h + i_t * H * K * V, (K, V), (V, 1), (0, i_v * BV), (K, BV), (1, 0))
        tl.store(p_h, b_h.to(p_h.dtype.element_ty), boundary_check=(0, 1))
        p_w = tl.make_block_ptr(w, (T, K), (H * K, 1), (i_t * BT, 0), (BT, K), (1, 0))
        p_v = tl.make_block_ptr(v, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        b_w = tl.load(p_w, boundary_check=(0, 1))
        b_v = -tl.dot(b_w, b_h.to(b_w.dtype))
        b_v += tl.load(p_v, boundary_check=(0, 1)).to(tl.float32)
        p_n = tl.make_block_ptr(v_new, (T, V), (H * V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        tl.store(p_n, b_v.to(p_n.dtype.element_ty), boundary_check=(0, 1))
        last = tl.minimum((i_t + 1) * BT, T) - 1
        g_last = tl.load(g + last * H + i_h)
        p_g = tl.make_block_ptr(g + i_h, (T,), (H,), (i_t * BT,), (BT,), (0,))
        b_g = tl.load(p_g, boundary_check=(0,))
        inside = (i_t * BT + tl.arange(0, BT)) < T
        b_v = b_v * tl.where(inside, tl.exp(g_last - b_g), 0.0)[:, None]
        b_h *= tl.exp(g_last)
        p_k = tl.make_block_ptr(k, (K, T), (1, H * K), (0, i_t * BT), (K, BT), (0, 1))
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_h += tl.dot(b_k, b_v.to(b_k.dtype))


@case
def chunk_delta_h(data: Data, t: int = 4096, heads: int = 16, d: int = 128) -> Work:
    chunk, chunks = 64, t // 64
    k = data.randn(t, heads, d, dtype="bfloat16", scale=d**-0.5)
    w = data.randn(t, heads, d, dtype="bfloat16", scale=0.3 * d**-0.5)
    v = data.randn(t, heads, d, dtype="bfloat16")

    def decays(torch):
        steps = torch.rand(chunks, chunk, heads, generator=torch.Generator().manual_seed(0))
        return -(steps * 0.05).cumsum(1).reshape(t, heads)

    g = data.make((t, heads), "float32", decays)
    h = data.empty(chunks, heads, d, d, dtype="bfloat16")
    v_new = data.empty(t, heads, d, dtype="bfloat16")

    def launch(kernels, BV, **options):
        kernels.chunk_delta_h_kernel[tilewright.cdiv(d, BV), heads](
            k, v, w, g, h, v_new, t, H=heads, K=d, V=d, BT=chunk, BV=BV, **options
        )

    def both():
        torch = data.torch
        state = torch.zeros(heads, d, d, device=k.device)
        states, news = [], []
        for c in range(chunks):
            at = slice(c * chunk, (c + 1) * chunk)
            states.append(state)
            rounded = state.bfloat16().float()
            new = v[at].float() - torch.einsum("thk,hkv->thv", w[at].float(), rounded)
            news.append(new)
            decay = torch.exp(g[at][-1:] - g[at])
            scaled = (new * decay[:, :, None]).bfloat16().float()
            state = state * torch.exp(g[at][-1])[:, None, None]
            state = state + torch.einsum("thk,thv->hkv", k[at].float(), scaled)
        return torch.stack(states), torch.cat(news)

    return Work(
        "states", launch, [(h, lambda: both()[0]), (v_new, lambda: both()[1])],
        4.0 * t * heads * d * d, "TFLOP/s", tolerance=3e-2,
        configs=[
            {"BV": b, "num_warps": w, "num_stages": s}
            for b, w, s in ((32, 4, 2), (64, 4, 2), (32, 2, 3), (16, 4, 2))
        ],
    )  # fmt: skip


@tilewright.jit
def solve_tril_kernel(a, out, T, H: tl.constexpr, BT: tl.constexpr):
    """(I + A) ** -1 of blocks of 16 below the diagonal, row by row."""
    i_t = tl.program_id(0)
    i_h = tl.program_id(1)
    a += i_h * BT
    out += i_h * 16
    start = i_t * 16
    offset = start % BT
    p_a = tl.make_block_ptr(a, (T, BT), (H * BT, 1), (start, offset), (16, 16), (1, 0))
    b = tl.load(p_a, boundary_check=(0, 1)).to(tl.float32)
    i = tl.arange(0, 16)
    lower = i[:, None] > i[None, :]
    b = -tl.where(lower, b, 0.0)
    for row in range(2, min(16, T - start)):
        line = -tl.load(a + (start + row) * H * BT + i + offset).to(tl.float32)
        line = tl.where(i < row, line, 0.0)
        line = line + tl.sum(line[:, None] * b, axis=0)
        b = tl.where((i == row)[:, None], line, b)
    b += i[:, None] == i[None, :]
    p_o = tl.make_block_ptr(out, (T, 16), (H * 16, 1), (start, 0), (16, 16), (1, 0))
    tl.store(p_o, b.to(p_o.dtype.element_ty), boundary_check=(0, 1))


@case
def solve_tril(data: Data, t: int = 16384, heads: int = 16, chunk: int = 64) -> Work:
    a = data.randn(t, heads, chunk, dtype="float32", scale=0.2)
    out = data.empty(t, heads, 16, dtype="float32")

    def launch(k, **options):
        k.solve_tril_kernel[tilewright.cdiv(t, 16), heads](a, out, t, H=heads, BT=chunk, **options)

    def expected():
        torch = data.torch
        blocks = a.view(t // chunk, chunk // 16, 16, heads, chunk // 16, 16)
        own = torch.stack([blocks[:, i, :, :, i] for i in range(chunk // 16)], 1)
        own = own.permute(0, 1, 3, 2, 4).double().tril(-1)
        inverse = torch.linalg.inv(own + torch.eye(16, device=a.device, dtype=own.dtype))
        return inverse.permute(0, 1, 3, 2, 4).reshape(t, heads, 16)

    return Work(
        "states", launch, [(out, expected)], count_bytes(a) / 4 + count_bytes(out), tolerance=1e-3,
        configs=[{"num_warps": 1}, {"num_warps": 2}, {"num_warps": 4}],
    )  # fmt: skip


@tilewright.jit
def linear_pair(a, x, b, y):
    return a * b, x * b + y


@tilewright.jit
def rg_lru_bwd_kernel(a, h, grad, da, dx, T, D, BT: tl.constexpr, BD: tl.constexpr):
    """Gradients of h = a * h + x, from the end of a sequence, by scans of blocks."""
    d = tl.program_id(0) * BD + tl.arange(0, BD)
    batch = tl.program_id(1)
    base = batch * T * D + d[None, :]
    carry = tl.zeros((BD,), dtype=tl.float32)
    for block in range(tl.cdiv(T, BT)):
        t = T - (block + 1) * BT + tl.arange(0, BT)
        inside = (t >= 0)[:, None] & (d < D)[None, :]
        place = base + t[:, None] * D
        after = tl.load(a + place + D, mask=inside & (t < T - 1)[:, None], other=0.0)
        g = tl.load(grad + place, mask=inside, other=0.0)
        factor, part = tl.associative_scan((after, g), 0, linear_pair, reverse=True)
        total = factor * carry[None, :] + part
        before = tl.load(h + place - D, mask=inside & (t > 0)[:, None], other=0.0)
        tl.store(dx + place, total, mask=inside)
        tl.store(da + place, total * before, mask=inside)
        carry = tl.sum(tl.where((tl.arange(0, BT) == 0)[:, None], total, 0.0), axis=0)


@case
def rg_lru_bwd(data: Data, b: int = 8, t: int = 2048, d: int = 1024) -> Work:
    a = data.make((b, t, d), "float32", lambda torch: 0.5 + 0.5 * data.rand(b, t, d))
    h, grad = (data.randn(b, t, d, dtype="float32") for _ in range(2))
    da, dx = (data.empty(b, t, d, dtype="float32") for _ in range(2))

    def launch(k, BD, **options):
        k.rg_lru_bwd_kernel[tilewright.cdiv(d, BD), b](a, h, grad, da, dx, t, d, BD=BD, **options)

    def right():
        torch = data.torch
        carry, parts = torch.zeros(b, d, device=a.device), []
        for step in reversed(range(t)):
            carry = grad[:, step] + (a[:, step + 1] * carry if step + 1 < t else 0)
            parts.append(carry)
        return torch.stack(parts[::-1], 1)

    def right_a():
        torch = data.torch
        before = torch.cat((torch.zeros_like(h[:, :1]), h[:, :-1]), 1)
        return right() * before

    return Work(
        "states", launch, [(dx, right), (da, right_a)], count_bytes(a, h, grad, da, dx),
        tolerance=1e-3,
        configs=[
            {"BT": t, "BD": c, "num_warps": w} for t, c, w in ((64, 32, 4), (32, 32, 2), (64, 8, 1))
        ],
    )  # fmt: skip
