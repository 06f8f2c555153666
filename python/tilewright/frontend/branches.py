"""Choices of run time: both branches become regions, and what differs behind them a result.

if n > 0:            %x = scf.if %c -> (tensor<64xf32>) {
    x = x + 1            ...  scf.yield %1
else:         ->     } else {
    x = 0.0              ...  scf.yield %2
                     }
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from tilewright.frontend.values import (
    Undefined,
    describe_kind,
    fit_pair,
    flatten,
    is_carried,
    rebuild,
    rebuild_sequence,
    same_constant,
    same_names,
)
from tilewright.language.comparisons import where
from tilewright.language.composite import composite
from tilewright.language.context import Purity, constant, emit_many
from tilewright.language.promotion import type_of_number
from tilewright.language.tensor import is_number, tensor
from tilewright.language.types import dtype

if TYPE_CHECKING:
    from tilewright.frontend.expressions import ExpressionVisitor
    from tilewright.frontend.statements import Returned, StatementVisitor


#: Stands for what a function returned, among the names: no program can have it.
RETURNED = "what it returned"


@dataclass
class Join:
    """What two values become behind a choice, and the parts that each branch hands over."""

    value: Any
    kinds: list[Any]
    first: list[Callable[[], tensor]]
    second: list[Callable[[], tensor]]


def list_parts(value: Any) -> tuple[list[dtype], list[Callable[[], tensor]]]:
    """The types of what a region hands over for a value, and what makes them in it."""
    if isinstance(value, (tuple, list)):
        lists = [list_parts(each) for each in value]
        return [k for kinds, _ in lists for k in kinds], [f for _, fits in lists for f in fits]
    if is_number(value):
        kind = type_of_number(value)
        return [kind], [partial(constant, value, kind)]
    parts = flatten(value)
    return [part.type for part in parts], [partial(lambda part: part, part) for part in parts]


def _join(a: Any, b: Any) -> Join | None:
    """Nothing where the two do not become one value."""
    if same_constant(a, b):
        return Join(a, [], [], [])
    sequences = [isinstance(each, (tuple, list)) for each in (a, b)]
    if all(sequences) and same_names(a, b) and len(a) == len(b):
        parts = [_join(x, y) for x, y in zip(a, b, strict=True)]
        if any(part is None for part in parts):
            return None
        whole = [part for part in parts if part is not None]
        return Join(
            rebuild_sequence(a, [part.value for part in whole]),
            [kind for part in whole for kind in part.kinds],
            [fit for part in whole for fit in part.first],
            [fit for part in whole for fit in part.second],
        )
    if any(sequences):
        return None
    if isinstance(a, composite):
        if not a.fits(b):
            return None
        kinds, fits = list_parts(a)
        return Join(a, kinds, fits, list_parts(b)[1])
    if not all(isinstance(each, tensor) or is_number(each) for each in (a, b)):
        return None
    fitted = fit_pair(a, b)
    if fitted is None:
        return None
    kind, first, second = fitted
    return Join(tensor(None, kind), [kind], [first], [second])  # type: ignore[arg-type]


def emit_choice(
    visitor: ExpressionVisitor,
    node: ast.AST,
    test: tensor,
    regions: tuple[int, int],
    joins: list[Join],
) -> list[Any]:
    """Writes the scf.if; gives what the joined values are behind it."""
    visitor.mark(node)
    if visitor.context.purity is not Purity.FREE:
        return [rebuild(join.value, iter(_select(test, join))) for join in joins]
    for region, side in zip(regions, ("first", "second"), strict=True):
        visitor.builder.resume_region(region)
        emit_many("scf.yield", [fit() for join in joins for fit in getattr(join, side)], [])
        visitor.builder.leave_region()
    kinds = [kind for join in joins for kind in join.kinds]
    parts = iter(emit_many("scf.if", [test], kinds, [], regions))
    return [rebuild(join.value, parts) for join in joins]


def _select(test: tensor, join: Join) -> list[tensor]:
    """The parts of a joined value, where both branches are computed: none does anything else."""
    pairs = zip(join.first, join.second, strict=True)
    return [where(test, first(), second()) for first, second in pairs]


def visit_region(visitor: ExpressionVisitor, make: Callable[[], Any]) -> tuple[int, Any]:
    """A region without arguments; gives its number, and what is made in it."""
    context = visitor.context
    is_region = context.purity is Purity.FREE
    region = 0
    if is_region:
        visitor.builder.begin_region([])
    context.choices += 1
    try:
        result = make()
    finally:
        context.choices -= 1
        if is_region:
            region = visitor.builder.end_region()
    return region, result


def visit_branch(
    visitor: StatementVisitor, make: Callable[[], Any]
) -> tuple[int, Any, dict[str, Any]]:
    """A region with names of its own; gives what is made in it, and the names at its end."""
    before = visitor.names
    visitor.names = dict(before)
    region, result = visit_region(visitor, make)
    end, visitor.names = visitor.names, before
    return region, result, end


def choose(
    visitor: ExpressionVisitor,
    node: ast.AST,
    test: tensor,
    make_first: Callable[[], Any],
    make_second: Callable[[], Any],
) -> Any:
    """``first if test else second``, where the test is one of run time."""
    first_region, first = visit_region(visitor, make_first)
    second_region, second = visit_region(visitor, make_second)
    join = visitor.guard(node, _join, first, second)
    if join is None:
        visitor.refuse(
            node,
            f"the two values of this choice are of different types: {describe_kind(first)} and "
            f"{describe_kind(second)}",
        )
    return emit_choice(visitor, node, test, (first_region, second_region), [join])[0]


def visit_if(visitor: StatementVisitor, node: ast.If, test: tensor) -> None:
    """An if without return, whose test is one of run time."""
    before = visitor.names
    first_region, _, first = visit_branch(visitor, partial(visitor.visit_body, node.body))
    second_region, _, second = visit_branch(visitor, partial(visitor.visit_body, node.orelse))
    visitor.names = dict(before)
    names, joins = join_names(visitor, node, before, first, second)
    values = emit_choice(visitor, node, test, (first_region, second_region), joins)
    visitor.names.update(zip(names, values, strict=True))


def join_names(
    visitor: StatementVisitor,
    node: ast.AST,
    before: dict[str, Any],
    first: dict[str, Any],
    second: dict[str, Any],
) -> tuple[list[str], list[Join]]:
    """The names that a branch changes; those that one branch alone makes end there."""
    names, joins = [], []
    for name in [*first, *(each for each in second if each not in first)]:
        a, b = first.get(name), second.get(name)
        if name in first and name in second and a is b:
            visitor.names[name] = a
            continue
        missing = [name not in end or isinstance(end[name], Undefined) for end in (first, second)]
        if any(missing):
            visitor.names[name] = Undefined(
                "has a value in one branch of an 'if' of run time only: give it one before"
            )
            continue
        for value in (a, b):
            # Where a branch does not change a name, its value from before goes on.
            if name in before and before[name] is value:
                visitor.note_read(name, value)
        join = visitor.guard(node, _join, a, b)
        if join is None:
            visitor.names[name] = _refuse_join(visitor, node, name, a, b)
            continue
        names.append(name)
        joins.append(join)
    return names, joins


def _refuse_join(
    visitor: StatementVisitor, node: ast.AST, name: str, first: Any, second: Any
) -> Undefined:
    """Refuses values that no result can be: an error, or what nobody may read behind the branch."""
    if name == RETURNED:
        _refuse_returned(visitor, node, first, second)
    if is_carried(first) and is_carried(second):
        visitor.refuse(
            node,
            f"'{name}' has another type in each branch: {describe_kind(first)} and "
            f"{describe_kind(second)}; cast one by .to(), or give it one shape",
        )
    return Undefined(
        f"is {describe_kind(first)} in one branch of an 'if' of run time and "
        f"{describe_kind(second)} in the other"
    )


def _refuse_returned(visitor: StatementVisitor, node: ast.AST, first: Any, second: Any) -> NoReturn:
    visitor.refuse(
        node,
        f"the function returns {describe_kind(first)} in one branch and "
        f"{describe_kind(second)} in the other: what it returns is to have one type",
    )


def visit_returning_if(
    visitor: StatementVisitor,
    node: ast.If,
    test: tensor,
    body: list[ast.stmt],
    orelse: list[ast.stmt],
) -> Returned:
    """An if that may end the function: each branch goes on to the function's end."""
    from tilewright.frontend.statements import Returned

    regions, results = [], []
    for statements in (body, orelse):
        region, result, _ = visit_branch(visitor, partial(visitor.visit_body, statements))
        regions.append(region)
        results.append(None if result is None else result.value)
    first, second = results
    join = visitor.guard(node, _join, first, second)
    if join is None:
        _refuse_returned(visitor, node, first, second)
    return Returned(emit_choice(visitor, node, test, (regions[0], regions[1]), [join])[0])
