#!/usr/bin/env python3
"""Checks who includes or imports whom: dependencies between the parts run downward only.

    scripts/check-layering.py [REPOSITORY]

Prints each offending line as FILE:LINE: REASON and exits with 1 when there is
one. docs/architecture.md explains the parts; the tables below are the rule.
"""

import ast
import re
import sys
from itertools import takewhile
from pathlib import Path

import tree_check

# What passes and lowerings may include of other folders.
PASSES = ["Dialect/Tile/Analysis", "Dialect/Tile/IR", "Layout", "Spec", "Target"]


def families(folder, others, below):
    """The rows of a folder of passes or lowerings: what all see of it, in include/, and its
    families in lib/, each with those that it may include beside `others`."""
    rows = {
        f"{folder}/{family}": [folder, *others, *(f"{folder}/{name}" for name in names)]
        for family, names in below.items()
    }
    return {folder: others, **rows}


# Part -> the parts below that it may include. A part always may include itself,
# and who may include a part may include the folders in it.
ALLOWED = {
    "Layout/Algebra": [],
    "Layout/Banks": ["Layout/Algebra"],
    "Layout/Shared": ["Layout/Banks", "Layout/Algebra"],
    "Layout/Registers": ["Layout/Shared", "Layout/Banks", "Layout/Algebra"],
    "Layout/Conversion": ["Layout/Shared", "Layout/Banks", "Layout/Algebra"],
    "Layout/Drawing": ["Layout/Shared", "Layout/Banks", "Layout/Algebra"],
    "Spec": [],
    "Target": [],
    # What users of the simulator see, in include/; the folders are in lib/.
    "Simulator": ["Layout"],
    "Simulator/Ptx": [],
    "Simulator/Program": ["Simulator/Ptx", "Simulator"],
    "Simulator/Checks": ["Simulator/Ptx"],
    "Simulator/Machine": [
        "Simulator/Checks",
        "Simulator/Program",
        "Simulator/Ptx",
        "Simulator",
        "Layout",
    ],
    "Simulator/Families": [
        "Simulator/Machine",
        "Simulator/Checks",
        "Simulator/Program",
        "Simulator/Ptx",
        "Simulator",
        "Layout",
    ],
    "Runtime": ["Spec", "Simulator"],
    "Dialect/Tile/IR": ["Layout", "Spec", "Target"],
    "Dialect/Tile/Analysis": ["Dialect/Tile/IR", "Layout", "Spec", "Target"],
    **families(
        "Dialect/Tile/Transforms",
        PASSES,
        {
            "Programs": [],
            "Registers": [],
            "Loads": [],
            "Rows": ["Loads"],
            "Channels": ["Loads"],
            "Products": ["Channels", "Loads"],
            "Shared": [],
        },
    ),
    "Conversion": PASSES,
    **families(
        "Conversion/TileToNVVM",
        ["Conversion", *PASSES],
        {
            "Threads": [],
            "Exchanges": ["Threads"],
            "Slots": ["Threads"],
            "Rows": ["Slots", "Threads"],
            "Memory": ["Exchanges", "Rows", "Threads"],
            "Products": ["Exchanges", "Threads"],
            "Registers": ["Threads"],
            "Programs": ["Exchanges", "Threads"],
        },
    ),
    "Compiler": [
        "Conversion",
        "Dialect/Tile/Transforms",
        "Dialect/Tile/Analysis",
        "Dialect/Tile/IR",
        "Layout",
        "Spec",
        "Target",
    ],
    "Jit": ["Compiler", "Runtime", "Simulator", "Spec", "Target"],
}

# These parts are read, tested and used without MLIR.
WITHOUT_MLIR = {"Layout", "Spec", "Target", "Simulator", "Runtime"}

# The tools and the Python bindings stand on top: any public header, but no
# other source folder.
TOP_FOLDERS = ["tools", "python"]

# The same of the Python package: a part is a file or a folder of python/tilewright, and stands
# below those that may import it. All may import _core.
PYTHON_ALLOWED = {
    "errors": [],
    "sizes": [],
    "tables": [],
    "unneeded": [],
    "source": ["errors"],
    "language": ["sizes"],
    "tools": ["language"],
    "function": ["source", "language"],
    "frontend": ["function", "source", "language", "errors"],
    "signature": ["function", "language"],
    "cache_key": ["function", "language", "errors"],
    "compiler": ["cache_key", "sizes"],
    "jit_function": [
        "cache_key",
        "compiler",
        "errors",
        "frontend",
        "function",
        "language",
        "signature",
        "sizes",
    ],
    "launcher": ["jit_function"],
    "heuristics": ["launcher"],
    "testing": ["tables"],
    "tuning": ["launcher", "cache_key", "testing", "tables", "errors", "sizes"],
    "runtime": ["compiler", "errors", "heuristics", "jit_function", "tuning"],
}

# On top: what people import, and the command.
PYTHON_TOP = {"__init__", "__main__"}

SOURCE_SUFFIXES = {".h", ".cpp", ".td", ".inc"}
INCLUDE = re.compile(r'^\s*#?\s*include\s+["<]([^">]+)[">]')


def part_of(path):
    """The part that a path below include/tilewright or lib belongs to, or None."""
    text = path.as_posix()
    return max(
        (part for part in ALLOWED if text == part or text.startswith(part + "/")),
        key=len,
        default=None,
    )


def may_include(part, included):
    """Whether the table lets `part` include `included`."""
    return any(
        included == allowed or (included.startswith(allowed + "/") and not part.startswith(allowed))
        for allowed in [part, *ALLOWED[part]]
    )


def check_include(part, name, private=None):
    """Why a file of `part` (None: a tool) must not include `name`, or None.

    `private`: the part of lib/ that `name` is in, where it is no public header.
    """
    if ".." in Path(name).parts:
        return f"'{name}' leaves its own folder; include by the public path"
    if name.startswith(("mlir/", "mlir-c/")) and part and part.split("/")[0] in WITHOUT_MLIR:
        return f"{part} uses no MLIR, but includes '{name}'"
    if not name.startswith("tilewright/") and private is None:
        return None
    included = private or part_of(Path(name).relative_to("tilewright"))
    if included is None:
        return f"'{name}' belongs to no part that scripts/check-layering.py knows"
    if part is None or may_include(part, included):
        return None
    below = ", ".join(ALLOWED[part]) or "nothing of the project"
    return f"{part} may include {below}; '{name}' is {included}"


def private_part(root, path, name):
    """The part of lib/ that a header beside `path` or in its library belongs to, or None."""
    base = root / "lib"
    if name.startswith("tilewright/") or base not in path.parents:
        return None
    for folder in takewhile(lambda folder: folder != base, path.parents):
        if (folder / name).is_file():
            return part_of((folder / name).relative_to(base))
    return None


def sources(root):
    """Every (file, part) to check; the part is None for the tools on top."""
    for base in [root / "include" / "tilewright", root / "lib"]:
        for path in sorted(base.rglob("*")):
            if path.suffix in SOURCE_SUFFIXES:
                yield path, part_of(path.relative_to(base))
    for folder in TOP_FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SOURCE_SUFFIXES:
                yield path, None


def find_imports(tree):
    """Every (line, name) that Python code imports of the package, wherever it stands in a file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level:
            names = ["." * node.level + (node.module or "")]
        elif isinstance(node, ast.ImportFrom):
            whole = node.module == "tilewright"
            names = [f"tilewright.{each.name}" for each in node.names] if whole else [node.module]
        else:
            continue
        for name in names:
            if name.split(".")[0] in ("tilewright", ""):
                yield node.lineno, name


def check_import(part, name):
    """Why a module of `part` of the package must not import `name`, or None."""
    if name.startswith("."):
        return f"'{name}' depends on where the file is; import by the full name"
    imported = [*name.split("."), ""][1]
    if imported in ("_core", part) or imported in PYTHON_ALLOWED[part]:
        return None
    if imported == "":
        return f"{part} imports the whole package, which stands above it"
    if imported not in PYTHON_ALLOWED:
        return f"'{name}' belongs to no part that scripts/check-layering.py knows"
    below = ", ".join(PYTHON_ALLOWED[part]) or "nothing of the package"
    return f"{part} may import {below}; '{name}' is {imported}"


def check_package(root):
    """The offences in the Python package."""
    package = root / "python" / "tilewright"
    for path in sorted(package.rglob("*.py")):
        shown = path.relative_to(root).as_posix()
        part = path.relative_to(package).with_suffix("").parts[0]
        if part in PYTHON_TOP:
            continue
        if part not in PYTHON_ALLOWED:
            yield f"{shown}:1: this is of no part that check-layering.py knows"
            continue
        for number, name in sorted(find_imports(ast.parse(path.read_text()))):
            reason = check_import(part, name)
            if reason:
                yield f"{shown}:{number}: {reason}"


def check(root):
    """All offences in the repository, as printable lines."""
    offences = list(check_package(root))
    for path, part in sources(root):
        shown = path.relative_to(root).as_posix()
        if part is None and shown.split("/")[0] not in TOP_FOLDERS:
            offences.append(f"{shown}:1: this folder is no part that check-layering.py knows")
            continue
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            match = INCLUDE.match(line)
            reason = None
            if match:
                reason = check_include(
                    part, match.group(1), private_part(root, path, match.group(1))
                )
            if reason:
                offences.append(f"{shown}:{number}: {reason}")
    return offences


if __name__ == "__main__":
    sys.exit(tree_check.run(__doc__.splitlines()[0], "lib", check))
