"""Words that put two tiles together, and take them apart."""

from __future__ import annotations

from typing import Any

from tilewright.language.comparisons import where
from tilewright.language.context import emit_many, word
from tilewright.language.creation import arange
from tilewright.language.operands import join_types, refuse_pointer
from tilewright.language.shapes import describe, expand_dims, normalize_axis, permute, reshape
from tilewright.language.tensor import tensor


@word
def join(a: Any, b: Any) -> tensor:
    """Two tiles as one with a new last dimension of extent 2."""
    a, b = join_types(a, b, "join", computes=False)
    rank = len(a.type.shape)
    is_first = arange(0, 2) == 0
    if rank:
        is_first = expand_dims(is_first, list(range(rank)))
        a, b = expand_dims(a, rank), expand_dims(b, rank)
    return where(is_first, a, b)


@word
def split(a: Any) -> tuple[tensor, tensor]:
    """The two tiles whose `join` it is: its last dimension has the extent 2."""
    if not isinstance(a, tensor) or a.type.shape[-1:] != (2,):
        raise TypeError(f"split takes a tile whose last extent is 2, not {describe(a)}")
    refuse_pointer(a, "split")
    last = len(a.type.shape) - 1
    half = a.type.with_shape((*a.type.shape[:-1], 1))
    attributes = [("axis", f"{last} : i32"), ("stride", "1 : i64")]
    first, second = emit_many("tile.split", [a], [half, half], attributes)
    return reshape(first, a.type.shape[:-1]), reshape(second, a.type.shape[:-1])


@word
def interleave(a: Any, b: Any) -> tensor:
    """The elements of two tiles in turn, along their last dimension."""
    both = join(a, b)
    shape = both.type.shape
    if len(shape) == 1:
        return both
    return reshape(both, (*shape[:-2], 2 * shape[-2]))


@word
def cat(input: Any, other: Any, can_reorder: Any = False, dim: Any = 0) -> tensor:
    """Two tiles of one shape as one: the elements of `other` follow those of `input` along `dim`.

    `can_reorder` allows another order; it is kept here.
    """
    for value in (input, other):
        if not isinstance(value, tensor) or not value.type.is_block():
            raise TypeError(f"cat takes two tiles, not {describe(value)}")
        if value.dtype.is_ptr():
            raise TypeError("cat takes numbers, not pointers: join what is added to the pointer")
    shape = input.type.shape
    if other.type.shape != shape:
        raise ValueError(
            f"cat takes tiles of one shape, not {list(shape)} and {list(other.type.shape)}: what "
            "comes out has powers of two as extents"
        )
    axis = normalize_axis(dim, len(shape))
    both = join(input, other)
    order = (*range(axis), len(shape), *range(axis, len(shape)))
    return reshape(permute(both, order), (*shape[:axis], 2 * shape[axis], *shape[axis + 1 :]))
