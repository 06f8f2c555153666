"""Rows that several blocks take, and rows that begin anywhere: in the simulator, beside NumPy."""

import re

import numpy as np
import pytest
from examples_support import assert_close, numbers, several_rows_kernel, unset

import cross_entropy
import layer_norm
import rms_norm
import softmax
import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")

CLUSTERS = {"sm_90a": 16, "sm_100a": 16, "sm_120a": 8}
# Of one block, of clusters of 4 and 8; few elements behind a power of two, and before one.
LONG = [16384, 16385, 50257, 131072]
# Each remainder of a vector of f16, and rows that begin with one though they end in none.
ODD = [4089, 4092, 4094, 4095]


@pytest.mark.parametrize("warps", [4, 8, 16])
def test_blocks_of_a_program(target, warps):
    for n in LONG:
        x, out = numbers(2, n, dtype=np.float16), unset(2, n, dtype=np.float16)
        compiled = softmax.softmax_kernel[(2,)](x, out, n, n, n, num_warps=warps)
        elements = tilewright.next_power_of_2(n)
        of_block = min(max(warps * 32 * 64, 8192), 32768)
        blocks = max(min(max(elements // of_block, 2), 8), elements // 32768)
        wanted = 1 if elements <= 16384 else min(blocks, CLUSTERS.get(target, 1))
        assert compiled.report["blocks_per_program"] == wanted
        assert_close(out.astype(np.float64) * n, softmax.reference(x) * n, digits=4e-2)


def test_shared_memory_of_the_report(target):
    """What a launch needs in all: of tiles, of mbarriers where blocks meet, of slots."""
    x, weight = numbers(16, 50257, dtype=np.float16), numbers(50257, dtype=np.float16)
    out, mean, rstd = unset(16, 50257, dtype=np.float16), unset(16), unset(16)
    kernel = layer_norm.forward_kernel[(16,)](
        x, out, weight, weight, mean, rstd, 50257, 50257, 50257, 1e-5, BLOCK=65536, num_warps=4
    )
    variant = kernel.variants[-1]
    of_code = 0
    for align, size in re.findall(
        r"\.shared \.align (\d+) \.(?:u64 \S+|b8 [^\[]+\[(\d+)\]);", variant["ptx"]
    ):
        of_code = -(-of_code // int(align)) * int(align) + int(size or 8)
    if target in CLUSTERS:
        assert variant["ptx"].count(".shared .align 8 .u64") == 3
    of_launch = variant["report"]["shared_bytes"] - of_code
    if "$slots[]" in variant["ptx"]:
        assert of_launch > 0 and (of_launch - -of_code % 16) % (16 * 128) == 0
    elif ".extern .shared" not in variant["ptx"]:
        assert of_launch == 0


@pytest.mark.parametrize("n", LONG)
def test_norms(target, n):
    x, weight, bias = numbers(3, n), numbers(n, seed=1), numbers(n, seed=2)
    out = unset(3, n)
    rms_norm.rms_norm(x, out, weight)
    squares = (x.astype(np.float64) ** 2).mean(axis=1, keepdims=True)
    assert_close(out, x / np.sqrt(squares + 1e-6) * weight)
    mean, rstd = unset(3), unset(3)
    block = tilewright.next_power_of_2(n)
    layer_norm.forward(x, out, weight, bias, mean, rstd, block=block)
    wanted = layer_norm.reference(x, weight, bias)
    for actual, right in zip((out, mean, rstd), wanted, strict=True):
        assert_close(actual, right, digits=1e-4)


@tilewright.jit
def statistics_kernel(x, highest, places, sums, counts, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    values = tl.load(x + row * n + columns, mask=inside, other=-float("inf"))
    tl.store(highest + row, tl.max(values, axis=0))
    tl.store(places + row, tl.argmax(values, axis=0))
    values = tl.where(inside & (columns % 3 != 1), values, 0)
    tl.store(sums + row, tl.sum(values.to(tl.float64), axis=0) + tl.num_programs(0))
    tl.store(counts + row, tl.sum((values > 0).to(tl.int16), axis=0))


@pytest.mark.parametrize("n", [4095, 40000, 65535])
def test_results_of_several_kinds(target, n):
    x = numbers(5, n)
    x[1] = -np.inf
    x[2, n - 1] = 1e6
    x[3, 5] = np.inf
    highest, places, sums = unset(5), unset(5, dtype=np.int32), unset(5, dtype=np.float64)
    counts = unset(5, dtype=np.int16)
    block = tilewright.next_power_of_2(n)
    statistics_kernel[(5,)](x, highest, places, sums, counts, n, BLOCK=block)
    np.testing.assert_array_equal(highest, x.max(axis=1))
    np.testing.assert_array_equal(places, x.argmax(axis=1))
    chosen = np.where(np.arange(n) % 3 != 1, x, 0).astype(np.float64)
    assert_close(sums, chosen.sum(axis=1) + 5, digits=1e-9)
    np.testing.assert_array_equal(counts, (chosen > 0).sum(axis=1).astype(np.int16))


@pytest.mark.parametrize("n", ODD)
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_rows_that_begin_anywhere(target, dtype, n):
    x, out = numbers(4, n, dtype=dtype, scale=3), unset(4, n, dtype=dtype)
    x[1, ::2] = -np.inf
    x[2, n - 1] = np.nan
    softmax.softmax(x, out, num_warps=4)
    assert np.isnan(out[2]).all()
    rest = [0, 1, 3]
    assert_close(out[rest], softmax.reference(x[rest]))


@pytest.mark.parametrize("start", range(9))
def test_arrays_that_begin_anywhere(start):
    memory, result = numbers(4200, dtype=np.float16), unset(3, 4111, dtype=np.float16)
    x = memory[start : start + 4097].reshape(1, 4097)
    out = result[:, 14 - start :][:1, :4097]
    rms_norm.rms_norm(x, out, num_warps=4)
    squares = (x.astype(np.float64) ** 2).mean()
    assert_close(out, x / np.sqrt(squares + 1e-6))
    # And nothing beside it is written.
    assert np.isnan(result[0, : 14 - start]).all()
    assert np.isnan(result[0, 14 - start + 4097 :]).all()
    assert np.isnan(result[1:]).all()


@pytest.mark.parametrize("start", [0, 1, 2, 3, 7])
@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32, np.float64])
def test_weights_of_rows_that_begin_anywhere(target, dtype, start):
    """Vectors of theirs are put together of two, up to the ends of what may be read."""
    n = 4099
    x = np.ones(5 * n + 16, dtype)[start : start + 3 * n].reshape(3, n)
    weight = (numbers(n) * 20).astype(dtype)
    out, sums = np.zeros((3, n), dtype), unset(3)
    weighted_kernel[(3,)](x, weight, out, sums, n, BLOCK=8192)
    np.testing.assert_array_equal(out, np.broadcast_to(weight, (3, n)))
    assert_close(sums, np.full(3, weight.astype(np.float64).sum()), digits=1e-3)


@tilewright.jit
def weighted_kernel(x, weight, out, sums, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    values = tl.load(x + row * n + columns, mask=inside, other=0)
    weights = tl.load(weight + columns, mask=inside, other=0)
    result = values * weights
    tl.store(out + row * n + columns, result, mask=inside)
    tl.store(sums + row, tl.sum(result.to(tl.float32), axis=0))


@tilewright.jit
def parts_kernel(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * n + columns, mask=columns < n, other=0.0)
    level = tl.sum(total, axis=0)
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        values = tl.load(x + row * n + columns, mask=columns < n, other=0.0)
        tl.store(out + row * n + columns, values + level * (columns % 8), mask=columns < n)


@pytest.mark.parametrize("n", [1, 2047, 2049, 70001])
@pytest.mark.parametrize("block", [2048, 65536])
def test_loops_along_rows(target, n, block):
    x = np.round(numbers(3, n, scale=4))
    out = unset(3, n)
    parts_kernel[(3,)](x, out, n, BLOCK=block)
    right = x + x.sum(axis=1, keepdims=True) * (np.arange(n, dtype=np.float32) % 8)
    np.testing.assert_array_equal(out, right)


def test_rows_in_place(target):
    for n in (4095, 40001):
        x = numbers(3, n, scale=2)
        right = softmax.reference(x)
        softmax.softmax(x, x)
        assert_close(x.astype(np.float64) * n, right * n, digits=1e-4)


def test_few_programs_for_many_rows(target):
    for n in (4095, 33000):
        x, out = numbers(5, n), unset(5, n)
        several_rows_kernel[(2,)](x, out, 5, n, BLOCK=tilewright.next_power_of_2(n))
        assert_close(out.astype(np.float64) * n, softmax.reference(x) * n, digits=1e-4)


def test_a_program_that_has_its_block_for_itself(target):
    x, out = numbers(2, 20000), unset(2, 20000)
    compiled = softmax.softmax_kernel[(2,)](
        x, out, 20000, 20000, 20000, num_warps=32, batch_programs=False
    )
    assert compiled.report["blocks_per_program"] == 1
    assert_close(out.astype(np.float64) * 20000, softmax.reference(x) * 20000, digits=1e-4)


def test_labels_of_long_rows(target):
    n = 40009
    logits = numbers(4, n, scale=4)
    labels = np.array([0, n - 1, -100, 17])
    loss, lse = unset(4), unset(4)
    cross_entropy.forward(logits, labels, loss, lse, smoothing=0.1, block=65536)
    wide = logits.astype(np.float64)
    right = np.log(np.exp(wide - wide.max(axis=1, keepdims=True)).sum(axis=1)) + wide.max(axis=1)
    picked = 0.9 * wide[np.arange(4), labels.clip(0)] + 0.1 * wide.mean(axis=1)
    assert_close(loss, np.where(labels == -100, 0, right - picked), digits=1e-4)


@tilewright.jit
def halves_kernel(x, out, n, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    values = tl.load(x + columns, mask=columns < n, other=0)
    tl.store(out, tl.reduce(values, 0, add_halves))


@tilewright.jit
def add_halves(a, b):
    return a + b


def test_results_that_are_too_short_to_be_counted(target):
    """Of 2 bytes: they are exchanged behind a barrier of the cluster."""
    x, out = np.ones(40000, np.float16), unset(1, dtype=np.float16)
    x[1500:] = 0
    halves_kernel[(1,)](x, out, 40000, BLOCK=65536)
    assert out[0] == 1500


@tilewright.jit
def running_kernel(x, mean, copies, last, n, BLOCK: tl.constexpr):
    """What is in global memory in front of a reduction, and behind it."""
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    old = tl.load(mean + row)
    values = tl.load(x + row * n + columns, mask=inside, other=0.0)
    total = tl.sum(values, axis=0)
    tl.store(mean + row, old * 0.5 + total)
    tl.store(copies + row * n + columns, values + total, mask=inside)
    squares = tl.sum(values * values, axis=0)
    turned = tl.load(copies + row * n + n - 1 - columns, mask=inside, other=0.0)
    tl.store(last + row * n + columns, turned + squares, mask=inside)
    tl.store(mean + row, tl.load(mean + row) + tl.max(values, axis=0))


@pytest.mark.parametrize("n", [4095, 40000, 40001])
def test_memory_that_is_written_and_read_around_reductions(target, n):
    x, mean = np.round(numbers(3, n, scale=2)), np.arange(3, dtype=np.float32)
    copies, last = unset(3, n), unset(3, n)
    total, squares = x.sum(axis=1), (x * x).sum(axis=1)
    right = mean * 0.5 + total + x.max(axis=1)
    block = tilewright.next_power_of_2(n)
    running_kernel[(3,)](x, mean, copies, last, n, BLOCK=block)
    np.testing.assert_array_equal(mean, right)
    np.testing.assert_array_equal(copies, x + total[:, None])
    np.testing.assert_array_equal(last, copies[:, ::-1] + squares[:, None])


@tilewright.jit
def turn_kernel(x, n, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    values = tl.load(x + n - 1 - columns, mask=inside, other=0.0)
    tl.store(x + columns, values + tl.sum(values, axis=0), mask=inside)


@pytest.mark.parametrize("n", [40000, 131071])
def test_rows_that_are_turned_in_place(target, n):
    x = np.round(numbers(n, scale=2))
    right = x[::-1] + x.sum()
    turn_kernel[(1,)](x, n, BLOCK=tilewright.next_power_of_2(n))
    np.testing.assert_array_equal(x, right)


@tilewright.jit
def mixed_kernel(a, b, c, out, n, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    values = tl.load(a + columns, mask=inside, other=0).to(tl.float32)
    values += tl.load(b + columns, mask=inside, other=0.0)
    values += tl.load(c + columns, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + columns, (values + tl.sum(values, axis=0)).to(tl.float64), mask=inside)


def test_elements_of_several_sizes(target):
    """They would change threads by shared tiles of the whole row: one block has them."""
    n = 33333
    a, b, c = np.arange(n).astype(np.int8), np.ones(n, np.float32), np.full(n, 2, np.float16)
    out = unset(n, dtype=np.float64)
    compiled = mixed_kernel[(1,)](a, b, c, out, n, BLOCK=65536, num_warps=32)
    assert compiled.report["blocks_per_program"] == 1
    right = a + 3.0
    np.testing.assert_array_equal(out, right + right.sum())


def test_results_are_exchanged_without_a_fence(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    x, out = numbers(2, 40000, dtype=np.float16), unset(2, 40000, dtype=np.float16)
    compiled = softmax.softmax_kernel[(2,)](x, out, 40000, 40000, 40000, num_warps=8)
    assert compiled.ptx.count("st.async") == 2


def test_results_are_exchanged_with_one_where_memory_is_ordered_too(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    x = numbers(40000)
    compiled = turn_kernel[(1,)](x, 40000, BLOCK=65536)
    assert "barrier.cluster.arrive.aligned" in compiled.ptx
    assert "st.async" not in compiled.ptx


@tilewright.jit
def linked_parts_kernel(x, following, out, n, BLOCK: tl.constexpr):
    """The sum of the parts of a row, each of which says where the next one is."""
    columns = tl.arange(0, BLOCK)
    part, total = 0, 0.0
    for start in range(0, n, BLOCK):
        place = part * BLOCK + columns
        total += tl.sum(tl.load(x + place, mask=start + columns < n, other=0.0), axis=0)
        part = tl.load(following + part)
    tl.store(out, total)


def test_parts_found_by_what_the_loop_carries(target):
    x, following, out = numbers(4, 1024), np.array([2, 3, 1, 0], np.int32), unset(1)
    n = 4 * 1024 - 5
    linked_parts_kernel[(1,)](x, following, out, n, BLOCK=1024)
    assert_close(out, np.array([x[[0, 2, 1]].sum() + x[3, :-5].sum()]), digits=1e-3)


@tilewright.jit
def total_kernel(x, out, n, BLOCK: tl.constexpr):
    """0.0 and the parts of a row, of which there may be one."""
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        total += tl.load(x + tl.program_id(0) * n + columns, mask=columns < n, other=-0.0)
    tl.store(out + tl.program_id(0), tl.sum(total, axis=0))


@pytest.mark.parametrize("n", [100, 1024, 1025, 33001])
def test_signs_of_sums(target, n):
    """-0.0 is no sum of what 0.0 was added to."""
    x, out = np.full((4, n), -0.0, np.float32), unset(4)
    x[1, n // 2] = 0.0
    x[2, 0], x[2, n - 1] = 3, -3
    x[3, n - 1] = -1e-40
    total_kernel[(4,)](x, out, n, BLOCK=tilewright.next_power_of_2(n))
    np.testing.assert_array_equal(out, x.sum(axis=1))
    assert list(np.signbit(out)) == [False, False, False, True]
