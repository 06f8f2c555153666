"""Rows in order, and their largest elements: programs of one row, and blocks that run several."""

import re

import numpy as np
import pytest
from examples_support import as_on_gpus, numbers, unset

import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")


@tilewright.jit
def sort_kernel(x, out, n, block: tl.constexpr, falls: tl.constexpr):
    row, columns = tl.program_id(0), tl.arange(0, block)
    last = float("-inf") if falls else float("inf")
    elements = tl.load(x + row * n + columns, mask=columns < n, other=last)
    tl.store(out + row * n + columns, tl.sort(elements, descending=falls), mask=columns < n)


@tilewright.jit
def largest_kernel(x, out, n, block: tl.constexpr, k: tl.constexpr):
    row, columns = tl.program_id(0), tl.arange(0, block)
    elements = tl.load(x + row * n + columns, mask=columns < n, other=float("-inf"))
    tl.store(out + row * k + tl.arange(0, k), tl.topk(elements, k))


@pytest.mark.parametrize(
    "dtype, n, warps",
    [
        (np.float16, 64, 1),
        (np.float32, 100, 4),
        (np.float32, 256, 1),
        (np.float16, 512, 2),
        (np.float16, 1000, 1),
    ],
)
def test_rows(target, dtype, n, warps):
    x = numbers(5, n, dtype=dtype)
    x[0, ::3] = 1
    block = tilewright.next_power_of_2(n)
    for falls in (False, True):
        out = unset(5, n, dtype=dtype)
        sort_kernel[(5,)](x, out, n, block=block, falls=falls, num_warps=warps, target=target)
        in_order = np.sort(x, -1)
        np.testing.assert_array_equal(out, in_order[:, ::-1] if falls else in_order)
    for k in (8, 64):
        out = unset(5, k, dtype=dtype)
        largest_kernel[(5,)](x, out, n, block=block, k=k, num_warps=warps, target=target)
        np.testing.assert_array_equal(out, np.sort(x, -1)[:, ::-1][:, :k])


@pytest.mark.parametrize("n", [64, 128])
def test_halves_with_all_bits(target, n):
    """Infinities, zeros of both signs and NaN of any bits: what follows is in order."""
    bits = np.random.default_rng(n).integers(0, 2**16, (3, n)).astype(np.uint16)
    bits[0, :8] = 0x7C00, 0xFC00, 0, 0x8000, 0x7E00, 0xFE00, 0x7FFF, 0xFFFF
    bits[1, ::2] = bits[1, 0]
    x, out = bits.view(np.float16), unset(3, n, dtype=np.float16)
    sort_kernel[(3,)](x, out, n, block=n, falls=False, num_warps=1, target=target)
    # The same elements, bit by bit; numpy leaves zeros as they come.
    np.testing.assert_array_equal(np.sort(out.view(np.uint16), -1), np.sort(bits, -1))
    np.testing.assert_array_equal(out, np.sort(x, -1))


@tilewright.jit
def bytes_kernel(x, out, block: tl.constexpr):
    places = tl.program_id(0) * block + tl.arange(0, block)
    tl.store(out + places, tl.sort(tl.load(x + places)))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16])
def test_small_integers(target, dtype):
    limits = np.iinfo(dtype)
    x = np.random.default_rng(1).integers(limits.min, limits.max + 1, (3, 128)).astype(dtype)
    out = unset(3, 128, dtype=dtype)
    bytes_kernel[(3,)](x, out, block=128, num_warps=1, target=target)
    np.testing.assert_array_equal(out, np.sort(x, -1))


@tilewright.jit
def places_kernel(x, out, n, block: tl.constexpr, falls: tl.constexpr):
    row, columns = tl.program_id(0), tl.arange(0, block)
    numbers = tl.load(
        x + row * n + columns, mask=columns < n, other=-(2**31) if falls else 2**31 - 1
    )
    keys = (numbers.to(tl.int64) << 32) | columns
    places = (tl.sort(keys, descending=falls) & 0xFFFFFFFF).to(tl.int32)
    tl.store(out + row * n + columns, places, mask=columns < n)


@pytest.mark.parametrize("n, warps", [(64, 1), (333, 1), (512, 4)])
def test_places_by_keys_of_64_bits(target, n, warps):
    x = np.random.default_rng(1).integers(-5, 5, (3, n)).astype(np.int32)
    x[1, :2] = 1 - 2**31, 2**31 - 1
    x[2] = 2**31 - 2
    block = tilewright.next_power_of_2(n)
    keys = (x.astype(np.int64) << 32) | np.arange(n)
    for falls in (False, True):
        out = unset(3, n, dtype=np.int32)
        places_kernel[(3,)](x, out, n, block=block, falls=falls, num_warps=warps, target=target)
        np.testing.assert_array_equal(out, np.argsort(~keys if falls else keys, axis=1))


def test_keys_of_64_bits_are_compared_once_between_lanes():
    x, out = unset(2, 1024, dtype=np.int32), unset(2, 1024, dtype=np.int32)
    kernel = places_kernel[(2,)](
        x, out, 1024, block=1024, falls=False, num_warps=1, target="sm_90a"
    )
    # In the other 40 of 55 steps a thread has both: the smaller or the larger one is compared, and
    # the other one is what is left of their sum.
    assert count(kernel, "min.s64") + count(kernel, "max.s64") == 40 * 32 / 2


def count(kernel, instruction):
    return len(re.findall(rf"\b{re.escape(instruction)}", kernel.ptx))


@pytest.mark.parametrize("target, pairs", [("sm_89", 0), ("sm_90a", 1), ("sm_120a", 1)])
def test_halves_are_compared_at_once(target, pairs):
    x = as_on_gpus(numbers(2, 1024, dtype=np.float16))
    out = unset(2, 1024, dtype=np.float16)
    kernel = sort_kernel[(2,)](x, out, 1024, block=1024, falls=False, num_warps=1, target=target)
    assert (count(kernel, "min.s16x2") > 0) == bool(pairs)
    assert (count(kernel, "min.s32") > 0) != bool(pairs)


def test_lanes_ask_each_other_for_15_of_55_steps():
    x, out = numbers(2, 1024), unset(2, 1024)
    kernel = sort_kernel[(2,)](x, out, 1024, block=1024, falls=False, num_warps=1, target="sm_90a")
    assert count(kernel, "shfl.sync") == 15 * 32


def test_rows_that_begin_with_vectors_are_loaded_in_vectors():
    x, out = as_on_gpus(numbers(8, 256)), as_on_gpus(unset(8, 256))
    kernel = sort_kernel[(8,)](x, out, 256, block=256, falls=False, num_warps=1, target="sm_90a")
    assert count(kernel, "ld.global.v4") == count(kernel, "ld.global") == 8
    assert count(kernel, "cp.async") == 0


def test_runs_of_a_warp_all_go_upwards():
    x, out = numbers(2, 1024), unset(2, 1024)
    kernel = sort_kernel[(2,)](x, out, 1024, block=1024, falls=False, num_warps=1, target="sm_90a")
    # Those of a key and of its element, and a few of places: none turns a run around.
    assert count(kernel, "xor.b32") < 3 * 32


@pytest.mark.parametrize(("dtype", "n", "programs"), [(np.float32, 64, 16), (np.float16, 256, 4)])
def test_programs_that_sort_share_blocks_however_long_their_code_is(dtype, n, programs):
    x, out = numbers(programs + 1, n, dtype=dtype), unset(programs + 1, n, dtype=dtype)
    launch = sort_kernel[(len(x),)]
    kernel = launch(x, out, n, block=n, falls=False, num_warps=1, target="sm_90a")
    assert kernel.report["programs_per_block"] == programs
    np.testing.assert_array_equal(out, np.sort(x, -1))
