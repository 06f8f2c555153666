"""Counted beside predicted wavefronts of shared memory.

The compiler's report predicts what one block costs; a launch costs that times its blocks, exactly,
because every block runs every shared access with all its threads. What was counted comes from
Nsight Compute's hardware counters, or from the simulator, which executes the PTX.

    tile-run --json            report.shared_load_wavefronts, grid     -> predict
    ncu --csv                  one line for each metric of a launch    -> parse_ncu
    tile-run --device=sim      simulator.counts                        -> counts_of_simulator

Loads are ld and ldmatrix, stores st. What cp.async (LDGSTS) writes is in neither counter. ncu has
metrics for it that it derives from the instructions (sm__sass_...), and they are no measure: on an
H200, in the f16 products, they have 0 wavefronts for copies that every thread carried out, count
trips whose predicate is false, and have 3 MB for 37 MB (docs/decisions/0003-gemm.md). So of copies
the instructions are compared; their wavefronts are, where the simulator counts.
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


# By column: its counter. By instruction, as the profiler's page of the source shows them, these are
# the wavefronts that the addresses ask for. The memory's own counter, l1tex__..., has up to a
# hundredth more in kernels that load from global memory through L1 while they read shared memory:
# another number in each run, for what is sent again because something else took the turn.
COUNT_METRICS = {
    "load_wavefronts": f"smsp__sass_l1tex_{_WAVEFRONTS}_ld.sum",
    "store_wavefronts": f"smsp__sass_l1tex_{_WAVEFRONTS}_st.sum",
    "copy_instructions": "sm__sass_inst_executed_op_ldgsts.sum",
}
# Those of ldmatrix and stmatrix, which older GPUs lack, come on top.
MATRIX_METRICS = {
    "load_wavefronts": f"smsp__sass_l1tex_{_WAVEFRONTS}_ldsm.sum",
    "store_wavefronts": f"smsp__sass_l1tex_{_WAVEFRONTS}_stsm.sum",
}
# For the reader: the memory counts as conflicts what is sent again, too.
CONFLICT_METRICS = {
    "load_conflicts": f"l1tex__{_CONFLICTS}_ld.sum",
    "store_conflicts": f"l1tex__{_CONFLICTS}_st.sum",
}
METRICS = {**COUNT_METRICS, **CONFLICT_METRICS}
# For the record.
EXPLAINING_METRICS = (
    f"l1tex__{_WAVEFRONTS}_ld.sum",
    f"l1tex__{_WAVEFRONTS}_st.sum",
    "smsp__inst_executed_op_ldgsts.sum",
    f"sm__sass_l1tex_{_WAVEFRONTS}_ldgsts.sum",
    "sm__sass_data_bytes_mem_shared_op_ldgsts.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
)
ALL_METRICS = (*METRICS.values(), *MATRIX_METRICS.values(), *EXPLAINING_METRICS)


@dataclass(frozen=True)
class Counts:
    """Wavefronts of a launch, and those of them that are due to bank conflicts.

    None: not counted. The simulator counts no conflicts of its own and no instructions by kind,
    ncu no wavefronts of copies, and not every ncu knows the copies' instructions.
    """

    load_wavefronts: int
    store_wavefronts: int
    copy_wavefronts: int | None = None
    copy_instructions: int | None = None
    load_conflicts: int | None = None
    store_conflicts: int | None = None


def find_copies(accesses: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The asynchronous copies of a report."""
    return [access for access in accesses if access["op"] == "tile.copy_async"]


def predict(result: Mapping[str, Any]) -> Counts:
    """What a result of tile-run --json says a launch of its grid costs.

    Wavefronts beyond an access's fewest possible are its conflicts.
    """
    report = result["report"]
    blocks: int = math.prod(result["grid"])
    accesses = report["accesses"]
    copies = find_copies(accesses)

    def conflicts(those: Iterable[Mapping[str, Any]]) -> int:
        extra: int = sum(
            (each["wavefronts"] - each["ideal_wavefronts"]) * each["trips"] for each in those
        )
        return blocks * extra

    return Counts(
        load_wavefronts=report["shared_load_wavefronts"] * blocks,
        store_wavefronts=report["shared_store_wavefronts"] * blocks,
        copy_wavefronts=sum(each["wavefronts"] * each["trips"] for each in copies) * blocks,
        copy_instructions=sum(each["instructions"] * each["trips"] for each in copies) * blocks,
        load_conflicts=conflicts(each for each in accesses if each["op"] == "tile.local_load"),
        store_conflicts=conflicts(each for each in accesses if each["op"] == "tile.local_store"),
    )


def counts_of_simulator(result: Mapping[str, Any]) -> Counts:
    """What the simulator counted in the launch of a result of tile-run --json."""
    if "simulator" not in result:
        raise ToolError("tile-run counted nothing: it did not run in the simulator")
    counts = result["simulator"]["counts"]
    fields = ("load_wavefronts", "store_wavefronts", "copy_wavefronts")
    return Counts(**{field: counts[f"shared_{field}"] for field in fields})


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
    """The metrics that ncu, which said this, does not know."""
    complaints = re.findall(r"^==(?:ERROR|WARNING)==.*\bmetric\b.*$", text, re.MULTILINE)
    named = {word.strip(".,:;'\"") for line in complaints for word in line.split()}
    return [name for name in metrics if name in named or name.rsplit(".", 1)[0] in named]


@dataclass(frozen=True)
class Launch:
    """What ncu counted of a launch."""

    kernel: str
    metrics: dict[str, int]


def parse_ncu(text: str) -> list[Launch]:
    """The launches that were profiled, in their order, from ncu --csv with its other output."""
    lines = text.splitlines()
    header = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if header is None:
        said = [line for line in lines if line.startswith("==ERROR==")] or lines[-4:]
        raise ToolError("ncu profiled nothing: " + ("\n".join(said) or "it printed nothing"))
    launches: dict[tuple[str | None, str, str], Launch] = {}
    for row in csv.DictReader(lines[header:]):
        if row.get("Metric Value") is None:
            continue
        new = Launch(row["Kernel Name"].split("(")[0], {})
        launch = launches.setdefault((row.get("Process ID"), row["ID"], new.kernel), new)
        value = _number(row["Metric Value"])
        if value is not None:
            launch.metrics[row["Metric Name"]] = value
    return list(launches.values())


def counts_of_ncu(launch: Launch) -> Counts:
    """The columns of a table from a launch's metrics. Loads and stores must be there."""
    values = launch.metrics
    counts = {field: values[name] for field, name in METRICS.items() if name in values}
    missing = [name for field, name in METRICS.items() if field not in counts]
    missing = [name for name in missing if "ldgsts" not in name]
    if missing:
        raise ToolError(f"ncu printed no {', '.join(missing)} of {launch.kernel}")
    for field, name in MATRIX_METRICS.items():
        counts[field] += values.get(name, 0)
    return Counts(**counts)


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
    """What was counted must be what is predicted. Conflicts are wavefronts beyond the fewest:
    their own counter tells no more.
    """
    differences = []
    for field in (*COUNT_METRICS, "copy_wavefronts"):
        expected, found = getattr(predicted, field), getattr(counted, field)
        if found not in (None, expected):
            shown = field.replace("_", " ")
            differences.append(f"{shown}: predicted {expected}, counted {found}")
    if predicted.copy_wavefronts and counted.copy_wavefronts is counted.copy_instructions is None:
        differences.append("copies: not counted")
    return Comparison(predicted, counted, differences)
