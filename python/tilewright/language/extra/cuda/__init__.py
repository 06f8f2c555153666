"""Words of NVIDIA's GPUs."""

from __future__ import annotations

from tilewright.language.context import current, word
from tilewright.language.extra import libdevice


@word
def gdc_wait() -> None:
    """Waits for the kernels before this one; launches wait for them already."""


@word
def gdc_launch_dependents() -> None:
    """Lets the kernels after this one begin; they begin when this one has ended."""


@word
def num_warps() -> int:
    """Warps of a program."""
    return current().num_warps


@word
def num_threads() -> int:
    """Threads of a program."""
    return 32 * current().num_warps


__all__ = ["gdc_launch_dependents", "gdc_wait", "libdevice", "num_threads", "num_warps"]
