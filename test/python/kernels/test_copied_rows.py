"""Rows that begin anywhere, which loops copy into shared memory some iterations ahead."""

import numpy as np
import pytest
from examples_support import TARGETS

import layer_norm
import rms_norm
import tilewright
import tilewright.language as tl

SHAPES = [(1, 4095), (5, 2047), (13, 1023), (4, 513), (3, 4096)]


def place(values, behind):
    """The array, so many elements behind one that begins with a vector, between NaNs."""
    room = np.full(values.size + 64, np.nan, values.dtype)
    part = room[behind : behind + values.size].reshape(values.shape)
    part[:] = values
    return room, part


def compile_again(monkeypatch, example):
    """Which has none of what other tests compiled."""
    kernel = tilewright.jit(example.backward_kernel.fn)
    monkeypatch.setattr(example, "backward_kernel", kernel)
    return kernel


def is_copied(kernel):
    texts = [each["ptx"] for of in kernel.kernels for each in of.variants]
    return any("cp.async.cg" in text for text in texts)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("behind", [0, 1, 6])
def test_gradients(monkeypatch, target, behind):
    monkeypatch.setenv("TILEWRIGHT_TARGET", target)
    kernels = [compile_again(monkeypatch, each) for each in (layer_norm, rms_norm)]
    random = np.random.default_rng(behind)
    for m, n in SHAPES:
        x, grad = (random.standard_normal((m, n)).astype(np.float16) for _ in range(2))
        (_, x), (_, grad) = place(x, behind), place(grad, (behind + 3) % 8)
        weight = random.standard_normal(n).astype(np.float16)
        room, x_grad = place(np.zeros_like(x), behind)
        sums = [np.full(n, np.nan, np.float32) for _ in range(2)]
        options = {"num_warps": 8, "programs": 2, "rows": 1, "ahead": True}
        wide = x.astype(np.float64)
        mean = wide.mean(axis=1).astype(np.float32)
        rstd = (1 / np.sqrt(wide.var(axis=1) + 1e-5)).astype(np.float32)
        layer_norm.backward(grad, x, weight, mean, rstd, x_grad, *sums, **options)
        wanted = layer_norm.reference_backward(grad, x, weight)
        for result, right in zip((x_grad, *sums), wanted, strict=True):
            np.testing.assert_allclose(result, right, rtol=4e-3, atol=4e-3)
        rms_norm.backward(grad, x, x_grad, weight, sums[0], **options)
        wanted = rms_norm.reference_backward(grad, x, weight)
        for result, right in zip((x_grad, sums[0]), wanted, strict=True):
            np.testing.assert_allclose(result, right, rtol=4e-3, atol=4e-3)
        # Nothing beside the result was written.
        assert np.isnan(room).sum() == 64
    assert all(is_copied(kernel) for kernel in kernels)


@pytest.mark.filterwarnings("ignore:invalid value")
def test_special_numbers_stay_in_their_rows(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    random = np.random.default_rng(0)
    x, grad = (random.standard_normal((7, 1023)).astype(np.float16) for _ in range(2))
    x[2], grad[4, 1022], x[5, 0] = np.nan, np.inf, -np.inf
    x_grad = np.zeros_like(x)
    rms_norm.backward(grad, x, x_grad, num_warps=4, programs=2, rows=1, ahead=True)
    right, _ = rms_norm.reference_backward(grad, x)
    plain = [0, 1, 3, 6]
    np.testing.assert_allclose(x_grad[plain], right[plain], rtol=4e-3, atol=4e-3)
    assert all(np.isnan(x_grad[row]).any() for row in (2, 4, 5))


@pytest.mark.parametrize("of", ["x", "grad"])
def test_rows_in_place_are_not_copied_ahead(monkeypatch, of):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    kernel = compile_again(monkeypatch, rms_norm)
    random = np.random.default_rng(0)
    x, grad = (random.standard_normal((9, 1023)).astype(np.float16) for _ in range(2))
    right, _ = rms_norm.reference_backward(grad, x)
    result = x if of == "x" else grad
    rms_norm.backward(grad, x, result, num_warps=4, programs=2, rows=1, ahead=True)
    np.testing.assert_allclose(result, right, rtol=4e-3, atol=4e-3)
    # The other array may still be: what is written is not.
    ptx = kernel.kernels[-1].variants[-1]["ptx"]
    assert "ld.global.b16" in ptx


@pytest.mark.parametrize("n", [1023, 1025])
def test_what_lies_between_rows_is_not_read(monkeypatch, n):
    """It is another array, which the kernel writes: the simulator would see a race."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    kernel = compile_again(monkeypatch, rms_norm)
    random = np.random.default_rng(n)
    both = random.standard_normal((9, 2 * n)).astype(np.float16)
    x, x_grad = both[:, :n], both[:, n:]
    grad = random.standard_normal((9, n)).astype(np.float16)
    right, _ = rms_norm.reference_backward(grad, x)
    rms_norm.backward(grad, x, x_grad, num_warps=4, programs=3, rows=1, ahead=True)
    np.testing.assert_allclose(x_grad, right, rtol=4e-3, atol=4e-3)
    assert is_copied(kernel)


@tilewright.jit
def turn_kernel(x, out, stride, M, N, BLOCK: tl.constexpr):
    """Each row backwards, and its sum: the row that is turned takes shared memory, too."""
    columns = tl.arange(0, BLOCK)
    step = tl.num_programs(0)
    first = tl.program_id(0)
    ahead = tl.load(x + first * stride + columns, mask=(columns < N) & (first < M), other=0)
    for row in range(first, M, step):
        values = ahead.to(tl.float32)
        then = row + step
        ahead = tl.load(x + then * stride + columns, mask=(columns < N) & (then < M), other=0)
        turned = tl.flip(values, 0) + tl.sum(values, axis=0)
        tl.store(out + row * BLOCK + columns, turned)


@pytest.mark.parametrize(
    ("target", "block"), [("sm_86", 16384), ("sm_120a", 16384), ("sm_90a", 32768)]
)
def test_rows_leave_room_for_other_tiles(target, block):
    n = block - 1
    x = np.random.default_rng(2).integers(-2, 3, (3, n)).astype(np.float16)
    out = np.full((3, block), np.nan, np.float32)
    turn_kernel[(1,)](x, out, n, 3, n, BLOCK=block, num_warps=16, target=target)
    wide = np.pad(x.astype(np.float32), ((0, 0), (0, 1)))
    np.testing.assert_array_equal(out, wide[:, ::-1] + wide.sum(axis=1, keepdims=True))
