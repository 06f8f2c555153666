"""Kernels that find the addresses of arrays in another array."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterator
from typing import Any

import numpy as np
import package_support
import pytest

import tilewright
import tilewright.language as tl


@tilewright.jit
def double_all(addresses, sizes, BLOCK: tl.constexpr):
    x = tl.load(addresses + tl.program_id(0)).to(tl.pointer_type(tl.float16))
    i = tl.arange(0, BLOCK)
    inside = i < tl.load(sizes + tl.program_id(0))
    tl.store(x + i, tl.load(x + i, mask=inside) * 2, mask=inside)


def address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


def make(*sizes: int) -> tuple[list[Any], Any, Any]:
    """Arrays beside each other in memory, their addresses and their sizes."""
    whole = np.random.default_rng(0).standard_normal(sum(sizes)).astype(np.float16)
    arrays = np.split(whole, np.cumsum(sizes)[:-1])
    places = np.array([address(each) for each in arrays], np.int64)
    return arrays, places, np.array(sizes, np.int32)


def test_arrays_are_where_their_addresses_say(target: str) -> None:
    arrays, places, sizes = make(50, 1, 64, 33)
    expected = [each * np.float16(2) for each in arrays]
    double_all[(4,)](places, sizes, BLOCK=64, reaches=arrays, target=target)
    for actual, wanted in zip(arrays, expected, strict=True):
        np.testing.assert_array_equal(actual, wanted)


@pytest.fixture
def low_memory() -> Iterator[Any]:
    """4096 bytes below 4 GiB, where the heap of a Python that is no PIE lies."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
    kind = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    begin = libc.mmap(0x35E7_0000, 4096, mmap.PROT_READ | mmap.PROT_WRITE, kind, -1, 0)
    if begin >= 1 << 32:
        pytest.skip("no memory below 4 GiB")
    yield (ctypes.c_char * 4096).from_address(begin)
    libc.munmap(ctypes.c_void_p(begin), ctypes.c_size_t(4096))


def test_arrays_may_lie_low(target: str, low_memory: Any) -> None:
    x = np.frombuffer(low_memory, np.float16, 50, 0x6940 % 4096)
    x[:] = np.arange(50)
    places = np.array([address(x)])
    double_all[(1,)](places, np.array([50], np.int32), BLOCK=64, reaches=[x], target=target)
    np.testing.assert_array_equal(x, 2 * np.arange(50))


def test_special_numbers_come_through() -> None:
    x = np.array([np.nan, np.inf, -np.inf, -0.0, 6e-8], np.float16)
    double_all[(1,)](np.array([address(x)]), np.array([5], np.int32), BLOCK=8, reaches=(x,))
    np.testing.assert_array_equal(x, np.array([np.nan, np.inf, -np.inf, -0.0, 1.2e-7], np.float16))
    assert np.signbit(x[3])


def test_each_array_has_its_own_bounds() -> None:
    arrays, places, sizes = make(50, 60)
    sizes[0] = 51
    before = np.concatenate(arrays)
    with pytest.raises(tilewright.SimulatorError, match=r"out-of-bounds.* at byte 100 from the"):
        double_all[(1,)](places, sizes, BLOCK=64, reaches=arrays[:1])
    np.testing.assert_array_equal(np.concatenate(arrays), before)


def test_what_the_launch_does_not_know_is_out_of_bounds() -> None:
    arrays, places, sizes = make(50)
    with pytest.raises(tilewright.SimulatorError, match="in no memory that the launch was given"):
        double_all[(1,)](places, sizes, BLOCK=64)
    assert arrays[0].size == 50


@tilewright.jit
def write_then_read(addresses, x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    found = tl.load(addresses).to(tl.pointer_type(tl.float32))
    tl.store(found + i, tl.load(x + i) + 1)
    # Backwards, so that other threads have written it.
    tl.store(out + i, tl.load(x + (BLOCK - 1 - i)))


def test_what_is_reached_may_be_an_argument_too(target: str) -> None:
    x, out = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
    places = np.array([address(x)])
    write_then_read[(1,)](places, x, out, BLOCK=256, reaches=[x], target=target)
    np.testing.assert_array_equal(out, np.arange(256, 0, -1))
    np.testing.assert_array_equal(x, np.arange(1, 257))


def test_read_only_arrays_are_not_written() -> None:
    arrays, places, sizes = make(50)
    arrays[0].flags.writeable = False
    with pytest.raises(tilewright.LaunchError, match="wrote to 'an array that it reaches', which"):
        double_all[(1,)](places, sizes, BLOCK=64, reaches=arrays)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (3, "reaches is a tuple or list of arrays, not int"),
        (np.zeros(3), r"reaches is a tuple or list of arrays, not numpy\.ndarray"),
        ([np.zeros(3), "x"], r"reaches\[1\] is to be an array, not str"),
    ],
)
def test_other_things_are_refused(value: Any, message: str) -> None:
    _, places, sizes = make(50)
    with pytest.raises(TypeError, match=f"double_all: {message}"):
        double_all[(1,)](places, sizes, BLOCK=64, reaches=value)


def test_copies_on_a_gpu_have_other_addresses() -> None:
    arrays, places, sizes = make(50)
    with pytest.raises(ValueError, match="reaches: a copy on a GPU would have other addresses"):
        double_all[(1,)](places, sizes, BLOCK=64, reaches=arrays, device="cuda")


def test_arrays_of_a_gpu(fake_driver: Any) -> None:
    begins = [package_support.address_on(0, 4096 * number) for number in range(3)]
    x, places, sizes = (
        package_support.CudaArray((50,), kind, begin)
        for kind, begin in zip(("<f2", "<i8", "<i4"), begins, strict=True)
    )
    double_all[(1,)](places, sizes, BLOCK=64, reaches=[x], target="sm_90a")
    assert fake_driver.fake_last_launch().contents.arguments == begins[1:]
    with pytest.raises(ValueError, match=r"'addresses' is on a GPU and 'reaches\[0\]' in host me"):
        double_all[(1,)](places, sizes, BLOCK=64, reaches=[np.zeros(3)], target="sm_90a")
