# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers: operators, types, functions."""

import numpy as np

import tilewright
import tilewright.language as tl
from census.programs import kernel
from tilewright.language.extra import libdevice


@kernel(12, 110, expect=lambda x, y: ((x & y) | (x ^ 3)) ^ ~y)
@tilewright.jit
def bits(x, y, z):
    i = tl.arange(0, 64)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(z + i, ((a & b) | (a ^ 3)) ^ ~b)


@kernel(
    13, 18, expect=lambda x, y: np.trunc((x - 50) / y) * 1000 + np.fmod(x - 50, y), out=np.int32
)
@tilewright.jit
def divisions(x, y, z):
    i = tl.arange(0, 64)
    a, b = tl.load(x + i) - 50, tl.load(y + i)
    tl.store(z + i, a // b * 1000 + a % b)


@kernel(26, expect=lambda x, y: x.astype(np.float32) / y.astype(np.float32))
@tilewright.jit
def quotients(x, y, z):
    i = tl.arange(0, 64)
    tl.store(z + i, tl.load(x + i) / tl.load(y + i))


@kernel(55, expect=lambda x, y: (x << (y & 7)) + (-x >> (y & 3)))
@tilewright.jit
def shifts(x, y, z):
    i = tl.arange(0, 64)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(z + i, (a << (b & 7)) + (-a >> (b & 3)))


@kernel(114, expect=lambda x: x**3, inputs=1)
@tilewright.jit
def powers(x, z):
    i = tl.arange(0, 64)
    tl.store(z + i, tl.load(x + i) ** 3 + 2**3 - 8)


@kernel(
    7,
    10,
    28,
    16,
    68,
    171,
    expect=lambda x: np.trunc(x).astype(np.int64) * 2**33 + 1,
    inputs=1,
    dtype=np.float32,
)
@tilewright.jit
def casts(x, z):
    i = tl.arange(0, 64)
    value = tl.load(x + i).to(tl.int32).to(tl.float32)
    value = tl.cast(value, tl.int64) * (1 << 33)
    tl.store(z + i, value + tl.full([64], 1, tl.int32).cast(tl.int64))


@kernel(63, expect=lambda x: x.view(np.int32) >> 23, inputs=1, dtype=np.float32)
@tilewright.jit
def bit_casts(x, z):
    i = tl.arange(0, 64)
    tl.store(z + i, tl.load(x + i).to(tl.int32, bitcast=True) >> 23)


@kernel(
    21,
    24,
    108,
    109,
    152,
    expect=lambda x: x.astype(np.float16),
    inputs=1,
    dtype=np.float32,
    out=np.float16,
)
@tilewright.jit
def asked_types(x, z):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    tl.static_assert(value.dtype == tl.float32)
    tl.static_assert(x.dtype.element_ty == tl.float32)
    tl.static_assert(value.type.element_ty.primitive_bitwidth == 32)
    tl.static_assert(value.shape[0] == 64)
    tl.store(z + i, value.to(z.dtype.element_ty))


@kernel(138, 149, 159, 167, 163, expect=lambda x: x + 1 + 64, inputs=1)
@tilewright.jit
def questions(x, z):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    if value.dtype.is_floating():
        value += 100
    if value.dtype.is_int_signed() and not value.dtype.is_int_unsigned():
        value += 1
    tl.static_assert(value.dtype.int_bitwidth == 32)
    tl.store(z + i, value + value.numel)


@kernel(83, 61, expect=lambda x: x.astype(np.float16) * np.float16(2), inputs=1, dtype=np.float32)
@tilewright.jit
def half_types(x, z):
    i = tl.arange(0, 64)
    value = tl.load(x + i).to(tl.float16)
    tl.static_assert(value.to(tl.bfloat16).to(tl.float32).dtype == tl.float32)
    tl.store(z + i, value * 2)


@kernel(61, expect=lambda x: np.floor(x), inputs=1, dtype=np.float32)
@tilewright.jit
def brain_floats(x, z):
    # Whole numbers up to 8 are exact.
    i = tl.arange(0, 64)
    tl.store(z + i, tl.floor(tl.load(x + i)).to(tl.bfloat16).to(tl.float32))


@kernel(80, 141, 172, expect=lambda x: np.floor(x) * 2, inputs=1, dtype=np.float32)
@tilewright.jit
def eight_bits(x, z):
    i = tl.arange(0, 64)
    value = tl.floor(tl.load(x + i))
    tl.static_assert(tl.float8e4nv != tl.float8e4b8)
    both = value.to(tl.float8e4nv).to(tl.float32) + value.to(tl.float8e5).to(tl.float32)
    tl.store(z + i, both)


@kernel(86, 87, 144, expect=lambda x: x.view(np.uint32) // 3, inputs=1)
@tilewright.jit
def unsigned(x, z):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    small = value.to(tl.uint8).to(tl.uint16)
    tl.static_assert(small.dtype == tl.uint16)
    tl.store(z + i, small.to(tl.uint32) // 3)


@kernel(97, 146, 153, 135, expect=lambda x: (x > 50).astype(np.int8) + x.astype(np.int8), inputs=1)
@tilewright.jit
def small_integers(x, z):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    flag = (value - 50 > 0).to(tl.int1)
    wide = value.to(tl.int16).to(tl.uint64)
    tl.store(z + i, flag.to(tl.int8) + wide.to(tl.int8))


@kernel(17, expect=lambda x, y: np.where(x > y, x, -y))
@tilewright.jit
def choices(x, y, z):
    i = tl.arange(0, 64)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(z + i, tl.where(a > b, a, -b))


@kernel(33, 41, expect=lambda x, y: np.maximum(x, y) * 100 + np.minimum(x, 7))
@tilewright.jit
def extremes(x, y, z):
    i = tl.arange(0, 64)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(z + i, tl.maximum(a, b) * 100 + tl.minimum(a, 7))


@kernel(98, expect=lambda x: np.clip(x, 2, 5), inputs=1, dtype=np.float32)
@tilewright.jit
def clamps(x, z):
    i = tl.arange(0, 64)
    tl.store(z + i, tl.clamp(tl.load(x + i), 2.0, 5.0))


@kernel(64, expect=lambda x: np.abs(x - 50) + 2, inputs=1)
@tilewright.jit
def absolutes(x, z):
    i = tl.arange(0, 64)
    tl.store(z + i, tl.abs(tl.load(x + i) - 50) + abs(-2))


FLOATS = {"inputs": 1, "dtype": np.float32, "tolerance": 1e-6}


@kernel(43, 84, 150, expect=lambda x: 3 * np.exp(x), **FLOATS)
@tilewright.jit
def exponentials(x, z):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    tl.store(z + i, tl.exp(value) + libdevice.fast_expf(value) + libdevice.exp(value))


@kernel(79, 93, 94, expect=lambda x: 3 * np.exp2(x), **FLOATS)
@tilewright.jit
def powers_of_two(x, z):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    tl.store(z + i, tl.exp2(value) + tl.math.exp2(value) + libdevice.exp2(value))


@kernel(70, 103, 131, 177, expect=lambda x: 2 * np.log(x) + 10 + 2 * np.log2(x), **FLOATS)
@tilewright.jit
def logarithms(x, z):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    natural = tl.log(value) + libdevice.fast_logf(value)
    tl.store(z + i, natural + 10 + tl.log2(value) + tl.math.log2(value))


@kernel(74, 82, 127, expect=lambda x: np.sqrt(x) + 2 / np.sqrt(x), **FLOATS)
@tilewright.jit
def roots(x, z):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    tl.store(z + i, tl.sqrt(value) + tl.rsqrt(value) + tl.math.rsqrt(value))


@kernel(59, 158, expect=lambda x: 1 / (1 + np.exp(-x)) + np.tanh(x), **FLOATS)
@tilewright.jit
def activations(x, z):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    tl.store(z + i, tl.sigmoid(value) + libdevice.tanh(value))


@kernel(125, 140, 143, 176, expect=lambda x: np.ceil(x) + x * x + 1 + x / 3 + x**1.5, **FLOATS)
@tilewright.jit
def other_functions(x, z):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    three = tl.full([64], 3.0, tl.float32)
    exact = tl.div_rn(value, three)
    tl.store(z + i, tl.ceil(value) + tl.fma(value, value, 1.0) + exact + libdevice.pow(value, 1.5))


@kernel(156, expect=lambda x: np.ones(64, np.int32), inputs=1)
@tilewright.jit
def random_numbers(x, z):
    i = tl.arange(0, 1024)
    u = tl.rand(1234, i)
    inside = tl.min(u, 0) >= 0
    spread = tl.abs(tl.sum(u, 0) / 1024 - 0.5) < 0.05
    j = tl.arange(0, 64)
    tl.store(z + j, (tl.full([64], inside, tl.int1) & spread & (tl.max(u, 0) < 1)).to(tl.int32))
