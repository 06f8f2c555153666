#!/usr/bin/env python3
"""Times kernels of rows beside a copy of as many bytes: softmax, norms and their gradients, cross
entropy.

    benchmarks/rows.py --json rows.json --markdown rows.md
    benchmarks/rows.py --kernels softmax --types f16 --shapes 65536x512 --one-program

All in one process on one GPU. The kernels are those of examples/python, at the shapes of
bench/row_cases.py, in a few configurations, of which the fastest counts. Beside them stand a copy
from the device to itself that reads and writes as many bytes in all, PyTorch without its compiler,
and the same source compiled by Triton, where that is installed. Results are compared with
PyTorch's before anything is timed, and those that are summed up in order with themselves: they have
the same bits twice. With --one-program each of our blocks runs one program, with --torch-compile
PyTorch's compiler makes kernels of the same, too. It needs the package tilewright and torch.

The exit status is 1 if a result was wrong or a kernel of ours could not be run.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from bench.beside_copy import is_good, ratios_of, summary, time_beside_copy
from bench.both_languages import OURS, TRITON, load_languages
from bench.record import Record, describe_run, table, write_markdown
from bench.row_cases import KERNELS, LONGEST, SHAPES, Rows, describe
from bench.timing import METHOD, TorchTimer
from bench.work import launches_of
from gputools.tools import run_script

COMPILED = "torch.compile"

# Of two roundings to the type, and of sums in another order.
TOLERANCES = {"f16": 4e-3, "bf16": 3e-2}
# From one f16 to the next around 0, where the softmax of a long row is.
SUBNORMAL = 2.0**-24


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kernels", default=",".join(KERNELS))
    parser.add_argument("--types", default="f16,bf16")
    parser.add_argument("--shapes", metavar="ROWSxCOLUMNS,...")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--one-program", action="store_true", help="a block runs one program")
    parser.add_argument("--without-triton", action="store_true")
    parser.add_argument("--torch-compile", action="store_true", help="beside torch.compile, too")
    parser.add_argument("--json", type=Path, metavar="PATH")
    parser.add_argument("--markdown", type=Path, metavar="PATH")
    options = parser.parse_args()
    shapes = options.shapes.split(",") if options.shapes else []
    options.shapes = [tuple(map(int, each.split("x"))) for each in shapes] or SHAPES
    options.kernels, options.types = options.kernels.split(","), options.types.split(",")
    if unknown := set(options.kernels) - set(KERNELS):
        parser.error(f"--kernels: there is no {', '.join(sorted(unknown))}")
    if unknown := set(options.types) - set(TOLERANCES):
        parser.error(f"--types: there is no {', '.join(sorted(unknown))}")
    return options


def find_mistake(rows: Rows, launch: Callable[[], None], tolerance: float) -> str:
    """Why a contender is not timed, or an empty text."""
    for result, _ in rows.results:
        result.fill_(float("nan"))
    try:
        launch()
        for result, expected in rows.results:
            right = expected()
            allowed = tolerance * (right.abs() + right.abs().mean()) + SUBNORMAL
            if not bool(((result.float() - right).abs() <= allowed).all()):
                return "wrong"
        before = [result.clone() for result, _ in rows.results]
        launch()
    except Exception as error:  # Too many registers, for one.
        return f"failed: {type(error).__name__}: {error}"
    again = [result for result, _ in rows.results]
    same = all(bool((a == b).all()) for a, b in zip(before, again, strict=True))
    return "" if same else "wrong: other bits in the second run"


def compiled(torch: Any, function: Callable[[], Any]) -> Callable[[], Any]:
    """By PyTorch, which would take other shapes of the same function for one too many."""
    torch.compiler.reset()
    made: Callable[[], Any] = torch.compile(function, dynamic=False)
    made()
    return made


def time_case(
    torch: Any, timer: TorchTimer, case: dict[str, Any], rows: Rows,
    languages: Mapping[str, Mapping[str, ModuleType]], options: argparse.Namespace,
) -> None:  # fmt: skip
    launches = launches_of(rows, languages, describe)
    tolerance = TOLERANCES[case["type"]]
    faults = {name: find_mistake(rows, launch, tolerance) for name, launch in launches.items()}
    case["faults"] = {name: fault for name, fault in faults.items() if fault}
    contenders = {"torch": rows.torch}
    if options.torch_compile:
        contenders[COMPILED] = compiled(torch, rows.torch)
    contenders |= {name: launches[name] for name, fault in faults.items() if not fault}
    peers = [*languages, COMPILED]
    case |= time_beside_copy(torch, timer, rows.bytes, contenders, peers, options.rounds)


def markdown(record: dict[str, Any]) -> str:
    cases = record["cases"]
    head = ["kernel", "type", "rows x columns", "copy, us", "ours, us", "of copy", "torch, of copy"]
    head += ["torch.compile, of copy", "Triton, of copy", "ours"]
    rows = []
    for case in cases:
        best = case["best"].get(OURS, "-")
        row = [case["kernel"], case["type"], " x ".join(map(str, case["shape"]))]
        row += [str(case["microseconds"]["copy"]), str(case["microseconds"].get(best, "-"))]
        row += ratios_of(case, (OURS, "torch", COMPILED, TRITON))
        rows.append([*row, best.removeprefix(f"{OURS}, ")])
    lines = [f"# Rows beside a copy: {record['gpu']}", ""]
    lines += [f"{record['date']}, {record['software']}. {METHOD}", ""]
    lines += [*table(head, rows), ""]
    for who in (OURS, "torch", COMPILED, TRITON):
        for kernel in dict.fromkeys(case["kernel"] for case in cases):
            ours = [case for case in cases if case["kernel"] == kernel and who in case["of_copy"]]
            if ratios := [case["of_copy"][who] for case in ours]:
                lines += [f"{who}, {kernel}: {summary(ratios)}"]
    return "\n".join(lines) + "\n"


def run() -> int:
    options = parse_arguments()
    import torch

    timer = TorchTimer(torch)
    head = {**describe_run(torch), "one_program": options.one_program}
    record = Record(options.json, head)
    with load_languages(not options.without_triton) as languages:
        for element in options.types:
            dtype = {"f16": torch.float16, "bf16": torch.bfloat16}[element]
            for shape in options.shapes:
                x = torch.randn(*shape, device="cuda", dtype=dtype)
                for kernel in options.kernels:
                    if shape[1] > LONGEST.get(kernel, shape[1]):
                        continue
                    case: dict[str, Any] = {"kernel": kernel, "type": element, "shape": shape}
                    rows = KERNELS[kernel](torch, x)
                    if options.one_program:
                        rows.launch = functools.partial(without_batches, rows.launch)
                    time_case(torch, timer, case, rows, languages, options)
                    record.add(case)
                    print(json.dumps(case), flush=True)
    record.finish()
    write_markdown(options.markdown, markdown(record.content))
    return 0 if all(map(is_good, record.content["cases"])) else 1


def without_batches(launch: Callable[..., None], example: ModuleType, **options: Any) -> None:
    """Triton has no such option."""
    ours = {} if example.__name__.startswith(TRITON) else {"batch_programs": False}
    launch(example, **options, **ours)


if __name__ == "__main__":
    sys.exit(run_script("rows.py", run))
