#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether each shared access of kernels costs no more than it could alone.

    ideal.py EXAMPLE.mlir... --targets sm_80,sm_90a [--shared-layout none]

Places them (tile-compile on the PATH) and reads the reports. Prints each access that has more
wavefronts than its fewest, and fails if there is one, or if no access was seen.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def read_accesses(source: Path, target: str, layout: str) -> list[dict]:
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        command = ["tile-compile", source, f"--target={target}", "--emit=placed", "-o", "/dev/null"]
        command += [f"--shared-layout={layout}"]
        command += ["--report=json", f"--report-file={report.name}"]
        subprocess.run(command, check=True)
        (kernel,) = json.load(report)["kernels"]
        return kernel["accesses"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path, nargs="+")
    parser.add_argument("--targets", required=True)
    parser.add_argument("--shared-layout", default="auto")
    arguments = parser.parse_args()
    seen = failures = 0
    for source in arguments.sources:
        for target in arguments.targets.split(","):
            for access in read_accesses(source, target, arguments.shared_layout):
                if "ideal_wavefronts" not in access:
                    continue  # of global memory
                seen += 1
                if access["wavefronts"] != access["ideal_wavefronts"]:
                    failures += 1
                    print(f"{source.name} for {target}: {json.dumps(access)}")
    print(f"{seen} accesses, {failures} above their ideal")
    return 1 if failures or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
