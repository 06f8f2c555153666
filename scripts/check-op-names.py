#!/usr/bin/env python3
"""Checks that no analysis or pass asks for an op by name, where an interface answers.

    scripts/check-op-names.py [REPOSITORY]

Prints each offending line as FILE:LINE: REASON and exits with 1 when there is
one. A new op must be seen by each analysis through what it says of itself
(TileInterfaces.td): a case for one op is a place that the next op is missing
from. All ops of the dialect count, but those of WORDS; making one
(LoadOp::create) is no question. So do the region ops of scf, of which
LoopLikeOpInterface and RegionBranchOpInterface tell counters, bounds and what
is carried. Passes that rewrite one op into another know both by right:
EXCEPTIONS says which, and why.
"""

import re
import sys

import tree_check

OPS = "include/tilewright/Dialect/Tile/IR"

# What passes and analyses are about: there is one of each, and no interface could have another.
WORDS = {
    "KernelOp": "a program",
    "AllocSharedOp": "a tile in shared memory",
    "ConvertLayoutOp": "a change of layout, which placement writes and carries out",
    "DotOp": "a product, of which placement decides what makes it",
    "ViewOp": "a view with its extents and strides",
    "AddPtrOp": "a pointer that is moved, the only way from an address to another",
    "ProgramIdOp": "the number of a program, by which it finds its part",
    "PlaceInClusterOp": "its place among the programs of a cluster, by which these differ",
    "ChannelOp": "what hands slots over",
    "RolesOp": "who of a program does what",
}

FOLDERS = [
    "include/tilewright/Dialect/Tile/Analysis",
    "include/tilewright/Dialect/Tile/Transforms",
    "include/tilewright/Compiler",
    "lib/Dialect/Tile/Analysis",
    "lib/Dialect/Tile/Transforms",
    "lib/Compiler",
]
# Patterns of ops are there by right; loops are not.
LOOP_FOLDERS = [*FOLDERS, "lib/Conversion"]

ANALYSIS = "lib/Dialect/Tile/Analysis"
TRANSFORMS = "lib/Dialect/Tile/Transforms"
LANGUAGE = ["scf::ConditionOp", "scf::ForOp", "scf::IfOp", "scf::WhileOp", "scf::YieldOp"]

# Why these files may know these ops. Files are without .h or .cpp.
REASONS = [
    (
        "follows hand-overs, which have these four ends",
        [f"{ANALYSIS}/ChannelProgress"],
        ["AcquireOp", "CommitOp", "ReleaseOp"],
    ),
    (
        "follows hand-overs, which have these four ends",
        [f"{ANALYSIS}/ChannelProtocol"],
        ["AcquireOp", "CommitOp", "WaitOp"],
    ),
    (
        "few threads have rows that may be in any order, if a block has several programs",
        [f"{TRANSFORMS}/Rows/BatchPrograms"],
        ["AnyOrderOp"],
    ),
    (
        "goes one way or the other",
        [f"{ANALYSIS}/ChannelTraces", f"{ANALYSIS}/ValueTerms"],
        ["scf::IfOp"],
    ),
    (
        "asks on what a branch hangs, and a mask",
        [f"{ANALYSIS}/TripCount"],
        ["scf::IfOp", "SplatOp"],
    ),
    ("counts hand-overs of each trip", [f"{ANALYSIS}/ChannelProgress"], ["scf::ForOp"]),
    ("follows both of its branches", [f"{ANALYSIS}/ChannelProgress"], ["scf::IfOp"]),
    (
        "finds what fills slots, which hand-overs begin and end",
        [f"{ANALYSIS}/CopyRole", f"{TRANSFORMS}/Channels/SplitRoles"],
        ["AcquireOp", "CommitOp"],
    ),
    (
        "the loops and branches that a role may hang on, as it writes them again",
        [f"{ANALYSIS}/CopyRole", f"{TRANSFORMS}/Channels/SplitRoles"],
        ["scf::ForOp", "scf::IfOp", "scf::YieldOp"],
    ),
    ("lists the language", [f"{ANALYSIS}/Language"], LANGUAGE),
    (
        "takes apart what adds up to addresses",
        [f"{ANALYSIS}/ApartPointers", f"{TRANSFORMS}/Loads/OrderAddresses"],
        ["IotaOp"],
    ),
    (
        "finds the copies that fill a slot",
        [f"{TRANSFORMS}/Channels/BulkChannels"],
        ["AcquireOp", "CopyTmaOp"],
    ),
    (
        "counts in steps, and drops what was promised of each",
        [f"{TRANSFORMS}/Loads/LoadGroups"],
        ["AssumeOp", "IotaOp"],
    ),
    (
        "makes a view of what adds up to addresses",
        [f"{ANALYSIS}/PointerBlocks"],
        ["AssumeOp", "IotaOp"],
    ),
    ("says for which op a conversion was cut", [f"{TRANSFORMS}/Shared/AllocateShared"], ["JoinOp"]),
    (
        "whether it counts unsigned, only the op says",
        [
            f"{TRANSFORMS}/Programs/CheckLoops",
            "lib/Conversion/TileToNVVM/Registers/ReadAcrossBarriers",
        ],
        ["scf::ForOp"],
    ),
    ("the one that may go on for ever", [f"{TRANSFORMS}/Programs/CheckLoops"], ["scf::WhileOp"]),
    (
        "loads bits as what they are taken for, and counts of one number are constants",
        [f"{TRANSFORMS}/Programs/Canonicalize"],
        ["IotaOp", "LoadOp"],
    ),
    ("makes it arith.constant", [f"{TRANSFORMS}/Programs/CheckProgram"], ["ConstantOp"]),
    (
        "takes the number for what is outside off a load",
        [f"{TRANSFORMS}/Registers/FillAtReads"],
        ["LoadOp"],
    ),
    (
        "writes what barriers hand on",
        [f"{TRANSFORMS}/Shared/AsyncProxy"],
        ["BarrierOp"],
    ),
    (
        "begins copies of threads in front of a wait, and gives slots back behind it",
        [f"{TRANSFORMS}/Shared/SpareSlots"],
        ["AcquireOp", "CommitOp", "CopyAsyncOp", "ReleaseOp", "WaitOp"],
    ),
    ("says whose they are", [f"{TRANSFORMS}/Channels/SplitRoles"], ["BarrierOp"]),
    (
        "follows the turns of teams, which enter and leave",
        [f"{ANALYSIS}/ChannelProtocol", f"{ANALYSIS}/ChannelTraces"],
        ["TeamEnterOp", "TeamLeaveOp"],
    ),
    (
        "knows which team it follows, in a block that is alone",
        [f"{ANALYSIS}/ChannelTraces"],
        ["BlockIdOp", "NumBlocksOp", "TeamOp"],
    ),
    (
        "lets a team release its own slots, and wait for its own products and stores",
        [f"{TRANSFORMS}/Channels/AlternateTeams"],
        ["BarrierOp", "DotWaitOp", "ReleaseOp", "StoreTmaWaitOp", "WaitOp"],
    ),
    (
        "gives programs to teams, in a loop whose bounds it changes",
        [f"{TRANSFORMS}/Channels/AlternateTeams"],
        ["scf::ForOp", "scf::YieldOp"],
    ),
    ("leaves it behind its loop", [f"{TRANSFORMS}/Products/SinkScalars"], ["TeamLeaveOp"]),
    ("counts hand-overs on", [f"{TRANSFORMS}/Channels/HoistChannel"], ["ReleaseOp", "WaitOp"]),
    (
        "lets this kind of loop carry a count",
        [f"{TRANSFORMS}/Channels/HoistChannel"],
        ["scf::ForOp"],
    ),
    (
        "makes other ops of hand-overs",
        [f"{TRANSFORMS}/Channels/LowerMbarriers"],
        ["AcquireOp", "CommitOp", "CopyTmaOp", "OneThreadOp", "ReleaseOp", "WaitOp"],
    ),
    (
        "gives each block some trips of this kind of loop",
        [f"{TRANSFORMS}/Products/DivideProducts"],
        ["scf::ForOp"],
    ),
    (
        "moves a wait and arrivals from one program to the next, whose loop it divides",
        [f"{TRANSFORMS}/Channels/ReleaseUnderProducts"],
        ["MbarrierArriveOp", "StoreTmaWaitOp", "SubviewOp", "scf::ForOp"],
    ),
    ("asks ahead for what they copy", [f"{TRANSFORMS}/Channels/PrefetchBoxes"], ["CopyTmaOp"]),
    (
        "divides what fills slots among blocks",
        [f"{TRANSFORMS}/Channels/ShareBoxes"],
        ["AcquireOp", "CopyTmaOp", "TensorMapOp"],
    ),
    (
        "copies less by them where the slots have zeros",
        [f"{TRANSFORMS}/Channels/LeaveOutRows"],
        ["AcquireOp", "CommitOp", "CopyTmaOp", "TensorMapOp"],
    ),
    (
        "turns one kind of copy into another",
        [f"{TRANSFORMS}/Channels/SelectTma"],
        ["AcquireOp", "CopyAsyncOp", "TensorMapOp"],
    ),
    (
        "gives programs other numbers, in a loop that it makes",
        [f"{TRANSFORMS}/Loads/ProgramLoop"],
        ["scf::ForOp"],
    ),
    (
        "adds to what this kind of loop carries",
        [
            f"{TRANSFORMS}/Products/LoadOperandsAhead",
            f"{TRANSFORMS}/Rows/CombineRowsAhead",
            f"{TRANSFORMS}/Rows/LoadRowsAhead",
            f"{TRANSFORMS}/Rows/StoreRowsBehind",
        ],
        ["scf::ForOp"],
    ),
    (
        "changes what this kind of loop carries",
        [f"{TRANSFORMS}/Rows/CopyRowsAhead"],
        ["scf::ForOp"],
    ),
    (
        "takes loads out of one of its ways",
        [
            f"{TRANSFORMS}/Rows/BranchedLoads",
            f"{TRANSFORMS}/Rows/CopyRowsAhead",
            f"{TRANSFORMS}/Rows/LoadRowsAhead",
        ],
        ["scf::IfOp"],
    ),
    (
        "makes one iteration of two, and a branch of the last one",
        ["lib/Conversion/TileToNVVM/Products/AlternateFragments"],
        ["scf::ForOp"],
    ),
    (
        "lets warpgroups wait by the trips of a loop, and asks which threads a branch is for",
        ["lib/Conversion/TileToNVVM/Products/StaggerWarpgroups"],
        ["scf::ForOp", "scf::IfOp"],
    ),
    (
        "changes what these carry",
        [
            "lib/Conversion/TileToNVVM/Rows/JoinEdgesAtUse",
            "lib/Conversion/TileToNVVM/Registers/PackCarriedWords",
            "lib/Conversion/TileToNVVM/Slots/SlotCandidates",
        ],
        ["scf::ForOp", "scf::IfOp"],
    ),
    (
        "changes what it carries",
        [
            "lib/Conversion/TileToNVVM/Slots/KeepInSlots",
            "lib/Conversion/TileToNVVM/Slots/SlotCopies",
            "lib/Conversion/TileToNVVM/Slots/SlotTurns",
        ],
        ["scf::ForOp"],
    ),
    (
        "has branches hand out more",
        ["lib/Conversion/TileToNVVM/Rows/JoinEdgesAtUse"],
        ["scf::YieldOp"],
    ),
    (
        "follows the ways of several programs",
        [
            f"{ANALYSIS}/ProgramDifferences",
            "include/tilewright/Dialect/Tile/Analysis/ProgramDifferences",
        ],
        ["scf::ForOp", "scf::IfOp"],
    ),
    (
        "gives programs a dimension, with the branches and loops that they take",
        [f"{TRANSFORMS}/Rows/ProgramBatch"],
        ["scf::ForOp", "scf::IfOp"],
    ),
    (
        "makes one kind of store of another, in the pieces that a tile was cut into",
        [f"{TRANSFORMS}/Channels/SelectTmaStores"],
        ["JoinOp"],
    ),
    (
        "finds the map that there is, and by what it is moved",
        [f"{TRANSFORMS}/Channels/TensorMaps"],
        ["TensorMapOp"],
    ),
    (
        "releases slots later, and moves what fills them",
        [f"{TRANSFORMS}/Products/IssueDots"],
        ["AcquireOp", "ReleaseOp", "WaitOp"],
    ),
    (
        "turns a load and a store of the same iteration into a copy",
        [f"{TRANSFORMS}/Channels/LoopSchedule"],
        ["LocalLoadOp", "LocalStoreOp"],
    ),
    (
        "turns a load and a store of the same iteration into a copy",
        [f"{TRANSFORMS}/Channels/Pipeline"],
        ["LocalStoreOp"],
    ),
    (
        "makes other ops of hand-overs",
        [f"{TRANSFORMS}/Channels/LowerChannels"],
        ["AcquireOp", "CommitOp", "WaitOp"],
    ),
    (
        "guards the copies that it takes out of a branch",
        [f"{TRANSFORMS}/Channels/LowerChannels"],
        ["CopyAsyncOp", "scf::IfOp"],
    ),
    (
        "makes accesses to views of them",
        [f"{TRANSFORMS}/Programs/RecognizeBlocks"],
        ["LoadOp", "StoreOp"],
    ),
    ("moves them as runs of memory", [f"{TRANSFORMS}/Rows/MoveRuns"], ["LoadOp", "StoreOp"]),
    ("asks which argument a mask compares", [f"{TRANSFORMS}/Rows/MoveRuns"], ["SplatOp"]),
    (
        "the one op to which rows go in any order, in vectors",
        [f"{TRANSFORMS}/Registers/AssignRegisterLayouts"],
        ["AnyOrderOp"],
    ),
    (
        "writes loops that count anew, several trips in one",
        [f"{TRANSFORMS}/Loads/LoadAtOnce", f"{TRANSFORMS}/Loads/TripsTogether"],
        ["scf::ForOp"],
    ),
    (
        "finds what counts columns, from where, and up to which number",
        [f"{ANALYSIS}/ShortRows"],
        ["IotaOp", "SplatOp"],
    ),
    (
        "fills in what the mask of another load left out",
        [f"{TRANSFORMS}/Loads/ReuseLoads"],
        ["LoadOp"],
    ),
    (
        "writes rows for what counts places, and what is promised of them",
        [f"{TRANSFORMS}/Rows/FlattenRows"],
        ["AssumeOp", "IotaOp"],
    ),
    (
        "asks of it what was asked of what follows from it",
        [f"{TRANSFORMS}/Rows/ComparePlaces"],
        ["IotaOp"],
    ),
    (
        "rotates what counts places, and drops what was promised of them",
        [f"{TRANSFORMS}/Rows/RowScope"],
        ["AssumeOp", "IotaOp"],
    ),
    (
        "asks whether this kind of loop counts with a sign",
        ["lib/Conversion/ArithToNVVM/Integers"],
        ["scf::ForOp"],
    ),
    (
        "makes another loop of it",
        [f"{TRANSFORMS}/Programs/RewriteInductions", f"{TRANSFORMS}/Channels/SlotCounters"],
        ["scf::ForOp"],
    ),
    ("adds to what a loop carries", [f"{TRANSFORMS}/Channels/SlotCounters"], ["scf::YieldOp"]),
    (
        "pipelines this kind of loop and no other",
        [
            f"{TRANSFORMS}/Registers/FillAtReads",
            f"{TRANSFORMS}/Channels/LoopSchedule",
            f"{TRANSFORMS}/Channels/Pipeline",
            f"{TRANSFORMS}/Programs/RecognizeBlocks",
        ],
        ["scf::ForOp"],
    ),
    (
        "asks for ldmatrix where it reads for products",
        [f"{TRANSFORMS}/Channels/StageOperands"],
        ["LocalLoadOp"],
    ),
    (
        "turns a load and its product into a product that reads where it lies",
        [f"{TRANSFORMS}/Products/SelectWarpgroupDots"],
        ["LocalLoadOp"],
    ),
    ("writes promises, and joins them", [f"{TRANSFORMS}/Programs/SettlePromises"], ["AssumeOp"]),
    ("gives promises that stand alone users", [f"{TRANSFORMS}/Programs/Specialize"], ["AssumeOp"]),
    (
        "a number that something is promised of is the same number",
        [f"{TRANSFORMS}/Programs/RewriteInductions"],
        ["AssumeOp"],
    ),
    ("stores once what goes to two", [f"{TRANSFORMS}/Shared/StagedTiles"], ["LocalStoreOp"]),
    (
        "makes a reduction with places two, where something counts these",
        [f"{TRANSFORMS}/Rows/FindExtremesFirst"],
        ["IotaOp", "ReduceOp"],
    ),
    (
        "reduces once what this kind of loop carries",
        [f"{TRANSFORMS}/Registers/ReduceBehindLoops"],
        ["ReduceOp", "scf::ForOp"],
    ),
    (
        "additions of programs, and counters, of which these are all",
        [f"{TRANSFORMS}/Loads/Additions"],
        ["AtomicRMWOp", "LocalCountOp", "LocalLoadOp", "LocalStoreOp", "ReduceOp"],
    ),
    (
        "adds once, behind the loop that it makes, and so do counters",
        [f"{TRANSFORMS}/Loads/AddOnce"],
        ["AtomicRMWOp", "LocalCountOp", "LocalStoreOp", "NumProgramsOp"],
    ),
    (
        "sums of programs, in the loop that it makes",
        [f"{TRANSFORMS}/Loads/AddOnce"],
        ["scf::ForOp"],
    ),
    ("splits it across warps", [f"{TRANSFORMS}/Registers/SplitReductions"], ["ReduceOp"]),
    ("makes it one of narrow elements", [f"{TRANSFORMS}/Registers/NarrowReductions"], ["ReduceOp"]),
    ("splits it across warps", [f"{TRANSFORMS}/Registers/SplitScans"], ["ScanOp"]),
]
EXCEPTIONS = {(file, op): why for why, files, ops in REASONS for file in files for op in ops}

DEFINITION = re.compile(r"^def Tile_(\w+Op)\s*:", re.MULTILINE)
# Of loops and branches, other than making them.
LOOP_QUESTION = re.compile(r"\b(scf::\w+Op)\b(?!::create)")
OP_ADVICE = "an interface (TileInterfaces.td)"
LOOP_ADVICE = "LoopLikeOpInterface or RegionBranchOpInterface"
# What is no code: comments and strings.
NO_CODE = re.compile(r'//.*|"(?:[^"\\]|\\.)*"')


def find_ops(root):
    """The C++ names of the ops of the dialect that are no WORDS."""
    return {
        name
        for path in sorted((root / OPS).glob("*.td"))
        for name in DEFINITION.findall(path.read_text())
        if name not in WORDS
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
    ops = find_ops(root)
    if not ops:
        return [f"{OPS}:1: no op is defined there"]
    # Other dialects have a YieldOp, too.
    question = re.compile(
        rf"(?<![\w:])(?:(?:tilewright::)?tile::)?({'|'.join(sorted(ops))})\b(?!::)"
    )
    needed = set()
    own = Search(question, OP_ADVICE, exceptions, needed)
    loops = Search(LOOP_QUESTION, LOOP_ADVICE, exceptions, needed)
    offences = own.check_folders(root, FOLDERS) + loops.check_folders(root, LOOP_FOLDERS)
    for file, op in sorted(set(exceptions) - needed):
        offences.append(f"scripts/check-op-names.py:1: {file} needs no exception for {op} any more")
    return offences


if __name__ == "__main__":
    sys.exit(tree_check.run(__doc__.splitlines()[0], OPS, lambda root: check(root, EXCEPTIONS)))
