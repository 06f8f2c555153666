"""Kernels whose layouts are compared with Triton's: ours as text, Triton's by name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bench.templates import fill_template
from bench.triton_ptx import TritonKernel
from gputools.cases import step_along_k
from gputools.tools import EXAMPLES

TRANSPOSE_TYPES = ("i8", "f16", "f32", "f64")
TRANSPOSE_TILES = ((32, 32), (64, 64), (128, 64), (64, 128), (128, 128), (16, 256))
OTHER_TILES = ((32, 32), (64, 64), (64, 128), (128, 32))

GEMM_TYPES = ("f16", "tf32")
GEMM_TILE = 128
GEMM_WARPS = 4
GEMM_STEPS = 16

# Ampere's instructions are the last that both compilers use for products: Triton goes on to wgmma.
MMA_CAPABILITY = 80
MOVE_CAPABILITY = 90


@dataclass(frozen=True)
class LayoutCase:
    """One kernel. `sizes`: the scalar arguments, for whole tiles only, so that all blocks do the
    same. `blocks`: how many of them there are."""

    name: str
    text: str
    sizes: dict[str, int]
    blocks: int
    triton: TritonKernel

    @property
    def args(self) -> str:
        return " ".join(f"{name}={size}" for name, size in self.sizes.items())

    @property
    def target(self) -> str:
        return {80: "sm_80", 90: "sm_90a"}[self.triton.capability]


def _warps_of(rows: int, columns: int) -> int:
    return 4 if rows * columns <= 64 * 64 else 8


def _tile_case(
    template: str, title: str, tile: tuple[int, int], values: Mapping[str, object],
    constants: Mapping[str, object] | None = None, *, tiles_m: int = 2, tiles_n: int = 2,
) -> LayoutCase:  # fmt: skip
    """A kernel of one tile a program, on a matrix of so many tiles."""
    rows, columns = tile
    kernel = TritonKernel(
        template,
        {"rows": rows, "columns": columns, **(constants or {})},
        num_warps=_warps_of(rows, columns),
        num_stages=3,
        capability=MOVE_CAPABILITY,
    )
    return LayoutCase(
        f"{title} {rows}x{columns}",
        fill_template(template, {"ROWS": rows, "COLUMNS": columns, **values}),
        {"M": tiles_m * rows, "N": tiles_n * columns},
        tiles_m * tiles_n,
        kernel,
    )


def _moves() -> Iterator[LayoutCase]:
    for dtype in TRANSPOSE_TYPES:
        for tile in TRANSPOSE_TILES:
            yield _tile_case("transpose", f"transpose {dtype}", tile, {"DTYPE": dtype})
    for dtype, result, cast in (("f32", "f16", "arith.truncf"), ("f16", "f32", "arith.extf")):
        for tile in OTHER_TILES:
            values = {"DTYPE": dtype, "RESULT": result, "CAST": cast}
            yield _tile_case("transpose_cast", f"transpose {dtype} to {result}", tile, values)
    for dtype in TRANSPOSE_TYPES:
        for tile in OTHER_TILES:
            title = f"rows to columns {dtype}"
            yield _tile_case("rows_to_columns", title, tile, {"DTYPE": dtype})
    for dtype in TRANSPOSE_TYPES:
        add = "arith.addi" if dtype == "i8" else "arith.addf"
        for tile in OTHER_TILES:
            values = {"DTYPE": dtype, "ADD": add}
            yield _tile_case("add_transposed", f"A + transposed B {dtype}", tile, values)


def _reductions() -> Iterator[LayoutCase]:
    for reduce, combine in (("sum", "arith.addf"), ("max", "arith.maxnumf")):
        for tile in OTHER_TILES:
            values = {"DTYPE": "f32", "REDUCE": reduce, "COMBINE": combine}
            yield _tile_case(
                "reduce_transposed", f"{reduce} over rows of transposed f32", tile, values,
                {"takes_max": reduce == "max"}, tiles_m=1,
            )  # fmt: skip
    for tile in OTHER_TILES:
        yield _tile_case(
            "subtract_row_max", "row less its max, transposed, f32", tile, {"DTYPE": "f32"},
            tiles_n=1,
        )  # fmt: skip


def _products() -> Iterator[LayoutCase]:
    for dtype in GEMM_TYPES:
        for layout in ("nn", "nt", "tn", "tt"):
            text = (EXAMPLES / f"gemm_{dtype}_{layout}.mlir").read_text()
            depth = step_along_k(f"{dtype}_{layout}")
            stages = re.search(r"num_stages = (\d+)", text)
            assert stages, f"gemm_{dtype}_{layout}.mlir says no stages"
            constants = {
                "rows": GEMM_TILE,
                "columns": GEMM_TILE,
                "depth": depth,
                "transposes_a": layout[0] == "t",
                "transposes_b": layout[1] == "t",
                "precision": "tf32" if dtype == "tf32" else "ieee",
            }
            yield LayoutCase(
                f"product {dtype} {layout} {GEMM_TILE}x{GEMM_TILE}x{depth}",
                text,
                {"M": 2 * GEMM_TILE, "N": GEMM_TILE, "K": GEMM_STEPS * depth},
                2,
                TritonKernel("gemm", constants, GEMM_WARPS, int(stages.group(1)), MMA_CAPABILITY),
            )


def make_cases() -> list[LayoutCase]:
    return [*_moves(), *_reductions(), *_products()]
