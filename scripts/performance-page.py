#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the tables of docs/performance.md from the records of benchmarks.

    scripts/performance-page.py --update

A table stands between `<!-- table: NAME -->` and `<!-- end -->`. Without --update nothing is
written, and the exit status is 1 where the page has other tables than the records.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from pages.made import make_page

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/performance.md"
RESULTS = ROOT / "benchmarks/results"
# The first that has it counts.
RECORDS = tuple(
    RESULTS / name
    for name in (
        "2026-11-30-h200-7",
        "2026-11-30-h200-6",
        "2026-11-30-h200-5",
        "2026-11-30-h200-4",
        "2026-11-30-h200-3",
        "2026-11-30-h200-2",
        "2026-11-30-h200",
        "2026-11-29-h200-6",
        "2026-11-29-h200-5",
        "2026-11-29-h200-2",
        "2026-11-29-h200",
        "2026-11-28-h200",
    )
)

LAYOUTS = ("nn", "nt", "tn", "tt")
ROWS = {
    "softmax": "softmax",
    "rms_norm": "RMS norm",
    "layer_norm": "layer norm",
    "cross_entropy": "cross entropy",
}
Record = dict[str, Any]


def load(name: str) -> list[Record]:
    """The cases of a record."""
    path = next(path for each in RECORDS if (path := each / f"{name}.json").exists())
    record = json.loads(path.read_text(encoding="utf-8"))
    cases: list[Record] = record["cases" if "cases" in record else "results"]
    return cases


def write_rows(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def mean(values: Iterable[float | None]) -> str:
    """The geometric one, and the least."""
    known = [value for value in values if value is not None]
    if not known:
        return "-"
    product = math.exp(sum(map(math.log, known)) / len(known))
    return f"**{product:.3f}**, {min(known):.3f}"


def shape_of(case: Record) -> str:
    return " x ".join(map(str, case["shape"]))


def write_grid(
    cells: dict[tuple[str, str], float | None], first: str, columns: Sequence[str], last: str
) -> str:
    """A row a shape, in order, and below them what they come to."""
    shapes = list(dict.fromkeys(shape for shape, _ in cells))
    rows = [[shape, *(ratio(cells.get((shape, column))) for column in columns)] for shape in shapes]
    ends = [mean(cells.get((shape, column)) for shape in shapes) for column in columns]
    return write_rows([first, *columns], [*rows, [last, *ends]])


def write_by_layout(names: Sequence[str], dtypes: Sequence[str], key: str) -> str:
    """Products of these records, a column a type and layout."""
    cells: dict[tuple[str, str], float | None] = {}
    for name in names:
        for case in load(name):
            cells[shape_of(case), f"{case['type']} {case['layout'].upper()}"] = case.get(key)
    columns = [f"{dtype} {layout.upper()}" for dtype in dtypes for layout in LAYOUTS]
    return write_grid(cells, "M x N x K", columns, "mean, least")


def write_summary() -> str:
    """What the tables of the page come to, one row each."""

    def by_type(name: str, dtype: str) -> list[float | None]:
        return [case.get("of_cublas") for case in load(name) if case["type"] == dtype]

    def of_copy(
        name: str, peer: str = "tilewright", keep: Callable[[Record], Any] = bool
    ) -> list[float | None]:
        return [case["of_copy"].get(peer) for case in load(name) if keep(case)]

    def is_transpose(case: Record) -> bool:
        return bool(case["transpose"])

    copy = "a copy of as many bytes"
    lines: list[tuple[str, str, list[float | None]]] = [
        ("products of f16", "cuBLAS", by_type("products", "f16")),
        ("products of bf16", "cuBLAS", by_type("products", "bf16")),
        ("products of f32, without tf32", "cuBLAS", by_type("products-f32", "f32")),
        ("products of f64", "cuBLAS", by_type("products-f64", "f64")),
        (
            "softmax, norms and cross entropy, f16",
            copy,
            of_copy("rows-again", keep=lambda case: case["kernel"] in ROWS),
        ),
        ("gradients of norms, f16", copy, of_copy("rows-backward")),
        ("transposes of 1 to 8 bytes", copy, of_copy("permutations", keep=is_transpose)),
        (
            "permutations of 3 to 5 dimensions",
            copy,
            of_copy("permutations", keep=lambda case: not is_transpose(case)),
        ),
        ("other kernels that memory limits", copy, of_copy("memory")),
        (
            "kernels in Python",
            "Triton, the same source",
            [case["ratio"] for case in load("python-kernels")],
        ),
    ]
    rows = [
        [what, sum(each is not None for each in ratios), peer, mean(ratios)]
        for what, peer, ratios in lines
    ]
    return write_rows(["what", "cases", "of the speed of", "mean, least"], rows)


def write_products() -> str:
    return write_by_layout(["products"], ("f16", "bf16"), "of_cublas")


def write_products_of_triton() -> str:
    return write_by_layout(["products"], ("f16", "bf16"), "of_triton")


def write_epilogues() -> str:
    names = {"bias_relu": "bias and ReLU", "row_scales": "scales of rows", "residual": "residual"}
    cells: dict[tuple[str, str], float | None] = {}
    for case in load("products-epilogues"):
        for key, name in names.items():
            cells[shape_of(case), name] = case["of_plain"].get(key)
    return write_grid(cells, "M x N x K", list(names.values()), "mean, least")


def write_exact() -> str:
    return write_by_layout(["products-f32", "products-f64"], ("f32", "f64"), "of_cublas")


def write_kernels_of_rows() -> str:
    cells: dict[tuple[str, str], float | None] = {}
    for name in ("rows-again", "rows-bf16"):
        for case in load(name):
            if case["kernel"] not in ROWS:
                continue
            column = f"{ROWS[case['kernel']]} {case['type']}"
            cells[shape_of(case), column] = case["of_copy"].get("tilewright")
    columns = [f"{name} {dtype}" for dtype in ("f16", "bf16") for name in ROWS.values()]
    return write_grid(cells, "rows x columns", columns, "mean, least")


def write_peers_of_rows() -> str:
    rows = []
    for title, name, peer in (
        ("Tilewright", "rows", "tilewright"),
        ("Triton, the same source", "rows", "triton"),
        ("PyTorch", "rows", "torch"),
    ):
        cases = load(name)
        row = [
            mean(case["of_copy"].get(peer) for case in cases if case["kernel"] == kernel)
            for kernel in ROWS
        ]
        rows.append([title, *row])
    return write_rows(["f16: mean, least", *ROWS.values()], rows)


def write_gradients() -> str:
    cells: dict[tuple[str, str], float | None] = {}
    kernels = {"rms_norm_backward": "RMS norm", "layer_norm_backward": "layer norm"}
    for case in load("rows-backward"):
        for peer, suffix in (("tilewright", ""), ("triton", ", Triton")):
            column = kernels[case["kernel"]] + suffix
            cells[shape_of(case), column] = case["of_copy"].get(peer)
    columns = [name + suffix for name in kernels.values() for suffix in ("", ", Triton")]
    return write_grid(cells, "rows x columns", columns, "mean, least")


def write_transposes() -> str:
    cells: dict[tuple[str, str], float | None] = {}
    for case in load("permutations"):
        if case["transpose"]:
            dtype, shape = case["case"].split(" ", 1)
            cells[shape, dtype] = case["of_copy"].get("tilewright")
            cells[shape, f"{dtype}, Triton"] = case["of_copy"].get("triton")
    dtypes = ("f64", "f32", "f16", "i8")
    columns = [*dtypes, *(f"{dtype}, Triton" for dtype in dtypes)]
    return write_grid(cells, "rows x columns", columns, "mean, least")


def write_permutations() -> str:
    cells: dict[tuple[str, str], float | None] = {}
    for case in load("permutations"):
        if not case["transpose"]:
            for peer, column in (("tilewright", "Tilewright"), ("triton", "Triton")):
                cells[case["case"], column] = case["of_copy"].get(peer)
    return write_grid(cells, "permutation", ["Tilewright", "Triton"], "mean, least")


def write_python_kernels() -> str:
    rows = [[case["case"], ratio(case["ratio"])] for case in load("python-kernels")]
    return write_rows(["kernel", "of Triton's speed"], rows)


TABLES: dict[str, Callable[[], str]] = {
    "summary": write_summary,
    "products": write_products,
    "products beside Triton": write_products_of_triton,
    "epilogues": write_epilogues,
    "exact products": write_exact,
    "rows": write_kernels_of_rows,
    "rows beside others": write_peers_of_rows,
    "gradients": write_gradients,
    "transposes": write_transposes,
    "permutations": write_permutations,
    "kernels in Python": write_python_kernels,
}


def write_page(page: str) -> str:
    """The page with its tables made anew."""

    def write(found: re.Match[str]) -> str:
        return f"<!-- table: {found[1]} -->\n\n{TABLES[found[1]]()}\n\n<!-- end -->"

    return re.sub(r"<!-- table: ([^\n]*) -->\n.*?<!-- end -->", write, page, flags=re.DOTALL)


def main() -> int:
    stale = "has other tables than the records; run scripts/performance-page.py --update"
    return make_page(PAGE, write_page, __doc__ or "", stale)


if __name__ == "__main__":
    sys.exit(main())
