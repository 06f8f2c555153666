"""What the examples make for a launch is made on its stream, and is not freed before it."""

import sys
from contextlib import contextmanager
from types import SimpleNamespace

import examples_support
import numpy as np
import pytest

sys.path.insert(0, str(examples_support.EXAMPLES))

import arrays


class Tensor:
    """One on a GPU, that notes what is done to it on which stream."""

    is_cuda, device = True, "cuda:0"

    def __init__(self, torch):
        self.torch = torch

    def data_ptr(self):
        return 0

    def new_empty(self, shape, dtype):
        self.torch.note("empty")
        return Tensor(self.torch)

    def new_tensor(self, numbers, dtype):
        self.torch.note("tensor")
        return Tensor(self.torch)

    def __setitem__(self, key, value):
        self.torch.note("fill")

    dtype = "int64"


class Torch(SimpleNamespace):
    """A library that knows which stream is the current one."""

    def __init__(self):
        super().__init__(now="its own", notes=[], float32="f32", int64="i64")
        self.cuda = SimpleNamespace(
            Stream=type("Stream", (), {}),
            ExternalStream=lambda handle, device: (handle, device),
            stream=self.on,
        )

    @contextmanager
    def on(self, stream):
        outer, self.now = self.now, stream
        yield
        self.now = outer

    def note(self, what):
        self.notes.append((what, self.now))

    def sort(self, tensor, stable):
        self.note("sort")
        return tensor, tensor

    def arange(self, count, dtype, device):
        self.note("arange")

    def searchsorted(self, ordered, known):
        self.note("search")


@pytest.fixture
def torch(monkeypatch):
    torch = Torch()
    monkeypatch.setitem(sys.modules, "torch", torch)
    return torch


def make_all(like, stream):
    arrays.empty(like, (3,), "float32", stream)
    arrays.zeros(like, (3,), "float32", stream)
    arrays.array_of(like, [1], "int64", stream)
    arrays.group(like, 2, stream)


def test_streams(torch):
    own = torch.cuda.Stream()
    for given, expected in (
        (None, "its own"),
        (own, own),
        (0x77, (0x77, "cuda:0")),
        (SimpleNamespace(ptr=0x78), (0x78, "cuda:0")),
        (SimpleNamespace(__cuda_stream__=(0, 0x79)), (0x79, "cuda:0")),
        (SimpleNamespace(__cuda_stream__=lambda: (0, 0x7A)), (0x7A, "cuda:0")),
    ):
        torch.notes.clear()
        make_all(Tensor(torch), given)
        done = ["empty", "empty", "fill", "tensor", "sort", "arange", "search"]
        assert torch.notes == [(what, expected) for what in done]
        assert torch.now == "its own"


def test_arrays_of_the_host_have_no_stream():
    x = np.array([1, 0, 1])
    make_all(x, 0x77)
    assert arrays.zeros(x, (2,), "int64", 0x77).tolist() == [0, 0]
