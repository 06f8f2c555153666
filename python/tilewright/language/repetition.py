"""Loops inside of words."""

from __future__ import annotations

from collections.abc import Callable

from tilewright.language.context import constant, current, emit, emit_many
from tilewright.language.tensor import tensor
from tilewright.language.types import int32
from tilewright.language.views import INDEX


def repeat(count: int, start: tensor, body: Callable[[tensor, tensor], tensor]) -> tensor:
    """What becomes of a tile in a loop of that many rounds, whose body knows its number."""
    if count == 1:
        return body(constant(0, int32), start)
    builder = current().builder
    bounds = [emit("arith.index_cast", [constant(bound, int32)], INDEX) for bound in (0, count, 1)]
    handles = builder.begin_region(["index", start.type.mlir])
    try:
        number = emit("arith.index_cast", [tensor(handles[0], INDEX)], int32)
        emit_many("scf.yield", [body(number, tensor(handles[1], start.type))], [])
    finally:
        region = builder.end_region()
    return emit("scf.for", [*bounds, start], start.type, [], [region])
