#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for Triton, whose PTX the simulator's tests run.

    kernels.py        writes NAME.ptx beside this file for each kernel

Triton (3.9.0 here) compiles without a GPU. The tests use the committed PTX, so
they do not need it. The matrix product is compiled for sm_80, where it becomes
cp.async and mma.sync, and as matmul_wgmma for sm_90, where that is wgmma.
"""

import pathlib

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def vector_add(x, y, out, n, block: tl.constexpr):
    i = tl.program_id(0) * block + tl.arange(0, block)
    inside = i < n
    total = tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside)
    tl.store(out + i, total, mask=inside)


@triton.jit
def softmax_row(x, out, columns, block: tl.constexpr):
    """One program a row; block is at least the number of columns."""
    row = tl.program_id(0)
    i = tl.arange(0, block)
    inside = i < columns
    values = tl.load(x + row * columns + i, mask=inside, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + i, powers / tl.sum(powers, axis=0), mask=inside)


@triton.jit
def transpose(a, b, m, n, tile_size: tl.constexpr):
    rows = tl.program_id(0) * tile_size + tl.arange(0, tile_size)
    columns = tl.program_id(1) * tile_size + tl.arange(0, tile_size)
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    tile = tl.load(a + rows[:, None] * n + columns[None, :], mask=inside)
    tl.store(b + columns[:, None] * m + rows[None, :], tl.trans(tile), mask=tl.trans(inside))


@triton.jit
def matmul(a, b, c, m, n, k, tile_m: tl.constexpr, tile_n: tl.constexpr, tile_k: tl.constexpr):
    """c[m, n] = a[m, k] b[k, n], in f32; k is a multiple of 16, n of 8."""
    rows = tl.program_id(0) * tile_m + tl.arange(0, tile_m)
    columns = tl.program_id(1) * tile_n + tl.arange(0, tile_n)
    depth = tl.arange(0, tile_k)
    total = tl.zeros((tile_m, tile_n), dtype=tl.float32)
    for start in range(0, k, tile_k):
        at = start + depth
        left = tl.load(
            a + rows[:, None] * k + at[None, :],
            mask=(rows[:, None] < m) & (at[None, :] < k),
            other=0.0,
        )
        right = tl.load(
            b + at[:, None] * n + columns[None, :],
            mask=(at[:, None] < k) & (columns[None, :] < n),
            other=0.0,
        )
        total = tl.dot(left, right, total)
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(c + rows[:, None] * n + columns[None, :], total, mask=inside)


@triton.jit
def histogram(x, bins, n, block: tl.constexpr):
    """bins[v] counts the elements of x that are v, from 0 to 15."""
    i = tl.program_id(0) * block + tl.arange(0, block)
    inside = i < n
    values = tl.load(x + i, mask=inside, other=0)
    tl.atomic_add(bins + values, tl.full((block,), 1, tl.int32), mask=inside)


@triton.jit
def prefix_sum(x, out, n, block: tl.constexpr):
    i = tl.arange(0, block)
    inside = i < n
    values = tl.load(x + i, mask=inside, other=0)
    tl.store(out + i, tl.cumsum(values, axis=0), mask=inside)


# Name of the file -> kernel, types of its arguments (:16 for a multiple of 16),
# constants, options and the architecture.
KERNELS = {
    "vector_add": (vector_add, "*fp32:16 *fp32:16 *fp32:16 i32", {"block": 1024}, {}, 90),
    "softmax_row": (softmax_row, "*fp32:16 *fp32:16 i32", {"block": 1024}, {}, 90),
    "transpose": (transpose, "*fp32:16 *fp32:16 i32 i32", {"tile_size": 32}, {}, 90),
    "matmul": (
        matmul,
        "*fp16:16 *fp16:16 *fp32:16 i32 i32:16 i32:16",
        {"tile_m": 64, "tile_n": 64, "tile_k": 32},
        {"num_stages": 3},
        80,
    ),
    "matmul_wgmma": (
        matmul,
        "*fp16:16 *fp16:16 *fp32:16 i32 i32:16 i32:16",
        {"tile_m": 64, "tile_n": 64, "tile_k": 32},
        {"num_stages": 3},
        90,
    ),
    "histogram": (histogram, "*i32:16 *i32:16 i32", {"block": 512}, {}, 90),
    "prefix_sum": (prefix_sum, "*i32:16 *i32:16 i32", {"block": 1024}, {}, 90),
}


def compile_kernel(kernel, types, constants, options, architecture):
    names = [name for name in kernel.arg_names if name not in constants]
    signature, divisible = {}, {}
    for name, entry in zip(names, types.split(), strict=True):
        signature[name], _, by = entry.partition(":")
        if by:
            divisible[(kernel.arg_names.index(name),)] = [["tt.divisibility", int(by)]]
    signature |= dict.fromkeys(constants, "constexpr")
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=divisible)
    return triton.compile(source, target=GPUTarget("cuda", architecture, 32), options=options)


def clean(ptx):
    """The instructions and their lines, without where this file was and debug sections."""
    text = ptx.partition("\t.section")[0]
    folder = str(pathlib.Path(__file__).resolve().parent) + "/"
    return "\n".join(line.rstrip() for line in text.replace(folder, "").splitlines()) + "\n"


def main():
    for name, arguments in KERNELS.items():
        compiled = compile_kernel(*arguments)
        path = pathlib.Path(__file__).with_name(f"{name}.ptx")
        path.write_text(clean(compiled.asm["ptx"]))
        print(f"{name}: {compiled.metadata.num_warps} warps, {compiled.metadata.shared} bytes")


if __name__ == "__main__":
    main()
