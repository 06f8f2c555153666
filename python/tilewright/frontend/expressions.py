"""Expressions: from Python's syntax to values of compile time and run time.

What is known at compile time is computed by Python; what is not becomes ops, by the operators and
words of the language.
"""

from __future__ import annotations

import ast
import operator
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn

from tilewright.errors import CompileError
from tilewright.frontend import branches, calls, constants, loops
from tilewright.frontend.advice import (
    check_place,
    describe_missing,
    describe_runtime_index,
    describe_undefined,
)
from tilewright.frontend.errors import KernelError
from tilewright.frontend.names import check_fixed, watch
from tilewright.frontend.values import Undefined, is_runtime
from tilewright.function import find_helper
from tilewright.language import arithmetic
from tilewright.language import program as tl_program
from tilewright.language.context import Context, Purity
from tilewright.language.reductions import take_single
from tilewright.language.shapes import describe
from tilewright.language.tensor import is_number, tensor, to_tensor
from tilewright.language.types import unwrap
from tilewright.source import FunctionSource

_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: constants.add,
    ast.Sub: operator.sub,
    ast.Mult: constants.multiply,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: constants.power,
    ast.LShift: constants.shift_left,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}

_NOT_THERE = {
    ast.Lambda: "a lambda: write a function with @tilewright.jit",
    ast.GeneratorExp: "a comprehension: write a loop over tl.static_range",
    ast.SetComp: "a comprehension: write a loop over tl.static_range",
    ast.DictComp: "a comprehension: write a loop over tl.static_range",
    ast.Dict: "a dictionary: use names, or a tuple",
    ast.Set: "a set: use a tuple",
    ast.NamedExpr: "an assignment in an expression: write it as a statement of its own",
    ast.MatMult: "@: write tl.dot",
    ast.Await: "await",
    ast.Yield: "yield",
    ast.YieldFrom: "yield",
}

#: Expressions of a kernel, written out: more would be compiled for hours.
_MAX_STEPS = 2**20


class ExpressionVisitor:
    """Evaluates the expressions of one function, in the scope that statements make."""

    def __init__(
        self,
        source: FunctionSource,
        outer_names: Callable[[str], Any],
        names: dict[str, Any],
        context: Context,
        active: list[Any],
    ) -> None:
        self.source = source
        self.context = context
        self.builder = context.builder
        #: Finds what is no local name; KeyError where there is none.
        self.outer_names = outer_names
        #: The local names.
        self.names = names
        #: The functions that are being compiled, from the kernel on.
        self.active = active
        #: The loops around, with what names stand for at the beginning of their bodies.
        self._loops: list[tuple[set[str], dict[str, Any]]] = []

    @contextmanager
    def note_reads(self, read: set[str], names: dict[str, Any]) -> Iterator[None]:
        """Adds to `read` which of the names are read before they stand for something else."""
        self._loops.append((read, names))
        try:
            yield
        finally:
            self._loops.pop()

    def note_read(self, name: str, value: Any) -> None:
        """The value of a name is used."""
        for read, names in self._loops:
            if name in names and names[name] is value:
                read.add(name)

    # Places and mistakes

    def mark(self, node: ast.AST) -> None:
        """Ops that follow come from this node."""
        place = self.source.get_place(node)
        self.builder.set_place(place.line, place.column)

    def refuse(self, node: ast.AST, message: str) -> NoReturn:
        """Ends the compilation with a mistake at a node."""
        raise KernelError(message, self.source.get_place(node))

    def count_step(self, node: ast.AST) -> None:
        """Refuses kernels that are written out for too long."""
        self.context.steps += 1
        if self.context.steps > _MAX_STEPS:
            self.refuse(
                node,
                f"the kernel has more than {_MAX_STEPS} expressions: a function becomes part of it "
                "as often as it is called, the body of a loop that is unrolled as often as it runs",
            )

    def guard(
        self, node: ast.AST, function: Callable[..., Any], *arguments: Any, **keywords: Any
    ) -> Any:
        """Calls what may find a mistake, which is then one at this node."""
        self.mark(node)
        try:
            return function(*arguments, **keywords)
        except (KernelError, CompileError):
            raise
        except RecursionError:
            raise
        except Exception as error:
            raise KernelError(_describe_exception(error), self.source.get_place(node)) from error

    # Expressions

    def visit(self, node: ast.expr) -> Any:
        """The value of an expression."""
        self.count_step(node)
        method = getattr(self, f"visit_{type(node).__name__}", None)
        if method is None:
            what = _NOT_THERE.get(type(node), f"'{type(node).__name__}'")
            self.refuse(node, f"kernels do not have {what}")
        return unwrap(method(node))

    def visit_Constant(self, node: ast.Constant) -> Any:  # noqa: N802
        if isinstance(node.value, (bytes, complex)):
            self.refuse(node, f"kernels have no values such as {node.value!r}")
        return node.value

    def visit_Name(self, node: ast.Name) -> Any:  # noqa: N802
        if node.id in self.names:
            value = self.names[node.id]
            if isinstance(value, Undefined):
                self.refuse(node, f"'{node.id}' {value.reason}")
            self.note_read(node.id, value)
            return value
        try:
            return self.outer_names(node.id)
        except KeyError:
            known = [*self.names, *self.active[-1].list_outer_names()]
            self.refuse(node, f"'{node.id}' is not defined{describe_undefined(node.id, known)}")
        except NameError as error:
            self.refuse(node, str(error))

    def visit_Tuple(self, node: ast.Tuple) -> Any:  # noqa: N802
        return tuple(self.visit_items(node.elts))

    def visit_List(self, node: ast.List) -> Any:  # noqa: N802
        return self.visit_items(node.elts)

    def visit_items(self, nodes: list[ast.expr]) -> list[Any]:
        """Values of a list, with what stands behind stars in place."""
        items: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                value = self.visit(node.value)
                if isinstance(value, tensor) or not isinstance(value, Iterable):
                    what = describe(value) if isinstance(value, tensor) else value
                    self.refuse(node, f"* is for a tuple or a list, not for {what}")
                items.extend(self.guard(node, tuple, value))
            else:
                items.append(self.visit(node))
        return items

    def visit_BinOp(self, node: ast.BinOp) -> Any:  # noqa: N802
        if type(node.op) not in _OPERATORS:
            self.refuse(node, f"kernels do not have {_NOT_THERE[type(node.op)]}")
        left, right = self.visit(node.left), self.visit(node.right)
        sides = ((node.left, left), (node.right, right))
        self._refuse_none(node, sides, "neither a number nor a tile", "give it a value")
        return self.guard(node, _OPERATORS[type(node.op)], left, right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:  # noqa: N802
        value = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            if is_runtime(value):
                return self.guard(node, arithmetic.logical_not, value)
            return not value
        return self.guard(node, _OPERATORS[type(node.op)], value)

    def visit_Compare(self, node: ast.Compare) -> Any:  # noqa: N802
        if len(node.ops) != 1:
            self.refuse(node, "comparisons do not follow one another: write (a < b) & (b < c)")
        left, right = self.visit(node.left), self.visit(node.comparators[0])
        if isinstance(node.ops[0], (ast.In, ast.NotIn)) and is_runtime((left, right)):
            instead = (
                "compare with each element, as by tl.max(x == a)"
                if isinstance(right, tensor)
                else "compare a value of run time with each, as by (x == a) | (x == b)"
            )
            self.refuse(node, f"'in' is for constants: {instead}")
        if isinstance(node.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
            sides = ((node.left, left), (node.comparators[0], right))
            self._refuse_none(
                node, sides, "neither less nor more than a number", "compare with a number"
            )
        return self.guard(node, _OPERATORS[type(node.ops[0])], left, right)

    def _refuse_none(
        self,
        node: ast.expr,
        sides: Iterable[tuple[ast.expr, Any]],
        what_it_is: str,
        advice: str,
    ) -> None:
        """Names the operand that is None."""
        for side, value in sides:
            if unwrap(value) is None:
                name = ast.unparse(side)
                what = "None" if name == "None" else f"'{name}' is None, which"
                first = "" if name == "None" else f"ask '{name} is None' first, or "
                self.refuse(node, f"'{ast.unparse(node)}': {what} is {what_it_is}: {first}{advice}")

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:  # noqa: N802
        is_and = isinstance(node.op, ast.And)
        word = arithmetic.logical_and if is_and else arithmetic.logical_or
        result: Any = is_and
        for part in node.values:
            value = self.visit(part)
            if not is_runtime(value):
                # A constant decides, and cuts off what follows, or changes nothing.
                if bool(value) != is_and:
                    return value
                result = result if is_runtime(result) else value
                continue
            result = self.guard(part, word, result, value) if is_runtime(result) else value
        return result

    def visit_IfExp(self, node: ast.IfExp) -> Any:  # noqa: N802
        test = self.visit_test(node.test)
        if not is_runtime(test):
            return self.visit(node.body if test else node.orelse)
        return branches.choose(
            self, node, test, lambda: self.visit(node.body), lambda: self.visit(node.orelse)
        )

    def visit_test(self, node: ast.expr) -> Any:
        """A condition: a constant, or a scalar of type int1."""
        value = self.visit(node)
        if not is_runtime(value):
            return value
        if isinstance(value, tensor) and value.constant is not None:
            return value.constant
        if isinstance(value, tensor) and self.context.purity is not Purity.FREE:
            return self.guard(node, arithmetic.to_bool, value)
        if isinstance(value, tensor) and value.type.is_block() and value.numel == 1:
            value = self.guard(node, take_single, value)
        if not isinstance(value, tensor) or value.type.is_block():
            kind = value.type if isinstance(value, tensor) else "a tuple"
            self.refuse(
                node,
                f"a condition is one value, not a tile ({kind}): tl.where chooses element by "
                "element, tl.max or tl.sum make one value of a tile",
            )
        return self.guard(node, arithmetic.to_bool, value)

    def visit_Attribute(self, node: ast.Attribute) -> Any:  # noqa: N802
        value = self.visit(node.value)
        if is_number(value):
            # A constant is a scalar too, as an argument that happens to be 1.
            if node.attr == "value":
                return value
            scalar = self.guard(node, to_tensor, value)
            # What only numbers of Python have, as bit_length, it has as a constant.
            if hasattr(scalar, node.attr) or not hasattr(value, node.attr):
                value = scalar
        elif node.attr == "value" and not hasattr(value, "value"):
            return value
        found = self.guard(node, _get_attribute, value, node.attr)
        if self._is_outer(node.value):
            self._watch(node, value, found)
        return found

    def _is_outer(self, node: ast.expr) -> bool:
        """Whether it is a name of Python that is none of the kernel's, or an attribute of one."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id not in self.names

    def _watch(self, node: ast.Attribute, owner: Any, found: Any) -> None:
        """A variable of a module, a class or an object may change behind the kernel's back."""
        is_module = isinstance(owner, types.ModuleType)
        home = owner.__name__ if is_module else str(getattr(owner, "__module__", ""))
        if home.partition(".")[0] != "tilewright":
            self.guard(node, check_fixed, found, ast.unparse(node))
            self.guard(node, watch, owner, node.attr, found, ast.unparse(node))

    def visit_Subscript(self, node: ast.Subscript) -> Any:  # noqa: N802
        value, index = self.visit(node.value), self.visit_index(node.slice)
        if find_helper(value) is not None:
            self.refuse(
                node,
                f"kernels launch no kernels: call '{value.__name__}' as it is, without a grid, and "
                "its body becomes part of this one",
            )
        if is_runtime(index):
            self.refuse(node, describe_runtime_index(value))
        if isinstance(value, tuple) and isinstance(index, int):
            self.guard(node, check_place, value, index)
        return self.guard(node, operator.getitem, value, index)

    def visit_index(self, node: ast.expr) -> Any:
        """What stands between brackets."""
        if isinstance(node, ast.Slice):
            parts = (node.lower, node.upper, node.step)
            return slice(*(None if part is None else self.visit(part) for part in parts))
        if isinstance(node, ast.Tuple):
            return tuple(self.visit_index(each) for each in node.elts)
        return self.visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:  # noqa: N802
        text = ""
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                value = self.visit(part.value)
                if is_runtime(value):
                    self.refuse(
                        part.value,
                        "a text is made when the kernel is compiled, and this is a value of run "
                        'time: tl.device_print("text", x) prints it',
                    )
                layout = self.visit(part.format_spec) if part.format_spec else ""
                shown = repr(value) if part.conversion == ord("r") else value
                text += self.guard(part, format, shown, layout)
            elif isinstance(part, ast.Constant):
                text += str(part.value)
        return text

    def visit_ListComp(self, node: ast.ListComp) -> Any:  # noqa: N802
        """Of a tuple, a list or a tl.static_range: one value for each."""
        (space, *more) = node.generators
        if more or space.ifs or space.is_async:
            self.refuse(node, "a comprehension in a kernel has one 'for', and no 'if'")
        values = self.visit(space.iter)
        if isinstance(values, tl_program.static_range):
            values = list(loops.list_rounds(self, space.iter, values))
        if not isinstance(values, (tuple, list)):
            self.refuse(
                space.iter, "a comprehension goes over a tuple, a list or a tl.static_range"
            )
        outer = self.names
        try:
            return tuple([self._visit_with(space.target, each, node.elt) for each in values])
        finally:
            self.names = outer

    def _visit_with(self, target: ast.expr, value: Any, node: ast.expr) -> Any:
        """An expression in which a name stands for a value."""
        self.names = dict(self.names)
        self.assign(target, value)
        return self.visit(node)

    def assign(self, target: ast.expr, value: Any) -> None:
        """Gives a name, or several, a value."""
        raise NotImplementedError

    def visit_Call(self, node: ast.Call) -> Any:  # noqa: N802
        function = self.visit(node.func)
        arguments = self.visit_items(node.args)
        keywords: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self.visit(keyword.value)
            if keyword.arg is None:
                if not isinstance(value, Mapping):
                    self.refuse(keyword.value, "** is for a dictionary of constants")
                keywords.update(self.guard(node, dict, value))
            else:
                keywords[keyword.arg] = value
        return calls.call(self, node, function, arguments, keywords)


def _get_attribute(value: Any, name: str) -> Any:
    if name.startswith("_") and isinstance(value, tensor):
        raise AttributeError(f"a tile has no '{name}'")
    try:
        return getattr(value, name)
    except AttributeError:
        kind = f"a value of type {value.type}" if isinstance(value, tensor) else _name_of(value)
        missing = describe_missing(value, name)
        raise AttributeError(f"{kind} has no '{name}'{missing}") from None


def _name_of(value: Any) -> str:
    name = getattr(value, "__name__", None)
    return str(name) if name else repr(value)


# What words raise, with a text that needs no more.
_TOLD = (AssertionError, TypeError, ValueError, AttributeError, NameError)


def _describe_exception(error: Exception) -> str:
    text = str(error)
    if isinstance(error, _TOLD) and text:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
