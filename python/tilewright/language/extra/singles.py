"""What functions of floats are made with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright.language.context import emit
from tilewright.language.math import fma
from tilewright.language.tensor import tensor, to_tensor
from tilewright.language.types import float32, float64


def take_single(x: Any, name: str) -> tensor:
    value = to_tensor(x)
    if value.dtype != float32:
        raise TypeError(f"{name} takes fp32, not {value.dtype}: cast it by .to(tl.float32)")
    return value


def take_float(x: Any, name: str) -> tensor:
    value = to_tensor(x)
    if value.dtype not in (float32, float64):
        raise TypeError(
            f"{name} takes fp32 and fp64, not {value.dtype}: cast it by .to(tl.float32)"
        )
    return value


def apply(op: str, x: tensor) -> tensor:
    return emit(op, [x], x.type)


def polynomial(x: tensor, coefficients: Sequence[float]) -> tensor:
    """That of x with these coefficients, the constant one first."""
    *others, second, first = coefficients
    result = fma(x, first, second)
    for each in reversed(others):
        result = fma(result, x, each)
    return result


def with_sign(size: tensor, of: tensor) -> tensor:
    return emit("math.copysign", [size, of], size.type)
