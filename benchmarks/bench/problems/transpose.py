"""B[n, m] = A[m, n]."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from bench.problem import ELEMENT_BYTES, Contender, Problem, Tensors, Variant
from bench.problems.common import device_copy, random_tensor
from bench.templates import fill_template
from gputools.tools import EXAMPLES, ToolError


class Transpose(Problem):
    name = "transpose"
    dtypes = ("f64", "f32", "f16", "i8")
    size_names = ("M", "N")

    @property
    def source(self) -> Path:
        return EXAMPLES / f"transpose_{self.dtype}.mlir"

    @property
    def work(self) -> int:
        return 2 * self.sizes["M"] * self.sizes["N"] * ELEMENT_BYTES[self.dtype]

    def allocate(self, torch: Any) -> Tensors:
        a = random_tensor(torch, self.dtype, self.sizes["M"], self.sizes["N"])
        expected = a.t().contiguous()
        b = torch.empty_like(expected)
        return Tensors({"A": a, "B": b}, b, expected)

    def peers(self, torch: Any, tensors: Tensors, groups: frozenset[str]) -> list[Contender]:
        a, b = tensors.by_name["A"], tensors.by_name["B"]
        contenders = [device_copy(torch, a, b)]
        # What a.t().contiguous() does, without the allocation.
        contenders.append(Contender("torch", "", lambda: b.copy_(a.t())))
        if "triton" in groups:
            from bench.triton_kernels import transpose_contenders

            contenders += transpose_contenders(a, b)
        return contenders

    def tile_variant(self, tile: str) -> Variant | None:
        match = re.fullmatch(r"(\d+)x(\d+)", tile)
        if not match:
            raise ToolError(f"a tile is ROWSxCOLUMNS, such as 64x32, not '{tile}'")
        rows, columns = match.groups()
        values = {"DTYPE": self.dtype, "ROWS": rows, "COLUMNS": columns}
        text = fill_template("transpose", values)
        return Variant(self.source, text=text, config=tile)
