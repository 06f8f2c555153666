"""Launches in the simulator, on arrays of the host."""

import threading

import numpy as np
import pytest
from package_support import BARE, EXAMPLES, SCALE, copy_kernel, import_package, numbers

tilewright = import_package()


@pytest.fixture(scope="module")
def transpose():
    return tilewright.compile_file(EXAMPLES / "transpose_f32.mlir", target="sm_80")


@pytest.fixture(scope="module")
def scale():
    return tilewright.compile(SCALE, target="sm_80")


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


def test_parts_of_arrays_are_whole_arrays(scale):
    memory = np.zeros(1000, np.float32)
    x, y = memory[1:301], memory[500:800]
    x[:] = numbers(300)
    scale(x, y, 1)
    assert np.array_equal(x, y)
    assert memory[0] == memory[499] == memory[800] == 0


def test_nothing_at_all(scale):
    scale(np.zeros(0, np.float32), np.zeros(0, np.float32), 1)


def test_what_the_simulator_counted(scale):
    kernel = tilewright.compile(SCALE, target="sm_80")
    assert kernel.simulation is None
    kernel(numbers(256), np.zeros(256, np.float32), 1)
    assert kernel.simulation["counts"]["warp_instructions"] > 0


def test_a_grid_of_the_launch():
    kernel = tilewright.compile(BARE, target="sm_80")
    x, y = numbers(600), np.zeros(600, np.float32)
    kernel(x, y, 600, 2.0, grid=3)
    assert np.array_equal(y, x * 2)
    kernel(x[::-1], y, 1, 2.0, grid=(1,))
    assert y[0] == x[-1] * 2
    kernel(x, y, 600, 1.0, grid=[np.int64(3), 1])
    assert np.array_equal(y, x)
    y[:] = 7
    kernel(x, y, 600, 1.0, grid=(3, 0))
    assert (y == 7).all()


def test_a_grid_that_the_kernel_has_too(scale):
    x, y = numbers(300), np.zeros(300, np.float32)
    for grid in (2, (2,), [2, 1], (2, 1, 1)):
        y[:] = 0
        scale(x, y, 2, grid=grid)
        assert np.array_equal(y, x * 2)


def test_the_grid_needs_what_it_depends_on(scale):
    assert scale.grid(n=300) == (2, 1, 1)
    assert scale.grid(n=0, factor=2.5) == (0, 1, 1)


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


def test_clauses_that_allow_no_launch():
    source = SCALE.replace('shapes ["X[n]", "Y[n]"]', 'shapes ["X[n]"]')
    try:
        kernel = tilewright.compile(source, target="sm_80")
    except tilewright.CompileError as error:
        assert "Y" in error.message
        return
    with pytest.raises(tilewright.LaunchError, match=r"cannot be run: .*'Y' has no shape"):
        kernel(numbers(4), numbers(4), 1.0)


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


def test_launches_from_threads_of_several_kernels():
    """Each thread has kernels of its own and one that all share, with sizes of its own."""
    shared = tilewright.compile(SCALE, target="sm_80")
    failures = []

    def work(number):
        own = tilewright.compile(copy_kernel("f32", f"copy_{number}"), target="sm_80")
        x = numbers(97 + number)
        for turn in range(4):
            y, z = np.zeros_like(x), np.zeros_like(x)
            own(x, y)
            shared(x[turn:], z[turn:], number)
            try:
                shared(x, y[1:], number)
                failures.append("no error")
            except ValueError as error:
                if f"'Y' is {96 + number}" not in str(error):
                    failures.append(str(error))
            good = np.array_equal(x, y) and np.array_equal(z[turn:], x[turn:] * np.float32(number))
            failures.extend([] if good else [f"wrong in thread {number}"])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


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
