"""Which numbers a launch takes, and in which places; and what is wrong with others."""

import numpy as np
import pytest
from package_support import BARE, SCALE, import_package, numbers

tilewright = import_package()


X, Y = numbers(64), np.zeros(64, np.float32)


@pytest.fixture(scope="module")
def scale():
    return tilewright.compile(SCALE, target="sm_80")


def fill_kernel(dtype):
    """A kernel that stores a scalar of a type; an i1 as an i8."""
    text = """
tile.kernel @fill(%value: TYPE, %Y: !tile.ptr<MEMORY>, %n: index)
    shapes ["Y[n]"] grid ["ceildiv(n, 32)"] {
  %c32 = arith.constant 32 : index
  %program = tile.program_id 0
  %start = arith.muli %program, %c32 : index
  CAST
  %y = tile.view %Y, shape [%n], strides [1] : !tile.ptr<MEMORY> -> !tile.view<?xMEMORY, [1]>
  %t = tile.splat %STORED : MEMORY -> tensor<32xMEMORY>
  tile.store_view %t, %y[%start] : tensor<32xMEMORY>, !tile.view<?xMEMORY, [1]>
  tile.return
}
"""
    cast = "%wide = arith.extui %value : i1 to i8" if dtype == "i1" else ""
    text = text.replace("CAST", cast).replace("STORED", "wide" if cast else "value")
    return text.replace("MEMORY", "i8" if cast else dtype).replace("TYPE", dtype)


ARRAY_TYPES = {
    "i1": np.uint8,
    "i8": np.uint8,
    "i16": np.uint16,
    "i32": np.uint32,
    "i64": np.uint64,
    "f8E4M3FN": np.uint8,
    "f8E5M2": np.uint8,
    "f16": np.float16,
    "bf16": np.uint16,
    "f32": np.float32,
    "f64": np.float64,
}


@pytest.fixture(scope="module")
def fill():
    """What a kernel finds that is launched with a scalar of a type."""
    kernels = {}

    def run(dtype, value):
        if dtype not in kernels:
            kernels[dtype] = tilewright.compile(fill_kernel(dtype), target="sm_90a")
        y = np.zeros(3, ARRAY_TYPES[dtype])
        kernels[dtype](value, y)
        assert (y.view(f"u{y.itemsize}") == y.view(f"u{y.itemsize}")[0]).all()
        return y[0]

    return run


@pytest.mark.parametrize(
    ("dtype", "bits"), [("i1", 1), ("i8", 8), ("i16", 16), ("i32", 32), ("i64", 64)]
)
def test_integers_come_with_and_without_sign(fill, dtype, bits):
    for value in (0, 1, -1, 2**bits - 1, 2 ** (bits - 1), -(2 ** (bits - 1))):
        assert fill(dtype, value) == value % 2**bits
    for value in (2**bits, -(2 ** (bits - 1)) - 1, 2**70, -(2**70)):
        words = f"'value' is {value}; an {dtype} takes {-(2 ** (bits - 1))} to {2**bits - 1}"
        with pytest.raises(ValueError, match=words):
            fill(dtype, value)
    with pytest.raises(ValueError, match="'value' is an integer of 33220 bits; an"):
        fill(dtype, 10**10000)


def test_numbers_of_numpy(fill):
    for value in (True, np.True_, np.int8(1), np.uint64(1), np.array(1)):
        assert fill("i1", value) == 1
        assert fill("i32", value) == 1
        assert fill("f32", value) == 1
    assert fill("i64", np.uint64(2**64 - 1)) == 2**64 - 1
    assert fill("i8", np.int8(-128)) == 128
    for value in (0.5, np.float16(0.5), np.float64(0.5), np.array(0.5)):
        assert fill("f16", value) == 0.5
    for value in (0.5, np.float32(1), np.array([1]), "1", 1j, None):
        with pytest.raises(TypeError, match="'value' is to be an integer, not "):
            fill("i32", value)
    for value in (np.array([0.5, 1]), "1", 1j, None):
        with pytest.raises(TypeError, match="'value' is to be a number, not "):
            fill("f32", value)


@pytest.mark.parametrize(
    ("dtype", "largest", "first_too_large"),
    [
        ("f8E4M3FN", 448, np.nextafter(464, 500)),
        ("f8E5M2", 57344, 61440),
        ("f16", 65504, 65520),
        ("bf16", 255 * 2.0**120, 511 * 2.0**119),
        ("f32", (2 - 2.0**-23) * 2.0**127, (2 - 2.0**-24) * 2.0**127),
        ("f64", np.finfo(np.float64).max, 2**1024),
    ],
)
def test_what_would_overflow_is_refused(fill, dtype, largest, first_too_large):
    for sign in (1, -1):
        bits = fill(dtype, sign * largest).tobytes()
        if dtype != "f64":
            last = np.nextafter(first_too_large, 0)
            assert fill(dtype, sign * last).tobytes() == bits
        name = "f8e4m3" if dtype == "f8E4M3FN" else dtype.lower()
        for value in (first_too_large, 10**400):
            words = f"'value' is .*, too large for an {name}: the largest is "
            with pytest.raises(ValueError, match=words):
                fill(dtype, sign * value)


def test_infinity_and_nan_are_numbers(fill):
    for dtype in ("f16", "f32", "f64"):
        assert fill(dtype, float("inf")) == np.inf
        assert fill(dtype, -np.inf) == -np.inf
        assert np.isnan(fill(dtype, float("nan")))
        assert np.signbit(fill(dtype, -0.0))
    assert fill("bf16", -np.inf) == 0xFF80
    assert fill("f8E5M2", np.inf) == 0x7C
    assert fill("f8E5M2", -np.inf) == 0xFC
    assert fill("f8E4M3FN", np.nan) & 0x7F == 0x7F
    with pytest.raises(ValueError, match="'value' is inf, too large for an f8e4m3"):
        fill("f8E4M3FN", np.inf)


def test_sizes_fit_their_type():
    """Shapes read integers with their sign: 200 elements are no size that an i8 can have."""
    source = SCALE.replace("i32", "i8")
    kernel = tilewright.compile(source, target="sm_80")
    kernel(numbers(127), np.zeros(127, np.float32), 1)
    x, y = numbers(200), np.zeros(200, np.float32)
    with pytest.raises(ValueError, match="the shapes make 'n' 200, which is no size that an i8"):
        kernel(x, y, 1)
    with pytest.raises(ValueError, match="the extent 'n' of 'X' is -56; extents are 0 or more"):
        kernel(x, y, 200, 1)


@pytest.mark.parametrize(
    ("arguments", "keywords", "words"),
    [
        ((), {}, "'X' is missing; it is scale\\(X: f32\\[n\\], Y: f32\\[n\\], n: i32, factor: f32"),
        ((X, Y), {}, "'factor' is missing"),
        ((X,), {"factor": 1.0}, "'Y' is missing"),
        ((X, Y, 64, 1.0, 5), {}, "5 arguments are too many"),
        ((X, Y, 1.0), {"X": X}, "'X' is given twice, in its place and by name"),
        ((X, Y, 64, 1.0), {"n": 64}, "'n' is given twice, in its place and by name"),
        ((X, Y, 64, 1.0), {"factor": 1.0}, "'factor' is given twice|too many"),
        ((X, Y, 1.0), {"alpha": 2}, "there is no argument 'alpha'"),
        ((X, Y, 1.0), {"Stream": 2}, "there is no argument 'Stream'"),
        ((1.0, X, Y), {}, "'X' is to be an array of f32, not float"),
        ((X, Y, 64.0, 1.0), {}, "'n' is to be an integer, not float"),
        ((X, Y, None, 1.0), {}, "'n' is to be an integer, not NoneType"),
        ((X, Y, 1.0), {"stream": "fast"}, "stream is to be a CUDA stream"),
    ],
)
def test_type_errors(scale, arguments, keywords, words):
    with pytest.raises(TypeError, match=words):
        scale(*arguments, **keywords)
    assert not Y.any()


def test_sizes_may_be_named_among_others(scale):
    x, y = numbers(64), np.zeros(64, np.float32)
    scale(x, y, 2.0, n=64)
    assert np.array_equal(y, x * 2)
    scale(Y=y, X=x, factor=3, n=64)
    assert np.array_equal(y, x * 3)


@pytest.mark.parametrize(
    ("arguments", "keywords", "words"),
    [
        ((X, Y, 63, 1.0), {}, "'X' is 64; the kernel takes X\\[n\\], which is 63 here"),
        ((X, Y, -1, 1.0), {}, "the extent 'n' of 'X' is -1; extents are 0 or more"),
        ((X, Y, 1.0), {"device": "gpu"}, 'device is "sim", "cuda" or "cuda:N", not \'gpu\''),
        ((X, Y, 1.0), {"device": "sim:1"}, "device is"),
        ((X, Y, 1.0), {"device": "cuda:x"}, "device is"),
        ((X, Y, 1.0), {"device": 3}, "device is"),
        ((X, Y, 1.0), {"stream": -1}, "handle of a CUDA stream"),
        ((X, Y, 1.0), {"stream": 2**70}, "handle of a CUDA stream"),
    ],
)
def test_value_errors(scale, arguments, keywords, words):
    with pytest.raises(ValueError, match=words):
        scale(*arguments, **keywords)
    assert not Y.any()


@pytest.mark.parametrize("grid", [0, 2, (1, 2), (1, 1, 2), 2**31, (1, 65536)])
def test_a_grid_that_contradicts_the_kernels(scale, grid):
    axes = [*(grid if isinstance(grid, tuple) else (grid,)), 1, 1][:3]
    words = "grid is {} x {} x {}, but the kernel's own grid is 1 x 1 x 1 here: leave grid= out"
    with pytest.raises(ValueError, match=words.format(*axes)):
        scale(X, Y, 1.0, grid=grid)
    assert not Y.any()


def test_a_grid_where_the_kernel_has_none():
    kernel = tilewright.compile(BARE, target="sm_80")
    with pytest.raises(TypeError, match="declares no grid: pass one"):
        kernel(X, Y, 64, 2.0)
    with pytest.raises(TypeError, match="'n' is missing"):
        kernel(X, Y, grid=3)
    for grid in (-1, (1, 2, 3, 4), (), 2**70, 2**31, (1, 65536), (1, 1, 65536)):
        with pytest.raises(ValueError, match="grid"):
            kernel(X, Y, 64, 2.0, grid=grid)
    for grid in ("3", 1.5, (None,), {1}):
        with pytest.raises(TypeError, match="grid"):
            kernel(X, Y, 64, 2.0, grid=grid)
    with pytest.raises(ValueError, match="the kernel declares no grid"):
        kernel.grid(n=64)
    assert not Y.any()


def test_what_a_grid_does_not_depend_on(scale):
    with pytest.raises(TypeError, match="'n' is missing"):
        scale.grid()
    with pytest.raises(TypeError, match=r"by name, such as grid\(M=300, N=200\)"):
        scale.grid(64)
    with pytest.raises(TypeError, match="'X' is an array; a grid depends on integers"):
        scale.grid(X=X, n=64)
    with pytest.raises(TypeError, match="there is no argument 'grid'"):
        scale.grid(n=64, grid=3)
