"""The source of a Python function, as a syntax tree that knows its places."""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from dataclasses import dataclass

from tilewright.errors import CompileError
from tilewright.frontend.errors import Place


@dataclass(frozen=True)
class FunctionSource:
    """A function, parsed once."""

    name: str
    file: str
    tree: ast.FunctionDef
    lines: list[str]
    #: What is added to a line of the tree, and to a column.
    first_line: int
    indentation: int

    def get_place(self, node: ast.AST) -> Place:
        """Where a node of the tree stands in its file."""
        line = getattr(node, "lineno", 1)
        text = self.lines[line - 1].rstrip("\n") if line <= len(self.lines) else ""
        # Columns of the tree count bytes of the line without its indentation.
        inner = text[self.indentation :].encode()[: getattr(node, "col_offset", 0)]
        column = self.indentation + len(inner.decode(errors="ignore")) + 1
        return Place(self.file, self.first_line + line - 1, column, text, self.name)


def read_source(function: types.FunctionType) -> FunctionSource:
    """Parses a function.

    Raises:
        CompileError: Nobody knows its source, as of functions that were typed into a prompt.
    """
    try:
        lines, first_line = inspect.getsourcelines(function)
    except (OSError, TypeError):
        raise CompileError(
            f"the source of '{function.__qualname__}' cannot be found: a kernel stands in a file "
            "or a cell of a notebook"
        ) from None
    text = textwrap.dedent("".join(lines))
    tree = ast.parse(text).body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise CompileError(f"'{function.__qualname__}' is no function that is made by def")
    indentation = len(lines[0]) - len(text.split("\n", 1)[0]) - 1
    file = inspect.getsourcefile(function) or "<unknown>"
    return FunctionSource(function.__name__, file, tree, lines, first_line, max(indentation, 0))


def find_assigned(statements: list[ast.stmt]) -> list[str]:
    """The names that statements assign, in the order of their first assignment."""
    names: dict[str, None] = {}
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.setdefault(node.id)
    return list(names)


def has_return(statements: list[ast.stmt]) -> bool:
    """Whether one of them may end the function."""
    return any(isinstance(node, ast.Return) for each in statements for node in ast.walk(each))
