"""Kernels in Python for scripts/gpu-python.py. Importing this needs tilewright."""

from typing import Any

import tilewright
import tilewright.language as tl


@tilewright.jit
def scale(x, out, n, factor, BLOCK: tl.constexpr):  # noqa: N803
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


def make_tuned(**options: Any) -> Any:
    """The same with three configurations, of which one does not compile."""
    configs = [tilewright.Config({"BLOCK": block}) for block in (256, 1000, 2048)]
    return tilewright.autotune(configs, key=["n"], **options)(scale)
