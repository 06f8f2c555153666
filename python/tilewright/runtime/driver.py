"""What is known of the GPU of this machine; where there is none, of the one that is simulated."""

from __future__ import annotations

import os
import sys
from typing import Any, NamedTuple

from tilewright import _core
from tilewright.compiler import DEFAULT_TARGET


class GPUTarget(NamedTuple):
    """What kernels are compiled for: "cuda", and 90 for sm_90a."""

    backend: str
    arch: int
    warp_size: int


def _has_gpu() -> bool:
    return os.environ.get("TILEWRIGHT_DEVICE") != "sim" and _core.get_gpu_target() is not None


def _find_target() -> str:
    """The target that launches choose."""
    return os.environ.get("TILEWRIGHT_TARGET") or _core.get_gpu_target() or DEFAULT_TARGET


class Utilities:
    """What Triton's driver keeps apart."""

    def get_device_properties(self, device: Any = None) -> dict[str, int]:
        """What the GPU with a number has: multiprocessors, the most shared memory a block can
        have, in bytes, registers of a multiprocessor, threads of a warp."""
        # The simulator takes any grid: a program that starts as many blocks as there are
        # multiprocessors gets a number that a GPU has.
        _, shared, registers, warp, multiprocessors = _core.describe_target(_find_target())
        if _has_gpu():
            multiprocessors = _core.count_multiprocessors(self._read_device(device))
        return {
            "max_shared_mem": shared,
            "max_num_regs": registers,
            "multiprocessor_count": multiprocessors,
            "warpSize": warp,
        }

    @staticmethod
    def _read_device(device: Any) -> int:
        """The number of a GPU: of an integer, of a device of PyTorch or its name. Without one, and
        of a name without a number, that of the current one."""
        if isinstance(device, str):
            _, _, number = device.partition(":")
            device = int(number) if number else None
        elif not isinstance(device, int):
            device = getattr(device, "index", None)
        return Driver().get_current_device() if device is None else device


class Driver:
    """The one driver that there is."""

    def __init__(self) -> None:
        self.utils = Utilities()

    def get_current_target(self) -> GPUTarget:
        """What launches compile for that do not say it."""
        arch, _, _, warp, _ = _core.describe_target(_find_target())
        return GPUTarget("cuda", arch, warp)

    def get_current_device(self) -> int:
        """The number of the GPU that PyTorch, or CuPy, has as its current one; else 0."""
        if not _has_gpu():
            return 0
        if torch := sys.modules.get("torch"):
            return int(torch.cuda.current_device())
        if cupy := sys.modules.get("cupy"):
            return int(cupy.cuda.Device().id)
        return 0

    def get_active_torch_device(self) -> Any:
        """Where PyTorch's tensors are to be: on that GPU, or without one in the host's memory,
        whose tensors run in the simulator."""
        import torch

        number = self.get_current_device()
        return torch.device("cuda", number) if _has_gpu() else torch.device("cpu")

    def get_device_interface(self) -> Any:
        """PyTorch's module for its GPUs."""
        import torch

        return torch.cuda


class _Drivers:
    """Has the driver as its attribute `active`, as programs write it."""

    def __init__(self) -> None:
        self.active = Driver()


driver = _Drivers()
