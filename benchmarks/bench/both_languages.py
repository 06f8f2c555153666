"""The kernels of examples/python and benchmarks/kernels twice: as they are, and compiled by Triton.

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
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from gputools.tools import EXAMPLES

FOLDER = EXAMPLES / "python"
FOLDERS = (FOLDER, Path(__file__).parents[1] / "kernels")

OURS = "tilewright"
TRITON = "triton"

# What examples share knows neither of both.
SHARED = ("arrays", "costs_of_blocks")


@contextlib.contextmanager
def _first_on_path(*folders: Path) -> Iterator[None]:
    before = list(sys.path)
    sys.path[:0] = map(str, folders)
    try:
        yield
    finally:
        sys.path[:] = before


def for_triton(source: str) -> str:
    """A module of kernels with Triton's name in place of ours."""
    return re.sub(rf"\b{OURS}\b", TRITON, source)


def example_names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in SHARED)


def module_paths() -> dict[str, Path]:
    """The modules of kernels by name, of which no two are the same: the examples, and others."""
    files = [path for folder in FOLDERS for path in folder.glob("*.py")]
    return {path.stem: path for path in files if path.stem not in SHARED}


def _import_all(folders: Sequence[Path], names: Mapping[str, str]) -> dict[str, ModuleType]:
    """Modules by their names; `names` has the files' as well."""
    with _first_on_path(*folders):
        return {name: importlib.import_module(file) for name, file in names.items()}


def load_ours() -> dict[str, ModuleType]:
    """The kernels' modules, by name."""
    return _import_all(FOLDERS, {name: name for name in module_paths()})


def load_triton(folder: Path) -> dict[str, ModuleType]:
    """The same in Triton, from copies in a folder, which must stay: Triton reads them again."""
    paths = module_paths()
    for name, path in paths.items():
        (folder / f"{TRITON}_{name}.py").write_text(for_triton(path.read_text()))
    return _import_all([folder, *FOLDERS], {name: f"{TRITON}_{name}" for name in paths})


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
