"""Kernels that move memory and compute little for each element, as people write them for Triton."""

from __future__ import annotations

import tilewright
import tilewright.language as tl


@tilewright.jit
def tanh(x):
    return 2 * tl.sigmoid(2 * x) - 1


@tilewright.jit
def gelu_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n).to(tl.float32)
    inner = 0.7978845608 * (value + 0.044715 * value * value * value)
    result = 0.5 * value * (1 + tanh(inner))
    tl.store(out + i, result.to(out.dtype.element_ty), mask=i < n)


@tilewright.jit
def gelu_backward_kernel(grad, x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n).to(tl.float32)
    square = value * value
    t = tanh(0.7978845608 * value * (1 + 0.044715 * square))
    slope = 0.7978845608 * (1 + 3 * 0.044715 * square)
    factor = 0.5 * (1 + t) + 0.5 * value * (1 - t * t) * slope
    result = tl.load(grad + i, mask=i < n).to(tl.float32) * factor
    tl.store(out + i, result.to(out.dtype.element_ty), mask=i < n)


@tilewright.jit
def adam_kernel(weights, grads, firsts, seconds, copies, n, rate, beta1, beta2, epsilon, decay,
                correction1, correction2, BLOCK: tl.constexpr):  # fmt: skip
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    w = tl.load(weights + i, mask=inside)
    grad = tl.load(grads + i, mask=inside).to(tl.float32)
    first = beta1 * tl.load(firsts + i, mask=inside) + (1 - beta1) * grad
    second = beta2 * tl.load(seconds + i, mask=inside) + (1 - beta2) * grad * grad
    step = first * correction1 / (tl.sqrt(second * correction2) + epsilon)
    w -= rate * (step + decay * w)
    tl.store(weights + i, w, mask=inside)
    tl.store(firsts + i, first, mask=inside)
    tl.store(seconds + i, second, mask=inside)
    tl.store(copies + i, w.to(copies.dtype.element_ty), mask=inside)


@tilewright.jit
def where_kernel(condition, x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    chosen = tl.load(condition + i, mask=i < n, other=0) != 0
    a = tl.load(x + i, mask=i < n)
    b = tl.load(y + i, mask=i < n)
    tl.store(out + i, tl.where(chosen, a, b), mask=i < n)


@tilewright.jit
def masked_fill_kernel(x, hidden, out, value, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    fill = tl.load(hidden + i, mask=i < n, other=0) != 0
    kept = tl.load(x + i, mask=i < n)
    tl.store(out + i, tl.where(fill, value.to(kept.dtype), kept), mask=i < n)


@tilewright.jit
def interleave_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    pairs = tl.interleave(tl.load(x + i, mask=i < n), tl.load(y + i, mask=i < n))
    j = tl.program_id(0) * (2 * BLOCK) + tl.arange(0, 2 * BLOCK)
    tl.store(out + j, pairs, mask=j < 2 * n)


@tilewright.jit
def deinterleave_kernel(pairs, x, y, n, BLOCK: tl.constexpr):
    j = tl.program_id(0) * (2 * BLOCK) + tl.arange(0, 2 * BLOCK)
    both = tl.load(pairs + j, mask=j < 2 * n)
    first, second = tl.split(tl.reshape(both, (BLOCK, 2)))
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, first, mask=i < n)
    tl.store(y + i, second, mask=i < n)


@tilewright.jit
def unpack_kernel(packed, out, scales, n, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    """Of bytes with two numbers of 4 bits, the lower one first, less 8 and times the scale of
    their group."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    bytes_ = tl.load(packed + i, mask=i < n, other=0)
    numbers = tl.interleave(bytes_ & 15, bytes_ >> 4).to(tl.float32) - 8
    j = tl.program_id(0) * (2 * BLOCK) + tl.arange(0, 2 * BLOCK)
    scale = tl.load(scales + j // GROUP, mask=j < 2 * n, other=0)
    tl.store(out + j, (numbers * scale).to(out.dtype.element_ty), mask=j < 2 * n)


@tilewright.jit
def histogram_kernel(x, counts, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    found = tl.histogram(tl.load(x + i, mask=i < n, other=0).to(tl.int32), BINS, mask=i < n)
    tl.atomic_add(counts + tl.arange(0, BINS), found)
