"""Numbers of few bits: to them, back from them, and what rotates rows before."""

from __future__ import annotations

import tilewright
import tilewright.language as tl
from bench.users.case import Data, case
from bench.work import Work, count_bytes


def _blocks(name, *pairs):
    return [{name: block, "num_warps": warps} for block, warps in pairs]


@tilewright.jit
def codebook_kernel(codes, book, out, n, GROUPS: tl.constexpr, SIZE: tl.constexpr):
    """Vectors of eight from a book of SIZE of them, by codes of a byte."""
    offs = tl.program_id(0) * GROUPS + tl.arange(0, GROUPS)
    mask = offs < n
    code = tl.load(codes + offs, mask=mask, other=0).to(tl.int32)
    entries = tl.arange(0, SIZE)
    for j in tl.static_range(8):
        column = tl.load(book + entries * 8 + j)
        value = tl.gather(column, code, axis=0)
        tl.store(out + offs * 8 + j, value, mask=mask)


@case
def codebook(data: Data, n: int = 1 << 21) -> Work:
    codes = data.randint(0, 256, n, dtype="uint8")
    book = data.randn(256, 8)
    out = data.empty(n, 8)

    def launch(k, GROUPS, **options):
        grid = (tilewright.cdiv(n, GROUPS),)
        k.codebook_kernel[grid](codes, book, out, n, GROUPS=GROUPS, SIZE=256, **options)

    return Work(
        "quantization", launch, [(out, lambda: book[codes.long()])], count_bytes(codes, out),
        configs=_blocks("GROUPS", (256, 4), (512, 4), (1024, 8)),
    )  # fmt: skip


@tilewright.jit
def codebook_row_kernel(codes, book, scales, out, n_cols, BLOCK: tl.constexpr):
    """A book of 16 numbers in a tile; codes of four bits, two a byte; a scale a row."""
    row = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    half = n_cols // 2
    mask = cols < half
    packed = tl.load(codes + row * half + cols, mask=mask, other=0).to(tl.int32)
    numbers = tl.load(book + tl.arange(0, 16))
    low = tl.gather(numbers, packed & 15, axis=0)
    high = tl.gather(numbers, packed >> 4, axis=0)
    scale = tl.load(scales + row)
    both = tl.interleave(low * scale, high * scale)
    places = tl.program_id(1) * BLOCK * 2 + tl.arange(0, 2 * BLOCK)
    tl.store(out + row * n_cols + places, both.to(out.dtype.element_ty), mask=places < n_cols)


@case
def codebook_row(data: Data, rows: int = 4096, columns: int = 8192) -> Work:
    codes = data.randint(0, 256, rows, columns // 2, dtype="uint8")
    book, scales = data.randn(16, dtype="float32"), data.rand(rows)
    out = data.empty(rows, columns)

    def launch(k, BLOCK, **options):
        grid = (rows, tilewright.cdiv(columns // 2, BLOCK))
        k.codebook_row_kernel[grid](codes, book, scales, out, columns, BLOCK=BLOCK, **options)

    def expected():
        code = codes.int()
        both = data.torch.stack((code & 15, code >> 4), -1).view(rows, columns)
        return book[both.long()] * scales[:, None]

    return Work(
        "quantization", launch, [(out, expected)], count_bytes(codes, out), tolerance=2e-3,
        configs=_blocks("BLOCK", (512, 4), (1024, 4), (2048, 4)),
    )  # fmt: skip


@tilewright.jit
def token_quant_kernel(x, out, scales, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    value = tl.load(x + row * n_cols + cols, mask=mask, other=0.0).to(tl.float32)
    top = tl.maximum(tl.max(tl.abs(value), axis=0), 1e-10)
    scale = top / 127.0
    number = value * (127.0 / top)
    number = tl.where(number >= 0, number + 0.5, number - 0.5).to(tl.int8)
    tl.store(out + row * n_cols + cols, number, mask=mask)
    tl.store(scales + row, scale)


@case
def token_quant(data: Data, rows: int = 16384, columns: int = 4096) -> Work:
    x = data.randn(rows, columns)
    out, scales = data.empty(rows, columns, dtype="int8"), data.empty(rows, dtype="float32")

    def launch(k, **options):
        k.token_quant_kernel[(rows,)](x, out, scales, columns, BLOCK=columns, **options)

    def right_scales():
        return x.float().abs().amax(1).clamp(min=1e-10) / 127

    def expected():
        return (x.float() / right_scales()[:, None]).round()

    return Work(
        "quantization", launch, [(scales, right_scales), (out, expected)], count_bytes(x, out),
        tolerance=1e-2, scales={1: lambda: 110.0},
        configs=({"num_warps": 4}, {"num_warps": 8}, {"num_warps": 16}),
    )  # fmt: skip


@tilewright.jit
def group_quant_fp8_kernel(x, out, scales, groups, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    g = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    cols = tl.arange(0, GROUP)
    mask = (g < groups)[:, None]
    place = g[:, None] * GROUP + cols[None, :]
    value = tl.load(x + place, mask=mask, other=0.0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(value), axis=1), 1e-10) / 448.0
    number = tl.clamp(value / scale[:, None], -448.0, 448.0)
    tl.store(out + place, number.to(out.dtype.element_ty), mask=mask)
    tl.store(scales + g, scale, mask=g < groups)


@case
def group_quant_fp8(data: Data, rows: int = 8192, columns: int = 4096) -> Work:
    groups = rows * columns // 128
    x = data.randn(groups, 128, dtype="bfloat16")
    out = data.empty(groups, 128, dtype="float8_e4m3fn")
    scales = data.empty(groups, dtype="float32")

    def launch(k, BLOCK, **options):
        grid = (tilewright.cdiv(groups, BLOCK),)
        k.group_quant_fp8_kernel[grid](x, out, scales, groups, GROUP=128, BLOCK=BLOCK, **options)

    def right_scales():
        return x.float().abs().amax(1).clamp(min=1e-10) / 448

    return Work(
        "quantization", launch,
        [(scales, right_scales), (out, lambda: x.float() / right_scales()[:, None])],
        count_bytes(x, out), tolerance=7e-2, configs=_blocks("BLOCK", (8, 4), (16, 4), (32, 4)),
    )  # fmt: skip


@tilewright.jit
def nf4_dequant_kernel(codes, scales, out, n, PER_SCALE: tl.constexpr, BLOCK: tl.constexpr):
    """Sixteen levels by a tree of choices, as no table is at hand."""
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    packed = tl.load(codes + offs // 2, mask=mask, other=0).to(tl.int32)
    code = tl.where(offs % 2 == 0, packed >> 4, packed & 15)
    scale = tl.load(scales + offs // PER_SCALE, mask=mask, other=0.0)
    x = code.to(tl.float32)
    level = tl.where(
        code < 8,
        tl.where(code < 4, x * 0.2 - 1.0, x * 0.1 - 0.7),
        tl.where(code < 12, x * 0.08 - 0.6, x * 0.15 - 1.3),
    )
    tl.store(out + offs, (level * scale).to(out.dtype.element_ty), mask=mask)


@case
def nf4_dequant(data: Data, n: int = 1 << 25) -> Work:
    codes, scales = data.randint(0, 256, n // 2, dtype="uint8"), data.rand(n // 64)
    out = data.empty(n)

    def launch(k, BLOCK, **options):
        grid = (tilewright.cdiv(n, BLOCK),)
        k.nf4_dequant_kernel[grid](codes, scales, out, n, PER_SCALE=64, BLOCK=BLOCK, **options)

    def expected():
        torch = data.torch
        number = torch.stack((codes >> 4, codes & 15), -1).view(-1).float()
        low = torch.where(number < 4, number * 0.2 - 1.0, number * 0.1 - 0.7)
        high = torch.where(number < 12, number * 0.08 - 0.6, number * 0.15 - 1.3)
        level = torch.where(number < 8, low, high)
        return level * scales.repeat_interleave(64)

    return Work(
        "quantization", launch, [(out, expected)], count_bytes(codes, scales, out),
        tolerance=2e-3, configs=_blocks("BLOCK", (1024, 4), (2048, 4), (4096, 8)),
    )  # fmt: skip


@tilewright.jit
def awq_dequant_kernel(packed, zeros, scales, out, N, GROUP: tl.constexpr, BK: tl.constexpr,
                       BN: tl.constexpr):  # fmt: skip
    """Eight columns a word, in an order of their own."""
    rows = tl.program_id(0) * BK + tl.arange(0, BK)
    words = tl.program_id(1) * BN + tl.arange(0, BN)
    word = tl.load(packed + rows[:, None] * (N // 8) + words[None, :])
    zero = tl.load(zeros + (rows // GROUP)[:, None] * (N // 8) + words[None, :])
    word = tl.interleave(word, word)
    word = tl.interleave(word, word)
    word = tl.interleave(word, word)
    zero = tl.interleave(zero, zero)
    zero = tl.interleave(zero, zero)
    zero = tl.interleave(zero, zero)
    lane = tl.arange(0, BN * 8) % 8
    shift = ((lane % 2) * 4 + lane // 2) * 4
    number = ((word >> shift[None, :]) & 15) - ((zero >> shift[None, :]) & 15)
    cols = tl.program_id(1) * BN * 8 + tl.arange(0, BN * 8)
    scale = tl.load(scales + (rows // GROUP)[:, None] * N + cols[None, :])
    tl.store(out + rows[:, None] * N + cols[None, :], number.to(scale.dtype) * scale)


@case
def awq_dequant(data: Data, k: int = 8192, n: int = 4096) -> Work:
    packed = data.randint(-(2**31), 2**31 - 1, k, n // 8)
    zeros = data.randint(-(2**31), 2**31 - 1, k // 128, n // 8)
    scales = data.randn(k // 128, n)
    out = data.empty(k, n)
    rows = k

    def launch(k, BK, BN, **options):
        k.awq_dequant_kernel[rows // BK, n // 8 // BN](
            packed, zeros, scales, out, n, GROUP=128, BK=BK, BN=BN, **options
        )

    def expected():
        torch = data.torch
        lane = torch.arange(8, device=packed.device, dtype=torch.int32)
        shift = (lane % 2 * 4 + lane // 2) * 4
        number = ((packed[..., None] >> shift) & 15).view(rows, n)
        zero = ((zeros[..., None] >> shift) & 15).view(-1, n).repeat_interleave(128, 0)
        return (number - zero).half() * scales.repeat_interleave(128, 0)

    configs = [{"BK": a, "BN": b, "num_warps": 4} for a, b in ((32, 32), (16, 64), (64, 16))]
    return Work(
        "quantization", launch, [(out, expected)], count_bytes(packed, out), tolerance=2e-3,
        configs=configs,
    )  # fmt: skip


@tilewright.jit
def silu_mul_quant_kernel(x, out, scales, H, BLOCK: tl.constexpr):
    """SiLU of one half of a row times the other one, in 8-bit floats with a scale a row."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < H
    gate = tl.load(x + row * 2 * H + cols, mask=mask, other=0.0).to(tl.float32)
    up = tl.load(x + row * 2 * H + H + cols, mask=mask, other=0.0).to(tl.float32)
    value = gate * tl.sigmoid(gate) * up
    scale = tl.maximum(tl.max(tl.abs(value), axis=0), 1e-10) / 448.0
    number = tl.minimum(tl.maximum(value / scale, -448.0), 448.0)
    tl.store(out + row * H + cols, number.to(tl.float8e4nv), mask=mask)
    tl.store(scales + row, scale)


@case
def silu_mul_quant(data: Data, rows: int = 8192, h: int = 2816) -> Work:
    x = data.randn(rows, 2 * h, dtype="bfloat16")
    out = data.empty(rows, h, dtype="float8_e4m3fn")
    scales = data.empty(rows, dtype="float32")

    def launch(k, **options):
        k.silu_mul_quant_kernel[(rows,)](
            x, out, scales, h, BLOCK=tilewright.next_power_of_2(h), **options
        )

    def value():
        return data.torch.nn.functional.silu(x[:, :h].float()) * x[:, h:].float()

    def right_scales():
        return value().abs().amax(1) / 448

    return Work(
        "quantization", launch,
        [(scales, right_scales), (out, lambda: value() / right_scales()[:, None])],
        count_bytes(x, out), tolerance=7e-2, configs=({"num_warps": 4}, {"num_warps": 8}),
    )  # fmt: skip


@tilewright.jit
def hadamard_kernel(x, out, rows, scale, N: tl.constexpr, LOG: tl.constexpr, BM: tl.constexpr):
    """The fast Walsh-Hadamard transform of rows, by reshapes and splits."""
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.arange(0, N)
    mask = (r < rows)[:, None]
    value = tl.load(x + r[:, None] * N + cols[None, :], mask=mask, other=0.0).to(tl.float32)
    for _ in tl.static_range(LOG):
        pairs = tl.reshape(value, (BM, N // 2, 2))
        a, b = tl.split(pairs)
        value = tl.reshape(tl.permute(tl.join(a + b, a - b), (0, 2, 1)), (BM, N))
    place = out + r[:, None] * N + cols[None, :]
    tl.store(place, (value * scale).to(out.dtype.element_ty), mask=mask)


@case
def hadamard(data: Data, rows: int = 65536, n: int = 256) -> Work:
    x, out = data.randn(rows, n), data.empty(rows, n)
    steps = n.bit_length() - 1

    def launch(k, BM, **options):
        grid = (tilewright.cdiv(rows, BM),)
        k.hadamard_kernel[grid](x, out, rows, n**-0.5, N=n, LOG=steps, BM=BM, **options)

    def expected():
        value = x.float()
        for _ in range(steps):
            pairs = value.view(rows, n // 2, 2)
            a, b = pairs[..., 0], pairs[..., 1]
            value = data.torch.cat((a + b, a - b), 1)
        return value * n**-0.5

    return Work(
        "quantization", launch, [(out, expected)], count_bytes(x, out), tolerance=2e-3,
        configs=_blocks("BM", (4, 4), (8, 4), (16, 4)),
    )  # fmt: skip


@tilewright.jit
def mxfp4_quant_kernel(x, out, scales, groups, BLOCK: tl.constexpr):
    """Groups of 32 to 4-bit floats with a shared power of two, two a byte."""
    g = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    cols = tl.arange(0, 32)
    mask = (g < groups)[:, None]
    value = tl.load(x + g[:, None] * 32 + cols[None, :], mask=mask, other=0.0).to(tl.float32)
    top = tl.max(tl.abs(value), axis=1)
    exponent = ((top.to(tl.int32, bitcast=True) >> 23) & 0xFF) - 2
    exponent = tl.maximum(exponent, 1)
    inverse = ((254 - exponent) << 23).to(tl.float32, bitcast=True)
    size = tl.abs(value) * inverse[:, None]
    code = (
        (size > 0.25).to(tl.int32) + (size > 0.75).to(tl.int32) + (size > 1.25).to(tl.int32)
        + (size > 1.75).to(tl.int32) + (size > 2.5).to(tl.int32) + (size > 3.5).to(tl.int32)
        + (size > 5.0).to(tl.int32)
    )  # fmt: skip
    code = code | tl.where(value < 0, 8, 0)
    low, high = tl.split(tl.reshape(code, (BLOCK, 16, 2)))
    packed = (low | (high << 4)).to(tl.uint8)
    place = out + g[:, None] * 16 + tl.arange(0, 16)[None, :]
    tl.store(place, packed, mask=mask)
    tl.store(scales + g, exponent.to(tl.uint8), mask=g < groups)


@case
def mxfp4_quant(data: Data, rows: int = 8192, columns: int = 4096) -> Work:
    groups = rows * columns // 32
    x = data.randn(groups, 32, dtype="bfloat16")
    out = data.empty(groups, 16, dtype="uint8")
    scales = data.empty(groups, dtype="uint8")

    def launch(k, BLOCK, **options):
        grid = (tilewright.cdiv(groups, BLOCK),)
        k.mxfp4_quant_kernel[grid](x, out, scales, groups, BLOCK=BLOCK, **options)

    def right_scales():
        torch = data.torch
        top = x.float().abs().amax(1)
        return (((top.view(torch.int32) >> 23) & 0xFF) - 2).clamp(min=1)

    def expected():
        torch = data.torch
        size = x.float().abs() * 2.0 ** (127.0 - right_scales())[:, None]
        edges = torch.tensor([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0], device=x.device)
        code = torch.bucketize(size, edges) + torch.where(x < 0, 8, 0)
        return code[:, ::2] + 16 * code[:, 1::2]

    return Work(
        "quantization", launch, [(scales, right_scales), (out, expected)], count_bytes(x, out),
        configs=_blocks("BLOCK", (32, 4), (64, 4), (128, 4)),
    )  # fmt: skip
