"""Names and words that are not there, or that take something else: errors say what is near."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tilewright
import tilewright.language as tl


@tilewright.jit
def two(a, b):
    return a + b


def local_name(x):
    blocks = tl.num_programs(0)
    tl.store(x, block * 2)


def name_outside(x):
    tl.store(x, tow(1.0, 2.0))


def word_alone(x):
    tl.store(x + arange(0, 16), 1.0)


def function_of_python(x):
    tl.store(x, pow(3, 2))


def swapped_letters(x):
    tl.store(x, tl.laod(x))


def argument_of_a_word(x):
    tl.store(x, tl.load(x, msk=True))


def argument_of_no_word(x):
    tl.store(x + tl.arange(0, stop=16), 1.0)


def argument_of_a_method(x):
    tl.store(x, tl.arange(0, 16).sum(axes=0))


def argument_of_a_loop(x):
    for i in tl.range(0, 4, num_stage=2):
        tl.store(x + i, 1.0)


def length_of_a_pointer(x):
    tl.store(x, len(x))


def block_pointer_and_a_number(x):
    block = tl.make_block_ptr(x, (64,), (1,), (0,), (16,), (0,))
    tl.store(block + 16, 1.0)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (local_name, "'block' is not defined; did you mean 'blocks'?"),
        (name_outside, "'tow' is not defined; did you mean 'two'?"),
        (word_alone, "'arange' is not defined: write tl.arange"),
        (
            function_of_python,
            "'pow' is not defined: kernels do not have that function of Python; one without "
            "@tilewright.jit that uses it may be called on constants",
        ),
        (swapped_letters, "tilewright.language has no 'laod'; did you mean 'load'?"),
        (argument_of_a_word, "load has no argument 'msk'; did you mean 'mask'?"),
        (argument_of_no_word, "arange has no argument 'stop'; it takes start, end"),
        (argument_of_a_method, "sum has no argument 'axes'; did you mean 'axis'?"),
        (argument_of_a_loop, "range has no argument 'num_stage'; did you mean 'num_stages'?"),
        (length_of_a_pointer, "a pointer has no length: pass the extent of its array as an argume"),
        (block_pointer_and_a_number, "a block pointer is moved by tl.advance(pointer, offsets), "),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_the_error_says_what_is_near(kernel: Callable[..., None], message: str) -> None:
    with pytest.raises(tilewright.CompileError) as error:
        tilewright.jit(kernel).compile("*fp32")
    assert error.value.message.startswith(message)
