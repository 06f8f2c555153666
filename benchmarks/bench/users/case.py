"""What a case of users' kernels is, and where its data comes from.

A case is a function of `Data` and of sizes that have defaults; it gives a `Work`. The data is on a
GPU, or hollow: shapes and types, which are enough to compile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from bench.work import Work

Case = Callable[..., Work]
_Case = TypeVar("_Case", bound=Case)

#: Bytes of an element.
SIZES = {
    "float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "float8_e4m3fn": 1,
    "float8_e5m2": 1, "int64": 8, "int32": 4, "int16": 2, "int8": 1, "uint8": 1, "bool": 1,
}  # fmt: skip

#: Names of types in signatures.
WORDS = {
    "float64": "fp64", "float32": "fp32", "float16": "fp16", "bfloat16": "bf16",
    "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5", "int64": "i64", "int32": "i32",
    "int16": "i16", "int8": "i8", "uint8": "u8", "bool": "i1",
}  # fmt: skip


def case(function: _Case) -> _Case:
    """Marks a function as a case, named as it is."""
    vars(function)["is_case"] = True
    return function


def is_case(value: Any) -> bool:
    return callable(value) and getattr(value, "is_case", False) is True


class Data(Protocol):
    """Makes arrays. Types are PyTorch's, by name."""

    #: PyTorch, for references and for `make`; None where data is hollow.
    torch: Any

    def randn(self, *shape: int, dtype: str = "float16", scale: float = 1.0) -> Any:
        """Normally distributed numbers."""

    def rand(self, *shape: int, dtype: str = "float32") -> Any:
        """Numbers between 0 and 1."""

    def randint(self, low: int, high: int, *shape: int, dtype: str = "int32") -> Any:
        """Integers from `low` to `high` - 1."""

    def empty(self, *shape: int, dtype: str = "float16") -> Any:
        """Whatever."""

    def zeros(self, *shape: int, dtype: str = "float32") -> Any:
        """Zeros."""

    def make(self, shape: tuple[int, ...], dtype: str, values: Callable[[Any], Any]) -> Any:
        """What a function of PyTorch gives."""


class TorchData:
    """On the GPU that PyTorch uses."""

    def __init__(self, torch: Any, device: str = "cuda") -> None:
        self.torch = torch
        self._device = device

    def _type(self, name: str) -> Any:
        return getattr(self.torch, name)

    def randn(self, *shape: int, dtype: str = "float16", scale: float = 1.0) -> Any:
        values = self.torch.randn(*shape, device=self._device) * scale
        return values.to(self._type(dtype))

    def rand(self, *shape: int, dtype: str = "float32") -> Any:
        return self.torch.rand(*shape, device=self._device).to(self._type(dtype))

    def randint(self, low: int, high: int, *shape: int, dtype: str = "int32") -> Any:
        return self.torch.randint(low, high, shape, device=self._device, dtype=self._type(dtype))

    def empty(self, *shape: int, dtype: str = "float16") -> Any:
        return self.torch.empty(*shape, device=self._device, dtype=self._type(dtype))

    def zeros(self, *shape: int, dtype: str = "float32") -> Any:
        return self.torch.zeros(*shape, device=self._device, dtype=self._type(dtype))

    def make(self, shape: tuple[int, ...], dtype: str, values: Callable[[Any], Any]) -> Any:
        made = values(self.torch).to(device=self._device, dtype=self._type(dtype)).contiguous()
        if tuple(made.shape) != shape:
            raise AssertionError(f"the shape is {tuple(made.shape)}, not {shape}")
        return made


class Hollow:
    """A tensor without elements, dense and aligned."""

    def __init__(self, shape: tuple[int, ...], name: str, torch: Any = None) -> None:
        self.shape = shape
        self.name = name
        # As Triton asks for it.
        self.dtype = name if torch is None else getattr(torch, name)

    def data_ptr(self) -> int:
        return 0

    def numel(self) -> int:
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    def element_size(self) -> int:
        return SIZES[self.name]

    def stride(self, dimension: int) -> int:
        count = 1
        for extent in self.shape[dimension % len(self.shape) + 1 :]:
            count *= extent
        return count


class HollowData:
    """Without a GPU. `torch`: only for its types, where Triton compiles."""

    def __init__(self, torch: Any = None) -> None:
        self.torch = None
        self._types = torch

    def randn(self, *shape: int, dtype: str = "float16", scale: float = 1.0) -> Any:
        return Hollow(shape, dtype, self._types)

    def rand(self, *shape: int, dtype: str = "float32") -> Any:
        return Hollow(shape, dtype, self._types)

    def randint(self, low: int, high: int, *shape: int, dtype: str = "int32") -> Any:
        return Hollow(shape, dtype, self._types)

    def empty(self, *shape: int, dtype: str = "float16") -> Any:
        return Hollow(shape, dtype, self._types)

    def zeros(self, *shape: int, dtype: str = "float32") -> Any:
        return Hollow(shape, dtype, self._types)

    def make(self, shape: tuple[int, ...], dtype: str, values: Callable[[Any], Any]) -> Any:
        return Hollow(shape, dtype, self._types)


class DryModule:
    """A module whose kernels are only compiled where they are launched."""

    def __init__(self, module: Any, **options: Any) -> None:
        self._module = module
        self._options = options
        self.compiled: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return _DryKernel(self, getattr(self._module, name), self._options)


def plain(module: Any) -> Any:
    """A module that kernels are launched from, as it is: for what is no kernel to launch."""
    return vars(module).get("_module", module)


class _DryKernel:
    def __init__(self, owner: DryModule, kernel: Any, options: Any) -> None:
        self._owner = owner
        self._kernel = kernel
        self._options = options

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        def compile_it(*arguments: Any, **keywords: Any) -> None:
            taken = [self._take(each) for each in arguments]
            named = {name: self._take(each) for name, each in keywords.items()}
            made = self._kernel.warmup(*taken, grid=grid, **named, **self._options)
            self._owner.compiled.append(made)

        return compile_it

    def _take(self, value: Any) -> Any:
        """For our compiler the name of the type; Triton takes what has one."""
        if isinstance(value, Hollow) and isinstance(value.dtype, str):
            return f"*{WORDS[value.name]}:16"
        return value
