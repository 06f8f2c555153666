"""RMS norm of rows, with what transformers do just before it: adding the residual."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl
from arrays import strides


@tilewright.jit
def rms_norm_kernel(x, residual, weight, out, x_stride, residual_stride, out_stride, N, eps,
                    BLOCK: tl.constexpr):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    inside = columns < N
    value = tl.load(x + row * x_stride + columns, mask=inside, other=0.0).to(tl.float32)
    if residual is not None:
        place = residual + row * residual_stride + columns
        value += tl.load(place, mask=inside, other=0.0).to(tl.float32)
        tl.store(place, value.to(residual.dtype.element_ty), mask=inside)
    inverse = tl.rsqrt(tl.sum(value * value, axis=0) / N + eps)
    value *= inverse
    if weight is not None:
        value *= tl.load(weight + columns, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + row * out_stride + columns, value.to(out.dtype.element_ty), mask=inside)


def rms_norm(
    x: Any, out: Any, weight: Any = None, residual: Any = None, eps: float = 1e-6, **launch: Any
) -> None:
    """out = x / rms(x) * weight, of x + residual where there is one, which becomes that sum."""
    m, n = x.shape
    rms_norm_kernel[(m,)](
        x, residual, weight, out,
        strides(x)[0], 0 if residual is None else strides(residual)[0], strides(out)[0], n, eps,
        BLOCK=tilewright.next_power_of_2(n), **launch,
    )  # fmt: skip


def reference(
    x: numpy.ndarray, weight: numpy.ndarray | None = None, residual: numpy.ndarray | None = None,
    eps: float = 1e-6,
) -> numpy.ndarray:  # fmt: skip
    x = x.astype(numpy.float64)
    if residual is not None:
        x = x + residual
    out = x / numpy.sqrt((x * x).mean(axis=1, keepdims=True) + eps)
    return out if weight is None else out * weight
