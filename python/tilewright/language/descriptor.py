"""Tensor descriptors: a matrix in global memory, of which blocks of one shape are read and written.

What lies beyond the matrix is no concern of the kernel: it is read as zero, and not written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import tilewright.language.types as tl_types
from tilewright.language.arithmetic import add, and_, mul
from tilewright.language.atomics import (
    atomic_add,
    atomic_and,
    atomic_max,
    atomic_min,
    atomic_or,
    atomic_xor,
)
from tilewright.language.casts import convert
from tilewright.language.comparisons import greater_equal, less
from tilewright.language.composite import composite
from tilewright.language.context import word
from tilewright.language.creation import arange
from tilewright.language.memory import load, store
from tilewright.language.shapes import check_extents, describe, expand_dims, read_shape
from tilewright.language.tensor import read_constant, tensor, to_tensor
from tilewright.language.types import block_type, int64, pointer_type
from tilewright.language.views import (
    check_padding,
    load_view,
    make_view,
    read_extent,
    read_integers,
    read_list,
    store_view,
    to_index,
    widen,
)

_MOST_AXES = 5


class tensor_descriptor(composite):  # noqa: N801
    """A matrix behind a pointer, and the shape of its blocks."""

    def __init__(
        self,
        base: tensor,
        shape: Sequence[tensor | int],
        strides: Sequence[tensor | int],
        block_shape: tuple[int, ...],
        padding: str,
    ) -> None:
        self.base = base
        #: Extents of the matrix.
        self.shape = tuple(shape)
        #: Distances of its elements along each axis.
        self.strides = tuple(strides)
        #: Extents of its blocks.
        self.block_shape = list(block_shape)
        self.padding = padding

    @property
    def dtype(self) -> tl_types.dtype:
        """The type of the matrix' elements."""
        kind = self.base.dtype
        assert isinstance(kind, pointer_type)
        return kind.element_ty

    @property
    def block_type(self) -> block_type:
        """The type of a block."""
        return block_type(self.dtype, tuple(self.block_shape))

    @property
    def type(self) -> str:
        """Its type, as signatures write it."""
        return f"tensordesc<{self.dtype}{self.block_shape}>"

    # Parts

    def _list(self) -> list[tensor | int]:
        return [self.base, *self.shape, *self.strides]

    def get_parts(self) -> list[tensor]:
        """The pointer, and what is not constant of extents and strides."""
        return [part for part in self._list() if isinstance(part, tensor)]

    def with_parts(self, parts: Sequence[tensor]) -> tensor_descriptor:
        """The same with these in place of `get_parts()`."""
        rest = iter(parts)
        base, *numbers = (next(rest) if isinstance(part, tensor) else part for part in self._list())
        assert isinstance(base, tensor)
        rank = len(self.shape)
        return tensor_descriptor(
            base, numbers[:rank], numbers[rank:], tuple(self.block_shape), self.padding
        )

    def _kinds(self) -> list[Any]:
        return [part.type if isinstance(part, tensor) else part for part in self._list()]

    def fits(self, other: Any) -> bool:
        """Whether its blocks are the same, and the same of it is constant."""
        return (
            isinstance(other, tensor_descriptor)
            and self.type == other.type
            and self.padding == other.padding
            and self._kinds() == other._kinds()
        )

    # Blocks

    def load(self, offsets: Any) -> tensor:
        """The block that begins at these offsets."""
        view, starts = self._find(offsets)
        return load_view(view, starts, self.dtype, tuple(self.block_shape), self.padding)

    def store(self, offsets: Any, value: Any) -> None:
        """Writes the block that begins at these offsets; the value is cast to its type."""
        tile = self._check_value(value, tuple(self.block_shape))
        view, starts = self._find(offsets)
        store_view(view, starts, tile, self.dtype, tuple(self.block_shape))

    def _read_offsets(self, offsets: Any) -> list[tensor]:
        starts = read_integers(offsets, "offsets")
        if len(starts) != len(self.shape):
            raise ValueError(
                f"a block of {len(self.shape)} axes has as many offsets, not {len(starts)}"
            )
        return starts

    def _find(self, offsets: Any) -> tuple[tensor, list[tensor]]:
        starts = [to_index(convert(start, int64)) for start in self._read_offsets(offsets)]
        extents = [widen(extent) for extent in self.shape]
        return make_view(self.base, extents, [widen(stride) for stride in self.strides]), starts

    def _check_value(self, value: Any, shape: tuple[int, ...]) -> tensor:
        tile = to_tensor(value, "what is stored")
        if tile.type.shape != shape:
            raise ValueError(
                f"what is stored has the shape {list(shape)}, as the block, not "
                f"{list(tile.type.shape)}"
            )
        return tile

    # Single rows

    def gather(self, x_offsets: Any, y_offset: Any) -> tensor:
        """Parts of rows: `x_offsets` is a tile with their numbers, `y_offset` where they begin."""
        pointers, mask = self._find_rows(x_offsets, y_offset)
        other = float("nan") if self.padding == "nan" else None
        return load(pointers, mask=mask, other=other)

    def scatter(self, value: Any, x_offsets: Any, y_offset: Any) -> None:
        """Writes parts of rows, as `gather` reads them."""
        pointers, mask = self._find_rows(x_offsets, y_offset)
        store(pointers, self._check_value(value, pointers.type.shape), mask=mask)

    def _find_rows(self, rows: Any, column: Any) -> tuple[tensor, tensor]:
        if len(self.shape) != 2 or self.block_shape[0] != 1:
            raise ValueError(
                "gather and scatter are of descriptors whose blocks are one row, [1, N], not "
                f"{self.block_shape}"
            )
        numbers = to_tensor(rows, "x_offsets")
        if len(numbers.type.shape) != 1 or not numbers.dtype.is_int():
            raise TypeError(f"x_offsets is a tile of integers of one dimension, not {numbers.type}")
        (start,) = read_integers([column], "y_offset")
        columns = add(arange(0, self.block_shape[1]), convert(start, int64))
        return self._point([expand_dims(convert(numbers, int64), 1), expand_dims(columns, 0)])

    def _point(self, places: Sequence[tensor]) -> tuple[tensor, tensor]:
        """Pointers to these places of the matrix, and which of them are inside."""
        pointers: tensor = self.base
        inside: Any = None
        for place, extent, stride in zip(places, self.shape, self.strides, strict=True):
            pointers = add(pointers, mul(place, widen(stride)))
            within = and_(greater_equal(place, 0), less(place, widen(extent)))
            inside = within if inside is None else and_(inside, within)
        return pointers, inside

    # Blocks in one step

    def _update(self, update: Any, offsets: Any, value: Any) -> None:
        tile = self._check_value(value, tuple(self.block_shape))
        places = []
        for axis, start in enumerate(self._read_offsets(offsets)):
            place = add(arange(0, self.block_shape[axis]), convert(start, int64))
            others = [other for other in range(len(self.shape)) if other != axis]
            places.append(expand_dims(place, others) if others else place)
        pointers, inside = self._point(places)
        update(pointers, convert(tile, self.dtype), mask=inside, sem="relaxed")

    def atomic_add(self, offsets: Any, value: Any) -> None:
        """Adds a block to memory, each element in one step."""
        self._update(atomic_add, offsets, value)

    def atomic_max(self, offsets: Any, value: Any) -> None:
        """Stores the greater of memory and a block."""
        self._update(atomic_max, offsets, value)

    def atomic_min(self, offsets: Any, value: Any) -> None:
        """Stores the less of memory and a block."""
        self._update(atomic_min, offsets, value)

    def atomic_and(self, offsets: Any, value: Any) -> None:
        """Stores memory & a block, of integers."""
        self._update(atomic_and, offsets, value)

    def atomic_or(self, offsets: Any, value: Any) -> None:
        """Stores memory | a block, of integers."""
        self._update(atomic_or, offsets, value)

    def atomic_xor(self, offsets: Any, value: Any) -> None:
        """Stores memory ^ a block, of integers."""
        self._update(atomic_xor, offsets, value)


@word
def make_tensor_descriptor(
    base: Any, shape: Any, strides: Any, block_shape: Any, padding_option: Any = "zero"
) -> tensor_descriptor:
    """A matrix behind `base`, whose blocks are loaded by `.load(offsets)` and stored by `.store`.

    `shape` and `strides` are its extents and the distances of its elements along each axis, the
    last of which is 1; `block_shape` has constant extents. What a block has beyond the matrix reads
    as zero, or as NaN with ``padding_option="nan"``, and is not written.
    """
    if not isinstance(base, tensor) or base.type.is_block() or not base.dtype.is_ptr():
        raise TypeError(f"make_tensor_descriptor takes a pointer, not {describe(base)}")
    block = check_extents(read_shape(block_shape, "block_shape"), "block_shape")
    extents = [read_extent(each, "shape") for each in read_list(shape, "shape")]
    steps = [read_extent(each, "strides") for each in read_list(strides, "strides")]
    if not len(block) == len(extents) == len(steps):
        raise ValueError("shape, strides and block_shape of a descriptor have as many numbers each")
    if not 1 <= len(block) <= _MOST_AXES:
        raise ValueError(f"a descriptor has 1 to {_MOST_AXES} axes, not {len(block)}")
    if not isinstance(steps[-1], int) or steps[-1] != 1:
        raise ValueError(
            "the last stride of a descriptor is the constant 1: elements of a row follow one "
            "another; another matrix is reached by make_block_ptr"
        )
    descriptor = tensor_descriptor(base, extents, steps, block, "zero")
    option = read_constant(padding_option, "padding_option") or "zero"
    descriptor.padding = check_padding(option, descriptor.dtype)
    return descriptor


def _check_descriptor(desc: Any, name: str) -> tensor_descriptor:
    if not isinstance(desc, tensor_descriptor):
        raise TypeError(f"{name} takes what make_tensor_descriptor gives, not {describe(desc)}")
    return desc


@word
def load_tensor_descriptor(desc: Any, offsets: Any) -> tensor:
    """The block of a descriptor that begins at these offsets: ``desc.load(offsets)``."""
    return _check_descriptor(desc, "load_tensor_descriptor").load(offsets)


@word
def store_tensor_descriptor(desc: Any, offsets: Any, value: Any) -> None:
    """Writes the block that begins at these offsets: ``desc.store(offsets, value)``."""
    _check_descriptor(desc, "store_tensor_descriptor").store(offsets, value)


# Descriptors as arguments


@dataclass(frozen=True)
class descriptor_blocks:  # noqa: N801
    """What the code of a kernel depends on of a descriptor that it is given."""

    block_shape: tuple[int, ...]
    padding: str

    # For the dispatcher: part of the code, wherever it is given.
    __tilewright_constant__ = True


class descriptor_arguments(NamedTuple):  # noqa: N801
    """A descriptor as the arguments of a kernel, or as their types."""

    base: Any
    shape: tuple[Any, ...]
    #: Without the last one, which is 1.
    strides: tuple[Any, ...]
    blocks: Any

    @staticmethod
    def parse(text: str) -> descriptor_arguments | None:
        """The types that "tensordesc<fp16[64, 32]>" stands for; None where it is something else.

        Raises:
            ValueError: It begins so, and goes on in another way.
        """
        if not text.startswith("tensordesc<"):
            return None
        element, _, extents = text.removeprefix("tensordesc<").removesuffix(">").partition("[")
        numbers = extents.removesuffix("]").replace(" ", "").split(",")
        if not text.endswith("]>") or not all(number.isdigit() for number in numbers):
            raise ValueError(
                f'{text!r} is no descriptor, which is such as "tensordesc<fp16[64,32]>"'
            )
        blocks = descriptor_blocks(tuple(int(number) for number in numbers), "zero")
        rank = len(numbers)
        return descriptor_arguments(f"*{element}", ("i32",) * rank, ("i64",) * (rank - 1), blocks)

    def describe(self) -> tuple[descriptor_arguments, descriptor_arguments]:
        """The types of `parse` as a signature, and the constants beside it."""
        none = descriptor_arguments(
            None, (None,) * len(self.shape), (None,) * len(self.strides), self.blocks
        )
        return self._replace(blocks="constexpr"), none

    def make_value(self) -> tensor_descriptor:
        """The descriptor in the kernel."""
        blocks: descriptor_blocks = self.blocks
        return make_tensor_descriptor(
            self.base, self.shape, (*self.strides, 1), blocks.block_shape, blocks.padding
        )
