"""What the host functions of the examples ask of arrays, be they PyTorch's or NumPy's."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy


def strides(array: Any) -> tuple[int, ...]:
    """The strides in elements, which NumPy has in bytes."""
    if hasattr(array, "stride"):
        return tuple(array.stride())
    return tuple(stride // array.itemsize for stride in array.strides)


def reach(array: Any) -> int:
    """How far apart its elements are at most, in elements, and a little more."""
    steps = zip(array.shape, strides(array), strict=True)
    return sum(extent * abs(stride) for extent, stride in steps)


def working_on(stream: Any, like: Any) -> AbstractContextManager[Any]:
    """While PyTorch works on the stream of a launch, the memory that it gives is not in use there
    any more, and what it computes is done before the launch. `stream`: as launches take it."""
    if stream is None or not getattr(like, "is_cuda", False):
        return nullcontext()
    import torch

    if not isinstance(stream, torch.cuda.Stream):
        if hasattr(stream, "__cuda_stream__"):
            pair = stream.__cuda_stream__
            stream = (pair() if callable(pair) else pair)[1]
        handle = getattr(stream, "ptr", stream)
        stream = torch.cuda.ExternalStream(handle, device=like.device)
    return torch.cuda.stream(stream)


def empty(like: Any, shape: Sequence[int], dtype: str, stream: Any = None) -> Any:
    """An array without values that is of the same kind as `like`, and where that is, for a launch
    on this stream."""
    if hasattr(like, "new_empty"):
        import torch

        with working_on(stream, like):
            return like.new_empty(tuple(shape), dtype=getattr(torch, dtype))
    return numpy.empty(tuple(shape), dtype)


def zeros(like: Any, shape: Sequence[int], dtype: str, stream: Any = None) -> Any:
    """The same, of zeros."""
    with working_on(stream, like):
        array = empty(like, shape, dtype)
        array[...] = 0
    return array


def array_of(like: Any, numbers: Sequence[int], dtype: str, stream: Any = None) -> Any:
    """The same, of these numbers."""
    if hasattr(like, "new_tensor"):
        import torch

        with working_on(stream, like):
            return like.new_tensor(list(numbers), dtype=getattr(torch, dtype))
    return numpy.array(numbers, dtype)


def address(array: Any) -> int:
    """Where its first element is."""
    return array.data_ptr() if hasattr(array, "data_ptr") else array.ctypes.data


def words(array: Any) -> Any:
    """The same elements as integers; those of 16 bytes are two of 8, in a dimension more."""
    if hasattr(array, "data_ptr"):
        import torch

        if array.element_size() == 16:
            array = torch.view_as_real(array)
        return array.view(getattr(torch, f"int{8 * array.element_size()}"))
    if array.itemsize == 16:
        halves = array.view("i8, i8")["f0"]
        shape, steps = (*array.shape, 2), (*array.strides, 8)
        return numpy.lib.stride_tricks.as_strided(halves, shape, steps)
    return array.view(f"i{array.itemsize}")


def together(array: Any, extents: Sequence[int], steps: Sequence[int], count: int) -> Any:
    """The elements at these steps, of which so many that lie side by side are an integer."""
    dtype = f"int{8 * array.itemsize * count}"
    if hasattr(array, "data_ptr"):
        import torch

        return array.as_strided(extents, steps).view(getattr(torch, dtype))
    bytes_between = [step * array.itemsize for step in steps]
    return numpy.lib.stride_tricks.as_strided(array, extents, bytes_between).view(dtype)


def group(numbers: Any, count: int, stream: Any = None) -> tuple[Any, Any]:
    """The places of the zeros, then those of the ones, and so on, each in order; and where in this
    list those of each of `count` numbers begin. Other numbers stand before and behind these."""
    if hasattr(numbers, "data_ptr"):
        import torch

        with working_on(stream, numbers):
            ordered, places = torch.sort(numbers, stable=True)
            known = torch.arange(count + 1, dtype=numbers.dtype, device=numbers.device)
            return places, torch.searchsorted(ordered, known)
    places = numpy.argsort(numbers, kind="stable")
    return places, numpy.searchsorted(numbers[places], numpy.arange(count + 1, dtype=numbers.dtype))
