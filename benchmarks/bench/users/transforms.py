"""Fourier transforms, radix sorts, segments, paths through states, small matrices, colours."""

from __future__ import annotations

import tilewright
import tilewright.language as tl
from bench.users.case import Data, case
from bench.work import Work, count_bytes


@tilewright.jit
def side_by_side(a, b, SIZE: tl.constexpr, N: tl.constexpr, BM: tl.constexpr):
    """Runs of SIZE of both in turns."""
    runs: tl.constexpr = N // 2 // SIZE
    both = tl.join(tl.reshape(a, (BM, runs, SIZE)), tl.reshape(b, (BM, runs, SIZE)))
    return tl.reshape(tl.permute(both, (0, 1, 3, 2)), (BM, N))


@tilewright.jit
def butterfly(re, im, SIZE: tl.constexpr, N: tl.constexpr, BM: tl.constexpr):
    """Of numbers half a row apart: sums, and differences that are turned by the run's angle."""
    a_re, b_re = tl.split(tl.permute(tl.reshape(re, (BM, 2, N // 2)), (0, 2, 1)))
    a_im, b_im = tl.split(tl.permute(tl.reshape(im, (BM, 2, N // 2)), (0, 2, 1)))
    turn = (tl.arange(0, N // 2) // SIZE) * SIZE
    angle = turn.to(tl.float32) * (-6.283185307179586 / N)
    c, s = tl.cos(angle)[None, :], tl.sin(angle)[None, :]
    d_re, d_im = a_re - b_re, a_im - b_im
    re = side_by_side(a_re + b_re, d_re * c - d_im * s, SIZE, N, BM)
    im = side_by_side(a_im + b_im, d_re * s + d_im * c, SIZE, N, BM)
    return re, im


@tilewright.jit
def fft_rows_kernel(x, out, N: tl.constexpr, STEPS: tl.constexpr, BM: tl.constexpr):
    """Fourier transforms of complex rows."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.arange(0, N)
    place = (rows[:, None] * N + cols[None, :]) * 2
    re = tl.load(x + place)
    im = tl.load(x + place + 1)
    for step in tl.static_range(STEPS):
        re, im = butterfly(re, im, 1 << step, N, BM)
    tl.store(out + place, re)
    tl.store(out + place + 1, im)


@case
def fft_rows(data: Data, rows: int = 16384, n: int = 256) -> Work:
    x, out = data.randn(rows, n, 2, dtype="float32"), data.empty(rows, n, 2, dtype="float32")

    def launch(k, BM, **options):
        k.fft_rows_kernel[(rows // BM,)](x, out, N=n, STEPS=n.bit_length() - 1, BM=BM, **options)

    def expected():
        torch = data.torch
        return torch.view_as_real(torch.fft.fft(torch.view_as_complex(x)))

    return Work(
        "transforms", launch, [(out, expected)], count_bytes(x, out), tolerance=1e-3,
        configs=[{"BM": m, "num_warps": w} for m, w in ((2, 1), (4, 4), (8, 4))],
    )  # fmt: skip


@tilewright.jit
def radix_scatter_kernel(keys, values, starts, out_keys, out_values, n, shift, BITS: tl.constexpr,
                         BLOCK: tl.constexpr):  # fmt: skip
    """A pass of a radix sort: each key goes behind those of its digit in earlier places."""
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    key = tl.load(keys + offs, mask=mask, other=0)
    value = tl.load(values + offs, mask=mask, other=0)
    digit = (key >> shift) & ((1 << BITS) - 1)
    for d in range(1 << BITS):
        mine = mask & (digit == d)
        rank = tl.cumsum(mine.to(tl.int32), 0) - 1
        first = tl.load(starts + d * tl.num_programs(0) + pid)
        tl.store(out_keys + first + rank, key, mask=mine)
        tl.store(out_values + first + rank, value, mask=mine)


@case
def radix_scatter(data: Data, n: int = 1 << 20, bits: int = 4) -> Work:
    block = 2048
    keys, values = data.randint(0, 1 << 20, n), data.randint(0, 1 << 20, n)
    blocks = tilewright.cdiv(n, block)

    def find_starts(torch):
        digit = (keys.long() >> 4) & ((1 << bits) - 1)
        owner = torch.arange(n, device=digit.device) // block
        counts = torch.bincount(digit * blocks + owner, minlength=blocks << bits)
        return (counts.cumsum(0) - counts).view(1 << bits, blocks)

    starts = data.make((1 << bits, blocks), "int32", find_starts)
    out_keys, out_values = data.empty(n, dtype="int32"), data.empty(n, dtype="int32")

    def launch(k, **options):
        k.radix_scatter_kernel[(blocks,)](
            keys, values, starts, out_keys, out_values, n, 4, BITS=bits, BLOCK=block, **options
        )

    def order():
        return ((keys >> 4) & ((1 << bits) - 1)).sort(stable=True).indices

    return Work(
        "transforms", launch,
        [(out_keys, lambda: keys[order()]), (out_values, lambda: values[order()])],
        count_bytes(keys, values, out_keys, out_values),
        configs=({"num_warps": 4}, {"num_warps": 8}),
    )  # fmt: skip


@tilewright.jit
def sum_since_flag(a, flag_a, b, flag_b):
    return tl.where(flag_b != 0, b, a + b), flag_a | flag_b


@tilewright.jit
def segmented_scan_kernel(x, flags, out, n, BLOCK: tl.constexpr):
    """Sums so far of a row, begun anew at each flag."""
    row = tl.program_id(0)
    carry = 0.0
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < n
        value = tl.load(x + row * n + cols, mask=mask, other=0.0)
        flag = tl.load(flags + row * n + cols, mask=mask, other=0).to(tl.int32)
        value, seen = tl.associative_scan((value, flag), 0, sum_since_flag)
        value = tl.where(seen != 0, value, value + carry)
        tl.store(out + row * n + cols, value, mask=mask)
        carry = tl.sum(tl.where(tl.arange(0, BLOCK) == BLOCK - 1, value, 0.0), axis=0)


@case
def segmented_scan(data: Data, rows: int = 4096, n: int = 4096) -> Work:
    x = data.randn(rows, n, dtype="float32")
    flags = data.make((rows, n), "int8", lambda torch: data.rand(rows, n) < 0.02)
    out = data.empty(rows, n, dtype="float32")

    def launch(k, BLOCK, **options):
        k.segmented_scan_kernel[(rows,)](x, flags, out, n, BLOCK=BLOCK, **options)

    def expected():
        torch = data.torch
        sums = x.double().cumsum(1)
        places = torch.arange(n, device=x.device).expand(rows, n)
        begin = torch.where(flags != 0, places, 0).cummax(1).values
        return sums - (sums.gather(1, begin) - x.double().gather(1, begin))

    return Work(
        "transforms", launch, [(out, expected)], count_bytes(x, flags, out), tolerance=1e-4,
        configs=[{"BLOCK": b, "num_warps": w} for b, w in ((1024, 4), (4096, 8), (512, 1))],
    )  # fmt: skip


@tilewright.jit
def compact_kernel(x, out, places, count, n, threshold, BLOCK: tl.constexpr):
    """What is above a threshold, packed; programs take their place in a ring from a counter."""
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + offs, mask=offs < n, other=-float("inf"))
    keep = value > threshold
    rank = tl.cumsum(keep.to(tl.int32), 0)
    kept = tl.max(rank, axis=0)
    base = tl.atomic_add(count, kept, sem="relaxed")
    target = (base + rank - 1) % n
    tl.store(out + target, value, mask=keep)
    tl.store(places + target, offs, mask=keep)


@case
def compact(data: Data, n: int = 1 << 24) -> Work:
    x, count = data.randn(n, dtype="float32"), data.zeros(1, dtype="int32")
    out, places = data.zeros(n), data.empty(n, dtype="int32")

    def launch(k, BLOCK, **options):
        grid = (tilewright.cdiv(n, BLOCK),)
        k.compact_kernel[grid](x, out, places, count, n, 1.0, BLOCK=BLOCK, **options)

    def right_places():
        """The order is that of programs: what is there is compared with what it names."""
        torch = data.torch
        kept = int((x > 1).sum())
        named = places[:kept].long().clamp(0, n - 1)
        good = (out[:kept] == x[named]).all() and named.sort().values.equal(
            torch.nonzero(x > 1).flatten()
        )
        return places if good else places + 1

    def reset():
        count.zero_()
        places.zero_()

    return Work(
        "transforms", launch, [(count, lambda: (x > 1).sum()[None]), (places, right_places)],
        count_bytes(x) * 1.3, tolerance=0.0, reset=reset,
        configs=[{"BLOCK": b, "num_warps": 4} for b in (512, 1024, 4096)],
    )  # fmt: skip


@tilewright.jit
def log_add(a, b):
    top = tl.maximum(a, b)
    low = tl.minimum(a, b)
    return top + tl.where(low == -float("inf"), 0.0, tl.log(1.0 + tl.exp(low - top)))


@tilewright.jit
def ctc_alpha_kernel(log_probs, targets, out, T, V, L, BLOCK: tl.constexpr):
    """The forward variables of CTC: places before are gathered from the tile of the last step."""
    batch = tl.program_id(0)
    s = tl.arange(0, BLOCK)
    count = 2 * L + 1
    inside = s < count
    label = tl.load(targets + batch * L + s // 2, mask=inside & (s % 2 == 1), other=0)
    two_back = tl.load(
        targets + batch * L + s // 2 - 1, mask=inside & (s % 2 == 1) & (s >= 3), other=-1
    )
    skips = (s % 2 == 1) & (s >= 3) & (label != two_back)
    log_probs += batch * T * V
    alpha = tl.load(log_probs + label, mask=inside & (s < 2), other=-float("inf"))
    one = tl.maximum(s - 1, 0)
    two = tl.maximum(s - 2, 0)
    for t in range(1, T):
        stay = alpha
        step = tl.where(s >= 1, tl.gather(alpha, one, 0), -float("inf"))
        skip = tl.where(skips, tl.gather(alpha, two, 0), -float("inf"))
        p = tl.load(log_probs + t * V + label, mask=inside, other=-float("inf"))
        alpha = log_add(log_add(stay, step), skip) + p
    last = tl.max(tl.where(s == count - 1, alpha, -float("inf")), axis=0)
    other = tl.max(tl.where(s == count - 2, alpha, -float("inf")), axis=0)
    tl.store(out + batch, -log_add(last, other))


@case
def ctc_alpha(data: Data, b: int = 256, t: int = 256, v: int = 64, longest: int = 60) -> Work:
    def logs(torch):
        return torch.log_softmax(data.randn(b, t, v).float(), 2)

    log_probs, targets = data.make((b, t, v), "float32", logs), data.randint(1, v, b, longest)
    out = data.empty(b, dtype="float32")

    def launch(k, **options):
        block = tilewright.next_power_of_2(2 * longest + 1)
        k.ctc_alpha_kernel[(b,)](log_probs, targets, out, t, v, longest, BLOCK=block, **options)

    def expected():
        torch = data.torch
        long = {"device": log_probs.device, "dtype": torch.long}
        return torch.nn.functional.ctc_loss(
            log_probs.transpose(0, 1), targets.long(), torch.full((b,), t, **long),
            torch.full((b,), longest, **long), reduction="none",
        )  # fmt: skip

    return Work(
        "transforms", launch, [(out, expected)], count_bytes(log_probs), tolerance=1e-3,
        configs=({"num_warps": 1}, {"num_warps": 2}, {"num_warps": 4}),
    )  # fmt: skip


@tilewright.jit
def viterbi_kernel(emissions, moves, back, best, T, S: tl.constexpr):
    """The best path into each state, step by step, and where it comes from."""
    batch = tl.program_id(0)
    s = tl.arange(0, S)
    move = tl.load(moves + s[:, None] * S + s[None, :])
    score = tl.load(emissions + batch * T * S + s)
    for t in range(1, T):
        ways = score[:, None] + move
        top, origin = tl.max(ways, axis=0, return_indices=True)
        score = top + tl.load(emissions + (batch * T + t) * S + s)
        tl.store(back + (batch * T + t) * S + s, origin.to(tl.int8))
    tl.store(best + batch, tl.max(score, axis=0))


@case
def viterbi(data: Data, b: int = 512, t: int = 128, s: int = 32) -> Work:
    emissions, moves = data.randn(b, t, s, dtype="float32"), data.randn(s, s, dtype="float32")
    back, best = data.zeros(b, t, s, dtype="int8"), data.empty(b, dtype="float32")

    def launch(k, **options):
        k.viterbi_kernel[(b,)](emissions, moves, back, best, t, S=s, **options)

    def both():
        torch = data.torch
        score = emissions[:, 0]
        origins = [torch.zeros(b, s, device=back.device, dtype=torch.long)]
        for step in range(1, t):
            top, origin = (score[:, :, None] + moves).max(1)
            score = top + emissions[:, step]
            origins.append(origin)
        return torch.stack(origins, 1), score.amax(1)

    return Work(
        "transforms", launch, [(back, lambda: both()[0]), (best, lambda: both()[1])],
        count_bytes(emissions, back), reset=lambda: back.zero_(), tolerance=1e-4,
        configs=({"num_warps": 1}, {"num_warps": 2}, {"num_warps": 4}),
    )  # fmt: skip


@tilewright.jit
def cholesky_kernel(a, out, count, N: tl.constexpr, BATCH: tl.constexpr):
    """Of small matrices, column by column, in registers."""
    batch = tl.program_id(0) * BATCH + tl.arange(0, BATCH)
    i = tl.arange(0, N)
    place = batch[:, None, None] * (N * N) + i[None, :, None] * N + i[None, None, :]
    inside = (batch < count)[:, None, None]
    same = (i[:, None] == i[None, :])[None, :, :]
    m = tl.load(a + place, mask=inside, other=0.0)
    m = tl.where(inside, m, same.to(tl.float32))
    for k in range(N):
        column = tl.sum(tl.where(i[None, None, :] == k, m, 0.0), axis=2)
        pivot = tl.sum(tl.where(i[None, :] == k, column, 0.0), axis=1)
        column = tl.where(i[None, :] >= k, column * tl.rsqrt(pivot)[:, None], 0.0)
        below = tl.where(i[None, :] > k, column, 0.0)
        m -= below[:, :, None] * below[:, None, :]
        m = tl.where(i[None, None, :] == k, column[:, :, None], m)
    m = tl.where(i[None, :, None] >= i[None, None, :], m, 0.0)
    tl.store(out + place, m, mask=inside)


@case
def cholesky(data: Data, count: int = 32768, n: int = 16) -> Work:
    def positive(torch):
        x = data.randn(count, n, n, dtype="float32")
        return x @ x.transpose(1, 2) + n * torch.eye(n, device=x.device)

    a, out = data.make((count, n, n), "float32", positive), data.empty(count, n, n, dtype="float32")

    def launch(k, BATCH, **options):
        grid = (tilewright.cdiv(count, BATCH),)
        k.cholesky_kernel[grid](a, out, count, N=n, BATCH=BATCH, **options)

    return Work(
        "transforms", launch, [(out, lambda: data.torch.linalg.cholesky(a.double()))],
        count_bytes(a, out), tolerance=1e-4,
        configs=[{"BATCH": b, "num_warps": w} for b, w in ((1, 1), (4, 4), (8, 4))],
    )  # fmt: skip


@tilewright.jit
def yuv_kernel(rgb, out, H, W, BH: tl.constexpr, BW: tl.constexpr):
    """Bytes of three channels to a plane of luma and one of chroma, of four pixels each."""
    y = tl.program_id(0) * BH + tl.arange(0, BH)
    x = tl.program_id(1) * BW + tl.arange(0, BW)
    mask = (y < H)[:, None] & (x < W)[None, :]
    at = rgb + (y[:, None] * W + x[None, :]) * 3
    r = tl.load(at, mask=mask, other=0).to(tl.float32)
    g = tl.load(at + 1, mask=mask, other=0).to(tl.float32)
    b = tl.load(at + 2, mask=mask, other=0).to(tl.float32)
    luma = 0.299 * r + 0.587 * g + 0.114 * b
    tl.store(
        out + y[:, None] * W + x[None, :], tl.clamp(luma + 0.5, 0, 255).to(tl.uint8), mask=mask
    )
    u = tl.reshape(-0.1687 * r - 0.3313 * g + 0.5 * b, (BH // 2, 2, BW // 2, 2))
    v = tl.reshape(0.5 * r - 0.4187 * g - 0.0813 * b, (BH // 2, 2, BW // 2, 2))
    u = tl.sum(tl.sum(u, axis=3), axis=1) * 0.25 + 128.5
    v = tl.sum(tl.sum(v, axis=3), axis=1) * 0.25 + 128.5
    both = tl.interleave(tl.clamp(u, 0, 255).to(tl.uint8), tl.clamp(v, 0, 255).to(tl.uint8))
    cy = tl.program_id(0) * (BH // 2) + tl.arange(0, BH // 2)
    inside = (cy < H // 2)[:, None] & (x < W)[None, :]
    tl.store(out + H * W + cy[:, None] * W + x[None, :], both, mask=inside)


@case
def rgb_to_nv12(data: Data, h: int = 2160, w: int = 3840) -> Work:
    rgb, out = (
        data.randint(0, 256, h, w, 3, dtype="uint8"),
        data.empty(h * w * 3 // 2, dtype="uint8"),
    )

    def launch(k, BH, BW, **options):
        grid = (tilewright.cdiv(h, BH), tilewright.cdiv(w, BW))
        k.yuv_kernel[grid](rgb, out, h, w, BH=BH, BW=BW, **options)

    def expected():
        torch = data.torch
        r, g, b = rgb.float().unbind(2)
        luma = (0.299 * r + 0.587 * g + 0.114 * b + 0.5).floor()
        u, v = -0.1687 * r - 0.3313 * g + 0.5 * b, 0.5 * r - 0.4187 * g - 0.0813 * b
        chroma = [x.view(h // 2, 2, w // 2, 2).mean((1, 3)) + 128.5 for x in (u, v)]
        chroma = torch.stack(chroma, 2).clamp(0, 255).floor()
        return torch.cat((luma.clamp(0, 255).flatten(), chroma.flatten()))

    # Off by one where it is near an integer.
    return Work(
        "transforms", launch, [(out, expected)], count_bytes(rgb, out), tolerance=0.01,
        scales={0: lambda: 100.0},
        configs=[{"BH": a, "BW": b, "num_warps": 4} for a, b in ((2, 512), (2, 1024), (16, 64))],
    )  # fmt: skip
