"""What is to be computed: sizes, tensors and contenders.

A problem is a class in problems/, which its __init__.py lists:

    class Transpose(Problem):
        name = "transpose"
        size_names = ("M", "N")
        ...

and the shapes file asks for it by name: {"problem": "transpose", "dtypes": ["f32"],
"sizes": [{"M": 4096, "N": 4096}]}.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

ELEMENT_BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i8": 1}

US = "us"


@dataclass
class Contender:
    """One way to solve a problem. The fastest of a group stands for it.

    `is_solution`: its output is compared; a bare copy of the same bytes solves nothing.
    """

    group: str
    config: str
    launch: Callable[[], None]
    is_solution: bool = True


@dataclass
class Tensors:
    """The tensors of a problem by the names that its kernel gives them."""

    by_name: dict[str, Any]
    output: Any
    expected: Any


@dataclass(frozen=True)
class Variant:
    """One of our kernels: its text, how it is compiled, and a name for that."""

    source: Path
    layout: str = "auto"
    num_warps: int = 0
    text: str = ""
    config: str = ""

    def describe(self) -> str:
        parts = [self.config, self.layout, f"{self.num_warps} warps" if self.num_warps else ""]
        return " ".join(part for part in parts if part)


class Problem(ABC):
    """A problem of one type and size."""

    name: ClassVar[str]
    dtypes: ClassVar[tuple[str, ...]]
    size_names: ClassVar[tuple[str, ...]]
    unit: ClassVar[str] = "GB/s"
    # Work a second in `unit` is work by this.
    unit_work: ClassVar[float] = 1e9

    def __init__(self, dtype: str, sizes: Mapping[str, int]) -> None:
        self.dtype = dtype
        self.sizes = dict(sizes)

    @property
    def title(self) -> str:
        return f"{self.name} {self.dtype}"

    @property
    def shape(self) -> str:
        return " x ".join(str(self.sizes[name]) for name in self.size_names)

    @property
    def scalars(self) -> dict[str, float]:
        """The scalar arguments of our kernel."""
        return dict(self.sizes)

    @property
    @abstractmethod
    def source(self) -> Path:
        """The file of our kernel."""

    @property
    @abstractmethod
    def work(self) -> int:
        """Bytes read and written, or operations: what `unit` counts."""

    @abstractmethod
    def allocate(self, torch: Any) -> Tensors:
        """Makes the tensors on the GPU, and what the output should be."""

    def agrees(self, torch: Any, tensors: Tensors) -> bool:
        """Whether the output is what is expected: bit for bit, unless a problem rounds."""
        return bool(torch.equal(tensors.output, tensors.expected))

    @abstractmethod
    def peers(self, torch: Any, tensors: Tensors, groups: frozenset[str]) -> list[Contender]:
        """The others: of those groups, all that there are."""

    def tile_variant(self, tile: str) -> Variant | None:
        """Our kernel with other tiles, "64x32"; None if the problem has no such choice."""
        return None
