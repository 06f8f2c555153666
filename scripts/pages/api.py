# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pages that are made of docstrings: one for each public module of the package."""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from pages.words import FAMILIES, find_words, write_parameters

# What heads the parts of a docstring.
SECTION = re.compile(r"^(Args|Returns|Raises|Yields):$", re.MULTILINE)
ARGUMENT = re.compile(r"^([\w, *]+):")


def make_pages() -> dict[str, str]:
    """The text of each page, by its path in docs/."""
    return {
        "api/tilewright.md": _write_module("tilewright"),
        "api/language.md": _write_language(),
        "api/testing.md": _write_module("tilewright.testing"),
    }


# Public names


def get_public(module: ModuleType) -> dict[str, Any]:
    """What a module means to be used: __all__, or else what it defines itself."""
    if hasattr(module, "__all__"):
        return {name: getattr(module, name) for name in module.__all__}
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    }


def get_members(kind: type) -> dict[str, tuple[Any, str]]:
    """The methods and properties of a class that people use, each with its docstring, or that of
    the same in a class that it extends."""
    members = {}
    for name, value in vars(kind).items():
        if name.startswith("_") or not (callable(value) or isinstance(value, property)):
            continue
        same = (vars(each).get(name) for each in kind.__mro__)
        members[name] = value, next(filter(None, map(get_description, same)), "")
    return members


def get_description(value: Any) -> str:
    """Its own docstring, and not that of its class."""
    if signatures := getattr(value, "__nb_signature__", None):
        return inspect.cleandoc(signatures[0][1] or "")
    text = getattr(value, "__doc__", None)
    if value is None or not text or (not isinstance(value, type) and text == type(value).__doc__):
        return ""
    return inspect.cleandoc(text)


def find_undocumented() -> list[str]:
    """Public names of the package without a docstring."""
    language = importlib.import_module("tilewright.language")
    missing = []
    for module in ("tilewright", "tilewright.language", "tilewright.testing"):
        for name, value in get_public(importlib.import_module(module)).items():
            if not (callable(value) or isinstance(value, ModuleType)) or _is_type(value):
                continue
            if not get_description(value):
                missing.append(f"{module}.{name}")
            if isinstance(value, type):
                missing += [
                    f"{module}.{name}.{member}"
                    for member, (_, description) in get_members(value).items()
                    if not description and member not in language.__all__
                ]
    for module, _, prefix in FAMILIES:
        for names, function in find_words(_import_family(module), prefix):
            if not get_description(function):
                missing.append(prefix + names[-1])
    return missing


def _is_type(value: Any) -> bool:
    """Whether it is a type of the language, as tl.float16."""
    return type(value).__module__ == "tilewright.language.types"


# Markdown


def format_docstring(text: str) -> str:
    """A docstring as Markdown: parts become lists, examples blocks."""
    text = re.sub(r"``", "`", text)
    first, *parts = SECTION.split(text)
    result = _format_examples(first.strip())
    for title, body in zip(parts[::2], parts[1::2], strict=True):
        entries = textwrap.dedent(body.strip("\n"))
        rest = ""
        if match := re.search(r"\n\n(?=\S)", entries):
            entries, rest = entries[: match.start()], entries[match.end() :]
        items = re.sub(r"\n\s+", " ", entries).split("\n")
        lines = ["- " + ARGUMENT.sub(r"`\1`:", item) for item in items]
        result += f"\n\n**{title}**\n\n" + "\n".join(lines)
        if rest:
            result += "\n\n" + _format_examples(rest.strip())
    return result


def _format_examples(text: str) -> str:
    blocks = []
    for block in text.split("\n\n"):
        blocks.append(f"```pycon\n{block}\n```" if block.lstrip().startswith(">>>") else block)
    return "\n\n".join(blocks)


def _write_signature(name: str, value: Any) -> str:
    """`name(parameters)`; without what is behind, for types and the like."""
    text = getattr(value, "__nb_signature__", None)
    if text:
        return re.sub(r"\(self(, )?", "(", text[0][0].removeprefix("def "))
    try:
        parameters = re.sub(r"^self(, |$)", "", write_parameters(value))
        return f"{name}({parameters})"
    except (TypeError, ValueError):
        return name


def _write_class(name: str, kind: type, words: dict[str, Any]) -> Iterator[str]:
    is_plain = issubclass(kind, BaseException) or not _has_own_init(kind)
    yield f"### `{name if is_plain else _write_signature(name, kind)}`"
    yield format_docstring(get_description(kind))
    methods = []
    for member, (value, description) in get_members(kind).items():
        if not description and member in words:
            methods.append(f"`{member}`")
            continue
        title = member if isinstance(value, property) else _write_signature(member, value)
        yield f"#### `{title}`"
        yield format_docstring(description)
    if methods:
        yield f"Methods that are words of the same name: {', '.join(methods)}."


def _has_own_init(kind: type) -> bool:
    return inspect.isfunction(vars(kind).get("__init__"))


def _write_module(name: str) -> str:
    module = importlib.import_module(name)
    public = get_public(module)
    lines = [f"# {name}", format_docstring(inspect.getdoc(module) or "")]
    groups: list[tuple[str, Callable[[Any], bool]]] = [
        ("Functions", lambda value: callable(value) and not isinstance(value, type)),
        (
            "Classes",
            lambda value: isinstance(value, type) and not issubclass(value, BaseException),
        ),
        ("Errors", lambda value: isinstance(value, type) and issubclass(value, BaseException)),
    ]
    for title, belongs in groups:
        members = {each: value for each, value in public.items() if belongs(value)}
        if members:
            lines.append(f"## {title}")
        for each, value in members.items():
            if isinstance(value, type):
                lines += _write_class(each, value, {})
            else:
                lines.append(f"### `{_write_signature(each, value)}`")
                lines.append(format_docstring(get_description(value)))
    return "\n\n".join(lines) + "\n"


def _import_family(name: str) -> ModuleType:
    return importlib.import_module(f"tilewright.language.{name}")


def _write_language() -> str:
    language = importlib.import_module("tilewright.language")
    public = get_public(language)
    lines = [
        "# tilewright.language",
        "The words of kernels: `import tilewright.language as tl`. A table of all of them, and "
        "where they differ from NumPy, is in [the words](../words.md).",
    ]
    for module, title, prefix in FAMILIES:
        lines.append(f"## {title}")
        for names, function in find_words(_import_family(module), prefix):
            lines.append(f"### `{prefix}{names[-1]}({write_parameters(function)})`")
            if names[:-1]:
                others = ", ".join(f"`{prefix}{name}`" for name in names[:-1])
                lines.append(f"Also as {others}.")
            lines.append(format_docstring(get_description(function)))
    lines.append("## Types")
    types = ", ".join(f"`tl.{name}`" for name, value in public.items() if _is_type(value))
    lines.append(f"Types of elements: {types}.")
    for name, value in public.items():
        if not callable(value) or _is_type(value) or f"`tl.{name}" in "\n".join(lines):
            continue
        if isinstance(value, type):
            lines += _write_class(f"tl.{name}", value, public)
        else:
            lines.append(f"### `{_write_signature(f'tl.{name}', value)}`")
            lines.append(format_docstring(get_description(value)))
    return "\n\n".join(lines) + "\n"
