"""All that a kernel's code is made of, as one number: its source, helpers, and constants."""

from __future__ import annotations

import ast
import hashlib
import inspect
import types
from typing import Any

from tilewright import _core
from tilewright.jit_function import JITFunction, find_helper
from tilewright.language.types import constexpr, dtype


class UnknownContentsError(Exception):
    """Nobody can say whether a kernel is the same in another process."""


def _find_uses(tree: ast.AST) -> list[tuple[str, ...]]:
    """Names with their attributes: ("tl", "load")."""
    uses = set()
    for node in ast.walk(tree):
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.insert(0, node.attr)
            node = node.value
        if isinstance(node, ast.Name):
            uses.add((node.id, *attributes))
    return sorted(uses)


class _Collector:
    """Follows what functions refer to."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._seen: set[int] = set()

    def add_kernel(self, function: JITFunction) -> None:
        if id(function) in self._seen:
            return
        self._seen.add(id(function))
        source = function.source
        self.texts += [function.__qualname__, "".join(source.lines)]
        names = {**function.fn.__globals__, **inspect.getclosurevars(function.fn).nonlocals}
        for root, *attributes in _find_uses(source.tree):
            if root in names:
                self._add_use(root, names[root], attributes)

    def _add_use(self, name: str, value: Any, attributes: list[str]) -> None:
        while attributes and isinstance(value, (types.ModuleType, type)):
            name += f".{attributes[0]}"
            value = getattr(value, attributes[0], None)
            attributes = attributes[1:]
        self.texts += [name, self._describe(value)]

    def _describe(self, value: Any) -> str:
        helper = find_helper(value)
        if helper is not None:
            self.add_kernel(helper)
            return helper.__qualname__
        if isinstance(value, (types.ModuleType, type, dtype)):
            return getattr(value, "__name__", str(value))
        if isinstance(value, types.FunctionType):
            # Ours are those of this version; others run on constants.
            if value.__module__.startswith("tilewright."):
                return value.__qualname__
            try:
                return inspect.getsource(value)
            except (OSError, TypeError):
                raise UnknownContentsError(f"'{value.__qualname__}' has no source") from None
        text = repr(value.value if isinstance(value, constexpr) else value)
        return text if " at 0x" not in text else type(value).__qualname__


def _describe_compiler() -> str:
    from pathlib import Path

    stat = Path(_core.__file__).stat()
    return f"{_core.version} {stat.st_size} {stat.st_mtime_ns}"


def digest_kernel(function: JITFunction) -> str:
    """The same for the same code, in any process.

    Raises:
        UnknownContentsError: A function that it calls has no source.
    """
    collector = _Collector()
    collector.add_kernel(function)
    texts = [_describe_compiler(), *collector.texts]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()
