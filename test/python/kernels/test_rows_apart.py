"""Short rows that are no run of memory, since they are columns of a larger matrix: in the
simulator, beside NumPy. Few lanes share such a row; all of a warp copy words of some in turn, and
halves where a row begins or ends within a word."""

import numpy as np
import pytest
from examples_support import assert_close, numbers, softmax_of, unset

import cross_entropy
import rms_norm
import softmax

pytestmark = pytest.mark.usefixtures("without_ptxas")

# The columns of a row, those that are between two rows, and the first one's number.
SLICES = [(71, 71, 0), (33, 1, 0), (75, 6, 1), (9, 7, 2), (20, 3, 3), (203, 53, 1), (3, 5, 1)]


def slice_of(matrix, columns, first):
    return matrix[:, first : first + columns]


def assert_untouched(matrix, columns, first):
    """Nothing is written beside the slice."""
    assert np.isnan(matrix[:, :first]).all()
    assert np.isnan(matrix[:, first + columns :]).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize(("columns", "between", "first"), SLICES)
def test_softmax(columns, between, first, dtype):
    rows = 75
    x = numbers(rows, columns + between, dtype=dtype, scale=3)
    x[:, ::7] = -np.inf
    x[3] = 0
    x[5, first] = np.nan
    x, whole = slice_of(x, columns, first), unset(rows, columns + between, dtype=dtype)
    out = slice_of(whole, columns, first)
    softmax.softmax(x, out, num_warps=2)
    there = np.isfinite(x).any(axis=1) & ~np.isnan(x).any(axis=1)
    assert_close(out[there], softmax_of(x[there]))
    assert np.isnan(out[~there]).all()
    assert_untouched(whole, columns, first)


@pytest.mark.parametrize(("columns", "between", "first"), SLICES[:4])
def test_rows_on(target, columns, between, first):
    """With weights and labels: other lanes have the rows."""
    rows = 70
    x = slice_of(numbers(rows, columns + between, dtype=np.float16), columns, first)
    whole = unset(rows, columns + between, dtype=np.float16)
    out = slice_of(whole, columns, first)
    weight = numbers(columns, dtype=np.float16, seed=1)
    rms_norm.rms_norm(x, out, weight, num_warps=1, target=target)
    assert_close(out, rms_norm.reference(x, weight), digits=4e-3)
    labels = np.random.default_rng(1).integers(0, columns, rows)
    labels[3] = -100
    loss, lse = unset(rows), unset(rows)
    cross_entropy.forward(x, labels, loss, lse, num_warps=1, target=target)
    assert_close(loss, cross_entropy.reference(x, labels)[0])
    grad = numbers(rows, seed=2)
    cross_entropy.backward(grad, x, labels, lse, out, num_warps=1, target=target)
    assert_close(out, cross_entropy.reference_backward(grad, x, labels))
    assert_untouched(whole, columns, first)


def test_rows_whose_results_are_apart_only():
    x, whole = numbers(70, 33, dtype=np.float16), unset(70, 40, dtype=np.float16)
    softmax.softmax(x, whole[:, 4:37], num_warps=1)
    assert_close(whole[:, 4:37], softmax_of(x))
    assert_untouched(whole, 33, 4)


@pytest.mark.parametrize(
    ("columns", "between", "first"),
    # Tiles that are full, whose rows begin within words or not; of one element, and two.
    [(64, 3, 1), (64, 2, 1), (256, 1, 0), (32, 1, 0), (4, 1, 1), (2, 1, 0), (1, 2, 1), (16, 16, 3)],
)
def test_rows_that_fill_their_tile(target, columns, between, first):
    rows = 45
    x = slice_of(numbers(rows, columns + between, dtype=np.float16), columns, first)
    whole = unset(rows, columns + between, dtype=np.float16)
    out = slice_of(whole, columns, first)
    softmax.softmax(x, out, num_warps=1, target=target)
    assert_close(out, softmax_of(x))
    grad = slice_of(numbers(rows, columns + between, dtype=np.float16, seed=1), columns, first)
    softmax.backward(grad, x, out, num_warps=1, target=target)
    assert_close(out, softmax.reference_backward(grad, x), digits=4e-3)
    assert_untouched(whole, columns, first)


@pytest.mark.parametrize("rows", [1, 2, 33])
@pytest.mark.parametrize("columns", [7, 33, 64, 130])
def test_rows_in_place_from_the_last_one_on(rows, columns):
    whole = numbers(rows, columns + 5, dtype=np.float16, scale=3)
    before = whole.copy()
    x = slice_of(whole, columns, 1)[::-1]
    expected = softmax_of(x)
    softmax.softmax(x, x, num_warps=1)
    assert_close(x, expected)
    for part in (np.s_[:, :1], np.s_[:, columns + 1 :]):
        assert np.array_equal(whole[part], before[part])


@pytest.mark.parametrize("stride", [0, 1, 32])
def test_rows_that_share_elements(stride):
    numbers_of_rows = numbers(70 * 33, dtype=np.float16)
    shape, strides = (70, 33), (2 * stride, 2)
    x = np.lib.stride_tricks.as_strided(numbers_of_rows[1:], shape, strides)
    out = unset(*shape, dtype=np.float16)
    softmax.softmax(x, out, num_warps=1)
    assert_close(out, softmax_of(x))
