"""Examples that go backward along the rows of a matrix: in the simulator, beside NumPy."""

import re

import numpy as np
import pytest
from examples_support import assert_close, numbers, unset

import embedding
import layer_norm
import rms_norm
import softmax
import swiglu

# Rows, columns, programs, and rows of a program at a time.
SHAPES = [
    (9, 100, 4, 1),
    (9, 100, 2, 2),
    (3, 65, 3, None),
    (1, 5, 8, 4),
    (2, 1, 1, 2),
    (7, 2, 2, 4),
]


@pytest.fixture(autouse=True)
def buffers_of_nans(monkeypatch):
    """Sums that nobody wrote are seen."""
    for module in (layer_norm, rms_norm):
        monkeypatch.setattr(module, "empty", lambda like, shape, dtype, stream: unset(*shape))


def digits_of(dtype):
    return 5e-3 if dtype == np.float16 else 5e-5


# Softmax


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize(("rows", "columns"), [(3, 100), (5, 64), (1, 1), (7, 513)])
def test_gradient_of_softmax(dtype, rows, columns, log):
    grad = numbers(rows, columns, dtype=dtype)
    out = softmax.reference(numbers(rows, columns, seed=1), log).astype(dtype)
    x_grad = unset(rows, columns, dtype=dtype)
    softmax.backward(grad, out, x_grad, log=log)
    assert_close(x_grad, softmax.reference_backward(grad, out, log), digits=digits_of(dtype))


def test_gradient_of_softmax_where_it_is_zero():
    # Where x was -inf, the logarithm is too.
    x = numbers(2, 40)
    x[0, ::3] = -np.inf
    for log in (False, True):
        grad, out, x_grad = numbers(2, 40, seed=1), softmax.reference(x, log), unset(2, 40)
        softmax.backward(grad, out.astype(np.float32), x_grad, log=log)
        assert_close(x_grad, softmax.reference_backward(grad, out, log))


# Layer norm. With few warps there are no registers for rows ahead.


def layer_norm_backward(m, n, dtype=np.float32, way=layer_norm.backward, x=None, **options):
    """The gradients, and what they should be."""
    x = numbers(m, n, dtype=dtype, scale=2) + dtype(1) if x is None else x
    weight, grad = numbers(n, dtype=dtype, seed=1), numbers(m, n, dtype=dtype, seed=3)
    _, mean, rstd = (each.astype(np.float32) for each in layer_norm.reference(x, None, None))
    grads = unset(m, n, dtype=dtype), np.zeros(n, np.float32), np.zeros(n, np.float32)
    way(grad, x, weight, mean, rstd, *grads, **options)
    return grads, layer_norm.reference_backward(grad, x, weight)


def check_layer_norm(m, n, dtype=np.float32, **options):
    for actual, expected in zip(*layer_norm_backward(m, n, dtype, **options), strict=True):
        assert_close(actual, expected, digits=digits_of(dtype))


@pytest.mark.parametrize("way", [layer_norm.backward, layer_norm.backward_atomic])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize(("m", "n", "programs", "rows"), SHAPES)
def test_gradients_of_layer_norm(way, dtype, m, n, programs, rows):
    check_layer_norm(m, n, dtype, way=way, programs=programs, rows=rows)
    check_layer_norm(m, n, dtype, way=way, programs=programs, rows=64, num_warps=1)


@pytest.mark.parametrize(("m", "n", "groups"), [(9, 100, 2), (8, 65, 1), (3, 40, 4)])
def test_gradients_of_layer_norm_with_locks(m, n, groups):
    check_layer_norm(m, n, way=layer_norm.backward_locks, groups=groups)


def test_a_row_of_nans_spoils_no_gradient_of_another():
    x = numbers(5, 70)
    x[3, 20] = np.nan
    (x_grad, weight_grad, bias_grad), expected = layer_norm_backward(5, 70, x=x, programs=2)
    assert np.isnan(x_grad[3]).all() and np.isnan(weight_grad).all()
    assert_close(x_grad[[0, 1, 2, 4]], expected[0][[0, 1, 2, 4]], digits=5e-5)
    assert_close(bias_grad, expected[2])


def test_gradients_of_layer_norm_on(target):
    check_layer_norm(9, 60, programs=2, rows=2, target=target)
    check_layer_norm(4, 60, way=layer_norm.backward_atomic, programs=2, target=target)
    check_layer_norm(4, 60, way=layer_norm.backward_locks, groups=2, target=target)


# RMS norm


def rms_norm_backward(m, n, dtype=np.float32, has_weight=True, **options):
    x, grad = numbers(m, n, dtype=dtype, scale=2), numbers(m, n, dtype=dtype, seed=3)
    weight = numbers(n, dtype=dtype, seed=1) if has_weight else None
    x_grad, weight_grad = unset(m, n, dtype=dtype), unset(n, dtype=dtype) if has_weight else None
    rms_norm.backward(grad, x, x_grad, weight, weight_grad, **options)
    return (x_grad, weight_grad), rms_norm.reference_backward(grad, x, weight)


def check_rms_norm(m, n, dtype=np.float32, **options):
    for actual, expected in zip(*rms_norm_backward(m, n, dtype, **options), strict=True):
        if actual is not None:
            assert_close(actual, expected, digits=digits_of(dtype))


@pytest.mark.parametrize("has_weight", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize(("m", "n", "programs", "rows"), SHAPES)
def test_gradients_of_rms_norm(dtype, has_weight, m, n, programs, rows):
    check_rms_norm(m, n, dtype, has_weight=has_weight, programs=programs, rows=rows)
    check_rms_norm(m, n, dtype, has_weight=has_weight, programs=programs, rows=64, num_warps=1)


def test_gradients_of_rms_norm_without_an_epsilon():
    # A program may have places for rows that there are not, whose root would be infinite.
    check_rms_norm(5, 40, eps=0.0, programs=2, rows=2)


def test_gradients_of_rms_norm_on(target):
    check_rms_norm(9, 60, programs=2, rows=2, target=target)
    check_rms_norm(4, 70, programs=3, target=target)


# Rows that are moved as runs of memory, of which each lane has some

SHORT_ROWS = [(150, 9, 64, True), (97, 33, 32, False), (70, 13, 128, True), (41, 35, 16, False)]


@pytest.mark.parametrize(("m", "n", "rows", "ahead"), SHORT_ROWS)
def test_gradients_of_short_rows_that_begin_anywhere(target, m, n, rows, ahead):
    options = {"programs": 2, "rows": rows, "ahead": ahead, "target": target}
    check_layer_norm(m, n, np.float16, **options)
    check_rms_norm(m, n, np.float16, **options)


def test_gradients_of_short_rows_that_are_no_run():
    x, grad, weight = numbers(70, 16), numbers(70, 12, seed=1)[:, 1:10], numbers(9, seed=2)
    x[3, 4] = np.nan
    whole, weight_grad = unset(70, 11), unset(9)
    rms_norm.backward(grad, x[:, :9], whole[:, 2:], weight, weight_grad, programs=2, rows=64)
    expected, _ = rms_norm.reference_backward(grad, x[:, :9], weight)
    others = np.arange(70) != 3
    assert_close(whole[others, 2:], expected[others], digits=5e-5)
    assert np.isnan(whole[3, 2:]).all() and np.isnan(whole[:, :2]).all()
    assert np.isnan(weight_grad).all()


def test_short_rows_are_runs():
    def loads_runs(n):
        x, out, weight = numbers(40, n, dtype=np.float16), unset(40, n, dtype=np.float16), unset(n)
        rms_norm.backward(x, x, out, x[0], weight, programs=2, rows=16)
        # A warp asks whether its rows follow one another.
        return "vote.sync.all" in rms_norm.backward_kernel.kernels[-1].variants[-1]["ptx"]

    assert [loads_runs(n) for n in (9, 12, 33, 61)] == [True, False, True, False]


# All in a fixed order


def test_ordered_sums_have_the_same_bits_twice():
    # 40 rows of 3 programs: their sums are rounded, and in another order they are others.
    for backward in (layer_norm_backward, rms_norm_backward):
        first, again = (backward(40, 100, programs=3, rows=1)[0] for _ in range(2))
        other = backward(40, 100, programs=7, rows=1)[0]
        for one, two in zip(first, again, strict=True):
            np.testing.assert_array_equal(one, two)
        assert (first[1] != other[1]).any()


def test_ordered_sums_have_no_atomics():
    floats = "*fp16, *fp16, *fp16"
    constants = {"ATOMIC": False, "AHEAD": True, "ROWS": 2, "BLOCK": 64}
    signature = f"{floats}, *fp32, *fp32, *fp16, *fp32, *fp32, i32, i32, i32, i32, i32"
    kernels = [layer_norm.backward_kernel.compile(signature, constants)]
    signature = f"{floats}, *fp16, *fp32, i32, i32, i32, i32, i32, fp32"
    kernels += [
        rms_norm.backward_kernel.compile(signature, {"AHEAD": True, "ROWS": 2, "BLOCK": 64})
    ]
    for kernel in kernels:
        assert not re.search(r"^\s*(@\S+ )?(atom|red)\.", kernel.ptx, re.MULTILINE)
    constants = {**constants, "ATOMIC": True}
    signature = f"{floats}, *fp32, *fp32, *fp16, *fp32, *fp32, i32, i32, i32, i32, i32"
    atomic = layer_norm.backward_kernel.compile(signature, constants)
    assert re.search(r"^\s*(@\S+ )?(atom|red)\.", atomic.ptx, re.MULTILINE)


def test_gradients_of_nothing():
    for m, n in ((0, 5), (0, 0), (3, 0)):
        x, out = unset(m, n), unset(m, n)
        weight_grad = unset(n)
        rms_norm.backward(x, x, out, unset(n), weight_grad)
        np.testing.assert_array_equal(weight_grad, 0)
        bias_grad = unset(n)
        row = unset(m)
        layer_norm.backward(x, x, unset(n), row, row, out, weight_grad, bias_grad)
        np.testing.assert_array_equal(bias_grad, 0)
        softmax.backward(x, x, out)


# Embedding


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("id_type", [np.int32, np.int64])
def test_gradient_of_embedding_in_order(dtype, id_type):
    ids = np.array([0, 4, 3, 3, -1, 3, 5, 3, 0, 2**31 - 1], id_type)
    grad = numbers(ids.size, 70, dtype=dtype)
    table_grad = unset(5, 70, dtype=dtype)
    embedding.embedding_backward_ordered(ids, grad, table_grad, block=32)
    assert_close(table_grad, embedding.reference_backward(ids, grad, 5))


def test_gradient_of_embedding_has_the_bits_of_a_loop():
    ids = np.random.default_rng(0).integers(0, 4, 50)
    grad, table_grad, expected = numbers(50, 33), unset(4, 33), np.zeros((4, 33), np.float32)
    embedding.embedding_backward_ordered(ids, grad, table_grad)
    for token, row in enumerate(ids):
        expected[row] += grad[token]
    np.testing.assert_array_equal(table_grad, expected)


def test_gradient_of_embedding_of_nothing():
    table_grad = unset(3, 8)
    embedding.embedding_backward_ordered(np.zeros(0, np.int32), unset(0, 8), table_grad)
    np.testing.assert_array_equal(table_grad, 0)
    embedding.embedding_backward_ordered(np.zeros(2, np.int32), unset(2, 0), unset(3, 0))


def test_gradients_on(target):
    ids, table_grad = np.array([5, 0, 2, 2, 1], np.int32), unset(6, 40)
    grad = numbers(5, 40)
    embedding.embedding_backward_ordered(ids, grad, table_grad, target=target)
    assert_close(table_grad, embedding.reference_backward(ids, grad, 6))
    for log in (False, True):
        out, x_grad = softmax.reference(numbers(5, 40, seed=1), log), unset(5, 40)
        softmax.backward(grad, out.astype(np.float32), x_grad, log=log, target=target)
        assert_close(x_grad, softmax.reference_backward(grad, out, log))
    gate, up = numbers(200), numbers(200, seed=1)
    grads = unset(200), unset(200)
    swiglu.backward(grad.ravel(), gate, up, *grads, target=target)
    for actual, expected in zip(
        grads, swiglu.reference_backward(grad.ravel(), gate, up), strict=True
    ):
        assert_close(actual, expected)
