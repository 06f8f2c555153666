"""The kernels of examples/python twice: as they are, and compiled by Triton.

The words are the same, so all that Triton needs is its own name in place of ours:

    import tilewright                         import triton
    import tilewright.language as tl   ->     import triton.language as tl

    @tilewright.jit                           @triton.jit
"""

from __future__ import annotations

import contextlib
import importlib
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from gputools.tools import EXAMPLES

FOLDER = EXAMPLES / "python"

OURS = "tilewright"
TRITON = "triton"

# What examples share knows neither of both.
SHARED = "arrays"


@contextlib.contextmanager
def _first_on_path(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def for_triton(source: str) -> str:
    """A module of kernels with Triton's name in place of ours."""
    return re.sub(rf"\b{OURS}\b", TRITON, source)


def _import_all(folder: Path, names: Mapping[str, str]) -> dict[str, ModuleType]:
    """Modules by their names; `names` has the files' as well, of which no two are the same."""
    with _first_on_path(folder):
        return {name: importlib.import_module(file) for name, file in names.items()}


def example_names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != SHARED)


def load_ours() -> dict[str, ModuleType]:
    """The examples, by name."""
    return _import_all(FOLDER, {name: name for name in example_names()})


def load_triton(folder: Path) -> dict[str, ModuleType]:
    """The same in Triton, from copies in a folder, which must stay: Triton reads them again."""
    names = {name: f"{TRITON}_{name}" for name in example_names()}
    for name, file in names.items():
        text = (FOLDER / f"{name}.py").read_text()
        (folder / f"{file}.py").write_text(for_triton(text))
    with _first_on_path(FOLDER):
        return _import_all(folder, names)


def give_triton_memory() -> None:
    """Lets Triton's kernels make descriptors: they are in memory that the caller is to allocate."""
    import torch
    import triton

    def allocate(size: int, alignment: int, stream: int | None) -> Any:
        return torch.empty(size, dtype=torch.int8, device="cuda")

    # Versions without it have no such descriptors either.
    if set_allocator := getattr(triton, "set_allocator", None):
        set_allocator(allocate)


@contextlib.contextmanager
def load_languages(with_triton: bool = True) -> Iterator[dict[str, Mapping[str, ModuleType]]]:
    """The examples, and those that Triton compiles, where that is wanted and installed."""
    languages: dict[str, Mapping[str, ModuleType]] = {OURS: load_ours()}
    with tempfile.TemporaryDirectory() as folder:
        if with_triton:
            with contextlib.suppress(ImportError):
                languages[TRITON] = load_triton(Path(folder))
                give_triton_memory()
        yield languages
