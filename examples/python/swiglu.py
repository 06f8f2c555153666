"""SwiGLU, the gate of transformers' feed-forward layers: silu(gate) * up, forward and backward."""

from __future__ import annotations

from typing import Any

import numpy

import tilewright
import tilewright.language as tl


@tilewright.jit
def forward_kernel(gate, up, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(n.dtype) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    g = tl.load(gate + i, mask=inside).to(tl.float32)
    u = tl.load(up + i, mask=inside).to(tl.float32)
    tl.store(out + i, (g * tl.sigmoid(g) * u).to(out.dtype.element_ty), mask=inside)


@tilewright.jit
def backward_kernel(grad, gate, up, gate_grad, up_grad, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(n.dtype) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    out_grad = tl.load(grad + i, mask=inside).to(tl.float32)
    g = tl.load(gate + i, mask=inside).to(tl.float32)
    u = tl.load(up + i, mask=inside).to(tl.float32)
    s = tl.sigmoid(g)
    of_gate = out_grad * u * s * (1 + g * (1 - s))
    tl.store(gate_grad + i, of_gate.to(gate_grad.dtype.element_ty), mask=inside)
    tl.store(up_grad + i, (out_grad * g * s).to(up_grad.dtype.element_ty), mask=inside)


def forward(gate: Any, up: Any, out: Any, block: int = 1024, **launch: Any) -> None:
    """out = silu(gate) * up, of vectors."""
    n = out.shape[0]
    forward_kernel[(tilewright.cdiv(n, block),)](gate, up, out, n, BLOCK=block, **launch)


def backward(
    grad: Any, gate: Any, up: Any, gate_grad: Any, up_grad: Any, block: int = 1024, **launch: Any
) -> None:
    """The gradients of gate and up by that of the result."""
    n = grad.shape[0]
    backward_kernel[(tilewright.cdiv(n, block),)](
        grad, gate, up, gate_grad, up_grad, n, BLOCK=block, **launch
    )  # fmt: skip


def reference(gate: numpy.ndarray, up: numpy.ndarray) -> numpy.ndarray:
    gate, up = gate.astype(numpy.float64), up.astype(numpy.float64)
    return gate / (1 + numpy.exp(-gate)) * up


def reference_backward(
    grad: numpy.ndarray, gate: numpy.ndarray, up: numpy.ndarray
) -> tuple[numpy.ndarray, numpy.ndarray]:
    grad, gate, up = (array.astype(numpy.float64) for array in (grad, gate, up))
    s = 1 / (1 + numpy.exp(-gate))
    return grad * up * s * (1 + gate * (1 - s)), grad * gate * s
