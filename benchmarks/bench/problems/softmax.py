"""Y = softmax of each row of X."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.problem import ELEMENT_BYTES, Contender, Problem, Tensors
from bench.problems.common import device_copy, random_tensor
from gputools.tools import EXAMPLES


class Softmax(Problem):
    name = "softmax"
    dtypes = ("f16",)
    size_names = ("M", "N")

    @property
    def source(self) -> Path:
        return EXAMPLES / f"softmax_{self.dtype}.mlir"

    @property
    def work(self) -> int:
        return 2 * self.sizes["M"] * self.sizes["N"] * ELEMENT_BYTES[self.dtype]

    def allocate(self, torch: Any) -> Tensors:
        x = random_tensor(torch, self.dtype, self.sizes["M"], self.sizes["N"])
        expected = torch.softmax(x.float(), 1).to(x.dtype)
        y = torch.empty_like(expected)
        return Tensors({"X": x, "Y": y}, y, expected)

    def agrees(self, torch: Any, tensors: Tensors) -> bool:
        """Within two roundings to the type: the quotients, and what f32 loses of them."""
        eps = torch.finfo(tensors.output.dtype).eps
        tiny = torch.finfo(tensors.output.dtype).tiny
        return bool(
            torch.allclose(
                tensors.output.double(), tensors.expected.double(), rtol=eps, atol=tiny * eps
            )
        )

    def peers(self, torch: Any, tensors: Tensors, groups: frozenset[str]) -> list[Contender]:
        x, y = tensors.by_name["X"], tensors.by_name["Y"]
        contenders = [
            device_copy(torch, x, y),
            Contender("torch", "", lambda: torch.softmax(x, 1, out=y)),
        ]
        if "triton" in groups:
            from bench.triton_kernels import softmax_contenders

            contenders += softmax_contenders(x, y)
        return contenders
