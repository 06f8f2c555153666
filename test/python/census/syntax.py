# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python's syntax: branches, loops, helpers, constants."""

import sys
import types

import numpy as np

import tilewright
import tilewright.language as tl
from census.programs import kernel

THREE = tl.constexpr(3)
WIDTH: tl.constexpr = tl.constexpr(64)
helpers = types.SimpleNamespace()
this_module = sys.modules[__name__]


@kernel(1, 126, 168, expect=lambda x: x * 5, inputs=1, N=64, FACTOR=5)
@tilewright.jit
def constant_parameters(x, z, N: tl.constexpr, FACTOR: "tl.constexpr"):
    i = tl.arange(0, N)
    factor: int = FACTOR
    tl.store(z + i, tl.load(x + i) * factor)


@kernel(95, expect=lambda x: x.astype(np.int64) + 2**33, inputs=1, out=np.int64, n=2**33)
@tilewright.jit
def annotated_parameters(x, z, n: tl.int64):
    i = tl.arange(0, 64)
    tl.store(z + i, tl.load(x + i) + n)


@kernel(58, expect=lambda x: x + 7, inputs=1)
@tilewright.jit
def default_values(x, z, N: tl.constexpr = 64, k=7):
    i = tl.arange(0, N)
    tl.store(z + i, tl.load(x + i) + k)


@kernel(11, 20, expect=lambda x: x * 2 - 1, inputs=1, n=5)
@tilewright.jit
def if_else(x, z, n):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    if n > 3:
        value = value * 2
    else:
        value = value * 3
    if n == 7:
        value = value + 1
    else:
        value = value - 1
    tl.store(z + i, value)


@kernel(56, expect=lambda x: x + 20, inputs=1, n=5, KIND="b")
@tilewright.jit
def elifs(x, z, n, KIND: tl.constexpr):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    if n < 0:
        value += 1
    elif n > 4:
        value += 15
    else:
        value += 3
    if KIND == "a":
        value += 4
    elif KIND == "b":
        value += 5
    else:
        value += name_that_does_not_exist  # noqa: F821
    tl.store(z + i, value)


@kernel(15, expect=lambda x: ((x + 3) * 2 - 1) // 2 % 7 ^ 1, inputs=1)
@tilewright.jit
def augmented(x, z):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    value += 3
    value *= 2
    value -= 1
    value //= 2
    value %= 7
    value ^= 1
    tl.store(z + i, value)


@kernel(19, 50, 51, 115, expect=lambda x: x + 45 + 2 * 15, inputs=1, n=10)
@tilewright.jit
def loops(x, z, n):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    for k in range(n):
        value += k
    for k in tl.range(0, 6, num_stages=2):
        value += 2 * k
    tl.store(z + i, value)


@kernel(29, expect=lambda x: x + 1 + 4 + 7 + 9 + 7 + 5, inputs=1, n=10, step=3)
@tilewright.jit
def steps(x, z, n, step):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    for k in range(1, n, step):
        value += k
    for k in range(9, 3, -2):
        value += k
    tl.store(z + i, value)


@kernel(52, 53, expect=lambda x: x + 6 + 8 + 2, inputs=1, N=4)
@tilewright.jit
def unrolled(x, z, N: tl.constexpr):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    for k in tl.static_range(N):
        value += tl.full([64], k, tl.int32)
    for k in tl.static_range(8, 0, -6):
        tl.static_assert(k % 2 == 0)
        value += k
    tl.store(z + i, value)


@kernel(105, expect=lambda x: x + 7, inputs=1, n=100)
@tilewright.jit
def while_loop(x, z, n):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    while n > 0:
        n = n // 2
        value += 1
    tl.store(z + i, value)


@tilewright.jit
def double(v):
    return v * 2


@tilewright.jit
def add_scaled(a, b, scale=2, offset: tl.constexpr = 0):
    return a + b * scale + offset


@tilewright.jit
def both(a, b):
    return a + b, a - b


@tilewright.jit
def first_of(pair):
    a, b = pair
    return a


@tilewright.jit
def limited(v, n):
    if n > 3:
        return v + 100
    return v - 100


helpers.double = double


@kernel(25, 27, expect=lambda x: x * 4, inputs=1)
@tilewright.jit
def calls(x, z):
    i = tl.arange(0, 64)
    tl.store(z + i, double(double(tl.load(x + i))))


@kernel(88, expect=lambda x, y: x + y * 3 + 1)
@tilewright.jit
def keywords(x, y, z):
    i = tl.arange(0, 64)
    tl.store(z + i, add_scaled(tl.load(x + i), b=tl.load(y + i), offset=1, scale=3))


@kernel(62, 54, expect=lambda x, y: (x + y) * (x - y))
@tilewright.jit
def returned_tuples(x, y, z):
    i = tl.arange(0, 64)
    s, d = both(tl.load(x + i), tl.load(y + i))
    tl.store(z + i, s * d)


@kernel(60, 170, 121, expect=lambda x, y: x + y * 2)
@tilewright.jit
def tuples(x, y, z):
    i = tl.arange(0, 64)
    pair = (tl.load(x + i), tl.load(y + i))
    tl.store(z + i, first_of(pair) + pair[1] * 2)


@kernel(34, expect=lambda x, y: y - x)
@tilewright.jit
def two_at_once(x, y, z):
    i = tl.arange(0, 64)
    a, b = tl.load(x + i), tl.load(y + i)
    a, b = b, a
    tl.store(z + i, a - b)


@kernel(71, expect=lambda x: x * 4, inputs=1)
@tilewright.jit
def through_objects(x, z):
    i = tl.arange(0, 64)
    tl.store(z + i, this_module.double(helpers.double(tl.load(x + i))))


@kernel(39, expect=lambda x: np.repeat([1, 0], 32), inputs=1, n=1, grid=(2,))
@tilewright.jit
def early_return(x, z, n):
    pid = tl.program_id(0)
    if pid >= n:
        return
    i = pid * 32 + tl.arange(0, 32)
    tl.store(z + i, tl.load(x + i) * 0 + 1)


@kernel(73, expect=lambda x: x + 200, inputs=1, n=4)
@tilewright.jit
def early_return_with_value(x, z, n):
    i = tl.arange(0, 64)
    tl.store(z + i, limited(tl.load(x + i), n) - limited(0, n - 3))


@kernel(44, 49, expect=lambda x: x + 11, inputs=1, n=5, FLAG=True)
@tilewright.jit
def logic(x, z, n, FLAG: tl.constexpr):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    if n > 3 and n < 9:
        value += 1
    if not (n > 3 or n == 0):
        value += 2
    if FLAG and not FLAG:
        value += 4
    if FLAG or n < 0:
        value += 10
    tl.store(z + i, value)


@kernel(47, expect=lambda x: x * 2 + 3, inputs=1, n=5, FLAG=False)
@tilewright.jit
def conditional_expressions(x, z, n, FLAG: tl.constexpr):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    value = value * 2 if n > 3 else value
    tl.store(z + i, value + (7 if FLAG else 3))


@kernel(46, 128, expect=lambda x: x + 12, inputs=1, K=6)
@tilewright.jit
def local_constants(x, z, K: tl.constexpr):
    N: tl.constexpr = 64
    TWICE: tl.constexpr = K * 2
    i = tl.arange(0, N)
    tl.store(z + i, tl.load(x + i) + tl.constexpr(TWICE))


@kernel(90, expect=lambda x: x * 3, inputs=1)
@tilewright.jit
def global_constants(x, z):
    i = tl.arange(0, WIDTH)
    tl.store(z + i, tl.load(x + i) * THREE)


@kernel(76, 154, expect=lambda x: x + 1, inputs=1, bias=None)
@tilewright.jit
def none_arguments(x, z, bias):
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    if bias is not None:
        value += tl.load(bias + i)
    if bias is None:
        value += 1
    tl.store(z + i, value)


@kernel(40, expect=lambda x: x + 2.5, inputs=1, dtype=np.float32)
@tilewright.jit
def builtin_float(x, z):
    i = tl.arange(0, 128)
    value = tl.load(x + i, mask=i < 64, other=float("-inf"))
    tl.store(z + i, tl.where(value > float("-inf"), value + float("2.5"), 0.0), mask=i < 64)


@kernel(45, 173, expect=lambda x: x + 4 + 9, inputs=1, n=4)
@tilewright.jit
def builtin_min(x, z, n):
    i = tl.arange(0, 64)
    tl.store(z + i, tl.load(x + i) + min(n, 7) + max(n, 9) + min(3, 5) - 3)


@kernel(81, expect=lambda x: x, inputs=1, N=64)
@tilewright.jit
def static_assertions(x, z, N: tl.constexpr):
    tl.static_assert(N >= 32 and N % 16 == 0, "N is too small")
    i = tl.arange(0, N)
    tl.store(z + i, tl.load(x + i))


@kernel(104, 160, expect=lambda x: x * 2, inputs=1, MODE="twice")
@tilewright.jit
def strings(x, z, MODE: tl.constexpr):
    tl.static_assert(MODE != "once", f"mode {MODE} is not there")
    i = tl.arange(0, 64)
    value = tl.load(x + i)
    if MODE == "twice":
        value *= 2
    tl.store(z + i, value)


@kernel(145, 164, 161, expect=lambda x: x + 3, inputs=1)
@tilewright.jit
def small_things(x, z):
    i = tl.arange(0, 64)
    if z is None:
        pass
    sizes = [1, 2]
    value = tl.load(x + i) + sizes[0] + sizes[1]
    tl.store(z + i, tl.reshape(value, [value.numel.value]))
