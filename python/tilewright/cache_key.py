"""What a compiled kernel depends on, as one key, found without the front end.

A process that finds its kernels in the cache on disk writes no program and loads no compiler: the
key is made of the sources of the kernel and of its helpers, and of what the names in them stand
for. What cannot be told apart for good, such as an object of a class of the user's, leaves the
kernel without a key: each process compiles it.
"""

from __future__ import annotations

import ast
import enum
import functools
import os
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tilewright import _core
from tilewright.errors import CompileError
from tilewright.function import KernelFunction, find_helper, is_watched
from tilewright.language.types import constexpr, dtype


class _NoKeyError(Exception):
    """Something cannot be told apart."""


class Variable(NamedTuple):
    """A variable of Python that a kernel may rely on, as `Dispatcher.watch` takes it."""

    owner: Any
    name: str
    value: Any
    shown: str


@dataclass(frozen=True)
class KernelKey:
    """The key of a kernel for some types and constants."""

    digest: str
    #: All that its program can rely on, in an order that follows from the key.
    variables: list[Variable]

    def make_notes(self, watched: Sequence[tuple[Any, str]]) -> str | None:
        """Which of the variables the program does rely on, as text.

        Nothing where one is not among them: then the key does not tell enough.
        """
        numbers = []
        for owner, name in watched:
            for number, variable in enumerate(self.variables):
                if variable.owner is owner and variable.name == name:
                    numbers.append(number)
                    break
            else:
                return None
        return " ".join(map(str, sorted(set(numbers))))

    def read_notes(self, notes: str) -> list[Variable]:
        """The variables that `make_notes` wrote down."""
        return [self.variables[int(number)] for number in notes.split()]


def make_key(
    function: KernelFunction,
    signature: Sequence[Any],
    constants: Mapping[str, Any],
    options: Mapping[str, Any],
) -> KernelKey | None:
    """The key of a kernel; nothing where it has none, or nothing is to be kept.

    Args:
        options: All else that the code depends on: numbers of warps, the target.
    """
    identity = _get_identity() if _core.has_cache() else None
    if identity is None:
        return None
    parts = _Parts()
    try:
        parts.add("kernel", identity)
        parts.add_value(list(signature))
        parts.add_value(sorted(constants.items()))
        parts.add_value(sorted(options.items()))
        parts.add_function(function)
        return KernelKey(_core.digest(parts.texts), parts.variables)
    except (_NoKeyError, CompileError, RecursionError, UnicodeEncodeError):
        return None


def make_contents_key(function: KernelFunction) -> str | None:
    """The key of a kernel's text and of what it names, whatever it is launched with; or nothing."""
    identity = _get_identity()
    if identity is None:
        return None
    parts = _Parts()
    try:
        parts.add("contents", identity)
        parts.add_function(function)
        return _core.digest(parts.texts)
    except (_NoKeyError, CompileError, RecursionError, UnicodeEncodeError):
        return None


def make_text_key(text: str, options: Mapping[str, Any]) -> str:
    """The key of a program that is given as text; empty where it has none."""
    identity = _get_identity() if _core.has_cache() else None
    if identity is None:
        return ""
    try:
        return _core.digest(["text", identity, repr(sorted(options.items())), text])
    except UnicodeEncodeError:
        return ""


@functools.cache
def _get_identity() -> str | None:
    """What compiles: the compiler, this package, the version of Python."""
    compiler = _core.get_build_identity()
    sources = sorted(_find_sources(os.path.dirname(__file__)))  # noqa: PTH120
    package = _core.digest_files(sources) if sources else None
    if not compiler or package is None:
        return None
    return f"{compiler} {package} {sys.version_info[:2]}"


def _find_sources(folder: str) -> Iterator[str]:
    for entry in os.scandir(folder):
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _find_sources(entry.path)
        elif entry.name.endswith(".py"):
            yield entry.path


#: Attributes that follow a name: ("constexpr",) in tl.constexpr, () for a name alone.
_Chain = tuple[str, ...]


def _find_chains(statements: list[ast.stmt]) -> dict[str, dict[_Chain, None]]:
    """All that a body reads by name, in the order in which it stands there."""
    found: dict[str, dict[_Chain, None]] = {}
    waiting: list[ast.AST] = list(reversed(statements))
    while waiting:
        node = waiting.pop()
        chain: list[str] = []
        while isinstance(node, ast.Attribute):
            chain.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name):
            found.setdefault(node.id, {}).setdefault(tuple(reversed(chain)))
        else:
            waiting.extend(ast.iter_child_nodes(node))
    return found


#: Modules of Python's library that tell what the machine says at the moment, as the environment.
_CHANGING_MODULES = {
    "_io", "datetime", "glob", "io", "nt", "os", "pathlib", "platform", "posix", "random",
    "secrets", "socket", "subprocess", "sys", "tempfile", "time", "uuid",
}  # fmt: skip

#: Modules whose functions and classes are what their names and versions say.
_KNOWN_MODULES = sys.stdlib_module_names - _CHANGING_MODULES | {"tilewright", "numpy", "torch"}


def _is_known(module: Any) -> bool:
    return isinstance(module, str) and module.partition(".")[0] in _KNOWN_MODULES


#: What a name may stand for before it becomes a local one.
_CONSTANTS = (bool, int, float, str, constexpr, KernelFunction)


class _Parts:
    """Collects what becomes the key, as texts."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.variables: list[Variable] = []
        #: Functions so far, by identity.
        self._numbers: dict[int, int] = {}

    def add(self, *texts: str) -> None:
        self.texts.extend(texts)

    def add_value(self, value: Any) -> None:
        """What a constant, or a name, stands for."""
        kind = type(value)
        if value is None or kind in (bool, int, float, str, bytes, complex, type(...)):
            self.add(kind.__name__, repr(value))
        elif kind in (tuple, list):
            self.add(kind.__name__, str(len(value)))
            for each in value:
                self.add_value(each)
        elif isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
            self._add_callable(value)
        else:
            self._add_object(value)

    def _add_object(self, value: Any) -> None:
        kind = type(value)
        helper = find_helper(value)
        if helper is not None:
            self.add_function(helper)
        elif isinstance(value, constexpr):
            self.add("constexpr")
            self.add_value(value.value)
        elif isinstance(value, dtype):
            self.add("dtype", repr(value))
        elif isinstance(value, enum.Enum):
            self.add("enum", kind.__module__, kind.__qualname__, value.name)
            self.add_value(value.value)
        elif isinstance(value, tuple) and hasattr(value, "_fields"):
            self._add_callable(kind)
            self.add_value(tuple(value))
        elif isinstance(value, types.ModuleType) and _is_known(value.__name__):
            self.add("module", value.__name__, str(getattr(value, "__version__", "")))
        elif kind.__module__ == "numpy" and hasattr(value, "item") and value.shape == ():
            self.add("numpy", str(value.dtype))
            self.add_value(value.item())
        elif _is_known(kind.__module__) and kind.__name__.lower().endswith("dtype"):
            # Of NumPy and PyTorch.
            self.add(kind.__module__, str(value))
        elif _is_known(getattr(value, "__module__", None)) and hasattr(value, "__qualname__"):
            self.add("named", value.__module__, value.__qualname__)
        else:
            raise _NoKeyError(f"a value of class {kind.__qualname__}")

    def _add_callable(self, value: Any) -> None:
        """A class, or a function of Python: it may be called with constants."""
        module = value.__module__
        if _is_known(module):
            version = str(getattr(sys.modules.get(module.partition(".")[0]), "__version__", ""))
            self.add("named", module, value.__qualname__, version)
        elif isinstance(value, type) and value.__bases__ == (tuple,) and hasattr(value, "_fields"):
            if set(vars(value)) - _NAMED_TUPLE - set(value._fields):
                raise _NoKeyError(f"{value.__qualname__} has methods")
            self.add("namedtuple", module, value.__qualname__, *value._fields)
            self.add_value(sorted(vars(value)["_field_defaults"].items()))
        elif isinstance(value, types.FunctionType):
            self._add_python_function(value)
        else:
            raise _NoKeyError(f"{value!r}")

    def _add_python_function(self, function: types.FunctionType) -> None:
        """A function that runs while kernels are compiled: its code, and what it can reach."""
        if self._add_number(function):
            return
        self.add("python", str(function.__module__), function.__qualname__)
        self.add_value(function.__defaults__)
        self.add_value(sorted((function.__kwdefaults__ or {}).items()))
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        self._add_code(function.__code__, function.__globals__ | dict(_open_cells(cells)))

    def _add_code(self, code: types.CodeType, names: Mapping[str, Any]) -> None:
        self.add("code", code.co_code.hex(), " ".join(code.co_varnames))
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._add_code(constant, names)
            elif isinstance(constant, frozenset):
                self.add_value(sorted(constant, key=repr))
            else:
                self.add_value(constant)
        # Attributes have their names among the others, which does no harm.
        for name in (*code.co_names, *code.co_freevars):
            self.add("name", name)
            if name in names:
                self.add_value(names[name])
            elif name == "open":
                raise _NoKeyError("what is in a file")

    def _add_number(self, function: Any) -> bool:
        """Whether it was there before; then its number is all there is to say."""
        number = self._numbers.setdefault(id(function), len(self._numbers))
        self.add("function", str(number))
        return number < len(self._numbers) - 1

    def add_function(self, function: KernelFunction) -> None:
        """A kernel, or a helper: its lines and their place, and all that they name."""
        if self._add_number(function):
            return
        source = function.source
        self.add(str(function.fn.__module__), function.__qualname__, source.file)
        self.add(str(source.first_line), *source.lines)
        for parameter in function.parameters:
            self.add("parameter", parameter.name, str(parameter.is_constexpr), parameter.type_name)
            self.add_value(parameter.default)
        code = function.fn.__code__
        locals_ = {*code.co_varnames, *code.co_cellvars}
        for name, chains in _find_chains(source.tree.body).items():
            found = function.find_owner(name)
            if found is None or (name in locals_ and not isinstance(found[1], _CONSTANTS)):
                continue
            self.add("name", name)
            for chain in chains:
                self._add_name(*found, name, chain)

    def _add_name(self, owner: Any, value: Any, name: str, chain: _Chain) -> None:
        """A name of a kernel, with the attributes of modules and classes behind it."""
        if owner is not None:
            key = name if isinstance(owner, dict) else "cell_contents"
            self._add_variable(Variable(owner, key, value, name))
        shown = name
        for attribute in chain:
            if not isinstance(value, (types.ModuleType, type)):
                break
            shown += f".{attribute}"
            self.add(shown)
            inner = getattr(value, attribute, _MISSING)
            if inner is _MISSING:
                return
            self._add_variable(Variable(value, attribute, inner, shown))
            value = inner
        self.add_value(value)

    def _add_variable(self, variable: Variable) -> None:
        if is_watched(variable.value):
            self.variables.append(variable)


_MISSING = object()

#: What a class has that is made by typing.NamedTuple or collections.namedtuple, and no more.
_NAMED_TUPLE = {
    "__annotations__",
    "__annotate__",
    "__annotate_func__",
    "__annotations_cache__",
    "__doc__",
    "__firstlineno__",
    "__getnewargs__",
    "__match_args__",
    "__module__",
    "__new__",
    "__orig_bases__",
    "__replace__",
    "__repr__",
    "__slots__",
    "__static_attributes__",
    "_asdict",
    "_field_defaults",
    "_fields",
    "_make",
    "_replace",
}


def _open_cells(
    cells: Iterator[tuple[str, types.CellType]],
) -> Iterator[tuple[str, Any]]:
    for name, cell in cells:
        try:
            yield name, cell.cell_contents
        except ValueError:
            continue
