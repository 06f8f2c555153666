"""Counted beside predicted wavefronts of shared memory.

The compiler's report predicts what one block costs; a launch costs that times its blocks, exactly,
because every block runs every shared access with all its threads. What was counted comes from
Nsight Compute's hardware counters, or from the simulator, which executes the PTX.

    tile-run --json            report.shared_load_wavefronts, grid     -> predict
    ncu --csv                  one line for each metric of a launch    -> parse_ncu
    tile-run --device=sim      simulator.counts                        -> counts_of_simulator

Loads are ld and ldmatrix, stores st, copies what cp.async (LDGSTS) writes, one wavefront for 128
bytes. Neither of the other two counters has the copies (H200: 262,144 for the 32 MiB that an f16
product of 1024^3 copies in tiles of 128 x 128). What else ..._mem_shared.sum counts there is
op_misc, wavefronts without data.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from gputools.tools import ToolError

_WAVEFRONTS = "data_pipe_lsu_wavefronts_mem_shared_op"
_CONFLICTS = "data_bank_conflicts_pipe_lsu_mem_shared_op"


def _of_copies(counter: str) -> tuple[str, ...]:
    """The names of a counter of LDGSTS with GPUs and versions of ncu, the best known first."""
    return (
        f"sm__sass_l1tex_{counter}_ldgsts.sum",
        f"smsp__sass_l1tex_{counter}_ldgsts.sum",
        f"l1tex__{counter}_ldgsts.sum",
    )


# By column: the names of its counter. The first that this ncu knows is it.
WAVEFRONT_METRICS = {
    "load_wavefronts": (f"l1tex__{_WAVEFRONTS}_ld.sum",),
    "store_wavefronts": (f"l1tex__{_WAVEFRONTS}_st.sum",),
    "copy_wavefronts": _of_copies(_WAVEFRONTS),
}
CONFLICT_METRICS = {
    "load_conflicts": (f"l1tex__{_CONFLICTS}_ld.sum",),
    "store_conflicts": (f"l1tex__{_CONFLICTS}_st.sum",),
    "copy_conflicts": _of_copies(_CONFLICTS),
}
METRICS = {**WAVEFRONT_METRICS, **CONFLICT_METRICS}
# What explains a count of copies: instructions, with and without L1, and bytes.
EXPLAINING_METRICS = (
    "smsp__inst_executed_op_ldgsts.sum",
    "sm__sass_inst_executed_op_ldgsts.sum",
    "sm__sass_inst_executed_op_ldgsts_cache_access.sum",
    "sm__sass_inst_executed_op_ldgsts_cache_bypass.sum",
    f"sm__sass_l1tex_{_WAVEFRONTS}_ldgsts_cache_access.sum",
    f"sm__sass_l1tex_{_WAVEFRONTS}_ldgsts_cache_bypass.sum",
    "smsp__sass_data_bytes_mem_shared_op_ldgsts.sum",
    "sm__sass_data_bytes_mem_shared_op_ldgsts.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
)
ALL_METRICS = (*(name for names in METRICS.values() for name in names), *EXPLAINING_METRICS)


@dataclass(frozen=True)
class Counts:
    """Wavefronts of a launch, and those of them that are due to bank conflicts.

    None: not counted. The simulator counts no conflicts of its own, and not every ncu has a
    counter for copies.
    """

    load_wavefronts: int
    store_wavefronts: int
    copy_wavefronts: int | None = 0
    load_conflicts: int | None = None
    store_conflicts: int | None = None
    copy_conflicts: int | None = None


def _copies_of_block(accesses: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The copies of a report that a block carries out in full.

    Where a loop is pipelined, the copies before it are those that its last trips leave out: of the
    copies of one place in the source, those of the loop stand for all.
    """
    longest: dict[str, Mapping[str, Any]] = {}
    for access in accesses:
        if access["op"] != "tile.copy_async":
            continue
        known = longest.setdefault(str(access["place"]), access)
        if access["trips"] > known["trips"]:
            longest[str(access["place"])] = access
    return list(longest.values())


def predict(result: Mapping[str, Any]) -> Counts:
    """What a result of tile-run --json says a launch of its grid costs.

    Wavefronts beyond an access's fewest possible are its conflicts.
    """
    report = result["report"]
    blocks = math.prod(result["grid"])
    accesses = report["accesses"]
    copies = _copies_of_block(accesses)

    def conflicts(those: Iterable[Mapping[str, Any]]) -> int:
        extra = ((each["wavefronts"] - each["ideal_wavefronts"]) * each["trips"] for each in those)
        return blocks * sum(extra)

    return Counts(
        load_wavefronts=report["shared_load_wavefronts"] * blocks,
        store_wavefronts=report["shared_store_wavefronts"] * blocks,
        copy_wavefronts=sum(each["wavefronts"] * each["trips"] for each in copies) * blocks,
        load_conflicts=conflicts(each for each in accesses if each["op"] == "tile.local_load"),
        store_conflicts=conflicts(each for each in accesses if each["op"] == "tile.local_store"),
        copy_conflicts=conflicts(copies),
    )


def counts_of_simulator(result: Mapping[str, Any]) -> Counts:
    """What the simulator counted in the launch of a result of tile-run --json."""
    if "simulator" not in result:
        raise ToolError("tile-run counted nothing: it did not run in the simulator")
    counts = result["simulator"]["counts"]
    return Counts(**{field: counts[f"shared_{field}"] for field in WAVEFRONT_METRICS})


def _number(text: str) -> int | None:
    """A metric's value as ncu prints it: with separators of thousands, perhaps with decimals.
    "n/a": the GPU has no such counter."""
    if "n/a" in text:
        return None
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        raise ToolError(f"ncu printed no number for a metric, but '{text}'") from None
    if not value.is_integer():
        raise ToolError(f"ncu printed {text} for a metric that counts")
    return int(value)


def find_unknown(text: str, metrics: Iterable[str]) -> list[str]:
    """Those of the metrics that ncu, which said this, does not know."""
    complaints = re.findall(r"^==(?:ERROR|WARNING)==.*\bmetric\b.*$", text, re.MULTILINE)
    named = {word.strip(".,:;'\"") for line in complaints for word in line.split()}
    return [name for name in metrics if name in named or name.rsplit(".", 1)[0] in named]


def parse_ncu(text: str, kernel: str) -> dict[str, int]:
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
        value = _number(row["Metric Value"])
        if value is not None:
            values[row["Metric Name"]] = value
    if len(launches) > 1:
        raise ToolError(f"ncu profiled {len(launches)} launches of {kernel}, not one")
    return values


def counts_of_ncu(values: Mapping[str, int], kernel: str) -> Counts:
    """The columns of a table from parse_ncu's metrics. Loads and stores must be there."""
    counts: dict[str, int] = {}
    for field, names in METRICS.items():
        if known := [name for name in names if name in values]:
            counts[field] = values[known[0]]
    missing = [names[0] for field, names in METRICS.items() if field not in counts]
    missing = [name for name in missing if "ldgsts" not in name]
    if missing:
        raise ToolError(f"ncu printed no {', '.join(missing)} of {kernel}")
    return Counts(**{"copy_wavefronts": None, **counts})


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
        if found is None and expected == 0:
            continue
        if expected != found:
            shown = "not counted" if found is None else f"counted {found}"
            differences.append(f"{field.replace('_', ' ')}: predicted {expected}, {shown}")
    for field in CONFLICT_METRICS:
        expected, found = getattr(predicted, field), getattr(counted, field)
        if expected == 0 and found:
            differences.append(f"{field.replace('_', ' ')}: predicted none, counted {found}")
    return Comparison(predicted, counted, differences)
