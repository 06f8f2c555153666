"""Types of the values in a kernel: scalars, pointers, and tiles of them.

A type is a `dtype` (one number), a `pointer_type` (where numbers of a type stand in
memory) or a `block_type` (a tile of either):

>>> float16.primitive_bitwidth
16
>>> pointer_type(float16).element_ty
fp16
>>> block_type(float32, (64, 32))
<[64, 32], fp32>

Types are compared and passed around at compile time, as Triton's are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from functools import cached_property
from math import prod
from typing import Any

from tilewright import _core


class Kind(IntEnum):
    """What promotion goes by: a Python number does not change a tile of its kind or above."""

    BOOLEAN = 0
    INTEGRAL = 1
    FLOATING = 2


class dtype:  # noqa: N801
    """The type of one number, or of tiles' elements.

    `name` is Triton's name for it: "fp32", "bf16", "int8", "uint64", "fp8e4nv".
    """

    def __init__(self, name: str, mlir: str, bits: int, kind: Kind, signed: bool = True) -> None:
        #: Triton's name.
        self.name = name
        #: How MLIR writes it; integers have no sign there.
        self.mlir = mlir
        #: Bits of one number.
        self.primitive_bitwidth = bits
        self._kind = kind
        self._signed = signed

    @property
    def scalar(self) -> dtype:
        """The type of one element."""
        return self

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents; a scalar has none."""
        return ()

    @property
    def itemsize(self) -> int:
        """Bytes of one number in memory."""
        return max(self.primitive_bitwidth // 8, 1)

    @property
    def int_bitwidth(self) -> int:
        """Bits of an integer."""
        return self.primitive_bitwidth

    @property
    def fp_mantissa_width(self) -> int:
        """Bits of the mantissa of a float that are stored."""
        return _MANTISSAS[self.name]

    def kind(self) -> Kind:
        """Boolean, integral or floating."""
        return self._kind

    def is_block(self) -> bool:
        """Whether it is a tile's."""
        return False

    def is_ptr(self) -> bool:
        """Whether it is a pointer's."""
        return False

    def is_floating(self) -> bool:
        """Whether it is a float, of any width."""
        return self._kind == Kind.FLOATING

    def is_standard_floating(self) -> bool:
        """Whether it is fp16, bf16, fp32 or fp64."""
        return self.is_floating() and not self.is_fp8()

    def is_fp8(self) -> bool:
        """Whether it is a float of 8 bits."""
        return self.is_floating() and self.primitive_bitwidth == 8

    def is_fp16(self) -> bool:
        """Whether it is fp16."""
        return self.name == "fp16"

    def is_bf16(self) -> bool:
        """Whether it is bf16."""
        return self.name == "bf16"

    def is_fp32(self) -> bool:
        """Whether it is fp32."""
        return self.name == "fp32"

    def is_fp64(self) -> bool:
        """Whether it is fp64."""
        return self.name == "fp64"

    def is_fp8e4nv(self) -> bool:
        """Whether it is fp8e4nv."""
        return self.name == "fp8e4nv"

    def is_fp8e5(self) -> bool:
        """Whether it is fp8e5."""
        return self.name == "fp8e5"

    def is_fp8e4b15(self) -> bool:
        """Whether it is fp8e4b15."""
        return self.name == "fp8e4b15"

    def is_fp8e4b8(self) -> bool:
        """Whether it is fp8e4b8."""
        return self.name == "fp8e4b8"

    def is_fp8e5b16(self) -> bool:
        """Whether it is fp8e5b16."""
        return self.name == "fp8e5b16"

    def is_void(self) -> bool:
        """Whether it is no type of a value at all."""
        return self.name == "void"

    def is_int(self) -> bool:
        """Whether it is an integer, booleans among them."""
        return self._kind != Kind.FLOATING

    def is_bool(self) -> bool:
        """Whether it is int1."""
        return self._kind == Kind.BOOLEAN

    def is_int_signed(self) -> bool:
        """Whether it is an integer with a sign."""
        return self._kind == Kind.INTEGRAL and self._signed

    def is_int_unsigned(self) -> bool:
        """Whether it is an integer without a sign, int1 among them."""
        return self.is_int() and not self.is_int_signed()

    def is_int1(self) -> bool:
        """Whether it is int1."""
        return self.is_bool()

    def is_int8(self) -> bool:
        """Whether it is int8."""
        return self.name == "int8"

    def is_int16(self) -> bool:
        """Whether it is int16."""
        return self.name == "int16"

    def is_int32(self) -> bool:
        """Whether it is int32."""
        return self.name == "int32"

    def is_int64(self) -> bool:
        """Whether it is int64."""
        return self.name == "int64"

    def is_uint8(self) -> bool:
        """Whether it is uint8."""
        return self.name == "uint8"

    def is_uint16(self) -> bool:
        """Whether it is uint16."""
        return self.name == "uint16"

    def is_uint32(self) -> bool:
        """Whether it is uint32."""
        return self.name == "uint32"

    def is_uint64(self) -> bool:
        """Whether it is uint64."""
        return self.name == "uint64"

    def get_int_max_value(self) -> int:
        """The largest integer of the type."""
        return (1 << (self.int_bitwidth - (1 if self.is_int_signed() else 0))) - 1

    def get_int_min_value(self) -> int:
        """The least integer of the type."""
        return -(1 << (self.int_bitwidth - 1)) if self.is_int_signed() else 0

    def with_shape(self, shape: Iterable[int]) -> dtype:
        """The type of a tile of such elements; without extents, the type itself."""
        extents = tuple(shape)
        return block_type(self.scalar, extents) if extents else self.scalar

    def __eq__(self, other: object) -> bool:
        # A tile or a constant may stand on the other side.
        return isinstance(other, dtype) and self.mlir == other.mlir and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name

    def __str__(self) -> str:
        return self.name


class pointer_type(dtype):  # noqa: N801
    """The type of a pointer to numbers of a type in global memory."""

    def __init__(self, element_ty: dtype, address_space: int = 1, const: bool = False) -> None:
        if not isinstance(element_ty, dtype) or element_ty.is_block():
            raise TypeError(f"a pointer points to numbers of a type, not to {element_ty!r}")
        # Memory holds a boolean as a byte.
        memory = "i8" if element_ty.is_bool() else element_ty.mlir
        super().__init__(f"pointer<{element_ty.name}>", f"!tile.ptr<{memory}>", 64, Kind.INTEGRAL)
        #: What it points to.
        self.element_ty = element_ty

    def is_ptr(self) -> bool:
        return True

    def is_int(self) -> bool:
        return False

    def is_int_signed(self) -> bool:
        return False


class block_type(dtype):  # noqa: N801
    """The type of a tile: the type of its elements and its extents."""

    def __init__(self, element_ty: dtype, shape: Sequence[int]) -> None:
        extents = "x".join(str(extent) for extent in shape)
        text = "[" + ", ".join(str(extent) for extent in shape) + "]"
        super().__init__(
            f"<{text}, {element_ty.name}>",
            f"tensor<{extents}x{element_ty.mlir}>",
            element_ty.primitive_bitwidth,
            element_ty.kind(),
        )
        #: The type of an element.
        self.element_ty = element_ty
        self._shape = tuple(shape)

    @property
    def scalar(self) -> dtype:
        return self.element_ty

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    @cached_property
    def numel(self) -> int:
        """How many elements it has."""
        return prod(self._shape)

    def is_block(self) -> bool:
        return True


class constexpr:  # noqa: N801
    """A value that is known when a kernel is compiled.

    As an annotation it says so of a parameter or a local name; around a value it makes a
    global one that kernels may use:

    >>> WIDTH = constexpr(128)
    """

    # For the dispatcher: part of the code, wherever it is given, as the value that it stands for.
    __tilewright_constant__ = True

    def __init__(self, value: Any) -> None:
        #: The value itself.
        self.value: Any = unwrap(value)

    @property
    def __tilewright_value__(self) -> Any:
        return self.value

    def __class_getitem__(cls, what: Any) -> type[constexpr]:
        """tl.constexpr[int], for people who read it."""
        return cls

    def __repr__(self) -> str:
        return f"constexpr[{self.value!r}]"

    def __index__(self) -> int:
        return int(self.value.__index__())

    def __bool__(self) -> bool:
        return bool(self.value)

    def __eq__(self, other: object) -> bool:
        return bool(self.value == unwrap(other))

    def __hash__(self) -> int:
        return hash(self.value)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self.value(*arguments, **keywords)

    # Arithmetic of constants on the host gives constants.

    def __add__(self, other: Any) -> constexpr:
        return constexpr(self.value + unwrap(other))

    def __radd__(self, other: Any) -> constexpr:
        return constexpr(other + self.value)

    def __sub__(self, other: Any) -> constexpr:
        return constexpr(self.value - unwrap(other))

    def __rsub__(self, other: Any) -> constexpr:
        return constexpr(other - self.value)

    def __mul__(self, other: Any) -> constexpr:
        return constexpr(self.value * unwrap(other))

    def __rmul__(self, other: Any) -> constexpr:
        return constexpr(other * self.value)

    def __truediv__(self, other: Any) -> constexpr:
        return constexpr(self.value / unwrap(other))

    def __rtruediv__(self, other: Any) -> constexpr:
        return constexpr(other / self.value)

    def __floordiv__(self, other: Any) -> constexpr:
        return constexpr(self.value // unwrap(other))

    def __rfloordiv__(self, other: Any) -> constexpr:
        return constexpr(other // self.value)

    def __mod__(self, other: Any) -> constexpr:
        return constexpr(self.value % unwrap(other))

    def __rmod__(self, other: Any) -> constexpr:
        return constexpr(other % self.value)

    def __pow__(self, other: Any) -> constexpr:
        return constexpr(self.value ** unwrap(other))

    def __lt__(self, other: Any) -> bool:
        return bool(self.value < unwrap(other))

    def __le__(self, other: Any) -> bool:
        return bool(self.value <= unwrap(other))

    def __gt__(self, other: Any) -> bool:
        return bool(self.value > unwrap(other))

    def __ge__(self, other: Any) -> bool:
        return bool(self.value >= unwrap(other))

    def __neg__(self) -> constexpr:
        return constexpr(-self.value)


class const:  # noqa: N801
    """An annotation of parameters that are pointers which the kernel only reads; it is not used."""


def unwrap(value: Any) -> Any:
    """What a constant stands for; anything else as it is, with constants in tuples unwrapped.

    A number of NumPy stands for that of Python.

    >>> unwrap((constexpr(4), 2))
    (4, 2)
    """
    while isinstance(value, constexpr):
        value = value.value
    if type(value) in (tuple, list):
        return type(value)(unwrap(each) for each in value)
    is_numpy = type(value).__module__ == "numpy" and hasattr(value, "item")
    return value.item() if is_numpy and getattr(value, "ndim", None) == 0 else value


def _integer(bits: int, signed: bool) -> dtype:
    name = f"int{bits}" if signed else f"uint{bits}"
    return dtype(name, f"i{bits}", bits, Kind.INTEGRAL, signed)


def _float(name: str, mlir: str, bits: int) -> dtype:
    return dtype(name, mlir, bits, Kind.FLOATING)


_MANTISSAS = {"fp8e4nv": 3, "fp8e4b15": 3, "fp8e4b8": 3, "fp8e5": 2, "fp8e5b16": 2}
_MANTISSAS |= {"fp16": 10, "bf16": 7, "fp32": 23, "fp64": 52}

void = dtype("void", "none", 0, Kind.INTEGRAL)
int1 = dtype("int1", "i1", 1, Kind.BOOLEAN, signed=False)
int8, int16, int32, int64 = (_integer(bits, True) for bits in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (_integer(bits, False) for bits in (8, 16, 32, 64))
float8e5 = _float("fp8e5", "f8E5M2", 8)
float8e4nv = _float("fp8e4nv", "f8E4M3FN", 8)
# No NVIDIA GPU has these three: they are here to be compared with.
float8e4b15 = _float("fp8e4b15", "f8E4M3B11FNUZ", 8)
float8e4b8 = _float("fp8e4b8", "f8E4M3FNUZ", 8)
float8e5b16 = _float("fp8e5b16", "f8E5M2FNUZ", 8)
float16 = _float("fp16", "f16", 16)
bfloat16 = _float("bf16", "bf16", 16)
float32 = _float("fp32", "f32", 32)
float64 = _float("fp64", "f64", 64)
pi32_t = pointer_type(int32)

_SIGNED = (int8, int16, int32, int64)
_UNSIGNED = (uint8, uint16, uint32, uint64)
_FLOATS = (float8e5, float8e4nv, float16, bfloat16, float32, float64)

#: By the names that signatures have.
SCALARS: dict[str, dtype] = {
    **{each.name: each for each in (int1, *_SIGNED, *_UNSIGNED, *_FLOATS)},
    **{each.name.replace("int", "i"): each for each in (int1, *_SIGNED)},
    **{each.name.replace("uint", "u"): each for each in _UNSIGNED},
    "u1": int1,
}


def parse_type(text: str) -> dtype:
    """A type as signatures write it: "i32", "*fp16".

    Raises:
        ValueError: There is no such type.
    """
    if text.startswith("*"):
        return pointer_type(parse_type(text[1:].removeprefix("k")))
    if text not in SCALARS:
        meant = _core.suggest_name(text, list(SCALARS))
        known = f"; known are {', '.join(SCALARS)}, and with * before them pointers"
        raise ValueError(f"{text!r} is no type{meant or known}")
    return SCALARS[text]


def get_int_dtype(bitwidth: int, signed: bool) -> dtype:
    """The integer type of that many bits.

    >>> get_int_dtype(bitwidth=16, signed=False)
    uint16
    """
    if bitwidth == 1:
        return int1
    name = f"{'' if signed else 'u'}int{bitwidth}"
    if name not in SCALARS:
        raise ValueError(f"there is no integer of {bitwidth} bits: 1, 8, 16, 32 and 64 are known")
    return SCALARS[name]
