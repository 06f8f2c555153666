"""The GPU on which a launch's arrays are, as the library that made them has it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Any

from tilewright import _core


class Gpu:
    """Made current while configurations are timed: events belong to the GPU that is."""

    def __init__(self, array: Any) -> None:
        self._torch = sys.modules.get("torch") if hasattr(array, "is_cuda") else None
        self._cupy = None if self._torch else sys.modules.get("cupy")
        if self._torch:
            self.number = int(array.get_device())
        else:
            self.number = int(getattr(getattr(array, "device", None), "id", 0))
        self._scope: Any = None

    @property
    def name(self) -> str:
        """What it is called: "NVIDIA H200"."""
        return _core.describe_gpu(self.number)[0]

    @property
    def driver(self) -> str:
        """The version of CUDA that its driver has."""
        return _core.describe_gpu(self.number)[1]

    def __enter__(self) -> Gpu:
        if self._torch:
            self._scope = self._torch.cuda.device(self.number)
        elif self._cupy:
            self._scope = self._cupy.cuda.Device(self.number)
        if self._scope is not None:
            self._scope.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._scope is not None:
            self._scope.__exit__(*error)

    def synchronize(self) -> None:
        """Waits for all of its work; raises where some of it has failed."""
        if self._torch:
            self._torch.cuda.synchronize(self.number)
        elif self._cupy:
            self._cupy.cuda.Device(self.number).synchronize()

    def is_capturing(self) -> bool:
        """Whether launches become part of a CUDA graph now."""
        return bool(self._torch and self._torch.cuda.is_current_stream_capturing())


def find_gpu(values: Iterable[Any]) -> Gpu | None:
    """That of the arrays among the arguments; None where the launch is in the simulator, which has
    no times, and where the arrays are the host's."""
    if os.environ.get("TILEWRIGHT_DEVICE") == "sim" or _core.get_gpu_target() is None:
        return None
    for value in values:
        if getattr(value, "is_cuda", False) or (
            not hasattr(value, "is_cuda") and hasattr(value, "__cuda_array_interface__")
        ):
            return Gpu(value)
    return None
