"""Neighbours of an array that a thread has loaded already, in a vector or one by one."""

import numpy as np
import pytest
from examples_support import TARGETS, numbers, unset

import tilewright
import tilewright.language as tl


@tilewright.jit
def causal_kernel(x, weights, out, T, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for tap in tl.static_range(WIDTH):
        place = i + tap - (WIDTH - 1)
        value = tl.load(x + place, mask=(place >= 0) & (place < T), other=0.0)
        total += value.to(tl.float32) * tl.load(weights + tap)
    tl.store(out + i, total.to(out.dtype.element_ty), mask=i < T)


@tilewright.jit
def blur_kernel(x, out, H, W, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for down in tl.static_range(-1, 2):
        for right in tl.static_range(-1, 2):
            r = rows + down
            c = columns + right
            inside = ((r >= 0) & (r < H))[:, None] & ((c >= 0) & (c < W))[None, :]
            # What is outside is another number for each place of the mask.
            value = tl.load(x + r[:, None] * W + c[None, :], mask=inside, other=right)
            total += value.to(tl.float32)
    inside = (rows < H)[:, None] & (columns < W)[None, :]
    place = out + rows[:, None] * W + columns[None, :]
    tl.store(place, total.to(out.dtype.element_ty), mask=inside)


@tilewright.jit
def written_kernel(x, out, n, BLOCK: tl.constexpr):
    """What is stored between two loads of the same is seen by the second one."""
    i = tl.arange(0, BLOCK)
    first = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(x + i, first + 1, mask=i < n)
    second = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out + i, first + second, mask=i < n)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("length", [1000, 1008, 2048])
def test_taps_of_a_filter(target, dtype, length):
    x, weights = numbers(length, dtype=dtype), numbers(4, seed=1)
    out = unset(length, dtype=dtype)
    causal_kernel[(2,)](x, weights, out, length, WIDTH=4, BLOCK=1024, target=target)
    padded = np.concatenate((np.zeros(3), np.asarray(x, np.float64)))
    right = sum(padded[tap : tap + length] * weights[tap] for tap in range(4))
    np.testing.assert_allclose(np.asarray(out, np.float64), right, rtol=4e-3, atol=4e-3)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8])
@pytest.mark.parametrize(("height", "width"), [(13, 96), (20, 67)])
def test_pixels_of_a_blur(target, dtype, height, width):
    x = np.random.default_rng(0).integers(-10, 10, (height, width)).astype(dtype)
    out = unset(height, width, dtype=dtype)
    blur_kernel[(3, 2)](x, out, height, width, ROWS=8, COLUMNS=64, target=target)
    padded = np.zeros((height + 2, width + 2))
    inside = np.zeros_like(padded)
    padded[1:-1, 1:-1], inside[1:-1, 1:-1] = x, 1
    right = np.zeros((height, width))
    for down in range(3):
        for across in range(3):
            part = np.s_[down : down + height, across : across + width]
            right += np.where(inside[part], padded[part], across - 1)
    np.testing.assert_array_equal(out, right.astype(dtype))


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_written_between_is_loaded_again(target):
    x, out = numbers(500), unset(500)
    before = x.copy()
    written_kernel[(1,)](x, out, 500, BLOCK=512, target=target)
    np.testing.assert_allclose(out, 2 * before + 1, rtol=1e-5, atol=1e-5)


def test_a_filter_loads_an_element_once():
    signature = "*fp16:16, *fp32:16, *fp16:16, i32:16"
    constants = {"WIDTH": 4, "BLOCK": 1024}
    kernel = causal_kernel.compile(signature, constants, target="sm_90a")
    # Those that three taps read one by one lie side by side: ten for 24.
    assert kernel.ptx.count("ld.global.b16") == 10


def test_pixels_are_taken_from_vectors():
    signature = "*fp32:16, *fp32:16, i32:16, i32:16"
    kernel = blur_kernel.compile(signature, {"ROWS": 8, "COLUMNS": 64}, target="sm_90a")
    # Of each of three rows a vector, and a pixel on either side.
    assert kernel.ptx.count("ld.global.v4.b32") == 3
    assert kernel.ptx.count("ld.global.b32") == 6
