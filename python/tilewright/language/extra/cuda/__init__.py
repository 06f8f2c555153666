"""Words of NVIDIA's GPUs."""

from __future__ import annotations

import sys

from tilewright.language.context import current, word
from tilewright.language.creation import arange
from tilewright.language.extra import libdevice
from tilewright.language.inline_asm import inline_asm_elementwise
from tilewright.language.reductions import reduce_tile
from tilewright.language.tensor import tensor
from tilewright.language.types import int32, int64

# Triton has it under this name too: `from ....extra.cuda.libdevice import tanh`.
sys.modules[f"{__name__}.libdevice"] = libdevice


@word
def gdc_wait() -> None:
    """Lets the kernel begin before the one in front of it has ended, for which it waits before it
    does anything else, wherever this stands."""
    _begin_early()


@word
def gdc_launch_dependents() -> None:
    """The same: a kernel that begins early also lets the next one do so."""
    _begin_early()


def _begin_early() -> None:
    current().options["begins_early"] = True


@word
def num_warps() -> int:
    """Warps of a program."""
    return current().num_warps


@word
def num_threads() -> int:
    """Threads of a program."""
    return 32 * current().num_warps


@word
def globaltimer() -> tensor:
    """Nanoseconds of the GPU's clock, as int64; one number for all threads of the program."""
    # Each thread reads another time: what decides a branch is to be the same for all.
    threads = arange(0, 32 * current().num_warps)
    asm = ("mov.u64 $0, %globaltimer;", "=l,r", [threads], int64)
    return reduce_tile(inline_asm_elementwise(*asm, is_pure=False, pack=1), 0, lambda a, b: a)


@word
def smid() -> tensor:
    """The number of the multiprocessor that runs the program, as int32."""
    number: tensor = inline_asm_elementwise(
        "mov.u32 $0, %smid;", "=r", [], int32, is_pure=False, pack=1
    )
    return number


__all__ = [
    "gdc_launch_dependents",
    "gdc_wait",
    "globaltimer",
    "libdevice",
    "num_threads",
    "num_warps",
    "smid",
]
