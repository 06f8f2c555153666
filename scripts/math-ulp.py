#!/usr/bin/env python3
"""Measures how far the functions of math are from the true ones, in units in the last place (ULP).

    scripts/math-ulp.py --json math-ulp.json        every f32 on the GPU, with PyTorch
    scripts/math-ulp.py --device=sim                a sample in the simulator, with NumPy alone

It needs the Python package (the wheel, or PYTHONPATH=build/python). The true functions are those of
the library, in f64. Functions of one argument are measured at all 2^32 of f32, and at all of f16
and bf16; those of two at 2^28 pairs, half of them chosen so that the result is neither 0 nor
infinite; in the simulator, at 2^16. NaNs, infinities, zeros and their signs must be right. The exit
status is 1 if one is not, or if a function is farther off than its bound in docs/math.md.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import sys
import time
from pathlib import Path
from typing import Any

from gputools.arrays import Arrays, HostArrays, TorchArrays
from gputools.functions import FUNCTIONS, Function
from gputools.ulp import FORMATS, Finding, kernel_text, measure


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", choices=("cuda", "sim"), default="cuda")
    parser.add_argument("--target", help="of the simulator (default: sm_90a)")
    parser.add_argument("--only", metavar="NAME,...", help="these functions (default: all)")
    parser.add_argument("--types", default="f32,f16,bf16", help="default: f32,f16,bf16")
    parser.add_argument(
        "--samples", type=int, metavar="N", help="arguments of f32 are 2^N (default: 32, sim: 16)"
    )
    parser.add_argument(
        "--pairs", type=int, metavar="N", help="pairs of arguments are 2^N (default: 28, sim: 16)"
    )
    parser.add_argument("--json", type=Path, metavar="PATH", help="write every result here")
    options = parser.parse_args()
    known = [function.name for function in FUNCTIONS]
    options.names = options.only.split(",") if options.only else known
    options.elements = options.types.split(",")
    for given, allowed in ((options.names, known), (options.elements, list(FORMATS))):
        if unknown := [name for name in given if name not in allowed]:
            parser.error(f"no {unknown[0]!r}; there are {', '.join(allowed)}")
    simulated = options.device == "sim"
    if options.target and not simulated:
        parser.error("--target is for --device=sim; a GPU has its own")
    options.samples = (16 if simulated else 32) if options.samples is None else options.samples
    options.pairs = (16 if simulated else 28) if options.pairs is None else options.pairs
    for count in (options.samples, options.pairs):
        if not 0 <= count <= 32:
            parser.error("--samples and --pairs are from 0 to 32")
    return options


def count_of(function: Function, element: str, options: argparse.Namespace) -> int:
    bits: int = min(FORMATS[element].bits, options.samples)
    if function.operands == 1:
        return 2 ** (bits if element == "f32" else 16)
    return 2 ** int(options.pairs if element == "f32" else min(options.pairs, 20))


def show(finding: Finding) -> None:
    state = "ok" if finding.passed else "FAILED"
    place = finding.worst if finding.max_ulp else None
    print(
        f"{finding.function:<10}{finding.element:<6}{finding.arguments:>12}{finding.max_ulp:>9.3f}"
        f"{finding.bound:>9.4g}  {state:<7}{place or ''}",
        flush=True,
    )
    for wrong in finding.wrong_at:
        print(f"    wrong: {wrong}")
    if finding.wrong > len(finding.wrong_at):
        print(f"    wrong in all: {finding.wrong}")


def write_json(
    path: Path, device: str, target: str, version: str, seconds: float, findings: list[Finding]
) -> None:
    record: dict[str, Any] = {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "device": device,
        "target": target,
        "host": platform.platform(),
        "version": version,
        "seconds": round(seconds, 1),
        "passed": all(finding.passed for finding in findings),
        "functions": [finding.to_json() for finding in findings],
    }
    path.write_text(json.dumps(record, indent=2) + "\n")


def run(options: argparse.Namespace) -> int:
    import tilewright

    start = time.monotonic()
    arrays: Arrays = HostArrays() if options.device == "sim" else TorchArrays()
    target = options.target or ("sm_90a" if options.device == "sim" else None)
    findings: list[Finding] = []
    print(arrays.name)
    print(f"{'function':<10}{'type':<6}{'arguments':>12}{'max ULP':>9}{'bound':>9}")
    for element in options.elements:
        for function in FUNCTIONS:
            if function.name not in options.names:
                continue
            kernel = tilewright.compile(kernel_text(function, element), target=target)
            target = kernel.target
            count = count_of(function, element, options)
            findings.append(measure(arrays, function, element, kernel, count))
            show(findings[-1])
    seconds = time.monotonic() - start
    passed = all(finding.passed for finding in findings)
    print(f"{len(findings)} functions, {seconds:.1f} s: {'passed' if passed else 'FAILED'}")
    if options.json:
        version = tilewright.__version__
        write_json(options.json, arrays.name, target, version, seconds, findings)
    return 0 if passed else 1


def main() -> int:
    options = parse_arguments()
    try:
        return run(options)
    except (ImportError, RuntimeError) as error:
        print(f"math-ulp.py: error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
