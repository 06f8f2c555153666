"""Products whose loops begin and end where launches, programs or memory say: beside NumPy."""

import numpy as np
import pytest
from examples_support import assert_close, numbers, unset

import tilewright
import tilewright.language as tl


@tilewright.jit
def span_kernel(
    a, b, c, counts, M, N, K, x, y,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, KIND: tl.constexpr,
):  # fmt: skip
    pm, pn = tl.program_id(0), tl.program_id(1)
    m, n = pm * BLOCK_M, pn * BLOCK_N
    first, last, step = 0, K, BLOCK_K
    if KIND == "from a program":
        first = pm * BLOCK_K
    elif KIND == "between programs":
        first, last = tl.maximum(m - BLOCK_M, 0), tl.minimum(K, m + BLOCK_M)
    elif KIND == "from a product":
        first = x * y
    elif KIND == "from products":
        first, last = x * pn, K - y * pm
    elif KIND == "to an argument":
        last = y
    elif KIND == "from a quotient":
        first, last = (pm // 2) * BLOCK_K, K - (pn % 2) * BLOCK_K
    elif KIND == "in turn":
        first, step = (pm + pn) % 3 * BLOCK_K, 3 * BLOCK_K
    elif KIND == "to memory":
        last = tl.load(counts + pm)
    elif KIND == "from memory":
        first = tl.load(counts + pm)
    rows = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    columns = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BLOCK_K, BLOCK_N])
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(first, last, step):
        total = tl.dot(rows.load([m, k]), columns.load([k, n]), total)
    results = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    results.store([m, n], total.to(c.dtype.element_ty))


def spans(kind, pm, pn, counts, k, x, y, blocks):
    height, step = blocks[0], blocks[2]
    return {
        "from a program": lambda: range(pm * step, k, step),
        "between programs": lambda: range(
            max(pm - 1, 0) * height, min(k, pm * height + height), step
        ),
        "from a product": lambda: range(x * y, k, step),
        "from products": lambda: range(x * pn, k - y * pm, step),
        "to an argument": lambda: range(0, y, step),
        "from a quotient": lambda: range(pm // 2 * step, k - pn % 2 * step, step),
        "in turn": lambda: range((pm + pn) % 3 * step, k, 3 * step),
        "to memory": lambda: range(0, counts[pm], step),
        "from memory": lambda: range(counts[pm], k, step),
    }[kind]()


KINDS = (
    "from a program",
    "between programs",
    "from a product",
    "from products",
    "to an argument",
    "from a quotient",
    "in turn",
    "to memory",
    "from memory",
)


# On sm_90a the tiles are so large that blocks stay, where they can: the lengths of loops differ
# between the programs of a block.
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("warps", [4, 8])
def test_span(target, warps, kind):
    stages = 4
    blocks = (128, 128, 64) if target == "sm_90a" else (64, 64, 32)
    m, n, step = 2 * blocks[0] + 8, 2 * blocks[1] - 16, blocks[2]
    for steps in (0, 1, stages - 1, stages, stages + 1):
        k = steps * step
        a, b = numbers(m, k, dtype=np.float16), numbers(k, n, dtype=np.float16, seed=1)
        c = unset(m, n, dtype=np.float16)
        counts = np.array([max(steps - each, 0) * step for each in range(3)], np.int32)
        x, y = (step, k) if kind == "to an argument" else (step, 2 if "a product" in kind else step)
        options = {"num_warps": warps, "num_stages": stages, "target": target}
        span_kernel[(3, 2)](a, b, c, counts, m, n, k, x, y, *blocks, kind, **options)
        right = np.zeros((m, n))
        for pm, pn in np.ndindex(3, 2):
            part = slice(pm * blocks[0], (pm + 1) * blocks[0])
            across = slice(pn * blocks[1], (pn + 1) * blocks[1])
            for at in spans(kind, pm, pn, counts, k, x, y, blocks):
                there = slice(at, min(at + step, k))
                right[part, across] += a[part, there].astype(float) @ b[there, across].astype(float)
        assert_close(c, right, digits=1e-2)


@tilewright.jit
def experts_kernel(
    a, b, c, ends, M, N, K, experts,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Rows of a up to `ends[e]` by matrix e of b; programs take tiles in turn."""
    on, ok = tl.arange(0, BLOCK_N), tl.arange(0, BLOCK_K)
    first = 0
    for expert in range(experts):
        last = tl.load(ends + expert)
        for m in range(first + tl.program_id(0) * BLOCK_M, last, tl.num_programs(0) * BLOCK_M):
            om = m + tl.arange(0, BLOCK_M)
            for n in range(0, N, BLOCK_N):
                total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
                for k in range(0, K, BLOCK_K):
                    x = tl.load(
                        a + om[:, None] * K + (k + ok)[None, :],
                        mask=(om[:, None] < last) & ((k + ok)[None, :] < K), other=0.0,
                    )  # fmt: skip
                    y = tl.load(
                        b + expert * K * N + (k + ok)[:, None] * N + (n + on)[None, :],
                        mask=((k + ok)[:, None] < K) & ((n + on)[None, :] < N), other=0.0,
                    )  # fmt: skip
                    total = tl.dot(x, y, total)
                inside = (om[:, None] < last) & ((n + on)[None, :] < N)
                place = c + om[:, None] * N + (n + on)[None, :]
                tl.store(place, total.to(c.dtype.element_ty), mask=inside)
        first = last


@pytest.mark.parametrize("warps", [4, 8])
def test_experts(target, warps):
    m, n, ends = 300, 136, np.array([70, 70, 201, 300], np.int32)
    for stages, steps in [(1, 2), (2, 1), (3, 2), (3, 3), (4, 5), (5, 0)]:
        k = steps * 32
        a, b = numbers(m, k, dtype=np.float16), numbers(4, k, n, dtype=np.float16, seed=1)
        c = unset(m, n, dtype=np.float16)
        options = {"num_warps": warps, "num_stages": stages, "target": target}
        experts_kernel[(2,)](a, b, c, ends, m, n, k, 4, 64, 64, 32, **options)
        begins = np.array([0, *ends[:-1]])
        right = [
            a[begin:end].astype(float) @ b[each].astype(float)
            for each, (begin, end) in enumerate(zip(begins, ends, strict=True))
        ]
        assert_close(c, np.concatenate(right), digits=1e-2)


@tilewright.jit
def weights_of(x, y, lse, queries, keys, length, scale, CAUSAL: tl.constexpr):
    seen = (queries < length)[:, None] & (keys < length)[None, :]
    if CAUSAL:
        seen = seen & (queries[:, None] >= keys[None, :])
    powers = tl.exp2((tl.dot(x, tl.trans(y)) * scale - lse[:, None]) * 1.4426950408889634)
    return tl.where(seen, powers, 0.0)


@tilewright.jit
def load_rows(base, places, length, HEAD: tl.constexpr):
    tile = base + places[:, None] * HEAD + tl.arange(0, HEAD)[None, :]
    return tl.load(tile, mask=(places < length)[:, None], other=0.0)


@tilewright.jit
def attention_backward_kernel(
    q, k, v, do, lse, delta, dq, dk, dv, length, scale,
    HEAD: tl.constexpr, ROWS: tl.constexpr, STEP: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """dk and dv of some keys, whose loop begins where they are seen; then dq of as many queries,
    whose loop ends with what they see."""
    start = tl.program_id(0) * ROWS
    own = start + tl.arange(0, ROWS)
    place = own[:, None] * HEAD + tl.arange(0, HEAD)[None, :]
    k_own, v_own = load_rows(k, own, length, HEAD), load_rows(v, own, length, HEAD)
    dk_sum = tl.zeros((ROWS, HEAD), dtype=tl.float32)
    dv_sum = tl.zeros((ROWS, HEAD), dtype=tl.float32)
    first = start // STEP * STEP if CAUSAL else 0
    for at in range(first, length, STEP):
        there = at + tl.arange(0, STEP)
        x, g = load_rows(q, there, length, HEAD), load_rows(do, there, length, HEAD)
        lses = tl.load(lse + there, mask=there < length, other=0.0)
        deltas = tl.load(delta + there, mask=there < length, other=0.0)
        p = weights_of(x, k_own, lses, there, own, length, scale, CAUSAL)
        dv_sum = tl.dot(tl.trans(p.to(tl.float16)), g, dv_sum)
        ds = p * (tl.dot(g, tl.trans(v_own)) - deltas[:, None])
        dk_sum = tl.dot(tl.trans(ds.to(tl.float16)), x, dk_sum)
    tl.store(dv + place, dv_sum, mask=(own < length)[:, None])
    tl.store(dk + place, dk_sum * scale, mask=(own < length)[:, None])
    q_own, g_own = load_rows(q, own, length, HEAD), load_rows(do, own, length, HEAD)
    lses = tl.load(lse + own, mask=own < length, other=0.0)
    deltas = tl.load(delta + own, mask=own < length, other=0.0)
    dq_sum = tl.zeros((ROWS, HEAD), dtype=tl.float32)
    last = tl.minimum(start + ROWS, length) if CAUSAL else length
    for at in range(0, last, STEP):
        there = at + tl.arange(0, STEP)
        y, z = load_rows(k, there, length, HEAD), load_rows(v, there, length, HEAD)
        p = weights_of(q_own, y, lses, own, there, length, scale, CAUSAL)
        ds = p * (tl.dot(g_own, tl.trans(z)) - deltas[:, None])
        dq_sum = tl.dot(ds.to(tl.float16), y, dq_sum)
    tl.store(dq + place, dq_sum * scale, mask=(own < length)[:, None])


def gradients(q, k, v, g, causal):
    """In f64: the logarithms of sums, the sums by rows of g times the result, and dq, dk, dv."""
    q, k, v, g = (each.astype(np.float64) for each in (q, k, v, g))
    scale = q.shape[1] ** -0.5
    scores = q @ k.T * scale
    if causal:
        scores = np.where(np.tri(len(q), dtype=bool), scores, -np.inf)
    lse = np.log(np.exp(scores).sum(axis=1))
    p = np.exp(scores - lse[:, None])
    delta = (p @ v * g).sum(axis=1)
    ds = p * (g @ v.T - delta[:, None])
    return lse, delta, (ds @ k * scale, ds.T @ q * scale, p.T @ g)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("warps", [4, 8])
def test_attention_backward(target, warps, causal):
    for length, stages in [(8, 3), (100, 1), (136, 2), (200, 3), (200, 5)]:
        tiles = [numbers(length, 64, dtype=np.float16, seed=seed) for seed in range(4)]
        lse, delta, right = gradients(*tiles, causal)
        results = [unset(length, 64) for _ in range(3)]
        options = {"num_warps": warps, "num_stages": stages, "target": target}
        attention_backward_kernel[(tilewright.cdiv(length, 64),)](
            *tiles, lse.astype(np.float32), delta.astype(np.float32), *results, length, 0.125,
            HEAD=64, ROWS=64, STEP=32, CAUSAL=causal, **options,
        )  # fmt: skip
        for result, wanted in zip(results, right, strict=True):
            assert_close(result, wanted, digits=5e-3)
