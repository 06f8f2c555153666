"""Values of run time: scalars and tiles, with Python's operators on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilewright.language.context import constant
from tilewright.language.promotion import type_of_number
from tilewright.language.types import block_type, constexpr, dtype

if TYPE_CHECKING:
    from tilewright import _core


class Shape(tuple):  # type: ignore[type-arg]
    """Extents, which may be put together with lists too."""

    def __add__(self, other: Any) -> Shape:
        return Shape((*self, *other))

    def __radd__(self, other: Any) -> Shape:
        return Shape((*other, *self))

    def __getitem__(self, index: Any) -> Any:
        part = super().__getitem__(index)
        return Shape(part) if isinstance(part, tuple) else part


class tensor:  # noqa: N801
    """A scalar or a tile that a kernel computes.

    Operators follow Triton's rules for types (`docs/coming-from-triton.md`); extents that differ
    are broadcast. Methods are words of the language with the tile as their first argument:
    ``x.to(tl.float16)`` is ``tl.cast(x, tl.float16)``.
    """

    def __init__(
        self, handle: _core.Value, type: dtype, constant: bool | int | float | None = None
    ) -> None:
        self.handle = handle
        #: The number that it is, where it was made of one and is a scalar.
        self.constant = constant
        #: Its type: a `dtype`, a `pointer_type` or a `block_type`.
        self.type = type

    @property
    def dtype(self) -> dtype:
        """The type of its elements."""
        return self.type.scalar

    @property
    def shape(self) -> Shape:
        """Its extents; a scalar has none."""
        return Shape(self.type.shape)

    @property
    def numel(self) -> int:
        """How many elements it has."""
        return self.type.numel if isinstance(self.type, block_type) else 1

    @property
    def T(self) -> tensor:  # noqa: N802
        """The tile with its last two dimensions exchanged."""
        from tilewright.language import shapes

        return shapes.trans(self)

    def __str__(self) -> str:
        extents = ", ".join(str(extent) for extent in self.shape)
        return f"{self.dtype}[{extents}]"

    __repr__ = __str__

    def __bool__(self) -> bool:
        raise TypeError("a value of run time has no truth at compile time")

    def __getitem__(self, index: Any) -> tensor:
        from tilewright.language import shapes

        value = self
        entries = index if isinstance(index, tuple) else (index,)
        kept = 0
        for axis, entry in enumerate(entries):
            if isinstance(entry, constexpr):
                entry = entry.value
            if entry is None:
                value = shapes.expand_dims(value, axis)
            elif entry == slice(None):
                kept += 1
            else:
                raise TypeError(
                    "the index of a tile is made of : and None; a single element is got by a "
                    "sum over tl.where, or by a load"
                )
        if kept != len(self.type.shape) and not (kept == 0 and not self.type.shape):
            raise TypeError(
                f"a tile of {len(self.type.shape)} dimensions is indexed by as many colons, "
                f"not by {kept}"
            )
        return value

    __hash__ = None  # type: ignore[assignment]


def is_number(value: Any) -> bool:
    """Whether it is a number of compile time."""
    return isinstance(value, (bool, int, float))


def to_tensor(value: Any, what: str = "a value") -> tensor:
    """A value of run time; numbers become scalars of the type that they have alone.

    Raises:
        TypeError: It is neither.
    """
    if isinstance(value, constexpr):
        value = value.value
    if isinstance(value, tensor):
        return value
    if is_number(value):
        scalar = constant(value, type_of_number(value))
        scalar.constant = value
        return scalar
    raise TypeError(f"{what} is a number or a tile, not {value!r}")


def _forward(name: str, operator: str, reflected: bool = False) -> None:
    def method(self: tensor, other: Any) -> Any:
        from tilewright.language import arithmetic

        function = getattr(arithmetic, name)
        return function(other, self) if reflected else function(self, other)

    method.__name__ = operator
    setattr(tensor, operator, method)


for _name, _operator in (
    ("add", "add"),
    ("sub", "sub"),
    ("mul", "mul"),
    ("truediv", "truediv"),
    ("floordiv", "floordiv"),
    ("mod", "mod"),
    ("and_", "and"),
    ("or_", "or"),
    ("xor", "xor"),
    ("shift_left", "lshift"),
    ("shift_right", "rshift"),
    ("power", "pow"),
):
    _forward(_name, f"__{_operator}__")
    _forward(_name, f"__r{_operator}__", reflected=True)
for _name, _operator in (
    ("less", "lt"),
    ("less_equal", "le"),
    ("greater", "gt"),
    ("greater_equal", "ge"),
    ("equal", "eq"),
    ("not_equal", "ne"),
):
    _forward(_name, f"__{_operator}__")


def _unary(name: str, operator: str) -> None:
    def method(self: tensor) -> Any:
        from tilewright.language import arithmetic

        return getattr(arithmetic, name)(self)

    method.__name__ = operator
    setattr(tensor, operator, method)


for _name, _operator in (("minus", "neg"), ("plus", "pos"), ("invert", "invert")):
    _unary(_name, f"__{_operator}__")


def add_method(name: str, module: str, word: str | None = None) -> None:
    """Makes a word a method too: ``x.sum(0)`` is ``tl.sum(x, 0)``."""

    def method(self: tensor, *arguments: Any, **keywords: Any) -> Any:
        from importlib import import_module

        function = getattr(import_module(f"tilewright.language.{module}"), word or name)
        return function(self, *arguments, **keywords)

    method.__name__ = name
    method.__doc__ = f"The word tl.{word or name} with this as its first argument."
    setattr(tensor, name, method)


for _module, _names in {
    "shapes": "broadcast_to expand_dims reshape view ravel permute trans",
    "arithmetic": "cast abs logical_and logical_or",
    "reductions": "sum max min argmax argmin xor_sum reduce cumsum cumprod associative_scan",
    "math": "exp exp2 log log2 sin cos sqrt rsqrt floor ceil erf sigmoid",
    "memory": "store",
    "atomics": "atomic_add atomic_max atomic_min atomic_and atomic_or atomic_xor atomic_xchg "
    "atomic_cas",
}.items():
    for _name in _names.split():
        add_method(_name, _module)
add_method("to", "arithmetic", "cast")

__all__ = ["Shape", "add_method", "is_number", "tensor", "to_tensor"]
