"""Words that combine the elements of a tile along an axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from tilewright.language import arithmetic, comparisons
from tilewright.language.casts import convert
from tilewright.language.context import Purity, current, emit_many, word
from tilewright.language.creation import arange, read_type
from tilewright.language.operands import widen_bfloat16
from tilewright.language.promotion import sum_type
from tilewright.language.shapes import (
    broadcast_to_shape,
    describe,
    expand_dims,
    normalize_axis,
    reshape,
)
from tilewright.language.tensor import read_constant, tensor, to_tensor
from tilewright.language.types import dtype, float32, int32

#: Takes an element of each tile, then another of each; gives one of each.
Combine = Callable[..., Any]


def _read_combined(made: Any, kinds: Sequence[dtype]) -> list[tensor]:
    """What a function made of two elements, as one of each tile."""
    results = list(made) if isinstance(made, (tuple, list)) else [made]
    if len(results) != len(kinds):
        raise ValueError(
            f"the function of a reduction of {len(kinds)} tiles gives as many values, not "
            f"{len(results)}"
        )
    values = [to_tensor(result, "what the function of a reduction gives") for result in results]
    for value, kind in zip(values, kinds, strict=True):
        if value.dtype != kind or value.numel != 1:
            raise TypeError(
                f"the function of a reduction of {kind} gives {value.type}; cast it by .to()"
            )
    return [tensor(value.handle, kind) for value, kind in zip(values, kinds, strict=True)]


def _build_region(kinds: Sequence[dtype], combine: Combine) -> int:
    """The region that makes one element of two."""
    builder = current().builder
    pairs = [*kinds, *kinds]
    handles = builder.begin_region([kind.mlir for kind in pairs])
    try:
        elements = [tensor(handle, kind) for handle, kind in zip(handles, pairs, strict=True)]
        with current().restrict(Purity.COMBINES):
            emit_many("tile.yield", _read_combined(combine(*elements), kinds), [])
    finally:
        region: int = builder.end_region()
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


def _reduce_tiles(tiles: list[tensor], axis: Any, combine: Combine, keep_dims: Any) -> list[tensor]:
    shape = tiles[0].type.shape
    keep_dims = read_constant(keep_dims, "keep_dims")
    if read_constant(axis, "an axis") is None:
        flat = [reshape(tile, (prod(shape),)) for tile in tiles]
        results = _combine_tiles("tile.reduce", flat, 0, combine, keeps_axis=False)
        if keep_dims:
            results = [broadcast_to_shape(each, (1,) * len(shape)) for each in results]
        return results
    axis = normalize_axis(axis, len(shape))
    results = _combine_tiles("tile.reduce", tiles, axis, combine, keeps_axis=False)
    if keep_dims:
        results = [expand_dims(each, axis) for each in results]
    return results


def as_word(function: Any, what: str = "combine_fn") -> Combine:
    """A user's function, a helper with @tilewright.jit or a word, as a combination."""
    if hasattr(function, "inline"):
        return lambda *elements: function.inline(*elements)
    if not getattr(function, "is_word", False):
        name = getattr(function, "__name__", repr(function))
        raise TypeError(f"{what} is a function with @tilewright.jit, or a word; {name} is not")
    return function  # type: ignore[no-any-return]


@word
def reduce(input: Any, axis: Any, combine_fn: Any, keep_dims: Any = False) -> Any:
    """Combines the elements of a tile, or of several together, by a function with @tilewright.jit.

    `combine_fn` is associative and commutative; it takes an element of each tile, then another of
    each, and gives one of each. Without an axis all elements become one.
    """
    tiles = _read_tiles(input, "reduce")
    results = _reduce_tiles(tiles, axis, as_word(combine_fn), keep_dims)
    return tuple(results) if isinstance(input, (tuple, list)) else results[0]


def reduce_tile(tile: tensor, axis: Any, combine: Combine, keep_dims: Any = False) -> tensor:
    """One tile along an axis, by words that take two elements."""
    return _reduce_tiles([tile], axis, combine, keep_dims)[0]


@word
def sum(input: Any, axis: Any = None, keep_dims: Any = False, dtype: Any = None) -> tensor:
    """The sum along an axis, or of all elements.

    Integers of fewer than 32 bits, and booleans, become int32 or uint32 before; floats of fewer
    are summed as fp32 and rounded once. `dtype` says another type, to which elements are cast.
    """
    tile = _convert_summands(_read_tiles(input, "sum")[0], dtype)
    wide = convert(tile, float32) if _is_narrow(tile.dtype) else tile
    return convert(reduce_tile(wide, axis, arithmetic.add, keep_dims), tile.dtype)


def _convert_summands(tile: tensor, kind: Any) -> tensor:
    kind = read_constant(kind, "dtype")
    return convert(tile, sum_type(tile.dtype) if kind is None else read_type(kind, "a sum"))


def _is_narrow(kind: dtype) -> bool:
    """Whether it is a float that sums should not be rounded to at each step."""
    return kind.is_floating() and kind.primitive_bitwidth < 32


def _check_integers(tile: tensor, what: str) -> tensor:
    if not tile.dtype.is_int():
        raise TypeError(f"{what} takes integers, not {tile.dtype}")
    return tile


@word
def xor_sum(input: Any, axis: Any = None, keep_dims: Any = False) -> tensor:
    """The exclusive or of integers along an axis, or of all elements."""
    tile = _check_integers(_read_tiles(input, "xor_sum")[0], "xor_sum")
    return reduce_tile(tile, axis, arithmetic.xor, keep_dims)


@word
def reduce_or(input: Any, axis: Any, keep_dims: Any = False) -> tensor:
    """The or of integers along an axis, or of all elements."""
    tile = _check_integers(_read_tiles(input, "reduce_or")[0], "reduce_or")
    return reduce_tile(tile, axis, arithmetic.or_, keep_dims)


def _widen(tile: tensor) -> tensor:
    """What has fewer than 32 bits is compared as 32."""
    if tile.dtype.primitive_bitwidth >= 32:
        return tile
    return convert(tile, float32 if tile.dtype.is_floating() else int32)


def _choose_with_index(extreme: Combine, breaks_ties_left: Any) -> Combine:
    """The extreme one of two elements with their places; of equal ones the first."""

    def combine(a: tensor, ai: tensor, b: tensor, bi: tensor) -> tuple[tensor, tensor]:
        if not a.dtype.is_floating():
            # One condition for both: fewer predicates than of an extreme that is compared again.
            takes_first = a > b if extreme is arithmetic.maximum else a < b
            if breaks_ties_left:
                takes_first = takes_first | ((a == b) & (ai < bi))
            return comparisons.where(takes_first, a, b), comparisons.where(takes_first, ai, bi)
        best = extreme(a, b)
        # NaN differs from everything: a number is taken, and of two NaNs any.
        takes_first = b != best
        if breaks_ties_left:
            takes_first = (a == best) & (takes_first | (ai < bi))
        return best, comparisons.where(takes_first, ai, bi)

    return combine


def _reduce_with_index(
    input: Any, axis: Any, keep_dims: Any, extreme: Combine, breaks_ties_left: Any, what: str
) -> tuple[tensor, tensor]:
    tile = widen_bfloat16(_read_tiles(input, what)[0])
    shape = tile.type.shape
    if read_constant(axis, "an axis") is None:
        # Places count all elements, in row-major order.
        places = reshape(arange(0, prod(shape)), shape)
    else:
        places = _count_along(normalize_axis(axis, len(shape)), shape)
    combine = _choose_with_index(extreme, read_constant(breaks_ties_left, "tie_break_left"))
    best, where = _reduce_tiles([tile, places], axis, combine, keep_dims)
    if best.dtype.is_floating():
        # Where there is no number, the first NaN.
        where = comparisons.where(best == best, where, 0)
    return best, where


def _count_along(axis: int, shape: tuple[int, ...]) -> tensor:
    """For each element its place along an axis."""
    places = arange(0, shape[axis])
    others = [other for other in range(len(shape)) if other != axis]
    return broadcast_to_shape(expand_dims(places, others) if others else places, shape)


def _extreme(
    input: Any, axis: Any, return_indices: Any, ties: Any, keep_dims: Any, what: str
) -> Any:
    combine = arithmetic.maximum if what == "max" else arithmetic.minimum
    if read_constant(return_indices, "return_indices"):
        return _reduce_with_index(input, axis, keep_dims, combine, ties, what)
    return reduce_tile(_widen(_read_tiles(input, what)[0]), axis, combine, keep_dims)


@word
def max(
    input: Any,
    axis: Any = None,
    return_indices: Any = False,
    return_indices_tie_break_left: Any = True,
    keep_dims: Any = False,
) -> Any:
    """The greatest along an axis, or of all elements; NaN is passed over.

    The result has at least 32 bits. With `return_indices` it has the type of the elements (bf16:
    fp32), and where it stands is given too.
    """
    ties = return_indices_tie_break_left
    return _extreme(input, axis, return_indices, ties, keep_dims, "max")


@word
def min(
    input: Any,
    axis: Any = None,
    return_indices: Any = False,
    return_indices_tie_break_left: Any = True,
    keep_dims: Any = False,
) -> Any:
    """The least along an axis, or of all elements; NaN is passed over.

    The result has at least 32 bits. With `return_indices` it has the type of the elements (bf16:
    fp32), and where it stands is given too.
    """
    ties = return_indices_tie_break_left
    return _extreme(input, axis, return_indices, ties, keep_dims, "min")


@word
def argmax(input: Any, axis: Any, tie_break_left: Any = True, keep_dims: Any = False) -> tensor:
    """Where the greatest stands; of equal ones the first. NaN is passed over.

    Where all are NaN, that is the first place.
    """
    extreme = arithmetic.maximum
    return _reduce_with_index(input, axis, keep_dims, extreme, tie_break_left, "argmax")[1]


@word
def argmin(input: Any, axis: Any, tie_break_left: Any = True, keep_dims: Any = False) -> tensor:
    """Where the least stands; of equal ones the first. NaN is passed over.

    Where all are NaN, that is the first place.
    """
    extreme = arithmetic.minimum
    return _reduce_with_index(input, axis, keep_dims, extreme, tie_break_left, "argmin")[1]


# Scans


def _scan_tiles(tiles: list[tensor], axis: Any, combine: Combine, reverse: Any) -> list[tensor]:
    axis = normalize_axis(axis, len(tiles[0].type.shape))
    extra = [("reverse", "unit")] if read_constant(reverse, "reverse") else []
    return _combine_tiles("tile.scan", tiles, axis, combine, keeps_axis=True, extra=extra)


@word
def associative_scan(input: Any, axis: Any, combine_fn: Any, reverse: Any = False) -> Any:
    """What the elements up to each one combine to, by a function with @tilewright.jit.

    `combine_fn` is associative. It takes what stands before, then what comes after; `input` may be
    several tiles that are scanned together. With `reverse` it goes from the end.
    """
    tiles = _read_tiles(input, "associative_scan")
    results = _scan_tiles(tiles, axis, as_word(combine_fn), reverse)
    return tuple(results) if isinstance(input, (tuple, list)) else results[0]


@word
def cumsum(input: Any, axis: Any = 0, reverse: Any = False, dtype: Any = None) -> tensor:
    """The sum of the elements up to each one, along an axis.

    Integers of fewer than 32 bits, and booleans, become int32 or uint32 before, bf16 becomes fp32.
    fp16 is summed as fp32 and rounded once. `dtype` says another type.
    """
    tile = _convert_summands(widen_bfloat16(_read_tiles(input, "cumsum")[0]), dtype)
    wide = convert(tile, float32) if _is_narrow(tile.dtype) else tile
    return convert(_scan_tiles([wide], axis, arithmetic.add, reverse)[0], tile.dtype)


@word
def cumprod(input: Any, axis: Any = 0, reverse: Any = False) -> tensor:
    """The product of the elements up to each one, along an axis, in their type; bf16 as fp32."""
    tile = widen_bfloat16(_read_tiles(input, "cumprod")[0])
    return _scan_tiles([tile], axis, arithmetic.mul, reverse)[0]
