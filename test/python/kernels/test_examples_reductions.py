"""examples/python/reductions.py: in the simulator, beside NumPy."""

import numpy as np
import pytest
from examples_support import assert_close, numbers, unset

import reductions
import tilewright.language as tl

KINDS = {
    "sum": (reductions.sums, np.sum),
    "mean": (reductions.means, np.mean),
    "max": (reductions.maxima, np.max),
}


def check(kind, x, axis, digits=None, out_type=np.float32, **options):
    ours, function = KINDS[kind]
    expected = np.atleast_1d(reductions.reference(x, axis, function))
    out = unset(*expected.shape, dtype=out_type)
    ours(x, out, axis, **options)
    assert_close(out, expected, digits)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("shape", [(70, 300), (1, 1), (1, 513), (513, 1), (600, 3), (3, 9000)])
def test_reductions_of_a_matrix(kind, axis, dtype, shape):
    check(kind, numbers(*shape, dtype=dtype), axis, digits=2e-4 if kind == "sum" else None)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("axis", [0, 1, 2, -1, None])
@pytest.mark.parametrize("shape", [(3, 40, 50), (5, 1, 200), (2, 300, 3), (130, 7, 1)])
def test_reductions_of_three_dimensions(kind, axis, shape):
    check(kind, numbers(*shape), axis, digits=1e-4)


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("programs", [1, 5, 1000])
def test_parts_of_results(axis, programs):
    check("sum", numbers(3000, 40), axis, digits=1e-3, programs=programs)
    check("max", numbers(4, 20000), axis, programs=programs)


def test_places_of_parts_are_as_wide_as_the_length():
    """More than 2^31 elements are too many for the simulator."""
    constants = {"LARGEST": False, "TYPE": tl.float32, "HAS_REST": False, "KEPT": 1, "BLOCK": 2048}
    signature = "*fp16, *fp32, i32, i64, i32, i32, i32, fp32"
    text = reductions.reduce_kernel.compile(signature, constants).ir("tile")
    # Before the number of the part is multiplied by it.
    assert "arith.extsi %part_length : i32 to i64" in text


@pytest.mark.parametrize("axis", [0, 1])
def test_halves_are_summed_in_f32(axis):
    # 262144 of them: what is lost is that of the additions that one element goes through, each of
    # which rounds once, and of f32.
    n = 262144
    x = numbers(n, dtype=np.float16).reshape((n, 1) if axis == 0 else (1, n)) + np.float16(1)
    out = unset(1)
    for programs in (1, 64):
        reductions.sums(x, out, axis, programs=programs)
        exact = x.astype(np.float64)
        additions = n / 4096 + 64
        assert abs(out[0] - exact.sum()) <= additions * 2.0**-24 * np.abs(exact).sum()
    # A sum in f16 is not even finite.
    with np.errstate(over="ignore"):
        assert not np.isfinite(x.sum(dtype=np.float16))


def test_sums_of_doubles():
    x = numbers(300, 50, dtype=np.float64)
    for axis in (0, 1, None):
        check("sum", x, axis, 1e-12, np.float64, dtype=tl.float64, programs=40)


@pytest.mark.parametrize("kind", ["sum", "max"])
@pytest.mark.parametrize("shape", [(40003, 33), (3001, 400), (1201, 1000)])
def test_columns_of_rows_side_by_side(kind, shape):
    # 16 rows that begin anywhere are one that begins with a vector; what is left is not 16.
    assert (reductions.choose_fold(1, *shape) > 1) == (shape[1] % 16 > 0)
    check(kind, numbers(*shape, dtype=np.float16), 0, digits=1e-3 if kind == "sum" else None)


def test_special_values():
    x = numbers(6, 5000)
    x[0, 77], x[1, 8], x[2, 9] = np.nan, np.inf, -np.inf
    x[3] = -np.inf
    x[4, 3], x[4, 4000] = np.inf, -np.inf
    x[5] = -0.0
    for ours, function in KINDS.values():
        for axis in (0, 1):
            with np.errstate(invalid="ignore"):
                expected = reductions.reference(x, axis, function)
            out = unset(*expected.shape)
            out[:] = 5
            ours(x, out, axis)
            np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-3)


def test_nothing():
    for shape, axis in (((0, 5), 0), ((5, 0), 1), ((2, 0, 3), 1), ((0,), None)):
        x = unset(*shape)
        expected = np.atleast_1d(x.sum(axis=axis))
        for ours, value in zip(KINDS, (0, np.nan, -np.inf), strict=True):
            out = np.full(expected.shape, 7, np.float32)
            KINDS[ours][0](x, out, axis)
            np.testing.assert_array_equal(out, np.full_like(expected, value))
    reductions.sums(unset(0, 5), unset(0), 1)
    reductions.sums(unset(3, 0), unset(0), 0)


def test_sums_have_the_same_bits_twice():
    x = numbers(50, 20000)
    for axis in (0, 1, None):
        first, second = (unset(*np.atleast_1d(x.sum(axis=axis)).shape) for _ in range(2))
        reductions.sums(x, first, axis)
        reductions.sums(x, second, axis)
        np.testing.assert_array_equal(first, second)


def test_reductions_on(target):
    for kind in KINDS:
        for axis in (0, 1, 2, None):
            check(kind, numbers(4, 60, 33), axis, digits=1e-4, target=target, programs=64)
        check(kind, numbers(2, 20000, dtype=np.float16), 1, digits=1e-3, target=target)
        # Rows that begin anywhere, in parts and as one.
        odd = numbers(3, 20001, dtype=np.float16)
        odd[1, 12345], odd[2, 20000] = np.nan, np.inf
        check(kind, odd, 1, digits=1e-3, target=target)
        check(kind, odd[:, 77:5078].copy(), 1, digits=1e-3, target=target)


def test_rows_that_begin_anywhere_are_read_in_vectors(without_ptxas):
    # A block has several short ones, which its warps copy as one run of memory; parts of a long
    # one begin alike.
    check("max", numbers(130, 33, dtype=np.float16), 1, target="sm_90a")
    check("max", numbers(2, 9001, dtype=np.float16), 1, target="sm_90a")
    variants = [v for kernel in reductions.reduce_kernel.kernels for v in kernel.variants]
    short = [v["ptx"] for v in variants if v["bounds"] == {"length": (33, 36)}]
    assert any("cp.async.cg.shared.global" in ptx for ptx in short)
    assert any("ld.global.v4.b32" in v["ptx"] for v in variants if not v["bounds"])
