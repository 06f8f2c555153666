"""Loops of run time: what the body changes goes around as values.

acc = x                   %acc = scf.for %i = %0 to %n step %1 iter_args(%a = %x) {
for i in range(n):  ->        %b = arith.addf %a, ...
    acc += ...                scf.yield %b
                          }
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from tilewright.frontend.counters import read_counter
from tilewright.frontend.values import (
    Undefined,
    as_runtime,
    describe_kind,
    flatten,
    has_structure,
    is_carried,
    is_runtime,
    rebuild,
    rebuild_sequence,
    same_constant,
)
from tilewright.language import program as tl_program
from tilewright.language.context import Purity, constant, emit, emit_many
from tilewright.language.tensor import is_number, tensor, to_tensor
from tilewright.language.views import INDEX
from tilewright.source import find_assigned, has_return

if TYPE_CHECKING:
    from tilewright.frontend.expressions import ExpressionVisitor
    from tilewright.frontend.statements import StatementVisitor


@dataclass
class _Carried:
    """The names that go around a loop, with what they are before it."""

    names: list[str]
    values: list[Any]
    #: Names, of constants too, whose value at the beginning of the body is read in it.
    read: set[str] = field(default_factory=set)
    #: Carried names that become anything in the body, and have no value behind the loop.
    lost: set[str] = field(default_factory=set)

    def get_parts(self) -> list[tensor]:
        return [part for value in self.values for part in flatten(value)]

    def rebuild(self, parts: list[tensor]) -> dict[str, Any]:
        """The names with these in place of their parts."""
        rest: Iterator[tensor] = iter(parts)
        return {n: rebuild(v, rest) for n, v in zip(self.names, self.values, strict=True)}


def _find_carried(visitor: StatementVisitor, assigned: list[str]) -> _Carried:
    carried = _Carried([], [])
    for name in assigned:
        value = visitor.names.get(name)
        if name in visitor.names and not isinstance(value, Undefined) and is_carried(value):
            carried.names.append(name)
            carried.values.append(as_runtime(value))
    return carried


def _collect_ends(
    visitor: StatementVisitor,
    node: ast.AST,
    carried: _Carried,
    entered: dict[str, Any],
) -> list[tensor]:
    """What the carried names are at the end of the body: what goes round.

    A name whose value at the beginning nobody reads may become anything, and is lost: it goes round
    as it is.
    """
    parts = []
    for name, start in zip(carried.names, carried.values, strict=True):
        end = _fit_numbers(visitor.names[name], start)
        if not has_structure(end, start):
            if name in carried.read:
                _refuse_change(visitor, node, name, start, visitor.names[name])
            carried.lost.add(name)
            end = entered[name]
        parts.extend(flatten(end))
    return parts


def _refuse_change(
    visitor: StatementVisitor, node: ast.AST, name: str, start: Any, end: Any
) -> NoReturn:
    if isinstance(end, Undefined):
        visitor.refuse(node, f"'{name}', which goes around this loop, {end.reason}")
    advice = (
        "begin with a tile of that shape and type, as by tl.zeros, or cast it back by .to()"
        if is_runtime(end) and is_runtime(start)
        else "a constant is the same in all rounds"
    )
    visitor.refuse(
        node,
        f"'{name}' is {describe_kind(start)} before this loop and {describe_kind(end)} at the end "
        f"of its body: what goes around a loop keeps its type; {advice}",
    )


def _fit_numbers(value: Any, like: Any) -> Any:
    """Numbers as tensors of the type that goes round, where it is one of their kind."""
    if isinstance(value, (tuple, list)) and isinstance(like, (tuple, list)):
        if len(value) != len(like):
            return value
        fitted = [_fit_numbers(a, b) for a, b in zip(value, like, strict=True)]
        return rebuild_sequence(value, fitted)
    if not is_number(value) or not isinstance(like, tensor):
        return value
    own = to_tensor(value)
    if not like.type.is_block() and own.dtype.kind() == like.dtype.kind():
        return constant(value, like.type)
    return own


def _check_constants(
    visitor: StatementVisitor,
    node: ast.AST,
    assigned: list[str],
    carried: _Carried,
    before: dict[str, Any],
) -> None:
    """Constants may not change in a loop; names that the body makes have no value behind it."""
    for name in assigned:
        is_lost = name in carried.lost
        if name in carried.names and not is_lost:
            continue
        value = visitor.names.get(name)
        if name in before and same_constant(before[name], value):
            continue
        if name in before and not is_lost and name in carried.read:
            _refuse_change(visitor, node, name, before[name], value)
        before[name] = _describe_lost(node, name, before.get(name), value)


def _describe_lost(loop: ast.AST, name: str, before: Any, inside: Any) -> Undefined:
    """Why a name has no value behind a loop."""
    if _is_counter(loop, name):
        return Undefined(
            "counts a loop of run time, and has no value behind it: keep it in another name"
        )
    if before is None or isinstance(before, Undefined) or isinstance(inside, Undefined):
        return Undefined(
            "gets its value in a loop of run time, which may not run: give it one before"
        )
    return Undefined(
        f"is {describe_kind(before)} before a loop of run time and {describe_kind(inside)} in it, "
        "which may not run: give each a name of its own"
    )


def _is_counter(loop: ast.AST, name: str) -> bool:
    return isinstance(loop, ast.For) and getattr(loop.target, "id", None) == name


def _visit_loop_body(
    visitor: StatementVisitor,
    node: ast.For | ast.While,
    carried: _Carried,
    parts: list[tensor],
    bound: dict[str, Any],
) -> None:
    """Writes the body, in which `bound` are the names that the loop itself gives a value."""
    entered = carried.rebuild(parts)
    visitor.names = {**visitor.names, **entered, **bound}
    beginning = {name: value for name, value in visitor.names.items() if name not in bound}
    with visitor.note_reads(carried.read, beginning):
        visitor.visit_body(node.body)
    emit_many("scf.yield", _collect_ends(visitor, node, carried, entered), [])


def _leave(
    visitor: StatementVisitor,
    node: ast.AST,
    assigned: list[str],
    carried: _Carried,
    before: dict[str, Any],
    results: list[tensor],
) -> None:
    """What names stand for behind the loop."""
    for name in carried.names:
        if name not in carried.lost or name in carried.read:
            # A loop around this one is to see that its value goes round in here.
            visitor.note_read(name, before[name])
    _check_constants(visitor, node, assigned, carried, before)
    behind = carried.rebuild(results)
    kept = {name: value for name, value in behind.items() if name not in carried.lost}
    visitor.names = {**before, **kept}


def _check_else(visitor: StatementVisitor, node: ast.For | ast.While) -> None:
    if node.orelse:
        visitor.refuse(
            node.orelse[0],
            "kernels do not have an 'else' of a loop: none ends early, so write it behind the loop",
        )


def _check_return(visitor: StatementVisitor, node: ast.For | ast.While) -> None:
    """Refuses returns in a loop of run time."""
    if has_return(node.body):
        found = next(n for s in node.body for n in ast.walk(s) if isinstance(n, ast.Return))
        visitor.refuse(
            found, "a 'return' in a loop: end the loop by its condition, and return behind it"
        )


def _check_runs(visitor: StatementVisitor, node: ast.For | ast.While) -> None:
    """Refuses a loop of run time where there is arithmetic only."""
    if visitor.context.purity is not Purity.FREE:
        visitor.refuse(
            node,
            "a function that combines or maps elements has no loop of run time: tl.static_range "
            "unrolls one",
        )


# for


def visit_for(visitor: StatementVisitor, node: ast.For) -> None:
    """A for over range, tl.range or tl.static_range, or over a tuple of compile time."""
    space = _visit_space(visitor, node)
    if isinstance(space, tl_program.range):
        _loop(visitor, node, space)
        return
    for value in space:
        visitor.count_step(node)
        visitor.assign(node.target, value)
        visitor.visit_body(node.body)


class Round(ast.stmt):
    """A round of a loop that is unrolled begins: its name stands for a value."""

    _fields = ("target",)

    def __init__(self, target: ast.expr, value: Any) -> None:
        super().__init__()
        self.target, self.value = target, value


def list_statements(visitor: StatementVisitor, node: ast.For) -> list[ast.stmt]:
    """All rounds of a loop with a return, which is unrolled: one behind the other."""
    space = _visit_space(visitor, node)
    if isinstance(space, tl_program.range):
        _check_return(visitor, node)
    return [each for value in space for each in (Round(node.target, value), *node.body)]


def _visit_space(visitor: StatementVisitor, node: ast.For) -> Any:
    """What a loop of run time counts through, or the values of one that is unrolled."""
    _check_else(visitor, node)
    if not isinstance(node.target, (ast.Name, ast.Tuple)):
        visitor.refuse(node.target, "a loop counts in a name")
    space = visitor.visit(node.iter)
    if isinstance(space, tl_program.range):
        return space
    if isinstance(space, range):
        return tl_program.range(space.start, space.stop, space.step)
    if isinstance(space, tl_program.static_range):
        return list_rounds(visitor, node.iter, space)
    if not isinstance(space, (tuple, list, zip, enumerate)):
        visitor.refuse(
            node.iter,
            "a loop is over range, tl.range or tl.static_range, or over a tuple of constants",
        )
    values = visitor.guard(node.iter, list, space)
    _check_rounds(visitor, node.iter, len(values))
    return values


#: Rounds of a loop that is unrolled: more would be compiled for hours.
_MAX_UNROLLED = 2**14


def _check_rounds(visitor: ExpressionVisitor, node: ast.expr, count: int) -> None:
    if count > _MAX_UNROLLED:
        visitor.refuse(
            node,
            f"a loop that is unrolled {count} times is too long: tl.range is a loop of run time",
        )


def list_rounds(
    visitor: ExpressionVisitor, node: ast.expr, space: tl_program.static_range
) -> range:
    """The counter in each round of a loop that is unrolled."""
    rounds: range = visitor.guard(node, range, space.start, space.end, space.step)
    if rounds:
        # As len(), which takes 64 bits.
        _check_rounds(visitor, node, (rounds[-1] - rounds[0]) // rounds.step + 1)
    return rounds


def _loop(visitor: StatementVisitor, node: ast.For, space: Any) -> None:
    _check_runs(visitor, node)
    if not isinstance(node.target, ast.Name):
        visitor.refuse(node.target, "a loop over range counts in one name")
    counter = read_counter(visitor, node, space)
    assigned = find_assigned(node.body)
    carried = _find_carried(visitor, [name for name in assigned if name != node.target.id])
    before = dict(visitor.names)
    initial = carried.get_parts()
    visitor.mark(node)
    bounds = [emit("arith.index_cast", [each], INDEX) for each in counter.bounds]
    handles = visitor.builder.begin_region(["index", *(part.type.mlir for part in initial)])
    try:
        value = counter.get_value(tensor(handles[0], INDEX))
        parts = [tensor(h, part.type) for h, part in zip(handles[1:], initial, strict=True)]
        _visit_loop_body(visitor, node, carried, parts, {node.target.id: value})
    finally:
        region = visitor.builder.end_region()
    visitor.mark(node)
    attributes = [("tile.num_stages", f"{space.num_stages} : i32")] if space.num_stages else []
    kinds = [part.type for part in initial]
    results = emit_many("scf.for", [*bounds, *initial], kinds, attributes, [region])
    _leave(visitor, node, [*assigned, node.target.id], carried, before, results)


# while


def visit_while(visitor: StatementVisitor, node: ast.While) -> None:
    """A while, whose condition is one of run time."""
    _check_else(visitor, node)
    _check_return(visitor, node)
    _check_runs(visitor, node)
    assigned = find_assigned(node.body)
    carried = _find_carried(visitor, assigned)
    before = dict(visitor.names)
    initial = carried.get_parts()
    types = [part.type.mlir for part in initial]
    handles = visitor.builder.begin_region(types)
    try:
        parts = [tensor(h, part.type) for h, part in zip(handles, initial, strict=True)]
        visitor.names = {**before, **carried.rebuild(parts)}
        with visitor.note_reads(carried.read, dict(visitor.names)):
            test = visitor.visit_test(node.test)
        if is_runtime(test):
            emit_many("scf.condition", [test, *parts], [])
    finally:
        head = visitor.builder.end_region()
    if not is_runtime(test):
        visitor.names = before
        if test:
            visitor.refuse(node.test, "this condition is always true: the loop would never end")
        return
    handles = visitor.builder.begin_region(types)
    try:
        parts = [tensor(h, part.type) for h, part in zip(handles, initial, strict=True)]
        _visit_loop_body(visitor, node, carried, parts, {})
    finally:
        body = visitor.builder.end_region()
    visitor.mark(node)
    kinds = [part.type for part in initial]
    results = emit_many("scf.while", initial, kinds, [], [head, body])
    _leave(visitor, node, assigned, carried, before, results)
