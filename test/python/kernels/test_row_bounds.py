"""Code for rows that end in one part of their tile, in the simulator beside NumPy: rows at both
ends of parts, of no elements and of special numbers, and launches that have another part."""

import numpy as np
import pytest
from examples_support import assert_close, numbers, softmax_of, unset

import layer_norm
import rms_norm
import softmax
import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")

TILE, PART = 1024, 1024 // 16
# Around ends of parts.
LENGTHS = [1, *(k * PART + d for k in (1, 8, 9, 13, 15) for d in (0, 1)), TILE - 1, TILE]


@tilewright.jit
def softmax_kernel(x, out, x_stride, out_stride, n, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    place = x + tl.program_id(0) * x_stride + columns
    values = tl.load(place, mask=inside, other=-float("inf")).to(tl.float32)
    powers = tl.exp(values - tl.max(values, axis=0))
    result = tl.where(inside, powers / tl.sum(powers, axis=0), 7.0)
    place = out + tl.program_id(0) * out_stride + columns
    tl.store(place, result.to(out.dtype.element_ty), mask=inside)


def run(x, out, n, kernel=softmax_kernel, **launch):
    strides = (each.strides[0] // each.itemsize for each in (x, out))
    return kernel[(len(x),)](x, out, *strides, n, BLOCK=TILE, **launch)


def bounds_of(n):
    part = -(-n // PART)
    return {"n": (PART * (part - 1) + 1, PART * part)} if 1 < n <= TILE else {}


# Rows with a stride of a vector, and of none; each begins with a vector, and elsewhere.
@pytest.mark.parametrize("stride", [TILE + 8, TILE + 5])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_ends_of_parts(dtype, stride):
    # Of its own: the last variant is that of the launch, or of one of the same part before it.
    kernel = tilewright.jit(softmax_kernel.fn)
    for n in LENGTHS:
        x, out = numbers(5, stride, dtype=dtype, scale=3), unset(5, stride, dtype=dtype)
        compiled = run(x, out, n, kernel)
        assert_close(out[:, :n], softmax_of(x[:, :n]))
        assert np.isnan(out[:, n:]).all(), n
        assert compiled.variants[-1]["bounds"] == bounds_of(n)


@tilewright.jit
def rows_kernel(x, out, sums, m, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """A program has several rows: its masks have two dimensions."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, BLOCK)
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    places = rows[:, None] * n + columns[None, :]
    values = tl.load(x + places, mask=inside, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=1)[:, None])
    tl.store(out + places, powers / tl.sum(powers, axis=1)[:, None], mask=inside)
    chosen = tl.where((columns < n)[None, :] & (values > 0), values, 0.0)
    tl.store(sums + rows, tl.sum(chosen, axis=1), mask=rows < m)


@pytest.mark.parametrize("rows", [1, 4, 8])
@pytest.mark.parametrize("n", [PART, 9 * PART + 1, TILE - 1])
def test_several_rows_of_a_program(n, rows, target):
    x, out, sums = numbers(5, n, scale=3), unset(5, n), unset(5)
    launch = {"ROWS": rows, "BLOCK": TILE, "num_warps": 8, "target": target}
    compiled = rows_kernel[(-(-5 // rows),)](x, out, sums, 5, n, **launch)
    assert_close(out, softmax_of(x))
    assert_close(sums, np.maximum(x, 0).sum(axis=1))
    assert compiled.variants[-1]["bounds"] == bounds_of(n)


@pytest.mark.parametrize("warps", [1, 2, 16])
@pytest.mark.parametrize("n", [PART, 13 * PART + 1, TILE - 1])
def test_is_what_code_for_all_rows_computes(n, warps):
    x = numbers(3, TILE + 5, dtype=np.float16)
    known, general = (unset(3, TILE + 5, dtype=np.float16) for _ in range(2))
    assert run(x, known, n, num_warps=warps).variants[-1]["bounds"]
    # Strides and lengths that are not looked at.
    all_rows = tilewright.jit(do_not_specialize=["n"])(softmax_kernel.fn)
    strides = (TILE + 5, TILE + 5)
    compiled = all_rows[(3,)](x, general, *strides, n, BLOCK=TILE, num_warps=warps)
    assert not compiled.variants[-1]["bounds"]
    assert known.tobytes() == general.tobytes()


def test_a_part_has_one_variant():
    x, out = numbers(2, TILE, dtype=np.float16), unset(2, TILE, dtype=np.float16)

    def count(n):
        out[:] = np.nan
        compiled = run(x, out, n)
        assert_close(out[:, :n], softmax_of(x[:, :n]))
        assert np.isnan(out[:, n:]).all()
        return sum(bool(variant["bounds"]) for variant in compiled.variants)

    before = count(3 * PART - 1)
    assert count(2 * PART + 1) == before
    # The next part, and the same again.
    assert count(3 * PART + 1) == before + 1
    assert count(3 * PART - 3) == before + 1


def test_rows_of_no_elements_and_of_more_than_a_tile():
    x = numbers(2, 2 * TILE)
    for n in (0, -5, TILE + 1):
        out = unset(2, 2 * TILE)
        compiled = run(x, out, n)
        # Those that a tile has.
        assert np.isnan(out[:, max(min(n, TILE), 0) :]).all()
        assert compiled.variants[-1]["bounds"] == {}
    assert_close(out[:, :TILE], softmax_of(x[:, :TILE]))


@pytest.mark.parametrize("n", [9 * PART + 5, TILE - 1])
def test_special_numbers(n):
    x = numbers(6, n)
    x[1] = -np.inf
    x[2, 7] = np.nan
    x[3, -1] = np.inf
    x[4, ::2] = -np.inf
    x[5, -1] = np.nan
    out = unset(6, n)
    with np.errstate(all="ignore"):
        wanted = softmax_of(x)
    run(x, out, n)
    assert np.isnan(out[[1, 2, 3, 5]]).all()
    assert_close(out[[0, 4]], wanted[[0, 4]])


@pytest.mark.parametrize("n", [2561, 4095])
def test_norms_on(target, n):
    x = numbers(3, n, dtype=np.float16)
    weight, bias = numbers(n, dtype=np.float16, seed=1), numbers(n, dtype=np.float16, seed=2)
    out, mean, rstd = unset(3, n, dtype=np.float16), unset(3), unset(3)
    rms_norm.rms_norm(x, out, weight, target=target)
    assert_close(out, rms_norm.reference(x, weight.astype(np.float64)), digits=8e-3)
    layer_norm.forward(x, out, weight, bias, mean, rstd, block=4096, target=target)
    assert_close(out, layer_norm.reference(x, weight, bias)[0], digits=8e-3)
    grads = [unset(n) for _ in range(2)]
    x_grad, grad = unset(3, n, dtype=np.float16), numbers(3, n, dtype=np.float16, seed=3)
    layer_norm.backward(grad, x, weight, mean, rstd, x_grad, *grads, programs=2, target=target)
    of_x, *sums = layer_norm.reference_backward(grad, x, weight)
    assert_close(x_grad, of_x, digits=1e-2)
    for found, wanted in zip(grads, sums, strict=True):
        assert_close(found, wanted, digits=1e-2)


@pytest.mark.parametrize("n", [2**16 - 2**12, 2**16 - 2**12 + 1, 50257])
def test_clusters(n):
    x = numbers(3, n, dtype=np.float16)
    out, mean, rstd = unset(3, n, dtype=np.float16), unset(3), unset(3)
    softmax.softmax(x, out, target="sm_90a")
    assert_close(out, softmax_of(x))
    weight = numbers(n, dtype=np.float16, seed=1)
    rms_norm.rms_norm(x, out, weight, target="sm_90a")
    assert_close(out, rms_norm.reference(x, weight.astype(np.float64)), digits=8e-3)
    layer_norm.forward(x, out, weight, weight, mean, rstd, block=2**16, target="sm_90a")
    assert_close(out, layer_norm.reference(x, weight, weight)[0], digits=8e-3)


@tilewright.jit
def rows_in_turn_kernel(
    x, out, sums, x_stride, out_stride, m, n, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    """Several rows a program, in a tile whose registers have the rows in turn."""
    columns = tl.arange(0, BLOCK)[None, :]
    for first in range(tl.program_id(0) * ROWS, m, tl.num_programs(0) * ROWS):
        rows = first + tl.arange(0, ROWS)
        inside = (columns < n) & (rows < m)[:, None]
        values = tl.load(x + rows[:, None] * x_stride + columns, mask=inside, other=0)
        tl.store(sums + rows, tl.sum(values.to(tl.float32), axis=1), mask=rows < m)
        tl.store(out + rows[:, None] * out_stride + columns, values, mask=inside & (values > 0))


@pytest.mark.parametrize("warps", [1, 2])
@pytest.mark.parametrize("n", [6 * 128 + 1, 2047])
def test_tiles_of_several_rows(n, warps, target):
    x, out, sums = numbers(9, n, dtype=np.float16), unset(9, n, dtype=np.float16), unset(9)
    compiled = rows_in_turn_kernel[(2,)](
        x, out, sums, n, n, 9, n, ROWS=4, BLOCK=2048, num_warps=warps, target=target
    )
    assert compiled.variants[-1]["bounds"]
    assert_close(sums, x.astype(np.float64).sum(axis=1), digits=1e-4)
    assert (out[x > 0] == x[x > 0]).all() and np.isnan(out[~(x > 0)]).all()


@tilewright.jit
def parts_kernel(x, sums, x_stride, n, BLOCK: tl.constexpr):
    """Parts of rows that begin anywhere, loaded ahead. Of the first one more is known."""
    total = 0.0
    for part in range(0, tl.cdiv(n, BLOCK) * BLOCK, BLOCK):
        columns = part + tl.arange(0, BLOCK)
        place = x + tl.program_id(0) * x_stride + columns
        values = tl.load(place, mask=columns < n, other=-float("inf"))
        total += tl.sum(tl.where((values > -3) & (values < 3), values, 0), axis=0)
    tl.store(sums + tl.program_id(0), total)


@pytest.mark.parametrize("n", [6 * PART + 3, 14 * PART + 4, TILE - 1])
def test_edges_of_parts(n, target):
    x, sums = numbers(5, n + 3, scale=2).round(), unset(5)
    compiled = parts_kernel[(5,)](x, sums, n + 3, n, BLOCK=TILE, num_warps=1, target=target)
    assert compiled.variants[-1]["bounds"]
    assert (sums == np.where(abs(x[:, :n]) < 3, x[:, :n], 0).sum(axis=1)).all()


PINNED = """
tile.kernel @total(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>,
                   %n: i32 {tile.bounds = array<i64: 961, 1024>}) {
  %c0 = arith.constant 0 : index
  %end = arith.index_cast %n : i32 to index
  %v = tile.view %x, shape [%end], strides [1] : !tile.ptr<f32> -> !tile.view<?xf32, [1]>
  %t = tile.load_view %v[%c0] : !tile.view<?xf32, [1]> -> tensor<1024xf32>
  %sum = tile.reduce %t axis 0 : tensor<1024xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %out, %sum : !tile.ptr<f32>
  tile.return
}
"""


@pytest.mark.parametrize("specialize", [True, False])
def test_bounds_that_a_kernel_declares(specialize):
    kernel = tilewright.compile(PINNED, "sm_90a", specialize=specialize)
    x, out = numbers(1024), unset(1)
    for n in (961, 1000, 1024):
        kernel.launch(x, out, n, grid=1)
        assert_close(out, x[:n].astype(np.float64).sum(keepdims=True), digits=1e-4)
    for n in (0, 960, 1025):
        with pytest.raises(Exception, match="relies on it being from 961 to 1024"):
            kernel.launch(x, out, n, grid=1)
