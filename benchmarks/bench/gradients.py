"""What the backward passes of norms should compute, in f32: of x, a matrix whose rows are normed,
for the gradient of the result."""

from __future__ import annotations

from typing import Any


def layer_norm_of_x(grad: Any, normal: Any, weight: Any, rstd: Any) -> Any:
    """`normal`: x without its mean, by its deviation."""
    scaled = grad.float() * weight
    slope = (scaled * normal).mean(dim=1, keepdim=True)
    return (scaled - normal * slope - scaled.mean(dim=1, keepdim=True)) * rstd[:, None]


def rms_norm_of_x(grad: Any, normal: Any, weight: Any, inverse: Any) -> Any:
    """`normal`: x by the root of the mean of its squares, which `inverse` is 1 by."""
    scaled = grad.float() * weight
    return (scaled - normal * (scaled * normal).mean(dim=1, keepdim=True)) * inverse
