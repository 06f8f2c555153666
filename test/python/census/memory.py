# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory and programs: loads and stores, block pointers, atomics, promises."""

import numpy as np

import tilewright
import tilewright.language as tl
from census.programs import kernel


@kernel(2, 3, expect=lambda x: x, inputs=1)
@tilewright.jit
def copy(x, z):
    i = tl.arange(0, 64)
    tl.store(z + i, tl.load(x + i))


@kernel(2, 3, expect=lambda x: x[:1] + x[1:2], inputs=1)
@tilewright.jit
def scalars(x, z):
    tl.store(z, tl.load(x) + tl.load(x + 1))


@kernel(6, 8, expect=lambda x: np.where(np.arange(64) < 50, x, 0), inputs=1, n=50)
@tilewright.jit
def masked(x, z, n):
    i = tl.arange(0, 64)
    tl.store(z + i, tl.load(x + i, mask=i < n), mask=i < n)


@kernel(9, expect=lambda x: np.where(np.arange(64) < 50, x, -3), inputs=1, n=50)
@tilewright.jit
def with_other(x, z, n):
    i = tl.arange(0, 64)
    tl.store(z + i, tl.load(x + i, mask=i < n, other=-3))


@kernel(129, 148, 174, expect=lambda x: x, inputs=1)
@tilewright.jit
def hints(x, z):
    i = tl.arange(0, 64)
    value = tl.load(x + i, eviction_policy="evict_first", cache_modifier=".cg")
    tl.store(z + i, value, cache_modifier=".wt")


@kernel(
    5,
    65,
    31,
    expect=lambda x: x + np.repeat(np.arange(4), 16) * 10 + 4 + 7,
    inputs=1,
    grid=(4,),
    n=50,
)
@tilewright.jit
def grid(x, z, n):
    pid = tl.program_id(0)
    i = pid * 16 + tl.arange(0, 16)
    tl.store(z + i, tl.load(x + i) + pid * 10 + tl.num_programs(axis=0) + tl.cdiv(n, 8))


@kernel(5, expect=lambda x: np.arange(24, dtype=np.int32), inputs=1, grid=(2, 3, 4))
@tilewright.jit
def three_axes(x, z):
    place = (tl.program_id(2) * 3 + tl.program_id(1)) * 2 + tl.program_id(axis=0)
    tl.store(z + place + tl.arange(0, 1), tl.full([1], place, tl.int32))


@kernel(72, 113, expect=lambda x: x + 1, inputs=1, n=64)
@tilewright.jit
def promises(x, z, n):
    n = tl.multiple_of(n, 16)
    i = tl.max_contiguous(tl.multiple_of(tl.arange(0, 64) % n, 64), 64)
    tl.store(z + i, tl.load(x + i) + 1, mask=i < n)


@kernel(169, expect=lambda x: x, inputs=1, n=64)
@tilewright.jit
def assumptions(x, z, n):
    tl.assume(n > 0)
    i = tl.arange(0, 64)
    tl.store(z + i, tl.load(x + i), mask=i < n)


@kernel(91, expect=lambda x: x[::-1], inputs=1)
@tilewright.jit
def barriers(x, z):
    i = tl.arange(0, 64)
    tl.store(z + i, tl.load(x + i))
    tl.debug_barrier()
    value = tl.load(z + 63 - i)
    tl.debug_barrier()
    tl.store(z + i, value)


@kernel(89, 96, expect=lambda x: x, inputs=1)
@tilewright.jit
def waits(x, z):
    tl.extra.cuda.gdc_wait()
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    tl.extra.cuda.gdc_launch_dependents()
    tl.store(z + i, value)


@kernel(78, 85, 92, 155, expect=lambda x: x * 2, inputs=1, shape=(40, 50))
@tilewright.jit
def block_pointers(x, z):
    source = tl.make_block_ptr(x, (40, 50), (50, 1), (0, 0), (64, 32), (1, 0))
    target = tl.make_block_ptr(
        z, shape=(40, 50), strides=(50, 1), offsets=(0, 0), block_shape=(64, 32), order=(1, 0)
    )
    for _ in range(2):
        value = tl.load(source, boundary_check=(0, 1), padding_option="zero")
        tl.store(target, value * 2, boundary_check=(0, 1))
        source = tl.advance(source, (0, 32))
        target = tl.advance(target, (0, 32))


@kernel(75, expect=lambda x: np.bincount(x % 8, minlength=8).astype(np.int32), inputs=1, grid=(4,))
@tilewright.jit
def histogram(x, z):
    i = tl.program_id(0) * 16 + tl.arange(0, 16)
    tl.atomic_add(z + tl.load(x + i) % 8, 1)


@kernel(75, expect=lambda x: np.full(1, 64.0, np.float32), inputs=1, grid=(64,))
@tilewright.jit
def one_place(x, z):
    tl.atomic_add(z, 1.0)


@kernel(
    100,
    132,
    expect=lambda x: np.where(np.arange(64) < 40, 3, 0).astype(np.float32),
    inputs=1,
    grid=(3,),
)
@tilewright.jit
def masked_atomics(x, z):
    i = tl.arange(0, 64)
    tl.atomic_add(z + i, 1.0, mask=i < 40, sem="relaxed")


@kernel(111, expect=lambda x: x + 1, inputs=1, dtype=np.int64, address=0)
@tilewright.jit
def pointer_types(x, z, address):
    i = tl.arange(0, 64)
    pointer = x.to(tl.int64, bitcast=True).to(tl.pointer_type(tl.int64))
    tl.static_assert(pointer.dtype == tl.pointer_type(tl.int64))
    tl.store(z + i, tl.load(pointer + i) + 1)


@kernel(
    115,
    118,
    122,
    139,
    expect=lambda x, y: (x + y)[::-1],
    shape=(8, 64),
    dtype=np.int32,
)
@tilewright.jit
def descriptors(x, y, z):
    a = tl.make_tensor_descriptor(x, [8, 64], [64, 1], [1, 64])
    b = tl.make_tensor_descriptor(y, shape=[8, 64], strides=[64, 1], block_shape=[1, 64])
    c = tl.make_tensor_descriptor(z, [8, 64], [64, 1], [1, 64])
    for i in tl.range(0, 8, num_stages=2):
        c.store([7 - i, 0], a.load([i, 0]) + b.load([i, 0]))


@kernel(102, 106, 107, 119, 120, 137, expect=lambda x: (~x, x * 2), inputs=1, dtype=np.int8)
@tilewright.jit
def assembly(x, z):
    i = tl.arange(0, 64)
    turned = tl.inline_asm_elementwise(
        asm="not.b32 $0, $1;",
        constraints="=r,r",
        args=[tl.load(x + i)],
        dtype=tl.int8,
        is_pure=True,
        pack=4,
    )
    tl.store(z + i, turned)
    twice = tl.inline_asm_elementwise(
        "shl.b32 $0, $1, 1;",
        "=r,r",
        [tl.load(x + i).to(tl.int32)],
        dtype=(tl.int32,),
        is_pure=False,
        pack=1,
    )
    tl.store(z + 64 + i, twice[0])
