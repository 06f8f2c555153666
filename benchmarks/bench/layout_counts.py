"""What the simulator counted of a run that says how good its layouts are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gputools.tools import ToolError

# What reaches shared memory, by how its instruction begins.
KINDS = ("ld", "st", "ldmatrix", "stmatrix", "cp.async")
_OPCODE = re.compile(r"(?:@!?%\w+\s+)?(?P<opcode>[a-z][\w.:]*)")
_COPY_BYTES = re.compile(r"\],\s*(?P<bytes>0x[0-9a-fA-F]+|\d+)")


def kind_of(text: str) -> str | None:
    """The kind of an instruction's text; None if it does not access shared memory."""
    opcode = _opcode(text)
    for kind in ("cp.async", "ldmatrix", "stmatrix"):
        if opcode.startswith(kind):
            return kind
    name, *modifiers = opcode.split(".")
    return name if name in KINDS and any(m.startswith("shared") for m in modifiers) else None


def _opcode(text: str) -> str:
    match = _OPCODE.match(text.strip())
    if not match:
        raise ToolError(f"this is no instruction: {text}")
    return match["opcode"]


def words_of(text: str) -> int:
    """The 4-byte words that a lane moves: the wavefronts that a warp needs if all of its lanes move
    different bytes and none wait. Of a matrix instruction, its matrices."""
    opcode = _opcode(text)
    if match := re.search(r"\.x([124])\b", opcode):
        return int(match[1])
    if opcode.startswith("cp.async"):
        match = _COPY_BYTES.search(text)
        if not match:
            raise ToolError(f"how many bytes does this copy? {text}")
        return max(1, int(match["bytes"], 0) // 4)
    vector = re.search(r"\.v([248])\b", opcode)
    element = re.search(r"\.[bsuf](8|16|32|64|128)\b", opcode)
    if not element:
        raise ToolError(f"how many bytes does this move? {text}")
    return max(1, int(element[1]) * (int(vector[1]) if vector else 1) // 32)


@dataclass(frozen=True)
class Counts:
    """Of one block. `wavefronts`: by kind. `conflicts`: wavefronts beyond those that a full warp
    needs. `shuffles`: instructions that exchange data within a warp. `barriers`: those that a warp
    passes."""

    wavefronts: Mapping[str, float]
    conflicts: float
    shuffles: float
    barriers: float
    shared_bytes: int

    @property
    def total_wavefronts(self) -> float:
        return sum(self.wavefronts.values())

    @property
    def passes(self) -> float:
        """How often the crossbar is used: a shuffle takes it as a wavefront does."""
        return self.total_wavefronts + self.shuffles

    def to_json(self) -> dict[str, Any]:
        return {
            "wavefronts": dict(self.wavefronts),
            "total_wavefronts": self.total_wavefronts,
            "conflicts": self.conflicts,
            "shuffles": self.shuffles,
            "passes": self.passes,
            "barriers": self.barriers,
            "shared_bytes": self.shared_bytes,
        }


def _share(count: int, parts: int) -> float:
    """A part of a count: an integer where it is one."""
    return count // parts if count % parts == 0 else count / parts


def count_block(simulator: Mapping[str, Any], blocks: int, warps: int, shared_bytes: int) -> Counts:
    """The counts of one of `blocks` equal ones, of tile-run's JSON for a run in the simulator."""
    counts = simulator["counts"]
    wavefronts = dict.fromkeys(KINDS, 0)
    conflicts = 0
    for kind, access in _shared_accesses(counts["accesses"]):
        taken = access["shared_wavefronts"]
        wavefronts[kind] += taken
        conflicts += max(0, taken - access["warps"] * words_of(access["text"]))
    by_kind = counts["warp_instructions_by_kind"]
    return Counts(
        {kind: _share(count, blocks) for kind, count in wavefronts.items() if count},
        _share(conflicts, blocks),
        _share(by_kind["warp-exchange"], blocks),
        _share(by_kind["barrier"], blocks * warps),
        shared_bytes,
    )


def _shared_accesses(
    accesses: Iterable[Mapping[str, Any]],
) -> Iterable[tuple[str, Mapping[str, Any]]]:
    for access in accesses:
        if not access["shared_wavefronts"]:
            continue
        kind = kind_of(access["text"])
        if not kind:
            raise ToolError(f"an access to shared memory of no known kind: {access['text']}")
        yield kind, access
