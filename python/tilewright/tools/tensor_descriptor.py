"""Descriptors of arrays, made on the host and given to kernels.

>>> a = TensorDescriptor.from_tensor(array, [64, 32])
>>> kernel[grid](a)  # in the kernel: a.load([i, j])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tilewright.language.descriptor import descriptor_arguments, descriptor_blocks
from tilewright.language.views import PADDINGS


@dataclass
class TensorDescriptor:
    """An array as a kernel sees it through `tl.make_tensor_descriptor`.

    Args:
        base: The array, or any part of it that begins where the matrix does.
        shape: Extents of the matrix.
        strides: Distances of its elements along each axis, in elements; the last one is 1.
        block_shape: Extents of the blocks that the kernel loads and stores: powers of two.
        padding: What blocks have beyond the matrix when they are loaded: "zero" or "nan".
    """

    base: Any
    shape: Sequence[int]
    strides: Sequence[int]
    block_shape: Sequence[int]
    padding: str = "zero"

    def __post_init__(self) -> None:
        ranks = {len(self.shape), len(self.strides), len(self.block_shape)}
        if len(ranks) != 1 or ranks == {0}:
            raise ValueError(
                "shape, strides and block_shape of a TensorDescriptor have as many numbers each"
            )
        if self.strides[-1] != 1:
            raise ValueError(
                f"the last stride of a TensorDescriptor is 1, not {self.strides[-1]}: give it a "
                "copy whose rows are contiguous"
            )
        if self.padding not in PADDINGS:
            raise ValueError(f"padding is 'zero' or 'nan', not {self.padding!r}")

    @staticmethod
    def from_tensor(
        tensor: Any, block_shape: Sequence[int], padding: str = "zero"
    ) -> TensorDescriptor:
        """All of an array, of torch, CuPy, JAX or NumPy."""
        if not hasattr(tensor, "shape"):
            raise TypeError(f"a TensorDescriptor is of an array, not of {type(tensor).__name__}")
        shape, strides = tuple(tensor.shape), _read_strides(tensor)
        # Nobody goes along an axis of one element, nor along any of an array without elements.
        if 0 in shape:
            strides = _make_dense(shape)
        elif shape and shape[-1] == 1:
            strides = (*strides[:-1], 1)
        return TensorDescriptor(tensor, shape, strides, list(block_shape), padding)

    def __tilewright_arguments__(self) -> descriptor_arguments:
        """What the dispatcher passes to the kernel; it asks at each launch."""
        blocks = descriptor_blocks(tuple(int(each) for each in self.block_shape), self.padding)
        return descriptor_arguments(self.base, tuple(self.shape), tuple(self.strides[:-1]), blocks)


def _read_strides(array: Any) -> tuple[int, ...]:
    """Distances in elements: torch has them so, NumPy and CuPy in bytes, JAX is dense."""
    strides = getattr(array, "strides", None)
    if strides is not None and not callable(strides) and hasattr(array, "itemsize"):
        for step in strides:
            if step % array.itemsize:
                raise ValueError(
                    f"an array with a stride of {step} bytes, no multiple of the "
                    f"{array.itemsize} of an element, has no TensorDescriptor: give it a copy"
                )
        return tuple(step // array.itemsize for step in strides)
    if callable(getattr(array, "stride", None)):
        return tuple(array.stride())
    return _make_dense(tuple(array.shape))


def _make_dense(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides of an array without gaps."""
    steps = [1]
    for extent in reversed(shape[1:]):
        steps.append(steps[-1] * extent)
    return tuple(reversed(steps))
