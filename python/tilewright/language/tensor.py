"""Values of run time: scalars and tiles, with Python's operators on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import tilewright.language.types as tl_types
from tilewright.language.context import constant
from tilewright.language.promotion import type_of_number
from tilewright.language.types import unwrap

if TYPE_CHECKING:
    from tilewright import _core


class Shape(tuple):  # type: ignore[type-arg]
    """Extents, which may be put together and compared with lists too."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (tuple, list)) and tuple(self) == tuple(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def __add__(self, other: Any) -> Shape:
        return Shape((*self, *other))

    def __radd__(self, other: Any) -> Shape:
        return Shape((*other, *self))

    def __getitem__(self, index: Any) -> Any:
        part = super().__getitem__(index)
        return Shape(part) if isinstance(part, tuple) else part


class tensor:  # noqa: N801
    """A scalar or a tile that a kernel computes.

    Operators follow Triton's rules for types (`promotion`); extents that differ are broadcast.
    Methods are words of the language with the tile as their first argument: ``x.to(tl.float16)``
    is ``tl.cast(x, tl.float16)``.
    """

    #: NumPy leaves operators to it, and makes no array of it.
    __array_ufunc__ = None

    def __init__(
        self,
        handle: _core.Value,
        type: tl_types.dtype,
        constant: bool | int | float | None = None,
    ) -> None:
        self.handle = handle
        #: The number that it is, where it was made of one and is a scalar.
        self.constant = constant
        #: Its type: a `dtype`, a `pointer_type` or a `block_type`.
        self.type = type

    @property
    def dtype(self) -> tl_types.dtype:
        """The type of its elements."""
        return self.type.scalar

    @property
    def shape(self) -> Shape:
        """Its extents; a scalar has none."""
        return Shape(self.type.shape)

    @property
    def numel(self) -> int:
        """How many elements it has."""
        return self.type.numel if isinstance(self.type, tl_types.block_type) else 1

    @property
    def T(self) -> tensor:  # noqa: N802
        """The tile with its last two dimensions exchanged."""
        return shapes.trans(self)

    def __str__(self) -> str:
        extents = ", ".join(str(extent) for extent in self.shape)
        return f"{self.dtype}[{extents}]"

    __repr__ = __str__

    def __bool__(self) -> bool:
        raise TypeError("a value of run time has no truth at compile time")

    def __iter__(self) -> NoReturn:
        # Else Python would ask for elements by numbers until there are none.
        raise TypeError(
            f"a value of type {self.type} is not gone through one by one: a loop of run time is "
            "over range or tl.range"
        )

    def __getitem__(self, index: Any) -> tensor:
        return shapes.index(self, index)

    __hash__ = None  # type: ignore[assignment]

    # Operators

    def __add__(self, other: Any) -> tensor:
        return arithmetic.add(self, other)

    def __radd__(self, other: Any) -> tensor:
        return arithmetic.add(other, self)

    def __sub__(self, other: Any) -> tensor:
        return arithmetic.sub(self, other)

    def __rsub__(self, other: Any) -> tensor:
        return arithmetic.sub(other, self)

    def __mul__(self, other: Any) -> tensor:
        return arithmetic.mul(self, other)

    def __rmul__(self, other: Any) -> tensor:
        return arithmetic.mul(other, self)

    def __truediv__(self, other: Any) -> tensor:
        return arithmetic.truediv(self, other)

    def __rtruediv__(self, other: Any) -> tensor:
        return arithmetic.truediv(other, self)

    def __floordiv__(self, other: Any) -> tensor:
        return arithmetic.floordiv(self, other)

    def __rfloordiv__(self, other: Any) -> tensor:
        return arithmetic.floordiv(other, self)

    def __mod__(self, other: Any) -> tensor:
        return arithmetic.mod(self, other)

    def __rmod__(self, other: Any) -> tensor:
        return arithmetic.mod(other, self)

    def __pow__(self, other: Any) -> tensor:
        return math.pow(self, other)

    def __rpow__(self, other: Any) -> tensor:
        return math.pow(other, self)

    def __and__(self, other: Any) -> tensor:
        return arithmetic.and_(self, other)

    def __rand__(self, other: Any) -> tensor:
        return arithmetic.and_(other, self)

    def __or__(self, other: Any) -> tensor:
        return arithmetic.or_(self, other)

    def __ror__(self, other: Any) -> tensor:
        return arithmetic.or_(other, self)

    def __xor__(self, other: Any) -> tensor:
        return arithmetic.xor(self, other)

    def __rxor__(self, other: Any) -> tensor:
        return arithmetic.xor(other, self)

    def __lshift__(self, other: Any) -> tensor:
        return arithmetic.shift_left(self, other)

    def __rlshift__(self, other: Any) -> tensor:
        return arithmetic.shift_left(other, self)

    def __rshift__(self, other: Any) -> tensor:
        return arithmetic.shift_right(self, other)

    def __rrshift__(self, other: Any) -> tensor:
        return arithmetic.shift_right(other, self)

    def __lt__(self, other: Any) -> tensor:
        return comparisons.less(self, other)

    def __le__(self, other: Any) -> tensor:
        return comparisons.less_equal(self, other)

    def __gt__(self, other: Any) -> tensor:
        return comparisons.greater(self, other)

    def __ge__(self, other: Any) -> tensor:
        return comparisons.greater_equal(self, other)

    def __eq__(self, other: object) -> tensor:  # type: ignore[override]
        return comparisons.equal(self, other)

    def __ne__(self, other: object) -> tensor:  # type: ignore[override]
        return comparisons.not_equal(self, other)

    def __neg__(self) -> tensor:
        return arithmetic.minus(self)

    def __pos__(self) -> tensor:
        return self

    def __invert__(self) -> tensor:
        return arithmetic.invert(self)

    # Words of types and of single elements

    def to(self, dtype: Any, fp_downcast_rounding: Any = None, bitcast: Any = False) -> tensor:
        """The same as `tl.cast`."""
        return casts.cast(self, dtype, fp_downcast_rounding, bitcast)

    def cast(self, dtype: Any, fp_downcast_rounding: Any = None, bitcast: Any = False) -> tensor:
        return casts.cast(self, dtype, fp_downcast_rounding, bitcast)

    def abs(self) -> tensor:
        return arithmetic.abs(self)

    def logical_and(self, other: Any) -> tensor:
        return comparisons.logical_and(self, other)

    def logical_or(self, other: Any) -> tensor:
        return comparisons.logical_or(self, other)

    def cdiv(self, div: Any) -> tensor:
        return arithmetic.floordiv(self + (div - 1), div)

    def exp(self) -> tensor:
        return math.exp(self)

    def exp2(self) -> tensor:
        return math.exp2(self)

    def log(self) -> tensor:
        return math.log(self)

    def log2(self) -> tensor:
        return math.log2(self)

    def sin(self) -> tensor:
        return math.sin(self)

    def cos(self) -> tensor:
        return math.cos(self)

    def sqrt(self) -> tensor:
        return math.sqrt(self)

    def sqrt_rn(self) -> tensor:
        return math.sqrt_rn(self)

    def rsqrt(self) -> tensor:
        return math.rsqrt(self)

    def floor(self) -> tensor:
        return math.floor(self)

    def ceil(self) -> tensor:
        return math.ceil(self)

    def erf(self) -> tensor:
        return math.erf(self)

    def sigmoid(self) -> tensor:
        return math.sigmoid(self)

    def softmax(
        self, dim: Any = None, keep_dims: Any = False, ieee_rounding: Any = False
    ) -> tensor:
        return math.softmax(self, dim, keep_dims, ieee_rounding)

    # Words of shapes

    def broadcast_to(self, *shape: Any) -> tensor:
        return shapes.broadcast_to(self, *shape)

    def expand_dims(self, axis: Any) -> tensor:
        return shapes.expand_dims(self, axis)

    def squeeze(self, dim: Any) -> tensor:
        return shapes.squeeze(self, dim)

    def unsqueeze(self, dim: Any) -> tensor:
        return shapes.unsqueeze(self, dim)

    def reshape(self, *shape: Any, can_reorder: Any = False) -> tensor:
        return shapes.reshape(self, *shape, can_reorder=can_reorder)

    def view(self, *shape: Any) -> tensor:
        return shapes.view(self, *shape)

    def ravel(self, can_reorder: Any = False) -> tensor:
        return shapes.ravel(self, can_reorder)

    def permute(self, *dims: Any) -> tensor:
        return shapes.permute(self, *dims)

    def trans(self, *dims: Any) -> tensor:
        return shapes.trans(self, *dims)

    # Words that combine elements

    def sum(self, axis: Any = None, keep_dims: Any = False, dtype: Any = None) -> tensor:
        return reductions.sum(self, axis, keep_dims, dtype)

    def xor_sum(self, axis: Any = None, keep_dims: Any = False) -> tensor:
        return reductions.xor_sum(self, axis, keep_dims)

    def reduce_or(self, axis: Any, keep_dims: Any = False) -> tensor:
        return reductions.reduce_or(self, axis, keep_dims)

    def max(
        self,
        axis: Any = None,
        return_indices: Any = False,
        return_indices_tie_break_left: Any = True,
        keep_dims: Any = False,
    ) -> Any:
        ties = return_indices_tie_break_left
        return reductions.max(self, axis, return_indices, ties, keep_dims)

    def min(
        self,
        axis: Any = None,
        return_indices: Any = False,
        return_indices_tie_break_left: Any = True,
        keep_dims: Any = False,
    ) -> Any:
        ties = return_indices_tie_break_left
        return reductions.min(self, axis, return_indices, ties, keep_dims)

    def argmax(self, axis: Any, tie_break_left: Any = True, keep_dims: Any = False) -> tensor:
        return reductions.argmax(self, axis, tie_break_left, keep_dims)

    def argmin(self, axis: Any, tie_break_left: Any = True, keep_dims: Any = False) -> tensor:
        return reductions.argmin(self, axis, tie_break_left, keep_dims)

    def reduce(self, axis: Any, combine_fn: Any, keep_dims: Any = False) -> Any:
        return reductions.reduce(self, axis, combine_fn, keep_dims)

    def associative_scan(self, axis: Any, combine_fn: Any, reverse: Any = False) -> Any:
        return reductions.associative_scan(self, axis, combine_fn, reverse)

    def cumsum(self, axis: Any = 0, reverse: Any = False, dtype: Any = None) -> tensor:
        return reductions.cumsum(self, axis, reverse, dtype)

    def cumprod(self, axis: Any = 0, reverse: Any = False) -> tensor:
        return reductions.cumprod(self, axis, reverse)

    # Words that move elements

    def sort(self, dim: Any = None, descending: Any = False) -> tensor:
        return sorting.sort(self, dim, descending)

    def flip(self, dim: Any = None) -> tensor:
        return sorting.flip(self, dim)

    def gather(self, index: Any, axis: Any) -> tensor:
        return lookup.gather(self, index, axis)

    def histogram(self, num_bins: Any, mask: Any = None) -> tensor:
        return lookup.histogram(self, num_bins, mask)

    def split(self) -> tuple[tensor, tensor]:
        return pairs.split(self)

    # Words of memory, of pointers

    def store(self, value: Any, mask: Any = None, **options: Any) -> None:
        memory.store(self, value, mask, **options)

    def atomic_add(self, val: Any, mask: Any = None, sem: Any = None, scope: Any = None) -> tensor:
        return atomics.atomic_add(self, val, mask, sem, scope)

    def atomic_max(self, val: Any, mask: Any = None, sem: Any = None, scope: Any = None) -> tensor:
        return atomics.atomic_max(self, val, mask, sem, scope)

    def atomic_min(self, val: Any, mask: Any = None, sem: Any = None, scope: Any = None) -> tensor:
        return atomics.atomic_min(self, val, mask, sem, scope)

    def atomic_and(self, val: Any, mask: Any = None, sem: Any = None, scope: Any = None) -> tensor:
        return atomics.atomic_and(self, val, mask, sem, scope)

    def atomic_or(self, val: Any, mask: Any = None, sem: Any = None, scope: Any = None) -> tensor:
        return atomics.atomic_or(self, val, mask, sem, scope)

    def atomic_xor(self, val: Any, mask: Any = None, sem: Any = None, scope: Any = None) -> tensor:
        return atomics.atomic_xor(self, val, mask, sem, scope)

    def atomic_xchg(self, val: Any, mask: Any = None, sem: Any = None, scope: Any = None) -> tensor:
        return atomics.atomic_xchg(self, val, mask, sem, scope)

    def atomic_cas(self, cmp: Any, val: Any, sem: Any = None, scope: Any = None) -> tensor:
        return atomics.atomic_cas(self, cmp, val, sem, scope)


def is_number(value: Any) -> bool:
    """Whether it is a number of compile time."""
    return isinstance(value, (bool, int, float))


def to_tensor(value: Any, what: str = "a value") -> tensor:
    """A value of run time; numbers become scalars of the type that they have alone.

    Raises:
        TypeError: It is neither.
    """
    value = unwrap(value)
    if isinstance(value, tensor):
        return value
    if is_number(value):
        scalar = constant(value, type_of_number(value))
        scalar.constant = value
        return scalar
    raise TypeError(f"{what} is a number or a tile, not {value!r}")


def read_constant(value: Any, what: str) -> Any:
    """What a word must know at compile time: a number, a text, a type, None.

    Raises:
        TypeError: It is known at run time only.
    """
    value = unwrap(value)
    if not isinstance(value, tensor):
        return value
    if value.constant is None:
        raise TypeError(
            f"{what} is a value of run time; make it a constant, by a parameter with the "
            "annotation tl.constexpr"
        )
    return value.constant


# The words need the class, and its methods the words: `tilewright.language` imports this module
# before theirs.
from tilewright.language import (  # noqa: E402
    arithmetic,
    atomics,
    casts,
    comparisons,
    lookup,
    math,
    memory,
    pairs,
    reductions,
    shapes,
    sorting,
)

__all__ = ["Shape", "is_number", "read_constant", "tensor", "to_tensor"]
