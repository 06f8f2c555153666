"""What the tests of the package share: kernels, and arrays of GPUs that are not there."""

import ctypes
import importlib
import os
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TARGETS = ("sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a")

# Y[i] = factor * X[i], for any number of elements.
SCALE = """
tile.kernel @scale(%X: !tile.ptr<f32>, %Y: !tile.ptr<f32>, %n: i32, %factor: f32)
    shapes ["X[n]", "Y[n]"]
    grid ["ceildiv(n, 256)"] {
  %c256 = arith.constant 256 : index
  %program = tile.program_id 0
  %start = arith.muli %program, %c256 : index
  %size = arith.index_cast %n : i32 to index
  %x = tile.view %X, shape [%size], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %y = tile.view %Y, shape [%size], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %x[%start] : !tile.view<?xf32, [1]> -> tensor<256xf32>
  %factors = tile.splat %factor : f32 -> tensor<256xf32>
  %scaled = arith.mulf %t, %factors : tensor<256xf32>
  tile.store_view %scaled, %y[%start] : tensor<256xf32>, !tile.view<?xf32, [1]>
  tile.return
}
"""

# The same without clauses: a launch brings its grid, and arrays are what they are.
BARE = SCALE.replace('shapes ["X[n]", "Y[n]"]', "").replace('grid ["ceildiv(n, 256)"]', "")


def copy_kernel(dtype, name="copy"):
    """A kernel that copies n elements of a type."""
    text = """
tile.kernel @NAME(%X: !tile.ptr<TYPE>, %Y: !tile.ptr<TYPE>, %n: index)
    shapes ["X[n]", "Y[n]"] grid ["ceildiv(n, 64)"] {
  %c64 = arith.constant 64 : index
  %program = tile.program_id 0
  %start = arith.muli %program, %c64 : index
  %x = tile.view %X, shape [%n], strides [1] : !tile.ptr<TYPE> -> !tile.view<?xTYPE, [1]>
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<TYPE> -> !tile.view<?xTYPE, [1]>
  %t = tile.load_view %x[%start] : !tile.view<?xTYPE, [1]> -> tensor<64xTYPE>
  tile.store_view %t, %y[%start] : tensor<64xTYPE>, !tile.view<?xTYPE, [1]>
  tile.return
}
"""
    return text.replace("TYPE", dtype).replace("NAME", name)


def numbers(*shape, dtype=np.float32):
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


def array_at(offset, count, dtype=np.float32, alignment=256):
    """An uninitialised array that begins so many bytes past a multiple of `alignment`."""
    size = count * np.dtype(dtype).itemsize
    memory = np.empty(size + offset + alignment, np.uint8)
    start = -memory.ctypes.data % alignment + offset
    return memory[start : start + size].view(dtype)


def import_package():
    """The package, without which a test module is skipped, unless the build has one."""
    if "TILEWRIGHT_FAKE_CUDA" in os.environ:
        return importlib.import_module("tilewright")
    return pytest.importorskip("tilewright")


def get_commit():
    """The commit that is checked out, by which tests draw; nothing where this is none."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip()


class LastLaunch(ctypes.Structure):
    """What the fake driver keeps; see fake_cuda/FakeDriver.cpp."""

    _fields_ = [
        ("launches", ctypes.c_uint64),
        ("stream", ctypes.c_uint64),
        ("context", ctypes.c_uint64),
        ("grid", ctypes.c_uint32 * 3),
        ("threads", ctypes.c_uint32),
        ("shared_bytes", ctypes.c_uint32),
        ("argument_count", ctypes.c_uint32),
        ("raw_arguments", ctypes.c_uint64 * 16),
        ("waits", ctypes.c_uint64),
    ]

    @property
    def arguments(self):
        return list(self.raw_arguments[: self.argument_count])


def load_fake_driver():
    """Makes the fake driver that of this process: a library that is loaded under its name is not
    looked for again. None where the build has none."""
    folder = os.environ.get("TILEWRIGHT_FAKE_CUDA")
    if not folder:
        return None
    library = ctypes.CDLL(str(Path(folder) / "libcuda.so.1"), mode=ctypes.RTLD_GLOBAL)
    library.fake_last_launch.restype = ctypes.POINTER(LastLaunch)
    return library


def address_on(device, offset=0):
    """An address that the fake driver takes for memory of that GPU."""
    return ((device + 1) << 40) + offset


# Of a second array, which shares no memory with those that begin there.
OTHER = address_on(0, 1 << 20)


class CudaArray:
    """An array with __cuda_array_interface__, as CuPy's."""

    def __init__(self, shape, typestr="<f4", address=1 << 40, **fields):
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": typestr,
            "data": (address, False),
            "strides": None,
            "version": 3,
            **fields,
        }


class DLPackArray:
    """A NumPy array that has no other interface than DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class FakeTensor:
    """A torch.Tensor on a GPU, as far as a launch asks."""

    # What record_stream() was told, of all tensors.
    recorded = []  # noqa: RUF012

    def __init__(self, shape, dtype="float32", device=0, address=None, strides=None):
        self.shape, self.dtype = shape, FakeDtype.named(dtype)
        self.device_number, self.strides = device, strides
        self.address = address_on(device) if address is None else address

    def data_ptr(self):
        return self.address

    def get_device(self):
        return self.device_number

    def numel(self):
        return int(np.prod(self.shape))

    def is_contiguous(self):
        return self.strides is None

    def stride(self):
        return self.strides

    def record_stream(self, stream):
        FakeTensor.recorded.append((self, stream))


class FakeSparseTensor(FakeTensor):
    """One without memory to point to."""

    def data_ptr(self):
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")


class FakeDtype:
    """A torch.dtype: one object for each."""

    known = {}  # noqa: RUF012

    def __init__(self, name):
        self.name = name

    def __str__(self):
        return f"torch.{self.name}"

    @classmethod
    def named(cls, name):
        return cls.known.setdefault(name, cls(name))


def install_fake_torch():
    """Makes a module of these tensors that of this process."""
    torch = types.ModuleType("torch")
    torch.Tensor = FakeTensor
    torch._C = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda device: 0x5000 + device)
    torch.cuda = types.SimpleNamespace(ExternalStream=lambda stream, device: (stream, device))
    sys.modules["torch"] = torch
