# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels print while they run."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


def test_lines_of_elements(capsys):
    @tilewright.jit
    def show(x):
        i = tl.arange(0, 2)
        v = tl.load(x + i)
        tl.device_print("v", v, v > 1)
        tl.device_print("sum:", tl.sum(v, axis=0))
        print("", i.to(tl.uint8) - 1)
        tl.device_print("done")

    show[(2,)](np.array([0.5, 1.5], np.float32))
    lines = [
        "idx (0) v: (operand 0) 0.500000",
        "idx (1) v: (operand 0) 1.500000",
        "idx (0) v: (operand 1) 0",
        "idx (1) v: (operand 1) 1",
        "idx () sum: 2.000000",
        "idx (0): 255",
        "idx (1): 0",
        "done",
    ]
    expected = [f"pid ({block}, 0, 0) {line}" for block in range(2) for line in lines]
    assert capsys.readouterr().out.splitlines() == expected


@tilewright.jit
def show_and_count(a):
    tl.device_print("a", a)
    tl.device_assert(a < 100, "a is small")
    while a < 5:
        a += 1
    return a


@pytest.mark.parametrize("target", ["sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"])
def test_helpers_print_and_assert(capsys, target):
    @tilewright.jit(debug=True)
    def show(x):
        tl.store(x, show_and_count(tl.load(x)))

    x = np.array([2], np.int32)
    show[(1,)](x, target=target)
    assert x[0] == 5
    assert capsys.readouterr().out == "pid (0, 0, 0) idx () a: 2\n"
    with pytest.raises(tilewright.SimulatorError, match="a is small"):
        show[(1,)](np.array([100], np.int32), target=target)


def test_bits(capsys):
    @tilewright.jit
    def show(n, x):
        tl.device_print("n", n, hex=True)
        tl.device_print("low", n.to(tl.int16), hex=True)
        tl.device_print("half", (n + 0.5).to(tl.float16), hex=True)
        tl.device_print("p", x, hex=True)

    show[(1,)](-2, np.zeros(4, np.float32))
    out = capsys.readouterr().out.splitlines()
    assert out[:3] == [
        "pid (0, 0, 0) idx () n: 0xfffffffe",
        "pid (0, 0, 0) idx () low: 0xfffe",
        "pid (0, 0, 0) idx () half: -1.500000",
    ]
    assert out[3].startswith("pid (0, 0, 0) idx () p: 0x7")


def test_lists_are_arguments():
    @tilewright.jit
    def add(arrays, counts, out, N: tl.constexpr):
        i = tl.arange(0, N)
        total = tl.zeros([N], tl.float32)
        for k in tl.static_range(len(arrays)):
            total += tl.load(arrays[k] + i, mask=i < counts[k])
        tl.store(out + i, total)

    arrays = [np.full(64, k, np.float32) for k in range(1, 4)]
    out = np.zeros(64, np.float32)
    for kind in (list, tuple):
        out[:] = 0
        add[(1,)](kind(arrays), kind([64, 32, 1]), out, N=64)
        assert out[[0, 1, 40]].tolist() == [6, 3, 1]


def test_stages_that_are_none():
    @tilewright.jit
    def loop(n, STAGES: tl.constexpr):
        for _ in tl.range(0, n, num_stages=STAGES):
            pass

    for stages, why in ((9, "a number from 0 to 8, not 9"), (1.5, "an integer, not 1.5")):
        with pytest.raises(tilewright.CompileError, match=f"num_stages of a loop is {why}"):
            loop[(1,)](4, STAGES=stages)


def test_assembly_that_no_simulator_runs():
    @tilewright.jit
    def frob(x, TEXT: tl.constexpr):
        i = tl.arange(0, 32)
        v = tl.load(x + i)
        tl.store(x + i, tl.inline_asm_elementwise(TEXT, "=r,r", [v], tl.int32, True, 1))

    x = np.zeros(32, np.int32)
    for text, why in (
        ("frob.b32 $0, $1;", "unknown instruction 'frob'"),
        ("mov.b32 $0, $1 ((;", r"expected ';' before '\('"),
        ("add.s32 $0, $1;", "expected 3 operands, found 2"),
    ):
        with pytest.raises(tilewright.LaunchError, match=why + r".*, of .*test_print.py:\d+"):
            frob[(1,)](x, TEXT=text)
