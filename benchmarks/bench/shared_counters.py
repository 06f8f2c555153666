"""What ncu counts of the launches of a script, of which it runs another process."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from gputools.tools import ToolError, find_nvidia
from gputools.wavefronts import find_unknown, parse_ncu

_LSU = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared"
METRICS = (
    "l1tex__data_bank_reads.sum",
    "l1tex__data_bank_writes.sum",
    f"{_LSU}.sum",
    f"{_LSU}_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "sm__cycles_active.sum",
)


def _run(command: Sequence[str | Path], metrics: Sequence[str], kernels: str) -> tuple[str, str]:
    """The table, and all that ncu said."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "ncu.csv"
        options = ("--clock-control", "none", "--csv", "--print-units", "base", "--log-file", log)
        chosen = ("--metrics", ",".join(metrics), "--kernel-name", f"regex:^({kernels})$")
        words = [find_nvidia("ncu"), *options, *chosen, sys.executable, *command]
        ran = subprocess.run(words, capture_output=True, text=True, check=False)
        table = log.read_text(errors="replace") if log.exists() else ""
        return table, table + ran.stdout + ran.stderr


def count(command: Sequence[str | Path], kernels: str) -> list[dict[str, int]]:
    """Of each launch of `kernels`, names with "|" between them, in their order. Metrics that ncu
    does not know are left out in a second try."""
    table, said = _run(command, METRICS, kernels)
    if (unknown := find_unknown(said, METRICS)) and '"ID"' not in table:
        table, said = _run(command, [name for name in METRICS if name not in unknown], kernels)
    if '"ID"' not in table:
        raise ToolError(f"ncu counted nothing: {said.strip()[-600:]}")
    return [launch.metrics for launch in parse_ncu(table)]
