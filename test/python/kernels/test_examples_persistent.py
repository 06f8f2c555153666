"""Examples whose programs stay, and take one tile after the other: beside NumPy."""

import functools

import numpy as np
import pytest
from examples_support import assert_close, numbers, unset

import grouped_matmul
import persistent_matmul

DIGITS = 5e-3

# Sizes of all products, M x N x K.
ODD = [(70, 40, 50), (33, 64, 24), (1, 1, 1), (5, 90, 17)]
EVEN = [(72, 40, 48), (33, 64, 24), (8, 96, 16)]


def make_groups(sizes):
    a = [numbers(m, k, dtype=np.float16, seed=i) for i, (m, _, k) in enumerate(sizes)]
    b = [numbers(k, n, dtype=np.float16, seed=9 + i) for i, (_, n, k) in enumerate(sizes)]
    return a, b, [unset(m, n, dtype=np.float16) for m, n, _ in sizes]


def check_groups(sizes, change=lambda a, b: None, blocks=(32, 32, 32), **options):
    a, b, c = make_groups(sizes)
    change(a, b)
    grouped_matmul.grouped_matmul(a, b, c, blocks=blocks, reaches=[*a, *b, *c], **options)
    with np.errstate(invalid="ignore"):
        for actual, wanted in zip(c, grouped_matmul.reference(a, b), strict=True):
            assert_close(actual, wanted, digits=DIGITS)


@pytest.mark.parametrize("sizes", [ODD, EVEN, ODD[:1]])
@pytest.mark.parametrize("programs", [1, 3, 40])
def test_grouped_products(sizes, programs):
    check_groups(sizes, programs=programs)


def test_grouped_products_of_special_values():
    def change(a, b):
        a[0][3, 5], b[1][7, 2] = np.nan, np.inf

    check_groups(ODD, change, programs=4)


@pytest.mark.parametrize("sizes", [ODD, EVEN])
def test_grouped_products_on(target, sizes):
    check_groups(sizes, programs=4, blocks=(64, 32, 32), num_stages=3, target=target)


PRODUCTS = {
    "pointers": persistent_matmul.persistent_matmul,
    "descriptors": persistent_matmul.descriptor_matmul,
    "descriptors, in halves": functools.partial(
        persistent_matmul.descriptor_matmul, in_halves=True
    ),
}


@pytest.fixture(params=PRODUCTS)
def product(request):
    return PRODUCTS[request.param]


def check_product(product, m, n, k, blocks, change=lambda a, b: None, **options):
    a, b = numbers(m, k, dtype=np.float16), numbers(n, k, dtype=np.float16, seed=1)
    change(a, b)
    c = unset(m, n, dtype=np.float16)
    product(a, b, c, blocks=blocks, **options)
    with np.errstate(invalid="ignore"):
        assert_close(c, persistent_matmul.reference(a, b), digits=DIGITS)


@pytest.mark.parametrize("programs", [1, 4, 132])
@pytest.mark.parametrize(
    ("m", "n", "k"), [(64, 64, 64), (70, 90, 50), (1, 1, 1), (300, 20, 32), (33, 200, 17)]
)
def test_persistent_product(product, m, n, k, programs):
    check_product(product, m, n, k, (32, 32, 32), programs=programs)


def test_persistent_product_of_special_values(product):
    def change(a, b):
        a[3, 5], b[7, 2] = np.nan, np.inf

    check_product(product, 40, 40, 40, (32, 32, 16), change, programs=3)


def test_persistent_product_of_parts_of_matrices(product):
    # Rows with gaps.
    a, b = numbers(40, 72, dtype=np.float16), numbers(50, 80, dtype=np.float16, seed=1)
    c = unset(40, 60, dtype=np.float16)
    product(a[:, :48], b[:, :48], c[:, :50], programs=3, blocks=(32, 32, 16))
    assert_close(c[:, :50], persistent_matmul.reference(a[:, :48], b[:, :48]), digits=DIGITS)
    assert np.isnan(c[:, 50:]).all()


def test_persistent_product_on(target, product):
    check_product(product, 130, 80, 72, (64, 32, 32), programs=4, num_stages=3, target=target)
