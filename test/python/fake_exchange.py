"""DLPack's table of C functions for the tensors of package_support, as PyTorch has one. The
functions are Python's here; what they are asked is kept."""

import ctypes

from package_support import FakeTensor

CODES = {"float32": (2, 32), "bfloat16": (4, 16), "bool": (6, 8), "complex64": (5, 64)}
CODES |= {"uint8": (1, 8), "float8_e5m2": (12, 8)}
CPU, CUDA = 1, 2

# What C refers to lives as long as the process.
NAME = b"dlpack_exchange_api"
tables = []

# Tensors, in order.
asked = []


class DLTensor(ctypes.Structure):
    """As dlpack.h has it."""

    _fields_ = [
        ("data", ctypes.c_uint64),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor))
def describe(tensor, out):
    asked.append(tensor)
    if getattr(tensor, "is_sparse", False):
        return -1
    shape = list(tensor.shape)
    strides = tensor.strides or [1] * len(shape)
    if tensor.strides is None:
        for axis in range(len(shape) - 1, 0, -1):
            strides[axis - 1] = strides[axis] * shape[axis]
    # They live as long as the tensor.
    tensor.kept = [(ctypes.c_int64 * len(shape))(*each) for each in (shape, strides)]
    out = out.contents
    out.data, out.byte_offset = tensor.address - 64, 64
    out.device_type = CPU if tensor.device_number < 0 else CUDA
    out.device_id = max(tensor.device_number, 0)
    out.ndim, out.lanes = len(shape), 1
    out.code, out.bits = CODES[tensor.dtype.name]
    out.shape, out.strides = tensor.kept
    return 0


@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_uint64))
def get_stream(device_type, device, out):
    assert device_type == CUDA
    out[0] = 0x9000 + device
    return 0


class Table(ctypes.Structure):
    """DLPackExchangeAPI."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", ctypes.c_void_p),
        ("others", ctypes.c_void_p * 3),
        ("describe", ctypes.c_void_p),
        ("get_stream", ctypes.c_void_p),
    ]


def install(major=1, previous=None, has_functions=True):
    """Gives the class of tensors a table; `previous`: an older one that follows it."""
    table = Table(major, 3, ctypes.addressof(previous) if previous else None)
    if has_functions:
        table.describe = ctypes.cast(describe, ctypes.c_void_p)
        table.get_stream = ctypes.cast(get_stream, ctypes.c_void_p)
    make = ctypes.pythonapi.PyCapsule_New
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    tables.append(table)
    FakeTensor.__dlpack_c_exchange_api__ = make(ctypes.addressof(table), NAME, None)
    return table
