# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles: shapes, reductions, products."""

import numpy as np

import tilewright
import tilewright.language as tl
from census.programs import kernel


@kernel(4, expect=lambda x: np.arange(64, dtype=np.int32) + 16, inputs=1)
@tilewright.jit
def ranges(x, z):
    tl.store(z + tl.arange(0, 64), tl.arange(16, 80))


@kernel(14, 99, expect=lambda x, y: x[:, None] * 1000 + y[None, :], shape=16)
@tilewright.jit
def dimensions(x, y, z):
    i = tl.arange(0, 16)
    a, b = tl.load(x + i), tl.load(y + i)
    cube = a[:, None, None] * 1000 + b[None, None, :]
    tl.static_assert(cube[:, None, :].shape == [16, 1, 1, 16])
    tl.store(z + i[:, None] * 16 + i[None, :], tl.reshape(cube, [16, 16]))


@kernel(23, 48, 133, expect=lambda x: x + 7, inputs=1)
@tilewright.jit
def filled(x, z):
    i = tl.arange(0, 64)
    total = tl.zeros([64], dtype=tl.int32) + tl.full((64,), 7, tl.int32)
    total += tl.zeros_like(total)
    tl.store(z + i, tl.load(x + i) + total)


@kernel(
    22,
    37,
    117,
    expect=lambda x: x.sum(1) * 10000 + x.max(1) * 100 + x.min(1),
    inputs=1,
    shape=(16, 32),
)
@tilewright.jit
def reductions(x, z):
    i, j = tl.arange(0, 16), tl.arange(0, 32)
    tile = tl.load(x + i[:, None] * 32 + j[None, :])
    total = tl.sum(tile, axis=1) * 10000 + tl.max(tile, 1) * 100
    tl.store(z + i, total + tl.min(tile, axis=1))


@kernel(147, expect=lambda x: x.argmax(0).astype(np.int32), inputs=1, shape=(16, 32))
@tilewright.jit
def places(x, z):
    i, j = tl.arange(0, 16), tl.arange(0, 32)
    tl.store(z + j, tl.argmax(tl.load(x + i[:, None] * 32 + j[None, :]), axis=0))


@tilewright.jit
def multiply(a, b):
    return a * b


@kernel(130, expect=lambda x: x.prod(1), inputs=1, shape=(16, 4))
@tilewright.jit
def own_reductions(x, z):
    i, j = tl.arange(0, 16), tl.arange(0, 4)
    tl.store(z + i, tl.reduce(tl.load(x + i[:, None] * 4 + j[None, :]), 1, multiply))


@kernel(67, expect=lambda x: np.cumsum(x, 1, dtype=np.int32), inputs=1, shape=(8, 64))
@tilewright.jit
def running_sums(x, z):
    at = tl.arange(0, 8)[:, None] * 64 + tl.arange(0, 64)[None, :]
    tl.store(z + at, tl.cumsum(tl.load(x + at), axis=1))


@kernel(175, expect=lambda x: np.cumsum(x[::-1], dtype=np.int32)[::-1], inputs=1)
@tilewright.jit
def running_sums_from_the_end(x, z):
    i = tl.arange(0, 64)
    tl.store(z + i, tl.cumsum(tl.load(x + i), 0, reverse=True))


@kernel(57, 124, expect=lambda x: x.T * 2, inputs=1, shape=(16, 32))
@tilewright.jit
def transposed(x, z):
    i, j = tl.arange(0, 16), tl.arange(0, 32)
    tile = tl.load(x + i[:, None] * 32 + j[None, :])
    tl.store(z + j[:, None] * 16 + i[None, :], tl.trans(tile) + tile.T)


@kernel(
    66, 116, expect=lambda x: x.reshape(8, 64)[:, :1] + x.reshape(8, 64), inputs=1, shape=(16, 32)
)
@tilewright.jit
def reshaped(x, z):
    i, j = tl.arange(0, 16), tl.arange(0, 32)
    tile = tl.reshape(tl.load(x + i[:, None] * 32 + j[None, :]), (8, 64))
    first = tl.sum(tl.where(tl.arange(0, 64)[None, :] == 0, tile, 0), 1).reshape(8, 1)
    tl.store(z + tl.arange(0, 8)[:, None] * 64 + tl.arange(0, 64)[None, :], tile + first)


@kernel(123, expect=lambda x: np.tile(x, (4, 1)), inputs=1)
@tilewright.jit
def repeated(x, z):
    i = tl.arange(0, 64)
    tile = tl.broadcast_to(tl.load(x + i)[None, :], 4, 64)
    tl.store(z + tl.arange(0, 4)[:, None] * 64 + i[None, :], tile)


@kernel(
    30, 69, 136, expect=lambda x, y: 3 * (x @ y), dtype=np.float32, shape=(32, 32), tolerance=1e-5
)
@tilewright.jit
def products(x, y, z):
    at = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]
    a, b = tl.load(x + at), tl.load(y + at)
    total = tl.dot(a, b, allow_tf32=False) + tl.dot(a, b, input_precision="ieee")
    tl.store(z + at, total + tl.dot(a, b, input_precision="tf32x3"))


@kernel(
    30,
    expect=lambda x, y: x.astype(np.float32) @ y.astype(np.float32),
    dtype=np.float16,
    shape=(32, 32),
    tolerance=1e-5,
)
@tilewright.jit
def half_products(x, y, z):
    at = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]
    tl.store(z + at, tl.dot(tl.load(x + at), tl.load(y + at)))


@kernel(
    77,
    112,
    expect=lambda x, y: 3 * (x.astype(np.float32) @ y.astype(np.float32)),
    dtype=np.float16,
    shape=(16, 16),
    tolerance=1e-3,
)
@tilewright.jit
def accumulated(x, y, z):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a, b = tl.load(x + at), tl.load(y + at)
    total = tl.zeros((16, 16), tl.float32)
    for _ in range(2):
        total = tl.dot(a, b, acc=total, out_dtype=tl.float32)
    tl.store(z + at, total + tl.dot(a, b, out_dtype=tl.float16).to(tl.float32))


@kernel(134, 142, 101, expect=lambda x, y: np.stack([x, y], 1), inputs=2)
@tilewright.jit
def joined(x, y, z):
    i = tl.arange(0, 64)
    a, b = tl.split(tl.join(tl.load(x + i), tl.load(y + i)))
    tl.store(z + tl.arange(0, 128), tl.interleave(a, b))


@kernel(165, expect=lambda x: np.sort(x), inputs=1)
@tilewright.jit
def sorted_tile(x, z):
    i = tl.arange(0, 64)
    tl.store(z + i, tl.sort(tl.load(x + i)))
