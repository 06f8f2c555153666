#!/usr/bin/env python3
"""Checks that no analysis or pass asks for a memory op or loop by name, where an interface answers.

    scripts/check-op-names.py [REPOSITORY]

Prints each offending line as FILE:LINE: REASON and exits with 1 when there is
one. A new memory op must be seen by each analysis through what it says of
itself (MemoryAccess.h): a case for one op is a place that the next op is
missing from. Ops count that have one of the TRAITS below; making one
(LoadOp::create) is no question. So do the region ops of scf, of which
LoopLikeOpInterface and RegionBranchOpInterface tell counters, bounds and what
is carried. Passes that rewrite one op into another know both by right:
EXCEPTIONS says which, and why.
"""

import argparse
import re
import sys
from pathlib import Path

OPS = "include/tilewright/Dialect/Tile/IR"

# An op with one of these says by interface what it does to memory.
TRAITS = ["Tile_TouchesMemory", "Tile_MemoryOrderOpInterface"]

FOLDERS = [
    "include/tilewright/Dialect/Tile/Analysis",
    "include/tilewright/Dialect/Tile/Transforms",
    "include/tilewright/Compiler",
    "lib/Dialect/Tile/Analysis",
    "lib/Dialect/Tile/Transforms",
    "lib/Compiler",
]
# Patterns of memory ops are there by right; loops are not.
LOOP_FOLDERS = [*FOLDERS, "lib/Conversion"]

# (File without .h or .cpp, op) -> why that file may know the op.
TRANSFORMS = "lib/Dialect/Tile/Transforms"
STAGING = "turns a load and a store of the same iteration into a copy"
PIPELINED = "pipelines this kind of loop and no other"
EXCEPTIONS = {
    ("lib/Compiler/KernelReport", "WarpgroupDotOp"): "says which instruction multiplies",
    (f"{TRANSFORMS}/FillAtReads", "LoadOp"): "takes the number for what is outside off a load",
    (f"{TRANSFORMS}/InsertBarriers", "BarrierOp"): "writes barriers, and what they hand on",
    (f"{TRANSFORMS}/LoopSchedule", "LocalLoadOp"): STAGING,
    (f"{TRANSFORMS}/LoopSchedule", "LocalStoreOp"): STAGING,
    (
        f"{TRANSFORMS}/LowerChannels",
        "CopyAsyncOp",
    ): "guards the copies that it takes out of a branch",
    (f"{TRANSFORMS}/Pipeline", "LocalStoreOp"): STAGING,
    (f"{TRANSFORMS}/RecognizeBlocks", "LoadOp"): "makes a load of a view of it",
    (f"{TRANSFORMS}/RecognizeBlocks", "StoreOp"): "makes a store to a view of it",
    (f"{TRANSFORMS}/SelectWarpgroupDots", "LocalLoadOp"): (
        "turns a load and its product into a product that reads where it lies"
    ),
    ("lib/Dialect/Tile/Analysis/ChannelProgress", "scf::ForOp"): "counts hand-overs of each trip",
    ("lib/Dialect/Tile/Analysis/ChannelProgress", "scf::IfOp"): "follows both of its branches",
    ("lib/Dialect/Tile/Analysis/Language", "scf::ConditionOp"): "lists the language",
    ("lib/Dialect/Tile/Analysis/Language", "scf::ForOp"): "lists the language",
    ("lib/Dialect/Tile/Analysis/Language", "scf::IfOp"): "lists the language",
    ("lib/Dialect/Tile/Analysis/Language", "scf::WhileOp"): "lists the language",
    ("lib/Dialect/Tile/Analysis/Language", "scf::YieldOp"): "lists the language",
    (f"{TRANSFORMS}/CheckLoops", "scf::ForOp"): "whether it counts unsigned, only the op says",
    (f"{TRANSFORMS}/CheckLoops", "scf::WhileOp"): "the one that may go on for ever",
    (f"{TRANSFORMS}/FillAtReads", "scf::ForOp"): PIPELINED,
    (f"{TRANSFORMS}/LoopSchedule", "scf::ForOp"): PIPELINED,
    (f"{TRANSFORMS}/LowerChannels", "scf::IfOp"): "takes copies out of a branch",
    (f"{TRANSFORMS}/Pipeline", "scf::ForOp"): PIPELINED,
    (f"{TRANSFORMS}/RecognizeBlocks", "scf::ForOp"): PIPELINED,
    (f"{TRANSFORMS}/RewriteInductions", "scf::ForOp"): "makes another loop of it",
    (f"{TRANSFORMS}/SlotCounters", "scf::ForOp"): "makes another loop of it",
    (f"{TRANSFORMS}/SlotCounters", "scf::YieldOp"): "adds to what a loop carries",
}

DEFINITION = re.compile(r'def Tile_(\w+)\s*:\s*Tile_Op<"[^"]*",\s*\[(.*?)\]>\s*\{', re.DOTALL)
# Of loops and branches, other than making them.
LOOP_QUESTION = re.compile(r"\b(scf::\w+Op)\b(?!::create)")
MEMORY_ADVICE = (
    "MemoryAccessOpInterface, MemoryOrderOpInterface or an interface of accesses "
    "(TileInterfaces.td)"
)
LOOP_ADVICE = "LoopLikeOpInterface or RegionBranchOpInterface"
# What is no code: comments and strings.
NO_CODE = re.compile(r'//.*|"(?:[^"\\]|\\.)*"')


def find_memory_ops(root):
    """The C++ names of the ops that touch or order memory."""
    return {
        name
        for path in sorted((root / OPS).glob("*.td"))
        for name, traits in DEFINITION.findall(path.read_text())
        if any(trait in traits for trait in TRAITS)
    }


class Search:
    """A question, and whom to ask instead. `needed`: the exceptions met so far."""

    def __init__(self, question, advice, exceptions, needed):
        self.question = question
        self.advice = advice
        self.exceptions = exceptions
        self.needed = needed

    def check_file(self, path, shown):
        """The offences of one file, as printable lines."""
        offences = []
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            for op in self.question.findall(NO_CODE.sub("", line)):
                key = (shown.removesuffix(path.suffix), op)
                if key in self.exceptions:
                    self.needed.add(key)
                    continue
                offences.append(f"{shown}:{number}: asks for {op} by name: ask {self.advice}")
        return offences

    def check_folders(self, root, folders):
        return [
            offence
            for folder in folders
            for path in sorted((root / folder).rglob("*"))
            if path.suffix in {".h", ".cpp"}
            for offence in self.check_file(path, path.relative_to(root).as_posix())
        ]


def check(root, exceptions):
    """All offences in the repository, and exceptions that nothing needs."""
    ops = find_memory_ops(root)
    if not ops:
        return [f"{OPS}:1: no op has one of the traits {', '.join(TRAITS)}"]
    memory_question = re.compile(rf"\b({'|'.join(sorted(ops))})\b(?!::)")
    needed = set()
    memory = Search(memory_question, MEMORY_ADVICE, exceptions, needed)
    loops = Search(LOOP_QUESTION, LOOP_ADVICE, exceptions, needed)
    offences = memory.check_folders(root, FOLDERS) + loops.check_folders(root, LOOP_FOLDERS)
    for file, op in sorted(set(exceptions) - needed):
        offences.append(f"scripts/check-op-names.py:1: {file} needs no exception for {op} any more")
    return offences


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent
    )
    root = parser.parse_args().root
    if not (root / OPS).is_dir():
        sys.exit(f"{root}: not the repository (it has no {OPS}/)")
    offences = check(root.resolve(), EXCEPTIONS)
    for line in offences:
        print(line)
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
