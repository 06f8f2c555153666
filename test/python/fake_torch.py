"""As much of PyTorch as the benchmarks use, on the CPU, with a clock that counts launches."""

import itertools
from types import SimpleNamespace

import numpy as np

float64, float32, float16, int8, int32 = np.float64, np.float32, np.float16, np.int8, np.int32
__version__ = "0.0"


class Tensor:
    """A NumPy array under PyTorch's names."""

    def __init__(self, array):
        self.array = array

    @property
    def shape(self):
        return self.array.shape

    def t(self):
        return Tensor(self.array.T)

    def contiguous(self):
        return Tensor(np.ascontiguousarray(self.array))

    def copy_(self, other):
        self.array[...] = other.array

    def fill_(self, value):
        self.array[...] = value

    def zero_(self):
        self.fill_(0)

    def amax(self):
        return self.array.max()

    def numel(self):
        return self.array.size

    def element_size(self):
        return self.array.itemsize

    def data_ptr(self):
        return self.array.ctypes.data

    def is_floating_point(self):
        return self.array.dtype.kind == "f"


class Generator:
    """Random numbers from a seed."""

    def __init__(self, device):
        self.random = None

    def manual_seed(self, seed):
        self.random = np.random.default_rng(seed)
        return self


def randn(extents, dtype, device, generator):
    return Tensor(generator.random.standard_normal(extents).astype(dtype))


def randint(low, high, extents, dtype, device, generator):
    return Tensor(generator.random.integers(low, high, extents).astype(dtype))


def empty(extents, dtype=float32, device=None):
    return Tensor(np.empty(extents, dtype))


def zeros(extents, dtype=float32, device=None):
    return Tensor(np.zeros(extents, dtype))


def empty_like(tensor):
    return Tensor(np.empty_like(tensor.array))


def mul(tensor, factor, out):
    out.array[...] = tensor.array * tensor.array.dtype.type(factor)


def equal(a, b):
    return np.array_equal(a.array, b.array)


class Event:
    """Each recorded event is a microsecond after the one before."""

    clock = itertools.count()

    def __init__(self, enable_timing):
        self.time = None

    def record(self):
        self.time = next(Event.clock)

    def elapsed_time(self, later):
        return (later.time - self.time) * 1e-3


class OutOfMemoryError(RuntimeError):
    """Raised where the GPU's memory is full."""


cuda = SimpleNamespace(
    Event=Event,
    OutOfMemoryError=OutOfMemoryError,
    current_stream=lambda: SimpleNamespace(cuda_stream=0),
    empty_cache=lambda: None,
    get_device_capability=lambda index: (9, 0),
    get_device_name=lambda index: "fake GPU",
    get_device_properties=lambda index: SimpleNamespace(L2_cache_size=1024),
    init=lambda: None,
    is_available=lambda: True,
    synchronize=lambda: None,
)
