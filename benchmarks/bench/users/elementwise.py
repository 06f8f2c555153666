"""Element by element: activations, positions, copies that move, numbers drawn and computed."""

from __future__ import annotations

import math

import tilewright
import tilewright.language as tl
from bench.users.case import Data, case
from bench.work import Work, count_bytes


def _blocks(name, *pairs):
    return [{name: block, "num_warps": warps} for block, warps in pairs]


FLAT = _blocks("BLOCK", (1024, 4), (2048, 4), (4096, 8))


@tilewright.jit
def swiglu_bwd_kernel(grad, gate, up, d_gate, d_up, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < N
    place = row * N + cols
    g = tl.load(grad + place, mask=mask, other=0.0).to(tl.float32)
    a = tl.load(gate + place, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(up + place, mask=mask, other=0.0).to(tl.float32)
    s = tl.sigmoid(a)
    silu = a * s
    d_a = g * b * (s + silu * (1 - s))
    tl.store(d_up + place, (g * silu).to(d_up.dtype.element_ty), mask=mask)
    tl.store(d_gate + place, d_a.to(d_gate.dtype.element_ty), mask=mask)


@case
def swiglu_bwd(data: Data, rows: int = 4096, n: int = 11008) -> Work:
    grad, gate, up = (data.randn(rows, n) for _ in range(3))
    d_gate, d_up = data.empty(rows, n), data.empty(rows, n)

    def launch(k, BLOCK, **options):
        k.swiglu_bwd_kernel[rows, tilewright.cdiv(n, BLOCK)](
            grad, gate, up, d_gate, d_up, n, BLOCK=BLOCK, **options
        )

    def right_up():
        return grad.float() * data.torch.nn.functional.silu(gate.float())

    def right_gate():
        s = gate.float().sigmoid()
        return grad.float() * up.float() * s * (1 + gate.float() * (1 - s))

    return Work(
        "elementwise", launch, [(d_gate, right_gate), (d_up, right_up)],
        count_bytes(grad, gate, up, d_gate, d_up), tolerance=3e-3, configs=FLAT,
    )  # fmt: skip


@tilewright.jit
def geglu_tanh_kernel(gate, up, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    a = tl.load(gate + offs, mask=mask, other=0.0).to(tl.float32)
    b = tl.load(up + offs, mask=mask, other=0.0)
    inner = 0.7978845608028654 * (a + 0.044715 * a * a * a)
    tanh = 2 * tl.sigmoid(2 * inner) - 1
    gelu = 0.5 * a * (1 + tanh)
    tl.store(out + offs, gelu.to(b.dtype) * b, mask=mask)


@case
def geglu_tanh(data: Data, n: int = 1 << 25) -> Work:
    gate, up, out = data.randn(n), data.randn(n), data.empty(n)

    def launch(k, BLOCK, **options):
        grid = (tilewright.cdiv(n, BLOCK),)
        k.geglu_tanh_kernel[grid](gate, up, out, n, BLOCK=BLOCK, **options)

    def expected():
        gelu = data.torch.nn.functional.gelu
        return gelu(gate.float(), approximate="tanh") * up.float()

    return Work(
        "elementwise", launch, [(out, expected)], count_bytes(gate, up, out), tolerance=4e-3,
        configs=FLAT,
    )  # fmt: skip


@tilewright.jit
def rope_varlen_kernel(x, cos, sin, cu_seqlens, out, H, D: tl.constexpr, ROT: tl.constexpr,
                       BT: tl.constexpr, BH: tl.constexpr):  # fmt: skip
    """Positions count from the beginning of each sequence; ROT of D columns are turned."""
    batch = tl.program_id(0)
    begin = tl.load(cu_seqlens + batch)
    length = tl.load(cu_seqlens + batch + 1) - begin
    times = tl.program_id(1) * BT + tl.arange(0, BT)
    heads = tl.program_id(2) * BH + tl.arange(0, BH)
    if tl.program_id(1) * BT >= length:
        return
    half = tl.arange(0, ROT // 2)
    mask = (times < length)[:, None, None] & (heads < H)[None, :, None]
    place = ((begin + times)[:, None, None] * H + heads[None, :, None]) * D + half[None, None, :]
    angle = times[:, None] * (ROT // 2) + half[None, :]
    angle_mask = (times < length)[:, None]
    c = tl.load(cos + angle, mask=angle_mask, other=1.0)[:, None, :]
    s = tl.load(sin + angle, mask=angle_mask, other=0.0)[:, None, :]
    low = tl.load(x + place, mask=mask, other=0.0).to(tl.float32)
    high = tl.load(x + place + ROT // 2, mask=mask, other=0.0).to(tl.float32)
    tl.store(out + place, (low * c - high * s).to(out.dtype.element_ty), mask=mask)
    tl.store(out + place + ROT // 2, (low * s + high * c).to(out.dtype.element_ty), mask=mask)


@case
def rope_varlen(data: Data, h: int = 32, longest: int = 2048, d: int = 128) -> Work:
    lengths = [int(share * longest) for share in (1.0, 0.4, 0.83, 0.61, 0.95, 0.3, 0.77, 0.52)]
    ends = [sum(lengths[:count]) for count in range(9)]
    x, out = data.randn(ends[-1], h, d), data.empty(ends[-1], h, d)
    cos, sin = (data.rand(longest, d // 2) for _ in range(2))
    offsets = data.make((9,), "int32", lambda torch: torch.tensor(ends))

    def launch(k, BT, BH, **options):
        k.rope_varlen_kernel[8, tilewright.cdiv(longest, BT), tilewright.cdiv(h, BH)](
            x, cos, sin, offsets, out, h, D=d, ROT=d, BT=BT, BH=BH, **options
        )

    def expected():
        torch = data.torch
        place = torch.cat([torch.arange(each, device=x.device) for each in lengths])
        c, s = cos[place][:, None], sin[place][:, None]
        low, high = x[..., : d // 2].float(), x[..., d // 2 :].float()
        return torch.cat((low * c - high * s, low * s + high * c), -1)

    configs = [{"BT": a, "BH": b, "num_warps": 4} for a, b in ((8, 2), (8, 4), (4, 4), (16, 2))]
    return Work(
        "elementwise", launch, [(out, expected)], count_bytes(x, out), tolerance=2e-3,
        configs=configs,
    )  # fmt: skip


@tilewright.jit
def rope_interleaved_kernel(x, cos, sin, out, T, H, D: tl.constexpr, BH: tl.constexpr):
    token = tl.program_id(0)
    heads = tl.program_id(1) * BH + tl.arange(0, BH)
    cols = tl.arange(0, D)
    half = tl.arange(0, D // 2)
    place = (token * H + heads[:, None]) * D + cols[None, :]
    value = tl.load(x + place, mask=heads[:, None] < H, other=0.0).to(tl.float32)
    even, odd = tl.split(tl.reshape(value, (BH, D // 2, 2)))
    c = tl.load(cos + token * (D // 2) + half)[None, :]
    s = tl.load(sin + token * (D // 2) + half)[None, :]
    turned = tl.interleave(even * c - odd * s, even * s + odd * c)
    tl.store(out + place, turned.to(out.dtype.element_ty), mask=heads[:, None] < H)


@case
def rope_interleaved(data: Data, t: int = 8192, h: int = 32, d: int = 128) -> Work:
    x, out = data.randn(t, h, d), data.empty(t, h, d)
    cos, sin = (data.rand(t, d // 2) for _ in range(2))

    def launch(k, BH, **options):
        k.rope_interleaved_kernel[t, tilewright.cdiv(h, BH)](
            x, cos, sin, out, t, h, D=d, BH=BH, **options
        )

    def expected():
        even, odd = x[..., ::2].float(), x[..., 1::2].float()
        c, s = cos[:, None], sin[:, None]
        return data.torch.stack((even * c - odd * s, even * s + odd * c), -1).view(t, h, d)

    return Work(
        "elementwise", launch, [(out, expected)], count_bytes(x, out), tolerance=2e-3,
        configs=_blocks("BH", (32, 4), (16, 4), (8, 2)),
    )  # fmt: skip


@tilewright.jit
def black_scholes_kernel(price, strike, years, call, put, rate, vol, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    s = tl.load(price + offs, mask=mask, other=1.0)
    x = tl.load(strike + offs, mask=mask, other=1.0)
    t = tl.load(years + offs, mask=mask, other=1.0)
    root = tl.sqrt(t)
    d1 = (tl.log(s / x) + (rate + 0.5 * vol * vol) * t) / (vol * root)
    d2 = d1 - vol * root
    n1 = 0.5 * (1.0 + tl.erf(d1 * 0.7071067811865476))
    n2 = 0.5 * (1.0 + tl.erf(d2 * 0.7071067811865476))
    later = x * tl.exp(-rate * t)
    tl.store(call + offs, s * n1 - later * n2, mask=mask)
    tl.store(put + offs, later * (1.0 - n2) - s * (1.0 - n1), mask=mask)


@case
def black_scholes(data: Data, n: int = 1 << 24) -> Work:
    def between(low, high):
        return data.make((n,), "float32", lambda torch: data.rand(n) * (high - low) + low)

    price, strike, years = between(5, 30), between(1, 100), between(0.25, 10)
    call, put = (data.empty(n, dtype="float32") for _ in range(2))

    def launch(k, BLOCK, **options):
        grid = (tilewright.cdiv(n, BLOCK),)
        k.black_scholes_kernel[grid](
            price, strike, years, call, put, 0.02, 0.3, n, BLOCK=BLOCK, **options
        )

    def prices():
        torch = data.torch
        s, x, t = price.double(), strike.double(), years.double()
        d1 = ((s / x).log() + (0.02 + 0.045) * t) / (0.3 * t.sqrt())
        n1, n2 = (torch.special.ndtr(each) for each in (d1, d1 - 0.3 * t.sqrt()))
        later = x * (-0.02 * t).exp()
        return s * n1 - later * n2, later * (1 - n2) - s * (1 - n1)

    return Work(
        "elementwise", launch, [(call, lambda: prices()[0]), (put, lambda: prices()[1])],
        count_bytes(price, strike, years, call, put), tolerance=1e-4, configs=FLAT,
    )  # fmt: skip


@tilewright.jit
def mandelbrot_kernel(out, W, H, x0, y0, dx, dy, LIMIT: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    cx = x0 + (offs % W).to(tl.float32) * dx
    cy = y0 + (offs // W).to(tl.float32) * dy
    zx = tl.zeros((BLOCK,), tl.float32)
    zy = tl.zeros((BLOCK,), tl.float32)
    count = tl.zeros((BLOCK,), tl.int32)
    for _ in range(LIMIT):
        xx = zx * zx
        yy = zy * zy
        inside = xx + yy <= 4.0
        new_y = 2.0 * zx * zy + cy
        zx = tl.where(inside, xx - yy + cx, zx)
        zy = tl.where(inside, new_y, zy)
        count += inside.to(tl.int32)
    tl.store(out + offs, count)


@case
def mandelbrot(data: Data, w: int = 2048, h: int = 2048) -> Work:
    out = data.empty(h, w, dtype="int32")
    limit = 100

    def launch(k, BLOCK, **options):
        k.mandelbrot_kernel[(w * h // BLOCK,)](
            out, w, h, -2.0, -1.5, 3.0 / w, 3.0 / h, LIMIT=limit, BLOCK=BLOCK, **options
        )

    def expected():
        # Orbits near the edge depend on rounding, so that the two compilers' own are compared by
        # how many are within: what is here is checked in bulk.
        torch = data.torch
        x = -2.0 + torch.arange(w, device=out.device, dtype=torch.float64) * (3.0 / w)
        y = -1.5 + torch.arange(h, device=out.device, dtype=torch.float64)[:, None] * (3.0 / h)
        zx, zy = torch.zeros(h, w, device=out.device).double(), torch.zeros_like(x + y)
        count = torch.zeros(h, w, device=out.device, dtype=torch.int32)
        for _ in range(limit):
            inside = zx * zx + zy * zy <= 4
            new_x = zx * zx - zy * zy + x
            zy = torch.where(inside, 2 * zx * zy + y, zy)
            zx = torch.where(inside, new_x, zx)
            count += inside
        share = (out != count).float().mean().item()
        if share > 0.01:
            raise AssertionError(f"{share:.1%} of the counts differ")
        return out.clone()

    return Work(
        "elementwise", launch, [(out, expected)], count_bytes(out),
        configs=_blocks("BLOCK", (256, 4), (512, 4), (1024, 4)),
    )  # fmt: skip


@tilewright.jit
def dropout_residual_kernel(x, residual, out, p, seed, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    value = tl.load(x + offs, mask=mask, other=0.0)
    other = tl.load(residual + offs, mask=mask, other=0.0)
    keep = tl.rand(seed, offs) > p
    tl.store(out + offs, tl.where(keep, value / (1 - p), 0.0) + other, mask=mask)


@case
def dropout_residual(data: Data, n: int = 1 << 25) -> Work:
    x, residual = data.randn(n, dtype="float32"), data.randn(n, dtype="float32")
    out = data.empty(n, dtype="float32")

    def launch(k, BLOCK, **options):
        grid = (tilewright.cdiv(n, BLOCK),)
        k.dropout_residual_kernel[grid](x, residual, out, 0.25, 123, n, BLOCK=BLOCK, **options)

    def expected():
        # Who stays is the generator's affair.
        torch = data.torch
        kept = (out - residual).abs() > x.abs() * 0.5
        share = kept.float().mean().item()
        if not 0.74 < share < 0.76:
            raise AssertionError(f"{share:.1%} stay, not 75 %")
        return torch.where(kept, x / 0.75, 0.0) + residual

    return Work(
        "elementwise", launch, [(out, expected)], count_bytes(x, residual, out), configs=FLAT
    )


@tilewright.jit
def transpose_kernel(x, out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    mask = (rows < M)[:, None] & (cols < N)[None, :]
    value = tl.load(x + rows[:, None] * N + cols[None, :], mask=mask)
    place = out + cols[:, None] * M + rows[None, :]
    tl.store(place, tl.trans(value), mask=(cols < N)[:, None] & (rows < M)[None, :])


@case
def transpose(data: Data, m: int = 8192, n: int = 8192) -> Work:
    x, out = data.randn(m, n), data.empty(n, m)

    def launch(k, BM, BN, **options):
        grid = (tilewright.cdiv(m, BM), tilewright.cdiv(n, BN))
        k.transpose_kernel[grid](x, out, m, n, BM=BM, BN=BN, **options)

    configs = [{"BM": a, "BN": b, "num_warps": 4} for a, b in ((32, 32), (64, 64), (32, 64))]
    return Work("elementwise", launch, [(out, lambda: x.T)], count_bytes(x, out), configs=configs)


@tilewright.jit
def cat_rows_kernel(a, b, out, NA, NB, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = NA + NB
    left = tl.load(a + row * NA + cols, mask=cols < NA, other=0.0)
    right_mask = (cols >= NA) & (cols < total)
    right = tl.load(b + row * NB + cols - NA, mask=right_mask, other=0.0)
    tl.store(out + row * total + cols, tl.where(cols < NA, left, right), mask=cols < total)


@case
def cat_rows(data: Data, rows: int = 16384, na: int = 1000, nb: int = 3000) -> Work:
    a, b, out = data.randn(rows, na), data.randn(rows, nb), data.empty(rows, na + nb)

    def launch(k, BLOCK, **options):
        k.cat_rows_kernel[rows, tilewright.cdiv(na + nb, BLOCK)](
            a, b, out, na, nb, BLOCK=BLOCK, **options
        )

    return Work(
        "elementwise", launch, [(out, lambda: data.torch.cat((a, b), 1))], 2 * count_bytes(out),
        configs=_blocks("BLOCK", (1024, 4), (4096, 4), (4096, 8)),
    )  # fmt: skip


@tilewright.jit
def normal_kernel(out, seed, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.randn(seed, offs), mask=offs < n)


@case
def normal(data: Data, n: int = 1 << 25) -> Work:
    out = data.empty(n, dtype="float32")

    def launch(k, BLOCK, **options):
        k.normal_kernel[(tilewright.cdiv(n, BLOCK),)](out, 7, n, BLOCK=BLOCK, **options)

    def expected():
        mean, deviation = out.mean().item(), out.std().item()
        if abs(mean) > 0.01 or not math.isclose(deviation, 1, rel_tol=0.01):
            raise AssertionError(f"the mean is {mean}, the deviation {deviation}")
        return out.clone()

    return Work("elementwise", launch, [(out, expected)], count_bytes(out), configs=FLAT)
