"""What autotune tries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tilewright.sizes import take_integer


def _choose(name: str, *numbers: int | None) -> int:
    """The first that is given; the last one is."""
    return take_integer(name, next(each for each in numbers if each is not None))


class Config:
    """Constants and options of a launch that autotune tries.

    >>> Config({"BLOCK_M": 128, "BLOCK_N": 64}, num_warps=8, num_stages=3)

    Args:
        num_warps, num_stages: 4 and 3, unless they are given here or in the dict. (Triton takes
            them from the dict nowhere, and launches with its 4 and 3.)
        pre_hook: Called with all arguments by name before each launch with it.
    """

    def __init__(
        self,
        kwargs: Mapping[str, Any],
        num_warps: int | None = None,
        num_stages: int | None = None,
        num_ctas: int = 1,
        maxnreg: int | None = None,
        pre_hook: Callable[..., Any] | None = None,
    ) -> None:
        if not isinstance(kwargs, Mapping) or not all(isinstance(name, str) for name in kwargs):
            raise TypeError(
                'Config takes a dict of constants by name, such as {"BLOCK": 128}, not '
                f"{kwargs!r}"
            )
        if take_integer("num_ctas", num_ctas) != 1:
            raise ValueError(f"num_ctas is 1 here, not {num_ctas}")
        self.kwargs = dict(kwargs)
        in_dict = {name: self.kwargs.pop(name, None) for name in ("num_warps", "num_stages")}
        self.num_warps = _choose("num_warps", num_warps, in_dict["num_warps"], 4)
        self.num_stages = _choose("num_stages", num_stages, in_dict["num_stages"], 3)
        self.maxnreg = None if maxnreg is None else take_integer("maxnreg", maxnreg)
        self.pre_hook = pre_hook

    def all_kwargs(self) -> dict[str, Any]:
        """All that a launch with it is given."""
        return {**self.kwargs, "num_warps": self.num_warps, "num_stages": self.num_stages}

    def __repr__(self) -> str:
        return ", ".join(f"{name}: {value}" for name, value in self.all_kwargs().items())
