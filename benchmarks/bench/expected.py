"""What kernels should compute that PyTorch has no function for, and what they are given: in f32 at
the least, whatever type the numbers have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def layer_norm_of_x(grad: Any, normal: Any, weight: Any, rstd: Any) -> Any:
    """The gradient of x, a matrix whose rows are normed. `normal`: x without its mean, by its
    deviation."""
    scaled = grad.float() * weight
    slope = (scaled * normal).mean(dim=1, keepdim=True)
    return (scaled - normal * slope - scaled.mean(dim=1, keepdim=True)) * rstd[:, None]


def rms_norm_of_x(grad: Any, normal: Any, weight: Any, inverse: Any) -> Any:
    """`normal`: x by the root of the mean of its squares, which `inverse` is 1 by."""
    scaled = grad.float() * weight
    return (scaled - normal * (scaled * normal).mean(dim=1, keepdim=True)) * inverse


def softmax_of_x(grad: Any, out: Any, log: bool = False) -> Any:
    """The gradient of x by `out`, its softmax or the logarithm of that."""
    y, g = out.float(), grad.float()
    if log:
        return g - y.exp() * g.sum(dim=1, keepdim=True)
    return y * (g - (g * y).sum(dim=1, keepdim=True))


def swiglu_of_gate(torch: Any, grad: Any, gate: Any, up: Any) -> Any:
    s = torch.sigmoid(gate.float())
    return grad * up * s * (1 + gate * (1 - s))


def swiglu_of_up(torch: Any, grad: Any, gate: Any) -> Any:
    return grad * torch.nn.functional.silu(gate.float())


def angles_of_rope(torch: Any, tokens: int, dimension: int) -> tuple[Any, Any, Any]:
    """Positions, and the cosines and sines of each."""
    positions = torch.arange(tokens, device="cuda", dtype=torch.int32)
    speeds = 10000.0 ** (-torch.arange(0, dimension, 2, device="cuda") / dimension)
    angles = positions[:, None] * speeds
    return positions, angles.cos(), angles.sin()


def rope_of(torch: Any, x: Any, cosines: Any, sines: Any) -> Any:
    """Of tokens x heads x dimension."""
    a, b = x.float().chunk(2, dim=2)
    c, s = cosines[:, None], sines[:, None]
    return torch.cat([a * c - b * s, b * c + a * s], dim=2)


def recurrence_of(torch: Any, a: Any, b: Any) -> Any:
    """h = a * h + b of batches x times x channels, time by time in f64."""
    result = torch.empty_like(b, dtype=torch.float64)
    h = torch.zeros_like(result[:, 0])
    for time in range(b.shape[1]):
        h = a[:, time] * h + b[:, time]
        result[:, time] = h
    return result


def results_of_top_k(
    torch: Any, x: Any, values: Any, places: Any
) -> list[tuple[Any, Callable[[], Any]]]:
    return [
        (values, lambda: torch.topk(x, values.shape[1], dim=1).values),
        # Of equals either may be first.
        (values, lambda: x.gather(1, places.long())),
    ]
