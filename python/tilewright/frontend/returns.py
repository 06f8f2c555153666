"""Returns from the middle of branches: what follows runs where none was reached.

    if a:                %gone = scf.if %a { ... scf.yield %b } else { scf.yield %false }
        x += 1
        if b:      ->    scf.if %not_gone {
            return           store ...
    tl.store(p, x)       }

Where one branch of an `if` always returns, what follows is the other one's (`branches.py`), and no
flag is needed.
"""

from __future__ import annotations

import ast
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any

from tilewright.frontend import loops
from tilewright.frontend.branches import (
    RETURNED,
    Join,
    emit_choice,
    join_names,
    list_parts,
    visit_branch,
)
from tilewright.frontend.values import (
    Undefined,
    describe_kind,
    is_runtime,
    rebuild_sequence,
)
from tilewright.language.arithmetic import logical_not
from tilewright.language.context import constant, emit
from tilewright.language.promotion import type_of_number
from tilewright.language.tensor import is_number, tensor
from tilewright.language.types import dtype, int64
from tilewright.source import has_return

if TYPE_CHECKING:
    from tilewright.frontend.statements import Returned, StatementVisitor

# A name that no program can have.
_FLAG = "whether it returned"


class Fate(Enum):
    """Whether statements end the function."""

    NEVER = 0
    MAYBE = 1
    ALWAYS = 2


def always_returns(statements: list[ast.stmt]) -> bool:
    """Whether they end the function on every way, as far as their syntax tells."""
    for statement in statements:
        if isinstance(statement, ast.Return):
            return True
        if isinstance(statement, ast.If) and all(
            always_returns(branch) for branch in (statement.body, statement.orelse)
        ):
            return True
    return False


def visit_maybe_returning_if(
    visitor: StatementVisitor, node: ast.If, test: tensor, rest: list[ast.stmt]
) -> Returned:
    """An if whose branches both may go on, and all that follows in the function."""
    from tilewright.frontend.statements import Returned

    visitor.names[_FLAG] = False
    fate = _visit_if(visitor, node, test, rest)
    value = visitor.names.pop(RETURNED, None)
    del visitor.names[_FLAG]
    if fate is not Fate.ALWAYS and value is not None:
        visitor.refuse(
            node,
            f"the function returns {describe_kind(value)} on some ways, and nothing on others: "
            "what it returns is to have one type",
        )
    return Returned(value)


def _visit(visitor: StatementVisitor, statements: list[ast.stmt]) -> Fate:
    for index, statement in enumerate(statements):
        rest = statements[index + 1 :]
        if isinstance(statement, ast.Return):
            visitor.names[RETURNED] = visitor.visit_return(statement)
            visitor.names[_FLAG] = True
            return Fate.ALWAYS
        if not isinstance(statement, (ast.If, ast.For)) or not has_return([statement]):
            visitor.visit_body([statement])
            continue
        if isinstance(statement, ast.For):
            return _visit(visitor, [*loops.list_statements(visitor, statement), *rest])
        test = visitor.visit_test(statement.test)
        if is_runtime(test):
            return _visit_if(visitor, statement, test, rest)
        return _visit(visitor, [*(statement.body if test else statement.orelse), *rest])
    return Fate.NEVER


def _visit_if(visitor: StatementVisitor, node: ast.If, test: tensor, rest: list[ast.stmt]) -> Fate:
    """An if, and what follows it, where it did not return."""
    first = _visit_branch(visitor, node.body)
    second = _visit_branch(visitor, node.orelse)
    fate = _join_branches(visitor, node, test, first, second)
    if fate is Fate.ALWAYS or not rest:
        return fate
    if fate is Fate.NEVER:
        return _visit(visitor, rest)
    goes_on = visitor.guard(node, logical_not, visitor.names[_FLAG])
    first = visit_branch(visitor, partial(_visit_rest, visitor, rest))
    region, _, names = _visit_branch(visitor, [])
    fate = _join_branches(visitor, node, goes_on, first, (region, Fate.ALWAYS, names))
    return Fate.ALWAYS if fate is Fate.ALWAYS else Fate.MAYBE


#: A region, whether it returns, and what names stand for at its end.
_Branch = tuple[int, Fate, dict[str, Any]]


def _visit_branch(visitor: StatementVisitor, statements: list[ast.stmt]) -> _Branch:
    return visit_branch(visitor, partial(_visit, visitor, statements))


def _visit_rest(visitor: StatementVisitor, statements: list[ast.stmt]) -> Fate:
    """What follows, where nothing has returned yet."""
    visitor.names[_FLAG] = False
    return _visit(visitor, statements)


def _join_branches(
    visitor: StatementVisitor, node: ast.If, test: tensor, first: _Branch, second: _Branch
) -> Fate:
    """Writes the scf.if. Names are those of the branch that goes on, where one does not."""
    before = visitor.names
    visitor.names = dict(before)
    ends = [dict(first[2]), dict(second[2])]
    names, joins = [], []
    for index, name in _find_missing(ends, [first[1], second[1]]):
        names.append(name)
        joins.append(_join_one_side(ends[1 - index][name], missing=index))
        for end in ends:
            end.pop(name, None)
    more, their_joins = join_names(visitor, node, before, ends[0], ends[1])
    regions = (first[0], second[0])
    values = emit_choice(visitor, node, test, regions, [*joins, *their_joins])
    visitor.names.update(zip([*names, *more], values, strict=True))
    return first[1] if first[1] is second[1] else Fate.MAYBE


def _find_missing(ends: list[dict[str, Any]], fates: list[Fate]) -> list[tuple[int, str]]:
    """The branches, by number, in which the value of a name matters to nobody, with the name."""
    missing = []
    for index in range(2):
        own, other = ends[index], ends[1 - index]
        is_gone = fates[index] is Fate.ALWAYS and fates[1 - index] is not Fate.ALWAYS
        for name, value in other.items():
            if name == RETURNED:
                matters = name in own
            else:
                matters = not is_gone or name == _FLAG or own.get(name) is value
            if not matters and not isinstance(value, Undefined):
                missing.append((index, name))
    return missing


def _join_one_side(value: Any, missing: int) -> Join:
    """A value of one branch alone: the other one hands over anything."""
    kinds, fits = list_parts(value)
    dummies = [partial(_make_dummy, kind) for kind in kinds]
    sides = (dummies, fits) if missing == 0 else (fits, dummies)
    return Join(_with_scalars(value), kinds, *sides)


def _with_scalars(value: Any) -> Any:
    """The same structure with scalars in place of numbers."""
    if isinstance(value, (tuple, list)):
        return rebuild_sequence(value, [_with_scalars(each) for each in value])
    return tensor(None, type_of_number(value)) if is_number(value) else value  # type: ignore[arg-type]


def _make_dummy(kind: dtype) -> tensor:
    """Zeros, or null pointers."""
    if not kind.scalar.is_ptr():
        return constant(0, kind)
    return emit("tile.int_to_ptr", [constant(0, int64.with_shape(kind.shape))], kind)
