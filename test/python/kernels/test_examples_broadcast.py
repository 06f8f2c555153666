"""examples/python/broadcast.py: in the simulator, beside NumPy."""

import itertools

import numpy as np
import pytest
from examples_support import numbers, unset

import broadcast

FUNCTIONS = {
    "add": (broadcast.add, np.add),
    "subtract": (broadcast.subtract, np.subtract),
    "multiply": (broadcast.multiply, np.multiply),
}


def shapes(m, n):
    """A matrix, a row in two forms, a column, and a scalar in three."""
    return [(m, n), (1, n), (n,), (m, 1), (1, 1), (1,), ()]


def check(name, x, y, shape, **options):
    ours, function = FUNCTIONS[name]
    x, y = np.asarray(x), np.asarray(y)
    out = unset(*shape, dtype=x.dtype)
    broadcast.broadcast(ours, x, y, out, **options)
    with np.errstate(all="ignore"):
        expected = np.broadcast_to(broadcast.reference(function, x, y).astype(x.dtype), shape)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_all_pairs_of_shapes(name, dtype):
    # Sums and products of f16 and f32 in f64 are exact, but for the last rounding.
    for one, other in itertools.product(shapes(37, 70), repeat=2):
        check(name, numbers(*one, dtype=dtype), numbers(*other, dtype=dtype, seed=1), (37, 70))


@pytest.mark.parametrize("size", [(1, 1), (1, 1000), (1000, 1), (3, 513), (129, 64)])
def test_sizes(size):
    for one, other in itertools.product(shapes(*size), repeat=2):
        check("add", numbers(*one), numbers(*other, seed=1), size, blocks=(4, 128))


def test_special_values():
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 3e38], np.float32)
    for name in FUNCTIONS:
        check(name, special[:, None], special, (7, 7))


def test_arrays_of_any_strides():
    large = numbers(60, 90)
    check("add", large[::2, 5:45], large[3, 5:45], (30, 40))
    check("multiply", large.T[:50, ::3], large[:1, :50].T, (50, 20))
    check("subtract", large[:, ::9], large[:, 4:5], (60, 10))
    out = unset(60, 90)
    broadcast.broadcast(broadcast.add, large[:20, :30], large[:20, 7:8], out[1:41:2, 3:63:2])
    np.testing.assert_array_equal(out[1:41:2, 3:63:2], large[:20, :30] + large[:20, 7:8])
    assert np.isnan(out[0]).all() and np.isnan(out[:, 4]).all()


def test_nothing():
    for m, n in ((0, 5), (5, 0), (0, 0)):
        check("add", unset(m, n), unset(n), (m, n))
        check("add", unset(m, 1), unset(1, n), (m, n))


def test_broadcasts_on(target):
    for one, other in itertools.product(shapes(20, 300)[:5], repeat=2):
        check("add", numbers(*one), numbers(*other, seed=1), (20, 300), target=target)
