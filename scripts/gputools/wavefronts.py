"""Counted beside predicted wavefronts of shared memory.

The compiler's report predicts what one block costs; a launch costs that times its blocks, exactly,
because every block runs every shared access with all its threads. What was counted comes from
Nsight Compute's hardware counters, or from the simulator, which executes the PTX.

    tile-run --json            report.shared_load_wavefronts, grid     -> predict
    ncu --csv                  one line for each metric of a launch    -> parse_ncu
    tile-run --device=sim      simulator.counts                        -> counts_of_simulator

Loads are ld and ldmatrix, stores st. What cp.async writes is neither, in the counters as in the
report: only sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts has it, one wavefront for
128 bytes (H200: 262,144 for the 32 MiB that an f16 product of 1024^3 copies in tiles of 128 x 128).
What else ..._mem_shared.sum counts there is op_misc, wavefronts without data.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from gputools.tools import ToolError

WAVEFRONT_METRICS = {
    "load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
}
CONFLICT_METRICS = {
    "load_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "store_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
}
METRICS = {**WAVEFRONT_METRICS, **CONFLICT_METRICS}


@dataclass(frozen=True)
class Counts:
    """Wavefronts of a launch, and those of them that are due to bank conflicts.

    The simulator counts no conflicts of its own: None.
    """

    load_wavefronts: int
    store_wavefronts: int
    load_conflicts: int | None = None
    store_conflicts: int | None = None


def predict(result: Mapping[str, Any]) -> Counts:
    """What a result of tile-run --json says a launch of its grid costs.

    Wavefronts beyond an access's fewest possible are its conflicts.
    """
    report = result["report"]
    blocks = math.prod(result["grid"])
    conflicts = {"tile.local_load": 0, "tile.local_store": 0}
    for access in report["accesses"]:
        if access["op"] in conflicts:
            extra = access["wavefronts"] - access["ideal_wavefronts"]
            conflicts[access["op"]] += extra * access["trips"]
    return Counts(
        load_wavefronts=report["shared_load_wavefronts"] * blocks,
        store_wavefronts=report["shared_store_wavefronts"] * blocks,
        load_conflicts=conflicts["tile.local_load"] * blocks,
        store_conflicts=conflicts["tile.local_store"] * blocks,
    )


def counts_of_simulator(result: Mapping[str, Any]) -> Counts:
    """What the simulator counted in the launch of a result of tile-run --json."""
    if "simulator" not in result:
        raise ToolError("tile-run counted nothing: it did not run in the simulator")
    counts = result["simulator"]["counts"]
    return Counts(counts["shared_load_wavefronts"], counts["shared_store_wavefronts"])


def _number(text: str) -> int:
    """A metric's value as ncu prints it: with separators of thousands, perhaps with decimals."""
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        raise ToolError(f"ncu printed no number for a metric, but '{text}'") from None
    if not value.is_integer():
        raise ToolError(f"ncu printed {text} for a metric that counts")
    return int(value)


def parse_ncu(text: str, kernel: str) -> Counts:
    """The metrics of one profiled launch of the kernel, from ncu --csv with its other output."""
    lines = text.splitlines()
    header = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if header is None:
        said = [line for line in lines if line.startswith("==ERROR==")] or lines[-4:]
        raise ToolError("ncu profiled nothing: " + ("\n".join(said) or "it printed nothing"))
    values: dict[str, int] = {}
    launches = set()
    for row in csv.DictReader(lines[header:]):
        if row.get("Metric Value") is None or row["Kernel Name"].split("(")[0] != kernel:
            continue
        launches.add((row.get("Process ID"), row["ID"]))
        values[row["Metric Name"]] = _number(row["Metric Value"])
    if len(launches) > 1:
        raise ToolError(f"ncu profiled {len(launches)} launches of {kernel}, not one")
    missing = [metric for metric in METRICS.values() if metric not in values]
    if missing:
        raise ToolError(f"ncu printed no {', '.join(missing)} of {kernel}")
    return Counts(**{field: values[metric] for field, metric in METRICS.items()})


@dataclass(frozen=True)
class Comparison:
    """A kernel's predicted and counted wavefronts, and what differs, in words."""

    predicted: Counts
    counted: Counts
    differences: list[str]

    @property
    def agrees(self) -> bool:
        return not self.differences

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def compare(predicted: Counts, counted: Counts) -> Comparison:
    """Wavefronts must be equal; conflicts must be 0 where none are predicted.

    Where there are conflicts, their counter tells no more than the wavefronts do.
    """
    differences = []
    for field in WAVEFRONT_METRICS:
        expected, found = getattr(predicted, field), getattr(counted, field)
        if expected != found:
            differences.append(f"{field.replace('_', ' ')}: predicted {expected}, counted {found}")
    for field in CONFLICT_METRICS:
        expected, found = getattr(predicted, field), getattr(counted, field)
        if expected == 0 and found:
            differences.append(f"{field.replace('_', ' ')}: predicted none, counted {found}")
    return Comparison(predicted, counted, differences)
