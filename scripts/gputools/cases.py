"""Which kernels, at which sizes, a GPU is checked with.

Sizes are those at which kernels go wrong: one element, less than a tile, primes, nothing at all,
more tiles along one dimension than a grid has along y or z (65,535), more elements than 31 and 32
bits count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Generic, TypeVar

from gputools.devices import Comparison, kernel_files
from gputools.profile import LAYOUTS
from gputools.tools import EXAMPLES, Run

# The bytes of an element of each transpose.
TRANSPOSES = {"f64": 8, "f32": 4, "f16": 2, "i8": 1, "odd_i8": 1}

# The examples of products: types with the bytes of an element, and whether A and B are transposed.
PRODUCT_TYPES = {"f16": 2, "bf16": 2, "f32": 4, "tf32": 4, "f64": 8}
PRODUCTS = [f"{dtype}_{layout}" for dtype in PRODUCT_TYPES for layout in ("nn", "nt", "tn", "tt")]

# The examples that go over a matrix by rows or columns: the bytes of an element, and how many
# matrices there are, with the one of results.
ROWS = {
    "softmax_f16": (2, 2),
    "rms_norm_f16": (2, 2),
    "layer_norm_f16": (2, 2),
    "row_sums_f32": (4, 1),
    "column_sums_f32": (4, 1),
}
# Those of them that are given more than 2^31 elements.
LONG_ROWS = ("softmax_f16", "row_sums_f32", "column_sums_f32")

# An extent of more tiles than a grid has blocks along y or z, for tiles up to 128 x 128; and a
# length of more blocks than that, for blocks up to 2048 elements.
LONG_EDGE = 128 * 65536 + 1
LONG_VECTOR = 2048 * 65536 + 1

# An edge whose square is just above 2^31, and one for 2^32: multiples of 16, so that the widest
# vectors are used, and not of any tile's edge.
EDGE_31 = 46352
EDGE_32 = 65552

# Times 64, more than 2^31 elements.
LONG_SIDE = 2**25 + 2056


# One use of a tool.
Use = TypeVar("Use", Run, Comparison)


@dataclass(frozen=True)
class Case(Generic[Use]):
    """A run, what is special about it, and the GPU memory in bytes that it needs."""

    name: str
    run: Use
    bytes_needed: int


def _matrix(dtype: str, m: int, n: int, layout: str = "auto", *options: str) -> Case[Run]:
    run = Run(EXAMPLES / f"transpose_{dtype}.mlir", f"M={m} N={n}", layout, options)
    shown = " ".join([f"transpose_{dtype} {m} x {n}", *([layout] if layout != "auto" else [])])
    return Case(" ".join([shown, *options]), run, 2 * m * n * TRANSPOSES[dtype])


def _product(
    example: str, m: int, n: int, k: int, layout: str = "auto", *options: str
) -> Case[Run]:
    run = Run(EXAMPLES / f"gemm_{example}.mlir", f"M={m} N={n} K={k}", layout, options)
    shown = [f"gemm_{example} {m} x {n} x {k}", *([layout] if layout != "auto" else [])]
    byte_size = PRODUCT_TYPES.get(example.split("_")[0], 2)
    return Case(" ".join([*shown, *options]), run, byte_size * (m * k + k * n + m * n))


def step_along_k(example: str) -> int:
    """The step along K, as the loop of the example has it: "... to %K step %c64 ..."."""
    source = (EXAMPLES / f"gemm_{example}.mlir").read_text()
    found = re.search(r"to %K step %c(\d+)", source)
    assert found, f"gemm_{example}.mlir has no loop along K"
    return int(found.group(1))


def _batch(batch: int, m: int, n: int, k: int, layout: str = "auto", *options: str) -> Case[Run]:
    args = f"batch={batch} M={m} N={n} K={k}"
    run = Run(EXAMPLES / "gemm_batched_f16.mlir", args, layout, options)
    shown = [f"gemm_batched_f16 {batch} x {m} x {n} x {k}", *([layout] if layout != "auto" else [])]
    return Case(" ".join([*shown, *options]), run, 2 * batch * (m * k + k * n + m * n))


def _rows(kernel: str, m: int, n: int, *options: str) -> Case[Run]:
    """An example that goes over a matrix; the vectors beside it are two at the most."""
    run = Run(EXAMPLES / f"{kernel}.mlir", f"M={m} N={n}", options=options)
    element_bytes, results = ROWS[kernel]
    shown = " ".join([f"{kernel} {m} x {n}", *options])
    return Case(shown, run, element_bytes * (m * n * results + 2 * (m + n)))


def _vector(kernel: str, n: int, *options: str) -> Case[Run]:
    scalars = f"n={n}" if kernel == "copy" else f"n={n} alpha=-1.7"
    run = Run(EXAMPLES / f"{kernel}_f32.mlir", scalars, options=options)
    return Case(" ".join([f"{kernel}_f32 {n}", *options]), run, 2 * 4 * n)


def size_cases() -> list[Case[Run]]:
    """Every example at every awkward size that is small."""
    cases = []
    for kernel in ("copy", "scale"):
        sizes = (0, 1, 70, 1009, 4096, 1_000_003, LONG_VECTOR)
        cases += [_vector(kernel, n) for n in sizes]
    for dtype in TRANSPOSES:
        areas = ((1, 1), (70, 1), (1, 70), (70, 70), (127, 131), (1009, 2003), (1024, 1040))
        nothing = ((0, 0), (0, 70), (70, 0))
        for m, n in (*areas, *nothing, (LONG_EDGE, 3), (3, LONG_EDGE)):
            cases.append(_matrix(dtype, m, n))
    # K: less than a step, as many steps as stages and one more, none at all.
    products = [(1, 1, 1), (70, 70, 70), (127, 131, 137), (128, 128, 192), (200, 136, 256)]
    products += [(70, 70, 0), (0, 70, 70), (70, 0, 70)]
    for example in (*PRODUCTS, "bias_relu_f16"):
        cases += [_product(example, *size) for size in products]
    for batch, size in zip((1, 3, 70, 2, 5, 3, 3, 3), products, strict=True):
        cases.append(_batch(batch, *size))
    cases += [_batch(0, 70, 70, 70), _batch(65537, 1, 3, 7)]
    # Rows within a step of 4096 and beyond, and many of them.
    rows = ((1, 1), (70, 1), (1, 70), (127, 131), (61, 4096), (1009, 4099), (7, 70_001))
    for kernel in ROWS:
        for m, n in (*rows, (0, 70), (70, 0), (LONG_EDGE // 64, 5)):
            cases.append(_rows(kernel, m, n))
    return cases


def special_cases() -> list[Case[Run]]:
    """NaNs, infinities, zeros of both signs and denormals, with other inputs than before."""
    options = ("--specials", "--seed=7")
    cases = [_vector(kernel, 100_003, *options) for kernel in ("copy", "scale")]
    for dtype in TRANSPOSES:
        cases += [_matrix(dtype, m, n, "auto", *options) for m, n in ((127, 131), (512, 528))]
    for example in (*PRODUCTS, "bias_relu_f16"):
        cases.append(_product(example, 136, 264, 200, "auto", *options))
    cases.append(_batch(3, 136, 264, 200, "auto", *options))
    for kernel in ROWS:
        cases += [_rows(kernel, m, n, *options) for m, n in ((127, 131), (61, 8200))]
    return cases


def large_cases() -> list[Case[Run]]:
    """Beyond 2^31 elements; of the smallest type beyond 2^32 as well."""
    cases = [_vector(kernel, 2**31 + 7) for kernel in ("copy", "scale")]
    cases += [_matrix(dtype, EDGE_31, EDGE_31) for dtype in TRANSPOSES]
    cases += [_matrix("i8", EDGE_31 - 3, EDGE_31 + 1), _matrix("i8", EDGE_32, EDGE_32)]
    # A, B and C in turn, with little to compute.
    cases.append(_product("f16_nn", LONG_SIDE, 8, 64))
    cases.append(_product("f16_nn", 8, LONG_SIDE, 64))
    cases += [_product(f"{dtype}_nn", LONG_SIDE, 64, 8) for dtype in ("f16", "f32", "f64")]
    cases += [_product("tf32_tt", LONG_SIDE, 64, 8), _product("bias_relu_f16", LONG_SIDE, 64, 8)]
    cases.append(_batch(LONG_SIDE // 256, 128, 128, 8))
    cases += [_rows(kernel, LONG_SIDE // 64, 4104) for kernel in LONG_ROWS]
    return cases


def sanitizer_cases() -> list[Case[Run]]:
    """Small, since the sanitizer is slow: with whole vectors and without, always with edges."""
    cases = [_vector("copy", 5003), _vector("scale", 5003)]
    for dtype in TRANSPOSES:
        cases += [_matrix(dtype, m, n) for m, n in ((131, 70), (208, 160))]
    for example in ("f16_nn", "f16_tt", "f32_nn", "tf32_tt", "f64_nn", "bias_relu_f16"):
        cases += [_product(example, *size) for size in ((70, 131, 67), (136, 200, 264))]
    cases.append(_batch(2, 136, 40, 200))
    cases += [_rows(kernel, m, n) for kernel in ROWS for m, n in ((3, 5001), (3, 5000))]
    return cases


def profile_cases() -> list[Case[Run]]:
    """Every example: transposes and products in every kind of shared layout, of products the first
    of each type."""
    # Whole tiles: at the edge ptxas predicates shared loads whose values are not stored, and the
    # profiler then counts fewer wavefronts than a whole tile takes.
    cases = [_matrix(dtype, 1024, 1152, layout) for dtype in TRANSPOSES for layout in LAYOUTS]
    # The report counts 16 trips of a loop whose end is not constant.
    for example in PRODUCTS:
        layouts = LAYOUTS if example.startswith("f16") or example.endswith("nn") else ("auto",)
        k = 16 * step_along_k(example)
        cases += [_product(example, 1024, 1152, k, layout) for layout in layouts]
    cases += [_product("bias_relu_f16", 1024, 1152, 16 * 64), _batch(4, 512, 384, 16 * 64)]
    # 16 trips of these loops, too.
    for kernel in ROWS:
        cases.append(_rows(kernel, *((16 * 32, 1152) if "column" in kernel else (256, 16 * 4096))))
    for layout in LAYOUTS:
        conflicts = Run(EXAMPLES / "bank_conflicts.mlir", "M=1024 N=1152", layout)
        cases.append(Case(f"bank_conflicts 1024 x 1152 {layout}", conflicts, 2 * 4 * 1024 * 1152))
    return cases + [_vector(kernel, 1 << 20) for kernel in ("copy", "scale")]


def code_cases() -> list[Case[Run]]:
    """Every example in all forms that its code has: with whole vectors and without, with edges,
    and in every kind of shared layout."""
    return sanitizer_cases() + profile_cases()


def device_cases() -> list[Case[Comparison]]:
    """A suite of instructions, and every example at a few odd sizes. The simulator takes seconds
    for a million elements."""
    suite = [Case(file.stem, Comparison(file), 1 << 20) for file in kernel_files()]
    examples = [_vector(kernel, n) for kernel in ("copy", "scale") for n in (1, 1009, 70_001)]
    for dtype in TRANSPOSES:
        examples += [_matrix(dtype, m, n) for m, n in ((1, 70), (127, 131), (208, 160))]
    for kernel in ("row_sums_f32", "column_sums_f32"):
        examples += [_rows(kernel, m, n) for m, n in ((3, 5001), (70, 131), (33, 4096))]
    return suite + [
        Case(case.name, Comparison(case.run.file, case.run.args), case.bytes_needed)
        for case in examples
    ]
