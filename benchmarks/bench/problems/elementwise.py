"""Y = X and Y = alpha * X over a vector."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.problem import ELEMENT_BYTES, Contender, Problem, Tensors
from bench.problems.common import device_copy, random_tensor
from gputools.tools import EXAMPLES


class Elementwise(Problem):
    """One number in, one number out."""

    dtypes = ("f32",)
    size_names = ("n",)

    @property
    def source(self) -> Path:
        return EXAMPLES / f"{self.name}_{self.dtype}.mlir"

    @property
    def work(self) -> int:
        return 2 * self.sizes["n"] * ELEMENT_BYTES[self.dtype]

    def compute(self, torch: Any, x: Any, out: Any) -> None:
        """What PyTorch does, into `out`."""
        raise NotImplementedError

    def triton_factor(self) -> float | None:
        """What Triton's kernel multiplies by; None: nothing."""
        return None

    def allocate(self, torch: Any) -> Tensors:
        x = random_tensor(torch, self.dtype, self.sizes["n"])
        expected, y = torch.empty_like(x), torch.empty_like(x)
        self.compute(torch, x, expected)
        return Tensors({"X": x, "Y": y}, y, expected)

    def peers(self, torch: Any, tensors: Tensors, groups: frozenset[str]) -> list[Contender]:
        x, y = tensors.by_name["X"], tensors.by_name["Y"]
        contenders = [device_copy(torch, x, y)]
        contenders.append(Contender("torch", "", lambda: self.compute(torch, x, y)))
        if "triton" in groups:
            from bench.triton_kernels import elementwise_contenders

            contenders += elementwise_contenders(x, y, self.triton_factor())
        return contenders


class Copy(Elementwise):
    name = "copy"

    def compute(self, torch: Any, x: Any, out: Any) -> None:
        out.copy_(x)


class Scale(Elementwise):
    name = "scale"
    alpha = 0.7

    @property
    def scalars(self) -> dict[str, float]:
        return {**self.sizes, "alpha": self.alpha}

    def compute(self, torch: Any, x: Any, out: Any) -> None:
        torch.mul(x, self.alpha, out=out)

    def triton_factor(self) -> float | None:
        return self.alpha
