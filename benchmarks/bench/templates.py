"""Kernels with names between @ signs, in benchmarks/kernels."""

from __future__ import annotations

import re

from gputools.tools import ROOT, ToolError

KERNELS = ROOT / "benchmarks" / "kernels"


def fill_template(name: str, values: dict[str, object]) -> str:
    """The text of NAME.mlir.in with each @KEY@ replaced."""
    text = (KERNELS / f"{name}.mlir.in").read_text()
    for key, value in values.items():
        text = text.replace(f"@{key}@", str(value))
    if left := re.search(r"@[A-Z]+@", text):
        raise ToolError(f"{name}.mlir.in has {left[0]}, for which there is no value")
    return text
