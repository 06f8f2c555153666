"""Launches on GPUs, with a driver that only keeps what it is asked: arrays of several libraries,
streams, devices. What the kernels compute is shown where there is a GPU (scripts/gpu-check.py)."""

import os
import subprocess
import sys
import types

import numpy as np
import pytest
from package_support import (
    BARE,
    OTHER,
    SCALE,
    CudaArray,
    FakeSparseTensor,
    FakeTensor,
    address_on,
    array_at,
    import_package,
    install_fake_torch,
)

tilewright = import_package()


def tensor_on(array, device=0, **options):
    """A tensor of that GPU whose memory a fake driver can copy."""
    return FakeTensor(
        array.shape, array.dtype.name, device=device, address=array.ctypes.data, **options
    )


@pytest.fixture(scope="module")
def scale():
    return tilewright.compile(SCALE)


@pytest.fixture
def last(fake_driver):
    """The last launch."""
    return lambda: fake_driver.fake_last_launch().contents


@pytest.fixture
def torch(fake_driver, monkeypatch):
    install_fake_torch()
    yield sys.modules["torch"]
    del sys.modules["torch"]


def bits(number):
    return int(np.float32(number).view(np.uint32))


def test_the_target_is_that_of_the_gpu(fake_driver):
    assert tilewright.compile(SCALE).target == "sm_90a"


def test_arrays_are_used_where_they_are(scale, last):
    x, y = CudaArray((1000,)), CudaArray((1000,), address=address_on(0, 4096))
    scale(x, y, 2.5)
    launch = last()
    assert launch.arguments == [address_on(0), address_on(0, 4096), 1000, bits(2.5)]
    assert list(launch.grid) == [4, 1, 1]
    assert launch.threads == scale.block[0]
    assert launch.stream == 0


def test_variants_follow_addresses(last):
    kernel = tilewright.compile(SCALE)
    for offset, variants in [(0, 2), (64, 2), (4, 3), (12, 3)]:
        kernel(
            CudaArray((1024,), address=address_on(0, offset)), CudaArray((1024,), address=OTHER), 1
        )
        assert last().arguments[0] == address_on(0, offset)
        assert len(kernel.variants) == variants


def test_tensors_of_torch_on_its_current_stream(scale, last, torch):
    for device in (0, 1):
        x = FakeTensor((300,), device=device)
        y = FakeTensor((300,), device=device, address=address_on(device, 4096))
        scale(x, y, 1)
        launch = last()
        assert launch.stream == 0x5000 + device
        assert launch.context == device + 1
        assert launch.arguments[:3] == [x.address, y.address, 300]


def test_torch_without_its_shortcut_has_a_current_stream(fake_driver):
    """In a process of its own: what a launch knows of PyTorch it keeps."""
    program = """
import package_support, sys, types
driver = package_support.load_fake_driver()
package_support.install_fake_torch()
torch = sys.modules["torch"]
del torch._C
stream = types.SimpleNamespace(cuda_stream=0x77)
torch.cuda = types.SimpleNamespace(current_stream=lambda device: stream)
import tilewright
kernel = tilewright.compile(package_support.SCALE)
x = package_support.FakeTensor((4,))
y = package_support.FakeTensor((4,), address=package_support.OTHER)
kernel(x, y, 1)
assert driver.fake_last_launch().contents.stream == 0x77
"""
    folder = os.path.dirname(__file__)  # noqa: PTH120
    path = os.pathsep.join([folder, *sys.path])
    subprocess.run(
        [sys.executable, "-c", program], check=True, env={**os.environ, "PYTHONPATH": path}
    )


@pytest.mark.parametrize(
    ("tensor", "error", "words"),
    [
        (FakeTensor((300,), "float16"), TypeError, "'X' has elements of torch.float16; .* f32"),
        (FakeTensor((300,), "complex64"), TypeError, "'X' has elements of torch.complex64"),
        (FakeTensor((300,), strides=(2,)), ValueError, "'X' has strides of 2 elements"),
        (FakeTensor((300,), strides=(-(2**70),)), ValueError, "a size of more than 64 bits"),
        (FakeTensor((300,), strides=("1",)), TypeError, "'str'"),
        (FakeTensor((300,), strides=(1, 1)), TypeError, "'X' is .* 1 dimensions with 2 strides"),
        (FakeTensor((300,), address=(1 << 40) + 2), ValueError, "'X' begins at 0x10000000002, no"),
        (FakeTensor((300, 1)), ValueError, "'X' is 300 x 1; the kernel takes X\\[n\\]"),
        (FakeTensor(300), TypeError, "no tuple"),
        (FakeTensor((300,), address=0), ValueError, "'X' has no memory"),
        (FakeSparseTensor((300,)), TypeError, "tensor without memory of its own: Cannot access"),
        (FakeTensor((300,), device=1), ValueError, "'Y' is on GPU 0, but the launch is on GPU 1"),
        (
            FakeTensor((300,), device=-1, address=4096),
            ValueError,
            "'X' is in host memory and 'Y' on a GPU",
        ),
    ],
)
def test_tensors_that_do_not_fit(scale, torch, tensor, error, words):
    with pytest.raises(error, match=words):
        scale(tensor, FakeTensor((300,)), 1)


def test_the_stream_of_the_arrays(scale, last):
    first, second = CudaArray((8,), stream=7), CudaArray((8,), stream=9, address=OTHER)
    scale(first, CudaArray((8,), address=OTHER), 1)
    assert last().stream == 7
    with pytest.raises(ValueError, match="different streams: pass the one to use"):
        scale(first, second, 1)
    scale(first, second, 1, stream=5)
    assert last().stream == 5


@pytest.mark.parametrize(
    "stream",
    [
        0xABC,
        types.SimpleNamespace(cuda_stream=0xABC),
        types.SimpleNamespace(ptr=0xABC),
        types.SimpleNamespace(__cuda_stream__=lambda: (0, 0xABC)),
    ],
)
def test_streams_of_all_libraries(scale, last, torch, stream):
    scale(FakeTensor((8,)), FakeTensor((8,), address=OTHER), 1, stream=stream)
    assert last().stream == 0xABC


def test_the_other_gpu(scale, last):
    x, y = CudaArray((8,), address=address_on(1)), CudaArray((8,), address=address_on(1, 64))
    scale(x, y, 1)
    assert last().context == 2
    scale(x, y, 1, device="cuda:1")
    with pytest.raises(ValueError, match="'X' is on GPU 1, but the launch is on GPU 0"):
        scale(x, y, 1, device="cuda:0")
    with pytest.raises(ValueError, match="'Y' is on GPU 1, but the launch is on GPU 0"):
        scale(CudaArray((8,)), y, 1)


def test_gpu_arrays_run_in_the_simulator_on_request(scale, last, torch):
    """The memory of the fake is that of the host, wherever a tensor says that it is."""
    before = last().launches
    x, y = array_at(4, 300), array_at(12, 300)
    x[:], y[:] = np.arange(300), 0
    scale(tensor_on(x), tensor_on(y), 2, device="sim")
    assert np.array_equal(y, 2 * x)
    assert last().launches == before
    assert scale.variants[-1]["divisibility"]["X"] == 4
    scale(tensor_on(x[:100]), tensor_on(x[100:200]), 3, device="sim", stream=0x77)
    assert np.array_equal(x[100:200], 3 * np.arange(100))


def test_mixed_arrays_are_an_error(scale):
    with pytest.raises(ValueError, match="'X' is on a GPU and 'Y' in host memory: pass all"):
        scale(CudaArray((8,)), np.zeros(8, np.float32), 1)


def test_host_arrays_are_copied_to_a_gpu_on_request(scale, last):
    before = last().launches
    x, y = np.ones(8, np.float32), np.full(8, 3, np.float32)
    scale(x, y, 1, device="cuda")
    assert last().launches == before + 1
    assert last().arguments[0] != x.ctypes.data
    assert (y == 3).all()  # The kernels of the fake do nothing.
    scale(x, y, 1, device="cuda:1")
    assert last().context == 2
    with pytest.raises(tilewright.LaunchError, match="there is no GPU 5"):
        scale(x, y, 1, device="cuda:5")


def test_copies_keep_their_alignment(fake_driver, last):
    kernel = tilewright.compile(SCALE)
    for offset in (0, 4, 240):
        x, y = array_at(offset, 8), array_at(12, 8)
        x[:], y[:] = 1, 3
        kernel(x, y, 1, device="cuda")
        assert last().arguments[0] % 256 == offset
        assert last().arguments[1] % 256 == 12
        assert (y == 3).all()
    assert [v["divisibility"]["X"] for v in kernel.variants[1:]] == [16, 4]


def test_promises_of_gpu_arrays(fake_driver, last):
    kernel = tilewright.compile(SCALE, divisibility={"Y": 512})
    kernel(CudaArray((8,)), CudaArray((8,), address=address_on(0, 1024)), 1)
    before = last().launches
    with pytest.raises(
        ValueError, match="'Y' is at 0x10000000104, 260 bytes past a multiple of 512"
    ):
        kernel(CudaArray((8,)), CudaArray((8,), address=address_on(0, 260)), 1)
    assert last().launches == before


def test_memory_of_no_gpu_is_an_error(scale):
    with pytest.raises(tilewright.LaunchError, match="'X': no GPU has memory at 0x1000"):
        scale(CudaArray((8,), address=0x1000), CudaArray((8,)), 1)


def test_empty_arrays_may_be_nowhere(scale, last):
    before = last().launches
    scale(CudaArray((0,), address=0), CudaArray((0,), address=0), 1)
    assert last().launches == before


def test_failures_of_the_driver_are_launch_errors(scale, fake_driver):
    fake_driver.fake_fail_launches(700)
    try:
        with pytest.raises(
            tilewright.LaunchError,
            match=r"launch of 'scale', grid 1 x 1 x 1, .*: CUDA_ERROR_FAKE: as the test asked",
        ):
            scale(CudaArray((8,)), CudaArray((8,), address=OTHER), 1)
    finally:
        fake_driver.fake_fail_launches(0)


def test_too_many_blocks(fake_driver):
    kernel = tilewright.compile(BARE)
    with pytest.raises(ValueError, match="65535"):
        kernel(CudaArray((8,)), CudaArray((8,), address=OTHER), 8, 1, grid=(1, 65536))


def test_strides_are_the_users_business_without_a_shape(last):
    kernel = tilewright.compile(BARE)
    kernel(CudaArray((8, 8), strides=(64, 4)), CudaArray((8,), address=OTHER), 8, 1, grid=(7, 6, 5))
    assert list(last().grid) == [7, 6, 5]


def test_interfaces_that_lie(scale):
    for fields in ({"mask": CudaArray((8,))}, {"stream": "1"}, {"data": None}):
        with pytest.raises(TypeError, match="the array interface of 'X'"):
            scale(CudaArray((8,), **fields), CudaArray((8,)), 1)
