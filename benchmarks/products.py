#!/usr/bin/env python3
"""Times products beside cuBLAS: all layouts, and what is done with the sums.

    benchmarks/products.py --json products.json --markdown products.md
    benchmarks/products.py --triton
    benchmarks/products.py --types f32,f64
    benchmarks/products.py --types f16 --layouts nn --shapes 4096x4096x4096 --epilogues residual
    benchmarks/products.py --types f16 --shapes 1024x1024x1024,128x8192x8192 --triton
    benchmarks/products.py --types e4m3,i8 --layouts nt --triton

All in one process on one GPU. The kernel is bench/product_kernel.py; the likeliest tiles of
bench/product_tiles.py are timed, and the ratio is that of the best. A and B are stored by rows (n)
or transposed (t). With an epilogue the ratio is to our own product without one: bias and ReLU,
scales of rows, a residual. Products of f32 are exact; tf32 are those of f32 that may be rounded to
tf32, by us and by cuBLAS. Those of 8-bit floats give f16, those of i8 i32; cuBLAS has them of A by
rows and B transposed (nt), by torch._scaled_mm and torch._int_mm, and where there is none, the
ratio is to Triton. Results are compared with PyTorch's before anything is timed. It needs the
package tilewright and torch, and with --triton, which times products of 16 and 8 bits by Triton too
(the best of bench/triton_products.py), triton.

The exit status is 1 if a result was wrong.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.product_kernel import Operands, Tile, multiply
from bench.product_tiles import BYTES, FRAGMENT_SUMS, WGMMA_SUMS, tiles_of
from bench.record import Record, describe_run, geometric_mean, table, write_markdown
from bench.timing import METHOD, TorchTimer, measure
from gputools.tools import run_script

SHAPES = (
    "2048x2048x2048,3072x3072x3072,4096x4096x4096,6144x4096x5120,8192x8192x8192,"
    "4096x14336x4096,8192x28672x8192,16384x1024x8192"
)
EXACT_SHAPES = (
    "1024x1024x1024,2048x2048x2048,3072x3072x3072,4096x4096x4096,8192x8192x8192,"
    "5000x3000x2000,4095x4097x4099"
)
BYTE_SHAPES = "2048x2048x2048,4096x4096x4096,8192x8192x8192,777x3008x5008,1000x1008x1008"
EPILOGUES = ["bias_relu", "row_scales", "residual"]


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--types", default="f16,bf16", help="f16, bf16, f32, tf32, f64, e4m3, e5m2, i8"
    )
    parser.add_argument("--layouts", default="nn,nt,tn,tt")
    parser.add_argument("--shapes", metavar="MxNxK,...", help="others than the type's")
    parser.add_argument("--epilogues", default="", help=",".join(EPILOGUES))
    parser.add_argument("--triton", action="store_true", help="beside Triton's, too")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--json", type=Path, metavar="PATH")
    parser.add_argument("--markdown", type=Path, metavar="PATH")
    options = parser.parse_args()
    options.epilogues = [name for name in options.epilogues.split(",") if name]
    if unknown := set(options.epilogues) - set(EPILOGUES):
        parser.error(f"--epilogues: there is no {', '.join(sorted(unknown))}")
    return options


def shapes_of(element: str, asked: str | None) -> list[list[int]]:
    shapes = asked or (EXACT_SHAPES if element in ("f32", "f64") else SHAPES)
    if element in BYTES and not asked:
        shapes = BYTE_SHAPES
    return [[int(size) for size in shape.split("x")] for shape in shapes.split(",")]


def make_operands(torch: Any, element: str, layout: str, sizes: list[int]) -> Operands:
    dtype = {
        "f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64,
        "f32": torch.float32, "tf32": torch.float32,
        "e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2, "i8": torch.int8,
    }[element]  # fmt: skip
    result = {"e4m3": torch.float16, "e5m2": torch.float16, "i8": torch.int32}.get(element, dtype)
    m, n, k = sizes

    def random(*shape: int, kind: Any = dtype) -> Any:
        if kind == torch.int8:
            return torch.randint(-128, 128, shape, device="cuda", dtype=kind)
        wide = torch.float32 if kind.itemsize == 1 else kind
        return torch.randn(*shape, device="cuda", dtype=wide).to(kind)

    return Operands(
        random(k, m) if layout[0] == "t" else random(m, k),
        random(n, k) if layout[1] == "t" else random(k, n),
        torch.empty(m, n, device="cuda", dtype=result),
        random(n), random(m, kind=torch.float32), random(m, n), sizes, layout,
        "tf32" if element == "tf32" else "ieee",
    )  # fmt: skip


def expected(torch: Any, operands: Operands, epilogue: str) -> Any:
    a = operands.a.t() if operands.layout[0] == "t" else operands.a
    b = operands.b.t() if operands.layout[1] == "t" else operands.b
    if a.dtype == torch.int8:
        # Exact in f64.
        return torch.mm(a.double(), b.double())
    total = torch.mm(a.float(), b.float()) if a.element_size() == 1 else torch.mm(a, b)
    if total.element_size() == 2:
        total = total.float()
    if epilogue == "bias_relu":
        total = (total + operands.bias.float()).relu()
    if epilogue == "row_scales":
        total = total * operands.scales[:, None]
    if epilogue == "residual":
        total = total + operands.residual.float()
    return total


def cublas(torch: Any, operands: Operands) -> Callable[[], None] | None:
    """Nothing where it has no such product."""
    a = operands.a.t() if operands.layout[0] == "t" else operands.a
    b = operands.b.t() if operands.layout[1] == "t" else operands.b
    out = torch.empty_like(operands.c)
    if a.element_size() == 1:
        one = torch.ones((), device="cuda")

        def launch() -> None:
            if a.dtype == torch.int8:
                torch._int_mm(a, b, out=out)
            else:
                torch._scaled_mm(a, b, one, one, out_dtype=out.dtype, use_fast_accum=True, out=out)

        try:
            launch()
        except (RuntimeError, ValueError):
            return None
        return launch

    def multiply_wide() -> None:
        torch.backends.cuda.matmul.allow_tf32 = operands.precision == "tf32"
        torch.mm(a, b, out=out)
        torch.backends.cuda.matmul.allow_tf32 = False

    return multiply_wide


def is_right(torch: Any, operands: Operands, epilogue: str) -> bool:
    """Both are rounded once or twice, and cuBLAS sums in another order."""
    right = expected(torch, operands, epilogue)
    if operands.c.dtype == torch.int32:
        return bool((operands.c == right).all())
    error = {2: 2e-2, 4: 2e-5, 8: 4e-14}[operands.c.element_size()]
    if operands.precision == "tf32":
        error = 5e-3
    bound = error * right.abs() + error * math.sqrt(operands.sizes[2])
    return bool(((operands.c.to(right.dtype) - right).abs() <= bound).all())


def triton_launches(
    torch: Any, operands: Operands, multiprocessors: int
) -> dict[str, Callable[[], None]]:
    """Those that run here and are right, by what they are called."""
    from bench.triton_products import contenders

    good = {}
    for name, launch in contenders(operands, multiprocessors):
        forget(operands)
        try:
            launch()
        except Exception as error:  # Too much shared memory, for one.
            print(f"Triton, {name}: {error}", file=sys.stderr)
            continue
        if is_right(torch, operands, "none"):
            good[name] = launch
    return good


def forget(operands: Operands) -> None:
    operands.c.fill_(float("nan") if operands.c.dtype.is_floating_point else -1)


def time_case(
    torch: Any, timer: TorchTimer, case: dict[str, Any], options: argparse.Namespace
) -> None:
    epilogues = options.epilogues
    operands = make_operands(torch, case["type"], case["layout"], case["shape"])
    count = torch.cuda.get_device_properties(0).multi_processor_count
    has_wgmma = torch.cuda.get_device_capability()[0] == 9
    most_sums = WGMMA_SUMS if has_wgmma else FRAGMENT_SUMS
    tiles = tiles_of(case["type"], case["layout"], case["shape"], count, most_sums)
    launches = []
    names: list[tuple[str, Tile]] = []
    case["right"] = True
    for epilogue in ["none", *epilogues]:
        for tile in tiles:

            def launch(tile: Tile = tile, epilogue: str = epilogue) -> None:
                multiply(operands, tile, epilogue)

            forget(operands)
            launch()
            case["right"] &= is_right(torch, operands, epilogue)
            names.append((epilogue, tile))
            launches.append(launch)
    peers = triton_launches(torch, operands, count) if options.triton else {}
    launches += peers.values()
    if library := cublas(torch, operands):
        launches.append(library)
    times = measure(timer, launches, options.rounds)
    begin, end = len(names), len(names) + len(peers)
    ours, others, of_library = times[:begin], times[begin:end], times[end:]
    case["spread"] = round(max(each.spread for each in [*ours, *of_library]), 3)
    case["ours"] = [
        {"epilogue": epilogue, "tile": str(tile), "microseconds": round(each.median, 2)}
        for (epilogue, tile), each in zip(names, ours, strict=True)
    ]
    plain = best(case, "none")["microseconds"]
    if library:
        case["cublas"] = round(of_library[0].median, 2)
        case["of_cublas"] = round(case["cublas"] / plain, 3)
    case["of_plain"] = {
        epilogue: round(plain / best(case, epilogue)["microseconds"], 3) for epilogue in epilogues
    }
    if others:
        time, name = min((each.median, name) for each, name in zip(others, peers, strict=True))
        case["triton"] = {"config": name, "microseconds": round(time, 2)}
        case["of_triton"] = round(time / plain, 3)


def best(case: dict[str, Any], epilogue: str) -> dict[str, Any]:
    times = [each for each in case["ours"] if each["epilogue"] == epilogue]
    fastest: dict[str, Any] = min(times, key=lambda each: each["microseconds"])
    return fastest


def markdown(record: dict[str, Any]) -> str:
    cases = record["cases"]
    extra = list(cases[0]["of_plain"])
    head = ["type", "layout", "M x N x K", "cuBLAS, us", "ours, us", "of cuBLAS", "tile"]
    head += [f"{name}, of ours" for name in extra]
    with_triton = any("triton" in case for case in cases)
    head += ["of Triton", "Triton"] * with_triton
    rows = []
    for case in cases:
        fastest = best(case, "none")
        row = [case["type"], case["layout"], " x ".join(map(str, case["shape"]))]
        ratio = f"{case['of_cublas']:.3f}" if "cublas" in case else "-"
        row += [str(case.get("cublas", "-")), str(fastest["microseconds"]), ratio]
        row += [fastest["tile"], *(f"{case['of_plain'][name]:.3f}" for name in extra)]
        if with_triton:
            peer = case.get("triton")
            row += [f"{case['of_triton']:.3f}", peer["config"]] if peer else ["-", "-"]
        rows.append(row)
    lines = [f"# Products beside cuBLAS: {record['gpu']}", ""]
    lines += [f"{record['date']}, {record['software']}. {METHOD}", ""]
    lines += [*table(head, rows), ""]
    for element in dict.fromkeys(case["type"] for case in cases):
        ratios = [
            case["of_cublas"] for case in cases if case["type"] == element and "cublas" in case
        ]
        lines += [summary(f"{element}, of cuBLAS", ratios)] if ratios else []
    for name in extra:
        ratios = [case["of_plain"][name] for case in cases]
        lines += [summary(f"{name}, of the product alone", ratios)]
    if with_triton:
        lines += [summary("of Triton", [case["of_triton"] for case in cases if "triton" in case])]
    return "\n".join(lines) + "\n"


def summary(what: str, ratios: list[float]) -> str:
    return f"{what}: {geometric_mean(ratios):.3f} in geometric mean, least {min(ratios):.3f}."


def run() -> int:
    options = parse_arguments()
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    timer = TorchTimer(torch)
    record = Record(options.json, describe_run(torch))
    for element in options.types.split(","):
        for layout in options.layouts.split(","):
            for shape in shapes_of(element, options.shapes):
                case = {"type": element, "layout": layout, "shape": shape}
                time_case(torch, timer, case, options)
                record.add(case)
                print(json.dumps(case), flush=True)
    record.finish()
    write_markdown(options.markdown, markdown(record.content))
    return 0 if all(case["right"] for case in record.content["cases"]) else 1


if __name__ == "__main__":
    sys.exit(run_script("products.py", run))
