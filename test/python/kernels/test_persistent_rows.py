"""Rows that blocks and clusters take one after the other: in the simulator, beside NumPy. There a
launch has a third as many blocks as programs."""

import numpy as np
import pytest
from examples_support import assert_close, numbers, unset

import cross_entropy
import layer_norm
import rms_norm
import softmax
import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")

# Of one block, and of clusters; with vectors of memory, and rows that begin anywhere.
COLUMNS = [16384, 16389, 40000, 131071]


def is_persistent(kernel):
    return any(variant["report"]["persistent"] for variant in kernel.variants)


@pytest.mark.parametrize("n", COLUMNS)
@pytest.mark.parametrize("m", [1, 2, 7])
def test_rows(target, m, n):
    x = numbers(m, n, dtype=np.float16, scale=2)
    out, block = unset(m, n, dtype=np.float16), tilewright.next_power_of_2(n)
    softmax.softmax(x, out, num_warps=16)
    assert_close(out.astype(np.float64) * n, softmax.reference(x) * n, digits=4e-2)
    weight, bias = numbers(n, dtype=np.float16, seed=1), numbers(n, dtype=np.float16, seed=2)
    mean, rstd = unset(m), unset(m)
    layer_norm.forward(x, out, weight, bias, mean, rstd, block=block, num_warps=16)
    wanted = layer_norm.reference(x, weight, bias)
    for actual, right in zip((out, mean, rstd), wanted, strict=True):
        assert_close(actual, right, digits=4e-3)


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_turns_of_blocks(monkeypatch, target, seed):
    """Who is far ahead overtakes nobody who still reads."""
    monkeypatch.setenv("TILEWRIGHT_SIM_SEED", seed)
    m, n = 10, 33024
    x, out = numbers(m, n, dtype=np.float16), unset(m, n, dtype=np.float16)
    kernel = softmax.softmax_kernel[(m,)](x, out, n, n, n, num_warps=8)
    assert is_persistent(kernel) == (target in ("sm_90a", "sm_100a", "sm_120a"))
    assert_close(out.astype(np.float64) * n, softmax.reference(x) * n, digits=4e-2)
    rms_norm.rms_norm(x, out)
    assert_close(out, rms_norm.reference(x), digits=4e-3)


LONGEST = [("sm_90a", 16), ("sm_100a", 16), ("sm_120a", 8)]


@pytest.mark.parametrize(("target", "blocks"), LONGEST)
@pytest.mark.parametrize(("n", "warps"), [(300032, 16), (300032, 4), (524287, 4)])
def test_longest(monkeypatch, target, blocks, n, warps):
    monkeypatch.setenv("TILEWRIGHT_TARGET", target)
    x, out = numbers(7, n, dtype=np.float16), unset(7, n, dtype=np.float16)
    kernel = softmax.softmax_kernel[(7,)](x, out, n, n, n, num_warps=warps)
    assert kernel.report["blocks_per_program"] == blocks
    assert is_persistent(kernel) == (blocks == 16)
    # What warps tell others goes from block to block, in vectors.
    assert all(".v4.b32" in line for line in messages(kernel)) == (blocks == 16)
    assert_close(out.astype(np.float64) * n, softmax.reference(x) * n, digits=4e-2)


def messages(kernel):
    lines = kernel.variants[-1]["ptx"].splitlines()
    return [line for line in lines if "st.async" in line] or ["none"]


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_turns_of_many_blocks(monkeypatch, seed):
    """With one sum of each row, with two, and with two of which neither waits for the other."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    monkeypatch.setenv("TILEWRIGHT_SIM_SEED", seed)
    m, n = 9, 262200
    x, out = numbers(m, n, dtype=np.float16), unset(m, n, dtype=np.float16)
    weight, bias = numbers(n, dtype=np.float16, seed=1), numbers(n, dtype=np.float16, seed=2)
    rms_norm.rms_norm(x, out, weight)
    assert_close(out, rms_norm.reference(x, weight), digits=4e-3)
    mean, rstd = unset(m), unset(m)
    layer_norm.forward(x, out, weight, bias, mean, rstd, block=524288)
    wanted = layer_norm.reference(x, weight, bias)
    for actual, right in zip((out, mean, rstd), wanted, strict=True):
        assert_close(actual, right, digits=4e-3)
    kernel = two_sums_kernel[(m,)](x, out, mean, rstd, n, BLOCK=524288)
    assert len(messages(kernel)) == 2
    wide = x.astype(np.float64)
    assert_close(mean, wide.sum(axis=1), digits=1e-2)
    assert_close(rstd, (wide**2).sum(axis=1), digits=1e-3)


@tilewright.jit
def two_sums_kernel(x, out, sums, squares, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    values = tl.load(x + row * n + columns, mask=columns < n, other=0.0).to(tl.float32)
    total = tl.sum(values, axis=0)
    tl.store(sums + row, total)
    tl.store(squares + row, tl.sum(values * values, axis=0))
    tl.store(out + row * n + columns, (values * total).to(out.dtype.element_ty), mask=columns < n)


@pytest.mark.parametrize("n", [16384, 20001])
def test_residual_in_place(target, n):
    """What a program adds to its row, others do not read ahead of it."""
    x, residual = numbers(7, n), numbers(7, n, seed=1)
    out, wide = unset(7, n), x.astype(np.float64) + residual
    rms_norm.rms_norm(x, out, residual=residual)
    assert_close(residual, wide)
    assert_close(out, rms_norm.reference(wide), digits=1e-4)


@pytest.mark.parametrize("n", [16384, 40001])
def test_labels(target, n):
    logits, labels = numbers(7, n, scale=4), np.array([0, n - 1, -100, 17, 5, 1 << 40, 3])
    loss, lse = unset(7), unset(7)
    cross_entropy.forward(logits, labels, loss, lse, block=65536, num_warps=32)
    right, sums = cross_entropy.reference(logits, labels)
    assert_close(loss, right, digits=1e-4)
    assert_close(lse, sums, digits=1e-4)


@tilewright.jit
def log_of_rows_kernel(x, out, m, n, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), m, tl.num_programs(0)):
        place = row * n + columns
        values = tl.load(x + place, mask=columns < n, other=-float("inf"))
        values -= tl.max(values, axis=0)
        tl.store(out + place, values - tl.log(tl.sum(tl.exp(values), axis=0)), mask=columns < n)


@pytest.mark.parametrize("programs", [1, 2, 5, 9])
@pytest.mark.parametrize("rows", [0, 1, 5])
def test_programs_and_rows(target, programs, rows):
    """As many, more, and fewer; none."""
    n = 20000
    x, out = numbers(5, n), unset(5, n)
    log_of_rows_kernel[(programs,)](x, out, rows, n, BLOCK=32768, num_warps=16)
    assert_close(out[:rows], softmax.reference(x[:rows], log=True), digits=1e-4)
    assert np.isnan(out[rows:]).all()


@pytest.mark.parametrize("columns", [0, 1, 16385])
def test_short_rows_of_long_tiles(target, columns):
    x, out = numbers(4, 20000), unset(4, 20000)
    kernel = softmax.softmax_kernel.fn
    kernel[(4,)](x, out, 20000, 20000, columns, BLOCK=32768, num_warps=16)
    if columns:
        right = softmax.reference(x[:, :columns])
        assert_close(out[:, :columns] * columns, right * columns, digits=1e-4)
    assert np.isnan(out[:, columns:]).all()


@tilewright.jit
def prefix_kernel(x, out, stride, n_rows, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0)):
        values = tl.load(x + row * BLOCK + columns)
        tl.store(out + row * stride + columns, values - tl.max(values, axis=0))


def test_rows_of_one_program_are_in_order(target):
    """All to the same place, where the last one stays; and each to where the next one reads."""
    n = 16384
    x, out = numbers(5, n), unset(2, n)
    prefix_kernel[(1,)](x, out, 0, 5, BLOCK=n, num_warps=16)
    assert_close(out[0], x[4] - x[4].max())
    assert np.isnan(out[1]).all()
    right = x.copy()
    for row in range(4):
        right[row + 1] = right[row] - right[row].max()
    prefix_kernel[(1,)](x, x[1:], n, 4, BLOCK=n, num_warps=16)
    assert_close(x, right)


@tilewright.jit
def read_back_kernel(x, out, level, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    values = tl.load(x + row * n + columns, mask=columns < n, other=0)
    tl.store(level + row, tl.max(values, axis=0))
    tl.debug_barrier()
    values -= tl.load(level + row)
    tl.store(out + row * n + columns, values, mask=columns < n)


@pytest.mark.parametrize("n", [16384, 50001])
def test_a_program_reads_what_it_has_written(target, n):
    x, out, level = numbers(7, n), unset(7, n), unset(7)
    read_back_kernel[(7,)](x, out, level, n, BLOCK=tilewright.next_power_of_2(n), num_warps=16)
    np.testing.assert_array_equal(level, x.max(axis=1))
    assert_close(out, x - x.max(axis=1, keepdims=True))


@tilewright.jit
def place_of_largest_kernel(x, out, places, n, BLOCK: tl.constexpr):
    row, columns = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * n + columns, mask=columns < n, other=0)
    place = tl.argmax(values, axis=0)
    tl.store(places + row, place.to(tl.int16))
    tl.store(out + row * n + columns, values - tl.max(values, axis=0), mask=columns < n)


@pytest.mark.parametrize("seed", ["1", "2"])
@pytest.mark.parametrize("dtype", [np.float16, np.int8])
def test_results_that_no_message_holds(monkeypatch, target, dtype, seed):
    """Of fewer than 4 bytes: they stay in their tile until all have read them."""
    monkeypatch.setenv("TILEWRIGHT_SIM_SEED", seed)
    n = 20000
    x = np.random.default_rng(0).integers(-3, 4, (5, n)).astype(dtype)
    x[:, 777] = 5
    out, places = unset(5, n, dtype=dtype), np.zeros(5, np.int16)
    place_of_largest_kernel[(5,)](x, out, places, n, BLOCK=32768, num_warps=16)
    assert (places == 777).all()
    np.testing.assert_array_equal(out, x - 5)


@tilewright.jit
def scaled_by_few_kernel(x, scales, out, n, BLOCK: tl.constexpr, FEW: tl.constexpr):
    row, columns = tl.program_id(0), tl.arange(0, BLOCK)
    scale = tl.max(tl.load(scales + row * FEW + tl.arange(0, FEW)), axis=0)
    values = tl.load(x + row * n + columns, mask=columns < n, other=0)
    out_of_row = values - tl.sum(values * scale, axis=0)
    tl.store(out + row * n + columns, out_of_row, mask=columns < n)


def test_results_of_some_warps_and_of_all(target):
    n = 20000
    x = np.random.default_rng(1).integers(-3, 4, (4, n)).astype(np.float32)
    scales = np.random.default_rng(2).integers(-3, 4, (4, 64)).astype(np.float32)
    out = unset(4, n)
    scaled_by_few_kernel[(4,)](x, scales, out, n, BLOCK=32768, FEW=64, num_warps=16)
    right = x - (x * scales.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True)
    np.testing.assert_array_equal(out, right)


@tilewright.jit
def centered(x, N, BLOCK: tl.constexpr):
    """Rows less their means, in place."""
    column = tl.arange(0, BLOCK)
    there = x + tl.program_id(0).to(tl.int64) * N + column
    row = tl.load(there, mask=column < N, other=0.0).to(tl.float32)
    tl.store(there, row - tl.sum(row, axis=0) / N, mask=column < N)


@pytest.mark.parametrize("seed", ["1", "2"])
@pytest.mark.parametrize("n", [20000, 40000])
def test_rows_in_place(monkeypatch, target, n, seed):
    """Threads store what they have loaded: messages are enough where blocks share a row, however
    many warps a block was asked to have."""
    monkeypatch.setenv("TILEWRIGHT_SIM_SEED", seed)
    x = numbers(7, n, dtype=np.float16)
    wanted = x - x.astype(np.float64).mean(axis=1, keepdims=True)
    kernel = centered[(7,)](x, n, BLOCK=tilewright.next_power_of_2(n), num_warps=32)
    are_shared = target in ("sm_90a", "sm_100a", "sm_120a")
    assert kernel.report["blocks_per_program"] == (n // 16384 * 2 if are_shared else 1)
    assert (messages(kernel) != ["none"]) == are_shared
    assert_close(x, wanted, digits=4e-3)
