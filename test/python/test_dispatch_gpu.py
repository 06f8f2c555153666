"""Launches of Python kernels on GPUs, with a driver that only keeps what it is asked, and on the
copies that the simulator gets of a GPU's arrays."""

import sys

import numpy as np
import pytest
from dispatch_support import Compiler, core, make_scale, numbers, parameter, run_program
from package_support import (
    OTHER,
    CudaArray,
    FakeTensor,
    address_on,
    array_at,
    install_fake_torch,
)


@pytest.fixture
def last(fake_driver):
    """The last launch."""
    return lambda: fake_driver.fake_last_launch().contents


@pytest.fixture
def torch(fake_driver):
    install_fake_torch()
    yield sys.modules["torch"]
    del sys.modules["torch"]


@pytest.fixture
def scale(fake_driver):
    return make_scale("sm_90a")[0]


def bits(number):
    return int(np.float32(number).view(np.uint32))


def test_tensors_of_torch_on_its_current_stream(scale, last, torch):
    for device in (0, 1):
        x = FakeTensor((300,), device=device)
        y = FakeTensor((300,), device=device, address=address_on(device, 4096))
        kernel = scale[3, 2](x, y, 300, 2.5, BLOCK=512)
        launch = last()
        assert launch.stream == 0x5000 + device
        assert launch.context == device + 1
        assert launch.arguments == [x.address, y.address, 300, bits(2.5)]
        assert list(launch.grid) == [3, 2, 1]
        assert launch.threads == kernel.block[0]
    assert len(scale.kernels) == 1
    assert len(kernel.variants) == 1


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("bool", "*i1"),
        ("uint8", "*u8"),
        ("int64", "*i64"),
        ("uint64", "*u64"),
        ("float16", "*fp16"),
        ("bfloat16", "*bf16"),
        ("float64", "*fp64"),
        ("float8_e4m3fn", "*fp8e4nv"),
        ("float8_e5m2", "*fp8e5"),
    ],
)
def test_elements_of_torch(torch, dtype, expected):
    told = []

    def stop(signature, constants, options):
        told.append(signature)
        raise KeyboardInterrupt

    kernel = core.Dispatcher("k", [parameter("x")], stop)
    with pytest.raises(KeyboardInterrupt):
        kernel[1](FakeTensor((4,), dtype))
    assert told == [(expected,)]
    with pytest.raises(TypeError, match=r"'x' has elements of torch\.complex64; kernels have"):
        kernel[1](FakeTensor((4,), "complex64"))


def test_variants_follow_addresses_and_shared_memory(scale, last):
    x, y = CudaArray((300,)), CudaArray((300,), address=OTHER)
    kernel = scale[3](x, y, 300, 1.0, BLOCK=512)
    assert kernel.variants[0]["disjoint"] == ["x", "y"]
    scale[3](CudaArray((300,), address=address_on(0, 4)), y, 300, 1.0, BLOCK=512)
    assert kernel.variants[1]["divisibility"]["x"] == 4
    scale[3](x, x, 300, 1.0, BLOCK=512)
    assert kernel.variants[2]["disjoint"] == []
    # From the last to the first, beside what is written: strides go below the address.
    backwards = CudaArray((300,), address=OTHER + 4 * 299, strides=(-4,))
    scale[3](x, backwards, 300, 1.0, BLOCK=512)
    scale[3](backwards, y, 300, 1.0, BLOCK=512)
    assert [v["disjoint"] for v in kernel.variants[3:]] == [["x", "y"], []]
    assert last().arguments[0] == OTHER + 4 * 299


def test_more_arguments_than_the_fake_driver_keeps(last, fake_driver):
    names = [f"n{i}" for i in range(40)]
    compiler = Compiler(names, lambda types, constants: "", "sm_90a")
    waits = last().waits
    core.Dispatcher("many", [parameter(name) for name in names], compiler)[1](
        *range(2, 42), device="cuda"
    )
    launch = last()
    assert launch.argument_count == 40
    assert launch.arguments == list(range(2, 18))
    assert launch.waits <= waits + 1


def test_streams_of_the_caller(scale, last, torch):
    x, y = FakeTensor((300,)), FakeTensor((300,), address=OTHER)
    FakeTensor.recorded.clear()
    scale[3](x, y, 300, 1.0, BLOCK=128, stream=0x77)
    assert last().stream == 0x77
    # PyTorch is told, unless it is the stream on which it works.
    assert FakeTensor.recorded == [(x, (0x77, 0)), (y, (0x77, 0))]
    scale[3](x, y, 300, 1.0, BLOCK=128, stream=0x5000)
    scale[3](x, y, 300, 1.0, BLOCK=128)
    assert len(FakeTensor.recorded) == 2
    scale[3](CudaArray((300,), stream=7), CudaArray((300,), address=OTHER), 300, 1.0, BLOCK=128)
    assert last().stream == 7


def test_arrays_at_different_places(scale, last, torch):
    before = last().launches
    here, there = FakeTensor((300,)), FakeTensor((300,), device=1)
    with pytest.raises(ValueError, match="'y' is on GPU 1, but the launch is on GPU 0"):
        scale[3](here, there, 300, 1.0, BLOCK=128)
    with pytest.raises(ValueError, match="'x' is on a GPU and 'y' in host memory: pass all"):
        scale[3](here, numbers(300), 300, 1.0, BLOCK=128)
    assert last().launches == before


def test_host_arrays_on_a_gpu(scale, last):
    x, y = numbers(300), numbers(300)
    before = last().launches
    scale[3](x, y, 300, 1.0, BLOCK=128, device="cuda:1")
    assert last().launches == before + 1
    assert last().context == 2
    assert last().arguments[0] != x.ctypes.data


def test_the_target_of_the_environment_may_change(scale, last, torch, monkeypatch):
    x, y = FakeTensor((300,)), FakeTensor((300,), address=OTHER)
    before = last().launches
    kernels = []
    for target in ("sm_80", "sm_90a", "sm_80", ""):
        monkeypatch.setenv("TILEWRIGHT_TARGET", target)
        kernels.append(scale[3](x, y, 300, 2.5, BLOCK=128))
    assert [each.target for each in kernels] == ["sm_80", "sm_90a", "sm_80", "sm_90a"]
    assert kernels[0] is kernels[2]
    assert last().launches == before + 4


def test_arrays_of_a_gpu_in_the_simulator(scale, last, torch):
    before = last().launches
    x, y = array_at(4, 300), array_at(0, 300)
    x[:], y[:] = numbers(300), 0
    tensors = [FakeTensor((300,), address=each.ctypes.data) for each in (x, y)]
    kernel = scale[3](*tensors, 300, 2.0, BLOCK=128, device="sim")
    assert np.array_equal(y, x * 2)
    assert last().launches == before
    assert kernel.simulation["counts"]["warp_instructions"] > 0
    assert kernel.variants[0]["divisibility"]["x"] == 4
    assert kernel.variants[0]["disjoint"] == ["x", "y"]
    with pytest.raises(ValueError, match="instruction_limit= is of the simulator"):
        scale[3](*tensors, 300, 2.0, BLOCK=128, instruction_limit=5)


def run_with(device, program):
    """In a process of its own: the environment is read once."""
    head = """
from package_support import *
scale, _ = make_scale("sm_90a")
x, y = numbers(300), np.zeros(300, np.float32)
launches = lambda: driver.fake_last_launch().contents.launches
"""
    return run_program(head + program, TILEWRIGHT_DEVICE=device)


def test_the_environment_sends_everything_to_the_simulator(fake_driver):
    program = """
install_fake_torch()
tensors = [FakeTensor((300,), address=each.ctypes.data) for each in (x, y)]
scale[3](*tensors, 300, 2.0, BLOCK=128)
assert np.array_equal(y, x * 2)
kernel = tilewright.compile(SCALE)
kernel(*tensors, 3.0)
assert np.array_equal(y, x * 3)
assert launches() == 0
scale[3](FakeTensor((300,)), FakeTensor((300,), address=OTHER), 300, 2.0, BLOCK=128, device="cuda")
assert launches() == 1
"""
    result = run_with("sim", program)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""


def test_the_environment_sends_everything_to_a_gpu(fake_driver):
    result = run_with("cuda", "scale[3](x, y, 300, 2.0, BLOCK=128); assert launches() == 1")
    assert result.returncode == 0, result.stderr


def test_an_environment_that_says_nothing_known(fake_driver):
    result = run_with("gpu", "scale[3](x, y, 300, 2.0, BLOCK=128)")
    assert "ValueError: TILEWRIGHT_DEVICE in the environment is sim or cuda, not 'gpu'" in (
        result.stderr
    )


def test_who_does_not_name_a_stream_is_waited_for(scale, last, torch):
    """Else what its owner does next, on a stream that nobody knows, may come too early."""
    unknown, known = CudaArray((300,)), CudaArray((300,), address=OTHER, stream=7)
    tensor, numbers = FakeTensor((300,), address=address_on(0, 1 << 30)), (300, 1.0)
    for x, y, options, waits in [
        (unknown, known, {}, 1),
        (tensor, unknown, {}, 1),
        (tensor, known, {}, 0),
        (unknown, known, {"stream": 7}, 0),
    ]:
        before = last().waits
        scale[3](x, y, *numbers, BLOCK=128, **options)
        assert last().waits == before + waits


def test_failures_of_the_driver(scale, fake_driver):
    fake_driver.fake_fail_launches(700)
    try:
        with pytest.raises(RuntimeError, match=r"launch of 'kernel', grid 3 x 1 x 1, .*CUDA_ERROR"):
            scale[3](CudaArray((300,)), CudaArray((300,), address=OTHER), 300, 1.0, BLOCK=128)
    finally:
        fake_driver.fake_fail_launches(0)
