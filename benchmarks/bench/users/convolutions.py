"""Convolutions and stencils: causal ones, by products, depthwise, filters of signals."""

from __future__ import annotations

import tilewright
import tilewright.language as tl
from bench.users.case import Data, case
from bench.work import Work, count_bytes


@tilewright.jit
def conv1d_causal_kernel(x, weight, bias, out, D, T, WIDTH: tl.constexpr, SILU: tl.constexpr,
                         BD: tl.constexpr, BT: tl.constexpr):  # fmt: skip
    """Each channel by itself, channels before tokens, as causal-conv1d has it."""
    batch = tl.program_id(0)
    chans = tl.program_id(1) * BD + tl.arange(0, BD)
    times = tl.program_id(2) * BT + tl.arange(0, BT)
    mask_d = chans < D
    base = x + batch * D * T + chans[:, None] * T
    acc = tl.zeros((BD, BT), tl.float32)
    for i in tl.static_range(WIDTH):
        t = times + i - (WIDTH - 1)
        mask = mask_d[:, None] & ((t >= 0) & (t < T))[None, :]
        value = tl.load(base + t[None, :], mask=mask, other=0.0).to(tl.float32)
        w = tl.load(weight + chans * WIDTH + i, mask=mask_d, other=0.0).to(tl.float32)
        acc += value * w[:, None]
    acc += tl.load(bias + chans, mask=mask_d, other=0.0).to(tl.float32)[:, None]
    if SILU:
        acc = acc * tl.sigmoid(acc)
    place = out + batch * D * T + chans[:, None] * T + times[None, :]
    mask = mask_d[:, None] & (times < T)[None, :]
    tl.store(place, acc.to(out.dtype.element_ty), mask=mask)


@case
def conv1d_causal(data: Data, b: int = 4, d: int = 2048, t: int = 2048) -> Work:
    x, weight, bias = data.randn(b, d, t), data.randn(d, 4), data.randn(d)
    out = data.empty(b, d, t)

    def launch(k, BD, BT, **options):
        grid = (b, tilewright.cdiv(d, BD), tilewright.cdiv(t, BT))
        k.conv1d_causal_kernel[grid](
            x, weight, bias, out, d, t, WIDTH=4, SILU=True, BD=BD, BT=BT, **options
        )

    def expected():
        functional = data.torch.nn.functional
        wide = functional.conv1d(
            x.float(), weight.float()[:, None], bias.float(), padding=3, groups=d
        )
        return functional.silu(wide[..., :t])

    configs = [
        {"BD": a, "BT": c, "num_warps": w} for a, c, w in ((16, 128, 4), (4, 512, 4), (1, 2048, 4))
    ]
    return Work(
        "convolutions", launch, [(out, expected)], count_bytes(x, out), tolerance=2e-3,
        configs=configs,
    )  # fmt: skip


@tilewright.jit
def conv1d_tokens_kernel(x, weight, out, T, D, WIDTH: tl.constexpr, BT: tl.constexpr,
                         BD: tl.constexpr):  # fmt: skip
    """The same of tokens before channels, over rows that slide."""
    batch = tl.program_id(0)
    first = tl.program_id(1) * BT
    chans = tl.program_id(2) * BD + tl.arange(0, BD)
    mask = chans < D
    base = x + batch * T * D + chans
    w0 = tl.load(weight + chans * WIDTH, mask=mask, other=0.0).to(tl.float32)
    w1 = tl.load(weight + chans * WIDTH + 1, mask=mask, other=0.0).to(tl.float32)
    w2 = tl.load(weight + chans * WIDTH + 2, mask=mask, other=0.0).to(tl.float32)
    w3 = tl.load(weight + chans * WIDTH + 3, mask=mask, other=0.0).to(tl.float32)
    a = tl.load(base + (first - 3) * D, mask=mask & (first >= 3), other=0.0).to(tl.float32)
    b = tl.load(base + (first - 2) * D, mask=mask & (first >= 2), other=0.0).to(tl.float32)
    c = tl.load(base + (first - 1) * D, mask=mask & (first >= 1), other=0.0).to(tl.float32)
    for t in range(first, min(first + BT, T)):
        d = tl.load(base + t * D, mask=mask, other=0.0).to(tl.float32)
        total = a * w0 + b * w1 + c * w2 + d * w3
        place = out + (batch * T + t) * D + chans
        tl.store(place, (total * tl.sigmoid(total)).to(out.dtype.element_ty), mask=mask)
        a = b
        b = c
        c = d


@case
def conv1d_tokens(data: Data, b: int = 4, t: int = 4096, d: int = 4096) -> Work:
    x, weight, out = data.randn(b, t, d), data.randn(d, 4), data.empty(b, t, d)

    def launch(k, BT, BD, **options):
        grid = (b, tilewright.cdiv(t, BT), tilewright.cdiv(d, BD))
        k.conv1d_tokens_kernel[grid](x, weight, out, t, d, WIDTH=4, BT=BT, BD=BD, **options)

    def expected():
        functional = data.torch.nn.functional
        padded = functional.pad(x.float(), (0, 0, 3, 0))
        taps = weight.float()
        wide = sum(padded[:, i : i + t] * taps[:, i] for i in range(4))
        return functional.silu(wide)

    configs = [
        {"BT": a, "BD": c, "num_warps": w}
        for a, c, w in ((64, 256, 4), (64, 512, 4), (32, 1024, 4))
    ]
    return Work(
        "convolutions", launch, [(out, expected)], count_bytes(x, out), tolerance=2e-3,
        configs=configs,
    )  # fmt: skip


@tilewright.jit
def conv2d_kernel(x, w, out, N, H, W, C, F, OH, OW, R: tl.constexpr, S: tl.constexpr,
                  PAD: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                  BK: tl.constexpr):  # fmt: skip
    """An implicit product: pixels by filters, channels last; w is F x R x S x C."""
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    pixels = pid_m * BM + tl.arange(0, BM)
    filters = pid_n * BN + tl.arange(0, BN)
    n = pixels // (OH * OW)
    rest = pixels % (OH * OW)
    oh = rest // OW
    ow = rest % OW
    acc = tl.zeros((BM, BN), tl.float32)
    for r in range(R):
        for s in range(S):
            h = oh + r - PAD
            v = ow + s - PAD
            inside = (n < N) & (h >= 0) & (h < H) & (v >= 0) & (v < W)
            place = ((n * H + h) * W + v) * C
            for c in range(0, C, BK):
                chans = c + tl.arange(0, BK)
                a_mask = inside[:, None] & (chans < C)[None, :]
                a = tl.load(x + place[:, None] + chans[None, :], mask=a_mask, other=0.0)
                b_place = (filters[None, :] * R * S + r * S + s) * C + chans[:, None]
                b_mask = (chans < C)[:, None] & (filters < F)[None, :]
                b = tl.load(w + b_place, mask=b_mask, other=0.0)
                acc = tl.dot(a, b, acc)
    mask = (pixels < N * OH * OW)[:, None] & (filters < F)[None, :]
    place = out + pixels[:, None] * F + filters[None, :]
    tl.store(place, acc.to(out.dtype.element_ty), mask=mask)


@case
def conv2d(data: Data, n: int = 8, size: int = 56, c: int = 128, f: int = 128) -> Work:
    x, w = data.randn(n, size, size, c), data.randn(f, 3, 3, c, scale=0.05)
    out = data.empty(n, size, size, f)

    def launch(k, BM, BN, BK, **options):
        grid = (tilewright.cdiv(n * size * size, BM), tilewright.cdiv(f, BN))
        k.conv2d_kernel[grid](
            x, w, out, n, size, size, c, f, size, size, R=3, S=3, PAD=1, BM=BM, BN=BN, BK=BK,
            **options,
        )  # fmt: skip

    def expected():
        conv = data.torch.nn.functional.conv2d
        images = x.float().permute(0, 3, 1, 2)
        return conv(images, w.float().permute(0, 3, 1, 2), padding=1).permute(0, 2, 3, 1)

    names = ("BM", "BN", "BK", "num_warps", "num_stages")
    lists = ((128, 64, 64, 4, 3), (128, 128, 32, 8, 3), (64, 128, 64, 4, 3))
    configs = [dict(zip(names, each, strict=True)) for each in lists]
    return Work(
        "convolutions", launch, [(out, expected)], 18.0 * n * size * size * c * f, "TFLOP/s",
        tolerance=4e-3, configs=configs,
    )  # fmt: skip


@tilewright.jit
def depthwise_nchw_kernel(x, w, out, C, H, W, K: tl.constexpr, BH: tl.constexpr,
                          BW: tl.constexpr):  # fmt: skip
    plane = tl.program_id(0)
    rows = tl.program_id(1) * BH + tl.arange(0, BH)
    cols = tl.arange(0, BW)
    channel = plane % C
    base = x + plane * H * W
    acc = tl.zeros((BH, BW), tl.float32)
    for i in tl.static_range(K):
        for j in tl.static_range(K):
            r = rows + i - K // 2
            c = cols + j - K // 2
            mask = ((r >= 0) & (r < H))[:, None] & ((c >= 0) & (c < W))[None, :]
            value = tl.load(base + r[:, None] * W + c[None, :], mask=mask, other=0.0)
            acc += value.to(tl.float32) * tl.load(w + (channel * K + i) * K + j).to(tl.float32)
    mask = (rows < H)[:, None] & (cols < W)[None, :]
    place = out + plane * H * W + rows[:, None] * W + cols[None, :]
    tl.store(place, acc.to(out.dtype.element_ty), mask=mask)


@case
def depthwise_nchw(data: Data, n: int = 8, c: int = 256, size: int = 56) -> Work:
    x, w = data.randn(n, c, size, size), data.randn(c, 3, 3)
    out = data.empty(n, c, size, size)

    def launch(k, BH, **options):
        grid = (n * c, tilewright.cdiv(size, BH))
        k.depthwise_nchw_kernel[grid](x, w, out, c, size, size, K=3, BH=BH, BW=64, **options)

    def expected():
        conv = data.torch.nn.functional.conv2d
        return conv(x.float(), w.float()[:, None], padding=1, groups=c)

    configs = [{"BH": rows, "num_warps": 4} for rows in (16, 32, 64)]
    return Work(
        "convolutions", launch, [(out, expected)], count_bytes(x, out), tolerance=2e-3,
        configs=configs,
    )  # fmt: skip


@tilewright.jit
def stencil_kernel(x, out, H, W, c0, c1, BH: tl.constexpr, BW: tl.constexpr):
    """A step of the heat equation, five points."""
    rows = tl.program_id(0) * BH + tl.arange(0, BH)[:, None]
    cols = tl.program_id(1) * BW + tl.arange(0, BW)[None, :]
    inner = (rows > 0) & (rows < H - 1) & (cols > 0) & (cols < W - 1)
    place = rows * W + cols
    centre = tl.load(x + place, mask=(rows < H) & (cols < W), other=0.0)
    north = tl.load(x + place - W, mask=inner, other=0.0)
    south = tl.load(x + place + W, mask=inner, other=0.0)
    west = tl.load(x + place - 1, mask=inner, other=0.0)
    east = tl.load(x + place + 1, mask=inner, other=0.0)
    step = c0 * centre + c1 * (north + south + west + east)
    tl.store(out + place, tl.where(inner, step, centre), mask=(rows < H) & (cols < W))


@case
def stencil(data: Data, h: int = 8192, w: int = 8192) -> Work:
    x, out = data.randn(h, w, dtype="float32"), data.empty(h, w, dtype="float32")

    def launch(k, BH, BW, **options):
        grid = (tilewright.cdiv(h, BH), tilewright.cdiv(w, BW))
        k.stencil_kernel[grid](x, out, h, w, 0.6, 0.1, BH=BH, BW=BW, **options)

    def expected():
        right = x.clone()
        near = x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]
        right[1:-1, 1:-1] = 0.6 * x[1:-1, 1:-1] + 0.1 * near
        return right

    configs = [
        {"BH": a, "BW": b, "num_warps": w} for a, b, w in ((1, 1024, 4), (4, 256, 4), (16, 128, 4))
    ]
    return Work("convolutions", launch, [(out, expected)], count_bytes(x, out), configs=configs)


@tilewright.jit
def heat3d_kernel(x, out, N, coefficient, BLOCK: tl.constexpr):
    i = tl.program_id(0) + 1
    j = tl.program_id(1) + 1
    k = tl.arange(0, BLOCK)
    mask = (k > 0) & (k < N - 1)
    place = x + (i * N + j) * N + k
    centre = tl.load(place, mask=mask, other=0.0)
    total = tl.load(place - 1, mask=mask, other=0.0) + tl.load(place + 1, mask=mask, other=0.0)
    total += tl.load(place - N, mask=mask, other=0.0) + tl.load(place + N, mask=mask, other=0.0)
    total += tl.load(place - N * N, mask=mask, other=0.0)
    total += tl.load(place + N * N, mask=mask, other=0.0)
    result = centre + coefficient * (total - 6.0 * centre)
    tl.store(out + (i * N + j) * N + k, result, mask=mask)


@case
def heat3d(data: Data, n: int = 256) -> Work:
    x, out = data.randn(n, n, n, dtype="float32"), data.zeros(n, n, n)

    def launch(k, **options):
        k.heat3d_kernel[n - 2, n - 2](
            x, out, n, 0.1, BLOCK=tilewright.next_power_of_2(n), **options
        )

    def expected():
        right = data.torch.zeros_like(x)
        c = slice(1, -1)
        low, high = slice(None, -2), slice(2, None)
        total = x[low, c, c] + x[high, c, c] + x[c, low, c] + x[c, high, c]
        total = total + x[c, c, low] + x[c, c, high]
        right[c, c, c] = x[c, c, c] + 0.1 * (total - 6 * x[c, c, c])
        return right

    return Work(
        "convolutions", launch, [(out, expected)], count_bytes(x, out), reset=lambda: out.zero_(),
        configs=({"num_warps": 1}, {"num_warps": 2}, {"num_warps": 4}),
    )  # fmt: skip


@tilewright.jit
def fir_kernel(x, taps, out, n, TAPS: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    acc = tl.zeros((BLOCK,), tl.float32)
    for i in range(TAPS):
        place = offs - i
        acc += tl.load(x + place, mask=mask & (place >= 0), other=0.0) * tl.load(taps + i)
    tl.store(out + offs, acc, mask=mask)


@case
def fir(data: Data, n: int = 1 << 23) -> Work:
    x, taps = data.randn(n, dtype="float32"), data.randn(32, dtype="float32")
    out = data.empty(n, dtype="float32")

    def launch(k, BLOCK, **options):
        k.fir_kernel[(tilewright.cdiv(n, BLOCK),)](x, taps, out, n, TAPS=32, BLOCK=BLOCK, **options)

    def expected():
        torch = data.torch
        padded = torch.nn.functional.pad(x.double(), (31, 0))
        return sum(padded[31 - i : 31 - i + n] * taps[i].double() for i in range(32))

    configs = [{"BLOCK": block, "num_warps": 4} for block in (512, 1024, 2048)]
    return Work(
        "convolutions", launch, [(out, expected)], count_bytes(x, out), tolerance=1e-4,
        configs=configs,
    )  # fmt: skip
