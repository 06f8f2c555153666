"""Norms of rows, groups and channels, with what is fused with them, and their gradients."""

from __future__ import annotations

import tilewright
import tilewright.language as tl
from bench.users.case import Data, case
from bench.work import Work, count_bytes

ROWS = ({"num_warps": 4}, {"num_warps": 8}, {"num_warps": 16})


def _blocks(name, *pairs):
    return [{name: block, "num_warps": warps} for block, warps in pairs]


@tilewright.jit
def fused_add_rms_kernel(x, residual, weight, N, eps, BLOCK: tl.constexpr):
    """residual += x; x = norm(residual), both in place."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x_ptrs = x + row * N + cols
    r_ptrs = residual + row * N + cols
    value = tl.load(x_ptrs, mask=mask, other=0.0).to(tl.float32)
    value += tl.load(r_ptrs, mask=mask, other=0.0).to(tl.float32)
    tl.store(r_ptrs, value.to(residual.dtype.element_ty), mask=mask)
    rstd = tl.rsqrt(tl.sum(value * value, axis=0) / N + eps)
    w = tl.load(weight + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(x_ptrs, (value * rstd * w).to(x.dtype.element_ty), mask=mask)


@case
def fused_add_rms(data: Data, rows: int = 16384, n: int = 4096) -> Work:
    start, first, weight = data.randn(rows, n), data.randn(rows, n), data.randn(n)
    x, residual = data.empty(rows, n), data.empty(rows, n)

    def launch(k, **options):
        k.fused_add_rms_kernel[(rows,)](x, residual, weight, n, 1e-6, BLOCK=n, **options)

    def reset():
        x.copy_(start)
        residual.copy_(first)

    def right():
        total = start.float() + first.float()
        return total * (total.square().mean(1, keepdim=True) + 1e-6).rsqrt() * weight.float()

    return Work(
        "norms", launch, [(residual, lambda: start.float() + first.float()), (x, right)],
        2 * count_bytes(x, residual), tolerance=2e-3, configs=ROWS, reset=reset,
    )  # fmt: skip


@tilewright.jit
def welford_norm_kernel(x, weight, bias, out, N, eps, BLOCK: tl.constexpr):
    """Layer norm whose statistics are gathered block by block."""
    row = tl.program_id(0).to(tl.int64)
    mean = 0.0
    m2 = 0.0
    count = 0.0
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        value = tl.load(x + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        size = tl.minimum(N - start, BLOCK).to(tl.float32)
        block_mean = tl.sum(value, axis=0) / size
        diff = tl.where(mask, value - block_mean, 0.0)
        block_m2 = tl.sum(diff * diff, axis=0)
        delta = block_mean - mean
        total = count + size
        mean += delta * size / total
        m2 += block_m2 + delta * delta * count * size / total
        count = total
    rstd = tl.rsqrt(m2 / N + eps)
    for start in range(0, N, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < N
        value = tl.load(x + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(weight + cols, mask=mask, other=0.0).to(tl.float32)
        b = tl.load(bias + cols, mask=mask, other=0.0).to(tl.float32)
        result = (value - mean) * rstd * w + b
        tl.store(out + row * N + cols, result.to(out.dtype.element_ty), mask=mask)


@case
def welford_norm(data: Data, rows: int = 8192, n: int = 8192) -> Work:
    x, weight, bias = data.randn(rows, n), data.randn(n), data.randn(n)
    out = data.empty(rows, n)

    def launch(k, **options):
        k.welford_norm_kernel[(rows,)](x, weight, bias, out, n, 1e-5, **options)

    def expected():
        norm = data.torch.nn.functional.layer_norm
        return norm(x.float(), (n,), weight.float(), bias.float(), 1e-5)

    return Work(
        "norms", launch, [(out, expected)], count_bytes(x, out), tolerance=2e-3,
        configs=_blocks("BLOCK", (1024, 4), (2048, 8), (4096, 8)),
    )  # fmt: skip


@tilewright.jit
def group_norm_kernel(x, weight, bias, out, C, HW, GROUP_SIZE, eps, BLOCK: tl.constexpr):
    """A program a group of an image, followed by SiLU."""
    pid = tl.program_id(0)
    groups = C // GROUP_SIZE
    group = pid % groups
    size = GROUP_SIZE * HW
    base = x + pid.to(tl.int64) * size
    total = tl.zeros((BLOCK,), tl.float32)
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, size, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        value = tl.load(base + offs, mask=offs < size, other=0.0).to(tl.float32)
        total += value
        squares += value * value
    mean = tl.sum(total, axis=0) / size
    variance = tl.sum(squares, axis=0) / size - mean * mean
    rstd = 1.0 / tl.sqrt(variance + eps)
    for start in range(0, size, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        mask = offs < size
        channel = group * GROUP_SIZE + offs // HW
        value = tl.load(base + offs, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(weight + channel, mask=mask, other=0.0).to(tl.float32)
        b = tl.load(bias + channel, mask=mask, other=0.0).to(tl.float32)
        value = (value - mean) * rstd * w + b
        value = value * tl.sigmoid(value)
        place = out + pid.to(tl.int64) * size + offs
        tl.store(place, value.to(out.dtype.element_ty), mask=mask)


@case
def group_norm(data: Data, n: int = 16, c: int = 256, size: int = 64) -> Work:
    x, weight, bias = data.randn(n, c, size, size), data.randn(c), data.randn(c)
    out = data.empty(n, c, size, size)

    def launch(k, **options):
        k.group_norm_kernel[(n * 32,)](
            x, weight, bias, out, c, size * size, c // 32, 1e-5, **options
        )

    def expected():
        functional = data.torch.nn.functional
        normal = functional.group_norm(x.float(), 32, weight.float(), bias.float(), 1e-5)
        return functional.silu(normal)

    return Work(
        "norms", launch, [(out, expected)], count_bytes(x, out), tolerance=2e-3,
        configs=_blocks("BLOCK", (1024, 4), (2048, 8), (4096, 16)),
    )  # fmt: skip


@tilewright.jit
def l2norm_kernel(x, out, rows, N: tl.constexpr, eps, BM: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.arange(0, N)
    mask = (r < rows)[:, None]
    place = r[:, None] * N + cols[None, :]
    value = tl.load(x + place, mask=mask, other=0.0).to(tl.float32)
    rstd = 1 / tl.sqrt(tl.sum(value * value, axis=1) + eps)
    tl.store(out + place, (value * rstd[:, None]).to(out.dtype.element_ty), mask=mask)


@case
def l2norm(data: Data, rows: int = 262144, n: int = 64) -> Work:
    x, out = data.randn(rows, n, dtype="bfloat16"), data.empty(rows, n, dtype="bfloat16")

    def launch(k, BM, **options):
        k.l2norm_kernel[(tilewright.cdiv(rows, BM),)](x, out, rows, n, 1e-6, BM=BM, **options)

    def expected():
        return x.float() * (x.float().square().sum(1, keepdim=True) + 1e-6).rsqrt()

    return Work(
        "norms", launch, [(out, expected)], count_bytes(x, out), tolerance=1e-2,
        configs=_blocks("BM", (16, 4), (32, 4), (64, 4)),
    )  # fmt: skip


@tilewright.jit
def gated_norm_kernel(x, z, weight, out, rstd, N, eps, GATE_FIRST: tl.constexpr,
                      BLOCK: tl.constexpr):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    value = tl.load(x + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    gate = tl.load(z + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    if GATE_FIRST:
        value *= gate * tl.sigmoid(gate)
    inverse = 1 / tl.sqrt(tl.sum(value * value, axis=0) / N + eps)
    tl.store(rstd + row, inverse)
    w = tl.load(weight + cols, mask=mask).to(tl.float32)
    value = value * inverse * w
    if not GATE_FIRST:
        value *= gate * tl.sigmoid(gate)
    tl.store(out + row * N + cols, value.to(out.dtype.element_ty), mask=mask)


@case
def gated_norm(data: Data, rows: int = 16384, n: int = 4096) -> Work:
    x, z = (data.randn(rows, n, dtype="bfloat16") for _ in range(2))
    weight, out = data.randn(n, dtype="bfloat16"), data.empty(rows, n, dtype="bfloat16")
    rstd = data.empty(rows, dtype="float32")

    def launch(k, **options):
        k.gated_norm_kernel[(rows,)](
            x, z, weight, out, rstd, n, 1e-5, GATE_FIRST=False, BLOCK=n, **options
        )

    def expected():
        value = x.float()
        value = value * (value.square().mean(1, keepdim=True) + 1e-5).rsqrt() * weight.float()
        return value * data.torch.nn.functional.silu(z.float())

    return Work(
        "norms", launch, [(out, expected)], count_bytes(x, z, out), tolerance=1e-2, configs=ROWS
    )


@tilewright.jit
def qk_norm_rope_kernel(qkv, q_weight, k_weight, cos, sin, out, HEADS, KV_HEADS, eps,
                        D: tl.constexpr):  # fmt: skip
    """RMS norm of each head of queries and keys, then their rotation."""
    token = tl.program_id(0)
    head = tl.program_id(1)
    stride = (HEADS + 2 * KV_HEADS) * D
    half = tl.arange(0, D // 2)
    base = qkv + token.to(tl.int64) * stride + head * D
    low = tl.load(base + half).to(tl.float32)
    high = tl.load(base + D // 2 + half).to(tl.float32)
    square = tl.sum(low * low, axis=0) + tl.sum(high * high, axis=0)
    rstd = tl.rsqrt(square / D + eps)
    if head < HEADS:
        weight = q_weight
    else:
        weight = k_weight
    low = low * rstd * tl.load(weight + half).to(tl.float32)
    high = high * rstd * tl.load(weight + D // 2 + half).to(tl.float32)
    c = tl.load(cos + token * (D // 2) + half)
    s = tl.load(sin + token * (D // 2) + half)
    place = out + (token.to(tl.int64) * (HEADS + KV_HEADS) + head) * D
    tl.store(place + half, (low * c - high * s).to(out.dtype.element_ty))
    tl.store(place + D // 2 + half, (high * c + low * s).to(out.dtype.element_ty))


@case
def qk_norm_rope(data: Data, tokens: int = 4096, heads: int = 32, kv_heads: int = 8) -> Work:
    d = 128
    qkv = data.randn(tokens, heads + 2 * kv_heads, d, dtype="bfloat16")
    q_weight, k_weight = (data.randn(d, dtype="bfloat16") for _ in range(2))
    cos, sin = (data.rand(tokens, d // 2) for _ in range(2))
    out = data.empty(tokens, heads + kv_heads, d, dtype="bfloat16")

    def launch(k, **options):
        k.qk_norm_rope_kernel[tokens, heads + kv_heads](
            qkv, q_weight, k_weight, cos, sin, out, heads, kv_heads, 1e-6, D=d, **options
        )

    def expected():
        torch = data.torch
        value = qkv[:, : heads + kv_heads].float()
        value = value * (value.square().mean(-1, keepdim=True) + 1e-6).rsqrt()
        value[:, :heads] *= q_weight.float()
        value[:, heads:] *= k_weight.float()
        low, high = value[..., : d // 2], value[..., d // 2 :]
        c, s = cos[:, None], sin[:, None]
        return torch.cat((low * c - high * s, high * c + low * s), -1)

    return Work(
        "norms", launch, [(out, expected)], 2 * count_bytes(out), tolerance=1e-2,
        configs=({"num_warps": 1}, {"num_warps": 2}, {"num_warps": 4}),
    )  # fmt: skip


@tilewright.jit
def rms_bwd_kernel(grad, x, weight, rstd, dx, dw, M, N, ROWS_EACH, BLOCK: tl.constexpr):
    """Each program has several rows, and a row of parts of the weights' gradients."""
    pid = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    w = tl.load(weight + cols, mask=mask, other=0.0).to(tl.float32)
    acc = tl.zeros((BLOCK,), tl.float32)
    for row in range(pid * ROWS_EACH, min((pid + 1) * ROWS_EACH, M)):
        g = tl.load(grad + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        value = tl.load(x + row * N + cols, mask=mask, other=0.0).to(tl.float32)
        inverse = tl.load(rstd + row)
        normal = value * inverse
        scaled = g * w
        dot = tl.sum(scaled * normal, axis=0) / N
        acc += g * normal
        result = (scaled - normal * dot) * inverse
        tl.store(dx + row * N + cols, result.to(dx.dtype.element_ty), mask=mask)
    tl.store(dw + pid * N + cols, acc, mask=mask)


@case
def rms_bwd(data: Data, rows: int = 8192, n: int = 4096) -> Work:
    programs = 264
    each = -(-rows // programs)
    grad, x, weight = data.randn(rows, n), data.randn(rows, n), data.randn(n)
    rstd = data.make((rows,), "float32", lambda torch: (x.float().square().mean(1) + 1e-6).rsqrt())
    dx, dw = data.empty(rows, n), data.empty(programs, n, dtype="float32")

    def launch(k, **options):
        k.rms_bwd_kernel[(programs,)](
            grad, x, weight, rstd, dx, dw, rows, n, each, BLOCK=n, **options
        )

    def right_dx():
        normal = x.float() * rstd[:, None]
        scaled = grad.float() * weight.float()
        return (scaled - normal * (scaled * normal).mean(1, keepdim=True)) * rstd[:, None]

    def right_dw():
        torch = data.torch
        parts = grad.float() * x.float() * rstd[:, None]
        padded = torch.nn.functional.pad(parts, (0, 0, 0, programs * each - rows))
        return padded.view(programs, each, n).sum(1)

    return Work(
        "norms", launch, [(dx, right_dx), (dw, right_dw)], count_bytes(grad, x, dx),
        tolerance=2e-3, configs=ROWS,
    )  # fmt: skip


@tilewright.jit
def ln_bwd_lock_kernel(grad, x, weight, mean, rstd, dx, dw, db, locks, N, LOCKS: tl.constexpr,
                       BLOCK: tl.constexpr):  # fmt: skip
    """The tutorial's way: parts of the weights' gradients in buffers that locks guard."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    value = tl.load(x + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    g = tl.load(grad + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(weight + cols, mask=mask).to(tl.float32)
    average = tl.load(mean + row)
    inverse = tl.load(rstd + row)
    normal = tl.where(mask, (value - average) * inverse, 0.0)
    scaled = tl.where(mask, g * w, 0.0)
    c1 = tl.sum(normal * scaled, axis=0) / N
    c2 = tl.sum(scaled, axis=0) / N
    result = (scaled - (normal * c1 + c2)) * inverse
    tl.store(dx + row * N + cols, result, mask=mask)
    part_w = (g * normal).to(w.dtype)
    part_b = g.to(w.dtype)
    lock_id = row % LOCKS
    locks += lock_id
    count = locks + LOCKS
    dw_ptrs = dw + lock_id * N + cols
    db_ptrs = db + lock_id * N + cols
    while tl.atomic_cas(locks, 0, 1) == 1:
        pass
    if tl.load(count) == 0:
        tl.atomic_xchg(count, 1)
    else:
        part_w += tl.load(dw_ptrs, mask=mask)
        part_b += tl.load(db_ptrs, mask=mask)
    tl.store(dw_ptrs, part_w, mask=mask)
    tl.store(db_ptrs, part_b, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(locks, 0)


@case
def ln_bwd_lock(data: Data, rows: int = 4096, n: int = 2048) -> Work:
    count = 96
    grad, x, weight = data.randn(rows, n), data.randn(rows, n), data.randn(n)
    mean = data.make((rows,), "float32", lambda torch: x.float().mean(1))
    rstd = data.make(
        (rows,), "float32", lambda torch: (x.float().var(1, correction=0) + 1e-5).rsqrt()
    )
    dx = data.empty(rows, n)
    dw, db = (data.empty(count, n, dtype="float32") for _ in range(2))
    locks = data.zeros(2 * count, dtype="int32")

    def launch(k, **options):
        # Without a reset of the counts, which is the second kernel's: later launches add up.
        k.ln_bwd_lock_kernel[(rows,)](
            grad, x, weight, mean, rstd, dx, dw, db, locks, n, LOCKS=count, BLOCK=n, **options
        )

    def normal():
        return (x.float() - mean[:, None]) * rstd[:, None]

    def right_dx():
        scaled = grad.float() * weight.float()
        c1 = (scaled * normal()).mean(1, keepdim=True)
        return (scaled - normal() * c1 - scaled.mean(1, keepdim=True)) * rstd[:, None]

    def sums(values):
        torch = data.torch
        owner = torch.arange(rows, device=x.device) % count
        return torch.zeros(count, n, device=x.device).index_add_(0, owner, values)

    return Work(
        "norms", launch,
        [
            (dx, right_dx),
            (dw, lambda: sums(grad.float() * normal())),
            (db, lambda: sums(grad.float())),
        ],
        count_bytes(grad, x, dx), tolerance=4e-3, configs=ROWS[:2], reset=lambda: locks.zero_(),
    )  # fmt: skip


@tilewright.jit
def batch_norm_stats_kernel(x, mean, var, N, C, HW, BLOCK: tl.constexpr):
    channel = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    squares = tl.zeros((BLOCK,), tl.float32)
    for n in range(N):
        base = x + (n * C + channel) * HW
        for start in range(0, HW, BLOCK):
            offs = start + tl.arange(0, BLOCK)
            value = tl.load(base + offs, mask=offs < HW, other=0.0).to(tl.float32)
            total += value
            squares += value * value
    count = N * HW
    average = tl.sum(total, axis=0) / count
    tl.store(mean + channel, average)
    tl.store(var + channel, tl.sum(squares, axis=0) / count - average * average)


@case
def batch_norm_stats(data: Data, n: int = 32, c: int = 256, size: int = 56) -> Work:
    x = data.randn(n, c, size, size)
    mean, var = (data.empty(c, dtype="float32") for _ in range(2))

    def launch(k, **options):
        k.batch_norm_stats_kernel[(c,)](x, mean, var, n, c, size * size, **options)

    def right_var():
        return x.float().var((0, 2, 3), correction=0)

    return Work(
        "norms", launch, [(mean, lambda: x.float().mean((0, 2, 3))), (var, right_var)],
        count_bytes(x), tolerance=1e-3, configs=_blocks("BLOCK", (1024, 4), (4096, 8), (4096, 16)),
    )  # fmt: skip


@tilewright.jit
def adaln_kernel(x, shift, scale, out, T, N, eps, BLOCK: tl.constexpr):
    """Layer norm without weights; shift and scale are those of the row's batch."""
    row = tl.program_id(0).to(tl.int64)
    batch = row // T
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    value = tl.load(x + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(value, axis=0) / N
    diff = tl.where(mask, value - mean, 0.0)
    rstd = tl.rsqrt(tl.sum(diff * diff, axis=0) / N + eps)
    s = tl.load(scale + batch * N + cols, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(shift + batch * N + cols, mask=mask, other=0.0).to(tl.float32)
    result = diff * rstd * (1 + s) + b
    tl.store(out + row * N + cols, result.to(out.dtype.element_ty), mask=mask)


@case
def adaln(data: Data, b: int = 8, t: int = 4096, n: int = 1152) -> Work:
    x, shift, scale = data.randn(b, t, n), data.randn(b, n), data.randn(b, n)
    out = data.empty(b, t, n)

    def launch(k, **options):
        k.adaln_kernel[(b * t,)](
            x, shift, scale, out, t, n, 1e-6, BLOCK=tilewright.next_power_of_2(n), **options
        )

    def expected():
        normal = data.torch.nn.functional.layer_norm(x.float(), (n,), eps=1e-6)
        return normal * (1 + scale.float())[:, None] + shift.float()[:, None]

    return Work(
        "norms", launch, [(out, expected)], count_bytes(x, out), tolerance=2e-3,
        configs=({"num_warps": 2}, {"num_warps": 4}, {"num_warps": 8}),
    )  # fmt: skip
