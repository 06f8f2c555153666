"""Predicted equals counted, for shifted reads: wavefronts of shared memory where rows begin
anywhere, as the report predicts them and as the simulator counts them, for each remainder of the
rows' stride by 16 bytes."""

import itertools

import numpy as np
import pytest
from examples_support import TARGETS

import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")

LOADS = {"tile.local_load", "tile.load_row", "tile.store_row", "tile.store_rows"}
STORES = {"tile.local_store", "tile.place_row"}

NAMES = {np.int8: "i8", np.float16: "f16", np.float32: "f32"}

# A block that is turned, whose rows are as far apart as a launch says.
TURNED = """
tile.kernel @turned(%X: !tile.ptr<TYPE>, %Y: !tile.ptr<TYPE>, %M: index, %N: index,
                    %stride: index, %out_stride: index)
    shapes ["X[M, stride]", "Y[N, out_stride]"] grid ["1"]
    attributes {num_warps = 4 : i32} {
  %c0 = arith.constant 0 : index
  %x = tile.view %X, shape [%M, %N], strides [%stride, 1]
      : !tile.ptr<TYPE> -> !tile.view<?x?xTYPE, [?, 1]>
  %y = tile.view %Y, shape [%N, %M], strides [%out_stride, 1]
      : !tile.ptr<TYPE> -> !tile.view<?x?xTYPE, [?, 1]>
  %t = tile.load_view %x[%c0, %c0] : !tile.view<?x?xTYPE, [?, 1]> -> tensor<256xROWxTYPE>
  %u = tile.trans %t [1, 0] : tensor<256xROWxTYPE> -> tensor<ROWx256xTYPE>
  tile.store_view %u, %y[%c0, %c0] : tensor<ROWx256xTYPE>, !tile.view<?x?xTYPE, [?, 1]>
  tile.return
}
"""


def predict(report, ops, is_in_loop=False):
    """Wavefronts of accesses, each made once, in a loop or outside of it."""
    return sum(
        each["wavefronts"]
        for each in report["accesses"]
        if each["op"] in ops and (each["trips"] > 1) == is_in_loop
    )


def name_ops(report):
    return {each["op"] for each in report["accesses"]}


def turn(columns, stride, dtype, begin, target):
    """Runs the kernel on rows that are so many elements apart, in an array that begins so many
    elements behind one that begins with 16 bytes."""
    name = NAMES[dtype]
    text = TURNED.replace("TYPE", name).replace("ROW", str(columns))
    kernel = tilewright.compile(text, target=target)
    values = np.random.default_rng(stride).integers(-100, 100, 256 * stride + begin)
    x = values.astype(dtype)[begin:].reshape(256, stride)
    # Rows of the result begin and end with words: no element is stored alone.
    y = np.zeros((columns, 256 + 4 // np.dtype(dtype).itemsize), dtype)
    kernel(x, y, 256, columns, stride, y.shape[1])
    np.testing.assert_array_equal(y[:, :256], x[:, :columns].T)
    return kernel.variants[-1]["report"], kernel.simulation["counts"]


@pytest.mark.parametrize("dtype", NAMES)
def test_predicted_equals_counted_of_moved_rows(dtype):
    targets = itertools.cycle(TARGETS)
    size = np.dtype(dtype).itemsize
    for rest in range(0, 16, size):
        # Where rows would begin with words, also an array that does not.
        for begin in (0,) if rest % 4 else (0, 1):
            report, counts = turn(64 // size, (80 + rest) // size, dtype, begin, next(targets))
            counted = counts["shared_load_wavefronts"]
            assert (rest, begin, predict(report, LOADS)) == (rest, begin, counted)
            # Rows that begin with words are loaded by these; in no bank more than four lanes meet.
            is_narrow = (rest | begin * size) % 4 != 0
            is_moved = is_narrow and rest % (8 * size) != 0
            assert ("tile.store_rows" in name_ops(report)) == is_moved, (rest, begin)


@tilewright.jit
def scale(x, y, m, n, stride, COLUMNS: tl.constexpr):
    """Rows in turn, each loaded while the one before is computed."""
    column = tl.arange(0, COLUMNS)
    inside = column < n
    step = tl.num_programs(0)
    row = tl.zeros((COLUMNS,), tl.float16)
    if tl.program_id(0) < m:
        row = tl.load(x + tl.program_id(0) * stride + column, mask=inside, other=0.0)
    for at in range(tl.program_id(0), m, step):
        wide = row.to(tl.float32)
        result = wide * tl.max(wide, 0) - tl.sum(wide, 0)
        tl.store(y + at * stride + column, result.to(tl.float16), mask=inside)
        row = tl.zeros((COLUMNS,), tl.float16)
        if at + step < m:
            row = tl.load(x + (at + step) * stride + column, mask=inside, other=0.0)


def test_predicted_equals_counted_of_copied_rows(target):
    rows, columns = 6, 1016
    for rest in range(0, 16, 2):
        stride = 1024 + rest // 2
        x = np.random.default_rng(rest).standard_normal((rows, stride)).astype(np.float16)
        y = np.zeros_like(x)
        kernel = tilewright.jit(scale.fn)
        compiled = kernel[(2,)](x, y, rows, columns, stride, 1024, num_warps=4)
        wide = x[:, :columns].astype(np.float32)
        wanted = wide * wide.max(axis=1, keepdims=True) - wide.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(y[:, :columns], wanted, rtol=2e-3, atol=2e-2)
        assert not y[:, columns:].any()
        report, counts = compiled.variants[-1]["report"], compiled.simulation["counts"]
        assert ("tile.load_row" in name_ops(report)) == (rest % 4 != 0)
        assert ("tile.store_row" in name_ops(report)) == (rest % 4 != 0)
        # Elements that fill no 16 bytes at the ends of a row are read by one instruction more. The
        # report counts it for each row, and some begin with 16 bytes.
        whole = sum(at * rest % 16 == 0 for at in range(rows)) if rest % 4 else 0
        loads = rows * predict(report, LOADS, is_in_loop=True) - whole
        # Both ends of a row that begins within a word are stored, each by a thread that reads it.
        ends = 2 * sum(at * rest % 4 != 0 for at in range(rows))
        stores = rows * predict(report, STORES, is_in_loop=True) + ends
        assert (rest, loads) == (rest, counts["shared_load_wavefronts"])
        assert (rest, stores) == (rest, counts["shared_store_wavefronts"])


@pytest.mark.parametrize("columns", (513, 896, 1001, 1022, 1024))
def test_ends_of_copied_rows(columns, target):
    """Rows that begin and end within words, with no number beside them, in an array of no more."""
    rows, gap = 5, 3
    for begin in range(3):
        stride = columns + gap
        flat = np.full(begin + rows * stride - gap, np.nan, np.float16)
        x = np.lib.stride_tricks.as_strided(flat[begin:], (rows, columns), (2 * stride, 2))
        x[:] = np.random.default_rng(begin).standard_normal(x.shape)
        y = np.full((rows, stride), np.nan, np.float16)
        # Some programs have one row, or none.
        for programs in (1, 2, 7):
            scale[(programs,)](flat[begin:], y, rows, columns, stride, 1024, num_warps=4)
            wide = x.astype(np.float32)
            wanted = wide * wide.max(axis=1, keepdims=True) - wide.sum(axis=1, keepdims=True)
            np.testing.assert_allclose(y[:, :columns], wanted, rtol=2e-3, atol=3e-2)
            assert np.isnan(y[:, columns:]).all()
