# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The words of kernels, by families, as pages show them."""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

#: Modules, and what their words are written behind.
FAMILIES = (
    ("program", "Programs and loops", "tl."),
    ("memory", "Memory", "tl."),
    ("block_pointer", "Block pointers", "tl."),
    ("atomics", "Memory in one step", "tl."),
    ("creation", "New tiles", "tl."),
    ("shapes", "Shapes", "tl."),
    ("pairs", "Two tiles and one", "tl."),
    ("sorting", "In another order", "tl."),
    ("lookup", "Elements by their numbers", "tl."),
    ("arithmetic", "Arithmetic", "tl."),
    ("comparisons", "Logic and choice", "tl."),
    ("casts", "Casts", "tl."),
    ("math", "Functions", "tl."),
    ("reductions", "Reductions and scans", "tl."),
    ("mapping", "Functions of single elements", "tl."),
    ("product", "Products", "tl."),
    ("scaled_product", "Products of small formats", "tl."),
    ("random", "Random numbers", "tl."),
    ("target_info", "The GPU", "tl.target_info."),
    ("extra.cuda", "NVIDIA's own", "tl.extra.cuda."),
    ("extra.libdevice", "CUDA's library of functions", "libdevice."),
    ("extra.composed", "More of that library", "libdevice."),
    ("extra.doubles", "Functions computed in fp64", "libdevice."),
    ("extra.special", "The gamma function", "libdevice."),
    ("extra.normal", "The normal distribution", "libdevice."),
    ("extra.bessel", "Bessel functions", "libdevice."),
)
#: Classes of values.
NO_WORDS = ("PropagateNan", "block_pointer", "block_pointer_type")


def find_words(module: Any, prefix: str) -> list[tuple[list[str], Any]]:
    """Its public words, in the order of the file, each with all its names."""
    language = importlib.import_module("tilewright.language")
    names: dict[int, tuple[list[str], Any]] = {}
    for name, value in vars(module).items():
        if name.startswith("_") or name in NO_WORDS or not callable(value):
            continue
        is_word = getattr(value, "is_word", False) or value.__module__ == module.__name__
        is_public = prefix != "tl." or name in language.__all__
        own = value.__module__ in (module.__name__, "tilewright.language.math") or prefix != "tl."
        if is_word and is_public and own and is_defined_here(module, name):
            names.setdefault(id(value), ([], value))[0].append(name)
    return list(names.values())


def is_defined_here(module: Any, name: str) -> bool:
    """Whether the file itself gives the name, rather than importing it for its own use."""
    source = inspect.getsource(module)
    return bool(
        re.search(rf"^(def|class) {name}\b", source, re.MULTILINE)
        or re.search(rf"^(\w+(, | = ))*{name}\b(, \w+)*( = \w+)* = ", source, re.MULTILINE)
    )


def write_parameters(function: Any) -> str:
    parts = []
    for parameter in inspect.signature(function).parameters.values():
        star = "*" if parameter.kind is inspect.Parameter.VAR_POSITIONAL else ""
        star = "**" if parameter.kind is inspect.Parameter.VAR_KEYWORD else star
        if parameter.name.startswith("_"):
            continue
        default = parameter.default
        text = "" if default is inspect.Parameter.empty else f"={default!r}"
        parts.append(f"{star}{parameter.name}{text}".replace("=fp32", "=tl.float32"))
    return ", ".join(parts)


def get_summary(function: Any) -> str:
    """The first sentence of its description."""
    text = inspect.getdoc(function) or ""
    first = " ".join(text.split("\n\n")[0].split())
    return first.replace("``", "`").replace("|", "\\|")
