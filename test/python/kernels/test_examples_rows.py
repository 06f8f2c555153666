"""Examples that reduce or scan the rows of a matrix: in the simulator, beside NumPy."""

import re

import numpy as np
import pytest
from examples_support import assert_close, compile_again, numbers, unset

import cross_entropy
import cumsum
import layer_norm
import recurrence
import rms_norm
import softmax
import tilewright
import tilewright.language as tl
import top_k

# Softmax


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize(("rows", "columns"), [(3, 100), (5, 64), (1, 1), (7, 513)])
def test_softmax(dtype, rows, columns, log):
    x, out = numbers(rows, columns, dtype=dtype, scale=3), unset(rows, columns, dtype=dtype)
    softmax.softmax(x, out, log=log)
    assert_close(out, softmax.reference(x, log))


def test_softmax_of_special_values():
    x = numbers(4, 33)
    x[0, ::2] = -np.inf
    x[1] += 1e30
    x[2, 5] = np.nan
    x[3] = 0
    out = unset(4, 33)
    softmax.softmax(x, out)
    assert_close(out[[0, 1, 3]], softmax.reference(x[[0, 1, 3]]))
    assert np.isnan(out[2]).all()
    softmax.softmax(x, out, log=True)
    assert_close(out[[0, 1, 3]], softmax.reference(x[[0, 1, 3]], log=True))
    assert np.isnan(out[2]).all()


@pytest.mark.parametrize("log", [False, True])
def test_softmax_of_nothing_but_minus_infinity(log):
    x, out = numbers(3, 40), unset(3, 40)
    x[1] = -np.inf
    softmax.softmax(x, out, log=log)
    assert_close(out[[0, 2]], softmax.reference(x[[0, 2]], log))
    assert np.isnan(out[1]).all()


@pytest.mark.parametrize("shape", [(0, 5), (3, 0), (0, 0)])
def test_rows_of_nothing(shape):
    x, out = unset(*shape), unset(*shape)
    softmax.softmax(x, out)
    softmax.backward(x, x, out)
    cumsum.cumsum(x, out)
    rms_norm.rms_norm(x, out)
    layer_norm.forward(x, out, None, None, unset(shape[0]), unset(shape[0]))
    # Without a class no label is one.
    loss, lse = unset(shape[0]), unset(shape[0])
    cross_entropy.forward(x, np.zeros(shape[0], np.int32), loss, lse)
    assert np.isnan(loss).all()
    cross_entropy.backward(loss, x, np.zeros(shape[0], np.int32), lse, out)


def test_softmax_of_columns_of_a_larger_matrix():
    matrix, out = numbers(4, 50), unset(4, 80)
    softmax.softmax(matrix[:, 3:40], out[:, 1:38])
    assert_close(out[:, 1:38], softmax.reference(matrix[:, 3:40]))
    assert np.isnan(out[:, 0]).all() and np.isnan(out[:, 38:]).all()


def test_softmax_on(target):
    x, out = numbers(2, 200), unset(2, 200)
    softmax.softmax(x, out, target=target)
    assert_close(out, softmax.reference(x))


@pytest.fixture
def short_parts(monkeypatch):
    """Rows of a few numbers have several parts."""
    for module in (softmax, rms_norm, layer_norm):
        monkeypatch.setattr(module, "PART", 32)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(("rows", "columns"), [(3, 100), (2, 64), (1, 33), (1, 1)])
def test_softmax_in_parts(target, short_parts, rows, columns, log):
    x, out = (numbers(rows, columns, dtype=np.float16, scale=3), unset(rows, columns))
    softmax.softmax(x, out, log=log, in_parts=True, target=target)
    assert_close(out, softmax.reference(x, log))


def test_softmax_in_parts_of_special_values(short_parts):
    x, out = numbers(5, 100), unset(5, 100)
    x[0, :70] = -np.inf
    x[1] += 1e30
    x[2, 5] = np.nan
    x[3] = 0
    x[4] = -np.inf
    for log in (False, True):
        softmax.softmax(x, out, log=log, in_parts=True)
        assert_close(out[[0, 1, 3]], softmax.reference(x[[0, 1, 3]], log))
        assert np.isnan(out[[2, 4]]).all()


def test_few_long_rows_are_taken_in_parts(short_parts, monkeypatch):
    for module in (softmax, rms_norm, layer_norm):
        monkeypatch.setattr(module, "LONG_ROW", 64)
    kernels = [softmax.parts_kernel, rms_norm.parts_kernel, layer_norm.parts_kernel]
    counts = [len(kernel.kernels) for kernel in kernels]
    for rows, more in ((40, 0), (2, 1)):
        x, out = numbers(rows, 100, dtype=np.float16), unset(rows, 100)
        softmax.softmax(x, out, num_warps=1)
        assert_close(out, softmax.reference(x))
        rms_norm.rms_norm(x, out, num_warps=1)
        assert_close(out, rms_norm.reference(x))
        layer_norm.forward(x, out, None, None, unset(rows), unset(rows), num_warps=1)
        assert_close(out, layer_norm.reference(x, None, None)[0])
        now = [len(kernel.kernels) for kernel in kernels]
        assert [new - old for new, old in zip(now, counts, strict=True)] == [more] * 3


# Layer norm


def make_layer(m, n, dtype=np.float32):
    """Arguments of a forward pass, and arrays for its results."""
    x = numbers(m, n, dtype=dtype, scale=2) + dtype(1)
    weight, bias = numbers(n, dtype=dtype, seed=1), numbers(n, dtype=dtype, seed=2)
    return x, weight, bias, unset(m, n, dtype=dtype), unset(m), unset(m)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize(("has_weight", "has_bias"), [(True, True), (True, False), (False, False)])
@pytest.mark.parametrize(("m", "n"), [(3, 300), (1, 7)])
def test_layer_norm(dtype, has_weight, has_bias, m, n):
    x, weight, bias, out, mean, rstd = make_layer(m, n, dtype)
    weight, bias = weight if has_weight else None, bias if has_bias else None
    layer_norm.forward(x, out, weight, bias, mean, rstd, block=128)
    expected, expected_mean, expected_rstd = layer_norm.reference(x, weight, bias)
    assert_close(out, expected, digits=4e-3 if dtype == np.float16 else None)
    assert_close(mean, expected_mean)
    assert_close(rstd, expected_rstd)


@pytest.mark.parametrize("has_weight", [True, False])
@pytest.mark.parametrize(("m", "n"), [(3, 100), (2, 64), (1, 7)])
def test_layer_norm_in_parts(target, short_parts, has_weight, m, n):
    x, weight, bias, out, mean, rstd = make_layer(m, n, np.float16)
    # Parts whose means are far apart.
    x[0, 32:] += np.float16(10)
    weight, bias = (weight, bias) if has_weight else (None, None)
    layer_norm.forward_in_parts(x, out, weight, bias, mean, rstd, target=target)
    expected, expected_mean, expected_rstd = layer_norm.reference(x, weight, bias)
    assert_close(out, expected, digits=4e-3)
    assert_close(mean, expected_mean)
    assert_close(rstd, expected_rstd)


def test_layer_norm_of_equal_numbers():
    _, weight, bias, out, mean, rstd = make_layer(2, 40)
    x = np.full((2, 40), 3, np.float32)
    layer_norm.forward(x, out, weight, bias, mean, rstd, block=64)
    assert_close(out, np.tile(bias, (2, 1)))


def test_layer_norm_on(target):
    x, weight, bias, out, mean, rstd = make_layer(2, 150)
    layer_norm.forward(x, out, weight, bias, mean, rstd, block=128, target=target)
    assert_close(out, layer_norm.reference(x, weight, bias)[0])


@pytest.mark.parametrize(
    ("kernel", "signature", "constants"),
    [
        ("forward_kernel", "*fp16, *fp16, *fp16, *fp16, *fp32, *fp32, i32, i32, i32, fp32", {}),
        (
            "backward_lock_kernel",
            "*fp16, *fp16, *fp16, *fp32, *fp32, *fp16, *fp32, *fp32, *i32, i32, i32, i32, i32",
            {"GROUPS": 64},
        ),
    ],
)
def test_rows_of_large_arrays_are_found(kernel, signature, constants):
    """More than 2^31 elements are too many for the simulator."""
    compiled = getattr(layer_norm, kernel).compile(signature, {"BLOCK": 128, **constants})
    assert "arith.extsi %x_stride : i32 to i64" in compiled.ir("tile")


# RMS norm


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("has_weight", [True, False])
@pytest.mark.parametrize("has_residual", [True, False])
def test_rms_norm(dtype, has_weight, has_residual):
    m, n = 4, 130
    x, out = numbers(m, n, dtype=dtype), unset(m, n, dtype=dtype)
    weight = numbers(n, dtype=dtype, seed=1) if has_weight else None
    residual = numbers(m, n, dtype=dtype, seed=2) if has_residual else None
    before = residual.copy() if has_residual else None
    rms_norm.rms_norm(x, out, weight, residual)
    assert_close(
        out, rms_norm.reference(x, weight, before), digits=4e-3 if dtype == np.float16 else None
    )
    if has_residual:
        assert_close(residual, x.astype(np.float64) + before)


@pytest.mark.parametrize("has_weight", [True, False])
@pytest.mark.parametrize(("m", "n"), [(3, 100), (2, 64), (1, 7)])
def test_rms_norm_in_parts(target, short_parts, has_weight, m, n):
    x, out = numbers(m, n, dtype=np.float16), unset(m, n, dtype=np.float16)
    weight = numbers(n, dtype=np.float16, seed=1) if has_weight else None
    rms_norm.rms_norm(x, out, weight, in_parts=True, target=target)
    assert_close(out, rms_norm.reference(x, weight), digits=4e-3)


def test_rms_norm_of_zeros():
    x, out = np.zeros((2, 16), np.float32), unset(2, 16)
    rms_norm.rms_norm(x, out)
    np.testing.assert_array_equal(out, x)


def test_rms_norm_on(target):
    x, weight, out = numbers(3, 70), numbers(70, seed=1), unset(3, 70)
    rms_norm.rms_norm(x, out, weight, target=target)
    assert_close(out, rms_norm.reference(x, weight))


# Cross entropy


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize(("m", "n", "block"), [(6, 100, 32), (2, 64, 64), (1, 1, 16)])
def test_cross_entropy(dtype, smoothing, m, n, block):
    logits = numbers(m, n, dtype=dtype, scale=4)
    labels = np.random.default_rng(1).integers(0, n, m)
    labels[:: m - 1 if m > 1 else 2] = -100
    loss, lse = unset(m), unset(m)
    options = {"smoothing": smoothing, "block": block}
    cross_entropy.forward(logits, labels, loss, lse, **options)
    expected_loss, expected_lse = cross_entropy.reference(logits, labels, smoothing=smoothing)
    assert_close(loss, expected_loss)
    assert_close(lse, expected_lse)

    grad, logits_grad = numbers(m, seed=2), unset(m, n, dtype=dtype)
    cross_entropy.backward(grad, logits, labels, lse, logits_grad, **options)
    expected = cross_entropy.reference_backward(grad, logits, labels, smoothing=smoothing)
    assert_close(logits_grad, expected)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize(
    ("m", "n", "parts"), [(6, 100, 3), (2, 64, 2), (3, 1000, 7), (5, 33, 100), (1, 1, 4)]
)
def test_cross_entropy_in_parts(target, smoothing, m, n, parts):
    logits = numbers(m, n, dtype=np.float16, scale=4)
    labels = np.random.default_rng(1).integers(0, n, m)
    labels[m // 2] = -100 if m > 1 else 0
    loss, lse = unset(m), unset(m)
    cross_entropy.forward(logits, labels, loss, lse, smoothing=smoothing, block=32, parts=parts)
    expected_loss, expected_lse = cross_entropy.reference(logits, labels, smoothing=smoothing)
    assert_close(loss, expected_loss)
    assert_close(lse, expected_lse)


def test_few_long_rows_are_summed_up_in_parts():
    logits, labels = numbers(3, 300), np.array([299, -100, 0])
    loss, lse = unset(3), unset(3)
    count = len(cross_entropy.parts_kernel.kernels)
    for block in (32, 64):
        cross_entropy.forward(logits, labels, loss, lse, block=block)
        assert_close(loss, cross_entropy.reference(logits, labels)[0])
        # The second ones are eight blocks and less.
        assert len(cross_entropy.parts_kernel.kernels) == count + 1


def test_programs_of_one_class_share_a_block(target):
    logits, labels = numbers(70, 1, dtype=np.float16), np.zeros(70, np.int64)
    labels[3] = -100
    logits_grad = unset(70, 1, dtype=np.float16)
    lse = logits[:, 0].astype(np.float32)
    # Not of this class only, so that the gradient is not zero.
    lse += 1
    grad = numbers(70, seed=2)
    cross_entropy.backward(grad, logits, labels, lse, logits_grad, num_warps=1, target=target)
    powers = np.exp(logits.astype(np.float64) - lse[:, None])
    expected = np.where(labels[:, None] == 0, (powers - 1) * grad[:, None], 0)
    assert_close(logits_grad, expected)
    report = cross_entropy.backward_kernel.kernels[-1].variants[-1]["report"]
    assert report["programs_per_block"] > 1


@pytest.mark.parametrize("parts", [1, 3])
def test_cross_entropy_of_special_values(parts):
    logits = numbers(3, 50)
    logits[0, 1::2] = -np.inf
    logits[1] *= 1e30
    logits[2] = np.nan
    labels = np.array([4, int(logits[1].argmax()), -100], np.int32)
    loss, lse = unset(3), unset(3)
    cross_entropy.forward(logits, labels, loss, lse, block=16, parts=parts)
    assert_close(loss, np.append(cross_entropy.reference(logits[:2], labels[:2])[0], 0))
    logits_grad = unset(3, 50)
    cross_entropy.backward(np.ones(3, np.float32), logits, labels, lse, logits_grad, block=16)
    expected = cross_entropy.reference_backward(np.ones(2), logits[:2], labels[:2])
    assert_close(logits_grad[:2], expected)
    np.testing.assert_array_equal(logits_grad[2], 0)


def test_labels_that_are_no_class():
    # Nothing beside the row is read: the simulator would tell.
    logits = numbers(6, 20)
    labels = np.array([20, -1, -(2**31), 2**31 - 1, 3, 7], np.int32)
    loss, lse, logits_grad = unset(6), unset(6), unset(6, 20)
    cross_entropy.forward(logits, labels, loss, lse, ignored=7, block=16)
    expected, expected_lse = cross_entropy.reference(logits, labels, ignored=7)
    assert np.isnan(expected[:4]).all()
    assert_close(loss, expected)
    assert_close(lse, expected_lse)
    grad = numbers(6, seed=1)
    cross_entropy.backward(grad, logits, labels, lse, logits_grad, ignored=7, block=16)
    assert_close(logits_grad, cross_entropy.reference_backward(grad, logits, labels, ignored=7))


@pytest.mark.parametrize("parts", [1, 2])
def test_cross_entropy_of_parts_that_are_all_minus_infinity(parts):
    logits = numbers(2, 40)
    logits[0, :16] = -np.inf
    logits[1, 16:] = -np.inf
    labels = np.array([30, 2])
    loss, lse = unset(2), unset(2)
    cross_entropy.forward(logits, labels, loss, lse, block=16, parts=parts)
    expected, expected_lse = cross_entropy.reference(logits, labels)
    assert_close(loss, expected)
    assert_close(lse, expected_lse)


@pytest.mark.parametrize("parts", [1, 2])
def test_cross_entropy_of_nothing_but_minus_infinity(parts):
    logits = numbers(2, 30)
    logits[1] = -np.inf
    labels = np.array([3, 3])
    loss, lse = unset(2), unset(2)
    cross_entropy.forward(logits, labels, loss, lse, block=16, parts=parts)
    assert_close(loss[:1], cross_entropy.reference(logits[:1], labels[:1])[0])
    assert np.isnan(loss[1])


def test_cross_entropy_on(target):
    logits, labels = numbers(3, 70), np.array([69, -100, 0])
    loss, lse, logits_grad = unset(3), unset(3), unset(3, 70)
    cross_entropy.forward(logits, labels, loss, lse, block=64, target=target)
    assert_close(loss, cross_entropy.reference(logits, labels)[0])
    grad = numbers(3, seed=1)
    options = {"block": 64, "target": target}
    cross_entropy.backward(grad, logits, labels, lse, logits_grad, **options)
    assert_close(logits_grad, cross_entropy.reference_backward(grad, logits, labels))


# Top k


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize(
    ("m", "n", "k"), [(3, 100, 5), (2, 8, 8), (1, 1, 1), (4, 33, 2), (5, 129, 4), (2, 1000, 1)]
)
def test_top_k(dtype, m, n, k):
    x = numbers(m, n, dtype=dtype)
    values, places = unset(m, k, dtype=dtype), unset(m, k, dtype=np.int32)
    top_k.top_k(x, values, places)
    expected_values, expected_places = top_k.reference(x, k)
    np.testing.assert_array_equal(values, expected_values)
    np.testing.assert_array_equal(places, expected_places)


def test_top_k_of_equal_and_infinite_numbers():
    x = np.array(
        [[2, 1, 2, 2, 0], [-np.inf] * 5, [np.inf, -np.inf, 3, np.inf, -np.inf]], np.float32
    )
    values, places = unset(3, 5), unset(3, 5, dtype=np.int32)
    top_k.top_k(x, values, places)
    np.testing.assert_array_equal(places, [[0, 2, 3, 1, 4], [0, 1, 2, 3, 4], [0, 3, 2, 1, 4]])
    np.testing.assert_array_equal(values, np.take_along_axis(x, places, axis=1))


@pytest.mark.parametrize("group", [1, 4, 32])
def test_top_k_of_numbers_that_are_in_few_groups(group):
    x = np.tile(np.arange(256, dtype=np.float32), (3, 1))
    x[1], x[2] = -x[1], 1
    values, places = unset(3, 8), unset(3, 8, dtype=np.int32)
    top_k.top_k(x, values, places, group=group)
    np.testing.assert_array_equal(places, top_k.reference(x, 8)[1])


def test_top_k_of_zeros():
    x = np.array([[0, -0.0, 1, -1, -0.0, 0]], np.float16)
    values, places = unset(1, 5, dtype=np.float16), unset(1, 5, dtype=np.int32)
    top_k.top_k(x, values, places)
    np.testing.assert_array_equal(places, [[2, 0, 1, 4, 5]])


def test_top_k_of_other_numbers():
    with pytest.raises(ValueError, match="numbers are floats of 16 or 32 bits, not of 64"):
        top_k.top_k(numbers(2, 4, dtype=np.float64), unset(2, 2), unset(2, 2, dtype=np.int32))
    integers = np.arange(8, dtype=np.int32).reshape(2, 4)
    with pytest.raises(tilewright.CompileError, match="keys are made of floats"):
        top_k.top_k(integers, np.zeros_like(integers), np.zeros_like(integers))


def test_top_k_of_fewer_numbers():
    with pytest.raises(ValueError, match="5 of 4 numbers are asked for"):
        top_k.top_k(numbers(2, 4), unset(2, 5), unset(2, 5, dtype=np.int32))


def test_top_k_on(target):
    x, values, places = numbers(2, 60), unset(2, 3), unset(2, 3, dtype=np.int32)
    top_k.top_k(x, values, places, target=target)
    np.testing.assert_array_equal(places, top_k.reference(x, 3)[1])


# Cumulative sum


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("m", "n", "block"), [(3, 100, 32), (2, 64, 64), (1, 1, 16), (2, 513, 256)]
)
def test_cumulative_sum(reverse, m, n, block):
    x, out = numbers(m, n), unset(m, n)
    cumsum.cumsum(x, out, reverse=reverse, block=block)
    assert_close(out, cumsum.reference(x, reverse), digits=1e-4)


def test_cumulative_sum_of_rows_much_shorter_than_a_block():
    x, out = numbers(300, 17, dtype=np.float16), unset(300, 17, dtype=np.float16)
    cumsum.cumsum(x, out, num_warps=8)
    assert_close(out, cumsum.reference(x), digits=4e-3)


@pytest.mark.parametrize("reverse", [False, True])
def test_cumulative_sum_of_integers(reverse):
    x = np.random.default_rng(0).integers(-100, 100, (3, 77)).astype(np.int8)
    out = unset(3, 77, dtype=np.int64)
    cumsum.cumsum(x, out, reverse=reverse, dtype=tl.int64, block=32)
    np.testing.assert_array_equal(out, cumsum.reference(x, reverse))


def test_cumulative_sum_of_more_parts_than_one_looks_at(monkeypatch):
    monkeypatch.setattr(cumsum, "MOST_PARTS", 3)
    # The first part may begin 15 elements before its row.
    for n, is_in_parts in ((3 * cumsum.PART - 15, True), (3 * cumsum.PART - 14, False)):
        kernel = compile_again(monkeypatch, cumsum, "cumsum_parts_kernel")
        x, out = np.ones((1, n), np.int8), unset(1, n, dtype=np.int32)
        cumsum.cumsum(x, out, dtype=tl.int32)
        np.testing.assert_array_equal(out, cumsum.reference(x))
        assert bool(kernel.kernels) == is_in_parts


@pytest.mark.parametrize("reverse", [False, True])
def test_cumulative_sum_in_parts_of_rows_from_the_last_one_on(reverse):
    n = cumsum.WHOLE_ROW + 9
    x = np.random.default_rng(0).integers(-9, 9, (3, n)).astype(np.float32)[::-1]
    out = unset(3, n)[::-1]
    cumsum.cumsum(x, out, reverse=reverse)
    np.testing.assert_array_equal(out, cumsum.reference(x, reverse))


def test_cumulative_sum_beyond_infinity():
    x, out = np.ones((1, 40), np.float32), unset(1, 40)
    x[0, 20] = np.inf
    x[0, 30] = -np.inf
    cumsum.cumsum(x, out, block=16)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(out, cumsum.reference(x))


def test_cumulative_sum_on(target):
    x, out = numbers(2, 90), unset(2, 90)
    cumsum.cumsum(x, out, block=64, target=target)
    assert_close(out, cumsum.reference(x), digits=1e-4)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_cumulative_sum_of_long_rows(reverse, dtype, target):
    # Parts of three rows, of which the last one is short.
    shape = (3, 2 * cumsum.PART + 77)
    x, out = numbers(*shape, dtype=dtype), unset(*shape, dtype=dtype)
    cumsum.cumsum(x, out, reverse=reverse)
    assert_close(out, cumsum.reference(x, reverse), digits=4e-3 if dtype == np.float16 else 1e-4)


@pytest.mark.parametrize("reverse", [False, True])
def test_cumulative_sum_of_long_rows_that_are_apart_elsewhere(reverse, monkeypatch):
    monkeypatch.setattr(cumsum, "LONG_ROW", 2 * cumsum.PART)
    n = 4 * cumsum.PART + 5
    x, out = numbers(3, n + 2)[:, 1:-1], unset(3, n)
    cumsum.cumsum(x, out, reverse=reverse)
    assert_close(out, cumsum.reference(x, reverse), digits=1e-4)


def test_cumulative_sum_of_long_rows_of_integers():
    x = np.random.default_rng(0).integers(-100, 100, (2, 20000)).astype(np.int8)
    out = unset(2, 20000, dtype=np.int32)
    cumsum.cumsum(x, out, dtype=tl.int32)
    np.testing.assert_array_equal(out, cumsum.reference(x))
    # A word has no room for a total of 64 bits.
    out = unset(2, 20000, dtype=np.int64)
    cumsum.cumsum(x, out, dtype=tl.int64)
    np.testing.assert_array_equal(out, cumsum.reference(x))


# Recurrence


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize(
    ("shape", "times", "channels"),
    [((2, 100, 37), 32, 16), ((1, 64, 32), 64, 32), ((3, 1, 1), 16, 8), ((1, 129, 70), 128, 64)],
)
def test_recurrence(target, shape, times, channels, dtype):
    # Factors near 1 carry what was before through several parts.
    a = np.tanh(numbers(*shape) + 2).astype(dtype)
    b, out = numbers(*shape, dtype=dtype, seed=1), unset(*shape, dtype=dtype)
    state = numbers(shape[0], shape[2], seed=2)
    wanted = recurrence.reference(a, b, state)
    recurrence.recurrence(a, b, state, out, times=times, channels=channels)
    assert_close(out, wanted, digits=4e-3 if dtype == np.float16 else 1e-4)
    assert_close(state, wanted[:, -1], digits=1e-4)


def test_layer_norm_of_more_columns_than_a_tile_has():
    n = 2**20 + 1
    x, out = numbers(1, n), unset(1, n)
    layer_norm.forward(x, out, None, None, unset(1), unset(1), num_warps=16)
    assert_close(out, layer_norm.reference(x, None, None)[0])


@pytest.mark.parametrize(
    ("kernel", "signature"),
    [
        (
            layer_norm.forward_kernel,
            "*fp16, *fp16, *fp16, *fp16, *fp32, *fp32, i32, i32, i32, fp32",
        ),
        (layer_norm.backward_lock_kernel, ", ".join(["*fp16"] * 9 + ["i32"] * 4)),
    ],
    ids=["forward", "with locks"],
)
def test_rows_of_layer_norm_begin_anywhere(kernel, signature):
    """More than 2^31 elements are too many for the simulator."""
    constants = {"BLOCK": 256, "GROUPS": 4}
    known = {name: value for name, value in constants.items() if name in kernel.arg_names}
    signature = signature.replace("*fp16, i32", "*i32, i32")
    text = kernel.compile(signature, known).ir("tile")
    assert not re.findall(r"addptr %(?:x|out|grad|x_grad), %\w+ : !tile.ptr<f16>, i32", text)
    assert len(re.findall(r"addptr %(?:x|out|grad|x_grad), %\w+ : !tile.ptr<f16>, i64", text)) > 1
