"""Steps of optimizers, over parameters in one flat array."""

from __future__ import annotations

import tilewright
import tilewright.language as tl
from bench.users.case import Data, case
from bench.work import Work, count_bytes


def _blocks(name, *pairs):
    return [{name: block, "num_warps": warps} for block, warps in pairs]


FLAT = _blocks("BLOCK", (1024, 4), (2048, 4), (4096, 8))


def _step(data, kernel, numbers, tensors, expected, n, tolerance=1e-4, starts=None):
    """`tensors`: what the kernel takes, in its order; `starts`: what it changes, as it begins."""
    starts = starts or {}
    written = [tensors[place] for place in starts]

    def launch(k, BLOCK, **options):
        getattr(k, kernel)[(tilewright.cdiv(n, BLOCK),)](
            *tensors, n, *numbers, BLOCK=BLOCK, **options
        )

    def reset():
        for place, start in starts.items():
            tensors[place].copy_(start)

    results = [(each, lambda place=place: expected()[place]) for place, each in enumerate(written)]
    return Work(
        "optimizers", launch, results, count_bytes(*tensors, *written), tolerance=tolerance,
        configs=FLAT, reset=reset,
    )  # fmt: skip


@tilewright.jit
def adamw_kernel(p, m, v, g, n, lr, beta1, beta2, eps, decay, c1, c2, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    param = tl.load(p + offs, mask=mask)
    grad = tl.load(g + offs, mask=mask).to(tl.float32)
    first = tl.load(m + offs, mask=mask)
    second = tl.load(v + offs, mask=mask)
    first = beta1 * first + (1 - beta1) * grad
    second = beta2 * second + (1 - beta2) * grad * grad
    param = param * (1 - lr * decay)
    param = param - lr * (first / c1) / (tl.sqrt(second / c2) + eps)
    tl.store(p + offs, param, mask=mask)
    tl.store(m + offs, first, mask=mask)
    tl.store(v + offs, second, mask=mask)


@case
def adamw(data: Data, n: int = 1 << 25) -> Work:
    starts = {0: data.randn(n, dtype="float32"), 1: data.randn(n, dtype="float32"), 2: data.rand(n)}
    grad = data.randn(n, dtype="bfloat16")
    tensors = [*(data.empty(n, dtype="float32") for _ in range(3)), grad]

    def expected():
        p, m, v = (each.double() for each in starts.values())
        m = 0.9 * m + 0.1 * grad.double()
        v = 0.95 * v + 0.05 * grad.double() ** 2
        p = p * (1 - 1e-3 * 0.1) - 1e-3 * (m / 0.5) / ((v / 0.4).sqrt() + 1e-8)
        return p, m, v

    numbers = (1e-3, 0.9, 0.95, 1e-8, 0.1, 0.5, 0.4)
    return _step(data, "adamw_kernel", numbers, tensors, expected, n, starts=starts)


@tilewright.jit
def lion_kernel(p, m, g, n, lr, beta1, beta2, decay, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    param = tl.load(p + offs, mask=mask)
    grad = tl.load(g + offs, mask=mask)
    average = tl.load(m + offs, mask=mask)
    update = average * beta1 + grad * (1 - beta1)
    sign = tl.where(update > 0, 1.0, tl.where(update < 0, -1.0, 0.0))
    param = param * (1 - lr * decay) - lr * sign
    tl.store(p + offs, param, mask=mask)
    tl.store(m + offs, average * beta2 + grad * (1 - beta2), mask=mask)


@case
def lion(data: Data, n: int = 1 << 25) -> Work:
    starts = {0: data.randn(n, dtype="float32"), 1: data.randn(n, dtype="float32")}
    grad = data.randn(n, dtype="float32")
    tensors = [*(data.empty(n, dtype="float32") for _ in range(2)), grad]

    def expected():
        p, m = starts.values()
        sign = (0.9 * m + 0.1 * grad).sign()
        return p * (1 - 1e-4) - 1e-3 * sign, 0.99 * m + 0.01 * grad

    numbers = (1e-3, 0.9, 0.99, 0.1)
    # Where the update is about zero its sign is anybody's.
    return _step(data, "lion_kernel", numbers, tensors, expected, n, 3e-3, starts)


@tilewright.jit
def sgd_momentum_kernel(p, m, g, n, lr, momentum, dampening, decay, NESTEROV: tl.constexpr,
                        BLOCK: tl.constexpr):  # fmt: skip
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    param = tl.load(p + offs, mask=mask)
    grad = tl.load(g + offs, mask=mask) + decay * param
    velocity = momentum * tl.load(m + offs, mask=mask) + (1 - dampening) * grad
    if NESTEROV:
        grad = grad + momentum * velocity
    else:
        grad = velocity
    tl.store(p + offs, param - lr * grad, mask=mask)
    tl.store(m + offs, velocity, mask=mask)


@case
def sgd_momentum(data: Data, n: int = 1 << 24) -> Work:
    starts = {0: data.randn(n, dtype="float32"), 1: data.randn(n, dtype="float32")}
    grad = data.randn(n, dtype="float32")
    tensors = [*(data.empty(n, dtype="float32") for _ in range(2)), grad]

    def expected():
        p, m = starts.values()
        g = grad + 0.01 * p
        m = 0.9 * m + g
        return p - 0.1 * (g + 0.9 * m), m

    numbers = (0.1, 0.9, 0.0, 0.01, True)
    return _step(data, "sgd_momentum_kernel", numbers, tensors, expected, n, starts=starts)


@tilewright.jit
def adam8bit_kernel(p, m8, v8, m_scale, v_scale, g, n, lr, beta1, beta2, eps,
                    BLOCK: tl.constexpr):  # fmt: skip
    """Moments of 8 bits with a scale a block of BLOCK elements; the second one as its root."""
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    grad = tl.load(g + offs, mask=mask, other=0.0).to(tl.float32)
    first = tl.load(m8 + offs, mask=mask, other=0).to(tl.float32) * tl.load(m_scale + pid)
    root = tl.load(v8 + offs, mask=mask, other=0).to(tl.float32) * tl.load(v_scale + pid)
    first = beta1 * first + (1 - beta1) * grad
    second = beta2 * root * root + (1 - beta2) * grad * grad
    root = tl.sqrt(second)
    param = tl.load(p + offs, mask=mask, other=0.0)
    tl.store(p + offs, param - lr * first / (root + eps), mask=mask)
    m_top = tl.maximum(tl.max(tl.abs(first), axis=0) / 127.0, 1e-20)
    v_top = tl.maximum(tl.max(root, axis=0) / 255.0, 1e-20)
    m_code = first / m_top
    m_code = tl.where(m_code >= 0, m_code + 0.5, m_code - 0.5)
    tl.store(m8 + offs, m_code.to(tl.int8), mask=mask)
    tl.store(v8 + offs, (root / v_top + 0.5).to(tl.int32).to(tl.uint8), mask=mask)
    tl.store(m_scale + pid, m_top)
    tl.store(v_scale + pid, v_top)


@case
def adam8bit(data: Data, n: int = 1 << 25) -> Work:
    block = 2048
    start = data.randn(n, dtype="float32")
    m_start = data.randint(-127, 128, n, dtype="int8")
    v_start = data.randint(1, 256, n, dtype="uint8")
    m_scale, v_scale = data.rand(n // block), data.rand(n // block)
    first_scales = data.empty(n // block, dtype="float32"), data.empty(n // block, dtype="float32")
    grad = data.randn(n, dtype="bfloat16")
    p = data.empty(n, dtype="float32")
    m8, v8 = data.empty(n, dtype="int8"), data.empty(n, dtype="uint8")

    def launch(k, **options):
        k.adam8bit_kernel[(n // block,)](
            p, m8, v8, *first_scales, grad, n, 1e-3, 0.9, 0.99, 1e-8, BLOCK=block, **options
        )

    def reset():
        for target, source in zip(
            (p, m8, v8, *first_scales), (start, m_start, v_start, m_scale, v_scale), strict=True
        ):
            target.copy_(source)

    def right():
        g = grad.float().view(-1, block)
        m = 0.9 * m_start.float().view(-1, block) * m_scale[:, None] + 0.1 * g
        root = v_start.float().view(-1, block) * v_scale[:, None]
        root = (0.99 * root * root + 0.01 * g * g).sqrt()
        m_top = m.abs().amax(1, keepdim=True) / 127
        new = start - 1e-3 * (m / (root + 1e-8)).view(-1)
        return new, (m / m_top).round().view(-1)

    return Work(
        "optimizers", launch, [(p, lambda: right()[0]), (m8, lambda: right()[1])],
        2 * count_bytes(p, m8, v8) + count_bytes(grad), tolerance=1e-2, scales={1: lambda: 110.0},
        reset=reset, configs=({"num_warps": 4}, {"num_warps": 8}),
    )  # fmt: skip


@tilewright.jit
def muon_momentum_kernel(g, m, out, n, beta, BLOCK: tl.constexpr):
    """Nesterov's momentum before the orthogonalization, to bf16."""
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    grad = tl.load(g + offs, mask=mask).to(tl.float32)
    average = tl.load(m + offs, mask=mask)
    average = average + (grad - average) * (1 - beta)
    update = grad + (average - grad) * beta
    tl.store(m + offs, average, mask=mask)
    tl.store(out + offs, update.to(tl.bfloat16), mask=mask)


@case
def muon_momentum(data: Data, n: int = 1 << 25) -> Work:
    start, grad = data.randn(n, dtype="float32"), data.randn(n, dtype="bfloat16")
    m, out = data.empty(n, dtype="float32"), data.empty(n, dtype="bfloat16")

    def launch(k, BLOCK, **options):
        grid = (tilewright.cdiv(n, BLOCK),)
        k.muon_momentum_kernel[grid](grad, m, out, n, 0.95, BLOCK=BLOCK, **options)

    def average():
        return start + (grad.float() - start) * 0.05

    return Work(
        "optimizers", launch,
        [(m, average), (out, lambda: grad.float() + (average() - grad.float()) * 0.95)],
        count_bytes(grad, start, m, out), tolerance=1e-2, reset=lambda: m.copy_(start),
        configs=FLAT,
    )  # fmt: skip


@tilewright.jit
def lamb_norms_kernel(p, u, parts, n, BLOCK: tl.constexpr, LOOPS: tl.constexpr):
    """Squares of parameters and updates, summed up by programs; a second kernel adds them."""
    pid = tl.program_id(0)
    first = tl.zeros((BLOCK,), tl.float32)
    second = tl.zeros((BLOCK,), tl.float32)
    for i in range(LOOPS):
        offs = (pid * LOOPS + i) * BLOCK + tl.arange(0, BLOCK)
        mask = offs < n
        a = tl.load(p + offs, mask=mask, other=0.0).to(tl.float32)
        b = tl.load(u + offs, mask=mask, other=0.0).to(tl.float32)
        first += a * a
        second += b * b
    tl.store(parts + pid * 2, tl.sum(first, axis=0))
    tl.store(parts + pid * 2 + 1, tl.sum(second, axis=0))


@case
def lamb_norms(data: Data, n: int = 1 << 25) -> Work:
    p, u = data.randn(n, dtype="float32"), data.randn(n, dtype="float32")
    each = 32768
    parts = data.empty(n // each, 2, dtype="float32")

    def launch(k, BLOCK, **options):
        k.lamb_norms_kernel[(n // each,)](
            p, u, parts, n, BLOCK=BLOCK, LOOPS=each // BLOCK, **options
        )

    def expected():
        squares = [x.view(-1, each).double().square().sum(1) for x in (p, u)]
        return data.torch.stack(squares, 1)

    return Work(
        "optimizers", launch, [(parts, expected)], count_bytes(p, u), tolerance=1e-4, configs=FLAT
    )
