# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor descriptors that are made on the host, and in kernels."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.tools.tensor_descriptor import TensorDescriptor


@tilewright.jit
def multiply(a, b, c, K, STAGES: tl.constexpr):
    i = tl.program_id(0) * c.block_shape[0]
    j = tl.program_id(1) * c.block_shape[1]
    total = tl.zeros(c.block_shape, tl.float32)
    for k in tl.range(0, K, a.block_shape[1], num_stages=STAGES):
        total = tl.dot(a.load([i, k]), b.load([k, j]), total)
    c.store([i, j], total)


def draw(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).integers(-3, 4, shape).astype(np.float16)


def test_a_product_by_descriptors_of_the_host(target):
    a, b = draw(70, 90), draw(90, 50)
    c = np.full((70, 50), np.nan, np.float16)
    multiply[(3, 2)](
        TensorDescriptor.from_tensor(a, [32, 16]),
        TensorDescriptor.from_tensor(b, [16, 32]),
        TensorDescriptor.from_tensor(c, [32, 32]),
        90,
        STAGES=3,
        target=target,
    )
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


def test_loops_of_products_have_bulk_copies(target: str) -> None:
    """On Hopper; elsewhere `cp.async` copies the same."""
    a, b = draw(128, 192), draw(192, 128)
    c = np.full((128, 128), np.nan, np.float32)
    described = [
        TensorDescriptor.from_tensor(each, blocks)
        for each, blocks in ((a, [128, 64]), (b, [64, 128]), (c, [128, 128]))
    ]
    kernel = multiply[(1, 1)](*described, 192, STAGES=3, target=target, num_warps=8)
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
    copies = {copy["by"] for copy in kernel.variants[-1]["report"]["copies"]}
    assert copies == ({"bulk copies"} if target == "sm_90a" else {"cp.async"})


@pytest.mark.parametrize("stages", [0, 1, 2, 4])
def test_loops_have_stages_of_their_own(stages):
    a, b = (TensorDescriptor.from_tensor(draw(64, 64), [32, 32]) for _ in range(2))
    c = TensorDescriptor.from_tensor(np.zeros((64, 64), np.float32), [32, 32])
    kernel = multiply[(2, 2)](a, b, c, 64, STAGES=stages, target="sm_80", num_stages=3)
    found = set(re.findall(r"alloc_shared.*shared<(\d+)x32x32xf16", kernel.ir("placed")))
    assert found == ({str(stages)} if stages > 1 else set())


def test_loops_over_pointers_have_stages_of_their_own():
    @tilewright.jit
    def product(x, y, z, K, N: tl.constexpr, S: tl.constexpr):
        i = tl.arange(0, N)
        a = x + i[:, None] * K + i[None, :]
        b = y + i[:, None] * N + i[None, :]
        total = tl.zeros([N, N], tl.float32)
        for _ in tl.range(0, K, N, num_stages=S):
            total = tl.dot(tl.load(a), tl.load(b), total)
            a += N
            b += N * N
        tl.store(z + i[:, None] * N + i[None, :], total)

    a, b, c = draw(32, 128), draw(128, 32), np.zeros((32, 32), np.float32)
    kernel = product[(1,)](a, b, c, 128, N=32, S=4, target="sm_80")
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))
    found = set(re.findall(r"alloc_shared.*shared<(\d+)x32x32xf16", kernel.ir("placed")))
    assert found == {"4"}


def test_signatures_have_descriptors():
    types = {
        "a": "tensordesc<fp16[32, 32]>",
        "b": "tensordesc<fp16[32,32]>",
        "c": "tensordesc<fp32[32,32]>",
        "K": "i32",
    }
    kernel = multiply.compile(types, {"STAGES": 2}, target="sm_80")
    assert "%a_base: !tile.ptr<f16>" in kernel.ir("tile")
    listed = "tensordesc<fp16[32,32]>, tensordesc<fp16[32,32]>, tensordesc<fp32[32,32]>, i32"
    assert multiply.compile(listed, {"STAGES": 2}, target="sm_80").ptx == kernel.ptx


def test_blocks_are_part_of_the_code():
    a, b = draw(64, 64), draw(64, 64)
    expected = a.astype(np.float32) @ b.astype(np.float32)
    x = TensorDescriptor.from_tensor(a, [32, 16])
    y = TensorDescriptor.from_tensor(b, [16, 32])
    z = TensorDescriptor.from_tensor(np.zeros((64, 64), np.float32), [32, 32])
    first = multiply[(2, 2)](x, y, z, 64, STAGES=2)
    assert np.array_equal(z.base, expected)
    # As a hook of the tuner does.
    x.block_shape, y.block_shape = [32, 32], [32, 32]
    z.base[:] = 0
    second = multiply[(2, 2)](x, y, z, 64, STAGES=2)
    assert np.array_equal(z.base, expected)
    assert second is not first
    assert multiply[(2, 2)](x, y, z, 64, STAGES=2) is second


def test_a_part_of_an_array():
    whole = draw(40, 64)
    part = whole[3:20, 8:40]
    out = np.zeros((17, 32), np.float16)

    @tilewright.jit
    def copy(source, target):
        target.store([0, 0], source.load([0, 0]))

    copy[(1,)](
        TensorDescriptor.from_tensor(part, [32, 32]), TensorDescriptor.from_tensor(out, [32, 32])
    )
    assert np.array_equal(out, part)


@tilewright.jit
def rows(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.sum(x.load([0, 0]), axis=0) + x.shape[0].to(tl.float32))


@pytest.mark.parametrize(("padding", "last"), [("zero", 7.0), ("nan", np.nan)])
def test_padding(padding, last):
    x, out = np.ones((7, 16), np.float32), np.zeros(16, np.float32)
    rows[(1,)](TensorDescriptor.from_tensor(x, [8, 16], padding), out, N=16)
    assert np.array_equal(out, np.full(16, last + 7), equal_nan=True)


@tilewright.jit
def copy_rest(x, out, n, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    rest = (n - start,)
    source = tl.make_block_ptr(x + start, rest, (1,), (0,), (BLOCK,), (0,))
    target = tl.make_block_ptr(out + start, rest, (1,), (0,), (BLOCK,), (0,))
    tl.store(target, tl.load(source, boundary_check=(0,)), boundary_check=(0,))


@tilewright.jit
def copy_rest_of_rows(x, out, n, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    source = tl.make_tensor_descriptor(x + start * 16, [n - start, 16], [16, 1], [BLOCK, 16])
    target = tl.make_tensor_descriptor(out + start * 16, [n - start, 16], [16, 1], [BLOCK, 16])
    target.store([0, 0], source.load([0, 0]))


@pytest.mark.parametrize("kernel, width", [(copy_rest, 1), (copy_rest_of_rows, 16)])
@pytest.mark.parametrize("n", [0, 20, 32])
def test_less_than_nothing_is_left(kernel, width, n, target):
    """Programs behind the end have a matrix whose extent is negative."""
    x = np.arange(96 * width, dtype=np.float32)
    out = np.full_like(x, -1)
    kernel[(3,)](x, out, n, BLOCK=32, target=target)
    assert np.array_equal(out, np.where(x < n * width, x, -1))


def copy_rows(x, out, rows, columns, BLOCK: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [rows, columns], [64, 1], [BLOCK, 64])
    target = tl.make_tensor_descriptor(out, [rows, columns], [64, 1], [BLOCK, 64])
    target.store([0, 0], source.load([0, 0]))


def copy_all_in_one(x, out, rows, columns, BLOCK: tl.constexpr):
    source = tl.make_block_ptr(x, (rows * columns,), (1,), (0,), (BLOCK * 64,), (0,))
    target = tl.make_block_ptr(out, (rows * columns,), (1,), (0,), (BLOCK * 64,), (0,))
    tl.store(target, tl.load(source, boundary_check=(0,)), boundary_check=(0,))


@pytest.mark.parametrize("function", [copy_rows, copy_all_in_one])
@pytest.mark.parametrize("is_specialized", [True, False])
def test_arguments_below_zero_are_no_extents(function, is_specialized, target):
    """Of nothing, and of less, nothing is read or written; the kernel then serves others, too."""
    kernel = tilewright.jit(do_not_specialize=() if is_specialized else ("rows",))(function)
    x = np.ones((32, 64), np.float16)
    for rows in (-1, -16, 0, -(2**31), 32):
        out = np.zeros_like(x)
        kernel[(1,)](x, out, rows, 64, BLOCK=32, target=target)
        assert out.all() if rows == 32 else not out.any()


@tilewright.jit
def copy_of_a_size_in_memory(x, out, sizes, BLOCK: tl.constexpr):
    rows, columns = tl.load(sizes), tl.load(sizes + 1)
    source = tl.make_tensor_descriptor(x, [rows, columns], [64, 1], [BLOCK, 64])
    target = tl.make_block_ptr(out, (rows, columns), (64, 1), (0, 0), (BLOCK, 64), (1, 0))
    tl.store(target, source.load([0, 0]), boundary_check=(0, 1))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_numbers_in_memory_below_zero_are_no_extents(dtype, target):
    x = np.ones((32, 64), np.float16)
    for rows, columns in [(-1, 64), (32, -5), (-1, -1), (-(2**31), 3), (0, 64), (31, 9)]:
        out = np.zeros_like(x)
        sizes = np.array([rows, columns], dtype)
        copy_of_a_size_in_memory[(1,)](x, out, sizes, BLOCK=32, target=target)
        right = np.zeros_like(x)
        right[: max(rows, 0), : max(columns, 0)] = 1
        assert np.array_equal(out, right)


def test_one_row_is_a_constant():
    x, out = np.ones((1, 16), np.float32), np.zeros(16, np.float32)
    rows[(1,)](TensorDescriptor.from_tensor(x, [8, 16]), out, N=16)
    assert np.array_equal(out, np.full(16, 2, np.float32))


@pytest.mark.parametrize("shape", [(0, 16), (7, 0)])
def test_an_array_without_elements(shape):
    x, out = np.zeros(shape, np.float32), np.ones(16, np.float32)
    rows[(1,)](TensorDescriptor.from_tensor(x, [8, 16]), out, N=16)
    assert np.array_equal(out, np.full(16, shape[0], np.float32))


def test_a_column_of_a_transposed_array():
    """The last axis has one element, so that its stride says nothing."""
    x, out = np.arange(21, dtype=np.float32).reshape(3, 7), np.zeros(1, np.float32)
    rows[(1,)](TensorDescriptor.from_tensor(x.T[:, :1], [8, 1]), out, N=1)
    assert out[0] == x[0].sum() + 7


def test_what_is_no_descriptor():
    x = np.zeros((8, 16), np.float32)
    packed = np.zeros((4, 8), [("a", "f4"), ("b", "i2")])["a"]
    with pytest.raises(ValueError, match="with a stride of 6 bytes, no multiple of the 4"):
        TensorDescriptor.from_tensor(packed, [4, 8])
    with pytest.raises(ValueError, match="the last stride of a TensorDescriptor is 1, not 16"):
        TensorDescriptor.from_tensor(x.T, [8, 8])
    with pytest.raises(ValueError, match="have as many numbers each"):
        TensorDescriptor(x, [8, 16], [16, 1], [8])
    with pytest.raises(ValueError, match="padding is 'zero' or 'nan', not 'one'"):
        TensorDescriptor.from_tensor(x, [8, 8], padding="one")
    with pytest.raises(tilewright.CompileError, match="an extent of block_shape is 12"):
        rows[(1,)](TensorDescriptor.from_tensor(x, [12, 16]), x, N=16)
    with pytest.raises(ValueError, match="is no descriptor, which is such as"):
        rows.compile({"x": "tensordesc<fp32>", "out": "*fp32"}, {"N": 16})


def test_a_descriptor_goes_around_a_loop():
    @tilewright.jit
    def last(x, y, out, n):
        d = tl.make_tensor_descriptor(x, [16, 16], [16, 1], [16, 16])
        e = tl.make_tensor_descriptor(y, [16, 16], [16, 1], [16, 16])
        for _ in range(n):
            d, e = e, d
        i = tl.arange(0, 16)
        tl.store(out + i[:, None] * 16 + i[None, :], d.load([0, 0]))

    x, y = np.ones((16, 16), np.float32), np.full((16, 16), 2, np.float32)
    for count in (4, 5):
        out = np.zeros((16, 16), np.float32)
        last[(1,)](x, y, out, count)
        assert (out == (x, y)[count % 2]).all()


@pytest.mark.parametrize("base", [None, [[1.0]]])
def test_a_descriptor_of_no_array(base: Any) -> None:
    with pytest.raises(TypeError, match=r"a TensorDescriptor is of an array, not of (None|list)"):
        TensorDescriptor.from_tensor(base, [16, 16])
