"""The source of a Python function, as a syntax tree that knows its places."""

from __future__ import annotations

import ast
import inspect
import re
import types
from collections.abc import Iterable
from dataclasses import dataclass

from tilewright.errors import CompileError


@dataclass(frozen=True)
class Place:
    """Where something stands: its file, its line and column from 1, and the line itself."""

    file: str
    line: int
    column: int
    text: str
    function: str

    def render(self, kind: str, message: str) -> str:
        """The place as compilers print it, with a caret."""
        head = f"{self.file}:{self.line}:{self.column}: {kind}: {message}"
        if not self.text:
            return head
        # Tabs stay, so that the caret stands below what it means.
        margin = "".join("\t" if char == "\t" else " " for char in self.text[: self.column - 1])
        return f"{head}\n{self.text}\n{margin}^"


@dataclass(frozen=True)
class FunctionSource:
    """A function, parsed once."""

    name: str
    file: str
    tree: ast.FunctionDef
    lines: list[str]
    #: Where it begins in its file.
    first_line: int

    def get_place(self, node: ast.AST) -> Place:
        """Where a node of the tree stands in its file."""
        # The first line of the tree is none of the source; columns count bytes.
        line = getattr(node, "lineno", 2) - 1
        text = self.lines[line - 1].rstrip("\n") if line <= len(self.lines) else ""
        before = text.encode()[: getattr(node, "col_offset", 0)]
        column = len(before.decode(errors="ignore")) + 1
        return Place(self.file, self.first_line + line - 1, column, text, self.name)


#: The lines of a function, and the number of the first one.
Lines = tuple[list[str], int]


def read_lines(function: types.FunctionType) -> Lines | None:
    """The source as it is now; nothing where there is none.

    It is read when the function is decorated: later, other lines may stand there.
    """
    try:
        return inspect.getsourcelines(function)
    except (OSError, TypeError):
        return None


def parse_source(function: types.FunctionType, lines_read: Lines | None) -> FunctionSource:
    """Parses the lines of a function.

    Raises:
        CompileError: Nobody knows its source, as of functions that were typed into a prompt.
    """
    if lines_read is None:
        raise CompileError(
            f"the source of '{function.__qualname__}' cannot be found: a kernel stands in a file "
            "or a cell of a notebook"
        )
    lines, first_line = lines_read
    file = _name_file(inspect.getsourcefile(function) or "<unknown>")
    if function.__name__ == "<lambda>":
        raise _refuse("a kernel is made by def, not by lambda", file, first_line)
    # What stands in a class or a function is read as it stands: its comments may be indented less.
    opening = "if True:\n" if lines[0][0].isspace() else "\n"
    tree = ast.parse(opening + "".join(lines)).body[0]
    if isinstance(tree, ast.If):
        (tree,) = tree.body
    if not isinstance(tree, ast.FunctionDef):
        what = f"a kernel is made by def, and '{function.__name__}' is not"
        raise _refuse(what, file, first_line)
    return FunctionSource(function.__name__, file, tree, lines, first_line)


def _refuse(what: str, file: str, line: int) -> CompileError:
    return CompileError(f"{file}:{line}: error: {what}", what, file, line)


#: What ipykernel and IPython call a cell: /tmp/ipykernel_1234/567890.py, <ipython-input-1-89abcd>.
_CELL = re.compile(r".*[/\\]ipykernel_\d+[/\\]\d+\.py|<ipython-input-\d+-\w+>")


def _name_file(file: str) -> str:
    """What messages and compiled code call a file.

    The name of a notebook's cell has the number of the process or of the run in it, and says
    nothing to anybody: by it no later process would find the kernel in the cache.
    """
    return "<cell>" if _CELL.fullmatch(file) else file


def find_assigned(statements: list[ast.stmt]) -> list[str]:
    """The names that statements assign, in the order of their first assignment."""
    names: dict[str, None] = {}
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.setdefault(node.id)
    return list(names)


def has_return(nodes: Iterable[ast.AST]) -> bool:
    """Whether one of these statements may end the function."""
    return any(
        isinstance(node, ast.Return) or has_return(ast.iter_child_nodes(node))
        for node in nodes
        if not isinstance(node, ast.expr)
    )
