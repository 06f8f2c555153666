"""Words for the shape of tiles: none of them computes anything."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from types import FunctionType
from typing import Any

from tilewright.language.context import constant, emit, word
from tilewright.language.tensor import read_constant, tensor, to_tensor
from tilewright.language.types import block_type, unwrap
from tilewright.sizes import is_integer

#: As the dialect has it.
MAX_ELEMENTS = 2**20

#: What is said of x[i], where x is a pointer.
POINTER_INDEX = "a pointer is not indexed: tl.load(x + i) reads what stands there"


def read_shape(shape: Any, what: str = "a shape") -> tuple[int, ...]:
    """Extents as people write them: an int, several, a tuple or a list, of constants.

    Raises:
        TypeError: One of them is not known at compile time.
        ValueError: One is no power of two, or there are too many elements.
    """
    shape = unwrap(shape)
    if is_integer(shape) or isinstance(shape, tensor):
        shape = (shape,)
    if not isinstance(shape, (tuple, list)):
        raise TypeError(f"{what} is a tuple of constants, not {describe(shape)}")
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = shape[0]
    extents = []
    for each in shape:
        extent = read_constant(each, f"an extent of {what}")
        if not is_integer(extent):
            raise TypeError(f"an extent of {what} is {extent!r}, which is no integer")
        extents.append(extent)
    return tuple(extents)


def check_extents(extents: tuple[int, ...], what: str = "a shape") -> tuple[int, ...]:
    """Refuses what no tile can be."""
    for extent in extents:
        if extent < 1 or extent & (extent - 1):
            raise ValueError(
                f"an extent of {what} is {extent}; extents of tiles are powers of two "
                "(tilewright.next_power_of_2 gives one; a mask cuts off what is too much)"
            )
    if prod(extents) > MAX_ELEMENTS:
        raise ValueError(f"{what} has {prod(extents)} elements; a tile has at most {MAX_ELEMENTS}")
    return extents


#: Values of a tuple that messages show; of more they say how many there are.
_SHOWN = 8


def describe(value: Any) -> str:
    """A value, for messages."""
    if isinstance(value, tensor):
        return f"a value of type {value.type}"
    if type(value) in (tuple, list):
        shown = f", {value!r}" if 0 < len(value) <= _SHOWN else ""
        count = "1 value" if len(value) == 1 else f"{len(value)} values"
        return f"a {type(value).__name__} of {count}{shown}"
    if isinstance(value, FunctionType):
        return f"the function {value.__name__}"
    return repr(value)


def check_numbers(value: Any, what: str) -> None:
    """Raises a TypeError where a word takes a tile of numbers, and this is none."""
    if not isinstance(value, tensor) or not value.type.is_block() or value.dtype.is_ptr():
        raise TypeError(f"{what} takes a tile of numbers, not {describe(value)}")


def normalize_axis(axis: Any, rank: int) -> int:
    """An axis, counted from the front.

    Raises:
        TypeError: It is no constant integer.
        ValueError: The tile does not have it.
    """
    axis = read_constant(axis, "an axis")
    if not is_integer(axis):
        raise TypeError(f"an axis is a constant integer, not {describe(axis)}")
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is none of a tile of {rank} dimensions")
    return axis % rank


def splat(value: tensor, shape: tuple[int, ...]) -> tensor:
    """A scalar in every element of a tile."""
    if not shape:
        return value
    if value.constant is not None:
        return constant(value.constant, value.dtype.with_shape(shape))
    return emit("tile.splat", [value], value.dtype.with_shape(shape))


def broadcast_to_shape(value: tensor, shape: tuple[int, ...]) -> tensor:
    """Repeats along dimensions that are not there, or of extent 1."""
    if value.type.shape == shape:
        return value
    if not value.type.is_block():
        return splat(value, shape)
    own = value.type.shape
    if len(own) > len(shape) or any(
        a not in (1, b) for a, b in zip(own, shape[len(shape) - len(own) :], strict=True)
    ):
        raise ValueError(f"a tile of shape {list(own)} cannot be broadcast to {list(shape)}")
    while len(value.type.shape) < len(shape):
        value = _insert_dimension(value, 0)
    if value.type.shape == shape:
        return value
    return emit("tile.broadcast", [value], value.dtype.with_shape(shape))


def join_shapes(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The shape in which two tiles meet.

    Raises:
        ValueError: They do not.
    """
    rank = max(len(a), len(b))
    left = (1,) * (rank - len(a)) + a
    right = (1,) * (rank - len(b)) + b
    for x, y in zip(left, right, strict=True):
        if x != y and 1 not in (x, y):
            raise ValueError(
                f"tiles of shapes {list(a)} and {list(b)} do not fit together: extents are to be "
                "equal, or 1"
            )
    return check_extents(tuple(max(x, y) for x, y in zip(left, right, strict=True)))


def broadcast_together(*values: tensor) -> list[tensor]:
    """All of them in the shape in which they meet."""
    shape: tuple[int, ...] = ()
    for value in values:
        shape = join_shapes(shape, value.type.shape)
    return [broadcast_to_shape(value, shape) for value in values]


@word
def broadcast(input: tensor, other: tensor) -> tuple[tensor, tensor]:
    """Both tiles in the shape in which they meet."""
    a, b = broadcast_together(to_tensor(input), to_tensor(other))
    return a, b


@word
def broadcast_to(input: tensor, *shape: Any) -> tensor:
    """The tile, repeated along dimensions of extent 1, or that it does not have, to `shape`."""
    extents = check_extents(read_shape(shape))
    return broadcast_to_shape(to_tensor(input), extents)


def _insert_dimension(input: tensor, axis: int) -> tensor:
    if not input.type.is_block():
        return splat(input, (1,))
    own = input.type.shape
    shape = (*own[:axis], 1, *own[axis:])
    attributes = [("axis", f"{axis} : i32")]
    return emit("tile.expand_dims", [input], block_type(input.dtype, shape), attributes)


@word
def expand_dims(input: tensor, axis: int | Sequence[int]) -> tensor:
    """The tile with a dimension of extent 1 inserted at `axis`, or at several, in the result."""
    input = to_tensor(input)
    given = list(axis) if isinstance(axis, (tuple, list)) else [axis]
    rank = len(input.type.shape) + len(given)
    axes = sorted(normalize_axis(one, rank) for one in given)
    if len(set(axes)) != len(axes):
        raise ValueError(f"expand_dims takes different axes, not {axes}")
    for each in axes:
        input = _insert_dimension(input, each)
    return input


@word
def unsqueeze(input: tensor, dim: int) -> tensor:
    """The same as `expand_dims`."""
    return expand_dims(input, dim)


@word
def squeeze(input: tensor, dim: int) -> tensor:
    """The tile without a dimension of extent 1."""
    input = to_tensor(input)
    axis = normalize_axis(dim, len(input.type.shape))
    shape = input.type.shape
    if shape[axis] != 1:
        raise ValueError(f"squeeze of {list(shape)} along {axis}: the extent there is not 1")
    return reshape(input, (*shape[:axis], *shape[axis + 1 :]))


def index(input: tensor, entries: Any) -> tensor:
    """``x[:, None]``: a dimension of extent 1 where None stands; colons may be left out at the end.

    Raises:
        TypeError: Something else is in the brackets.
        ValueError: There are more colons than dimensions.
    """
    entries = unwrap(entries)
    axes, kept = [], 0
    for axis, entry in enumerate(entries if isinstance(entries, tuple) else (entries,)):
        if entry is None:
            axes.append(axis)
        elif isinstance(entry, slice) and entry == slice(None):
            kept += 1
        else:
            raise TypeError(
                POINTER_INDEX
                if input.type.scalar.is_ptr()
                else "the index of a tile is made of : and None; a single element is got by a sum "
                "over tl.where, or by a load"
            )
    rank = len(input.type.shape)
    if kept > rank and not (rank == 0 and kept == 1):
        raise ValueError(f"a tile of {rank} dimensions is indexed by as many colons, not by {kept}")
    for axis in axes:
        input = _insert_dimension(input, axis)
    return input


@word
def reshape(input: tensor, *shape: Any, can_reorder: Any = False) -> tensor:
    """The same elements, in row-major order, in another shape; one extent may be -1.

    `can_reorder` allows another order; it is kept here.
    """
    input = to_tensor(input)
    extents = list(read_shape(shape))
    count = prod(input.type.shape)
    if extents.count(-1) == 1:
        rest = -prod(extents)
        if rest < 1 or count % rest:
            raise ValueError(f"no extent in place of the -1 in {extents} makes {count} elements")
        extents[extents.index(-1)] = count // rest
    check_extents(tuple(extents))
    if prod(extents) != count:
        raise ValueError(
            f"a tile of shape {list(input.type.shape)} has {count} elements, and {extents} "
            f"{prod(extents)}"
        )
    if not input.type.is_block():
        return splat(input, tuple(extents))
    if tuple(extents) == input.type.shape:
        return input
    if not extents:
        return _take_single(input)
    return emit("tile.reshape", [input], block_type(input.dtype, tuple(extents)))


def _take_single(input: tensor) -> tensor:
    """The only element of a tile, as a scalar."""
    from tilewright.language.reductions import take_single

    return take_single(input)


@word
def view(input: tensor, *shape: Any) -> tensor:
    """The same as `reshape`."""
    return reshape(input, *shape)


@word
def ravel(x: tensor, can_reorder: Any = False) -> tensor:
    """All elements in one dimension."""
    x = to_tensor(x)
    return reshape(x, (prod(x.type.shape),))


@word
def permute(input: tensor, *dims: Any) -> tensor:
    """The tile with its dimensions in another order: dimension `dims[i]` becomes dimension i."""
    input = to_tensor(input)
    rank = len(input.type.shape)
    order = tuple(normalize_axis(axis, rank) for axis in read_shape(dims, "an order"))
    if sorted(order) != list(range(rank)):
        raise ValueError(f"{list(order)} is no order of {rank} dimensions")
    if order == tuple(range(rank)):
        return input
    shape = tuple(input.type.shape[axis] for axis in order)
    attributes = [("permutation", f"array<i64: {', '.join(str(axis) for axis in order)}>")]
    return emit("tile.trans", [input], block_type(input.dtype, shape), attributes)


@word
def trans(input: tensor, *dims: Any) -> tensor:
    """The tile with its last two dimensions exchanged, or with its dimensions as `dims` says."""
    input = to_tensor(input)
    if dims:
        return permute(input, *dims)
    rank = len(input.type.shape)
    if rank < 2:
        raise ValueError(f"a tile of {rank} dimensions has no two to exchange")
    return permute(input, (*range(rank - 2), rank - 1, rank - 2))
