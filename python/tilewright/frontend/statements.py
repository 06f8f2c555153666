"""Statements: assignments, branches, loops and returns."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any, NoReturn

from tilewright.frontend import branches, loops
from tilewright.frontend.expressions import _OPERATORS, ExpressionVisitor
from tilewright.frontend.returns import always_returns, visit_maybe_returning_if
from tilewright.frontend.values import is_runtime
from tilewright.language.composite import composite
from tilewright.language.tensor import is_number, tensor, to_tensor
from tilewright.language.types import constexpr, unwrap
from tilewright.source import has_return

_NOT_THERE = {
    "Break": "'break': end a loop by the condition of a 'while'",
    "Continue": "'continue': put the rest of the body into an 'if'",
    "Try": "'try': a kernel raises nothing",
    "With": "'with'",
    "AsyncWith": "'with'",
    "AsyncFor": "'async for'",
    "FunctionDef": "functions in a kernel: put it beside the kernel, with @tilewright.jit",
    "AsyncFunctionDef": "functions in a kernel",
    "ClassDef": "classes in a kernel",
    "Import": "imports in a kernel: import beside it",
    "ImportFrom": "imports in a kernel: import beside it",
    "Global": "'global': a kernel changes no Python variable; store into memory",
    "Nonlocal": "'nonlocal': a kernel changes no Python variable; store into memory",
    "Delete": "'del': a name ends with its last use",
    "Match": "'match': write 'if' and 'elif'",
}


@dataclass
class Returned:
    """That a function has ended, with a value."""

    value: Any


class StatementVisitor(ExpressionVisitor):
    """Carries out the statements of one function."""

    #: The last `return` with a value.
    returning: ast.Return | None = None

    def visit_body(self, statements: list[ast.stmt]) -> Returned | None:
        """Statements in order; says so where they end the function."""
        for index, statement in enumerate(statements):
            rest = statements[index + 1 :]
            if isinstance(statement, ast.Return):
                return Returned(self.visit_return(statement))
            if isinstance(statement, ast.If):
                test = self.visit_test(statement.test)
                returns = has_return([statement])
                if not is_runtime(test):
                    # What a constant cuts off is not even looked at.
                    chosen = statement.body if test else statement.orelse
                    if returns:
                        return self.visit_body([*chosen, *rest])
                    self.visit_body(chosen)
                elif returns:
                    return self._visit_returning_if(statement, test, rest)
                else:
                    branches.visit_if(self, statement, test)
                continue
            if isinstance(statement, ast.For) and has_return([statement]):
                return self.visit_body([*loops.list_statements(self, statement), *rest])
            self.visit_statement(statement)
        return None

    def visit_return(self, node: ast.Return) -> Any:
        """What it returns."""
        if node.value is None:
            return None
        self.returning = node
        return self.visit(node.value)

    def _visit_returning_if(self, node: ast.If, test: tensor, rest: list[ast.stmt]) -> Returned:
        """What follows stands in the branch that does not return, or behind a flag."""
        if always_returns(node.body):
            return branches.visit_returning_if(self, node, test, node.body, [*node.orelse, *rest])
        if always_returns(node.orelse):
            return branches.visit_returning_if(self, node, test, [*node.body, *rest], node.orelse)
        return visit_maybe_returning_if(self, node, test, rest)

    def visit_statement(self, node: ast.stmt) -> None:
        """Any statement but 'if' and 'return'."""
        name = type(node).__name__
        method = getattr(self, f"visit_{name}", None)
        if method is None:
            self.refuse(node, f"kernels do not have {_NOT_THERE.get(name, repr(name))}")
        method(node)

    # Assignments

    def visit_Assign(self, node: ast.Assign) -> None:  # noqa: N802
        value = self._keep(node, self.visit(node.value))
        for target in node.targets:
            self.assign(target, value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:  # noqa: N802
        if not isinstance(node.target, ast.Name):
            self._refuse_target(node, node.target)
        left = self.visit_Name(ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target))
        right = self.visit(node.value)
        if type(node.op) not in _OPERATORS:
            self.refuse(node, "kernels do not have @: write tl.dot")
        self.assign(
            node.target, self._keep(node, self.guard(node, _OPERATORS[type(node.op)], left, right))
        )

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:  # noqa: N802
        if node.value is None:
            return
        value = self.visit(node.value)
        annotation = self.visit(node.annotation) if not _is_text(node.annotation) else None
        is_constant = annotation is constexpr or _names_constexpr(node.annotation)
        if is_constant and is_runtime(value):
            self.refuse(node, "what is annotated as tl.constexpr is known at run time only")
        self.assign(node.target, value if is_constant else self._keep(node, value))

    def _keep(self, node: ast.AST, value: Any) -> Any:
        """What a name stands for: a number becomes a scalar of its type, unless it is annotated."""
        if is_number(value):
            return self.guard(node, to_tensor, value)
        return value

    def assign(self, target: ast.expr, value: Any) -> None:
        """Gives a name, or several, a value."""
        if isinstance(target, ast.Name):
            self.names[target.id] = unwrap(value)
            return
        if isinstance(target, (ast.Tuple, ast.List)):
            if isinstance(value, (tensor, composite)) or not hasattr(value, "__iter__"):
                self.refuse(
                    target, "what stands on the right is one value, and there are several names"
                )
            values = list(value)
            if any(isinstance(each, ast.Starred) for each in target.elts):
                self.refuse(target, "kernels do not have stars on the left of an assignment")
            if len(values) != len(target.elts):
                self.refuse(target, f"{len(values)} values for {len(target.elts)} names")
            for each, part in zip(target.elts, values, strict=True):
                self.assign(each, self._keep(target, part))
            return
        self._refuse_target(target, target)

    def _refuse_target(self, node: ast.AST, target: ast.expr) -> NoReturn:
        if isinstance(target, ast.Attribute):
            self.refuse(node, "a kernel changes no attribute: give the value a name of its own")
        owner = self.visit(target.value) if isinstance(target, ast.Subscript) else None
        if isinstance(owner, tensor) and owner.type.scalar.is_ptr():
            self.refuse(node, "a pointer is not indexed: write tl.store(x + i, value)")
        if isinstance(owner, (tuple, list)):
            self.refuse(node, "a tuple keeps its values: make another, as by (a, *values[1:])")
        self.refuse(node, "an element of a tile cannot be changed: tl.where makes another tile")

    # The others

    def visit_Expr(self, node: ast.Expr) -> None:  # noqa: N802
        if not isinstance(node.value, ast.Constant):
            self.visit(node.value)

    def visit_Pass(self, node: ast.Pass) -> None:  # noqa: N802
        """Nothing."""

    def visit_For(self, node: ast.For) -> None:  # noqa: N802
        loops.visit_for(self, node)

    def visit_Round(self, node: loops.Round) -> None:  # noqa: N802
        self.assign(node.target, node.value)

    def visit_While(self, node: ast.While) -> None:  # noqa: N802
        loops.visit_while(self, node)

    def visit_Assert(self, node: ast.Assert) -> None:  # noqa: N802
        test = self.visit(node.test)
        message = self.visit(node.msg) if node.msg else "assertion failed"
        if is_runtime(test):
            from tilewright.language.program import device_assert

            self.guard(node, device_assert, test, message)
        elif not test:
            self.refuse(node, str(message))

    def visit_Raise(self, node: ast.Raise) -> None:  # noqa: N802
        what = ""
        if isinstance(node.exc, ast.Call) and node.exc.args:
            value = self.visit(node.exc.args[0])
            what = value if isinstance(value, str) else repr(value)
        if self.context.choices:
            what = what and f": {what}"
            self.refuse(
                node, f"a 'raise' behind a condition of run time: write tl.device_assert{what}"
            )
        self.refuse(node, what or "this 'raise' is reached")


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _names_constexpr(node: ast.expr) -> bool:
    return _is_text(node) and str(getattr(node, "value", "")).endswith("constexpr")
