"""Weights in few bits: codes of 8 bits, GPTQ, ternary, micro-scaled; fp8 by assembly."""

from __future__ import annotations

import tilewright
import tilewright.language as tl
from bench.users.case import Data, case
from bench.work import Work, count_bytes


@tilewright.jit
def nearest_code(x, codes):
    """The nearest of 256 sorted codes, by halving."""
    low = tl.zeros(x.shape, dtype=tl.int32)
    high = tl.full(x.shape, 255, dtype=tl.int32)
    for _ in tl.static_range(8):
        middle = (low + high) // 2
        right = x > tl.load(codes + middle)
        low = tl.where(right, middle, low)
        high = tl.where(right, high, middle)
    below, above = tl.load(codes + low), tl.load(codes + high)
    return tl.where(x - below < above - x, low, high)


@tilewright.jit
def quantize_blocks_kernel(x, codes, out, absmax, n, SIZE: tl.constexpr, BLOCKS: tl.constexpr):
    pid = tl.program_id(0)
    block = pid * BLOCKS + tl.arange(0, BLOCKS)
    place = block[:, None] * SIZE + tl.arange(0, SIZE)[None, :]
    mask = place < n
    value = tl.load(x + place, mask=mask, other=0.0).to(tl.float32)
    most = tl.max(tl.abs(value), axis=1)
    code = nearest_code(value / tl.maximum(most, 1e-30)[:, None], codes)
    tl.store(absmax + block, most, mask=block * SIZE < n)
    tl.store(out + place, code.to(tl.uint8), mask=mask)


def _codes(torch):
    """Of 8 bits: signs and powers of ten, by steps."""
    values = [0.0, 1.0]
    for power in range(7):
        steps = torch.linspace(0.1, 1, 2**power + 1)
        middles = (steps[:-1] + steps[1:]) / 2
        values += [sign * float(m) * 10.0 ** (power - 6) for m in middles for sign in (1, -1)]
    return torch.tensor(sorted(values))


@case
def quantize_blocks(data: Data, n: int = 1 << 24, size: int = 256) -> Work:
    x, codes = data.randn(n, dtype="bfloat16"), data.make((256,), "float32", _codes)
    out, absmax = data.empty(n, dtype="uint8"), data.empty(n // size, dtype="float32")

    def launch(k, BLOCKS, **options):
        grid = (tilewright.cdiv(n, size * BLOCKS),)
        k.quantize_blocks_kernel[grid](
            x, codes, out, absmax, n, SIZE=size, BLOCKS=BLOCKS, **options
        )

    def most():
        return x.float().view(-1, size).abs().amax(1)

    def nearest():
        torch = data.torch
        scaled = (x.float().view(-1, size) / most().clamp(min=1e-30)[:, None]).flatten()
        above = torch.searchsorted(codes, scaled).clamp(1, 255)
        below = above - 1
        return torch.where(scaled - codes[below] < codes[above] - scaled, below, above)

    # Off by one code where both are as near.
    return Work(
        "packed", launch, [(absmax, most), (out, nearest)], count_bytes(x, out), tolerance=0.01,
        scales={1: lambda: 100.0},
        configs=[{"BLOCKS": b, "num_warps": w} for b, w in ((1, 4), (4, 4), (8, 8))],
    )  # fmt: skip


@tilewright.jit
def dequantize_blocks_kernel(q, codes, absmax, out, n, SIZE: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    code = tl.load(q + offs, mask=mask, other=0).to(tl.int32)
    scale = tl.load(absmax + offs // SIZE, mask=mask, other=0.0, eviction_policy="evict_last")
    value = tl.load(codes + code, mask=mask, other=0.0) * scale
    tl.store(out + offs, value.to(out.dtype.element_ty), mask=mask)


@case
def dequantize_blocks(data: Data, n: int = 1 << 25, size: int = 256) -> Work:
    q, codes = data.randint(0, 256, n, dtype="uint8"), data.make((256,), "float32", _codes)
    absmax, out = data.rand(n // size), data.empty(n, dtype="bfloat16")

    def launch(k, BLOCK, **options):
        grid = (tilewright.cdiv(n, BLOCK),)
        k.dequantize_blocks_kernel[grid](
            q, codes, absmax, out, n, SIZE=size, BLOCK=BLOCK, **options
        )

    def expected():
        return codes[q.long()] * absmax.repeat_interleave(size)

    return Work(
        "packed", launch, [(out, expected)], count_bytes(q, out), tolerance=1e-2,
        configs=[{"BLOCK": b, "num_warps": w} for b, w in ((512, 4), (1024, 4), (2048, 4))],
    )  # fmt: skip


@tilewright.jit
def gptq_mm_kernel(a, packed, scales, zeros, groups, out, M, N, K, BM: tl.constexpr,
                   BN: tl.constexpr, BK: tl.constexpr, GROUP_M: tl.constexpr):  # fmt: skip
    """Eight numbers of 4 bits along K a word; groups of rows in any order."""
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(M, BM)
    tiles_n = tl.cdiv(N, BN)
    in_group = GROUP_M * tiles_n
    first_m = (pid // in_group) * GROUP_M
    size = min(tiles_m - first_m, GROUP_M)
    pid_m = first_m + (pid % size)
    pid_n = (pid % in_group) // size
    rows = pid_m * BM + tl.arange(0, BM)
    cols = pid_n * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_ptrs = a + rows[:, None] * K + k[None, :]
    b_ptrs = packed + (k[:, None] // 8) * N + cols[None, :]
    g_ptrs = groups + k
    shift = (k % 8) * 4
    zero_shift = (cols % 8) * 4
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, tl.cdiv(K, BK)):
        group = tl.load(g_ptrs)
        scale = tl.load(scales + group[:, None] * N + cols[None, :])
        zero = tl.load(zeros + group[:, None] * (N // 8) + cols[None, :] // 8)
        zero = ((zero >> zero_shift[None, :]) & 0xF) + 1
        x = tl.load(a_ptrs, mask=rows[:, None] < M, other=0.0)
        word = tl.load(b_ptrs)
        number = (word >> shift[:, None]) & 0xF
        weight = (number - zero).to(tl.float16) * scale
        acc += tl.dot(x, weight)
        a_ptrs += BK
        b_ptrs += (BK // 8) * N
        g_ptrs += BK
    place = out + rows[:, None] * N + cols[None, :]
    tl.store(place, acc.to(tl.float16), mask=(rows[:, None] < M) & (cols[None, :] < N))


def _gptq(data, m, n, k, block):
    a = data.randn(m, k)
    word = data.randint(-(2**31), 2**31 - 1, k // 8, n)
    scales = data.make((k // 128, n), "float16", lambda torch: data.rand(k // 128, n) * 0.02)
    zeros = data.randint(-(2**31), 2**31 - 1, k // 128, n // 8)
    groups = data.make((k,), "int32", lambda torch: torch.arange(k) // 128)
    out = data.empty(m, n)

    def launch(kernels, BM, BN, **options):
        grid = (tilewright.cdiv(m, BM) * tilewright.cdiv(n, BN),)
        kernels.gptq_mm_kernel[grid](
            a, word, scales, zeros, groups, out, m, n, k, BM=BM, BN=BN, GROUP_M=8, **options
        )

    def expected():
        torch = data.torch
        bits = torch.arange(0, 32, 4, device=a.device)
        numbers = ((word[:, None] >> bits[None, :, None]) & 15).reshape(k, n)
        zero = ((zeros[:, :, None] >> bits) & 15).reshape(k // 128, n) + 1
        where = groups.long()
        weight = ((numbers - zero[where]).half() * scales[where]).float()
        return a.float() @ weight

    return Work(
        "packed", launch, [(out, expected)], 2.0 * m * n * k, "TFLOP/s", tolerance=1e-2,
        configs=[
            {"BM": x, "BN": y, "BK": z, "num_warps": w, "num_stages": s} for x, y, z, w, s in block
        ],
    )  # fmt: skip


@case
def gptq_decode(data: Data, m: int = 16, n: int = 4096, k: int = 4096) -> Work:
    return _gptq(data, m, n, k, ((16, 32, 64, 2, 3), (16, 64, 64, 4, 3), (16, 32, 128, 4, 3)))


@case
def gptq_prefill(data: Data, m: int = 2048, n: int = 4096, k: int = 4096) -> Work:
    return _gptq(data, m, n, k, ((64, 128, 32, 4, 3), (128, 128, 32, 8, 3), (64, 64, 64, 4, 3)))


@tilewright.jit
def ternary_mm_kernel(a, packed, a_scale, w_scale, out, M, N, K, BM: tl.constexpr,
                      BN: tl.constexpr, BK: tl.constexpr):  # fmt: skip
    """Bytes by weights of -1, 0 and 1, four a byte, each of another quarter of K."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    quarter = K // 4
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.int32)
    for i in tl.static_range(4):
        a_ptrs = a + rows[:, None] * K + i * quarter + k[None, :]
        w_ptrs = packed + cols[None, :] * quarter + k[:, None]
        for _ in range(0, quarter // BK):
            x = tl.load(a_ptrs, mask=rows[:, None] < M, other=0)
            byte = tl.load(w_ptrs, mask=cols[None, :] < N, other=0)
            weight = ((byte >> (2 * i)) & 3).to(tl.int8) - 1
            acc += tl.dot(x, weight)
            a_ptrs += BK
            w_ptrs += BK
    scale = tl.load(a_scale + rows, mask=rows < M, other=0.0)
    result = acc.to(tl.float32) * scale[:, None] * tl.load(w_scale)
    mask = (rows < M)[:, None] & (cols < N)[None, :]
    tl.store(out + rows[:, None] * N + cols[None, :], result.to(out.dtype.element_ty), mask=mask)


@case
def ternary_mm(data: Data, m: int = 256, n: int = 4096, k: int = 4096) -> Work:
    a = data.randint(-127, 128, m, k, dtype="int8")

    def pack(torch):
        draw = torch.Generator().manual_seed(0)
        parts = [torch.randint(0, 3, (n, k // 4), generator=draw) << (2 * i) for i in range(4)]
        return sum(parts)

    packed = data.make((n, k // 4), "uint8", pack)
    a_scale = data.rand(m)
    w_scale = data.make((1,), "float32", lambda torch: torch.full((1,), 0.01))
    out = data.empty(m, n, dtype="bfloat16")

    def launch(kernels, BM, BN, **options):
        grid = (tilewright.cdiv(m, BM), tilewright.cdiv(n, BN))
        kernels.ternary_mm_kernel[grid](
            a, packed, a_scale, w_scale, out, m, n, k, BM=BM, BN=BN, **options
        )

    def expected():
        torch = data.torch
        parts = [((packed.int() >> (2 * i)) & 3) - 1 for i in range(4)]
        weight = torch.cat(parts, 1).float()
        return (a.float() @ weight.T) * a_scale[:, None] * w_scale

    return Work(
        "packed", launch, [(out, expected)], 2.0 * m * n * k, "TFLOP/s", tolerance=1e-2,
        configs=[
            {"BM": x, "BN": y, "BK": z, "num_warps": w, "num_stages": 3}
            for x, y, z, w in ((64, 64, 128, 4), (128, 128, 64, 8), (64, 128, 128, 4))
        ],
    )  # fmt: skip


@tilewright.jit
def mx_mm_kernel(a, a_scale, b, b_scale, out, M, N, K, A_FORMAT: tl.constexpr,
                 B_FORMAT: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                 BK: tl.constexpr):  # fmt: skip
    """Numbers of 8 or 4 bits with a power of two for 32 of them along K; b lies along K."""
    PACK_A: tl.constexpr = 2 if A_FORMAT == "e2m1" else 1
    PACK_B: tl.constexpr = 2 if B_FORMAT == "e2m1" else 1
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    ka = tl.arange(0, BK // PACK_A)
    kb = tl.arange(0, BK // PACK_B)
    ks = tl.arange(0, BK // 32)
    a_ptrs = a + rows[:, None] * (K // PACK_A) + ka[None, :]
    b_ptrs = b + cols[None, :] * (K // PACK_B) + kb[:, None]
    as_ptrs = a_scale + rows[:, None] * (K // 32) + ks[None, :]
    bs_ptrs = b_scale + cols[:, None] * (K // 32) + ks[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in tl.range(0, tl.cdiv(K, BK)):
        acc = tl.dot_scaled(
            tl.load(a_ptrs), tl.load(as_ptrs), A_FORMAT, tl.load(b_ptrs), tl.load(bs_ptrs),
            B_FORMAT, acc,
        )  # fmt: skip
        a_ptrs += BK // PACK_A
        b_ptrs += BK // PACK_B
        as_ptrs += BK // 32
        bs_ptrs += BK // 32
    mask = (rows < M)[:, None] & (cols < N)[None, :]
    tl.store(out + rows[:, None] * N + cols[None, :], acc.to(out.dtype.element_ty), mask=mask)


@case
def mx_mm(data: Data, m: int = 2048, n: int = 2048, k: int = 2048) -> Work:
    """Activations in e4m3, weights in 4 bits."""
    a = data.randn(m, k, dtype="float8_e4m3fn")
    b = data.randint(0, 256, n, k // 2, dtype="uint8")
    a_scale = data.randint(124, 130, m, k // 32, dtype="uint8")
    b_scale = data.randint(118, 124, n, k // 32, dtype="uint8")
    out = data.empty(m, n, dtype="bfloat16")

    def launch(kernels, BM, BN, **options):
        grid = (tilewright.cdiv(m, BM), tilewright.cdiv(n, BN))
        kernels.mx_mm_kernel[grid](
            a, a_scale, b, b_scale, out, m, n, k, A_FORMAT="e4m3", B_FORMAT="e2m1", BM=BM, BN=BN,
            **options,
        )  # fmt: skip

    def expected():
        torch = data.torch
        table = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6], device=a.device)
        table = torch.cat((table, -table))
        weight = torch.stack((table[(b & 15).long()], table[(b >> 4).long()]), 2).reshape(n, k)
        left = a.float() * (2.0 ** (a_scale.float() - 127)).repeat_interleave(32, 1)
        right = weight * (2.0 ** (b_scale.float() - 127)).repeat_interleave(32, 1)
        return left @ right.T

    return Work(
        "packed", launch, [(out, expected)], 2.0 * m * n * k, "TFLOP/s", tolerance=1e-2,
        configs=[
            {"BM": x, "BN": y, "BK": 128, "num_warps": w, "num_stages": s}
            for x, y, w, s in ((128, 128, 8, 2), (64, 128, 4, 3), (128, 128, 4, 3))
        ],
    )  # fmt: skip


@tilewright.jit
def fp8_to_bf16(x):
    """Four e5m2 a register: each is the upper byte of an f16."""
    return tl.inline_asm_elementwise(
        """
        {
        .reg .b32 a<2>;
        .reg .b16 h<4>;
        .reg .f32 f<4>;
        prmt.b32 a0, 0, $2, 0x5040;
        prmt.b32 a1, 0, $2, 0x7060;
        mov.b32 {h0, h1}, a0;
        mov.b32 {h2, h3}, a1;
        cvt.f32.f16 f0, h0;
        cvt.f32.f16 f1, h1;
        cvt.f32.f16 f2, h2;
        cvt.f32.f16 f3, h3;
        cvt.rn.bf16x2.f32 $0, f1, f0;
        cvt.rn.bf16x2.f32 $1, f3, f2;
        }
        """,
        "=r,=r,r", [x], dtype=tl.bfloat16, is_pure=True, pack=4,
    )  # fmt: skip


@tilewright.jit
def fast_tanh(x):
    return tl.inline_asm_elementwise(
        "tanh.approx.f32 $0, $1;", "=r,r", [x], dtype=tl.float32, is_pure=True, pack=1
    )


@tilewright.jit
def fp8_gelu_kernel(x, scale, out, n, BLOCK: tl.constexpr):
    """GELU by tanh of e5m2 that assembly widens."""
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    raw = tl.load(x + offs, mask=mask, other=0)
    value = fp8_to_bf16(raw).to(tl.float32) * tl.load(scale)
    inner = 0.7978845608 * (value + 0.044715 * value * value * value)
    result = 0.5 * value * (1 + fast_tanh(inner))
    tl.store(out + offs, result.to(out.dtype.element_ty), mask=mask)


@case
def fp8_gelu(data: Data, n: int = 1 << 25) -> Work:
    def bits(torch):
        return data.randn(n, dtype="float32").to(torch.float8_e5m2).view(torch.uint8)

    x = data.make((n,), "uint8", bits)
    scale = data.make((1,), "float32", lambda torch: torch.full((1,), 0.5))
    out = data.empty(n, dtype="bfloat16")

    def launch(k, BLOCK, **options):
        grid = (tilewright.cdiv(n, BLOCK),)
        k.fp8_gelu_kernel[grid](x, scale, out, n, BLOCK=BLOCK, **options)

    def expected():
        torch = data.torch
        value = x.view(torch.float8_e5m2).float() * 0.5
        return torch.nn.functional.gelu(value, approximate="tanh")

    return Work(
        "packed", launch, [(out, expected)], count_bytes(x, out), tolerance=2e-2,
        configs=[{"BLOCK": b, "num_warps": w} for b, w in ((1024, 4), (2048, 4), (4096, 8))],
    )  # fmt: skip
