"""Has kernels compiled, by ptxas at last, and looks through the code (scripts/scoreboards.py)."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from gputools.tools import ROOT, Run, ToolError, call, find_nvidia, find_tool, target_of

# What tells tile-run of data, and no compiler.
OF_DATA = ("--specials", "--seed=")


def find_absent() -> str:
    """Which of NVIDIA's programs is not there, in a line; nothing where both are."""
    try:
        for name in ("ptxas", "cuobjdump"):
            find_nvidia(name)
    except ToolError as error:
        return str(error)
    return ""


def compile_run(run: Run, architecture: int, out: Path, timeout: float) -> None:
    """Writes the PTX of what a GPU of that architecture (90 of sm_90) would run."""
    arguments = [each for each in run.arguments() if not each.startswith(OF_DATA)]
    if not any(each.startswith("--target=") for each in arguments):
        arguments.append(f"--target={target_of(*divmod(architecture, 10))}")
    finished = call([find_tool("tile-compile"), *arguments, "-o", out], timeout, run.text)
    if finished.code:
        raise ToolError(finished.complaint())


def find_unwaited(run: Run, architecture: int, timeout: float) -> tuple[bool, str]:
    """Whether the code waits for all that it uses, and what was found of it."""
    with tempfile.TemporaryDirectory() as folder:
        ptx = Path(folder) / "kernel.ptx"
        compile_run(run, architecture, ptx, timeout)
        # In a process of its own, beside others: this is work for Python alone.
        finished = call([sys.executable, ROOT / "scripts" / "scoreboards.py", ptx], timeout)
    said = finished.stdout.replace(f"{ptx}: ", "").strip()
    if finished.code not in (0, 1) or not said:
        raise ToolError(finished.complaint())
    return finished.code == 0, said
