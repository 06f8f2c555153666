"""What the host functions of the examples ask of arrays, be they PyTorch's or NumPy's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy


def strides(array: Any) -> tuple[int, ...]:
    """The strides in elements, which NumPy has in bytes."""
    if hasattr(array, "stride"):
        return tuple(array.stride())
    return tuple(stride // array.itemsize for stride in array.strides)


def empty(like: Any, shape: Sequence[int], dtype: str) -> Any:
    """An array without values that is of the same kind as `like`, and where that is."""
    if hasattr(like, "new_empty"):
        import torch

        return like.new_empty(tuple(shape), dtype=getattr(torch, dtype))
    return numpy.empty(tuple(shape), dtype)


def zeros(like: Any, shape: Sequence[int], dtype: str) -> Any:
    """The same, of zeros."""
    array = empty(like, shape, dtype)
    array[...] = 0
    return array


def array_of(like: Any, numbers: Sequence[int], dtype: str) -> Any:
    """The same, of these numbers."""
    if hasattr(like, "new_tensor"):
        import torch

        return like.new_tensor(list(numbers), dtype=getattr(torch, dtype))
    return numpy.array(numbers, dtype)


def address(array: Any) -> int:
    """Where its first element is."""
    return array.data_ptr() if hasattr(array, "data_ptr") else array.ctypes.data
