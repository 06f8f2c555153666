"""C = A * B, where A and B are stored as in the formula (n) or transposed (t)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from bench.problem import Contender, Problem, Tensors
from bench.problems.common import random_tensor
from gputools.tools import EXAMPLES


class Gemm(Problem):
    # tf32 is f32 on tensor cores, which read 19 of its bits.
    dtypes = ("f16", "bf16", "f32", "tf32", "f64")
    size_names = ("M", "N", "K")
    unit = "TFLOP/s"
    unit_work = 1e12
    # Of A and of B.
    layout: ClassVar[str]

    @property
    def source(self) -> Path:
        return EXAMPLES / f"gemm_{self.dtype}_{self.layout}.mlir"

    @property
    def work(self) -> int:
        return 2 * self.sizes["M"] * self.sizes["N"] * self.sizes["K"]

    def as_in_formula(self, a: Any, b: Any) -> tuple[Any, Any]:
        """Views of what is stored."""
        return (
            a.t() if self.layout[0] == "t" else a,
            b.t() if self.layout[1] == "t" else b,
        )

    def allocate(self, torch: Any) -> Tensors:
        m, n, k = (self.sizes[name] for name in self.size_names)
        a = random_tensor(torch, self.dtype, *((k, m) if self.layout[0] == "t" else (m, k)))
        b = random_tensor(torch, self.dtype, *((n, k) if self.layout[1] == "t" else (k, n)))
        left, right = self.as_in_formula(a, b)
        # Without tensor cores, rounded once: sums in f32 of 16-bit numbers, in f64 of others.
        torch.backends.cuda.matmul.allow_tf32 = False
        if self.dtype in ("f16", "bf16"):
            expected = (left.float() @ right.float()).to(a.dtype)
        else:
            expected = (left.double() @ right.double()).to(a.dtype)
        c = torch.empty_like(expected)
        return Tensors({"A": a, "B": b, "C": c}, c, expected)

    def agrees(self, torch: Any, tensors: Tensors) -> bool:
        """Within a rounding to the type, and what sums of K normal numbers may lose: each addition
        half a unit of a partial sum, which is about the root of K. What tf32 leaves of operands is
        up to 2^-10 less than they are."""
        eps = torch.finfo(tensors.output.dtype).eps
        depth = self.sizes["K"]
        if self.dtype == "tf32":
            rtol, atol = 2**-9, 8 * depth**0.5 * 2**-10
        else:
            rtol, atol = eps, depth**1.5 * (2**-53 if self.dtype == "f64" else 2**-24)
        return bool(
            torch.allclose(tensors.output.double(), tensors.expected.double(), rtol=rtol, atol=atol)
        )

    def peers(self, torch: Any, tensors: Tensors, groups: frozenset[str]) -> list[Contender]:
        a, b = self.as_in_formula(tensors.by_name["A"], tensors.by_name["B"])
        c = tensors.by_name["C"]
        # Sums of parts of K in f32, as all others do.
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
        torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
        torch.backends.cuda.matmul.allow_tf32 = self.dtype == "tf32"
        contenders = [Contender("torch", "cuBLAS", lambda: torch.matmul(a, b, out=c))]
        if "triton" in groups and self.dtype != "f64":
            from bench.triton_kernels import gemm_contenders

            contenders += gemm_contenders(a, b, c, self.dtype)
        return contenders


class GemmNN(Gemm):
    name = "gemm_nn"
    layout = "nn"


class GemmNT(Gemm):
    name = "gemm_nt"
    layout = "nt"


class GemmTN(Gemm):
    name = "gemm_tn"
    layout = "tn"


class GemmTT(Gemm):
    name = "gemm_tt"
    layout = "tt"
