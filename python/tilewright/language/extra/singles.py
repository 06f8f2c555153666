"""What functions of floats are made with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tilewright.language.context import emit
from tilewright.language.math import apply, check_type, fma
from tilewright.language.tensor import tensor, to_tensor
from tilewright.language.types import dtype, float32, float64


def _take(x: Any, allowed: tuple[dtype, ...], name: str) -> tensor:
    value = to_tensor(x)
    check_type(value, allowed, name)
    return value


def take_single(x: Any, name: str) -> tensor:
    return _take(x, (float32,), name)


def take_float(x: Any, name: str) -> tensor:
    return _take(x, (float32, float64), name)


def of_either(op: str, of_double: Callable[[tensor], tensor]) -> Callable[[tensor], tensor]:
    """An op of fp32, and what stands for it of fp64."""
    return lambda x: of_double(x) if x.dtype == float64 else apply(op, x)


def polynomial(x: tensor, coefficients: Sequence[float]) -> tensor:
    """That of x with these coefficients, the constant one first."""
    *others, second, first = coefficients
    result = fma(x, first, second)
    for each in reversed(others):
        result = fma(result, x, each)
    return result


def with_sign(size: tensor, of: tensor) -> tensor:
    return emit("math.copysign", [size, of], size.type)
