"""What autotune tries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


class Config:
    """Constants and options of a launch that autotune tries.

    >>> Config({"BLOCK_M": 128, "BLOCK_N": 64}, num_warps=8, num_stages=3)

    Args:
        pre_hook: Called with all arguments by name before each launch with it.
    """

    def __init__(
        self,
        kwargs: Mapping[str, Any],
        num_warps: int = 4,
        num_stages: int = 3,
        num_ctas: int = 1,
        maxnreg: int | None = None,
        pre_hook: Callable[..., Any] | None = None,
    ) -> None:
        if not isinstance(kwargs, Mapping) or not all(isinstance(name, str) for name in kwargs):
            raise TypeError(
                'Config takes a dict of constants by name, such as {"BLOCK": 128}, not '
                f"{kwargs!r}"
            )
        if num_ctas != 1:
            raise ValueError(f"num_ctas is 1 here, not {num_ctas}")
        self.kwargs = dict(kwargs)
        self.num_warps = num_warps
        self.num_stages = num_stages
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook

    def all_kwargs(self) -> dict[str, Any]:
        """All that a launch with it is given."""
        return {**self.kwargs, "num_warps": self.num_warps, "num_stages": self.num_stages}

    def __repr__(self) -> str:
        return ", ".join(f"{name}: {value}" for name, value in self.all_kwargs().items())
