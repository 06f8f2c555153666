"""Which arrays of the host a launch takes, and what is wrong with others."""

import numpy as np
import pytest
from package_support import BARE, SCALE, DLPackArray, array_at, copy_kernel, import_package, numbers

tilewright = import_package()


X, Y = numbers(64), np.zeros(64, np.float32)


@pytest.fixture(scope="module")
def scale():
    return tilewright.compile(SCALE, target="sm_80")


@pytest.mark.parametrize(
    ("dtype", "array_type"),
    [
        ("i8", np.int8),
        ("i8", np.uint8),
        ("i16", np.uint16),
        ("i32", np.int32),
        ("i64", np.uint64),
        ("f16", np.float16),
        ("bf16", np.uint16),
        ("f8E4M3FN", np.uint8),
        ("f64", np.float64),
    ],
)
def test_element_types(dtype, array_type):
    kernel = tilewright.compile(copy_kernel(dtype), target="sm_90a")
    x = np.arange(100).astype(array_type)
    y = np.zeros_like(x)
    kernel(x, y)
    assert np.array_equal(x, y)


def test_dlpack(scale):
    x, y = numbers(100), np.zeros(100, np.float32)
    scale(DLPackArray(x), DLPackArray(y), 4)
    assert np.array_equal(y, x * 4)
    with pytest.raises(TypeError, match="'X' has elements of float64; the kernel takes f32"):
        scale(DLPackArray(numbers(4, dtype=np.float64)), DLPackArray(y), 1)
    with pytest.raises(ValueError, match="'X' has strides of 2 elements"):
        scale(DLPackArray(x[::2]), DLPackArray(y[:50]), 1)
    y.flags.writeable = False
    before = y.copy()
    with pytest.raises(ValueError, match="'Y' is read-only, and the kernel writes to it"):
        scale(DLPackArray(x), DLPackArray(y), 5)
    assert np.array_equal(y, before)


@pytest.mark.parametrize("capsule", [None, 5, X.__dlpack__(), RuntimeError("mine")])
def test_broken_dlpack_is_an_error(scale, capsule):
    class Broken:
        def __dlpack__(self):
            if isinstance(capsule, Exception):
                raise capsule
            return capsule

    array, y = Broken(), np.zeros(64, np.float32)
    if "dltensor" in repr(capsule):  # Good once, and then used up.
        scale(array, y, 1.0)
        assert np.array_equal(X, y)
    with pytest.raises(TypeError, match=r"'X' \(.*Broken\)"):
        scale(array, y, 1.0)


def test_read_only_arrays_are_inputs(scale):
    x, y = numbers(100), np.zeros(100, np.float32)
    x.flags.writeable = False
    scale(x, y, 1)
    assert np.array_equal(x, y)
    with pytest.raises(ValueError, match="'Y' is read-only, and the kernel writes to it"):
        scale(y, x, 2)
    assert np.array_equal(x, y)


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (None, "'X' is to be an array of f32, not NoneType"),
        (7, "'X' is to be an array of f32, not int"),
        ([1.0], "'X' is to be an array of f32, not list"),
        (memoryview(X), "'X' is to be an array of f32, not memoryview"),
        (np.float32(1), "'X' is to be an array of f32, not numpy.float32"),
        (np.ndarray, "'X' is to be an array of f32, not a class"),
        (X.astype(np.float64), "'X' has elements of float64; the kernel takes f32"),
        (X.astype(np.int32), "'X' has elements of int32; the kernel takes f32"),
        (X.astype(np.complex64), "'X' has elements of complex64; the kernel takes f32"),
        (X.astype(">f4"), "in the other byte order; the kernel takes f32"),
        (X.astype(object), "'X' has elements of object"),
        (X.view("f4,f4"), "'X' has elements of "),
        (np.ma.masked_array(X, mask=X > 0), "'X' .*has a mask, which a kernel does not understand"),
    ],
)
def test_what_is_no_array(scale, array, words):
    with pytest.raises(TypeError, match=words):
        scale(array, Y, 1.0)
    assert not Y.any()


def test_a_mask_that_hides_nothing(scale):
    x, y = numbers(64), np.zeros(64, np.float32)
    scale(np.ma.masked_array(x), y, 1.0)
    assert np.array_equal(x, y)


# Six bytes each, so that a column's elements stand at no multiple of four.
RECORDS = np.zeros(64, dtype=[("value", np.float32), ("flag", np.int16)])


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        (X, Y[:63], "'Y' is 63; the kernel takes Y\\[n\\], which is 64 here"),
        (X.reshape(8, 8), Y, "'X' is 8 x 8; the kernel takes X\\[n\\]"),
        (X.reshape(1, 64), Y, "'X' is 1 x 64; the kernel takes X\\[n\\]"),
        (np.zeros((), np.float32), Y, "'X' is a single element; the kernel takes X\\[n\\]"),
        (np.zeros((0, 3), np.float32), Y[:0], "'X' is 0 x 3; the kernel takes X\\[n\\]"),
        (X[::2], Y[:32], "'X' has strides of 2 elements; .* row-major without gaps"),
        (X[::-1], Y, "'X' has strides of -1 elements; .*: pass a contiguous copy"),
        (
            np.broadcast_to(X[:1], 64),
            Y,
            "'X' has strides of 0 elements; .*: pass a contiguous copy",
        ),
        (RECORDS["value"], Y, "'X' has strides of 6 bytes, no multiple of the 4 bytes of an elem"),
        (RECORDS["value"][::-1], Y, "'X' has strides of -6 bytes, no multiple of the 4 bytes"),
        (
            array_at(1, 64),
            Y,
            "'X' begins at 0x[0-9a-f]*1, no multiple of the 4 bytes of an element",
        ),
        (array_at(34, 64), Y, "'X' begins at 0x.*: pass an aligned copy"),
    ],
)
def test_shapes_and_strides(scale, x, y, words):
    with pytest.raises(ValueError, match=words):
        scale(x, y, 1.0)
    assert not Y.any()


def test_strides_of_what_nobody_walks_along(scale):
    y = np.zeros(1, np.float32)
    RECORDS["value"][0] = 5
    scale(RECORDS["value"][:1], y, 2.0)
    assert y[0] == 10
    scale(RECORDS["value"][:0], y[:0], 2.0)


def test_bytes_may_stand_anywhere():
    kernel = tilewright.compile(copy_kernel("i8"), target="sm_90a")
    for offset in range(5):
        x, y = array_at(offset, 99, np.int8), array_at(3, 99, np.int8)
        x[:], y[:] = np.arange(99), 0
        kernel(x, y)
        assert np.array_equal(x, y)


def test_strides_without_a_shape():
    """Such a kernel takes an array for the address of its first element."""
    kernel = tilewright.compile(BARE, target="sm_80")
    memory, y = numbers(200), np.zeros(64, np.float32)
    kernel(memory[100::-1], y, 1, 1.0, grid=1)
    assert y[0] == memory[100]
    kernel(memory[::3], y, 64, 2.0, grid=1)
    assert np.array_equal(y, memory[:64] * 2)


class Liar:
    """An array whose interface is not what it should be."""

    def __init__(self, **fields):
        good = {"shape": (4,), "typestr": "<f4", "data": (4096, False), "strides": None}
        self.__array_interface__ = {**good, **fields}


@pytest.mark.parametrize(
    "fields",
    [
        {"shape": None},
        {"shape": [4]},
        {"shape": (-1,)},
        {"shape": (2**70,)},
        {"shape": ("4",)},
        {"typestr": None},
        {"typestr": ""},
        {"typestr": "<f"},
        {"typestr": "<f99999999999"},
        {"data": None},
        {"data": (4096,)},
        {"data": ("here", False)},
        {"data": (-5, False)},
        {"strides": (4, 4)},
        {"strides": ("4",)},
        {"strides": (6,)},
        {"strides": (2**70,)},
        {"strides": (-(2**70),)},
        {"strides": 4},
        {"mask": 1},
    ],
)
def test_broken_array_interfaces_are_errors(scale, fields):
    with pytest.raises((TypeError, ValueError)):
        scale(Liar(**fields), Y, 1.0)


@pytest.mark.parametrize("stride", [2**70, -(2**70), "1", 1.0, None])
def test_a_bad_stride_is_no_stride(stride):
    """Of bytes too, where each number is a multiple of the elements' size."""
    kernel = tilewright.compile(copy_kernel("i8"), target="sm_80")
    for extent in (1, 4):
        array = Liar(shape=(extent,), typestr="|i1", strides=(stride,))
        with pytest.raises(TypeError, match=r"the array interface of 'X' .* has no good 'strides'"):
            kernel(array, np.zeros(extent, np.int8))


@pytest.mark.parametrize("interface", [None, 5, (), {}])
def test_interfaces_are_dictionaries(scale, interface):
    array = Liar()
    array.__array_interface__ = interface
    with pytest.raises(TypeError, match="'X'"):
        scale(array, Y, 1.0)


def test_freed_arrays_have_no_memory(scale):
    with pytest.raises(ValueError, match="'X' has no memory"):
        scale(Liar(data=(0, False)), np.zeros(4, np.float32), 1.0)


def test_errors_of_an_array_are_its_own(scale):
    class Angry:
        @property
        def __array_interface__(self):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        scale(Angry(), Y, 1.0)
