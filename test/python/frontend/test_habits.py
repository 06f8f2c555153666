"""What people write by habit of arrays, PyTorch, NumPy or CUDA: errors say what is written here."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


def read_pointer_by_number(x, n):
    tl.store(x, x[0])


def read_pointer_by_value(x, n):
    tl.store(x, x[n])


def read_pointers_by_slice(x, n):
    tl.store(x, (x + tl.arange(0, 8))[0:4])


def write_pointer(x, n):
    x[n] = 1.0


def add_to_pointer(x, n):
    x[0] += 1.0


def write_tile(x, n):
    v = tl.load(x + tl.arange(0, 8))
    v[0] = 1.0


def read_tile(x, n):
    tl.store(x, tl.load(x + tl.arange(0, 8))[n])


def read_tuple(x, n):
    tl.store(x, (1, 2, 3)[n])


def beyond_tuple(x, n):
    tl.store(x, (1, 2, 3)[3])


def extent_of_pointer(x, n):
    tl.store(x, x.shape[0])


def text_of_value(x, n):
    print(f"n is {n}")


def text_of_condition(x, n):
    tl.device_assert(n > 0, f"{n:5} is too small")


def write_tuple(x, n):
    values = (n, 1)
    values[0] = 2


def add_to_none(x, n):
    y = None
    tl.store(x + y, 1.0)


def count_down(x, n):
    for i in reversed(range(3)):
        tl.store(x + i, 1.0)


def unroll_down(x, n):
    for i in reversed(tl.static_range(3)):
        tl.store(x + i, 1.0)


def other_shape_in_loop(x, n):
    a = tl.zeros((4,), tl.float32)
    for _ in range(n):
        a = tl.zeros((8,), tl.float32)
    tl.store(x + tl.arange(0, 4), a)


def other_text_in_loop(x, n):
    mode = "sum"
    for _ in range(n):
        mode = "max"
    tl.static_assert(mode == "sum")


def word_of_numpy(x, n):
    tl.store(x, tl.mean(tl.load(x + tl.arange(0, 8))))


def word_like_another(x, n):
    tl.store(x, tl.clip(tl.load(x), 0, 1))


def method_of_numpy(x, n):
    tl.store(x, tl.load(x).astype(tl.float16))


def method_of_torch(x, n):
    if (tl.arange(0, 8) < n).any():
        tl.store(x, 1.0)


def type_of_torch(x, n):
    tl.store(x, n.to(tl.long))


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (read_pointer_by_number, "a pointer is not indexed: tl.load(x + i) reads what stands"),
        (read_pointer_by_value, "a pointer is not indexed: tl.load(x + i) reads what stands there"),
        (read_pointers_by_slice, "a pointer is not indexed: tl.load(x + i) reads"),
        (write_pointer, "a pointer is not indexed: write tl.store(x + i, value)"),
        (add_to_pointer, "a pointer is not indexed: write tl.store(x + i, value)"),
        (write_tile, "an element of a tile cannot be changed: tl.where makes another tile"),
        (write_tuple, "a tuple keeps its values: make another, as by (a, *values[1:])"),
        (add_to_none, "'x + y': 'y' is None, which is neither a number nor a tile: ask 'y is "),
        (count_down, "a loop counts down by its step: write range(n - 1, -1, -1)"),
        (unroll_down, "a loop counts down by its step: write range(n - 1, -1, -1)"),
        (
            other_shape_in_loop,
            "'a' is <[4], fp32> before a loop of run time and <[8], fp32> in it, which may not "
            "run: give each a name of its own",
        ),
        (other_text_in_loop, "'mode' is 'sum' before a loop of run time and 'max' in it"),
        (read_tile, "an index is a constant: an element of a tile is got by tl.where and tl.sum"),
        (read_tuple, "an index is a constant, and this is a value of run time"),
        (beyond_tuple, "a tuple or a shape of 3 has no place 3"),
        (extent_of_pointer, "that of a pointer or a number has none: pass extents of arrays"),
        (text_of_value, "a text is made when the kernel is compiled, and this is a value of run"),
        (text_of_condition, "a text is made when the kernel is compiled, and this is a value of"),
        (word_of_numpy, "tilewright.language has no 'mean': write tl.sum(x, axis) / n"),
        (word_like_another, "tilewright.language has no 'clip': write tl.clamp"),
        (method_of_numpy, "has no 'astype': write x.to(dtype)"),
        (method_of_torch, "has no 'any': write tl.max(x, axis)"),
        (type_of_torch, "tilewright.language has no 'long': write tl.int64"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_the_error_says_what_to_write(kernel: Callable[..., None], message: str) -> None:
    with pytest.raises(tilewright.CompileError) as error:
        tilewright.jit(kernel).compile("*fp32, i32")
    assert message in error.value.message


@tilewright.jit
def lists_and_tuples(x):
    powers = [2**k for k in tl.static_range(2)]
    powers = powers[1:] + [4, 8] + (16,)
    tl.static_assert(len(powers) == 4)
    for i in tl.static_range(4):
        tl.store(x + i, powers[i])


def test_what_comprehensions_give_is_joined_with_lists() -> None:
    x = np.zeros(4, np.float32)
    lists_and_tuples[(1,)](x)
    assert x.tolist() == [2, 4, 8, 16]


@tilewright.jit
def texts_of_constants(x, SIZE: tl.constexpr):
    tl.static_assert(x.dtype.element_ty == tl.float32, f"{x.dtype} of {SIZE:03d} {SIZE!r}")
    tl.store(x + tl.arange(0, SIZE)[None, :], (SIZE, 2)[-2] * 1.0)


def test_constants_are_shown_and_indexed() -> None:
    assert "8.000000e+00" in texts_of_constants.compile("*fp32", {"SIZE": 8}).ir("tile")


@tilewright.jit
def methods_of_constants(x, SIZE: tl.constexpr, RATE: tl.constexpr):
    tl.store(x, SIZE.bit_length() + SIZE.value.bit_count())
    tl.store(x + 1, RATE.is_integer())
    tl.store(x + 2, SIZE.to(tl.float32))


def test_numbers_have_the_methods_of_python() -> None:
    x = np.zeros(3, np.float32)
    methods_of_constants[(1,)](x, SIZE=48, RATE=2.5)
    assert x.tolist() == [6 + 2, 0, 48]
