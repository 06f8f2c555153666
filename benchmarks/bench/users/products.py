"""Products: of matrices in several styles, by vectors, in 8 bits, of experts, with epilogues."""

from __future__ import annotations

import tilewright
import tilewright.language as tl
from bench.users.case import Data, case, plain
from bench.work import Work, count_bytes


def tiles(*lists):
    """Configurations of "BM BN BK warps stages"."""
    names = ("BM", "BN", "BK", "num_warps", "num_stages")
    return [dict(zip(names, map(int, each.split()), strict=True)) for each in lists]


LARGE = tiles("128 128 64 4 4", "128 256 64 8 3", "128 128 64 8 4")


@tilewright.jit
def swizzle_tile(pid, M, N, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    num_pid_m = tl.cdiv(M, BM)
    num_pid_n = tl.cdiv(N, BN)
    num_pid_in_group = GROUP * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP
    group_size_m = min(num_pid_m - first_pid_m, GROUP)
    pid_m = first_pid_m + (pid % num_pid_in_group) % group_size_m
    pid_n = (pid % num_pid_in_group) // group_size_m
    return pid_m, pid_n


@tilewright.jit
def matmul_kernel(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm,
                  ACC: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                  GROUP: tl.constexpr):  # fmt: skip
    pid_m, pid_n = swizzle_tile(tl.program_id(0), M, N, BM, BN, GROUP)
    offs_m = (pid_m * BM + tl.arange(0, BM)) % M
    offs_n = (pid_n * BN + tl.arange(0, BN)) % N
    offs_k = tl.arange(0, BK)
    a_ptrs = a + offs_m[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b + offs_k[:, None] * stride_bk + offs_n[None, :] * stride_bn
    acc = tl.zeros((BM, BN), dtype=ACC)
    for k in range(0, tl.cdiv(K, BK)):
        left = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BK, other=0.0)
        right = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(left, right, acc, out_dtype=ACC)
        a_ptrs += BK * stride_ak
        b_ptrs += BK * stride_bk
    offs_cm = pid_m * BM + tl.arange(0, BM)
    offs_cn = pid_n * BN + tl.arange(0, BN)
    mask = (offs_cm[:, None] < M) & (offs_cn[None, :] < N)
    place = c + offs_cm[:, None] * stride_cm + offs_cn[None, :]
    tl.store(place, acc.to(c.dtype.element_ty), mask=mask)


def _matmul(data, m, n, k_, dtype, configs, transposed=False, out_type="float16", tolerance=2e-3):
    a = data.randn(m, k_, dtype=dtype)
    b = data.randn(n, k_, dtype=dtype) if transposed else data.randn(k_, n, dtype=dtype)
    c = data.empty(m, n, dtype=out_type)
    strides = (1, k_) if transposed else (n, 1)

    def launch(k, BM, BN, BK, **options):
        grid = (tilewright.cdiv(m, BM) * tilewright.cdiv(n, BN),)
        k.matmul_kernel[grid](
            a, b, c, m, n, k_, k_, 1, *strides, n, ACC=plain(k).tl.float32, BM=BM, BN=BN, BK=BK,
            GROUP=8, **options,
        )  # fmt: skip

    def expected():
        right = b.float().T if transposed else b.float()
        return a.float() @ right

    return Work(
        "products", launch, [(c, expected)], 2.0 * m * n * k_, "TFLOP/s", tolerance=tolerance,
        configs=configs,
    )  # fmt: skip


@case
def mm_fp8(data: Data, size: int = 4096) -> Work:
    return _matmul(
        data, size, size, size, "float8_e4m3fn", tiles("128 128 128 4 4", "128 256 128 8 3"), True,
        "bfloat16", tolerance=3e-2,
    )  # fmt: skip


@case
def mm_f16_masked(data: Data, size: int = 4096) -> Work:
    return _matmul(data, size, size, size, "float16", LARGE)


@case
def mm_bf16_short(data: Data, m: int = 512, n: int = 4096, k: int = 4096) -> Work:
    configs = tiles("64 128 64 4 4", "128 128 64 4 4", "64 64 64 4 4")
    return _matmul(data, m, n, k, "bfloat16", configs, True, "bfloat16", tolerance=2e-2)


@case
def mm_odd(data: Data, m: int = 1111, n: int = 2222, k: int = 3333) -> Work:
    return _matmul(data, m, n, k, "float16", tiles("64 128 32 4 3", "128 128 32 4 3"))


@case
def mm_tf32(data: Data, size: int = 2048) -> Work:
    configs = tiles("128 128 32 8 3", "128 64 32 4 3")
    return _matmul(data, size, size, size, "float32", configs, False, "float32", tolerance=5e-3)


@case
def mm_decode(data: Data, m: int = 16, n: int = 4096, k: int = 4096) -> Work:
    configs = tiles("16 64 128 4 4", "16 32 256 4 3")
    return _matmul(data, m, n, k, "float16", configs, True)


@tilewright.jit
def gemv_kernel(a, x, y, M, N, stride_am, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    a_ptrs = a + rows[:, None] * stride_am + cols[None, :]
    for start in range(0, N, BN):
        inside = cols + start < N
        mask = (rows < M)[:, None] & inside[None, :]
        matrix = tl.load(a_ptrs, mask=mask, other=0.0).to(tl.float32)
        vector = tl.load(x + start + cols, mask=inside, other=0.0).to(tl.float32)
        acc += matrix * vector[None, :]
        a_ptrs += BN
    tl.store(y + rows, tl.sum(acc, axis=1).to(y.dtype.element_ty), mask=rows < M)


@case
def gemv(data: Data, m: int = 16384, n: int = 4096) -> Work:
    a, x = data.randn(m, n), data.randn(n)
    y = data.empty(m)

    def launch(k, BM, BN, **options):
        k.gemv_kernel[(tilewright.cdiv(m, BM),)](a, x, y, m, n, n, BM=BM, BN=BN, **options)

    configs = [
        {"BM": rows, "BN": columns, "num_warps": warps}
        for rows, columns, warps in ((4, 1024, 4), (8, 512, 4), (16, 256, 4), (1, 2048, 4))
    ]
    return Work(
        "products", launch, [(y, lambda: a.float() @ x.float())], count_bytes(a, x, y),
        tolerance=2e-3, configs=configs,
    )  # fmt: skip


@tilewright.jit
def mlp_kernel(x, w, bias, out, M, N, K, ACTIVATION: tl.constexpr, BM: tl.constexpr,
               BN: tl.constexpr, BK: tl.constexpr):  # fmt: skip
    """A dense layer by block pointers; w is N x K, as nn.Linear has it."""
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    x_block = tl.make_block_ptr(
        base=x, shape=(M, K), strides=(K, 1), offsets=(pid_m * BM, 0), block_shape=(BM, BK),
        order=(1, 0),
    )  # fmt: skip
    w_block = tl.make_block_ptr(
        base=w, shape=(K, N), strides=(1, K), offsets=(0, pid_n * BN), block_shape=(BK, BN),
        order=(0, 1),
    )  # fmt: skip
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        left = tl.load(x_block, boundary_check=(0, 1))
        right = tl.load(w_block, boundary_check=(0, 1))
        acc += tl.dot(left, right)
        x_block = tl.advance(x_block, (0, BK))
        w_block = tl.advance(w_block, (BK, 0))
    offs_n = pid_n * BN + tl.arange(0, BN)
    acc += tl.load(bias + offs_n, mask=offs_n < N, other=0.0).to(tl.float32)[None, :]
    if ACTIVATION == "relu2":
        acc = tl.maximum(acc, 0.0)
        acc = acc * acc
    elif ACTIVATION == "gelu":
        acc = acc * 0.5 * (1.0 + tl.erf(acc * 0.7071067811865476))
    out_block = tl.make_block_ptr(
        base=out, shape=(M, N), strides=(N, 1), offsets=(pid_m * BM, pid_n * BN),
        block_shape=(BM, BN), order=(1, 0),
    )  # fmt: skip
    tl.store(out_block, acc.to(out.dtype.element_ty), boundary_check=(0, 1))


def _mlp(data, activation, m, n, k_):
    x, w, bias = data.randn(m, k_), data.randn(n, k_, scale=0.02), data.randn(n)
    out = data.empty(m, n)

    def launch(k, BM, BN, BK, **options):
        grid = (tilewright.cdiv(m, BM), tilewright.cdiv(n, BN))
        k.mlp_kernel[grid](
            x, w, bias, out, m, n, k_, ACTIVATION=activation, BM=BM, BN=BN, BK=BK, **options
        )

    def expected():
        functional = data.torch.nn.functional
        sums = functional.linear(x.float(), w.float(), bias.float())
        if activation == "gelu":
            return functional.gelu(sums)
        return sums.relu() ** 2 if activation == "relu2" else sums

    configs = tiles("128 128 32 4 4", "128 128 32 8 3", "128 128 64 4 3")
    return Work(
        "products", launch, [(out, expected)], 2.0 * m * n * k_, "TFLOP/s", tolerance=4e-3,
        configs=configs,
    )  # fmt: skip


@case
def mlp_relu2(data: Data, m: int = 2048, n: int = 8192, k: int = 1024) -> Work:
    return _mlp(data, "relu2", m, n, k)


@case
def mlp_none(data: Data, m: int = 2048, n: int = 8192, k: int = 1024) -> Work:
    return _mlp(data, "none", m, n, k)


@case
def mlp_gelu(data: Data, m: int = 2048, n: int = 8192, k: int = 1024) -> Work:
    return _mlp(data, "gelu", m, n, k)


@tilewright.jit
def w8a8_kernel(a, b, a_scale, b_scale, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
                BK: tl.constexpr):  # fmt: skip
    pid_m, pid_n = swizzle_tile(tl.program_id(0), M, N, BM, BN, 8)
    offs_m = pid_m * BM + tl.arange(0, BM)
    offs_n = pid_n * BN + tl.arange(0, BN)
    offs_k = tl.arange(0, BK)
    a_ptrs = a + (offs_m % M)[:, None] * K + offs_k[None, :]
    b_ptrs = b + (offs_n % N)[None, :] * K + offs_k[:, None]
    acc = tl.zeros((BM, BN), dtype=tl.int32)
    for _ in range(0, K, BK):
        acc += tl.dot(tl.load(a_ptrs), tl.load(b_ptrs), out_dtype=tl.int32)
        a_ptrs += BK
        b_ptrs += BK
    row_scale = tl.load(a_scale + offs_m, mask=offs_m < M, other=0.0)
    col_scale = tl.load(b_scale + offs_n, mask=offs_n < N, other=0.0)
    result = acc.to(tl.float32) * row_scale[:, None] * col_scale[None, :]
    mask = (offs_m < M)[:, None] & (offs_n < N)[None, :]
    tl.store(c + offs_m[:, None] * N + offs_n[None, :], result.to(tl.bfloat16), mask=mask)


@case
def w8a8(data: Data, m: int = 1024, n: int = 4096, k: int = 4096) -> Work:
    a, b = (data.randint(-128, 128, each, k, dtype="int8") for each in (m, n))
    a_scale, b_scale = data.rand(m), data.rand(n)
    c = data.empty(m, n, dtype="bfloat16")
    size = k

    def launch(k, BM, BN, BK, **options):
        grid = (tilewright.cdiv(m, BM) * tilewright.cdiv(n, BN),)
        k.w8a8_kernel[grid](a, b, a_scale, b_scale, c, m, n, size, BM=BM, BN=BN, BK=BK, **options)

    def expected():
        return (a.double() @ b.double().T) * a_scale[:, None] * b_scale[None, :]

    return Work(
        "products", launch, [(c, expected)], 2.0 * m * n * k, "TFLOP/s", tolerance=5e-3,
        configs=tiles("128 128 128 4 4", "64 128 128 4 4", "128 128 64 8 4"),
    )  # fmt: skip


@tilewright.jit
def int4_matmul_kernel(a, packed, scales, c, M, N, K, GROUP: tl.constexpr, BM: tl.constexpr,
                       BN: tl.constexpr, BK: tl.constexpr):  # fmt: skip
    """Weights of 4 bits, eight of a column in a word, as GPTQ has them; a scale a group."""
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    offs_m = pid_m * BM + tl.arange(0, BM)
    offs_n = pid_n * BN + tl.arange(0, BN)
    offs_k = tl.arange(0, BK)
    a_ptrs = a + (offs_m % M)[:, None] * K + offs_k[None, :]
    w_ptrs = packed + (offs_k // 8)[:, None] * N + offs_n[None, :]
    shift = (offs_k % 8) * 4
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        left = tl.load(a_ptrs)
        words = tl.load(w_ptrs)
        group = (k + offs_k) // GROUP
        scale = tl.load(scales + group[:, None] * N + offs_n[None, :])
        numbers = ((words >> shift[:, None]) & 0xF) - 8
        right = numbers.to(tl.float16) * scale
        acc = tl.dot(left, right, acc)
        a_ptrs += BK
        w_ptrs += (BK // 8) * N
    mask = (offs_m < M)[:, None] & (offs_n < N)[None, :]
    tl.store(c + offs_m[:, None] * N + offs_n[None, :], acc.to(tl.float16), mask=mask)


def _unpack4(torch, packed):
    shifts = torch.arange(0, 32, 4, device=packed.device, dtype=torch.int32)
    words = (packed[:, None, :] >> shifts[None, :, None]) & 0xF
    return words.reshape(-1, packed.shape[1]) - 8


def _int4(data, m, n, k_, configs):
    a = data.randn(m, k_)
    packed = data.randint(-(2**31), 2**31 - 1, k_ // 8, n)
    scales = data.randn(k_ // 128, n, scale=0.05)
    c = data.empty(m, n)

    def launch(k, BM, BN, BK, **options):
        grid = (tilewright.cdiv(m, BM), tilewright.cdiv(n, BN))
        k.int4_matmul_kernel[grid](
            a, packed, scales, c, m, n, k_, GROUP=128, BM=BM, BN=BN, BK=BK, **options
        )

    def expected():
        weights = _unpack4(data.torch, packed).half() * scales.repeat_interleave(128, 0)
        return a.float() @ weights.float()

    return Work(
        "products", launch, [(c, expected)], 2.0 * m * n * k_, "TFLOP/s", tolerance=4e-3,
        configs=configs,
    )  # fmt: skip


@case
def int4_prefill(data: Data, m: int = 1024, n: int = 4096, k: int = 4096) -> Work:
    return _int4(data, m, n, k, tiles("128 128 64 8 3", "64 128 64 4 3"))


@case
def int4_decode(data: Data, m: int = 16, n: int = 4096, k: int = 4096) -> Work:
    return _int4(data, m, n, k, tiles("16 64 64 4 4", "16 32 128 4 4"))


@tilewright.jit
def split_k_kernel(a, b, c, M, N, K, SPLIT: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                   BK: tl.constexpr):  # fmt: skip
    pid = tl.program_id(0)
    pid_k = tl.program_id(1)
    num_pid_n = tl.cdiv(N, BN)
    offs_m = (pid // num_pid_n) * BM + tl.arange(0, BM)
    offs_n = (pid % num_pid_n) * BN + tl.arange(0, BN)
    offs_k = pid_k * BK + tl.arange(0, BK)
    a_ptrs = a + (offs_m % M)[:, None] * K + offs_k[None, :]
    b_ptrs = b + offs_k[:, None] * N + (offs_n % N)[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, tl.cdiv(K, BK * SPLIT)):
        acc += tl.dot(tl.load(a_ptrs), tl.load(b_ptrs))
        a_ptrs += BK * SPLIT
        b_ptrs += BK * SPLIT * N
    mask = (offs_m < M)[:, None] & (offs_n < N)[None, :]
    place = c + offs_m[:, None] * N + offs_n[None, :]
    tl.atomic_add(place, acc, mask=mask, sem="relaxed")


@case
def split_k(data: Data, m: int = 32, n: int = 4096, k: int = 8192) -> Work:
    a, b = data.randn(m, k), data.randn(k, n)
    c = data.zeros(m, n)
    size = k

    def launch(k, BM, BN, BK, SPLIT, **options):
        grid = (tilewright.cdiv(m, BM) * tilewright.cdiv(n, BN), SPLIT)
        k.split_k_kernel[grid](a, b, c, m, n, size, SPLIT=SPLIT, BM=BM, BN=BN, BK=BK, **options)

    configs = [{**each, "SPLIT": 8} for each in tiles("32 128 64 4 4", "32 64 64 4 4")]
    return Work(
        "products", launch, [(c, lambda: a.float() @ b.float())], 2.0 * m * n * k, "TFLOP/s",
        tolerance=2e-3, configs=configs, reset=lambda: c.zero_(),
    )  # fmt: skip


@tilewright.jit
def fused_moe_kernel(a, b, c, topk_weights, sorted_ids, expert_ids, N, K, num_valid, TOP_K,
                     BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):  # fmt: skip
    """Each block of BM sorted tokens has one expert."""
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    tokens = tl.load(sorted_ids + pid_m * BM + tl.arange(0, BM))
    token_mask = tokens < num_valid
    expert = tl.load(expert_ids + pid_m).to(tl.int64)
    offs_n = pid_n * BN + tl.arange(0, BN)
    offs_k = tl.arange(0, BK)
    a_ptrs = a + (tokens // TOP_K)[:, None] * K + offs_k[None, :]
    b_ptrs = b + expert * N * K + offs_n[None, :] * K + offs_k[:, None]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        inside = offs_k < K - k * BK
        left = tl.load(a_ptrs, mask=token_mask[:, None] & inside[None, :], other=0.0)
        right = tl.load(b_ptrs, mask=inside[:, None], other=0.0)
        acc += tl.dot(left, right)
        a_ptrs += BK
        b_ptrs += BK
    weight = tl.load(topk_weights + tokens, mask=token_mask, other=0.0)
    acc = acc * weight[:, None]
    place = c + tokens[:, None] * N + offs_n[None, :]
    tl.store(place, acc.to(c.dtype.element_ty), mask=token_mask[:, None] & (offs_n < N)[None, :])


@case
def fused_moe(
    data: Data, tokens: int = 1024, experts: int = 16, n: int = 2048, k: int = 1024
) -> Work:
    top_k, block = 2, 64
    pairs = tokens * top_k
    longest = pairs + experts * block
    a, b = data.randn(tokens, k), data.randn(experts, n, k, scale=0.05)
    weights = data.rand(pairs)
    chosen = data.randint(0, experts, pairs)
    ids = data.make(
        (longest,), "int32", lambda torch: _sorted_ids(torch, chosen, experts, block)[0]
    )
    owners = data.make(
        (longest // block,), "int32", lambda torch: _sorted_ids(torch, chosen, experts, block)[1]
    )
    c = data.empty(pairs, n)
    size = k

    def launch(k, BM, BN, BK, **options):
        grid = (longest // block, tilewright.cdiv(n, BN))
        k.fused_moe_kernel[grid](
            a, b, c, weights, ids, owners, n, size, pairs, top_k, BM=BM, BN=BN, BK=BK, **options
        )

    def expected():
        rows = a.float().repeat_interleave(top_k, 0)
        out = c.float().clone()
        for expert in range(experts):
            mine = (chosen == expert).nonzero()[:, 0]
            out[mine] = (rows[mine] @ b[expert].float().T) * weights[mine, None]
        return out

    return Work(
        "products", launch, [(c, expected)], 2.0 * pairs * n * k, "TFLOP/s", tolerance=4e-3,
        configs=tiles("64 128 64 4 3", "64 64 64 4 4", "64 128 32 4 4"),
    )  # fmt: skip


def _sorted_ids(torch, chosen, experts, block):
    """Pairs by experts, padded to blocks, and the expert of each block."""
    count = chosen.numel() + experts * block
    ids = torch.full((count,), chosen.numel(), dtype=torch.int32)
    owners = torch.zeros(count // block, dtype=torch.int32)
    start = 0
    for expert in range(experts):
        mine = (chosen == expert).nonzero()[:, 0].cpu().int()
        ids[start : start + len(mine)] = mine
        blocks = -(-len(mine) // block)
        owners[start // block : start // block + blocks] = expert
        start += blocks * block
    return ids, owners


@tilewright.jit
def persistent_desc_kernel(a, b, c, M, N, K, PROGRAMS: tl.constexpr, BM: tl.constexpr,
                           BN: tl.constexpr, BK: tl.constexpr):  # fmt: skip
    a_desc = tl.make_tensor_descriptor(a, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    b_desc = tl.make_tensor_descriptor(b, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
    c_desc = tl.make_tensor_descriptor(c, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    num_tiles = tl.cdiv(M, BM) * tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), num_tiles, PROGRAMS):
        pid_m, pid_n = swizzle_tile(tile, M, N, BM, BN, 8)
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, tl.cdiv(K, BK)):
            left = a_desc.load([pid_m * BM, k * BK])
            right = b_desc.load([pid_n * BN, k * BK])
            acc = tl.dot(left, right.T, acc)
        c_desc.store([pid_m * BM, pid_n * BN], acc.to(c.dtype.element_ty))


@case
def persistent_desc(data: Data, size: int = 4096) -> Work:
    a, b = data.randn(size, size), data.randn(size, size)
    c = data.empty(size, size)

    def launch(k, BM, BN, BK, **options):
        k.persistent_desc_kernel[(132,)](
            a, b, c, size, size, size, PROGRAMS=132, BM=BM, BN=BN, BK=BK, **options
        )

    return Work(
        "products", launch, [(c, lambda: a.float() @ b.float().T)], 2.0 * size**3, "TFLOP/s",
        tolerance=4e-3, configs=tiles("128 256 64 8 3", "128 128 64 8 4"),
    )  # fmt: skip


@tilewright.jit
def lora_shrink_kernel(x, a, out, ids, N, K, RANK: tl.constexpr, BM: tl.constexpr,
                       BK: tl.constexpr):  # fmt: skip
    """Rows of x by the adapter of their block, to few columns."""
    pid = tl.program_id(0)
    adapter = tl.load(ids + pid)
    if adapter < 0:
        return
    offs_m = pid * BM + tl.arange(0, BM)
    offs_r = tl.arange(0, RANK)
    offs_k = tl.arange(0, BK)
    x_ptrs = x + offs_m[:, None] * K + offs_k[None, :]
    a_ptrs = a + adapter * RANK * K + offs_r[None, :] * K + offs_k[:, None]
    acc = tl.zeros((BM, RANK), dtype=tl.float32)
    for k in range(0, K, BK):
        acc += tl.dot(tl.load(x_ptrs + k), tl.load(a_ptrs + k))
    place = out + offs_m[:, None] * RANK + offs_r[None, :]
    tl.store(place, acc.to(out.dtype.element_ty), mask=offs_m[:, None] < N)


@case
def lora_shrink(data: Data, m: int = 4096, k: int = 4096, adapters: int = 8) -> Work:
    rank, block = 16, 32
    x, a = data.randn(m, k), data.randn(adapters, rank, k, scale=0.05)
    ids = data.randint(0, adapters, m // block)
    out = data.empty(m, rank)
    size = k

    def launch(k, BK, **options):
        k.lora_shrink_kernel[(m // block,)](
            x, a, out, ids, m, size, RANK=rank, BM=block, BK=BK, **options
        )

    def expected():
        blocks = x.float().view(-1, block, size)
        return (blocks @ a[ids.long()].float().transpose(1, 2)).view(m, rank)

    configs = [{"BK": each, "num_warps": 4, "num_stages": 4} for each in (64, 128)]
    return Work(
        "products", launch, [(out, expected)], count_bytes(x, a, out), tolerance=4e-3,
        configs=configs,
    )  # fmt: skip
