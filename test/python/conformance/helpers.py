# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that cases call in kernels."""

import tilewright
import tilewright.language as tl


@tilewright.jit
def larger(a, b):
    return tl.where(a > b, a, b)


@tilewright.jit
def add_both(a, i, b, j):
    return a + b, i + j


@tilewright.jit
def then_linear(a, b, c, d):
    """First x -> a * x + b, then x -> c * x + d."""
    return a * c, b * c + d


@tilewright.jit
def keep_right(a, b):
    return b
