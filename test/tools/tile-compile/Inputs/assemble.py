# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every kernel of a folder for every target, to machine code."""

import pathlib
import subprocess
import sys

TARGETS = ["sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"]
ELF = b"\x7fELF"

files = sorted(pathlib.Path(sys.argv[1]).glob("*.mlir"))
assert files, "no example was found"
for file in files:
    for target in TARGETS:
        command = ["tile-compile", str(file), "--emit=cubin", f"--target={target}"]
        result = subprocess.run(command, capture_output=True)
        if result.returncode != 0 or not result.stdout.startswith(ELF) or result.stderr:
            sys.exit(f"{' '.join(command)}\n{result.stderr.decode()}")
