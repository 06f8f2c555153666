"""From logits to tokens and experts: the best of rows, sorts, draws, penalties, masks."""

from __future__ import annotations

import tilewright
import tilewright.language as tl
from bench.users.case import Data, case
from bench.work import Work, count_bytes


def _blocks(name, *pairs):
    return [{name: block, "num_warps": warps} for block, warps in pairs]


@tilewright.jit
def topk_gate_kernel(logits, weights, ids, tokens, E: tl.constexpr, K: tl.constexpr,
                     BM: tl.constexpr):  # fmt: skip
    """The K best of E experts of each token, one after the other, and their softmax."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    mask = rows < tokens
    cols = tl.arange(0, E)
    place = logits + rows[:, None] * E + cols[None, :]
    value = tl.load(place, mask=mask[:, None], other=-float("inf")).to(tl.float32)
    value = value - tl.max(value, axis=1)[:, None]
    value = tl.exp(value)
    value = value / tl.sum(value, axis=1)[:, None]
    total = tl.zeros((BM,), tl.float32)
    for k in tl.static_range(K):
        best, which = tl.max(value, axis=1, return_indices=True)
        tl.store(weights + rows * K + k, best, mask=mask)
        tl.store(ids + rows * K + k, which, mask=mask)
        total += best
        value = tl.where(cols[None, :] == which[:, None], -1.0, value)


@case
def topk_gate(data: Data, tokens: int = 16384, experts: int = 64) -> Work:
    logits = data.randn(tokens, experts, dtype="float32")
    weights = data.empty(tokens, 4, dtype="float32")
    ids = data.empty(tokens, 4, dtype="int32")

    def launch(k, BM, **options):
        k.topk_gate_kernel[(tilewright.cdiv(tokens, BM),)](
            logits, weights, ids, tokens, E=experts, K=4, BM=BM, **options
        )

    def right():
        return data.torch.softmax(logits, -1).topk(4)

    return Work(
        "sampling", launch, [(weights, lambda: right().values), (ids, lambda: right().indices)],
        count_bytes(logits, weights, ids), tolerance=1e-4,
        configs=_blocks("BM", (16, 4), (32, 4), (64, 4)),
    )  # fmt: skip


@tilewright.jit
def sort_rows_kernel(x, out, N: tl.constexpr, DESCENDING: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, N)
    value = tl.load(x + row * N + cols)
    tl.store(out + row * N + cols, tl.sort(value, descending=DESCENDING))


@case
def sort_rows(data: Data, rows: int = 8192, n: int = 512) -> Work:
    x, out = data.randn(rows, n, dtype="float32"), data.empty(rows, n, dtype="float32")

    def launch(k, **options):
        k.sort_rows_kernel[(rows,)](x, out, N=n, DESCENDING=True, **options)

    return Work(
        "sampling", launch, [(out, lambda: x.sort(1, descending=True).values)],
        count_bytes(x, out), configs=({"num_warps": 1}, {"num_warps": 2}, {"num_warps": 4}),
    )  # fmt: skip


@tilewright.jit
def argmax_kernel(x, out, V, BLOCK: tl.constexpr):
    """Greedy sampling: the first of the largest of each row."""
    row = tl.program_id(0).to(tl.int64)
    best = -float("inf")
    place = 0
    for start in range(0, V, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        value = tl.load(x + row * V + cols, mask=cols < V, other=-float("inf")).to(tl.float32)
        most, which = tl.max(value, axis=0, return_indices=True)
        place = tl.where(most > best, start + which, place)
        best = tl.maximum(most, best)
    tl.store(out + row, place)


@case
def argmax(data: Data, rows: int = 4096, v: int = 32000) -> Work:
    x = data.randn(rows, v, dtype="float32")
    out = data.empty(rows, dtype="int32")

    def launch(k, **options):
        k.argmax_kernel[(rows,)](x, out, v, **options)

    return Work(
        "sampling", launch, [(out, lambda: x.argmax(1))], count_bytes(x),
        configs=_blocks("BLOCK", (1024, 4), (4096, 8), (8192, 16)),
    )  # fmt: skip


@tilewright.jit
def gumbel_sample_kernel(logits, out, scores, V, temperature, seed, BLOCK: tl.constexpr):
    """Draws a token of each row by Gumbel's trick, in blocks of which a second kernel takes one."""
    row = tl.program_id(0)
    block = tl.program_id(1)
    cols = block * BLOCK + tl.arange(0, BLOCK)
    mask = cols < V
    value = tl.load(logits + row * V + cols, mask=mask, other=-float("inf")).to(tl.float32)
    noise = tl.rand(seed + row, cols)
    noise = -tl.log(-tl.log(noise + 1e-20) + 1e-20)
    value = tl.where(mask, value / temperature + noise, -float("inf"))
    best, which = tl.max(value, axis=0, return_indices=True)
    place = row * tl.num_programs(1) + block
    tl.store(scores + place, best)
    tl.store(out + place, block * BLOCK + which)


@case
def gumbel_sample(data: Data, rows: int = 1024, v: int = 128000) -> Work:
    logits = data.randn(rows, v)
    blocks = v // 1024 + 1
    out, scores = data.zeros(rows, blocks, dtype="int32"), data.zeros(rows, blocks)

    def launch(k, BLOCK, **options):
        grid = (rows, tilewright.cdiv(v, BLOCK))
        k.gumbel_sample_kernel[grid](logits, out, scores, v, 0.8, 42, BLOCK=BLOCK, **options)

    def expected():
        # What is drawn is the generator's affair: a token is within its row.
        if not bool((out.max() < v) & (out.min() >= 0)):
            raise AssertionError("a token is out of the row")
        return out.clone()

    return Work(
        "sampling", launch, [(out, expected)], count_bytes(logits),
        configs=_blocks("BLOCK", (1024, 4), (2048, 4), (4096, 8)), reset=lambda: out.zero_(),
    )  # fmt: skip


@tilewright.jit
def top_p_bisect_kernel(probs, out, V, p, ROUNDS: tl.constexpr, BLOCK: tl.constexpr):
    """The least threshold whose tokens are p together, by bisection; a row a tile."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < V
    value = tl.load(probs + row * V + cols, mask=mask, other=0.0)
    low = 0.0
    high = tl.max(value, axis=0)
    for _ in range(ROUNDS):
        middle = (low + high) * 0.5
        total = tl.sum(tl.where(value >= middle, value, 0.0), axis=0)
        if total >= p:
            low = middle
        else:
            high = middle
    kept = tl.where(value >= low, value, 0.0)
    kept = kept / tl.sum(kept, axis=0)
    tl.store(out + row * V + cols, kept, mask=mask)


@case
def top_p_bisect(data: Data, rows: int = 4096, v: int = 4000) -> Work:
    probs = data.make(
        (rows, v), "float32",
        lambda torch: torch.softmax(data.randn(rows, v, dtype="float32") * 2, -1),
    )  # fmt: skip
    out = data.empty(rows, v, dtype="float32")

    def launch(k, **options):
        k.top_p_bisect_kernel[(rows,)](
            probs, out, v, 0.9, ROUNDS=20, BLOCK=tilewright.next_power_of_2(v), **options
        )

    def expected():
        torch = data.torch
        low, high = torch.zeros(rows, 1, device=probs.device), probs.amax(1, keepdim=True)
        for _ in range(20):
            middle = (low + high) / 2
            enough = torch.where(probs >= middle, probs, 0).sum(1, keepdim=True) >= 0.9
            low, high = torch.where(enough, middle, low), torch.where(enough, high, middle)
        # Whether one token more is in hangs on the order of sums: who is, is taken as it is.
        kept = torch.where(out > 0, probs, 0)
        if ((out > 0) != (probs >= low)).sum().item() > rows // 20:
            raise AssertionError("other tokens are kept")
        return kept / kept.sum(1, keepdim=True)

    return Work(
        "sampling", launch, [(out, expected)], count_bytes(probs, out), tolerance=1e-3,
        configs=({"num_warps": 4}, {"num_warps": 8}, {"num_warps": 16}),
    )  # fmt: skip


@tilewright.jit
def apply_penalty_kernel(logits, counts, presence, frequency, repetition, V, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < V
    place = row.to(tl.int64) * V + cols
    value = tl.load(logits + place, mask=mask)
    count = tl.load(counts + place, mask=mask, other=0)
    seen = count > 0
    r = tl.load(repetition + row)
    value = tl.where(seen, tl.where(value > 0, value / r, value * r), value)
    value -= tl.load(frequency + row) * count
    value -= tl.load(presence + row) * seen.to(tl.float32)
    tl.store(logits + place, value, mask=mask)


@case
def apply_penalty(data: Data, rows: int = 256, v: int = 128000) -> Work:
    start, logits = data.randn(rows, v, dtype="float32"), data.empty(rows, v, dtype="float32")
    counts = data.make((rows, v), "int32", lambda torch: (data.rand(rows, v) * 1.1).int() * 3)
    presence, frequency = data.rand(rows), data.rand(rows)
    repetition = data.make((rows,), "float32", lambda torch: data.rand(rows) + 1)

    def launch(k, BLOCK, **options):
        grid = (rows, tilewright.cdiv(v, BLOCK))
        k.apply_penalty_kernel[grid](
            logits, counts, presence, frequency, repetition, v, BLOCK=BLOCK, **options
        )

    def expected():
        torch = data.torch
        r = repetition[:, None]
        value = torch.where(counts > 0, torch.where(start > 0, start / r, start * r), start)
        return value - frequency[:, None] * counts - presence[:, None] * (counts > 0)

    return Work(
        "sampling", launch, [(logits, expected)], count_bytes(start, logits, counts),
        tolerance=1e-4, reset=lambda: logits.copy_(start),
        configs=_blocks("BLOCK", (1024, 4), (2048, 4), (4096, 8)),
    )  # fmt: skip


@tilewright.jit
def token_bitmask_kernel(logits, bits, V, words, BLOCK: tl.constexpr):
    """What a grammar forbids, one bit a token, becomes minus infinity."""
    row = tl.program_id(0)
    for start in range(tl.program_id(1) * BLOCK, V, tl.num_programs(1) * BLOCK):
        cols = start + tl.arange(0, BLOCK)
        word_cols = start // 32 + tl.arange(0, BLOCK // 32)
        word = tl.load(bits + row * words + word_cols, mask=word_cols < words, other=0)
        forbidden = ((word[:, None] >> tl.arange(0, 32)[None, :]) & 1) == 0
        forbidden = tl.reshape(forbidden, (BLOCK,))
        place = logits + row.to(tl.int64) * V + cols
        tl.store(place, -float("inf"), mask=(cols < V) & forbidden)


@case
def token_bitmask(data: Data, rows: int = 256, v: int = 128000) -> Work:
    start, logits = data.randn(rows, v), data.empty(rows, v)
    words = v // 32
    bits = data.randint(-(2**31), 2**31 - 1, rows, words)

    def launch(k, BLOCK, **options):
        k.token_bitmask_kernel[rows, 8](logits, bits, v, words, BLOCK=BLOCK, **options)

    def expected():
        torch = data.torch
        shifts = torch.arange(32, device=bits.device, dtype=torch.int32)
        allowed = ((bits[..., None] >> shifts) & 1).view(rows, v)
        # Infinities have no distance: they are compared as what both are.
        if bool((torch.isinf(logits) != (allowed == 0)).any()):
            raise AssertionError("other tokens are forbidden")
        logits.masked_fill_(allowed == 0, 0)
        return torch.where(allowed == 0, 0, start)

    return Work(
        "sampling", launch, [(logits, expected)], count_bytes(logits) + count_bytes(bits),
        reset=lambda: logits.copy_(start), configs=_blocks("BLOCK", (1024, 4), (4096, 8)),
    )  # fmt: skip


@tilewright.jit
def moe_align_kernel(ids, counts, n, EXPERTS: tl.constexpr, PER: tl.constexpr):
    """Experts of a stretch of tokens counted one by one, as vLLM's first stage does."""
    pid = tl.program_id(0)
    start = pid * PER
    row = counts + (pid + 1) * EXPERTS
    for i in range(PER):
        if start + i < n:
            expert = tl.load(ids + start + i)
            count = tl.load(row + expert)
            tl.store(row + expert, count + 1)


@case
def moe_align(data: Data, tokens: int = 4096, experts: int = 64) -> Work:
    programs = experts
    per = tokens // programs
    ids = data.randint(0, experts, tokens)
    counts = data.zeros(programs + 1, experts, dtype="int32")

    def launch(k, **options):
        k.moe_align_kernel[(programs,)](ids, counts, tokens, EXPERTS=experts, PER=per, **options)

    def expected():
        torch = data.torch
        right = torch.zeros_like(counts)
        one_hot = torch.nn.functional.one_hot(ids.long().view(programs, per), experts)
        right[1:] = one_hot.sum(1)
        return right

    return Work(
        "sampling", launch, [(counts, expected)], count_bytes(ids, counts),
        reset=lambda: counts.zero_(), configs=({"num_warps": 1}, {"num_warps": 4}),
    )  # fmt: skip
