# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults planted in programs, one at a time.

Of PTX, each class of faults looks at one line (or two stores) and gives the text
that replaces it. Of placed IR, one side of a shared tile gets another layout:

    for mutant in mutate_ptx(ptx, entry):
        mutant.name      "mask 3 ld.global.b32": the class, which one of the class, where
        mutant.text      the whole program, with the fault
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """A program (`lines`) in which some lines are others (`edits`, by index). The fault is at the
    first."""

    kind: str
    number: int
    place: str
    lines: Sequence[str]
    edits: Mapping[int, str]

    @property
    def name(self) -> str:
        return f"{self.kind} {self.number} {self.place}"

    @property
    def text(self) -> str:
        edited = (self.edits.get(i, line) for i, line in enumerate(self.lines))
        return "\n".join([*edited, ""])

    def describe(self) -> str:
        """The fault, in a line: "line 12: left out"."""
        line, change = next(iter(self.edits.items()))
        return f"line {line + 1}: {change.strip() or 'left out'}"


# A line of PTX: the predicate, the opcode with its modifiers, the operands.
INSTRUCTION = re.compile(
    r"^(?P<indent>\s*)(?P<guard>@!?%p\d+\s+)?(?P<opcode>[a-z][\w.:]*)\s*(?P<operands>[^;]*);"
)
SYNCHRONIZATION = re.compile(
    r"(bar\.|barrier\.|cp\.async\.(commit|wait)|cp\.async\.bulk\.(commit|wait)|fence|membar|mbarrier"
    r"|wgmma\.(fence|commit_group|wait_group)|setmaxnreg)"
)
WIDTH = re.compile(r"\.[busf](8|16|32|64)$")


def drop_synchronization(match: re.Match[str]) -> list[str]:
    return [""] if SYNCHRONIZATION.match(match["opcode"]) else []


def drop_mask(match: re.Match[str]) -> list[str]:
    """A guard that is left out, a comparison that is true, one side of a conjunction,
    and no zero in place of a value: cp.async gets its masks as numbers of bytes."""
    guard, opcode, operands = match["guard"], match["opcode"], match["operands"]
    if guard and opcode != "bra":
        return [f"{opcode} {operands};"]
    if guard:
        return []
    results = operands.split(",")
    if opcode.startswith("setp."):
        return [f"setp.eq.s32 {results[0]}, 0, 0;"]
    if opcode == "and.pred":
        target, left, right = results
        return [f"mov.pred {target}, {side};" for side in (left.strip(), right.strip())]
    if opcode == "selp.b32" and results[2].strip() == "0":
        return [f"mov.b32 {results[0]}, {results[1].strip()};"]
    return []


def shift_address(match: re.Match[str]) -> list[str]:
    """4 bytes up, one element up and one down, in each access."""
    guard, opcode, operands = match["guard"] or "", match["opcode"], match["operands"]
    if not re.match(r"(ld|st|atom|red|cp\.async|ldmatrix|stmatrix)\b", opcode):
        return []
    if ".param" in opcode or SYNCHRONIZATION.match(opcode):
        return []
    width = WIDTH.search(opcode)
    element = int(width[1]) // 8 if width else 16
    mutants = []
    for address in re.finditer(r"\[\s*([%\w$]+)\s*(?:\+\s*(-?\d+))?\s*\]", operands):
        for step in sorted({4, element, -element}):
            offset = int(address[2] or 0) + step
            moved = f"[{address[1]}+{offset}]"
            text = operands[: address.start()] + moved + operands[address.end() :]
            mutants.append(f"{guard}{opcode} {text};")
    return mutants


def change_layout(match: re.Match[str]) -> list[str]:
    """Another XOR or stride in the computation of an address: one side's layout."""
    guard, opcode, operands = match["guard"], match["opcode"], match["operands"]
    parts = [part.strip() for part in operands.split(",")]
    if guard:
        return []
    if opcode == "xor.b32" and re.fullmatch(r"\d+", parts[2]):
        return [f"{opcode} {parts[0]}, {parts[1]}, {2 * int(parts[2])};"]
    if opcode == "xor.b32":
        return [f"mov.b32 {parts[0]}, {part};" for part in parts[1:]]
    if re.match(r"(mul|mad)\.", opcode) and re.fullmatch(r"\d+", parts[2]):
        parts[2] = str(int(parts[2]) + 1)
        return [f"{opcode} {', '.join(parts)};"]
    return []


def negate_branch(match: re.Match[str]) -> list[str]:
    guard = match["guard"]
    if not guard or match["opcode"] not in ("bra", "bra.uni"):
        return []
    negated = guard.replace("@!", "@") if "!" in guard else guard.replace("@", "@!")
    return [f"{negated}{match['opcode']} {match['operands']};"]


CLASSES: dict[str, Callable[[re.Match[str]], list[str]]] = {
    "synchronization": drop_synchronization,
    "mask": drop_mask,
    "address": shift_address,
    "layout": change_layout,
    "branch": negate_branch,
}


def find_kernel(lines: list[str], entry: str) -> range:
    """To the brace that closes the first one; inline PTX may have braces of its own."""
    start = next(i for i, line in enumerate(lines) if re.search(rf"\.entry\s+{entry}\b", line))
    depth = 0
    for i in range(start, len(lines)):
        depth += lines[i].count("{") - lines[i].count("}")
        if depth == 0 and "}" in lines[i]:
            return range(start, i)
    raise ValueError(f"kernel {entry} has no end")


def mutate_ptx(ptx: str, entry: str) -> Iterator[Mutant]:
    lines = ptx.splitlines()
    kernel = find_kernel(lines, entry)
    found = [(i, match) for i in kernel if (match := INSTRUCTION.match(lines[i]))]
    for kind, change in CLASSES.items():
        number = 0
        for i, match in found:
            for replacement in change(match):
                number += 1
                place = ("@" if match["guard"] else "") + match["opcode"]
                yield Mutant(kind, number, place, lines, {i: replacement})
    yield from swap_stores(lines, found)


STORE = re.compile(r"(?P<head>.*\bst\.[\w.:]+\s*\[[^\]]*\],\s*)\{?(?P<values>[^{}]*?)\}?;")


def swap_stores(lines: list[str], found: list[tuple[int, re.Match[str]]]) -> Iterator[Mutant]:
    """Two registers of one store, or of a store and the next of its form."""
    number = 0
    previous: dict[str, tuple[int, re.Match[str]]] = {}
    for i, match in found:
        store = STORE.match(lines[i])
        if not store:
            continue
        edits = {}
        values = [value.strip() for value in store["values"].split(",")]
        if len(values) > 1:
            swapped = [values[1], values[0], *values[2:]]
            edits[i] = f"{store['head']}{{{', '.join(swapped)}}};"
        elif match["opcode"] in previous:
            j, other = previous[match["opcode"]]
            edits[i] = f"{store['head']}{other['values']};"
            edits[j] = f"{other['head']}{store['values']};"
        previous[match["opcode"]] = (i, store)
        if all(lines[line] == edit for line, edit in edits.items()):
            continue
        number += 1
        yield Mutant("swap", number, match["opcode"], lines, edits)


ALLOCATION = re.compile(
    r"(%\w+) = (?:tile\.)?alloc_shared (.*?)(#tile\.shared_layout<[\dx]+(, [^<>]*(<[^<>]*>)?)?>)"
)


def other_layouts(layout: str) -> list[str]:
    """Layouts of the same shape and order that put some element elsewhere."""
    swizzle = re.search(r", swizzle<(\d+),(\d+),(\d+)>", layout)
    padding = re.search(r", pad (\d+) every (\d+)", layout)
    if swizzle:
        bits, base, shift = (int(group) for group in swizzle.groups())
        changes = [""]
        if bits > 1:
            changes += [f", swizzle<{bits - 1},{base},{s}>" for s in (shift, shift + 1)]
        return [layout.replace(swizzle[0], change) for change in changes]
    if padding:
        wider = f", pad {2 * int(padding[1])} every {padding[2]}"
        return [layout.replace(padding[0], change) for change in ("", wider)]
    shape = re.search(r"<([\dx]+)", layout)
    assert shape
    *rows, interval = (int(extent) for extent in shape[1].split("x"))
    if math.prod(rows) == 1:
        interval //= 2
    # 16 elements are at least 16 bytes: vectors of the other side stay whole.
    return [f"{layout[:-1]}, pad 16 every {interval}>"] if interval >= 16 else []


def has_room(lines: list[str], i: int, layout: str) -> bool:
    """Whether no tile begins in what a tile of this layout takes beyond its elements."""
    padding = re.search(r", pad (\d+) every (\d+)", layout)
    begin = int(re.search(r"offset = (\d+)", lines[i])[1])
    *extents, kind = re.search(r"shared<([\dx]+x\w+)", lines[i])[1].split("x")
    elements = math.prod(map(int, extents))
    taken = elements + (elements // int(padding[2]) * int(padding[1]) if padding else 0)
    each = int(re.search(r"\d+", kind)[0]) // 8
    offsets = (re.search(r"alloc_shared \{offset = (\d+)", line) for line in lines)
    return not any(
        begin + elements * each <= int(offset[1]) < begin + taken * each
        for offset in offsets
        if offset
    )


def mutate_placed(text: str) -> Iterator[Mutant]:
    """One access to a shared tile reads or writes it in another layout.

    The compiler refuses two tiles in the bytes of a pipelined loop's. There, the class `layout` of
    PTX does it.
    """
    lines = text.splitlines()
    number = 0
    for i, line in enumerate(lines):
        match = ALLOCATION.search(line)
        if not match:
            continue
        tile, layout = match[1], match[3]
        for j in range(i + 1, len(lines)):
            access = re.search(rf"\b(local_store|local_load)\b.*{tile}(?!\w)", lines[j])
            if not access:
                continue
            for other in other_layouts(layout):
                if not has_room(lines, i, other):
                    continue
                number += 1
                user = re.sub(rf"{tile}(?!\w)", "%other", lines[j]).replace(layout, other)
                # Vectors of the one layout need not be whole in the other.
                if "matrix" not in user:
                    user = re.sub(r"vector_width = \d+", "vector_width = 1", user)
                # A second tile of the same bytes.
                second = line.replace(f"{tile} =", "%other =").replace(layout, other)
                yield Mutant("placed", number, access[1], lines, {j: user, i: f"{line}\n{second}"})
