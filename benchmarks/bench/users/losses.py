"""Losses of rows of logits, and their gradients."""

from __future__ import annotations

import tilewright
import tilewright.language as tl
from bench.users.case import Data, case
from bench.work import Work, count_bytes

ROWS = ({"num_warps": 4}, {"num_warps": 8}, {"num_warps": 16})


def _blocks(name, *pairs):
    return [{name: block, "num_warps": warps} for block, warps in pairs]


LOOPS = _blocks("BLOCK", (1024, 4), (4096, 8), (8192, 16))


@tilewright.jit
def cross_entropy_kernel(logits, targets, loss, grad, V, smoothing, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    logits += row * V
    grad += row * V
    target = tl.load(targets + row)
    top = -float("inf")
    total = 0.0
    sums = 0.0
    for start in range(0, V, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(logits + cols, mask=cols < V, other=-float("inf")).to(tl.float32)
        sums += tl.sum(tl.where(cols < V, x, 0.0), axis=0)
        block_top = tl.max(x, axis=0)
        new_top = tl.maximum(top, block_top)
        total = total * tl.exp(top - new_top) + tl.sum(tl.exp(x - new_top), axis=0)
        top = new_top
    lse = top + tl.log(total)
    picked = tl.load(logits + target).to(tl.float32)
    for start in range(0, V, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(logits + cols, mask=cols < V, other=-float("inf")).to(tl.float32)
        p = tl.exp(x - lse)
        g = p - smoothing / V
        g = tl.where(cols == target, g - (1.0 - smoothing), g)
        tl.store(grad + cols, g.to(grad.dtype.element_ty), mask=cols < V)
    tl.store(loss + row, lse - (1.0 - smoothing) * picked - smoothing * sums / V)


@case
def cross_entropy(data: Data, rows: int = 2048, v: int = 32000) -> Work:
    logits, grad = data.randn(rows, v), data.empty(rows, v)
    targets = data.randint(0, v, rows)
    loss = data.empty(rows, dtype="float32")

    def launch(k, **options):
        k.cross_entropy_kernel[(rows,)](logits, targets, loss, grad, v, 0.1, **options)

    def right_loss():
        entropy = data.torch.nn.functional.cross_entropy
        return entropy(logits.float(), targets.long(), reduction="none", label_smoothing=0.1)

    def right_grad():
        torch = data.torch
        p = torch.softmax(logits.float(), -1) - 0.1 / v
        p[torch.arange(rows, device=p.device), targets.long()] -= 0.9
        return p

    return Work(
        "losses", launch, [(loss, right_loss), (grad, right_grad)], count_bytes(logits, grad),
        tolerance=2e-3, scales={1: lambda: 1e-3}, configs=LOOPS,
    )  # fmt: skip


@tilewright.jit
def kl_div_kernel(log_p, probs, loss, V, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    total = 0.0
    for start in range(0, V, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < V
        x = tl.load(log_p + row * V + cols, mask=mask, other=0.0).to(tl.float32)
        t = tl.load(probs + row * V + cols, mask=mask, other=0.0).to(tl.float32)
        part = t * (tl.log(tl.maximum(t, eps)) - x)
        total += tl.sum(part, axis=0)
    tl.store(loss + row, total)


@case
def kl_div(data: Data, rows: int = 4096, v: int = 32000) -> Work:
    log_p, target = data.randn(rows, v), data.rand(rows, v, dtype="float16")
    loss = data.empty(rows, dtype="float32")

    def launch(k, **options):
        k.kl_div_kernel[(rows,)](log_p, target, loss, v, 1e-10, **options)

    def expected():
        t = target.float()
        return (t * (t.clamp(min=1e-10).log() - log_p.float())).sum(1)

    return Work(
        "losses", launch, [(loss, expected)], count_bytes(log_p, target), tolerance=1e-3,
        configs=LOOPS,
    )  # fmt: skip


@tilewright.jit
def jsd_kernel(x, y, loss, grad, V, beta, scale, BLOCK: tl.constexpr):
    """The divergence of Jensen and Shannon of logarithms of probabilities, and its gradient."""
    row = tl.program_id(0).to(tl.int64)
    total = 0.0
    for start in range(0, V, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < V
        a = tl.load(x + row * V + cols, mask=mask, other=-float("inf")).to(tl.float32)
        b = tl.load(y + row * V + cols, mask=mask, other=-float("inf")).to(tl.float32)
        q = tl.exp(a)
        p = tl.exp(b)
        m = beta * p + (1 - beta) * q
        log_m = tl.log(tl.maximum(m, 1e-30))
        part = beta * p * (b - log_m) + (1 - beta) * q * (a - log_m)
        total += tl.sum(tl.where(mask, part, 0.0), axis=0)
        slope = (1 - beta) * q * (a - log_m) * scale
        tl.store(grad + row * V + cols, slope.to(grad.dtype.element_ty), mask=mask)
    tl.store(loss + row, total * scale)


@case
def jsd(data: Data, rows: int = 2048, v: int = 32000) -> Work:
    def logs(torch):
        return torch.log_softmax(data.randn(rows, v, dtype="float32"), -1)

    x, y = data.make((rows, v), "float32", logs), data.make((rows, v), "float32", logs)
    grad, loss = data.empty(rows, v, dtype="float32"), data.empty(rows, dtype="float32")

    def launch(k, **options):
        k.jsd_kernel[(rows,)](x, y, loss, grad, v, 0.5, 1.0, **options)

    def middle():
        return (0.5 * x.exp() + 0.5 * y.exp()).log()

    def right_loss():
        m = middle()
        return (0.5 * y.exp() * (y - m) + 0.5 * x.exp() * (x - m)).sum(1)

    return Work(
        "losses", launch,
        [(loss, right_loss), (grad, lambda: 0.5 * x.exp() * (x - middle()))],
        count_bytes(x, y, grad), tolerance=1e-3, configs=LOOPS,
    )  # fmt: skip


@tilewright.jit
def tvd_kernel(p, q, loss, grad, V, scale, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    total = 0.0
    for start in range(0, V, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        mask = cols < V
        a = tl.load(p + row * V + cols, mask=mask, other=0.0).to(tl.float32)
        b = tl.load(q + row * V + cols, mask=mask, other=0.0).to(tl.float32)
        total += tl.sum(tl.abs(a - b), axis=0)
        tl.store(grad + row * V + cols, tl.where(a > b, scale, -scale), mask=mask)
    tl.store(loss + row, 0.5 * total)


@case
def tvd(data: Data, rows: int = 4096, v: int = 32000) -> Work:
    p, q = data.rand(rows, v, dtype="bfloat16"), data.rand(rows, v, dtype="bfloat16")
    grad, loss = data.empty(rows, v, dtype="bfloat16"), data.empty(rows, dtype="float32")

    def launch(k, **options):
        k.tvd_kernel[(rows,)](p, q, loss, grad, v, 0.5, **options)

    def right_grad():
        return data.torch.where(p > q, 0.5, -0.5)

    return Work(
        "losses", launch,
        [(loss, lambda: 0.5 * (p.float() - q.float()).abs().sum(1)), (grad, right_grad)],
        count_bytes(p, q, grad), tolerance=1e-3, configs=LOOPS,
    )  # fmt: skip


@tilewright.jit
def focal_loss_kernel(x, labels, out, n, alpha, gamma, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    logit = tl.load(x + offs, mask=mask, other=0.0).to(tl.float32)
    t = tl.load(labels + offs, mask=mask, other=0.0).to(tl.float32)
    p = tl.sigmoid(logit)
    cross = tl.maximum(logit, 0.0) - logit * t + tl.log(1.0 + tl.exp(-tl.abs(logit)))
    right = p * t + (1 - p) * (1 - t)
    weight = alpha * t + (1 - alpha) * (1 - t)
    wrong = 1.0 - right
    tl.store(out + offs, weight * wrong * wrong * cross, mask=mask)


@case
def focal_loss(data: Data, n: int = 1 << 24) -> Work:
    x = data.randn(n, dtype="float32")
    target = data.make((n,), "float32", lambda torch: (data.rand(n) < 0.3).float())
    out = data.empty(n, dtype="float32")

    def launch(k, BLOCK, **options):
        grid = (tilewright.cdiv(n, BLOCK),)
        k.focal_loss_kernel[grid](x, target, out, n, 0.25, 2.0, BLOCK=BLOCK, **options)

    def expected():
        torch = data.torch
        p = torch.sigmoid(x.double())
        right = torch.where(target > 0, p, 1 - p)
        weight = torch.where(target > 0, 0.25, 0.75)
        return -weight * (1 - right) ** 2 * right.log()

    return Work(
        "losses", launch, [(out, expected)], count_bytes(x, target, out), tolerance=1e-4,
        configs=_blocks("BLOCK", (1024, 4), (2048, 8)),
    )  # fmt: skip


@tilewright.jit
def dpo_logps_kernel(logits, labels, out, T, V, ignore, BLOCK: tl.constexpr):
    """The logarithm of the probability of each label, by a loop over the row."""
    row = tl.program_id(0).to(tl.int64)
    label = tl.load(labels + row)
    if label == ignore:
        tl.store(out + row, 0.0)
        return
    top = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, V, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(logits + row * V + cols, mask=cols < V, other=-1e30).to(tl.float32)
        new_top = tl.maximum(top, x)
        total = total * tl.exp(top - new_top) + tl.exp(x - new_top)
        top = new_top
    most = tl.max(top, axis=0)
    lse = most + tl.log(tl.sum(total * tl.exp(top - most), axis=0))
    picked = tl.load(logits + row * V + label).to(tl.float32)
    tl.store(out + row, picked - lse)


@case
def dpo_logps(data: Data, rows: int = 2048, v: int = 32000) -> Work:
    logits, labels = data.randn(rows, v), data.randint(0, v, rows)
    out = data.empty(rows, dtype="float32")

    def launch(k, **options):
        k.dpo_logps_kernel[(rows,)](logits, labels, out, rows, v, -100, **options)

    def expected():
        logs = data.torch.log_softmax(logits.float(), -1)
        return logs.gather(1, labels.long()[:, None])[:, 0]

    return Work(
        "losses", launch, [(out, expected)], count_bytes(logits), tolerance=1e-3, configs=LOOPS
    )


@tilewright.jit
def cosine_loss_kernel(a, b, out, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(a + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    y = tl.load(b + row * N + cols, mask=mask, other=0.0).to(tl.float32)
    both = tl.sum(x * y, axis=0)
    norm = tl.sqrt(tl.sum(x * x, axis=0)) * tl.sqrt(tl.sum(y * y, axis=0))
    tl.store(out + row, 1.0 - both / tl.maximum(norm, eps))


@case
def cosine_loss(data: Data, rows: int = 16384, n: int = 2048) -> Work:
    a, b = data.randn(rows, n), data.randn(rows, n)
    out = data.empty(rows, dtype="float32")

    def launch(k, **options):
        k.cosine_loss_kernel[(rows,)](a, b, out, n, 1e-8, BLOCK=n, **options)

    def expected():
        return 1 - data.torch.nn.functional.cosine_similarity(a.float(), b.float())

    return Work(
        "losses", launch, [(out, expected)], count_bytes(a, b), tolerance=1e-3, configs=ROWS
    )


@tilewright.jit
def online_softmax_kernel(x, out, V, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    top = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, V, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        value = tl.load(x + row * V + cols, mask=cols < V, other=-1e30).to(tl.float32)
        new_top = tl.maximum(top, value)
        total = total * tl.exp(top - new_top) + tl.exp(value - new_top)
        top = new_top
    most = tl.max(top, axis=0)
    inverse = 1.0 / tl.sum(total * tl.exp(top - most), axis=0)
    for start in range(0, V, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        value = tl.load(x + row * V + cols, mask=cols < V, other=-1e30).to(tl.float32)
        result = tl.exp(value - most) * inverse
        tl.store(out + row * V + cols, result.to(out.dtype.element_ty), mask=cols < V)


@case
def online_softmax(data: Data, rows: int = 4096, v: int = 32000) -> Work:
    x, out = data.randn(rows, v), data.empty(rows, v)

    def launch(k, **options):
        k.online_softmax_kernel[(rows,)](x, out, v, **options)

    def expected():
        return data.torch.softmax(x.float(), -1)

    return Work(
        "losses", launch, [(out, expected)], count_bytes(x, out), tolerance=2e-3, configs=LOOPS
    )
