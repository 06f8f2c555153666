"""The words of words.py by NumPy, on integers as they are: each bit is that of the language."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy

from .interpreter import Descriptor, Pointer, cast, store
from .kernel_text import KERNEL

INTEGERS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))


@dataclass(frozen=True)
class _Block:
    """Of a matrix whose elements are any steps apart."""

    pointer: Pointer
    shape: tuple[int, int]
    strides: tuple[int, int]
    place: tuple[int, int]
    block: tuple[int, int]
    order: tuple[int, int]

    def find(self) -> tuple[Pointer, Any]:
        rows, columns = (
            int(at) + numpy.arange(size) for at, size in zip(self.place, self.block, strict=True)
        )
        is_row, is_column = (
            (each >= 0) & (each < size)
            for each, size in zip((rows, columns), self.shape, strict=True)
        )
        places = rows[:, None] * self.strides[0] + columns * self.strides[1]
        return self.pointer + places, is_row[:, None] & is_column

    def advance(self, steps: tuple[int, int]) -> _Block:
        at, to = self.place, steps
        return replace(self, place=(at[0] + to[0], at[1] + to[1]))


def _load(pointer: Any, mask: Any = True, other: int = 0, **checks: Any) -> Any:
    if isinstance(pointer, _Block):
        pointer, mask = pointer.find()
    places, inside = numpy.broadcast_arrays(pointer.offset, mask)
    values = numpy.full(places.shape, other, pointer.array.dtype)
    values[inside] = pointer.array[places[inside]]
    return values[()]


class _Descriptor(Descriptor):
    def load(self, place: list[int]) -> Any:
        return _load(*self._find(place))


def _reduce(values: Any, axis: int, combine_fn: Any, keep_dims: bool = False) -> Any:
    parts = [numpy.take(values, i, axis) for i in range(values.shape[axis])]
    total = parts[0]
    for part in parts[1:]:
        total = combine_fn(total, part)
    return numpy.expand_dims(total, axis) if keep_dims else total


def _reversed(scan: Any) -> Any:
    """One that goes along an axis in either direction."""

    def scan_either(values: Any, axis: int, reverse: bool, **more: Any) -> Any:
        if not reverse:
            return scan(values, axis, **more)
        return numpy.flip(scan(numpy.flip(values, axis), axis, **more), axis)

    return scan_either


def _scan(values: Any, axis: int, combine_fn: Any) -> Any:
    result = values.copy()
    ahead = numpy.moveaxis(result, axis, 0)
    for i in range(1, len(ahead)):
        ahead[i] = combine_fn(ahead[i - 1], ahead[i])
    return result


def sort(values: Any, dim: int, descending: bool = False) -> Any:
    result = numpy.sort(values, dim)
    return numpy.flip(result, dim) if descending else result


def _histogram(values: Any, bins: int, mask: Any = True) -> Any:
    return numpy.bincount(values[numpy.broadcast_to(mask, values.shape)], minlength=bins)


def interleave(a: Any, b: Any) -> Any:
    return numpy.stack((a, b), -1).reshape(*a.shape[:-1], -1)


def _atomic(function: Any) -> Any:
    """Where places may be one, nobody asks what was there."""

    def update(pointer: Pointer, values: Any) -> Any:
        before = pointer.array[pointer.offset]
        function.at(pointer.array, pointer.offset, values)
        return before

    return update


def _xchg(pointer: Pointer, values: Any) -> Any:
    before = pointer.array[pointer.offset]
    pointer.array[pointer.offset] = values
    return before


def _along(function: Any, **more: Any) -> Any:
    def combine(values: Any, axis: int, keep_dims: bool = False) -> Any:
        return function(values, axis=axis, keepdims=keep_dims, **more)

    return combine


def _words_of(program: tuple[int, ...]) -> SimpleNamespace:
    return SimpleNamespace(
        **{name: getattr(numpy, name) for name in (*INTEGERS, "float16")},
        cast=cast,
        program_id=lambda axis: program[axis],
        arange=lambda start, end: numpy.arange(start, end, dtype=numpy.int32),
        load=_load,
        store=store,
        make_tensor_descriptor=lambda base, shape, strides, block: _Descriptor(base, shape, block),
        make_block_ptr=_Block,
        advance=_Block.advance,
        reshape=numpy.reshape,
        broadcast_to=numpy.broadcast_to,
        permute=numpy.transpose,
        where=numpy.where,
        maximum=numpy.maximum,
        sum=lambda x, axis, keep_dims=False: x.sum(axis=axis, keepdims=keep_dims),
        max=_along(numpy.max),
        min=_along(numpy.min),
        xor_sum=_along(numpy.bitwise_xor.reduce),
        argmax=_along(numpy.argmax),
        argmin=_along(numpy.argmin),
        reduce=_reduce,
        cumsum=_reversed(numpy.cumsum),
        associative_scan=_reversed(_scan),
        sort=sort,
        topk=lambda x, k: sort(x, -1, True)[..., :k],
        flip=numpy.flip,
        gather=lambda x, index, axis: numpy.take_along_axis(x, index, axis),
        join=lambda a, b: numpy.stack((a, b), -1),
        split=lambda x: (x[..., 0], x[..., 1]),
        interleave=interleave,
        cat=lambda a, b: numpy.concatenate((a, b)),
        histogram=_histogram,
        dot=lambda a, b: a.astype(numpy.float32) @ b.astype(numpy.float32),
        atomic_add=_atomic(numpy.add),
        atomic_xchg=_xchg,
        atomic_max=_atomic(numpy.maximum),
        atomic_min=_atomic(numpy.minimum),
        atomic_and=_atomic(numpy.bitwise_and),
        atomic_or=_atomic(numpy.bitwise_or),
        atomic_xor=_atomic(numpy.bitwise_xor),
    )


def interpret(text: str, grid: tuple[int, ...], arrays: list[Any]) -> None:
    """All programs of a grid, of a kernel that takes arrays, which it may write."""
    for program in itertools.product(*(range(size) for size in grid)):
        names: dict[str, Any] = {
            "tl": _words_of(program),
            "tilewright": SimpleNamespace(jit=lambda function: function),
        }
        exec(text, names)
        with numpy.errstate(over="ignore"):
            names[KERNEL](*(Pointer(array) for array in arrays))
