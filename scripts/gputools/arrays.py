"""Arrays of NumPy for the simulator, of PyTorch for a GPU: what scripts/math-ulp.py needs."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np

# An array of either library. Their operators, and most functions by name, are the same.
Array = Any


class HostArrays:
    """Arrays of NumPy, which has no bf16: those are the upper halves of f32, in uint16."""

    name = "simulator"
    functions: Any = np

    def __init__(self) -> None:
        # What NumPy has not, or under another name.
        self.other: dict[str, Callable[..., Array]] = {
            "erf": np.vectorize(math.erf, otypes=[np.float64]),
            "erfc": np.vectorize(math.erfc, otypes=[np.float64]),
            "roundeven": np.rint,
            "rsqrt": lambda x: 1 / np.sqrt(x),
        }

    def call(self, name: str, *operands: Array) -> Array:
        return (self.other.get(name) or getattr(np, name))(*operands)

    def array(self, values: list[float]) -> Array:
        return np.array(values, np.float64)

    def integers(self, first: int, count: int) -> Array:
        """The numbers from `first` up, in 64 bits."""
        return np.arange(first, first + count, dtype=np.int64)

    def floats(self, bits: Array, element: str) -> Array:
        """Floats of these bits, as kernels take them."""
        if element == "f32":
            return bits.astype(np.int32).view(np.float32)
        small = bits.astype(np.int16)
        return small.view(np.float16 if element == "f16" else np.uint16)

    def narrow(self, values: Array, element: str) -> Array:
        """Floats near these of f64, as kernels take them."""
        if element == "bf16":
            return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        return values.astype(np.float32 if element == "f32" else np.float16)

    def widen(self, values: Array, element: str) -> Array:
        """The same numbers in f64. A NaN does not signal, which a cast leaves to the machine."""
        if element == "bf16":
            values = (values.astype(np.uint32) << 16).view(np.float32)
        with np.errstate(invalid="ignore"):
            return values.astype(np.float64) * 1.0

    def to_integers(self, values: Array) -> Array:
        """The bits of f64."""
        return values.view(np.int64)

    def from_integers(self, bits: Array) -> Array:
        return bits.view(np.float64)

    def empty_like(self, values: Array) -> Array:
        return np.empty_like(values)


class TorchArrays:
    """Arrays of PyTorch, on the current GPU, which is all that `device` is for but tests."""

    def __init__(self, device: str = "cuda") -> None:
        torch: Any = importlib.import_module("torch")
        if device == "cuda" and not torch.cuda.is_available():
            raise RuntimeError("PyTorch finds no GPU")
        self.functions = torch
        self.device = device
        self.name = torch.cuda.get_device_name() if device == "cuda" else device

    def call(self, name: str, *operands: Array) -> Array:
        return getattr(self.functions, "round" if name == "roundeven" else name)(*operands)

    def array(self, values: list[float]) -> Array:
        return self.functions.tensor(values, dtype=self.functions.float64, device=self.device)

    def integers(self, first: int, count: int) -> Array:
        return self.functions.arange(
            first, first + count, dtype=self.functions.int64, device=self.device
        )

    def floats(self, bits: Array, element: str) -> Array:
        torch = self.functions
        if element == "f32":
            return bits.to(torch.int32).view(torch.float32)
        small = bits.to(torch.int16)
        return small.view(torch.float16 if element == "f16" else torch.bfloat16)

    def narrow(self, values: Array, element: str) -> Array:
        torch = self.functions
        types = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}
        return values.to(types[element])

    def widen(self, values: Array, element: str) -> Array:
        return values.double()

    def to_integers(self, values: Array) -> Array:
        return values.view(self.functions.int64)

    def from_integers(self, bits: Array) -> Array:
        return bits.view(self.functions.float64)

    def empty_like(self, values: Array) -> Array:
        return self.functions.empty_like(values)


Arrays = HostArrays | TorchArrays
