"""Returns from loops that are unrolled: what follows runs where none was reached."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@tilewright.jit
def until(out, n):
    for i in tl.static_range(3):
        if n == i:
            return
        tl.store(out + i, 1)
    tl.store(out + 3, 9)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_a_round_of_run_time(n: int) -> None:
    out = np.zeros(4, np.int32)
    until[(1,)](out, n)
    assert out.tolist() == [int(n > 0), int(n > 1), int(n > 2), 9 * (n > 2)]


@tilewright.jit
def until_constant(out, END: tl.constexpr):
    for i in tl.static_range(3):
        if i == END:
            return
        tl.store(out + i, 1)


@tilewright.jit
def first_round(out, END: tl.constexpr):
    for i in (2, 1, 0):
        tl.store(out + i, END)
        return


def test_a_round_of_compile_time() -> None:
    out = np.zeros(4, np.int32)
    until_constant[(1,)](out, END=2)
    assert out.tolist() == [1, 1, 0, 0]
    first_round[(1,)](out, END=7)
    assert out.tolist() == [1, 1, 7, 0]


@tilewright.jit
def find(tile, n):
    """In branches, in each other, and with a value."""
    if n > 0:
        for factor, shift in ((1, 0), (10, 1)):
            for i in tl.static_range(2):
                tile += 1
                if n == 2 * shift + i + 1:
                    return tile * factor
    return -tile


@tilewright.jit
def find_kernel(out, n):
    tl.store(out + tl.arange(0, 4), find(tl.arange(0, 4), n))


@pytest.mark.parametrize("n", range(6))
def test_a_value_of_rounds_in_rounds(n: int) -> None:
    out = np.zeros(4, np.int32)
    find_kernel[(1,)](out, n)
    start = np.arange(4)
    rounds = {0: -start, 1: start + 1, 2: start + 2, 3: (start + 3) * 10, 4: (start + 4) * 10}
    assert np.array_equal(out, rounds.get(n, -(start + 4)))


@tilewright.jit
def many_rounds(out, n):
    for i in tl.static_range(400):
        if n == i:
            return
    tl.store(out, 1)


def test_too_many_rounds() -> None:
    """What follows a return stands in the other branch: the rounds are in each other."""
    with pytest.raises(tilewright.CompileError, match="let fewer returns follow one another"):
        many_rounds.compile("*i32, i32")


@tilewright.jit
def in_a_loop_of_run_time(out, n):
    for i in range(n):
        for j in tl.static_range(2):
            if i == j:
                return
    tl.store(out, 1)


def test_a_loop_of_run_time_around() -> None:
    with pytest.raises(tilewright.CompileError, match="a 'return' in a loop: end the loop by its"):
        in_a_loop_of_run_time.compile("*i32, i32")
