"""Block pointers: a block of a matrix in global memory, and how to move it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tilewright.language.types as tl_types
from tilewright.language.arithmetic import add
from tilewright.language.casts import convert
from tilewright.language.composite import composite
from tilewright.language.context import word
from tilewright.language.shapes import check_extents, describe, read_shape
from tilewright.language.tensor import read_constant, tensor, to_tensor
from tilewright.language.types import block_type, int64, pointer_type
from tilewright.language.views import UNBOUNDED, make_view, read_integers, read_list, to_index


class block_pointer_type(pointer_type):  # noqa: N801
    """The type of a block pointer: the type of the block behind it."""

    def __init__(self, block: block_type) -> None:
        super().__init__(block.element_ty)
        self.name = f"pointer<{block.name}>"
        self.element_ty = block


class block_pointer(composite):  # noqa: N801
    """A base, with the extents and strides of a matrix, and where a block of it begins."""

    def __init__(
        self,
        base: tensor,
        shape: Sequence[tensor],
        strides: Sequence[tensor | int],
        offsets: Sequence[tensor],
        block_shape: tuple[int, ...],
    ) -> None:
        self.base, self.extents, self.strides = base, list(shape), list(strides)
        self.offsets, self.block_shape = list(offsets), block_shape

    @property
    def type(self) -> block_pointer_type:
        """Its type; `.element_ty` is that of the block."""
        return block_pointer_type(block_type(self.element, self.block_shape))

    @property
    def dtype(self) -> tl_types.dtype:
        """Its type, as of any pointer."""
        return self.type

    @property
    def element(self) -> tl_types.dtype:
        """The type of the matrix' elements."""
        kind = self.base.dtype
        assert isinstance(kind, pointer_type)
        return kind.element_ty

    def __add__(self, offset: Any) -> block_pointer:
        raise TypeError("a block pointer is moved by tl.advance(pointer, offsets), not by +")

    def advance(self, offsets: Any) -> block_pointer:
        """The same as `tl.advance`."""
        return advance(self, offsets)

    def load(self, **options: Any) -> tensor:
        """The same as `tl.load`."""
        return memory.load(self, **options)

    def store(self, value: Any, **options: Any) -> None:
        """The same as `tl.store`."""
        memory.store(self, value, **options)

    def get_parts(self) -> list[tensor]:
        """Where it begins; the matrix stays."""
        return [*self.offsets]

    def with_parts(self, parts: Sequence[tensor]) -> block_pointer:
        """The same with these in place of `get_parts()`."""
        return block_pointer(self.base, self.extents, self.strides, parts, self.block_shape)

    def fits(self, other: Any) -> bool:
        """Whether it is of the same matrix and shape."""
        return (
            isinstance(other, block_pointer)
            and self.base is other.base
            and self.block_shape == other.block_shape
        )


def _read_wide(values: Any, what: str) -> list[tensor]:
    return [convert(value, int64) for value in read_integers(values, what)]


@word
def make_block_ptr(
    base: Any, shape: Any, strides: Any, offsets: Any, block_shape: Any, order: Any = None
) -> block_pointer:
    """A block of the matrix behind `base`.

    `shape` and `strides` are the matrix' extents and the distances of its elements along each axis,
    `offsets` is where the block begins, `block_shape` its constant extents. `order` is a hint that
    is not needed here.
    """
    if not isinstance(base, tensor) or base.type.is_block() or not base.dtype.is_ptr():
        raise TypeError(f"make_block_ptr takes a pointer, not {describe(base)}")
    block = check_extents(read_shape(block_shape, "block_shape"), "block_shape")
    steps = [
        step if isinstance(step, int) else convert(to_tensor(step), int64)
        for step in read_list(strides, "strides")
    ]
    extents, starts = _read_wide(shape, "shape"), _read_wide(offsets, "offsets")
    if not len(block) == len(extents) == len(steps) == len(starts):
        raise ValueError(
            "shape, strides, offsets and block_shape of make_block_ptr have as many numbers each"
        )
    return block_pointer(base, extents, steps, starts, block)


@word
def advance(base: Any, offsets: Any) -> block_pointer:
    """The block that many elements further along each axis."""
    if not isinstance(base, block_pointer):
        raise TypeError(f"advance takes what make_block_ptr gives, not {describe(base)}")
    steps = _read_wide(offsets, "offsets")
    if len(steps) != len(base.offsets):
        raise ValueError(f"a block of {len(base.offsets)} axes moves by as many offsets")
    return base.with_parts(
        [add(start, step) for start, step in zip(base.offsets, steps, strict=True)]
    )


def _read_checked(boundary_check: Any, rank: int) -> set[int]:
    if boundary_check is None:
        return set()
    axes = boundary_check if isinstance(boundary_check, (tuple, list)) else (boundary_check,)
    checked = set()
    for each in axes:
        axis = read_constant(each, "an axis of boundary_check")
        if not isinstance(axis, int) or not 0 <= axis < rank:
            raise ValueError(f"boundary_check has axes from 0 to {rank - 1}, not {axis!r}")
        checked.add(axis)
    return checked


def view_block(pointer: block_pointer, boundary_check: Any) -> tuple[tensor, list[tensor]]:
    """The matrix as a view of the dialect, and where the block begins in it.

    Along an axis that is not checked the view has no end.
    """
    rank = len(pointer.block_shape)
    checked = _read_checked(boundary_check, rank)
    extents: list[tensor | int] = []
    starts = []
    for axis in range(rank):
        extents.append(pointer.extents[axis] if axis in checked else UNBOUNDED)
        starts.append(to_index(pointer.offsets[axis]))
    return make_view(pointer.base, extents, pointer.strides), starts


# Methods need the words, whose module needs the class.
from tilewright.language import memory  # noqa: E402
