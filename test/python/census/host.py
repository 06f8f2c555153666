# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What stands before kernels, and is asked on the host."""

import numpy as np

import tilewright
import tilewright.language as tl
from census.programs import program


def make_numbers():
    return np.arange(100, dtype=np.float32), np.zeros(100, np.float32)


@tilewright.jit(do_not_specialize=["n", "k"])
def unspecialized(x, z, n, k, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(x + i, mask=i < n) + k.to(tl.float32), mask=i < n)


@program(32)
def run_unspecialized():
    for k in (1, 16, 17):
        x, z = make_numbers()
        unspecialized[(2,)](x, z, 100, k, BLOCK=64)
        assert np.array_equal(z, x + k)


@tilewright.jit(do_not_specialize_on_alignment=["n"], launch_metadata=lambda *_: {})
def unaligned(x, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@program(157)
@program(162)
def run_unaligned():
    x, z = make_numbers()
    unaligned[(2,)](x, z, 96, BLOCK=64)
    assert np.array_equal(z[:96], x[:96] * 2) and not z[96:].any()


@tilewright.autotune(
    configs=[
        tilewright.Config({"BLOCK": 32}, num_warps=1),
        tilewright.Config({"BLOCK": 64}, num_warps=2, num_stages=2),
    ],
    key=["n"],
)
@tilewright.jit
def tuned(x, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@program(35)
@program(36)
@program(38)
def run_tuned():
    for n in (100, 70):
        x, z = make_numbers()
        tuned[lambda meta: (tilewright.cdiv(meta["n"], meta["BLOCK"]),)](x, z, n)
        assert np.array_equal(z[:n], x[:n] + 1) and not z[n:].any()


@tilewright.heuristics(
    {
        "HAS_BIAS": lambda args: args["bias"] is not None,
        "BLOCK": lambda args: tilewright.next_power_of_2(args["n"]),
    }
)
@tilewright.jit
def heuristic(x, z, bias, n, BLOCK: tl.constexpr, HAS_BIAS: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    if HAS_BIAS:
        value += tl.load(bias + i, mask=i < n)
    tl.store(z + i, value, mask=i < n)


@program(42)
@program(166)
def run_heuristic():
    x, z = make_numbers()
    heuristic[(1,)](x, z, None, 100)
    assert np.array_equal(z, x)
    heuristic[(1,)](x, z, x, 100)
    assert np.array_equal(z, 2 * x)


@tilewright.jit
def pruned(x, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(x + i, mask=i < n) + BLOCK, mask=i < n)


@program(151)
def run_pruned():
    x, z = make_numbers()
    kernel = tilewright.autotune(
        configs=[tilewright.Config({"BLOCK": size}) for size in (16, 32, 64)],
        key=["n"],
        prune_configs_by={"early_config_prune": lambda configs, *_, **__: configs[-1:]},
    )(pruned)
    kernel[lambda meta: (tilewright.cdiv(100, meta["BLOCK"]),)](x, z, 100)
    assert np.array_equal(z, x + 64)
