"""Launches in the simulator, on arrays of the host; and what is wrong with their arguments."""

import threading

import numpy as np
import pytest
from package_support import BARE, EXAMPLES, SCALE, DLPackArray, copy_kernel, import_package

tilewright = import_package()


@pytest.fixture(scope="module")
def transpose():
    return tilewright.compile_file(EXAMPLES / "transpose_f32.mlir", target="sm_80")


@pytest.fixture(scope="module")
def scale():
    return tilewright.compile(SCALE, target="sm_80")


def numbers(*shape, dtype=np.float32):
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


X, Y = numbers(64), np.zeros(64, np.float32)


def test_copy():
    kernel = tilewright.compile_file(EXAMPLES / "copy_f32.mlir", target="sm_80")
    x, y = numbers(5003), np.zeros(5003, np.float32)
    kernel(x, y)
    assert np.array_equal(x, y)


@pytest.mark.parametrize(("m", "n"), [(70, 131), (64, 64), (1, 1)])
def test_transpose(transpose, m, n):
    a, b = numbers(m, n), np.zeros((n, m), np.float32)
    transpose(a, b)
    assert np.array_equal(b, a.T)


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_gemm(target):
    kernel = tilewright.compile_file(EXAMPLES / "gemm_f16_nn.mlir", target=target)
    a, b = numbers(72, 96, dtype=np.float16), numbers(96, 88, dtype=np.float16)
    c = np.zeros((72, 88), np.float16)
    kernel.launch(a, b, c)
    expected = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_allclose(c, expected, rtol=1e-3, atol=1e-2)


def test_sizes_can_be_given_named_or_left_out(transpose):
    a, b = numbers(6, 10), np.zeros((10, 6), np.float32)
    for arguments, keywords in [
        ((a, b, 6, 10), {}),
        ((a, b), {"M": 6}),
        ((a, b), {"N": np.int32(10), "M": 6}),
        ((), {"A": a, "B": b}),
        ((a,), {"B": b}),
    ]:
        b[:] = 0
        transpose(*arguments, **keywords)
        assert np.array_equal(b, a.T)


def test_scalars_that_no_shape_tells(scale):
    x, y = numbers(300), np.zeros(300, np.float32)
    scale(x, y, 0.5)
    assert np.array_equal(y, x * np.float32(0.5))
    scale(x, y, 300, np.float32(2))
    assert np.array_equal(y, x * 2)
    scale(x, y, factor=-1)
    assert np.array_equal(y, -x)


def test_in_place(scale):
    x = numbers(300)
    expected = x * 3
    scale(x, x, 3)
    assert np.array_equal(x, expected)
    # Also where the arrays are two.
    y = x[:]
    scale(x, y, 2)
    assert np.array_equal(x, expected * 2)


def test_parts_of_arrays_are_whole_arrays(scale):
    memory = np.zeros(1000, np.float32)
    x, y = memory[1:301], memory[500:800]
    x[:] = numbers(300)
    scale(x, y, 1)
    assert np.array_equal(x, y)
    assert memory[0] == memory[499] == memory[800] == 0


def test_nothing_at_all(scale):
    scale(np.zeros(0, np.float32), np.zeros(0, np.float32), 1)


def test_each_divisibility_has_its_variant():
    kernel = tilewright.compile(SCALE, target="sm_80")
    assert len(kernel.variants) == 1
    for count, variants in [(64, 2), (128, 2), (63, 3), (65, 3), (4, 4)]:
        kernel(numbers(count), np.zeros(count, np.float32), 1)
        assert len(kernel.variants) == variants
    base, wide, narrow, _ = kernel.variants
    assert base["divisibility"] == {"X": 1, "Y": 1, "n": 1, "factor": 1}
    assert wide["divisibility"] == {"X": 16, "Y": 16, "n": 16, "factor": 1}
    assert narrow["divisibility"]["n"] == 1
    widths = [variant["report"]["accesses"][0]["vector_bytes"] for variant in kernel.variants]
    assert widths[0] == 4
    assert widths[1] > 4


def test_promises_are_checked_and_fix_the_variant():
    kernel = tilewright.compile(SCALE, target="sm_80", divisibility={"n": 8})
    x, y = numbers(64), np.zeros(64, np.float32)
    kernel(x, y, 1)
    assert np.array_equal(x, y)
    assert len(kernel.variants) == 1
    with pytest.raises(tilewright.LaunchError, match="relies on a multiple of 8"):
        kernel(numbers(12), np.zeros(12, np.float32), 1)


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
    with pytest.raises(tilewright.LaunchError, match="wrote to 'Y', which is read-only"):
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
    with pytest.raises(tilewright.LaunchError, match="wrote to 'Y', which is read-only"):
        scale(y, x, 2)
    assert np.array_equal(x, y)


def test_what_the_simulator_counted(scale):
    kernel = tilewright.compile(SCALE, target="sm_80")
    assert kernel.simulation is None
    kernel(numbers(256), np.zeros(256, np.float32), 1)
    assert kernel.simulation["counts"]["warp_instructions"] > 0


def test_kernels_without_clauses_take_a_grid():
    kernel = tilewright.compile(BARE, target="sm_80")
    x, y = numbers(600), np.zeros(600, np.float32)
    with pytest.raises(TypeError, match="declares no grid: pass one"):
        kernel(x, y, 600, 2.0)
    kernel(x, y, 600, 2.0, grid=3)
    assert np.array_equal(y, x * 2)
    kernel(x[::-1], y, 1, 2.0, grid=(1,))
    assert y[0] == x[-1] * 2
    with pytest.raises(TypeError, match="'n' is missing"):
        kernel(x, y, grid=3)
    for grid in (-1, (1, 2, 3, 4), ()):
        with pytest.raises(ValueError, match="grid"):
            kernel(x, y, 600, 2.0, grid=grid)
    for grid in ("3", 1.5, (None,)):
        with pytest.raises(TypeError, match="grid"):
            kernel(x, y, 600, 2.0, grid=grid)


def test_defects_are_the_simulators_errors():
    """A grid of one block too many, for a kernel that does not look where it stands."""
    source = copy_kernel("f32").replace("shape [%n]", "shape [%far]")
    source = source.replace("%c64 =", "%far = arith.constant 4096 : index\n  %c64 =")
    kernel = tilewright.compile(source, target="sm_80")
    x, y = numbers(100), np.zeros(100, np.float32)
    with pytest.raises(tilewright.SimulatorError, match="out-of-bounds") as caught:
        kernel(x, y)
    assert isinstance(caught.value, tilewright.LaunchError)
    assert not y.any()
    # The next launch is as if nothing had been.
    x, y = numbers(128), np.zeros(128, np.float32)
    kernel(x, y)
    assert np.array_equal(x, y)


# What is wrong with arguments.


@pytest.mark.parametrize(
    ("arguments", "keywords", "words"),
    [
        ((), {}, "'X' is missing; it is scale\\(X: f32\\[n\\], Y: f32\\[n\\], n: i32, factor: f32"),
        ((X, Y), {}, "'factor' is missing"),
        ((X, Y, 64, 1.0, 5), {}, "5 arguments are too many"),
        ((X, Y, 1.0), {"alpha": 2}, "there is no argument 'alpha'"),
        ((X, Y, 1.0), {"Stream": 2}, "there is no argument 'Stream'"),
        ((None, Y, 1.0), {}, "'X' is to be an array of f32, not NoneType"),
        ((X, 7, 1.0), {}, "'Y' is to be an array of f32, not int"),
        ((X, [1.0], 1.0), {}, "'Y' is to be an array of f32, not list"),
        ((X, np.float32(1), 1.0), {}, "'Y' is to be an array of f32, not numpy.float32"),
        ((X, np.ndarray, 1.0), {}, "'Y' is to be an array of f32, not a class"),
        ((X.astype(np.float64), Y, 1.0), {}, "'X' has elements of float64; the kernel takes f32"),
        ((X.astype(np.int32), Y, 1.0), {}, "'X' has elements of int32; the kernel takes f32"),
        ((X.astype(">f4"), Y, 1.0), {}, "in the other byte order; the kernel takes f32"),
        ((X.astype(object), Y, 1.0), {}, "'X' has elements of object"),
        ((X.view("f4,f4"), Y, 1.0), {}, "'X' has elements of "),
        ((X, Y, "1"), {}, "'factor' is to be a number, not str"),
        ((X, Y, None), {}, "'factor' is to be a number, not NoneType"),
        ((X, Y, 64.0, 1.0), {}, "'n' is to be an integer, not float"),
        ((X, Y, None, 1.0), {}, "'n' is to be an integer, not NoneType"),
        ((X, Y, 1.0), {"stream": "fast"}, "stream is to be a CUDA stream"),
    ],
)
def test_type_errors(scale, arguments, keywords, words):
    with pytest.raises(TypeError, match=words):
        scale(*arguments, **keywords)


@pytest.mark.parametrize(
    ("arguments", "keywords", "words"),
    [
        ((X, Y[:63], 1.0), {}, "'Y' is 63; the kernel takes Y\\[n\\], which is 64 here"),
        ((X.reshape(8, 8), Y, 1.0), {}, "'X' is 8 x 8; the kernel takes X\\[n\\]"),
        ((X, Y, 63, 1.0), {}, "'X' is 64; the kernel takes X\\[n\\], which is 63 here"),
        ((X[::2], Y[:32], 1.0), {}, "'X' has strides of 2 elements; .* row-major without gaps"),
        ((X[::-1], Y, 1.0), {}, "'X' has strides of -1 elements"),
        ((np.float32(3) + np.zeros(()), Y, 1.0), {}, ""),
        ((X, Y, -1, 1.0), {}, "n"),
        ((X, Y, 2**31, 1.0), {}, "'n' is 2147483648, which does not fit an i32"),
        ((X, Y, 10**30, 1.0), {}, "does not fit an i64"),
        ((X, Y, -(10**30), 1.0), {}, "does not fit an i64"),
        ((X, Y, 1e300), {}, "'factor' is 1e\\+300, which does not fit an f32"),
        ((X, Y, 10**400), {}, "'factor' is too large for an f32"),
        ((X, Y, 1.0), {"device": "gpu"}, 'device is "sim", "cuda" or "cuda:N", not \'gpu\''),
        ((X, Y, 1.0), {"device": "sim:1"}, "device is"),
        ((X, Y, 1.0), {"device": "cuda:x"}, "device is"),
        ((X, Y, 1.0), {"device": 3}, "device is"),
        ((X, Y, 1.0), {"stream": -1}, "handle of a CUDA stream"),
        ((X, Y, 1.0), {"stream": 2**70}, "handle of a CUDA stream"),
    ],
)
def test_value_errors(scale, arguments, keywords, words):
    if words == "":  # A number of dimensions that the size cannot be read from.
        with pytest.raises((ValueError, TypeError)):
            scale(*arguments, **keywords)
        return
    with pytest.raises(ValueError, match=words):
        scale(*arguments, **keywords)
    assert not Y.any()


def test_infinity_and_nan_are_numbers(scale):
    x, y = np.ones(4, np.float32), np.zeros(4, np.float32)
    scale(x, y, float("inf"))
    assert np.isinf(y).all()
    scale(x, y, float("nan"))
    assert np.isnan(y).all()


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
        {"mask": 1},
    ],
)
def test_broken_array_interfaces_are_errors(scale, fields):
    with pytest.raises((TypeError, ValueError)):
        scale(Liar(**fields), Y, 1.0)


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


def test_clauses_that_allow_no_launch():
    source = SCALE.replace('shapes ["X[n]", "Y[n]"]', 'shapes ["X[n]"]')
    try:
        kernel = tilewright.compile(source, target="sm_80")
    except tilewright.CompileError as error:
        assert "Y" in error.message
        return
    with pytest.raises(tilewright.LaunchError, match=r"cannot be run: .*'Y' has no shape"):
        kernel(X, Y, 1.0)


def test_launches_from_threads(scale):
    """One kernel, four threads, with a variant that none of them has yet."""
    results = {}

    def work(number):
        x = np.full(48 + number, number, np.float32)
        y = np.zeros_like(x)
        for _ in range(3):
            scale(x, y, 2)
        results[number] = (y == 2 * number).all()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == dict.fromkeys(range(4), True)


def test_the_simulator_leaves_python_its_lock(scale):
    done = threading.Event()
    x, y = numbers(400_000), np.zeros(400_000, np.float32)

    def work():
        scale(x, y, 2)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    turns = 0
    while not done.wait(0.0005):
        turns += 1
    thread.join()
    assert turns > 0
    assert np.array_equal(y, x * 2)
