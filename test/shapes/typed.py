"""The words of mixed.py by NumPy: a tile knows the type of the language that it has, and its floats
are held as f64, rounded to that type after each word."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy

from differential import elements

from .exact import INTEGERS, interleave, sort

FLOATS = {
    "float16": elements.F16,
    "bfloat16": elements.BF16,
    "float32": elements.F32,
    "float64": elements.F64,
    "float8e4nv": elements.E4M3,
    "float8e5": elements.E5M2,
}


def storage(dtype: str) -> numpy.dtype[Any]:
    """Of elements in memory: floats as their bits."""
    return numpy.dtype(f"u{FLOATS[dtype].bits // 8}" if dtype in FLOATS else dtype)


def decode(dtype: str, memory: numpy.ndarray) -> numpy.ndarray:
    return FLOATS[dtype].decode(memory.astype(numpy.uint64)) if dtype in FLOATS else memory


class Tile:
    """A number, too, which has no extents."""

    def __init__(self, dtype: str, values: Any) -> None:
        self.dtype = dtype
        self.values = numpy.asarray(values)
        if dtype in FLOATS:
            element, self.values = FLOATS[dtype], self.values.astype(numpy.float64)
            self.values = element.decode(element.encode(self.values))

    def beside(self, other: Any) -> tuple[Tile, Tile]:
        """Both in one type: a number of Python takes that of the tile."""
        if not isinstance(other, Tile):
            kind = numpy.float64 if self.dtype in FLOATS else self.dtype
            return self, Tile(self.dtype, numpy.asarray(other, kind))
        if self.dtype != other.dtype:
            raise TypeError(f"{self.dtype} beside {other.dtype}")
        return self, other

    def with_other(self, other: Any, function: Callable[..., Any]) -> Tile:
        one, two = self.beside(other)
        result = function(one.values, two.values)
        return Tile("int1" if result.dtype == bool else one.dtype, result)

    def __add__(self, other: Any) -> Tile:
        return self.with_other(other, numpy.add)

    def __radd__(self, other: Any) -> Tile:
        return self + other

    def __sub__(self, other: Any) -> Tile:
        return self.with_other(other, numpy.subtract)

    def __rsub__(self, other: Any) -> Tile:
        return self.with_other(other, lambda mine, its: its - mine)

    def __mul__(self, other: Any) -> Tile:
        return self.with_other(other, numpy.multiply)

    def __and__(self, other: Any) -> Tile:
        return self.with_other(other, numpy.bitwise_and)

    def __or__(self, other: Any) -> Tile:
        return self.with_other(other, numpy.bitwise_or)

    def __xor__(self, other: Any) -> Tile:
        return self.with_other(other, numpy.bitwise_xor)

    def __lt__(self, other: Any) -> Tile:
        return self.with_other(other, numpy.less)

    def __gt__(self, other: Any) -> Tile:
        return self.with_other(other, numpy.greater)

    def __ge__(self, other: Any) -> Tile:
        return self.with_other(other, numpy.greater_equal)

    def __eq__(self, other: Any) -> Tile:  # type: ignore[override]
        return self.with_other(other, numpy.equal)

    def __ne__(self, other: Any) -> Tile:  # type: ignore[override]
        return self.with_other(other, numpy.not_equal)

    __hash__ = None  # type: ignore[assignment]

    def __neg__(self) -> Tile:
        return Tile(self.dtype, -self.values)

    def __bool__(self) -> bool:
        return bool(self.values)

    def __index__(self) -> int:
        return int(self.values)


class Pointer:
    """Into bytes."""

    def __init__(self, memory: numpy.ndarray, dtype: str, offset: Any = 0) -> None:
        self.memory, self.dtype, self.offset = memory, dtype, offset

    def __add__(self, distance: Any) -> Pointer:
        steps = distance.values.astype(numpy.int64) if isinstance(distance, Tile) else distance
        return Pointer(self.memory, self.dtype, self.offset + steps)

    def to(self, dtype: str) -> Pointer:
        bytes_before = self.offset * storage(self.dtype).itemsize
        return Pointer(self.memory, dtype, bytes_before // storage(dtype).itemsize)

    @property
    def array(self) -> numpy.ndarray:
        return self.memory.view(storage(self.dtype))


def _load(pointer: Pointer, mask: Any = True, other: int = 0) -> Tile:
    inside = mask.values if isinstance(mask, Tile) else mask
    places, inside = numpy.broadcast_arrays(pointer.offset, inside)
    found = decode(pointer.dtype, pointer.array)
    values = numpy.full(places.shape, other, found.dtype)
    values[inside] = found[places[inside]]
    return Tile(pointer.dtype, values[()])


def _store(pointer: Pointer, tile: Tile, mask: Any = True) -> None:
    inside = mask.values if isinstance(mask, Tile) else mask
    places, inside, values = numpy.broadcast_arrays(pointer.offset, inside, tile.values)
    if tile.dtype in FLOATS:
        values = FLOATS[tile.dtype].encode(values)
    pointer.array[places[inside]] = values[inside].astype(storage(tile.dtype))


def _to_integer(values: numpy.ndarray, dtype: str) -> numpy.ndarray:
    """Toward zero, to the nearest end of the range, and 0 of NaN."""
    limits = numpy.iinfo(dtype)
    least, most = limits.dtype.type(limits.min), limits.dtype.type(limits.max)
    ends = numpy.where(values < 0, least, most)
    is_inside = (values >= limits.min) & (values < float(limits.max))
    inside = numpy.where(is_inside, values, 0).astype(dtype)
    return numpy.where(numpy.isnan(values), 0, numpy.where(is_inside, inside, ends)).astype(dtype)


def _to_float(values: numpy.ndarray) -> numpy.ndarray:
    """As f64, of which the last bit says whether there was more, so that it can be rounded."""
    if values.dtype.itemsize < 8:
        return values.astype(numpy.float64)
    low, more = values.dtype.type(0xFFF), values.dtype.type(0x800)
    is_large = (values >= 2**53) | (values.astype(numpy.float64) <= -(2.0**53))
    odd = (values & ~low) | numpy.where(values & low, more, values.dtype.type(0))
    return numpy.where(is_large, odd, values).astype(numpy.float64)


def cast(tile: Tile, dtype: str) -> Tile:
    if tile.dtype == dtype:
        return tile
    if dtype in FLOATS:
        exact = tile.dtype in FLOATS or dtype == "float64"
        return Tile(dtype, tile.values if exact else _to_float(tile.values))
    if tile.dtype in FLOATS:
        return Tile(dtype, _to_integer(tile.values, dtype))
    return Tile(dtype, tile.values.astype(dtype))


def _moved(function: Callable[..., Any]) -> Callable[..., Tile]:
    def move(*tiles: Any, **more: Any) -> Tile:
        values = [tile.values if isinstance(tile, Tile) else tile for tile in tiles]
        return Tile(tiles[0].dtype, function(*values, **more))

    return move


def _extreme(function: Any, floats: Any) -> Callable[..., Tile]:
    """Of two tiles or along an axis: a NaN is passed over."""

    def combine(tile: Tile, other: Any = None, axis: int = 0, keep_dims: bool = False) -> Tile:
        of_type = floats if tile.dtype in FLOATS else function
        if other is not None:
            return tile.with_other(other, of_type)
        return Tile(tile.dtype, of_type.reduce(tile.values, axis=axis, keepdims=keep_dims))

    return combine


def _place_of(extreme: Any, sign: int) -> Callable[..., Tile]:
    def find(tile: Tile, axis: int, keep_dims: bool = False) -> Tile:
        values = tile.values
        if tile.dtype in FLOATS:
            best = numpy.fmax.reduce(sign * values, axis=axis, keepdims=True)
            values, function = sign * values == best, numpy.argmax
        else:
            function = extreme
        return Tile("int32", function(values, axis=axis, keepdims=keep_dims).astype("int32"))

    return find


def _scan(tile: Tile, combine_fn: Any, axis: int, reverse: bool) -> Tile:
    ahead = numpy.moveaxis(tile.values.copy(), axis, 0)
    places = range(len(ahead) - 1, -1, -1) if reverse else range(len(ahead))
    for before, place in itertools.pairwise(places):
        pair = Tile(tile.dtype, ahead[before]), Tile(tile.dtype, ahead[place])
        ahead[place] = combine_fn(*pair).values
    return Tile(tile.dtype, numpy.moveaxis(ahead, 0, axis))


def words_of(program: int) -> SimpleNamespace:
    return SimpleNamespace(
        **{name: name for name in ("int1", *FLOATS, *INTEGERS)},
        pointer_type=lambda dtype: dtype,
        program_id=lambda axis: Tile("int32", numpy.int32(program)),
        arange=lambda start, end: Tile("int32", numpy.arange(start, end, dtype="int32")),
        cast=cast,
        load=_load,
        store=_store,
        where=lambda condition, x, y: x.with_other(
            y, lambda one, two: numpy.where(condition.values, one, two)
        ),
        reshape=_moved(numpy.reshape),
        broadcast_to=_moved(numpy.broadcast_to),
        permute=_moved(numpy.transpose),
        flip=_moved(numpy.flip),
        gather=lambda x, index, axis: _moved(numpy.take_along_axis)(x, index, axis),
        join=_moved(lambda a, b: numpy.stack((a, b), -1)),
        interleave=_moved(interleave),
        cat=_moved(lambda a, b: numpy.concatenate((a, b))),
        split=lambda x: (Tile(x.dtype, x.values[..., 0]), Tile(x.dtype, x.values[..., 1])),
        abs=_moved(numpy.abs),
        maximum=_extreme(numpy.maximum, numpy.fmax),
        minimum=_extreme(numpy.minimum, numpy.fmin),
        max=_extreme(numpy.maximum, numpy.fmax),
        min=_extreme(numpy.minimum, numpy.fmin),
        argmax=_place_of(numpy.argmax, 1),
        argmin=_place_of(numpy.argmin, -1),
        associative_scan=_scan,
        sort=_moved(sort),
        topk=_moved(lambda x, k: sort(x, -1, True)[..., :k]),
    )
