"""Rows that begin anywhere, which loops copy into shared memory some iterations ahead."""

import numpy as np
import pytest
from examples_support import compile_again, place

import layer_norm
import rms_norm
import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")

# Among them rows that leave much of their tile.
SHAPES = [(1, 4095), (5, 2047), (13, 1023), (4, 513), (3, 4096), (6, 2601)]


def is_copied(kernel):
    texts = [each["ptx"] for of in kernel.kernels for each in of.variants]
    return any("cp.async.cg" in text for text in texts)


@pytest.mark.parametrize("behind", [0, 1, 6])
def test_gradients(monkeypatch, target, behind):
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


@tilewright.jit
def rows_or(x, y, m, n, COLUMNS: tl.constexpr, OTHER: tl.constexpr):
    """Rows in turn, the last of which is no row of x."""
    column = tl.arange(0, COLUMNS)
    inside = column < n
    step = tl.num_programs(0)
    row = tl.full((COLUMNS,), OTHER, tl.float16)
    if tl.program_id(0) < m:
        row = tl.load(x + tl.program_id(0) * n + column, mask=inside, other=0.0)
    for at in range(tl.program_id(0), m, step):
        wide = row.to(tl.float32)
        of_row = tl.sum(wide, 0) + tl.max(wide, 0)
        tl.store(y + at * n + column, (wide * (1.0 + 0.0 * of_row)).to(tl.float16), mask=inside)
        row = tl.full((COLUMNS,), OTHER, tl.float16)
        if at + step < m - 1:
            row = tl.load(x + (at + step) * n + column, mask=inside, other=0.0)


@pytest.mark.parametrize("other", [0.0, -0.0])
def test_signs_of_zeros_beside_rows(monkeypatch, other):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    x, y = np.full((6, 1023), 2, np.float16), np.ones((6, 1023), np.float16)
    kernel = rows_or[(1,)](x, y, 6, 1023, 1024, other, num_warps=4)
    x[5] = other
    assert y.tobytes() == x.tobytes()
    # A copy ahead leaves +0.0 where there is no row.
    assert ("cp.async" in kernel.variants[-1]["ptx"]) == (np.signbit(other) == 0)


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


def test_gradients_leave_as_vectors(monkeypatch, target):
    kernel = compile_again(monkeypatch, rms_norm)
    random = np.random.default_rng(1)
    for m, n in [(9, 1023), (4, 2047), (3, 1025)]:
        x, grad = (random.standard_normal((m, n)).astype(np.float16) for _ in range(2))
        right, _ = rms_norm.reference_backward(grad, x)
        for behind in range(8):
            room, x_grad = place(np.zeros_like(x), behind)
            rms_norm.backward(grad, x, x_grad, num_warps=8, programs=2, rows=1, ahead=True)
            np.testing.assert_allclose(x_grad, right, rtol=4e-3, atol=4e-3)
            assert np.isnan(room).sum() == 64
    assert "st.global.v4" in kernel.kernels[-1].variants[-1]["ptx"]


# By warps, of rows that fill their tiles; and others.
LAYER_NORMS = {4: [(1, 4095), (11, 4093), (30, 3301)], 8: [(1, 8191), (5, 6305), (7, 2049)]}


def aligned(values):
    """The array, where all targets have it for one that begins with a vector."""
    room = np.zeros(values.size + 64, values.dtype)
    first = -room.ctypes.data % 64 // values.itemsize
    part = room[first : first + values.size].reshape(values.shape)
    part[:] = values
    return part


def layer_norm_of(x, weight, bias, out, **launch):
    mean, rstd = (np.full(len(x), np.nan, np.float32) for _ in range(2))
    block = tilewright.next_power_of_2(x.shape[1])
    layer_norm.forward(x, out, weight, bias, mean, rstd, block=block, **launch)
    wide = x.astype(np.float64)
    np.testing.assert_allclose(mean, wide.mean(axis=1), rtol=1e-3, atol=1e-5)


def right_layer_norm(x, weight, bias):
    wide = x.astype(np.float64)
    distance = wide - wide.mean(axis=1, keepdims=True)
    return distance / np.sqrt(wide.var(axis=1, keepdims=True) + 1e-5) * weight + bias


@pytest.mark.parametrize("warps", [4, 8])
def test_layer_norm_takes_rows_in_turn(monkeypatch, target, warps):
    kernel = compile_again(monkeypatch, layer_norm, "forward_kernel")
    random = np.random.default_rng(warps)
    for number, (m, n) in enumerate(LAYER_NORMS[warps]):
        values, weight, bias = (
            random.standard_normal(shape).astype(np.float16) for shape in ((m, n), n, n)
        )
        weight, bias = aligned(weight), aligned(bias)
        (_, x), (room, out) = place(values, number), place(np.zeros_like(values), 3 * number % 8)
        layer_norm_of(x, weight, bias, out, num_warps=warps)
        right = right_layer_norm(values, weight, bias)
        np.testing.assert_allclose(out, right, rtol=4e-3, atol=4e-3)
        assert np.isnan(room).sum() == 64
    persistent = [each["report"]["persistent"] for of in kernel.kernels for each in of.variants]
    assert any(persistent) and is_copied(kernel)


@pytest.mark.filterwarnings("ignore:invalid value")
def test_layer_norm_of_special_numbers(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    x, weight, bias = (aligned(np.ones(shape, np.float16)) for shape in ((9, 4095), 4095, 4095))
    x[:] = np.random.default_rng(0).standard_normal(x.shape)
    x[1], x[4, 4094], x[6, 0] = np.nan, np.inf, -np.inf
    out = np.zeros_like(x)
    mean, rstd = (np.zeros(9, np.float32) for _ in range(2))
    layer_norm.forward(x, out, weight, bias, mean, rstd, block=4096, num_warps=4)
    right = right_layer_norm(x, weight, bias)
    np.testing.assert_array_equal(np.isnan(out), np.isnan(right))
    np.testing.assert_allclose(out, right, rtol=4e-3, atol=4e-3)


@pytest.mark.parametrize("of", ["x", "row", "half"])
def test_layer_norm_where_arrays_meet(monkeypatch, of):
    """In place; a row of x is the weight; and rows between rows, which are no others'."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    both = np.random.default_rng(0).standard_normal((9, 2 * 4095)).astype(np.float16)
    weight, bias = aligned(np.ones(4095, np.float16)), aligned(np.zeros(4095, np.float16))
    x = both[:, :4095] if of == "half" else both[:, :4095].copy()
    if of == "row":
        weight = x[3]
    right = right_layer_norm(x, weight.copy(), bias)
    out = {"x": x, "row": np.zeros_like(x), "half": both[:, 4095:]}[of]
    mean, rstd = (np.zeros(9, np.float32) for _ in range(2))
    layer_norm.forward(x, out, weight, bias, mean, rstd, block=4096, num_warps=4)
    np.testing.assert_allclose(out, right, rtol=4e-3, atol=4e-3)


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
