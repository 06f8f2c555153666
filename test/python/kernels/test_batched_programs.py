"""Blocks that run several programs at once: in the simulator, beside NumPy, for numbers of programs
around those of a block."""

import numpy as np
import pytest
from examples_support import as_on_gpus, assert_close, numbers, several_rows_kernel, unset

import cross_entropy
import layer_norm
import rms_norm
import softmax
import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")

# A row of 64 in blocks of 4 warps.
BLOCK, PROGRAMS = 64, 64
COUNTS = [1, 2, 3, PROGRAMS - 1, PROGRAMS, PROGRAMS + 1]


def programs_of(compiled):
    return compiled.report["programs_per_block"]


@tilewright.jit
def statistics_kernel(x, sums, places, partial, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    values = tl.load(x + row * n + columns, mask=inside, other=-float("inf"))
    tl.store(places + row, tl.argmax(values, axis=0))
    values = tl.where(inside, values, 0.0)
    tl.store(sums + row, tl.sum(values, axis=0) + tl.num_programs(0))
    tl.store(partial + row * n + columns, tl.cumsum(values, axis=0), mask=inside)


@pytest.mark.parametrize("rows", COUNTS)
@pytest.mark.parametrize("n", [1, 37, BLOCK])
def test_results_of_several_kinds(rows, n):
    x = numbers(rows, n)
    sums, places, partial = unset(rows), unset(rows, dtype=np.int32), unset(rows, n)
    compiled = statistics_kernel[(rows,)](x, sums, places, partial, n, BLOCK=BLOCK)
    assert programs_of(compiled) == PROGRAMS
    assert_close(sums, x.sum(axis=1) + rows, digits=1e-4)
    np.testing.assert_array_equal(places, x.argmax(axis=1))
    assert_close(partial, np.cumsum(x, axis=1), digits=1e-4)


@tilewright.jit
def groups_kernel(x, out, BITS: tl.constexpr):
    row = tl.program_id(0)
    i, j = tl.arange(0, 32)[:, None], tl.arange(0, 32)[None, :]
    words = tl.load(x + row * 1024 + i * 32 + j)
    for bit in tl.static_range(BITS):
        part = tl.sum((words >> bit & 1) << j, axis=1)
        tl.store(out + row * 1024 + tl.arange(0, 32) * 32 + bit, part)


@pytest.mark.parametrize(("bits", "programs"), [(8, 4), (32, 1)])
def test_programs_with_much_code_are_alone(bits, programs):
    x = np.random.default_rng(7).integers(-(2**31), 2**31, (programs + 1, 32, 32))
    x, out = as_on_gpus(x.astype(np.int32)), unset(programs + 1, 32, 32, dtype=np.int32)
    assert programs_of(groups_kernel[(len(x),)](x, out, BITS=bits)) == programs
    places = np.uint32(1) << np.arange(32, dtype=np.uint32)
    for bit in range(bits):
        ones = x.view(np.uint32) >> np.uint32(bit) & np.uint32(1)
        expected = (ones * places).sum(axis=2, dtype=np.uint32)
        np.testing.assert_array_equal(out[:, :, bit].view(np.uint32), expected)


@pytest.mark.parametrize("rows", COUNTS)
def test_softmax_of_short_rows(rows):
    x, out = numbers(rows, 50, dtype=np.float16, scale=3), unset(rows, 50, dtype=np.float16)
    x[0, ::2] = -np.inf
    x[rows // 2, 1:] = -np.inf
    softmax.softmax(x, out)
    assert_close(out, softmax.reference(x))


@pytest.mark.parametrize("programs", [1, 2, PROGRAMS, PROGRAMS + 3])
def test_rows_that_programs_loop_over(programs):
    m, n = 2 * PROGRAMS + 9, 33
    x, out = numbers(m, n), unset(m, n)
    compiled = several_rows_kernel[(programs,)](x, out, m, n, BLOCK=64)
    assert programs_of(compiled) > 1
    assert_close(out, softmax.reference(x))


def test_rows_without_numbers():
    x, out = numbers(6, 40), unset(6, 40)
    x[1] = -np.inf
    x[2, 7] = np.nan
    x[3] = np.inf
    softmax.softmax(x, out)
    assert np.isnan(out[1:4]).all()
    assert_close(out[[0, 4, 5]], softmax.reference(x[[0, 4, 5]]))


@tilewright.jit
def entropy_kernel(logits, labels, loss, n, ignored, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    label = tl.load(labels + row)
    if label == ignored:
        tl.store(loss + row, 0.0)
        return
    logits += row * n
    total = 0.0
    for start in range(0, n, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        x = tl.load(logits + columns, mask=columns < n, other=-float("inf"))
        total += tl.sum(tl.exp(x), axis=0)
    tl.store(loss + row, tl.log(total) - tl.load(logits + label))


@pytest.mark.parametrize("rows", COUNTS)
@pytest.mark.parametrize("block", [32, 64])
def test_branches_that_some_rows_take(rows, block):
    logits, loss = numbers(rows, 50), unset(rows)
    labels = np.random.default_rng(1).integers(0, 50, rows)
    labels[::3] = -100
    entropy_kernel[(rows,)](logits, labels, loss, 50, -100, BLOCK=block)
    assert_close(loss, cross_entropy.reference(logits, labels)[0], digits=1e-4)


@pytest.mark.parametrize("rows", COUNTS)
def test_masks_that_some_rows_have(rows):
    logits = numbers(rows, 50, scale=4)
    labels = np.random.default_rng(1).integers(0, 50, rows)
    labels[::3] = -100
    loss, lse = unset(rows), unset(rows)
    cross_entropy.forward(logits, labels, loss, lse, smoothing=0.1, block=32)
    for actual, expected in zip(
        (loss, lse), cross_entropy.reference(logits, labels, smoothing=0.1), strict=True
    ):
        assert_close(actual, expected, digits=1e-4)


@pytest.mark.parametrize("rows", COUNTS)
def test_what_is_read_and_written_in_place(rows):
    x, residual = numbers(rows, 61), numbers(rows, 61, seed=1)
    weight, out, before = numbers(61, seed=2), unset(rows, 61), residual.copy()
    rms_norm.rms_norm(x, out, weight, residual)
    assert_close(out, rms_norm.reference(x, weight, before))
    assert_close(residual, x + before)


@pytest.mark.parametrize("warps", [1, 2, 8])
def test_loops_that_all_rows_take(warps):
    x, weight, bias = numbers(19, 300), numbers(300, seed=1), numbers(300, seed=2)
    out, mean, rstd = unset(19, 300), unset(19), unset(19)
    layer_norm.forward(x, out, weight, bias, mean, rstd, block=128, num_warps=warps)
    expected = layer_norm.reference(x, weight, bias)
    for actual, each in zip((out, mean, rstd), expected, strict=True):
        assert_close(actual, each, digits=1e-4)


@tilewright.jit
def plane_kernel(x, out, columns, AXIS: tl.constexpr, OTHER: tl.constexpr):
    # Of a matrix of 8 x 8 tiles the transposed tiles, less their largest row sum.
    i, j = tl.program_id(AXIS), tl.program_id(OTHER)
    a, b = tl.arange(0, 8), tl.arange(0, 8)
    tile = tl.load(x + (i * 8 + a[:, None]) * columns + j * 8 + b[None, :])
    tile = tl.trans(tile) - tl.max(tl.sum(tile, axis=1), axis=0)
    flat = tl.reshape(tile, (64,))
    tl.store(out + (i * tl.num_programs(OTHER) + j) * 64 + tl.arange(0, 64), flat)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 5), (65, 2), (2, 65)])
@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (2, 1)])
def test_grids_of_several_axes(rows, columns, axes):
    x, out = numbers(rows * 8, columns * 8), unset(rows, columns, 8, 8)
    grid = [1, 1, 1]
    grid[axes[0]], grid[axes[1]] = rows, columns
    compiled = plane_kernel[tuple(grid)](x, out, columns * 8, AXIS=axes[0], OTHER=axes[1])
    assert programs_of(compiled) == PROGRAMS
    tiles = x.reshape(rows, 8, columns, 8).transpose(0, 2, 1, 3)
    most = tiles.sum(axis=3).max(axis=2)
    assert_close(out, tiles.transpose(0, 1, 3, 2) - most[:, :, None, None], digits=1e-4)


@tilewright.jit
def nested_kernel(x, starts, out, n, wanted, BLOCK: tl.constexpr):
    # Both kinds of branches and loops in each other, with what they carry.
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    start = tl.load(starts + row)
    total = 0.0
    most = -1
    for step in range(3):
        values = tl.load(x + row * n + columns, mask=columns < n, other=0.0) * (step + 1)
        part = tl.sum(values, axis=0)
        if part > 0:
            if wanted > 0:
                total += part
            else:
                total -= part
            most = step
            tl.store(x + row * n + columns, values - 1, mask=columns < n)
        elif start == 1:
            for again in range(2):
                total += tl.load(starts + again)
    tl.store(out + row * 2, total)
    tl.store(out + row * 2 + 1, most)


@pytest.mark.parametrize("rows", [1, 5, PROGRAMS + 1])
@pytest.mark.parametrize("wanted", [1, 0])
def test_branches_and_loops_in_each_other(rows, wanted):
    x = numbers(rows, 40)
    starts = np.random.default_rng(1).integers(0, 3, max(rows, 2)).astype(np.int32)
    expected, changed = np.zeros((rows, 2), np.float32), x.copy()
    expected[:, 1] = -1
    for row in range(rows):
        for step in range(3):
            values = changed[row] * (step + 1)
            if values.sum() > 0:
                expected[row, 0] += values.sum() if wanted else -values.sum()
                expected[row, 1] = step
                changed[row] = values - 1
            elif starts[row] == 1:
                expected[row, 0] += starts[0] + starts[1]
    out = unset(rows, 2)
    compiled = nested_kernel[(rows,)](x, starts, out, 40, wanted, BLOCK=BLOCK)
    assert programs_of(compiled) == PROGRAMS
    assert_close(out, expected, digits=1e-3)
    assert_close(x, changed, digits=1e-3)


@tilewright.jit
def while_kernel(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    values = tl.load(x + row * n + columns, mask=columns < n, other=0.0)
    rounds = 0
    while tl.sum(values, axis=0) > 1.0:
        values *= 0.5
        rounds += 1
    tl.store(out + row, rounds)


@pytest.mark.parametrize("rows", COUNTS)
@pytest.mark.parametrize("n", [3, 37, 64, 129, 333])
def test_programs_that_combine_nothing(rows, n):
    logits, labels = numbers(rows, n, dtype=np.float16), np.arange(rows, dtype=np.int64) % n
    labels[::5] = -100
    grad, (_, lse) = numbers(rows), cross_entropy.reference(logits, np.zeros(rows, np.int64))
    out = unset(rows, n, dtype=np.float16)
    columns = tilewright.next_power_of_2(n)
    compiled = cross_entropy.backward_kernel[(rows, 1)](
        grad, logits, labels, lse.astype(np.float32), out, n, n, n, -100, 0.0,
        HAS_SMOOTHING=False, BLOCK=columns, num_warps=2,
    )  # fmt: skip
    assert programs_of(compiled) > 1
    assert_close(out, cross_entropy.reference_backward(grad, logits, labels))
    # Where the only block of columns ends is known within a sixteenth.
    if n == 129:
        assert compiled.variants[-1]["bounds"] == {"n_classes": (129, 144)}


def check_parts_of_rows(width, **launch):
    rows, n, block = 67, 129, 64
    x, labels = numbers(rows, width, dtype=np.float16), np.arange(rows, dtype=np.int64) % n
    grad, (_, lse) = numbers(rows), cross_entropy.reference(x[:, :n], labels)
    out = unset(rows, width, dtype=np.float16)
    before = out.copy()
    compiled = cross_entropy.backward_kernel[(rows, tilewright.cdiv(n, block))](
        grad, x, labels, lse.astype(np.float32), out, width, width, n, -100, 0.0,
        HAS_SMOOTHING=False, BLOCK=block, num_warps=2, **launch,
    )  # fmt: skip
    assert programs_of(compiled) > 1
    assert_close(out[:, :n], cross_entropy.reference_backward(grad, x[:, :n], labels))
    assert compiled.variants[-1]["bounds"] == {}
    np.testing.assert_array_equal(out[:, n:], before[:, n:])


@pytest.mark.parametrize("width", [129, 130, 144])
def test_parts_of_rows_in_blocks(width):
    """Of rows that follow one another in memory, and of those of a wider matrix."""
    check_parts_of_rows(width)


def test_parts_of_rows_on(target):
    check_parts_of_rows(129, target=target)


@tilewright.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32])
@pytest.mark.parametrize("n", [1, 63, 1000, 4099])
@pytest.mark.parametrize("block", [64, 256])
def test_short_parts_of_vectors(dtype, n, block):
    x, y, out = (np.arange(n).astype(dtype), np.ones(n, dtype), unset(n, dtype=dtype))
    compiled = add_kernel[(tilewright.cdiv(n, block),)](x, y, out, n, BLOCK=block)
    assert programs_of(compiled) > 1
    np.testing.assert_array_equal(out, x + y)


def test_a_loop_that_keeps_programs_apart():
    x, out = np.abs(numbers(5, 40)), unset(5, dtype=np.int32)
    compiled = while_kernel[(5,)](x, out, 40, BLOCK=BLOCK)
    assert programs_of(compiled) == 1
    np.testing.assert_array_equal(out, np.ceil(np.log2(x.sum(axis=1))))


@tilewright.jit
def less_than_most_kernel(x, out, n, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    row = tl.program_id(0) * n
    values = tl.load(x + row + columns, mask=inside, other=-float("inf")).to(tl.float32)
    tl.store(out + row + columns, values - tl.max(values, axis=0), mask=inside)


@tilewright.jit
def double_kernel(x, out, n, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    row = tl.program_id(0) * n
    tl.store(out + row + columns, tl.load(x + row + columns, mask=inside) * 2, mask=inside)


# Rows that begin anywhere go through shared memory, which many warps have too little of.
@pytest.mark.parametrize(
    ("target", "num_warps"), [("sm_86", 16), ("sm_120a", 8), ("sm_90a", 16), ("sm_90a", 32)]
)
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_many_warps(target, num_warps, dtype):
    n, rows = 65, 40
    x, out = numbers(rows, n, dtype=dtype), unset(rows, n)
    options = {"BLOCK": 128, "num_warps": num_warps, "target": target}
    compiled = less_than_most_kernel[(rows,)](x, out, n, **options)
    assert programs_of(compiled) > 1
    assert_close(out, x.astype(np.float32) - x.astype(np.float32).max(axis=1, keepdims=True))
    doubled = unset(rows, n, dtype=dtype)
    double_kernel[(rows,)](x, doubled, n, **options)
    np.testing.assert_array_equal(doubled, x * 2)


@tilewright.jit
def add_to_one_row_kernel(x, out, n, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    values = tl.load(x + tl.program_id(0) * n + columns, mask=inside)
    tl.store(out + columns, tl.load(out + columns, mask=inside) + values, mask=inside)


def test_programs_that_store_to_the_same_places_stay_apart():
    x, out = numbers(1, 40), np.zeros(40, np.float32)
    compiled = add_to_one_row_kernel[(1,)](x, out, 40, BLOCK=BLOCK)
    assert programs_of(compiled) == 1
    np.testing.assert_array_equal(out, x[0])


def test_one_program_on_request():
    x, out = numbers(5, 40), unset(5, 40)
    sums, places = unset(5), unset(5, dtype=np.int32)
    compiled = statistics_kernel[(5,)](x, sums, places, out, 40, BLOCK=BLOCK, batch_programs=False)
    assert programs_of(compiled) == 1
    assert_close(sums, x.sum(axis=1) + 5, digits=1e-4)


def test_the_option_is_true_or_false():
    x, out = numbers(5, 40), unset(5, 40)
    with pytest.raises(TypeError, match="batch_programs is to be bool, not str"):
        softmax.softmax(x, out, batch_programs="no")
    softmax.softmax(x, out, batch_programs=None)
    assert_close(out, softmax.reference(x))


def test_batched_programs_on(target):
    rows, n = PROGRAMS + 1, 37
    x = numbers(rows, n)
    sums, places, partial = unset(rows), unset(rows, dtype=np.int32), unset(rows, n)
    statistics_kernel[(rows,)](x, sums, places, partial, n, BLOCK=BLOCK, target=target)
    assert_close(sums, x.sum(axis=1) + rows, digits=1e-4)
    np.testing.assert_array_equal(places, x.argmax(axis=1))
    assert_close(partial, np.cumsum(x, axis=1), digits=1e-4)
    half, out = numbers(rows, 200, dtype=np.float16), unset(rows, 200, dtype=np.float16)
    softmax.softmax(half, out, target=target)
    assert_close(out, softmax.reference(half))


@tilewright.jit
def choices_kernel(x, marks, out, n, rounds, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    places = row * BLOCK + tl.arange(0, 4)[:, None] * 16 + tl.arange(0, 16)[None, :]
    values = tl.load(x + places, mask=places < n, other=5).reshape((BLOCK,))
    ordered = tl.flip(values, 0)
    chosen = values
    for _ in range(rounds - 1, -1, -1):
        turned = tl.flip(chosen, 0)  # noqa: F841
    larger = tl.maximum(values.to(tl.int16), chosen)
    marked = tl.load(marks + row * BLOCK + columns)
    chosen = tl.where(marked, larger, ordered)
    if row == 1:
        whole = chosen.to(tl.float32)  # noqa: F841
    tl.store(out + row * BLOCK + columns, tl.where(marked, chosen, larger))


def test_programs_that_shared_memory_has_no_room_for():
    x = numbers(3, BLOCK, dtype=np.float64, scale=9)
    x.reshape(-1)[117:] = 5
    marks, out = x > 4, unset(3, BLOCK, dtype=np.float64)
    launch = choices_kernel[(3,)]
    compiled = launch(x, marks, out, 117, 1, BLOCK=BLOCK, num_warps=32, target="sm_120a")
    assert 1 < programs_of(compiled) < 256
    np.testing.assert_array_equal(out, np.maximum(x.astype(np.int16), x))
