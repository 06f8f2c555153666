"""What kernels ask of the GPU that they are compiled for: all of it is known then."""

from __future__ import annotations

import re

from tilewright.language.context import current, word


@word
def cuda_capability_geq(major: int, minor: int = 0) -> bool:
    """Whether the GPU's compute capability is that one or a later one."""
    digits = re.sub(r"\D", "", current().target)
    return (int(digits[:-1]), int(digits[-1])) >= (major, minor)


@word
def is_cuda() -> bool:
    """Whether it is NVIDIA's: always."""
    return True


@word
def is_hip() -> bool:
    """Whether it is AMD's: never."""
    return False
