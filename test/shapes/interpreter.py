"""Runs the text of a kernel by NumPy, one program after the other: the words of loops.py,
memory.py, stencils.py and totals.py."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy

from .kernel_text import KERNEL


@dataclass(frozen=True)
class Pointer:
    """Into an array of one dimension."""

    array: numpy.ndarray
    offset: Any = 0

    def __add__(self, distance: Any) -> Pointer:
        return Pointer(self.array, self.offset + distance)


@dataclass(frozen=True)
class Descriptor:
    """A matrix of which rows follow one another."""

    pointer: Pointer
    shape: list[int]
    block: list[int]

    def load(self, place: list[int]) -> Any:
        """A block, with zeros outside."""
        pointers, inside = self._find(place)
        return load(pointers, inside, 0.0)

    def store(self, place: list[int], values: numpy.ndarray) -> None:
        pointers, inside = self._find(place)
        store(pointers, values, inside)

    def _find(self, place: list[int]) -> tuple[Pointer, Any]:
        """The elements of a block, and which of them the matrix has."""
        rows, columns = (
            int(at) + numpy.arange(size) for at, size in zip(place, self.block, strict=True)
        )
        is_row = (rows >= 0) & (rows < self.shape[0])
        is_column = (columns >= 0) & (columns < self.shape[1])
        places = rows[:, None] * self.shape[1] + columns
        return self.pointer + places, is_row[:, None] & is_column


def load(pointer: Pointer, mask: Any = True, other: float = 0, volatile: bool = False) -> Any:
    places, inside = numpy.broadcast_arrays(pointer.offset, mask)
    if places.ndim == 0:
        return int(pointer.array[int(places)])
    values = numpy.full(places.shape, other, numpy.float64)
    values[inside] = pointer.array[places[inside]]
    return values


def store(pointer: Pointer, values: Any, mask: Any = True) -> None:
    places, inside, values = numpy.broadcast_arrays(pointer.offset, mask, values)
    pointer.array[places[inside]] = values[inside]


def atomic_add(pointer: Pointer, value: int) -> int:
    """Adds to one element, and gives what was there."""
    before = load(pointer)
    store(pointer, before + value)
    return before


def cast(values: Any, dtype: Any) -> Any:
    return numpy.asarray(values).astype(dtype)[()]


def words_of(program: tuple[int, ...], grid: tuple[int, ...] = ()) -> SimpleNamespace:
    return SimpleNamespace(
        constexpr=None,
        float16=numpy.float64,
        int8=numpy.int64,
        int16=numpy.int64,
        int32=numpy.int64,
        int64=numpy.int64,
        float32=numpy.float64,
        cast=cast,
        program_id=lambda axis: program[axis],
        num_programs=lambda axis: grid[axis],
        arange=numpy.arange,
        zeros=lambda shape, dtype: numpy.zeros(shape),
        make_tensor_descriptor=lambda base, shape, strides, block: Descriptor(base, shape, block),
        load=load,
        store=store,
        atomic_add=atomic_add,
        dot=lambda one, other, total: total + one @ other,
        cdiv=lambda one, other: -(-one // other),
        minimum=lambda one, other: numpy.minimum(one, other)[()],
        maximum=lambda one, other: numpy.maximum(one, other)[()],
        where=numpy.where,
        max=lambda values, axis: values.max(axis=axis),
        sum=lambda values, axis: values.sum(axis=axis),
        cumsum=lambda values, axis: values.cumsum(axis=axis),
        range=lambda first, last, step=1, num_stages=None: range(first, last, step),
        static_range=range,
    )


def interpret(
    text: str,
    grid: tuple[int, ...],
    arrays: list[Any],
    *rest: Any,
    words: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """All programs of a grid, of a kernel that takes arrays, which it may write, and numbers.
    `words` are more than those that all have, or others."""
    pointers = [Pointer(array.reshape(-1)) for array in arrays]
    for program in itertools.product(*(range(size) for size in grid)):
        known = SimpleNamespace(**{**vars(words_of(program, grid)), **words})
        names: dict[str, Any] = {"tl": known}
        exec(text, names)
        names[KERNEL](*pointers, *rest)
