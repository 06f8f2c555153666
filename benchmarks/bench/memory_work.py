"""What cases of kernels that memory limits share: arrays of a type, configurations, and how
kernels, types and shapes become cases."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from bench.work import Work

TYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16", "i8": "int8"}
# Of two roundings to the type.
TOLERANCES = {"f32": 2e-5, "f16": 2e-3, "bf16": 1.6e-2, "i8": 0.0}
WARPS = ({"num_warps": 4}, {"num_warps": 8})
# Short rows are best with few.
ROW_WARPS = ({"num_warps": 1}, {"num_warps": 2}, {"num_warps": 4}, {"num_warps": 8})


class Arrays:
    """Tensors of one type. `start`: how many elements behind what is aligned they begin."""

    def __init__(self, torch: Any, element: str, start: int = 0) -> None:
        self.torch, self.element, self.start = torch, element, start
        self.dtype = getattr(torch, TYPES[element])

    def random(self, *shape: int) -> Any:
        numbers = self.empty(*shape)
        if self.element == "i8":
            return numbers.random_(-100, 100)
        return numbers.normal_()

    def empty(self, *shape: int) -> Any:
        count = math.prod(shape) + self.start
        flat = self.torch.empty(count, device="cuda", dtype=self.dtype)
        return flat[self.start :].view(shape)

    def f32(self, *shape: int) -> Any:
        return self.torch.empty(*shape, device="cuda")

    @property
    def tolerance(self) -> float:
        return TOLERANCES[self.element]


def configs_of(columns: int) -> tuple[dict[str, int], ...]:
    """Warps that may be best for a row."""
    return ROW_WARPS[:3] if columns <= 1024 else ROW_WARPS[2:]


def warps_of_tiles(columns: int) -> tuple[dict[str, int], ...]:
    """Those that may be best for a tile of so many columns: if these are few, a warp has few bytes
    of each row, and had better have many rows."""
    return ROW_WARPS[:3] if columns <= 64 else WARPS


# What of each kernel: types, shapes, and where arrays begin.
Kernels = Mapping[
    str, tuple[Callable[..., Work], Sequence[str], Sequence[tuple[int, ...]], Sequence[int]]
]


def name_of(kernel: str, element: str, shape: tuple[int, ...], start: int) -> str:
    name = f"{kernel} {element} {'x'.join(map(str, shape))}"
    return name + (f" from element {start} on" if start else "")


def _each_case(kernels: Kernels) -> Iterator[tuple[str, Callable[[Any], Work]]]:
    for kernel, (make, elements, shapes, starts) in kernels.items():
        for element in elements:
            for shape in shapes:
                for start in starts:

                    def case(
                        torch: Any, make: Any = make, element: str = element,
                        shape: tuple[int, ...] = shape, start: int = start,
                    ) -> Work:  # fmt: skip
                        work: Work = make(Arrays(torch, element, start), *shape)
                        return work

                    yield name_of(kernel, element, shape, start), case


def list_cases(kernels: Kernels) -> dict[str, Callable[[Any], Work]]:
    """Cases by name, each of which makes its work of torch."""
    return dict(_each_case(kernels))
