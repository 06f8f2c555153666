"""What loops of run time count by: loops of the dialect count up, in `index`, below 2**63.

for i in range(n, 0, -2):  ->  scf.for %k = %0 to %n step %2 {   // how far the counter has come
                                   %i = arith.subi %n, %k
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tilewright.language import arithmetic, comparisons
from tilewright.language.arithmetic import convert
from tilewright.language.context import constant, emit
from tilewright.language.program import device_assert
from tilewright.language.promotion import promote
from tilewright.language.tensor import is_number, tensor, to_tensor
from tilewright.language.types import dtype, int32, int64, uint64

if TYPE_CHECKING:
    from tilewright.frontend.statements import StatementVisitor


@dataclass
class Counter:
    """What a loop counts by."""

    start: tensor
    #: From where to where, and by what, the loop of the dialect counts.
    bounds: tuple[tensor, tensor, tensor]
    #: The type of the name in the body.
    kind: dtype
    counts_down: bool = False
    #: Of a loop of the dialect that counts rounds: what the name is more by in the next one.
    stride: tensor | None = None

    def get_value(self, index: tensor) -> tensor:
        """What the name is where the loop of the dialect is at `index`."""
        counter = emit("arith.index_cast", [index], self.start.dtype)
        if self.stride is not None:
            counter = arithmetic.add(self.start, arithmetic.mul(counter, self.stride))
        elif self.counts_down:
            counter = arithmetic.sub(self.start, counter)
        return convert(counter, self.kind)


def read_counter(visitor: StatementVisitor, node: ast.For, space: Any) -> Counter:
    """How the loop of the dialect counts for a loop over `space`, a tl.range."""
    step = space.step
    if isinstance(step, tensor) and step.constant is not None:
        step = step.constant
    _check_space(visitor, node, space, step)
    start, end, stride = _read_bounds(visitor, node, space)
    counts_down = step < 0 if is_number(step) else _is_negated(node.iter)
    if not is_number(step):
        _check_step(visitor, node, step, stride, counts_down)
    kind = start.dtype
    are_known = start.constant is not None and end.constant is not None
    if kind == uint64 or (counts_down and kind == int64 and not are_known):
        return _count_rounds(visitor, node, start, end, stride, counts_down)
    if not counts_down:
        return Counter(start, (start, end, stride), kind)
    # Loops of the dialect count up: from 0 by how far the counter has come.
    # How far it is may need a bit more than the bounds.
    start, end, stride = (convert(bound, int64) for bound in (start, end, stride))
    span = visitor.guard(node.iter, arithmetic.sub, start, end)
    stride = visitor.guard(node.iter, arithmetic.minus, stride)
    return Counter(start, (constant(0, int64), span, stride), kind, counts_down=True)


def _read_bounds(visitor: StatementVisitor, node: ast.For, space: Any) -> list[tensor]:
    """Start, end and step in one integer type of 32 or 64 bits."""
    bounds = [
        visitor.guard(node.iter, to_tensor, each, "a bound of a loop")
        for each in (space.start, space.end, space.step)
    ]
    kind: dtype = int32
    for bound in bounds:
        if bound.type.is_block() or not bound.dtype.is_int():
            visitor.refuse(node.iter, f"the bounds of a loop are integers, not {bound.type}")
        kind = promote(kind, bound.dtype)
    if kind.is_int_unsigned() and kind.int_bitwidth < 64:
        kind = int64
    return [visitor.guard(node.iter, convert, bound, kind) for bound in bounds]


def _is_negated(space: ast.expr) -> bool:
    """Whether the step of a range is written with a minus: one of run time that counts down."""
    if not isinstance(space, ast.Call):
        return False
    steps = space.args[2:3] + [word.value for word in space.keywords if word.arg == "step"]
    return any(isinstance(each, ast.UnaryOp) and isinstance(each.op, ast.USub) for each in steps)


def _check_space(visitor: StatementVisitor, node: ast.For, space: Any, step: Any) -> None:
    """Checks what is known of a range when it is compiled."""
    if is_number(step) and step == 0:
        visitor.refuse(node.iter, "the step of a loop is 0: it would never end")
    if isinstance(space.start, int) and isinstance(space.end, int):
        distance = abs(space.end - space.start)
        if distance >= 2**63:
            visitor.refuse(node.iter, f"a loop counts through less than 2**63, not {distance}")


def _check_step(
    visitor: StatementVisitor, node: ast.For, step: tensor, stride: tensor, is_down: bool
) -> None:
    """Checks a step that is known at run time only."""
    if is_down and step.dtype.is_int_unsigned():
        visitor.refuse(
            node.iter,
            f"a step of type {step.dtype} is never below 0: make it a signed integer before "
            "the minus, as by .to(tl.int64)",
        )
    text = (
        "the step of a loop is written with a minus, and not below 0"
        if is_down
        else "the step of a loop is not above 0: one of run time that counts down is written with "
        "a minus, as in range(n, 0, -step)"
    )
    visitor.guard(node.iter, lambda: device_assert(stride < 0 if is_down else stride > 0, text))


def _count_rounds(
    visitor: StatementVisitor,
    node: ast.For,
    start: tensor,
    end: tensor,
    stride: tensor,
    counts_down: bool,
) -> Counter:
    """How far the counter goes may be 2**63 and more: the loop counts its rounds."""

    def count() -> tensor:
        low, high = (end, start) if counts_down else (start, end)
        runs = comparisons.greater(high, low)
        span = convert(arithmetic.sub(high, low), uint64)
        step = arithmetic.minus(stride) if counts_down else stride
        step = convert(step, uint64)
        if step.constant is None:
            step = comparisons.where(comparisons.equal(step, 0), 1, step)
        rounds = arithmetic.add(arithmetic.floordiv(arithmetic.sub(span, 1), step), 1)
        # No loop of more lives to see its end.
        rounds = comparisons.where(comparisons.greater(rounds, 2**62), 2**62, rounds)
        return convert(comparisons.where(runs, rounds, 0), int64)

    rounds = visitor.guard(node.iter, count)
    bounds = (constant(0, int64), rounds, constant(1, int64))
    first, by = (convert(each, int64) for each in (start, stride))
    return Counter(first, bounds, start.dtype, stride=by)
