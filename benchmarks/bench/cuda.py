"""The few functions of the CUDA Driver API that launch a kernel given as PTX.

They act on the context that is current, which is PyTorch's once it has used the GPU.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from gputools.tools import ToolError

# CUjit_option and CUfunction_attribute of the CUDA Driver API.
JIT_ERROR_LOG_BUFFER = 5
JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6
MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
# CUtensorMapInterleave, CUtensorMapL2promotion (128 bytes) and CUtensorMapFloatOOBfill.
NO_INTERLEAVE, PROMOTE_128, FILL_ZEROS = 0, 2, 0

LOG_BYTES = 16384


class Driver:
    """The driver's library; errors are ToolErrors with the driver's own words."""

    def __init__(self, library: Any = None) -> None:
        if library is None:
            try:
                library = ctypes.CDLL("libcuda.so.1")
            except OSError as error:
                raise ToolError(f"no NVIDIA driver here: {error}") from error
        self._library = library

    def _check(self, result: int, what: str) -> None:
        if result == 0:
            return
        text = ctypes.c_char_p()
        self._library.cuGetErrorString(result, ctypes.byref(text))
        reason = text.value.decode() if text.value else f"CUDA error {result}"
        raise ToolError(f"{what}: {reason}")

    def load(self, ptx: str, name: str, dynamic_shared_bytes: int) -> Function:
        """Compiles PTX in the driver and finds its kernel, which may use that much memory."""
        log = ctypes.create_string_buffer(LOG_BYTES)
        options = (ctypes.c_int * 2)(JIT_ERROR_LOG_BUFFER, JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), LOG_BYTES)
        module = ctypes.c_void_p()
        result = self._library.cuModuleLoadDataEx(
            ctypes.byref(module), ptx.encode() + b"\0", 2, options, values
        )
        said = log.value.decode(errors="replace").strip()
        self._check(result, f"the driver rejected the PTX of {name}{': ' + said if said else ''}")
        function = ctypes.c_void_p()
        self._check(
            self._library.cuModuleGetFunction(ctypes.byref(function), module, name.encode()),
            f"finding {name}",
        )
        if dynamic_shared_bytes:
            self._check(
                self._library.cuFuncSetAttribute(
                    function, MAX_DYNAMIC_SHARED_SIZE_BYTES, dynamic_shared_bytes
                ),
                f"{dynamic_shared_bytes} bytes of shared memory for {name}",
            )
        return Function(self, name, function, dynamic_shared_bytes)

    def copy(self, target: int, source: int, count: int, stream: int) -> None:
        """Copies bytes from one place of the GPU's memory to another."""
        self._check(
            self._library.cuMemcpyDtoDAsync_v2(
                ctypes.c_uint64(target),
                ctypes.c_uint64(source),
                ctypes.c_size_t(count),
                ctypes.c_void_p(stream),
            ),
            f"copying {count} bytes",
        )

    def encode_tensor_map(
        self,
        encoded: Any,
        kind: int,
        address: int,
        extents: Sequence[int],
        strides: Sequence[int],
        box: Sequence[int],
        swizzle: int,
    ) -> None:
        """Writes a map for kernels like those of our compiler; dimension 0 is the innermost."""
        rank = len(extents)
        self._check(
            self._library.cuTensorMapEncodeTiled(
                ctypes.byref(encoded),
                kind,
                rank,
                ctypes.c_void_p(address),
                (ctypes.c_uint64 * rank)(*extents),
                (ctypes.c_uint64 * rank)(*strides),
                (ctypes.c_uint32 * rank)(*box),
                (ctypes.c_uint32 * rank)(*[1] * rank),
                NO_INTERLEAVE,
                swizzle,
                PROMOTE_128,
                FILL_ZEROS,
            ),
            "making a tensor map",
        )

    def launch(self, launch: Launch) -> None:
        self._check(self._library.cuLaunchKernel(*launch.call), f"launching {launch.name}")


class Function:
    """A loaded kernel."""

    def __init__(self, driver: Driver, name: str, handle: ctypes.c_void_p, dynamic: int) -> None:
        self.driver = driver
        self.name = name
        self.handle = handle
        self.dynamic_shared_bytes = dynamic

    def bind(
        self, grid: Sequence[int], threads: int, arguments: Sequence[Any], stream: int
    ) -> Launch:
        """A launch that can be repeated. The arguments are ctypes values."""
        return Launch(self, grid, threads, arguments, stream)


class Launch:
    """A kernel with its grid and arguments, packed once so that a launch costs little time."""

    def __init__(
        self,
        function: Function,
        grid: Sequence[int],
        threads: int,
        arguments: Sequence[Any],
        stream: int,
    ) -> None:
        self.name = function.name
        # The driver reads the arguments through these pointers at each launch.
        self._arguments = list(arguments)
        pointers = (ctypes.c_void_p * len(self._arguments))(
            *(ctypes.addressof(argument) for argument in self._arguments)
        )
        self.call = (
            function.handle,
            *grid,
            *(threads, 1, 1),
            function.dynamic_shared_bytes,
            ctypes.c_void_p(stream),
            pointers,
            None,
        )
        self._driver = function.driver

    def __call__(self) -> None:
        self._driver.launch(self)
