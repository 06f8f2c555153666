"""Tensors that DLPack's C functions describe. In processes of their own: what a class has of them
is found out once."""

import pytest
from dispatch_support import run_program

HEAD = """
import fake_exchange
from package_support import *
{install}
install_fake_torch()
scale, _ = make_scale("sm_90a")
last = lambda: driver.fake_last_launch().contents

def tensor_on(array, **options):
    return FakeTensor(array.shape, array.dtype.name, address=array.ctypes.data, **options)
"""


def run(program, install="fake_exchange.install()"):
    result = run_program(HEAD.format(install=install) + program)
    assert result.returncode == 0, result.stderr


def test_places_and_streams(fake_driver):
    run("""
a, b = FakeTensor((300,), device=1), FakeTensor((300,), device=1, address=address_on(1, 4096))
scale[3](a, b, 300, 2.0, BLOCK=128)
assert fake_exchange.asked == [a, b]
assert last().arguments[:2] == [a.address, b.address]
assert (last().stream, last().context) == (0x9001, 2)
# Those of the host are simulated.
x, y = array_at(0, 300), array_at(0, 300)
x[:], y[:] = numbers(300), 0
scale[3](tensor_on(x, device=-1), tensor_on(y, device=-1), 300, 2.0, BLOCK=128)
assert np.array_equal(y, x * 2)
# Nothing at all.
scale[1](FakeTensor((0,), address=64), FakeTensor((0, 3), address=64), 0, 2.0, BLOCK=128)
""")


def test_the_memory_that_strides_reach(fake_driver):
    run("""
memory = address_on(0, 1 << 20)
# Backwards by rows of 240 bytes, and 30 floats of each row, 8 bytes apart.
view = FakeTensor((10, 30), strides=[-60, 2], address=memory + 240 * 9)
end = memory + 240 * 9 + 8 * 29 + 4
for address, is_apart in [(memory - 4, True), (memory, False), (end - 4, False), (end, True)]:
    fresh, _ = make_scale("sm_90a")
    kernel = fresh[1](view, FakeTensor((1,), address=address), 1, 2.0, BLOCK=128)
    assert (kernel.variants[0]["disjoint"] != []) == is_apart, hex(address - memory)
""")


def test_shapes_where_the_kernel_has_some(fake_driver):
    run('''
matrix = tilewright.compile("""tile.kernel @k(%A: !tile.ptr<f32>, %m: i32, %n: i32)
    shapes ["A[m, n]"] grid ["m"] { tile.return }""")
matrix(FakeTensor((3, 4)))
assert last().arguments[1:] == [3, 4]
matrix(FakeTensor((1, 4), strides=[77, 1]))
assert last().arguments[1:] == [1, 4]
for wrong in [FakeTensor((3, 4), strides=[1, 3]), FakeTensor((3, 4, 1))]:
    try:
        matrix(wrong)
        raise SystemExit("no error")
    except ValueError as error:
        assert "'A' " in str(error), error
''')


def test_tensors_that_the_functions_do_not_describe(fake_driver):
    run("""
for tensor, words in [
    (FakeTensor((4,), "complex64"), "'x' has elements of torch.complex64; kernels have"),
    (FakeSparseTensor((4,)), "'x' is a tensor without memory of its own"),
]:
    tensor.is_sparse = True
    try:
        scale[1](tensor, tensor, 4, 2.0, BLOCK=128)
        raise SystemExit("no error")
    except TypeError as error:
        assert words in str(error), error
# A subclass may mean something else.
class Other(FakeTensor):
    pass
fake_exchange.asked.clear()
scale[1](Other((4,)), Other((4,), address=OTHER), 4, 2.0, BLOCK=128)
assert fake_exchange.asked == []
""")


@pytest.mark.parametrize(
    ("install", "is_used"),
    [
        ("fake_exchange.install(major=2)", False),
        ("fake_exchange.install(major=2, previous=fake_exchange.install())", True),
        ("fake_exchange.install(has_functions=False)", False),
        ("FakeTensor.__dlpack_c_exchange_api__ = 5", False),
    ],
)
def test_versions(fake_driver, install, is_used):
    program = f"""
a, b = FakeTensor((300,)), FakeTensor((300,), address=OTHER)
scale[3](a, b, 300, 2.0, BLOCK=128)
assert bool(fake_exchange.asked) == {is_used}
assert last().stream == {0x9000 if is_used else 0x5000}
"""
    run(program, install)
