"""Words that combine the elements of a tile along an axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from tilewright.language import arithmetic
from tilewright.language.arithmetic import convert
from tilewright.language.context import current, emit_many, word
from tilewright.language.creation import arange, read_type
from tilewright.language.promotion import sum_type
from tilewright.language.shapes import (
    _normalize_axis,
    broadcast_to_shape,
    describe,
    expand_dims,
    reshape,
)
from tilewright.language.tensor import tensor, to_tensor
from tilewright.language.types import constexpr, dtype, float32, int32

#: Takes an element of each tile, then another of each; gives one of each.
Combine = Callable[..., Any]


def _build_region(kinds: Sequence[dtype], combine: Combine) -> int:
    """The region that makes one element of two."""
    builder = current().builder
    types = [kind.mlir for kind in kinds]
    handles = builder.begin_region(types + types)
    elements = [
        tensor(handle, kind) for handle, kind in zip(handles, [*kinds, *kinds], strict=True)
    ]
    try:
        made = combine(*elements)
        results = list(made) if isinstance(made, (tuple, list)) else [made]
        if len(results) != len(kinds):
            raise ValueError(
                f"the function of a reduction of {len(kinds)} tiles gives as many values, "
                f"not {len(results)}"
            )
        results = [to_tensor(result) for result in results]
        for result, kind in zip(results, kinds, strict=True):
            if result.type != kind:
                raise TypeError(
                    f"the function of a reduction of {kind} gives {result.type}; cast it by .to()"
                )
        emit_many("tile.yield", results, [])
    finally:
        region = builder.end_region()
    return region


def _combine_tiles(
    op: str, tiles: Sequence[tensor], axis: int, combine: Combine, keeps_axis: bool, extra: Any = ()
) -> list[tensor]:
    shape = tiles[0].type.shape
    rest = shape if keeps_axis else shape[:axis] + shape[axis + 1 :]
    kinds = [tile.dtype for tile in tiles]
    region = _build_region(kinds, combine)
    attributes = [("axis", f"{axis} : i32"), *extra]
    results = [kind.with_shape(rest) for kind in kinds]
    return emit_many(op, tiles, results, attributes, [region])


def take_single(tile: tensor) -> tensor:
    """The only element of a tile, as a scalar."""
    flat = tile if len(tile.type.shape) == 1 else reshape(tile, (1,))
    return _combine_tiles("tile.reduce", [flat], 0, lambda a, b: a, keeps_axis=False)[0]


def _read_tiles(input: Any, what: str) -> list[tensor]:
    values = list(input) if isinstance(input, (tuple, list)) else [input]
    tiles = [to_tensor(value) for value in values]
    for tile in tiles:
        if not tile.type.is_block():
            raise TypeError(f"{what} takes tiles, not {describe(tile)}")
        if tile.dtype.is_ptr():
            raise TypeError(f"{what} takes numbers, not pointers ({tile.type})")
        if tile.type.shape != tiles[0].type.shape:
            raise ValueError(
                f"{what} takes tiles of one shape, not {list(tiles[0].type.shape)} and "
                f"{list(tile.type.shape)}"
            )
    return tiles


def _unwrap(value: Any) -> Any:
    return value.value if isinstance(value, constexpr) else value


def _reduce_tiles(tiles: list[tensor], axis: Any, combine: Combine, keep_dims: Any) -> list[tensor]:
    axis = _unwrap(axis)
    shape = tiles[0].type.shape
    if axis is None:
        flat = [reshape(tile, (prod(shape),)) for tile in tiles]
        results = _combine_tiles("tile.reduce", flat, 0, combine, keeps_axis=False)
        if _unwrap(keep_dims):
            results = [broadcast_to_shape(each, (1,) * len(shape)) for each in results]
        return results
    axis = _normalize_axis(axis, len(shape))
    results = _combine_tiles("tile.reduce", tiles, axis, combine, keeps_axis=False)
    if _unwrap(keep_dims):
        results = [expand_dims(each, axis) for each in results]
    return results


def _as_word(function: Any) -> Combine:
    """A user's function, a helper with @tilewright.jit or a word, as a combination."""
    function = _unwrap(function)
    if hasattr(function, "inline"):
        return lambda *elements: function.inline(*elements)
    if not callable(function):
        raise TypeError(f"a reduction takes a function with @tilewright.jit, not {function!r}")
    return function  # type: ignore[no-any-return]


@word
def reduce(input: Any, axis: Any, combine_fn: Any, keep_dims: bool = False) -> Any:
    """Combines the elements of a tile, or of several together, by a function with @tilewright.jit.

    `combine_fn` is associative and commutative; it takes an element of each tile, then another of
    each, and gives one of each. Without an axis all elements become one.
    """
    tiles = _read_tiles(input, "reduce")
    results = _reduce_tiles(tiles, axis, _as_word(combine_fn), keep_dims)
    return tuple(results) if isinstance(input, (tuple, list)) else results[0]


def _reduce_one(tile: tensor, axis: Any, combine: Combine, keep_dims: Any) -> tensor:
    return _reduce_tiles([tile], axis, combine, keep_dims)[0]


@word
def sum(input: Any, axis: Any = None, keep_dims: bool = False, dtype: Any = None) -> tensor:
    """The sum along an axis, or of all elements.

    Integers of fewer than 32 bits, and booleans, are summed as 32 bits, bf16 as fp32; `dtype` says
    another type.
    """
    tile = _read_tiles(input, "sum")[0]
    kind = sum_type(tile.dtype) if _unwrap(dtype) is None else read_type(dtype, "sum")
    return _reduce_one(convert(tile, kind), axis, arithmetic.add, keep_dims)


@word
def xor_sum(input: Any, axis: Any = None, keep_dims: bool = False) -> tensor:
    """The exclusive or of integers along an axis, or of all elements."""
    return _reduce_one(_read_tiles(input, "xor_sum")[0], axis, arithmetic.xor, keep_dims)


@word
def reduce_or(input: Any, axis: Any, keep_dims: bool = False) -> tensor:
    """The or of integers along an axis, or of all elements."""
    return _reduce_one(_read_tiles(input, "reduce_or")[0], axis, arithmetic.or_, keep_dims)


def _widen(tile: tensor) -> tensor:
    """Triton compares what has fewer than 32 bits as 32."""
    if tile.dtype.primitive_bitwidth >= 32:
        return tile
    return convert(tile, float32 if tile.dtype.is_floating() else int32)


def _choose_with_index(is_better: Callable[[Any, Any], tensor], breaks_ties_left: bool) -> Combine:
    """Of two elements with their places the better one; of equal ones the first."""

    def combine(a: tensor, ai: tensor, b: tensor, bi: tensor) -> tuple[tensor, tensor]:
        takes_first = is_better(a, b)
        if breaks_ties_left:
            takes_first = takes_first | ((a == b) & (ai < bi))
        return arithmetic.where(takes_first, a, b), arithmetic.where(takes_first, ai, bi)

    return combine


def _reduce_with_index(
    input: Any, axis: Any, keep_dims: Any, is_better: Any, breaks_ties_left: Any, what: str
) -> tuple[tensor, tensor]:
    tile = _read_tiles(input, what)[0]
    tile = _widen(tile)
    axis = _unwrap(axis)
    rank = len(tile.type.shape)
    if axis is None:
        tile, rank, axis = reshape(tile, (prod(tile.type.shape),)), 1, 0
    axis = _normalize_axis(axis, rank)
    index = arange(0, tile.type.shape[axis])
    for other in range(rank):
        if other != axis:
            index = expand_dims(index, other)
    index = broadcast_to_shape(index, tile.type.shape)
    combine = _choose_with_index(is_better, bool(_unwrap(breaks_ties_left)))
    best, where = _reduce_tiles([tile, index], axis, combine, keep_dims)
    return best, where


def _extreme(
    input: Any, axis: Any, return_indices: Any, ties: Any, keep_dims: Any, what: str
) -> Any:
    is_better = arithmetic.greater if what == "max" else arithmetic.less
    if _unwrap(return_indices):
        return _reduce_with_index(input, axis, keep_dims, is_better, ties, what)
    combine = arithmetic.maximum if what == "max" else arithmetic.minimum
    return _reduce_one(_widen(_read_tiles(input, what)[0]), axis, combine, keep_dims)


@word
def max(
    input: Any,
    axis: Any = None,
    return_indices: bool = False,
    return_indices_tie_break_left: bool = True,
    keep_dims: bool = False,
) -> Any:
    """The greatest along an axis, or of all elements; NaN is passed over.

    The result has at least 32 bits. With `return_indices`, where it stands too.
    """
    ties = return_indices_tie_break_left
    return _extreme(input, axis, return_indices, ties, keep_dims, "max")


@word
def min(
    input: Any,
    axis: Any = None,
    return_indices: bool = False,
    return_indices_tie_break_left: bool = True,
    keep_dims: bool = False,
) -> Any:
    """The least along an axis, or of all elements; NaN is passed over.

    The result has at least 32 bits. With `return_indices`, where it stands too.
    """
    ties = return_indices_tie_break_left
    return _extreme(input, axis, return_indices, ties, keep_dims, "min")


@word
def argmax(input: Any, axis: Any, tie_break_left: bool = True, keep_dims: bool = False) -> tensor:
    """Where the greatest stands; of equal ones the first."""
    better = arithmetic.greater
    return _reduce_with_index(input, axis, keep_dims, better, tie_break_left, "argmax")[1]


@word
def argmin(input: Any, axis: Any, tie_break_left: bool = True, keep_dims: bool = False) -> tensor:
    """Where the least stands; of equal ones the first."""
    better = arithmetic.less
    return _reduce_with_index(input, axis, keep_dims, better, tie_break_left, "argmin")[1]


# Scans


def _scan_tiles(tiles: list[tensor], axis: Any, combine: Combine, reverse: Any) -> list[tensor]:
    axis = _normalize_axis(axis, len(tiles[0].type.shape))
    extra = [("reverse", "unit")] if _unwrap(reverse) else []
    return _combine_tiles("tile.scan", tiles, axis, combine, keeps_axis=True, extra=extra)


@word
def associative_scan(input: Any, axis: Any, combine_fn: Any, reverse: bool = False) -> Any:
    """What the elements up to each one combine to, by a function with @tilewright.jit.

    `combine_fn` is associative. It takes what stands before, then what comes after; `input` may be
    several tiles that are scanned together. With `reverse` it goes from the end.
    """
    tiles = _read_tiles(input, "associative_scan")
    results = _scan_tiles(tiles, axis, _as_word(combine_fn), reverse)
    return tuple(results) if isinstance(input, (tuple, list)) else results[0]


@word
def cumsum(input: Any, axis: Any = 0, reverse: bool = False, dtype: Any = None) -> tensor:
    """The sum of the elements up to each one, along an axis; types as those of `sum`."""
    tile = _read_tiles(input, "cumsum")[0]
    kind = sum_type(tile.dtype) if _unwrap(dtype) is None else read_type(dtype, "cumsum")
    return _scan_tiles([convert(tile, kind)], axis, arithmetic.add, reverse)[0]


@word
def cumprod(input: Any, axis: Any = 0, reverse: bool = False) -> tensor:
    """The product of the elements up to each one, along an axis; bf16 as fp32."""
    tile = _read_tiles(input, "cumprod")[0]
    kind = sum_type(tile.dtype) if tile.dtype.is_floating() else tile.dtype
    return _scan_tiles([convert(tile, kind)], axis, arithmetic.mul, reverse)[0]
