"""What of Python's syntax kernels do not have, or not in this way."""

from __future__ import annotations

from typing import Any

import pytest

import tilewright
import tilewright.language as tl
from tilewright.frontend.program import compile_function


@tilewright.jit
def has_else_of_a_loop(x, n):
    for i in range(n):
        tl.store(x + i, 0.0)
    else:
        tl.store(x, 1.0)


@tilewright.jit
def counts_in_an_element(x, n):
    for x[0] in range(n):
        tl.store(x, 1.0)


@tilewright.jit
def counts_in_two_names(x, n):
    for i, j in range(n):
        tl.store(x + i, j)


@tilewright.jit
def goes_over_a_number(x, n):
    for i in n:
        tl.store(x + i, 1.0)


@tilewright.jit
def goes_over_elements(x, n):
    for place, value in enumerate(x + tl.arange(0, 16)):
        tl.store(value, place)


@tilewright.jit
def counts_in_floats(x, n):
    for i in range(n * 0.5):
        tl.store(x + i, 1.0)


@tilewright.jit
def names_the_end_of_a_range(x, n):
    for i in range(stop=n):
        tl.store(x + i, 1.0)


@tilewright.jit
def uses_a_counter_behind_its_loop(x, n):
    i = 0
    for i in range(n):
        tl.store(x + i, 1.0)
    tl.store(x, i)


@tilewright.jit
def changes_a_list(x, n):
    sizes = [1]
    sizes.append(2)
    tl.store(x, sizes[1])


@tilewright.jit
def carries_nothing_known(x, n):
    y = 0
    for i in range(n):
        tl.store(x + i, y)
        if i > 2:
            y = None


@tilewright.jit
def chooses_a_pointer_or_a_number(x, n):
    tl.store(x, x if n > 0 else 1.0)


@tilewright.jit
def takes_the_least_of_one(x, n):
    tl.store(x, min(tl.arange(0, 16)))


@tilewright.jit
def has_bytes(x, n):
    tl.store(x, b"a")


@tilewright.jit
def asks_for_what_is_inside(x, n):
    tl.store(x, n._handle)


@tilewright.jit
def multiplies_in_place(x, n):
    a = tl.zeros([16, 16], tl.float32)
    a @= a


@tilewright.jit
def takes_a_number_apart(x, n):
    a, b = n
    tl.store(x, a + b)


@tilewright.jit
def has_a_star(x, n):
    a, *b = (1, 2, 3)
    tl.store(x, a + b[0])


@tilewright.jit
def asserts(x, n):
    assert tl.arange(0, 16).shape[0] == 32, "there are 32"


def _make_early() -> tilewright.JITFunction:
    @tilewright.jit
    def kernel(x, n):
        tl.store(x, late)

    if kernel.__name__:
        return kernel
    late = 1
    return late


def _make_deep() -> tilewright.JITFunction:
    @tilewright.jit
    def innermost(a):
        return a

    def around(inner: tilewright.JITFunction) -> tilewright.JITFunction:
        @tilewright.jit
        def helper(a):
            return inner(a)

        return helper

    helpers = innermost
    for _ in range(70):
        helpers = around(helpers)

    @tilewright.jit
    def kernel(x, n):
        tl.store(x, helpers(n))

    return kernel


def _make_doubled() -> tilewright.JITFunction:
    @tilewright.jit
    def helpers(value):
        return value + 1

    def twice(inner):
        @tilewright.jit
        def helper(value):
            return inner(inner(value))

        return helper

    for _ in range(30):
        helpers = twice(helpers)

    @tilewright.jit
    def kernel(x, n):
        tl.store(x, helpers(n))

    return kernel


@tilewright.jit
def unrolls_in_each_other(x, n):
    for i in tl.static_range(2**14):
        for j in tl.static_range(2**14):
            tl.static_assert(i >= 0 and j >= 0)


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (has_else_of_a_loop, "an 'else' of a loop: none ends early, so write it behind the loop"),
        (counts_in_an_element, "a loop counts in a name"),
        (counts_in_two_names, "a loop over range counts in one name"),
        (goes_over_a_number, "a loop is over range, tl.range or tl.static_range, or over a tuple"),
        (goes_over_elements, "a value of type .* is not gone through one by one: a loop of"),
        (counts_in_floats, "the bounds of a loop are integers, not fp32"),
        (names_the_end_of_a_range, "range takes an end, or a start and an end, and a step"),
        (uses_a_counter_behind_its_loop, "'i' counts a loop of run time, and has no value behind"),
        (changes_a_list, "'append' changes a value in place: write a = a \\+ \\[b\\]"),
        (carries_nothing_known, "'y', which goes around this loop, is .* in one branch of an 'if'"),
        (chooses_a_pointer_or_a_number, "the two values of this choice are of different types: "),
        (takes_the_least_of_one, "min of one tile is tl.min"),
        (has_bytes, "kernels have no values such as b'a'"),
        (asks_for_what_is_inside, "a tile has no '_handle'"),
        (multiplies_in_place, "kernels do not have @: write tl.dot"),
        (takes_a_number_apart, "what stands on the right is one value, and there are several"),
        (has_a_star, "kernels do not have stars on the left of an assignment"),
        (asserts, "there are 32"),
        (_make_early(), "'late' of the function around has no value yet"),
        (_make_deep(), "more than 64 calls are in each other here"),
        (_make_doubled(), "more than 16384 calls become part of the kernel"),
        (unrolls_in_each_other, "the kernel has more than 1048576 expressions"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_refused(kernel: Any, words: str) -> None:
    with pytest.raises(tilewright.CompileError, match=words) as caught:
        compile_function(kernel, ["*fp32", "i32"], {}, num_warps=4, num_stages=3, target="sm_90a")
    assert caught.value.file == __file__


def test_lambda() -> None:
    kernel = tilewright.jit(lambda x: tl.store(x, 1.0))
    words = "a kernel is made by def, not by lambda"
    with pytest.raises(tilewright.CompileError, match=words) as caught:
        kernel.compile("*fp32", {})
    assert caught.value.file == __file__
    assert caught.value.line == kernel.fn.__code__.co_firstlineno
