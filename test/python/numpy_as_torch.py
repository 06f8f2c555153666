"""As much of PyTorch as launches and references of some users' kernels need, on NumPy's arrays."""

from types import SimpleNamespace

import numpy as np


class Array(np.ndarray):
    """NumPy's array with methods of PyTorch's tensor."""

    def stride(self, dimension):
        return self.strides[dimension] // self.itemsize

    def numel(self):
        return self.size

    def element_size(self):
        return self.itemsize

    def is_floating_point(self):
        return self.dtype.kind == "f"

    def float(self):
        return self.astype(np.float32)

    def double(self):
        return self.astype(np.float64)

    def long(self):
        return self.astype(np.int64)

    def abs(self):
        return np.abs(self)

    def square(self):
        return np.square(self)

    def rsqrt(self):
        return 1 / np.sqrt(self)

    def sum(self, *arguments, keepdim=False, **keywords):
        # NumPy's own sums come here with names of theirs.
        if keepdim:
            keywords["keepdims"] = True
        return super().sum(*arguments, **keywords)

    def mean(self, *arguments, keepdim=False, **keywords):
        if keepdim:
            keywords["keepdims"] = True
        return super().mean(*arguments, **keywords)

    def view(self, *shape):
        if shape and all(isinstance(each, int) for each in shape):
            return self.reshape(shape)
        return super().view(*shape)

    def copy_(self, other):
        self[...] = other

    def fill_(self, value):
        self[...] = value

    def zero_(self):
        self[...] = 0


torch = SimpleNamespace(
    cuda=SimpleNamespace(synchronize=lambda: None),
    where=lambda *arguments: np.where(*arguments).view(Array),
    stack=lambda *arguments: np.stack(*arguments).view(Array),
)


class NumpyData:
    """Data of cases, for the simulator."""

    def __init__(self, seed=0):
        self.torch = torch
        self._random = np.random.default_rng(seed)

    def _take(self, values, dtype):
        return np.ascontiguousarray(values, dtype).view(Array)

    def randn(self, *shape, dtype="float16", scale=1.0):
        return self._take(self._random.standard_normal(shape) * scale, dtype)

    def rand(self, *shape, dtype="float32"):
        return self._take(self._random.random(shape), dtype)

    def randint(self, low, high, *shape, dtype="int32"):
        return self._take(self._random.integers(low, high, shape), dtype)

    def empty(self, *shape, dtype="float16"):
        return self._take(np.zeros(shape), dtype)

    def zeros(self, *shape, dtype="float32"):
        return self._take(np.zeros(shape), dtype)

    def make(self, shape, dtype, values):
        made = self._take(values(SimpleNamespace(tensor=np.array)), dtype)
        assert made.shape == shape
        return made
