#!/usr/bin/env python3
"""Checks that no two files of a library have functions of their own of one name.

    scripts/check-file-names.py [REPOSITORY]

Prints each such function as FILE:LINE: REASON and exits with 1 when there is one. Files of a
library are compiled in batches (docs/decisions/0162-what-ci-compiles.md). Of two functions of one
name the compiler says that they are one thing twice, but not if their parameters differ: then
either may take calls of the other, without a word. A function is a file's own if it is static, or
in a namespace without a name. What is a function a few patterns say, for code as clang-format
writes it: no compiler is asked.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import tree_check

FOLDERS = ["lib", "tools"]

LIBRARY = re.compile(r"\btilewright_(?:library|tool)\s*\((\w[\w-]*)([^()]*)\)")
ALONE = re.compile(r"\btilewright_alone\s*\(([^()]*)\)")
# Comments but those on ends of namespaces, strings, characters and what the preprocessor reads.
NO_CODE = re.compile(
    r"""(?<!^\} )//.*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)'|^#(?:.*\\\n)*.*""", re.MULTILINE
)
# clang-format lets what is in a namespace begin in the first column, and what is in a class not.
LINE = re.compile(r"^(?:(?!\w+:$)\w(?:[^;{}]|\{\})*[;{}]|\} // namespace$)", re.MULTILINE)
NAMESPACE = re.compile(r"namespace(?: ([\w:]+))? \{$")
FUNCTION = re.compile(
    r"(?:template <.*>\s*)?(?!struct|class|enum|union|using)[^=(]*[\s*&](\w+)\([^;]*\{$"
)


def is_alone(file: str, lists: str) -> bool:
    """Whether a file is in no batch, by its name or by `list(FILTER words INCLUDE REGEX ^...)`."""
    for words in ALONE.findall(lists):
        if variable := re.fullmatch(r"\$\{(\w+)\}", words):
            regex = re.search(rf"\(FILTER {variable[1]} INCLUDE REGEX (\S+)\)", lists)
            if regex and re.search(regex[1], file):
                return True
        elif file in words.split():
            return True
    return False


def find_libraries(root: Path) -> Iterator[list[Path]]:
    """The files of each library that are compiled in batches."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("CMakeLists.txt")):
            lists = path.read_text()
            for name, words in LIBRARY.findall(lists):
                if f"({name} PROPERTIES UNITY_BUILD OFF)" not in lists:
                    files = [word for word in words.split() if word.endswith(".cpp")]
                    yield [path.parent / file for file in files if not is_alone(file, lists)]


def find_functions(text: str) -> dict[str, int]:
    """The names of functions that are this file's own, and where each is defined first."""
    code = NO_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    functions: dict[str, int] = {}
    unnamed = False
    for found in LINE.finditer(code):
        line = found.group()
        if opening := NAMESPACE.match(line):
            unnamed = opening[1] is None
        elif line.startswith("}"):
            unnamed = False
        elif (unnamed or "static " in line) and (function := FUNCTION.match(line)):
            functions.setdefault(function[1], code.count("\n", 0, found.start()) + 1)
    return functions


def check(root: Path) -> list[str]:
    """All offences in the repository."""
    offences = []
    for library in find_libraries(root):
        first: dict[str, str] = {}
        for path in library:
            for name, line in find_functions(path.read_text()).items():
                place = f"{path.relative_to(root).as_posix()}:{line}"
                other = first.setdefault(name, place)
                if other != place:
                    offences.append(f"{place}: calls it {name}, as {other} does another function")
    return offences


if __name__ == "__main__":
    sys.exit(tree_check.run(__doc__.splitlines()[0], "lib", check))
