"""Numbers of programs and of a launch, divided by anything."""

from itertools import product

import numpy as np

import tilewright
import tilewright.language as tl


@tilewright.jit(do_not_specialize=["by", "other"])
def divide_kernel(out, by, other):
    x, y = tl.program_id(0), tl.program_id(1)
    place = out + (y * tl.num_programs(0) + x) * 5
    tl.store(place, x // by)
    tl.store(place + 1, x % by)
    tl.store(place + 2, y // by)
    tl.store(place + 3, x % by // other)
    # Of a number that may be any.
    tl.store(place + 4, (by - x) // other)


def wrap(value):
    return (value + 2**31) % 2**32 - 2**31


def quotient(a, b):
    """Toward zero; by 0 it is that by 1, and the least integer by -1 is itself."""
    b = b or 1
    return wrap(abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1))


def rest(a, b):
    return wrap(a - quotient(a, b) * (b or 1))


def test_divided(target):
    grid = (9, 3)
    for by, other in product((1, -1, 0, 3, -4, 2**31 - 1, -(2**31)), (-1, 0, 2)):
        out = np.full((grid[1], grid[0], 5), 77, np.int32)
        divide_kernel[grid](out, by, other, target=target)
        for y, x in np.ndindex(grid[::-1]):
            left = rest(x, by)
            right = [quotient(x, by), left, quotient(y, by), quotient(left, other)]
            right += [quotient(wrap(by - x), other)]
            assert out[y, x].tolist() == right, (x, y, by, other)


def test_an_argument_that_is_1(target):
    """It is a constant, whose quotients are Python's."""

    def divide(out, n):
        tl.store(out, (n - 8) // 2)
        tl.store(out + 1, (n - 8) % 2)

    for kernel, n, expected in (
        (tilewright.jit(divide), 1, [-4, 1]),
        (tilewright.jit(divide), 3, [-2, -1]),
        (tilewright.jit(do_not_specialize=["n"])(divide), 1, [-3, -1]),
    ):
        out = np.zeros(2, np.int32)
        kernel[1,](out, n, target=target)
        assert out.tolist() == expected
