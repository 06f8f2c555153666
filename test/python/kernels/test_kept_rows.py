"""Rows that loops read again, kept in registers: in the simulator, beside NumPy, for rows of no
part, one, several and too many, and for arrays that share memory."""

import numpy as np
import pytest
from examples_support import assert_close, numbers, softmax_of, unset

import cross_entropy
import layer_norm
import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")

BLOCK = 64
# Around the ends of parts; the last ones have more than are written out, and more than are kept.
LENGTHS = [1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 5 * BLOCK - 7, 16 * BLOCK, 17 * BLOCK + 3]


@tilewright.jit
def softmax_kernel(x, out, x_stride, out_stride, n, BLOCK: tl.constexpr):
    """Online: a loop over the row for its largest number and the sum, and one for the result."""
    x += tl.program_id(0) * x_stride
    out += tl.program_id(0) * out_stride
    most = -float("inf")
    total = 0.0
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        value = tl.load(x + columns, mask=columns < n, other=-float("inf")).to(tl.float32)
        next_most = tl.maximum(most, tl.max(value, axis=0))
        total = total * tl.exp(most - next_most) + tl.sum(tl.exp(value - next_most), axis=0)
        most = next_most
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        value = tl.load(x + columns, mask=columns < n, other=0.0).to(tl.float32)
        result = tl.exp(value - most) / total
        tl.store(out + columns, result.to(out.dtype.element_ty), mask=columns < n)


def softmax(x, out, **launch):
    n = x.shape[1]
    strides = (each.strides[0] // each.itemsize for each in (x, out))
    return softmax_kernel[(len(x),)](x, out, *strides, n, BLOCK=BLOCK, **launch)


def trips_of(compiled):
    return [variant["trips"] for variant in compiled.variants]


@pytest.mark.parametrize("batch_programs", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("n", LENGTHS)
def test_softmax(n, dtype, batch_programs):
    x, out = numbers(7, n, dtype=dtype, scale=3), unset(7, n, dtype=dtype)
    compiled = softmax(x, out, batch_programs=batch_programs)
    assert_close(out, softmax_of(x))
    trips = -(-n // BLOCK)
    # A launch with a 1 is a kernel of its own, in which it is a constant.
    assert trips_of(compiled)[-1] == ({"n": trips} if n > 1 and trips <= 16 else {})
    programs = compiled.variants[-1]["report"]["programs_per_block"]
    assert (programs > 1) == batch_programs


@pytest.mark.parametrize("n", [2 * BLOCK, 5 * BLOCK - 7, 17 * BLOCK + 3])
def test_softmax_of_parts_far_apart(n):
    """The largest number of one part is too small or too large for the exponentials of another."""
    x, out = numbers(6, n, dtype=np.float16, scale=3), unset(6, n, dtype=np.float16)
    parts = np.arange(n) // BLOCK
    for row, offsets in enumerate(([0, 300], [300, 0], [-300, 0], [0, -300], [300, 0, -300])):
        x[row] += np.array(offsets, np.float16)[parts % len(offsets)]
    softmax(x, out)
    assert_close(out, softmax_of(x))


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_layer_norm(n, dtype):
    x = numbers(3, n, dtype=dtype) + dtype(1)
    weight, bias = numbers(n, dtype=dtype, seed=1), numbers(n, dtype=dtype, seed=2)
    out, mean, rstd = unset(3, n, dtype=dtype), unset(3), unset(3)
    layer_norm.forward(x, out, weight, bias, mean, rstd, block=BLOCK)
    expected, expected_mean, expected_rstd = layer_norm.reference(x, weight, bias)
    assert_close(out, expected, digits=8e-3 if dtype == np.float16 else 1e-4)
    assert_close(mean, expected_mean, digits=1e-5)
    assert_close(rstd, expected_rstd, digits=1e-4)


@pytest.mark.parametrize("n", [BLOCK, 4 * BLOCK - 3])
def test_on(target, n):
    x, out = numbers(2, n, dtype=np.float16), unset(2, n, dtype=np.float16)
    softmax(x, out, target=target)
    assert_close(out, softmax_of(x))
    weight, bias, mean, rstd = numbers(n, seed=1), numbers(n, seed=2), unset(2), unset(2)
    layer_norm.forward(x, out, weight, bias, mean, rstd, block=BLOCK, target=target)
    assert_close(out, layer_norm.reference(x, weight, bias)[0], digits=8e-3)
    logits, labels = numbers(3, n), np.array([n - 1, -100, 0])
    loss, lse = unset(3), unset(3)
    cross_entropy.forward(logits, labels, loss, lse, block=BLOCK, target=target)
    assert_close(loss, cross_entropy.reference(logits, labels)[0])


def test_rows_without_numbers():
    for n in (50, 200):
        x = numbers(5, n)
        x[1] = -np.inf
        x[2, 7] = np.nan
        x[3, -1] = np.inf
        x[4, ::2] = -np.inf
        out = unset(5, n)
        softmax(x, out)
        assert np.isnan(out[1:4]).all()
        assert_close(out[[0, 4]], softmax_of(x[[0, 4]]))


def test_rows_of_no_elements():
    out, mean, rstd = unset(3, 8), unset(3), unset(3)
    x, weight = numbers(3, 8), numbers(8)
    arguments = (x, out, weight, weight, mean, rstd, 8, 8, 0, 1e-5)
    compiled = layer_norm.forward_kernel[(3,)](*arguments, BLOCK=BLOCK)
    assert np.isnan(out).all()
    assert trips_of(compiled)[-1] == {}


@pytest.mark.parametrize("n", [BLOCK - 1, 3 * BLOCK + 5])
def test_in_place(n):
    x = numbers(3, n)
    expected = softmax_of(x)
    softmax(x, x)
    assert_close(x, expected)
    x, weight, bias, mean, rstd = (
        numbers(3, n),
        numbers(n, seed=1),
        numbers(n, seed=2),
        *unset(2, 3),
    )
    expected = layer_norm.reference(x, weight, bias)[0]
    layer_norm.forward(x, x, weight, bias, mean, rstd, block=BLOCK)
    assert_close(x, expected, digits=1e-4)


@tilewright.jit
def shifted_kernel(x, out, n, BLOCK: tl.constexpr):
    """What a loop stores the next one may load."""
    total = 0.0
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(x + columns, mask=columns < n, other=0.0), axis=0)
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        value = tl.load(x + columns, mask=columns < n, other=0.0)
        tl.debug_barrier()
        tl.store(out + columns, value + total, mask=columns < n)


@pytest.mark.parametrize("shift", [0, 1, BLOCK, 2 * BLOCK + 1, 1000])
@pytest.mark.parametrize("n", [BLOCK, 3 * BLOCK - 1])
def test_arrays_that_share_memory(n, shift):
    """By one program, whose trips follow one another."""
    memory = numbers(n + shift)
    x, out = memory[:n], memory[shift:]
    expected = memory.copy()
    total = x.sum(dtype=np.float64)
    for start in range(0, n, BLOCK):
        end = min(start + BLOCK, n)
        expected[shift + start : shift + end] = expected[start:end] + np.float32(total)
    shifted_kernel[(1,)](x, out, n, BLOCK=BLOCK)
    assert_close(memory, expected, digits=1e-4)


@tilewright.jit
def written_between_kernel(x, n, BLOCK: tl.constexpr):
    """The second loop loads what the first one has stored, and the third what the second has."""
    total = 0.0
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        value = tl.load(x + columns, mask=columns < n, other=0.0)
        total += tl.sum(value, axis=0)
        tl.store(x + columns, value * 2.0, mask=columns < n)
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        value = tl.load(x + columns, mask=columns < n, other=0.0)
        tl.store(x + columns, value + total, mask=columns < n)
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        value = tl.load(x + columns, mask=columns < n, other=0.0)
        tl.store(x + columns, value * value, mask=columns < n)


@pytest.mark.parametrize("n", LENGTHS)
def test_what_is_written_between(n):
    x = numbers(n)
    expected = (2 * x.astype(np.float64) + x.sum(dtype=np.float64)) ** 2
    written_between_kernel[(1,)](x, n, BLOCK=BLOCK)
    assert_close(x, expected, digits=1e-3)


@tilewright.jit
def mask_kernel(x, out, n, k, BLOCK: tl.constexpr):
    """The same elements under other masks, with other numbers for those outside."""
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    whole = tl.load(x + columns, mask=inside, other=-1.0)
    part = tl.load(x + columns, mask=inside & (columns >= k), other=7.0)
    other = tl.load(x + columns, mask=columns < k, other=3.0)
    again = tl.load(x + columns, mask=inside)
    tl.store(out + columns, tl.sum(whole, axis=0) + part)
    tl.store(out + BLOCK + columns, other + again)


@pytest.mark.parametrize(("n", "k"), [(BLOCK, 0), (BLOCK, BLOCK), (40, 50), (40, 17), (0, 3)])
def test_masks(n, k):
    x, out = numbers(BLOCK), unset(2, BLOCK)
    mask_kernel[(1,)](x, out, n, k, BLOCK=BLOCK)
    places = np.arange(BLOCK)
    total = np.where(places < n, x, -1).sum(dtype=np.float64)
    assert_close(out[0], total + np.where((places < n) & (places >= k), x, 7), digits=1e-4)
    expected = np.where(places < k, x, 3) + np.where(places < n, x, 0)
    assert_close(out[1], expected, digits=1e-4)
