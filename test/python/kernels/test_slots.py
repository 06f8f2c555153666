"""What threads keep in shared memory because registers do not hold it: weights, rows that are under
way, and sums. In the simulator, beside NumPy."""

import numpy as np
import pytest
from examples_support import assert_close, compile_again, numbers, unset

import layer_norm
import rms_norm
import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")

# Of vectors, with a last one that is cut, and by elements.
COLUMNS = [16384, 16008, 16381]


def digits_of(dtype):
    return 6e-3 if dtype == np.float16 else 1e-4


@pytest.mark.parametrize("ahead", [False, True])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("n", COLUMNS)
def test_gradients(target, n, dtype, ahead):
    m, options = 5, {"programs": 2, "rows": 1, "ahead": ahead, "num_warps": 16}
    x, grad = numbers(m, n, dtype=dtype, scale=2), numbers(m, n, dtype=dtype, seed=3)
    weight = numbers(n, dtype=dtype, seed=1)
    x_grad, weight_grad, bias_grad = unset(m, n, dtype=dtype), unset(n), unset(n)
    _, mean, rstd = (each.astype(np.float32) for each in layer_norm.reference(x, None, None))
    layer_norm.backward(grad, x, weight, mean, rstd, x_grad, weight_grad, bias_grad, **options)
    right = layer_norm.reference_backward(grad, x, weight)
    for actual, expected in zip((x_grad, weight_grad, bias_grad), right, strict=True):
        assert_close(actual, expected, digits=digits_of(dtype))
    rms_norm.backward(grad, x, x_grad, weight, weight_grad, **options)
    right = rms_norm.reference_backward(grad, x, weight)
    for actual, expected in zip((x_grad, weight_grad), right, strict=True):
        assert_close(actual, expected, digits=digits_of(dtype))


def launch_gradient(x, x_grad, programs=1, dtype=np.float16):
    n = x.shape[1]
    grad, weight = numbers(len(x), n, dtype=dtype, seed=3), numbers(n, dtype=dtype, seed=1)
    sums = unset(programs, n)
    right = rms_norm.reference_backward(grad, x, weight)
    kernel = rms_norm.backward_kernel[(programs,)](
        grad, x, weight, x_grad, sums, n, n, n, len(x), n, 1e-6, AHEAD=True, ROWS=1, BLOCK=n,
        num_warps=16,
    )  # fmt: skip
    assert_close(sums.sum(axis=0), right[1], digits=digits_of(dtype))
    return kernel, right[0]


def test_copies_and_slots(target):
    x = numbers(4, 16384, dtype=np.float16)
    x_grad = unset(4, 16384, dtype=np.float16)
    kernel, right = launch_gradient(x, x_grad)
    assert_close(x_grad, right, digits=6e-3)
    # Weights and rows, 32 KB each: others have no room for all of it.
    if target in ("sm_80", "sm_90a", "sm_100a"):
        assert "cp.async.cg.shared.global" in kernel.variants[-1]["ptx"]
        assert kernel.variants[-1]["report"]["shared_bytes"] >= 3 << 15


def test_what_is_written_is_not_copied(target):
    """Each row is read before the one before it is written there."""
    both = numbers(5, 16384, dtype=np.float16)
    kernel, right = launch_gradient(both[:4], both[1:])
    assert_close(both[1:], right, digits=6e-3)
    assert "cp.async" not in kernel.variants[-1]["ptx"]


def test_a_row_of_nans_spoils_no_other(target):
    x = numbers(4, 16384, dtype=np.float16)
    x[1, 700], x[2, 3] = np.nan, np.inf
    x_grad, sums = unset(4, 16384, dtype=np.float16), unset(16384)
    with np.errstate(invalid="ignore"):
        right = rms_norm.reference_backward(x, x)
    rms_norm.backward(x, x, x_grad, np.ones(16384, np.float16), sums, programs=2, num_warps=16)
    assert_close(x_grad[[0, 3]], right[0][[0, 3]], digits=6e-3)
    assert np.isnan(x_grad[1]).all() and np.isnan(sums).all()


@tilewright.jit
def scaled_kernel(x, weight, bias, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    value = tl.load(x + row * n + columns, mask=columns < n, other=0.0)
    value *= tl.sum(value, axis=0)
    value = value * tl.load(weight + columns, mask=columns < n, other=0.0)
    value += tl.load(bias + columns, mask=columns < n, other=0.0)
    tl.store(out + row * n + columns, value, mask=columns < n)


@pytest.mark.parametrize("n", [16384, 32768, 131072])
def test_weights(target, n):
    """Of f32, of which not all have room; that are one array; and that the result overwrites."""
    has_clusters = target not in ("sm_80", "sm_86", "sm_89")
    if n > 32768 and not has_clusters:
        pytest.skip("no block has a row of so many f32")
    # Those of the longest rows, for which there are no slots, have one each.
    is_in_turn = n <= (32768 if has_clusters else 16384)
    m = 7 if is_in_turn else 2
    x, weight, bias = numbers(m, n, scale=0.1), numbers(n, seed=1), numbers(n, seed=2)
    out, block = unset(m, n), tilewright.next_power_of_2(n)
    sums = x.astype(np.float64) * x.sum(axis=1, keepdims=True, dtype=np.float64)
    compiled = scaled_kernel[(m,)](x, weight, bias, out, n, BLOCK=block, num_warps=16)
    assert_close(out, sums * weight + bias, digits=1e-3)
    assert compiled.report["launch"]["persistent"] == is_in_turn
    scaled_kernel[(m,)](x, weight, weight, out, n, BLOCK=block, num_warps=16)
    assert_close(out, sums * weight + weight, digits=1e-3)
    one = weight.copy()
    scaled_kernel[(1,)](x, one, bias, one, n, BLOCK=block, num_warps=16)
    assert_close(one, sums[0] * weight + bias, digits=1e-3)


@pytest.mark.parametrize("n", [4095, 3001])
def test_rows_ahead_by_elements(monkeypatch, target, n):
    """Two blocks of 256 threads are to have room; a row with NaN or infinities is the only one."""
    m, programs = 5, 2
    x, grad = numbers(m, n, dtype=np.float16, scale=2), numbers(m, n, dtype=np.float16, seed=3)
    x[1, 7], grad[3, n - 1] = np.nan, np.inf
    weight, x_grad = numbers(n, dtype=np.float16, seed=1), unset(m, n, dtype=np.float16)
    sums = unset(programs, n)
    kernel = compile_again(monkeypatch, rms_norm)[(programs,)](
        grad, x, weight, x_grad, sums, n, n, n, m, n, 1e-6, AHEAD=True, ROWS=1, BLOCK=4096,
        num_warps=8,
    )  # fmt: skip
    assert ".minnctapersm 2" in kernel.ptx
    good = [0, 2, 4]
    right, weight_grad = rms_norm.reference_backward(grad[good], x[good], weight)
    assert_close(x_grad[good], right, digits=6e-3)
    assert np.isnan(x_grad[1]).all()
    assert not np.isfinite(x_grad[3]).any()
    # The first program has the rows 0, 2 and 4.
    assert_close(sums[0], weight_grad, digits=6e-3)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_rows_that_begin_anywhere(target, dtype):
    """They are copied, but for their edges; a row of NaN spoils none that comes behind."""
    m, n = 18, 17001
    x = numbers(m * n + 3, dtype=dtype, scale=2)[3:].reshape(m, n)
    x[3], x[9, n - 1] = np.nan, np.inf
    weight, bias = numbers(n, dtype=dtype, seed=1), numbers(n, dtype=dtype, seed=2)
    out, mean, rstd = unset(m, n, dtype=dtype), unset(m), unset(m)
    arrays = (x, out, weight, bias, mean, rstd)
    kernel = launch_norm(target, *arrays)
    with np.errstate(invalid="ignore"):
        right = layer_norm.reference(x, weight, bias)[0]
    good = [row for row in range(m) if row not in (3, 9)]
    assert_close(out[good], right[good], digits=digits_of(dtype))
    assert np.isnan(out[[3, 9]]).all()
    if target == "sm_90a" and dtype == np.float16:
        assert "cp.async.ca.shared.global" in kernel.variants[-1]["ptx"]
    # What is written is loaded: a copy could come behind.
    kernel = launch_norm(target, x, *[x if each is out else each for each in arrays[1:]])
    assert_close(x[good], right[good], digits=digits_of(dtype))
    assert "cp.async" not in kernel.variants[-1]["ptx"]


def test_copies_past_the_cache():
    """Rows of 50257 f16 in five blocks, beside their weights, leave the cache too little room."""
    x, weight = numbers(1, 50257, dtype=np.float16), numbers(50257, dtype=np.float16, seed=1)
    out, mean, rstd = unset(1, 50257, dtype=np.float16), unset(1), unset(1)
    kernel = layer_norm.forward_kernel[(1,)](
        x, out, weight, weight, mean, rstd, 50257, 50257, 50257, 1e-5, BLOCK=65536, num_warps=4,
        target="sm_90a",
    )  # fmt: skip
    assert_close(out, layer_norm.reference(x, weight, weight)[0], digits=8e-3)
    assert "cp.async.cg.shared.global" in kernel.variants[-1]["ptx"]


def launch_norm(target, x, out, weight, bias, mean, rstd):
    m, n = x.shape
    warps = 4 if target in ("sm_90a", "sm_100a", "sm_120a") else 16
    return layer_norm.forward_kernel[(m,)](
        x, out, weight, bias, mean, rstd, n, n, n, 1e-5, BLOCK=32768, num_warps=warps
    )
