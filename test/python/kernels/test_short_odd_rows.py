"""Short rows that begin anywhere, several in a block: in the simulator, beside NumPy."""

import numpy as np
import pytest
from examples_support import assert_close, compile_again, place

import cross_entropy
import layer_norm
import rms_norm
import softmax
import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")

# On both sides of tiles, and of parts of them.
LENGTHS = [1, 2, 3, 5, 7, 9, 14, 17, 22, 31, 33, 34, 47, 65, 66, 127, 129, 203, 333, 511]


def count_rows(n):
    """More than a block of two warps has, so that some warps have all of their rows."""
    return max(70, 2200 // n) if n < 100 else 19


def rows_of(n, dtype, behind, rows=None):
    rows = rows or count_rows(n)
    values = np.random.default_rng(n).standard_normal((rows, n)) * 3
    return place(values.astype(dtype), behind)[1]


def result_of(x, behind):
    """As many rows between NaNs, and the room that they are in."""
    return place(np.full(x.shape, np.nan, x.dtype), behind)


def assert_alone(room, out):
    """Nothing beside the result was written."""
    assert not np.isnan(out).any() and np.isnan(room).sum() == room.size - out.size


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("n", LENGTHS)
def test_softmax(n, dtype, target):
    x = rows_of(n, dtype, n % 8)
    room, out = result_of(x, (n + 3) % 8)
    softmax.softmax(x, out, num_warps=1 + n % 2)
    assert_close(out, softmax.reference(x))
    assert_alone(room, out)


@pytest.mark.parametrize("behind", range(8))
def test_all_ways_to_begin(monkeypatch, behind):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    for n in (65, 331):
        x = rows_of(n, np.float16, behind)
        room, out = result_of(x, (3 * behind + 1) % 8)
        softmax.softmax(x, out, num_warps=2)
        assert_close(out, softmax.reference(x))
        assert_alone(room, out)


@pytest.mark.parametrize("n", LENGTHS)
def test_norms(n, target):
    x = rows_of(n, np.float16, n % 8)
    weight, bias = rows_of(n, np.float16, 0, rows=2)
    room, out = result_of(x, (n + 5) % 8)
    rms_norm.rms_norm(x, out, weight, num_warps=2)
    assert_close(out, rms_norm.reference(x, weight), digits=4e-3)
    assert_alone(room, out)
    mean, rstd = (np.empty(len(x), np.float32) for _ in range(2))
    layer_norm.forward(x, out, weight, bias, mean, rstd, block=512, num_warps=2)
    wanted = layer_norm.reference(x, weight, bias)
    for result, right in zip((out, mean, rstd), wanted, strict=True):
        np.testing.assert_allclose(result, right, rtol=4e-3, atol=8e-3)
    assert_alone(room, out)


@pytest.mark.parametrize("n", [65, 333])
def test_gradients(n, target):
    x, grad = rows_of(n, np.float16, 1), rows_of(n, np.float16, 6)
    weight = rows_of(n, np.float16, 0, rows=1)[0]
    sums = np.full(n, np.nan, np.float32)
    room, x_grad = result_of(x, 3)
    rms_norm.backward(grad, x, x_grad, weight, sums, num_warps=4, programs=2, rows=4)
    wanted = rms_norm.reference_backward(grad, x, weight)
    for result, right in zip((x_grad, sums), wanted, strict=True):
        np.testing.assert_allclose(result, right, rtol=1e-2, atol=1e-2)
    assert_alone(room, x_grad)


@pytest.mark.parametrize("n", [3, 22, 33, 66, 333])
def test_losses(n, target):
    x = rows_of(n, np.float16, 5)
    labels = np.arange(len(x)) * 7 % n
    loss, lse = (np.empty(len(x), np.float32) for _ in range(2))
    cross_entropy.forward(x, labels, loss, lse, block=512, num_warps=2)
    wide = x.astype(np.float64)
    right = np.log(np.exp(wide).sum(axis=1))
    np.testing.assert_allclose(lse, right, rtol=1e-4)
    np.testing.assert_allclose(loss, right - wide[np.arange(len(x)), labels], rtol=1e-4, atol=1e-4)


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("n", [5, 22, 33, 65, 66, 333])
def test_special_numbers_stay_in_their_rows(n, target):
    x = rows_of(n, np.float16, 7)
    out = result_of(x, 2)[1]
    x[1], x[3, n - 1], x[5] = np.nan, np.inf, -np.inf
    x[7, 0] = -np.inf
    softmax.softmax(x, out, num_warps=1)
    plain = [row for row in range(len(x)) if row not in (1, 3, 5)]
    assert_close(out[plain], softmax.reference(x)[plain])
    assert all(np.isnan(out[row]).any() for row in (1, 3, 5))


@tilewright.jit
def distances_kernel(x, out, x_stride, out_stride, n, BLOCK: tl.constexpr):
    """Of bytes, from the largest one of the row."""
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    values = tl.load(x + row * x_stride + columns, mask=columns < n, other=-128).to(tl.int32)
    result = tl.max(values, axis=0) - values
    tl.store(out + row * out_stride + columns, result.to(tl.uint8), mask=columns < n)


@pytest.mark.parametrize("n", [7, 22, 33, 65, 255, 511])
def test_bytes(n, target):
    rows = count_rows(n)
    random = np.random.default_rng(n)
    for behind in (0, 1, 7, 15):
        room = np.full(rows * n + 64, 0x5A, np.uint8)
        first = -room.ctypes.data % 64 + behind
        out = room[first : first + rows * n].reshape(rows, n)
        x = np.zeros(rows * n + 64, np.int8)[16 - behind :][: rows * n].reshape(rows, n)
        x[:] = random.integers(-128, 128, x.shape)
        block = tilewright.next_power_of_2(n)
        compiled = distances_kernel[(rows,)](x, out, n, n, n, BLOCK=block, num_warps=2)
        wide = x.astype(np.int32)
        np.testing.assert_array_equal(out, wide.max(axis=1, keepdims=True) - wide)
        assert (room[:first] == 0x5A).all() and (room[first + rows * n :] == 0x5A).all()
        assert "vote.sync.all" in compiled.variants[-1]["ptx"]


def test_rows_in_place(target):
    for n in (33, 34, 333):
        x = rows_of(n, np.float16, 3)
        right = softmax.reference(x)
        softmax.softmax(x, x, num_warps=2)
        assert_close(x, right)


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("stride", [333, 334, 340])
def test_rows_apart(monkeypatch, rows, stride):
    """Of a wider matrix, whose other columns are not touched."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    both = rows_of(stride, np.float16, 1, rows)
    x = both[:, :333]
    room = np.full((rows, stride), np.nan, np.float16)
    out = room[:, :333]
    softmax.softmax(x, out, num_warps=2)
    assert_close(out, softmax.reference(x))
    assert_alone(room, out)


def test_lengths_of_a_part_share_code(monkeypatch):
    """As many variants as a tile has parts, and none for rows of vectors."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    x = np.zeros((4, 512), np.float16)
    bounds = []
    for n in (321, 333, 351, 353, 344):
        rows = np.ascontiguousarray(x[:, :n])
        compiled = softmax.softmax_kernel[(4,)](
            rows, np.empty_like(rows), n, n, n, num_warps=2, BLOCK=512
        )  # fmt: skip
        bounds.append(compiled.variants[-1].get("bounds"))
    part = {"n_columns": (321, 352)}
    assert bounds[:3] == [part] * 3
    assert bounds[3] == {"n_columns": (353, 384)}
    assert not bounds[4]


@pytest.mark.parametrize(
    ("n", "part"), [(2, (2, 2)), (3, (3, 3)), (4, None), (7, (7, 7)), (22, (21, 22)), (24, None)]
)
def test_tiles_of_a_few_columns_have_parts(monkeypatch, n, part):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    x = rows_of(n, np.float16, 0)
    compiled = softmax.softmax_kernel[(len(x),)](x, np.empty_like(x), n, n, n, num_warps=2)
    assert compiled.variants[-1]["bounds"] == ({"n_columns": part} if part else {})


@pytest.mark.parametrize(
    ("n", "weights", "bias", "is_run"),
    [
        (33, True, True, True),
        (34, True, True, True),
        # Vectors of four, of which some leave much of their tile.
        (36, True, True, True),
        (44, False, False, True),
        (52, True, True, False),
        (76, True, True, True),
        (84, True, True, False),
        (65, True, True, True),
        (66, False, False, True),
        (130, False, False, False),
        (127, True, True, True),
        (333, True, True, True),
        (1023, True, True, True),
        (1022, True, True, False),
        (333, True, False, True),
        (127, False, False, True),
        (332, False, False, False),
    ],
)
def test_which_rows_are_runs(monkeypatch, n, weights, bias, is_run):
    """Those of elements that lanes move alone, and short ones of two at a time."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    kernel = compile_again(monkeypatch, layer_norm, "forward_kernel")
    x, (weight, other) = rows_of(n, np.float16, 0), rows_of(n, np.float16, 0, rows=2)
    out, mean, rstd = np.empty_like(x), np.empty(len(x), np.float32), np.empty(len(x), np.float32)
    parts = [weight if weights else None, other if bias else None]
    block = tilewright.next_power_of_2(n)
    layer_norm.forward(x, out, *parts, mean, rstd, block=block, num_warps=2)
    assert ("vote.sync.all" in kernel.kernels[-1].variants[-1]["ptx"]) == is_run
    np.testing.assert_allclose(out, layer_norm.reference(x, *parts)[0], rtol=4e-3, atol=8e-3)


@pytest.mark.parametrize("dtype", [np.int8, np.float32])
def test_rows_of_a_block(monkeypatch, dtype):
    """As many as lanes have registers for, where these move single elements of less than a word."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    programs = {}
    for n in (33, 34, 36, 63, 65, 72, 127, 129, 203, 333, 511, 777, 1000, 1023):
        x = np.zeros((4, n), dtype)
        block = tilewright.next_power_of_2(n)
        compiled = softmax.softmax_kernel.fn[(4,)](
            x, np.empty_like(x, np.float32), n, n, n, num_warps=1, BLOCK=block
        )  # fmt: skip
        programs[n] = compiled.variants[-1]["report"]["programs_per_block"]
    of_tile = {n: min(1024 // tilewright.next_power_of_2(n), 16) for n in programs}
    single = {33: 32, 34: 32, 63: 32, 65: 32, 127: 16, 129: 16, 203: 8, 333: 4, 777: 2, 1023: 2}
    # Words fill no more of a lane than vectors do, but little more than half of some tiles, as
    # vectors of bytes do.
    assert programs == of_tile | (single | {36: 32} if dtype == np.int8 else {65: 16, 129: 8})


def test_weights_leave_registers_for_fewer_rows(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    kernel = compile_again(monkeypatch, layer_norm, "forward_kernel")
    programs = []
    for n in (33, 65, 129):
        x, (weight, bias) = rows_of(n, np.float16, 0), rows_of(n, np.float16, 0, rows=2)
        out, mean, rstd = (
            np.empty_like(x),
            np.empty(len(x), np.float32),
            np.empty(len(x), np.float32),
        )
        block = tilewright.next_power_of_2(n)
        layer_norm.forward(x, out, weight, bias, mean, rstd, block=block, num_warps=1)
        programs.append(kernel.kernels[-1].variants[-1]["report"]["programs_per_block"])
    assert programs == [32, 16, 8]
