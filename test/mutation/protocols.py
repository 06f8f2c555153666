# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults in the hand-overs of compiled kernels: a wait, an arrival, a commit or a fence left out,
a phase that stays, other bytes than come, slots counted one too few, another block of the cluster,
registers of roles.

    for mutant in mutate_protocol(ptx, entry, stages): ...
"""

import re
from collections.abc import Iterator

from mutants import Mutant, find_kernel

# What is left out, and the class that it is.
LEFT_OUT = {
    "wait": r"bar\.(sync|red)|barrier\.cluster|cp\.async\.(bulk\.)?wait|wgmma\.wait",
    "arrival": r"(@%p\d+ )?(mbarrier\.(arrive|init)|bar\.arrive)",
    "commit": r"(@%p\d+ )?(cp\.async\.(bulk\.)?commit|wgmma\.commit)",
    "fence": r"(@%p\d+ )?(fence|wgmma\.fence)",
    "registers": r"setmaxnreg",
    "copy": r"(@%p\d+ )?(cp\.async\.(bulk\.tensor|c[ag])|st\.async)",
}
TRY_WAIT = re.compile(r"(mbarrier\.try_wait\.parity\S* done, \[%r\d+\]), %r\d+;")
BYTES = re.compile(r"(mbarrier\.arrive\.expect_tx\S* _, \[%r\d+\]), (\d+);")
WRAP = re.compile(r"(setp\.eq\.b32 \t?%p\d+, %r\d+), (\d+);")
# The rank of a block, in an address or out of it.
MASK = re.compile(r"and\.b32 \s*(%r\d+, %r\d+), 262143;")
RANK = re.compile(r"(mapa\S*\s+%\w+, %\w+), %?\w+;")
REGISTERS = re.compile(r"(setmaxnreg\.(inc|dec)\S*\s+)(\d+);")


def change_line(line: str, stages: int) -> Iterator[tuple[str, str]]:
    """The class of each fault, and what the line becomes."""
    text = line.strip()
    for kind, pattern in LEFT_OUT.items():
        if re.match(pattern, text):
            yield kind, ""
    if match := TRY_WAIT.search(text):
        yield "wait", "setp.eq.s32 done, 0, 0;"
        yield from (("phase", f"{match[1]}, {parity};") for parity in (0, 1))
    if match := BYTES.search(text):
        yield from (("bytes", f"{match[1]}, {int(match[2]) * 2 // by};") for by in (1, 4))
    # Numbers of hand-overs are counted modulo twice as many as there are slots.
    if (match := WRAP.search(text)) and int(match[2]) == 2 * stages:
        yield "stage", f"{match[1]}, {2 * stages - 1};"
    if match := MASK.search(text):
        yield "rank", f"mov.b32 {match[1]};"
    if match := RANK.search(text):
        yield "rank", f"{match[1]}, 0;"
    if match := REGISTERS.search(text):
        yield "registers", f"{match[1]}{int(match[3]) + (8 if match[2] == 'inc' else 200)};"


def mutate_protocol(ptx: str, entry: str, stages: int) -> Iterator[Mutant]:
    lines = ptx.splitlines()
    for i in find_kernel(lines, entry):
        for number, (kind, text) in enumerate(change_line(lines[i], stages)):
            place = re.sub(r"^@!?%?\w+ ", "", lines[i].strip()).split()[0].rstrip(";")
            yield Mutant(kind, number, f"{place} of line {i + 1}", lines, {i: text})
