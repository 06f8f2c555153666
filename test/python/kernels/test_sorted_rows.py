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


@pytest.mark.parametrize(("dtype", "n", "programs"), [(np.float32, 64, 16), (np.float16, 256, 4)])
def test_programs_that_sort_share_blocks_however_long_their_code_is(dtype, n, programs):
    x, out = numbers(programs + 1, n, dtype=dtype), unset(programs + 1, n, dtype=dtype)
    launch = sort_kernel[(len(x),)]
    kernel = launch(x, out, n, block=n, falls=False, num_warps=1, target="sm_90a")
    assert kernel.report["programs_per_block"] == programs
    np.testing.assert_array_equal(out, np.sort(x, -1))
