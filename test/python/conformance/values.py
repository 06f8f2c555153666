# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data of the language's types: as bits, as numbers of NumPy, and as memory of a launch."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
from differential.elements import Element, Float
from differential.values import draw as draw_bits

from differential import elements

Array = npt.NDArray[Any]

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("fp16", "bf16", "fp32", "fp64")
FLOATS8 = ("fp8e4nv", "fp8e5")
NUMBERS = INTEGERS + FLOATS
ALL = ("int1", *NUMBERS, *FLOATS8)

_ELEMENTS: dict[str, Element] = {
    "int1": elements.I1,
    **{name: elements.integer(int(name.removeprefix("u")[3:])) for name in INTEGERS},
    "fp16": elements.F16,
    "bf16": elements.BF16,
    "fp32": elements.F32,
    "fp64": elements.F64,
    "fp8e4nv": elements.E4M3,
    "fp8e5": elements.E5M2,
}
# How the language's programs write types.
_TL_NAMES = {
    **{"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64"},
    **{"fp8e4nv": "float8e4nv", "fp8e5": "float8e5"},
}


def tl_name(dtype: str) -> str:
    """As programs write it: tl.float16."""
    return f"tl.{_TL_NAMES.get(dtype, dtype)}"


def is_float(dtype: str) -> bool:
    return isinstance(_ELEMENTS[dtype], Float)


def float_type(dtype: str) -> Float:
    element = _ELEMENTS[dtype]
    assert isinstance(element, Float)
    return element


def numpy_type(dtype: str) -> npt.DTypeLike:
    """What numbers of the type are in references: floats of all kinds are float64."""
    if dtype == "int1":
        return np.bool_
    return np.float64 if is_float(dtype) else np.dtype(dtype)


@dataclass(frozen=True, eq=False)
class Values:
    """Elements of a type, held as bits."""

    dtype: str
    bits: Array

    @property
    def shape(self) -> tuple[int, ...]:
        return self.bits.shape

    @property
    def numbers(self) -> Array:
        """What references compute with."""
        element = _ELEMENTS[self.dtype]
        if isinstance(element, Float):
            return element.decode(self.bits)
        return self.bits.astype(numpy_type(self.dtype))

    def to_memory(self) -> Array:
        """What a launch takes: a boolean is a byte."""
        if self.dtype in ("fp16", "fp32", "fp64"):
            width = np.dtype(f"u{_ELEMENTS[self.dtype].bits // 8}")
            return self.bits.astype(width).view(f"f{width.itemsize}")
        return self.bits.astype(storage(self.dtype))


def storage(dtype: str) -> npt.DTypeLike:
    """The type of arrays that hold it: unsigned integers for what NumPy does not have."""
    if dtype in ("fp16", "fp32", "fp64"):
        return np.dtype(f"f{_ELEMENTS[dtype].bits // 8}")
    if dtype in INTEGERS:
        return np.dtype(dtype)
    return np.dtype(f"u{max(_ELEMENTS[dtype].bits // 8, 1)}")


def from_memory(dtype: str, memory: Array) -> Values:
    unsigned = memory.view(np.dtype(f"u{memory.dtype.itemsize}"))
    return Values(dtype, unsigned.astype(np.uint64))


def from_numbers(dtype: str, numbers: Any) -> Values:
    """Rounded once, to nearest; integers must be of the type itself."""
    element = _ELEMENTS[dtype]
    if isinstance(element, Float):
        array = np.asarray(numbers, np.float64)
        return Values(dtype, element.encode(array))
    array = np.asarray(numbers)
    if array.dtype != numpy_type(dtype):
        raise TypeError(f"a reference gives {array.dtype} where {dtype} is expected")
    if dtype == "int1":
        return Values(dtype, array.astype(np.uint64))
    return from_memory(dtype, np.ascontiguousarray(array))


def make(dtype: str, numbers: Any) -> Values:
    """Numbers of a literal, in a type."""
    return from_numbers(dtype, np.asarray(numbers, numpy_type(dtype)))


def to_shape(shape: int | tuple[int, ...]) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else shape


def make_rng(*key: object) -> np.random.Generator:
    """The same numbers for the same key, in every run."""
    return np.random.default_rng(zlib.crc32(repr(key).encode()))


def draw(dtype: str, shape: int | tuple[int, ...], seed: int = 0) -> Values:
    """Of all kinds: zeros of both signs, NaN, infinities, ends of types, subnormal, random bits."""
    shape = to_shape(shape)
    rng = make_rng(dtype, shape, seed)
    bits = draw_bits(rng, _ELEMENTS[dtype], prod(shape))
    return Values(dtype, bits.reshape(shape))


def draw_from(
    dtype: str, shape: int | tuple[int, ...], low: float, high: float, seed: int = 0
) -> Values:
    """Numbers between two ends, integers inclusive."""
    shape = to_shape(shape)
    rng = make_rng(dtype, shape, seed)
    if dtype == "int1":
        return from_numbers(dtype, rng.integers(0, 2, shape).astype(np.bool_))
    if is_float(dtype):
        return from_numbers(dtype, rng.uniform(low, high, shape))
    return from_numbers(dtype, rng.integers(int(low), int(high) + 1, shape).astype(dtype))


def draw_whole(dtype: str, shape: int | tuple[int, ...], limit: int, seed: int = 0) -> Values:
    """Whole numbers up to a limit, of both signs where the type has two."""
    shape = to_shape(shape)
    rng = make_rng(dtype, shape, seed)
    low = 0 if dtype.startswith("u") or dtype == "int1" else -limit
    numbers = rng.integers(low, limit + 1, shape)
    return from_numbers(dtype, numbers.astype(numpy_type(dtype)))


def count(dtype: str, shape: int | tuple[int, ...]) -> Values:
    """0, 1, 2 ... modulo what the type has, to tell each element from the others."""
    shape = to_shape(shape)
    numbers = np.arange(prod(shape)).reshape(shape) % (2 if dtype == "int1" else 128)
    return from_numbers(dtype, numbers.astype(numpy_type(dtype)))


Reference = Callable[..., Any]
