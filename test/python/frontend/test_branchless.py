"""Functions of reductions, scans and maps: where they choose, they compute both ways."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@tilewright.jit
def larger(a, ai, b, bi):
    best = a
    place = ai
    if b > a:
        best = b
        place = bi
    elif b == a:  # noqa: SIM102
        if bi < ai:
            place = bi
    return best, place


@tilewright.jit
def largest(a, b):
    if a > b:
        return a
    return b


@tilewright.jit
def combine(x, best, place, running, N: tl.constexpr):
    i = tl.arange(0, N)
    values = tl.load(x + i)
    most, where = tl.reduce((values, i), 0, larger)
    tl.store(best, most)
    tl.store(place, where)
    tl.store(running + i, tl.associative_scan(values, 0, largest))


@tilewright.jit
def is_floating(a):
    """As programs that torch.compile writes ask: by a tile of one element."""
    return (a + tl.zeros((1,), tl.int1)).dtype.is_floating()


@tilewright.jit
def later_maximum(a, b):
    mask = a > b
    if is_floating(a):
        mask |= a != a
    return tl.where(mask, a, b)


@tilewright.jit
def sum_as_tiles(a, b):
    total = tl.zeros((1, 1), tl.float32) + a
    if total.reshape(1) > 1000:
        total = tl.zeros((1, 1), tl.float32)
    return total + tl.broadcast_to(b, (1, 1))


@tilewright.jit
def combine_tiles(x, out, N: tl.constexpr):
    values = tl.load(x + tl.arange(0, N))
    tl.store(out, tl.reduce(values, 0, later_maximum))
    tl.store(out + 1, tl.reduce(values, 0, sum_as_tiles))


def test_tiles_of_one_element_in_functions() -> None:
    x = np.arange(32, dtype=np.float32)
    out = np.zeros(2, np.float32)
    combine_tiles[(1,)](x, out, N=32)
    assert out.tolist() == [31, x.sum()]
    x[7] = np.nan
    combine_tiles[(1,)](x, out, N=32)
    assert np.isnan(out).all()


@tilewright.jit
def makes_a_tile(a, b):
    return a + b + tl.sum(tl.arange(0, 4), 0)


@tilewright.jit
def combine_with_a_tile(x):
    tl.store(x, tl.reduce(tl.arange(0, 16), 0, makes_a_tile))


def test_functions_make_no_tiles() -> None:
    with pytest.raises(tilewright.CompileError, match="is arithmetic on one element"):
        combine_with_a_tile[(1,)](np.zeros(1, np.int32))


@tilewright.jit
def piecewise(a, low, high):
    if a < low:
        if a == -1:
            return a - 1, 0
        r = a * 10
    elif a > high:
        r = high
    else:
        r = a
    return r, 1 if r > 0 else 2


@tilewright.jit
def maps(x, y, z, high, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.map_elementwise(piecewise, tl.load(x + i)[:, None], (i % 2)[None, :], high)
    at = i[:, None] * N + i[None, :]
    tl.store(y + at, a)
    tl.store(z + at, b)


def test_choices_in_functions(target: str) -> None:
    x = np.random.default_rng(3).integers(-5, 9, 64).astype(np.int32)
    best, place, running = (np.zeros(n, np.int32) for n in (1, 1, 64))
    combine[(1,)](x, best, place, running, N=64, target=target)
    assert (best[0], place[0]) == (x.max(), x.argmax())
    assert np.array_equal(running, np.maximum.accumulate(x))
    y, z = np.zeros((64, 64), np.int32), np.zeros((64, 64), np.int32)
    maps[(1,)](x, y, z, 5, N=64, target=target)
    expected = np.array([[piecewise.fn(a, low % 2, 5) for low in range(64)] for a in x])
    assert np.array_equal(y, expected[..., 0]) and np.array_equal(z, expected[..., 1])


@tilewright.jit
def comprehends(out, numbers):
    doubled = [2 * number for number in numbers]
    sums = [a + b for a, b in ((1, 2), (3, 4))]
    counted = [i + 0 for i in tl.static_range(1, 9, 3)]
    for i in tl.static_range(len(doubled)):
        tl.store(out + i, doubled[i] + sums[1] + counted[2])
    if tl.load(out + tl.arange(0, 1)) == 16:
        tl.store(out + 3, 1)


def test_comprehensions() -> None:
    out = np.zeros(4, np.int32)
    comprehends[(1,)](out, (1, 2, 3))
    assert out.tolist() == [16, 18, 20, 1]


@tilewright.jit
def places_of_extremes(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    numbers = tl.load(x + i)
    tl.store(y, tl.argmax(numbers, axis=0))
    tl.store(y + 1, tl.argmin(numbers, axis=0))


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint32", "int64"])
def test_places_of_integers_by_one_condition(target: str, dtype: str) -> None:
    numbers = np.random.default_rng(5).integers(0, 100, 256).astype(dtype)
    numbers[[7, 90, 91]], numbers[[200, 3, 9]] = 120, 0
    if dtype == "uint32":
        numbers[[8, 11]] = 2**32 - 1
    places = np.zeros(2, np.int32)
    kernel = places_of_extremes[(1,)](numbers, places, N=256, target=target)
    assert tuple(places) == (numbers.argmax(), numbers.argmin())
    program = kernel.ir("tile")
    # Numbers and places are chosen together: no extreme is compared with what it is of.
    assert "arith.max" not in program and "arith.min" not in program
    assert program.count("arith.select") == 4
