#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looks for registers that are used before they are written, in what ptxas makes of PTX.

    build/bin/tile-compile kernel.mlir --target=sm_90a -o kernel.ptx
    scripts/scoreboards.py kernel.ptx other.cubin

Loads, conversions, products of doubles and the like are done some time after they are issued. Each
of them signals one of six scoreboards, and who uses its result waits for that one: bits of the
instruction say which. This follows all paths through the code of each kernel and says where an
instruction uses a register that was not waited for. ptxas 13.0 makes such code
(docs/decisions/0161-a-wait-that-ptxas-loses.md), and no simulator of PTX sees it.

It knows from sm_80 on where the bits are, which NVIDIA does not document; what waits a fixed number
of clocks it leaves alone, and of a call it takes for granted that it waits. What is behind a jump
to a computed address it does not see. Of operands of several registers it looks at all where they
are stored, or doubles, and at the first one elsewhere. It needs cuobjdump and, for PTX, ptxas. The
exit status is 1 if it found something.
"""

from __future__ import annotations

import argparse
import itertools
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gputools.tools import ToolError, find_nvidia

# A register, and the scoreboards that say when it is written.
Pending = dict[str, frozenset[int]]

NO_SCOREBOARD = 7
# What writes no register, although the first one that it names would seem so.
WITHOUT_RESULT = (
    "ST", "RED", "LDGSTS", "LDGDEPBAR", "DEPBAR", "BAR", "CCTL", "MEMBAR", "ERRBAR", "UBLKCP",
    "UTMA", "SYNCS", "ARRIVES", "HGMMA", "QGMMA", "IGMMA", "WARPSYNC", "FCHK",
)  # fmt: skip
# Registers of D, A, B, and C. Up to sm_89 the name of the small one is another.
WORDS_OF_DMMA = {
    "DMMA.16x8x8": (8, 8, 4, 8), "DMMA.8x8x4": (4, 2, 2, 4), "DMMA.884": (4, 2, 2, 4)
}  # fmt: skip
LEAVES = ("BRA", "JMP", "EXIT", "RET", "BRX", "KILL")


@dataclass(frozen=True)
class Instruction:
    address: int
    text: str
    signals: int
    waits: frozenset[int]

    @cached_property
    def _parts(self) -> tuple[str, str]:
        name, _, operands = re.sub(r"^@!?U?P\w+ ", "", self.text).partition(" ")
        return name, operands

    @property
    def name(self) -> str:
        return self._parts[0]

    @cached_property
    def operands(self) -> list[str]:
        return [each.strip() for each in re.split(r",(?![^\[]*\])", self._parts[1])]


def read_listing(listing: str) -> dict[str, list[Instruction]]:
    """The kernels that cuobjdump -sass lists. An instruction has two words, in a line each."""
    kernels: dict[str, list[Instruction]] = {}
    code: list[Instruction] = []
    for line, following in itertools.pairwise(listing.splitlines()):
        if found := re.match(r"\s+Function : (\S+)", line):
            code = kernels.setdefault(found[1], [])
        first = re.match(r"\s+/\*([0-9a-f]{4,6})\*/\s+(.*?);\s+/\* 0x[0-9a-f]{16} \*/", line)
        second = re.match(r"\s+/\* 0x([0-9a-f]{16}) \*/", following)
        if first and second:
            control = int(second[1], 16) >> 41
            waits = frozenset(bit for bit in range(6) if control >> 11 & 1 << bit)
            code.append(Instruction(int(first[1], 16), first[2].strip(), control >> 5 & 7, waits))
    return kernels


def count_words(name: str) -> int:
    """Of an instruction's result, or of what it stores."""
    if name.startswith("DMMA"):
        return WORDS_OF_DMMA.get(name, (8,))[0]
    if name.startswith(("LDSM", "LDTM")):
        matrices = re.search(r"\.(\d)$", name)
        return int(matrices[1]) if matrices else 1
    if ".128" in name:
        return 4
    is_double = name.startswith(("DADD", "DMUL", "DFMA", "I2F.F64", "F2F.F64", "F2I.S64"))
    return 2 if is_double or ".64" in name else 1


def name_registers(operand: str, words: int = 1) -> Iterator[str]:
    for kind, number, pair in re.findall(r"(?<![A-Za-z0-9_])(U?R)(\d+)(\.64)?", operand):
        for word in range(max(words, 2 if pair else 1)):
            yield f"{kind}{int(number) + word}"


def find_results(instruction: Instruction) -> list[str]:
    if not instruction.name.startswith(WITHOUT_RESULT):
        for operand in instruction.operands[:2]:
            if re.fullmatch(r"U?R\d+(\.\w+)*", operand):
                return list(name_registers(operand, count_words(instruction.name)))
            if not re.match(r"U?P", operand):
                break
    return []


def find_used(instruction: Instruction) -> set[str]:
    """Registers that must be written when it is issued, its results among them."""
    name = instruction.name
    takes_pairs = name.startswith(("DADD", "DMUL", "DFMA", "DSETP"))
    used = set()
    for place, operand in enumerate(instruction.operands):
        is_stored = place > 0 and name.startswith(("ST", "RED"))
        words = count_words(name) if is_stored else 2 if takes_pairs else 1
        if place < 4 and name in WORDS_OF_DMMA:
            words = WORDS_OF_DMMA[name][place]
        used.update(name_registers(operand, 1 if "[" in operand else words))
    return used


def without(pending: Pending, scoreboards: frozenset[int]) -> Pending:
    left = {register: boards - scoreboards for register, boards in pending.items()}
    return {register: boards for register, boards in left.items() if boards}


class Kernel:
    def __init__(self, code: Sequence[Instruction]):
        self.code = code
        self.places = {each.address: place for place, each in enumerate(code)}

    def find_following(self, place: int) -> Iterator[int]:
        each = self.code[place]
        target = re.search(r"0x([0-9a-f]+)", each.text)
        if target and each.name.startswith(("BRA", "JMP", "CALL")):
            yield self.places[int(target[1], 16)]
        has_condition = each.text.startswith("@") or re.match(r"!?U?P\w", each.operands[0])
        if (not each.name.startswith(LEAVES) or has_condition) and place + 1 < len(self.code):
            yield place + 1

    def find_faults(self) -> dict[tuple[int, str], Instruction]:
        """By address and register."""
        faults: dict[tuple[int, str], Instruction] = {}
        before: dict[int, Pending] = {0: {}}
        open_places = [0]
        while open_places:
            place = open_places.pop()
            each = self.code[place]
            pending = without(before[place], each.waits)
            if each.name.startswith("DEPBAR") and (board := re.search(r"SB(\d)", each.text)):
                pending = without(pending, frozenset([int(board[1])]))
            results = find_results(each)
            for register in find_used(each) & pending.keys():
                # Loads that share a scoreboard return in order, as parts of one result do.
                is_next = register in results and pending[register] == {each.signals}
                if not is_next or each.name.startswith("DMMA"):
                    faults[each.address, register] = each
            if each.signals != NO_SCOREBOARD:
                pending.update((register, frozenset([each.signals])) for register in results)
            for after in self.find_following(place):
                is_behind_call = each.name.startswith("CALL") and after == place + 1
                if merge(before, after, {} if is_behind_call else pending):
                    open_places.append(after)
        return faults


def merge(before: dict[int, Pending], place: int, pending: Pending) -> bool:
    """Whether more is pending there than by the paths that were followed so far."""
    known = before.get(place)
    merged = dict(known or {})
    for register, boards in pending.items():
        merged[register] = merged.get(register, frozenset()) | boards
    before[place] = merged
    return merged != known


def disassemble(path: Path) -> str:
    with tempfile.TemporaryDirectory() as folder:
        if path.suffix == ".ptx":
            target = re.search(r"^\.target (\w+)", path.read_text(), re.MULTILINE)
            if not target:
                raise ValueError(f"{path} has no line .target")
            cubin = Path(folder) / "kernel.cubin"
            subprocess.run(
                [find_nvidia("ptxas"), f"-arch={target[1]}", path, "-o", cubin], check=True
            )
            path = cubin
        listing = [find_nvidia("cuobjdump"), "-sass", path]
        return subprocess.run(listing, check=True, capture_output=True, text=True).stdout


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="PTX or cubins")
    found = 0
    for path in parser.parse_args(arguments).files:
        try:
            kernels = read_listing(disassemble(path))
        except (OSError, ToolError, ValueError, subprocess.CalledProcessError) as error:
            parser.exit(2, f"{path}: {error}\n")
        if not kernels:
            parser.exit(2, f"{path}: no code was found in it\n")
        for name, code in kernels.items():
            if not code:
                parser.exit(2, f"{path}: no code was found of {name}\n")
            faults = Kernel(code).find_faults()
            print(f"{path}: {name}: {len(code)} instructions, {len(faults)} registers not written")
            for (address, register), instruction in sorted(faults.items()):
                print(f"    {address:04x}  {register} in {instruction.text}")
            found += len(faults)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
