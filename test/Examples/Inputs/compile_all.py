#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles kernels for targets, each once, and looks at all that came of it.

    compile_all.py EXAMPLE.mlir... --targets sm_80,sm_90a [--cubin] [--shared-layout none]

Each shared access has to cost no more than it could alone, and with --cubin ptxas takes the code,
and spills nothing. Runs tile-compile of the PATH; prints what is not so, and fails if there is
anything, or if no access was seen.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ELF = b"\x7fELF"
# Rows that begin anywhere lie in shared memory as who reads them wants them, and so pieces of 16
# bytes meet when they are written.
OF_ROWS = ("tile.copy_rows", "tile.copy_sectors")


def compile_kernel(source: Path, target: str, options: argparse.Namespace) -> tuple[dict, bytes]:
    """The report, and the machine code if that is asked for. Nothing else may be said."""
    emit = "cubin" if options.cubin else "placed"
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        command = ["tile-compile", source, f"--target={target}", f"--emit={emit}", "-o", "-"]
        command += [f"--shared-layout={options.shared_layout}"]
        command += ["--report=json", f"--report-file={report.name}"]
        result = subprocess.run(command, capture_output=True)
        if result.returncode != 0 or result.stderr:
            sys.exit(f"{' '.join(map(str, command))}\n{result.stderr.decode()}")
        (kernel,) = json.load(report)["kernels"]
        return kernel, result.stdout


def find_faults(kernel: dict, code: bytes, is_cubin: bool) -> Iterator[str]:
    for access in kernel["accesses"]:
        # Those of global memory have none.
        if access["op"] not in OF_ROWS and access.get("wavefronts") != access.get(
            "ideal_wavefronts"
        ):
            yield json.dumps(access)
    if not is_cubin:
        return
    if not code.startswith(ELF):
        yield "no machine code"
    resources = kernel["resources"]
    spilled = resources["spill_load_bytes"] + resources["spill_store_bytes"]
    if resources["registers"] == 0 or spilled != 0:
        yield json.dumps(resources)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path, nargs="+")
    parser.add_argument("--targets", required=True)
    parser.add_argument("--cubin", action="store_true")
    parser.add_argument("--shared-layout", default="auto")
    options = parser.parse_args()
    seen = failures = 0
    for source in options.sources:
        for target in options.targets.split(","):
            kernel, code = compile_kernel(source, target, options)
            seen += sum("ideal_wavefronts" in access for access in kernel["accesses"])
            for fault in find_faults(kernel, code, options.cubin):
                failures += 1
                print(f"{source.name} for {target}: {fault}")
    print(f"{seen} shared accesses, {failures} faults")
    return 1 if failures or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
