# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what programs have in them, so that one sees what a run has tested."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from differential.builder import PROMISES
from differential.elements import F64, INDEX, Float
from differential.program import Node, Program, View

Counts = Counter[tuple[str, str]]


def count(program: Program) -> Counts:
    """Pairs of a group and a name, each with how often it is there."""
    counts: Counts = Counter()
    for node in program.nodes():
        counts.update(_of_node(node))
        for value in node.results:
            counts["types", str(value.type.element)] += 1
    for memory in program.memories:
        if isinstance(memory.element, Float) and not memory.is_output:
            counts.update(_of_floats(memory.element, memory.bits))
    counts["warps", str(program.num_warps)] += 1
    counts["stages", str(program.num_stages)] += 1
    counts["shared layouts", program.shared_layout] += 1
    counts["other options", f"warpgroup_dots={program.warpgroup_dots}"] += 1
    counts["other options", f"specialize={program.specialize}"] += 1
    counts["blocks", str(program.blocks)] += 1
    return counts


def _of_node(node: Node) -> Iterator[tuple[str, str]]:
    predicate = node.attributes.get("predicate")
    yield "ops", f"{node.op} {predicate}" if predicate else node.op
    if node.attributes.get("to"):
        source, target = node.operands[0].type.element, node.results[0].type.element
        yield "casts", f"{node.op.split('.')[1]} {source} to {target}"
    if node.attributes.get("suffix") == PROMISES.get(node.op, ""):
        yield "promises", node.op
    if node.op == "tile.dot":
        kind = "tf32" if node.attributes["tf32"] else str(node.operands[0].type.element)
        yield "products", kind
    if node.op == "tile.load":
        yield "offsets", str(node.operands[0].type.element)
        yield "accesses", ("load", "load, masked", "load, masked, else")[len(node.operands) - 1]
    if node.op.startswith("tile.atomic"):
        yield "atomics", f"{node.attributes['kind']} {node.results[0].type.element}"
    if node.op == "tile.store":
        yield "accesses", "store, masked" if len(node.operands) > 2 else "store"
    is_index = node.op == "arith.constant" and node.results[0].type.element == INDEX
    if is_index and 1 << 31 <= node.attributes["bits"] < 1 << 63:
        yield "numbers", "index of 2^31 and more"
    view = node.attributes.get("view")
    if view is not None:
        yield from _of_view(view)


def _of_view(view: View) -> Iterator[tuple[str, str]]:
    if any(start < 0 for start in view.start):
        yield "accesses", "view at a negative coordinate"
    if list(view.strides) != sorted(view.strides, reverse=True):
        yield "accesses", "view, transposed"
    if min(view.strides) > 1:
        yield "accesses", "view, strided"
    if any(extent % 2 for extent in view.extents):
        yield "accesses", "view of odd extent"


def _of_floats(element: Float, bits: np.typing.NDArray[np.uint64]) -> dict[tuple[str, str], int]:
    numbers = np.abs(element.decode(bits))
    nan = np.isnan(numbers)
    quiet = bits & np.uint64(1 << (element.precision - 2)) != 0
    found = {
        "-0.0": (numbers == 0) & (bits != 0),
        "subnormal": (numbers > 0) & (numbers < 2.0**element.least if element != F64 else bits < 0),
        "infinity": np.isinf(numbers),
        "NaN": nan & quiet,
        "signalling NaN": nan & ~quiet & element.has_infinity,
    }
    return {("numbers", name): int(where.sum()) for name, where in found.items()}


def describe(counts: Counts) -> str:
    """A group a line."""
    groups: dict[str, list[tuple[str, int]]] = {}
    for (group, name), number in sorted(counts.items()):
        groups.setdefault(group, []).append((name, number))
    lines = []
    for group, entries in groups.items():
        ordered = sorted(entries, key=lambda entry: -entry[1])
        names = ", ".join(f"{name} {number}" for name, number in ordered)
        lines.append(f"{group} ({len(entries)}): {names}")
    return "\n".join(lines)
