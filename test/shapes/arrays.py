"""Arrays of random shapes on a device, and whether what stands in them is right."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy

# What rounding the result and sums in f32 may change, of the number itself and of the largest one
# in its row.
ROUNDING = {"bfloat16": 4e-3, "float16": 1e-3, "float32": 2e-5, "float64": 1e-12}
# What stands in a result before a kernel runs, and beside it afterwards.
UNTOUCHED = 123


def as_on_gpus(values: numpy.ndarray, behind: int = 0) -> numpy.ndarray:
    """Where GPUs begin arrays, or some bytes behind. NumPy begins them with a vector of 16 bytes,
    and by chance with one of 32, which some targets have: each process would compile other code."""
    room = numpy.empty(values.nbytes + 256 + behind, numpy.uint8)
    first = -room.ctypes.data % 256 + behind
    array = room[first : first + values.nbytes].view(values.dtype).reshape(values.shape)
    array[...] = values
    return array


class Device:
    """The simulator, whose arrays are NumPy's."""

    types: tuple[str, ...] = ("float16", "float32", "float64")
    # As many elements as an array may have.
    room = 1 << 12
    # Strides of slices, as often as they are to be drawn.
    steps: tuple[int, ...] = (1, 1, 1, -1)

    @property
    def shared_bytes(self) -> int:
        """Bytes that a block may have, on the target that is asked for."""
        has_many = os.environ.get("TILEWRIGHT_TARGET") in ("sm_90a", "sm_100a")
        return (227 if has_many else 99) << 10

    def put(self, values: numpy.ndarray, dtype: str) -> Any:
        return as_on_gpus(values.astype(dtype))

    def get(self, array: Any) -> numpy.ndarray:
        return numpy.asarray(array)


class Gpu(Device):
    """The GPU of this machine, by tensors of PyTorch."""

    types = ("bfloat16", "float16", "float32", "float64")
    room = 1 << 22
    # PyTorch has no negative ones.
    steps = (1,)

    @property
    def shared_bytes(self) -> int:
        return 227 << 10

    def put(self, values: numpy.ndarray, dtype: str) -> Any:
        import torch

        return torch.from_numpy(numpy.ascontiguousarray(values)).to("cuda", getattr(torch, dtype))

    def get(self, array: Any) -> numpy.ndarray:
        import torch

        wide = array.double() if array.dtype == torch.bfloat16 else array
        return numpy.asarray(wide.cpu().numpy())


@dataclass
class Case:
    """`run` launches, and gives what is wrong, or nothing."""

    name: str
    run: Callable[[], str]


@dataclass
class Matrix:
    """A matrix on a device: some columns of a wider array, from some element on."""

    array: Any
    whole: Any
    place: tuple[slice, ...]
    device: Device
    dtype: str

    def values(self) -> numpy.ndarray:
        """What it holds, as f64."""
        return self.device.get(self.array).astype(numpy.float64)

    def what_is_beside(self) -> str:
        """A complaint if anything was written beside it."""
        whole = self.device.get(self.whole).astype(numpy.float64)
        whole[self.place] = UNTOUCHED
        return "" if (whole == UNTOUCHED).all() else "elements beside the result were written"


@dataclass
class Drawing:
    """Draws what a case is made of."""

    random: random.Random
    device: Device
    numbers: numpy.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.numbers = numpy.random.default_rng(self.random.getrandbits(32))

    def pick(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def extent(self, most: int) -> int:
        """Of each order of magnitude: any, multiples of 8, and one less than a power of two."""
        size = int(2 ** self.random.uniform(0, numpy.log2(max(most, 1))))
        return max(self.pick(size, size, -(-size // 8) * 8, (1 << size.bit_length()) - 1), 1)

    def shape(self) -> tuple[int, int]:
        """Rows and columns of a matrix that the device has room for, or of two long rows."""
        if self.pick(*([False] * 7), True):
            return self.pick(1, 2), self.random.randint(8000, 70000)
        columns = min(self.extent(self.device.room // 4), self.device.room)
        if self.pick(*([False] * 3), True):
            # Around the end of a part of a tile, of which there are sixteen.
            columns = self.pick(64, 128, 256) * self.random.randint(9, 16) + self.pick(-1, 0, 1)
            columns = min(columns, self.device.room)
        return self.extent(min(self.device.room // columns, 700)), columns

    def dtype(self, *among: str) -> str:
        return str(self.pick(*(among or self.device.types)))

    def normal(self, *shape: int, scale: float = 1.0) -> numpy.ndarray:
        return self.numbers.standard_normal(shape) * scale

    def matrix(self, values: numpy.ndarray, dtype: str) -> Matrix:
        """`values` where rows begin anywhere."""
        before, behind = self.pick(0, 0, 1, 3, 8), self.pick(0, 0, 1, 5, 8)
        m, n = values.shape
        wide = numpy.full((m, before + n + behind), float(UNTOUCHED))
        place = (slice(None), slice(before, before + n))
        wide[place] = values
        whole = self.device.put(wide, dtype)
        return Matrix(whole[place], whole, place, self.device, dtype)

    def result(self, m: int, n: int, dtype: str) -> Matrix:
        return self.matrix(numpy.full((m, n), float(UNTOUCHED)), dtype)

    def vector(self, values: numpy.ndarray, dtype: str) -> Any:
        return self.matrix(values[None], dtype).array[0]


def differs(actual: numpy.ndarray, expected: numpy.ndarray, dtype: str, slack: Any = None) -> str:
    """What is wrong with a result, if anything: more than rounding to `dtype`, and `slack`."""
    actual = actual.astype(numpy.float64)
    with numpy.errstate(all="ignore"):
        if slack is None:
            finite = numpy.where(numpy.isfinite(expected), abs(expected), 0)
            slack = ROUNDING[dtype] * finite.max(axis=-1, keepdims=True, initial=0)
        near = abs(actual - expected) <= ROUNDING[dtype] * abs(expected) + slack
        right = near | (actual == expected) | (numpy.isnan(actual) & numpy.isnan(expected))
    if right.all():
        return ""
    place = tuple(int(index) for index in numpy.argwhere(~right)[0])
    return (
        f"{(~right).sum()} of {right.size} elements are wrong; at {place} "
        f"{actual[place]}, which is to be {expected[place]}"
    )


def first_complaint(complaints: Sequence[tuple[str, str]]) -> str:
    return next((f"{what}: {text}" for what, text in complaints if text), "")
