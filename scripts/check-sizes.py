#!/usr/bin/env python3
"""Checks that no file grows beyond 700 lines.

    scripts/check-sizes.py [REPOSITORY]

Prints each file that does as FILE:LINE: REASON and exits with 1 when there is
one. A file has one idea, and a second one shows by its length: it becomes a
file of its own. Sources, tests, scripts and pages are meant, which are written
and read by people; data, results and PTX are not, nor is what EXCEPTIONS has.
"""

import sys

import tree_check

LIMIT = 700

FOLDERS = [
    ".ci",
    "benchmarks",
    "cmake",
    "docs",
    "examples",
    "include",
    "lib",
    "python",
    "scripts",
    "test",
    "tools",
]
NAMES = {"CMakeLists.txt", "run"}
SUFFIXES = {
    ".c",
    ".cmake",
    ".cpp",
    ".cu",
    ".def",
    ".h",
    ".in",
    ".inc",
    ".ll",
    ".md",
    ".mlir",
    ".py",
    ".sh",
    ".td",
    ".test",
    ".toml",
    ".yml",
}

# Folders whose files nobody writes, and why.
EXCEPTIONS = {
    "benchmarks/results": "results as they were measured",
    "docs/reference": "made of the .td files",
    "test/differential/cases": "random programs as they were found",
}


def is_written(path):
    """Whether a file, by its path in the repository, is one that people write."""
    folders = [each.as_posix() for each in path.parents]
    if any(each in EXCEPTIONS for each in folders):
        return False
    return path.suffix in SUFFIXES or path.name in NAMES


def files(root):
    """All that people write, as paths."""
    found = [path for path in root.iterdir() if path.is_file()]
    for folder in FOLDERS:
        found += [path for path in (root / folder).rglob("*") if path.is_file()]
    return sorted(path for path in found if is_written(path.relative_to(root)))


def check(root):
    """All offences in the repository, as printable lines."""
    offences = []
    for path in files(root):
        count = len(path.read_bytes().splitlines())
        if count > LIMIT:
            shown = path.relative_to(root).as_posix()
            offences.append(
                f"{shown}:{LIMIT + 1}: there are {count} lines, and a file has {LIMIT} at most: "
                "give its second idea a file of its own"
            )
    return offences


if __name__ == "__main__":
    sys.exit(tree_check.run(__doc__.splitlines()[0], "lib", check))
