"""What would be computed wrongly, or for hours, is refused at its line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.language.extra import libdevice

TABLE = tl.constexpr(np.arange(4))
FACTOR = tl.constexpr(np.float32(0.5))
STEP = tl.constexpr(np.int64(3))


@tilewright.jit
def one(a):
    return a


@tilewright.jit
def stores_more(x, i):
    r = tl.arange(0, 64)
    tl.store(x + r, r[:, None])


@tilewright.jit
def stores_where_more(x, i):
    r = tl.arange(0, 64)
    tl.store(x + r, 1.0, mask=(r < i)[:, None])


@tilewright.jit
def adds_more(x, i):
    r = tl.arange(0, 64)
    tl.atomic_add(x + r, tl.zeros([64, 1], tl.float32))


@tilewright.jit
def adds_where_more(x, i):
    r = tl.arange(0, 64)
    tl.atomic_max(x + r, 1.0, mask=(r < i)[:, None])


@tilewright.jit
def swaps_more(x, i):
    r = tl.arange(0, 64)
    tl.atomic_cas(x + r, 0.0, tl.zeros([64, 64], tl.float32))


@tilewright.jit
def stores_what_a_mask_made_more(x, i):
    r = tl.arange(0, 64)
    tl.store(x + r, tl.load(x + r, mask=(r < i)[:, None]))


@tilewright.jit
def takes_pointers_for_a_mask(x, i):
    tl.store(x, tl.load(x, mask=x))


@tilewright.jit
def takes_a_pointer_for_a_number(x, i):
    tl.store(x, tl.full([4], x, tl.float32).sum())


@tilewright.jit
def takes_a_pointer_for_other(x, i):
    tl.store(x, tl.load(x, mask=i > 0, other=x))


@tilewright.jit
def takes_an_array(x, i):
    tl.store(x + tl.arange(0, 4), TABLE * tl.arange(0, 4))


@tilewright.jit
def takes_a_power(x, i):
    tl.store(x, 2**1000000000)


@tilewright.jit
def takes_a_shift(x, i):
    tl.store(x, 1 << 100000000000)


@tilewright.jit
def takes_a_long_text(x, i):
    tl.static_print("a" * 10**12)


@tilewright.jit
def takes_many_rounds(x, i):
    for k in tl.static_range(1000000):
        tl.store(x + k, 0.0)


@tilewright.jit
def takes_more_rounds_than_python_counts(x, i):
    for k in tl.static_range(2**70):
        tl.store(x + k, 0.0)


@tilewright.jit
def counts_down_too_far(x, i):
    for k in range(0, -(2**63), -(2**63)):
        tl.store(x + k, 0.0)


@tilewright.jit
def lists_many_rounds(x, i):
    tl.store(x, len([k + 1 for k in tl.static_range(10**9)]))


@tilewright.jit
def doubles_a_tuple(x, i):
    a = (1, 2)
    for _k in tl.static_range(40):
        a += a


@tilewright.jit
def takes_one_of_several(x, i):
    if i in (1, 2):
        tl.store(x, 0.0)


@tilewright.jit
def takes_a_number_of_several(x, i):
    if 2 not in (1, i):
        tl.store(x, 0.0)


@tilewright.jit
def takes_a_number_of_a_tile(x, i):
    if 2 in tl.arange(0, 4):
        tl.store(x, 0.0)


@tilewright.jit
def takes_a_bessel_function(x, i):
    tl.store(x, libdevice.jn(2, 1.0))


@tilewright.jit
def takes_a_cast_of_cuda(x, i):
    tl.store(x, libdevice.int2float_rn(i))


@tilewright.jit
def fills_with_floats_of_others(x, i):
    tl.store(x, tl.zeros([], tl.float8e4b15).to(tl.float32))


@tilewright.jit
def casts_to_floats_of_others(x, i):
    tl.store(x, i.to(tl.float32).to(tl.float8e4b8).to(tl.float32))


@tilewright.jit
def stores_more_than_a_float(x, i):
    tl.store(x, 10**400)


@tilewright.jit
def fills_with_nan(x, i):
    tl.store(x, tl.full([], float("nan"), tl.int32))


@tilewright.jit
def divides_integers(x, i):
    tl.store(x, tl.div_rn(i, i))


@tilewright.jit
def spreads_a_number(x, i):
    tl.store(x, one(*5))


@tilewright.jit
def spreads_a_number_by_names(x, i):
    tl.store(x, one(**5))


@tilewright.jit
def scales_by_a_float(x, i):
    tl.store(x, libdevice.scalbn(1.0, 2.5))


@tilewright.jit
def takes_a_number_apart(x, i):
    tl.store(x, one(*i))


@tilewright.jit
def combines_by_one(x, i):
    tl.store(x, tl.reduce(tl.arange(0, 16), 0, one))


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (stores_more, r"what is stored has the shape \[64, 1\], .* \[64\]: give .* \[64, 64\] a"),
        (stores_where_more, r"the mask of a store has the shape \[64, 1\], which does not fit"),
        (adds_more, r"what is combined has the shape \[64, 1\], which does not fit"),
        (adds_where_more, r"the mask of atomic_max has the shape \[64, 1\], which does not"),
        (swaps_more, r"what is stored has the shape \[64, 64\], which does not fit"),
        (stores_what_a_mask_made_more, r"what is stored has the shape \[64, 64\], which does not"),
        (takes_pointers_for_a_mask, r"the mask of a load is made of conditions, not of pointers"),
        (takes_a_pointer_for_a_number, "a pointer becomes an integer, .* and not fp32"),
        (takes_a_pointer_for_other, "a pointer becomes an integer, .* and not fp32"),
        (takes_an_array, r"\* takes numbers and tiles, not array\(\[0, 1, 2, 3\]\)"),
        (takes_a_power, "a constant of 1000000000 bits: integers of kernels have 64"),
        (takes_a_shift, "a constant of 100000000000 bits"),
        (takes_a_long_text, "a constant of 1000000000000 parts, which is too much"),
        (takes_many_rounds, "a loop that is unrolled 1000000 times is too long: tl.range is"),
        (takes_more_rounds_than_python_counts, r"unrolled 1180591620717411303424 times is too"),
        (counts_down_too_far, r"counts through less than 2\*\*63, not 9223372036854775808"),
        (lists_many_rounds, "a loop that is unrolled 1000000000 times is too long: tl.range is"),
        (doubles_a_tuple, "a constant of 2097152 parts, which is too much"),
        (takes_one_of_several, r"'in' is for constants: compare .* \(x == a\) \| \(x == b\)"),
        (takes_a_number_of_several, r"'in' is for constants: compare .* \(x == a\) \| \(x == b\)"),
        (takes_a_number_of_a_tile, r"'in' is for constants: compare .* by tl.max\(x == a\)"),
        (takes_a_bessel_function, "has no 'jn': libdevice.j0, j1, y0 and y1 are there; those of"),
        (takes_a_cast_of_cuda, r"has no 'int2float_rn': write x.to\(dtype\), behind"),
        (fills_with_floats_of_others, "no NVIDIA GPU has fp8e4b15: its floats of 8 bits are tl"),
        (casts_to_floats_of_others, "no NVIDIA GPU has fp8e4b8"),
        (stores_more_than_a_float, "a constant of 1329 bits fits into no fp32"),
        (fills_with_nan, "full of int32 takes an integer, not nan"),
        (divides_integers, "div_rn takes floats, not int32"),
        (spreads_a_number, r"\* is for a tuple or a list, not for 5"),
        (spreads_a_number_by_names, r"\*\* is for a dictionary of constants"),
        (scales_by_a_float, "scalbn takes an integer as exponent, not fp32"),
        (takes_a_number_apart, r"\* is for a tuple or a list, not for a value of type int32"),
        (
            combines_by_one,
            r"too many positional arguments: it is one\(a\), and is called with 2 values",
        ),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_refused(kernel: Any, words: str) -> None:
    with pytest.raises(tilewright.CompileError, match=words) as caught:
        kernel.compile("*fp32, i32")
    assert caught.value.file == __file__
    first = kernel.fn.__code__.co_firstlineno
    assert first < caught.value.line <= first + 5


@tilewright.jit
def reads_more(x, out, n):
    r = tl.arange(0, 16)
    tile = tl.load(x + r, mask=(r < n)[:, None], other=-1.0)
    tl.store(out + r[:, None] * 16 + r[None, :], tile)


def test_a_mask_gives_a_load_its_shape(target: str) -> None:
    """As Triton's: each row reads the same elements, or none."""
    x = np.random.default_rng(3).standard_normal(16).astype(np.float32)
    out = np.zeros((16, 16), np.float32)
    reads_more[(1,)](x, out, 5, target=target)
    np.testing.assert_array_equal(out, np.where(np.arange(16)[:, None] < 5, x, np.float32(-1)))


@tilewright.jit
def scales(x, out):
    r = tl.arange(0, 16)
    v = tl.load(x + r)
    tl.store(out + r, FACTOR * v + v * FACTOR + STEP)


def test_numbers_of_numpy_are_numbers(target: str) -> None:
    x, out = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    scales[(1,)](x, out, target=target)
    np.testing.assert_array_equal(out, x + 3)


@tilewright.jit
def sums_far_out(x, out, start, end, base, BLOCK: tl.constexpr):
    """The loads of this loop run ahead of the products, to where 32 bits would end."""
    r = tl.arange(0, 16)
    acc = tl.zeros([16, 16], tl.float32)
    for k in range(start, end, BLOCK):
        columns = (k - base) + tl.arange(0, BLOCK)
        a = tl.load(x + r[:, None] * 64 + columns[None, :])
        acc = tl.dot(a, a.T, acc)
    tl.store(out + r[:, None] * 16 + r[None, :], acc)


@pytest.mark.parametrize("end", [2**31 - 1, 2**31, 2**32 + 5, 2**63 - 1])
@pytest.mark.parametrize("stages", [1, 3])
def test_loops_that_end_where_integers_do(target: str, end: int, stages: int) -> None:
    x = np.random.default_rng(4).integers(-3, 4, (16, 64)).astype(np.float16)
    out = np.zeros((16, 16), np.float32)
    start = end - 63
    sums_far_out[(1,)](x, out, start, end, start, BLOCK=32, num_stages=stages, target=target)
    np.testing.assert_array_equal(out, x.astype(np.float32) @ x.T.astype(np.float32))


@tilewright.jit
def adds_up_its_counter(ranges, sums, rounds):
    p = tl.program_id(0)
    total = tl.load(ranges + 3 * p) * 0
    count = 0
    for i in range(
        tl.load(ranges + 3 * p), tl.load(ranges + 3 * p + 1), tl.load(ranges + 3 * p + 2)
    ):
        total += i
        count += 1
    tl.store(sums + p, total)
    tl.store(rounds + p, count)


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_ranges_of_run_time(target: str, kind: type[np.signedinteger[Any]]) -> None:
    """Far from the ends of integers and next to them, by small steps and large ones."""
    bits = np.iinfo(kind).bits
    end = 2 ** (bits - 1) - 1
    spaces = [range(0, 10, 3), range(5, 5, 1), range(9, 2, 4), range(-50, 50, 13)]
    spaces += [range(end - 100, end, 7), range(-end - 1, -end + 50, 9), range(end - 1, end, 1)]
    spaces += [range(-end - 1, end, 2 ** (bits - 3))]
    table = np.array([(s.start, s.stop, s.step) for s in spaces], kind)
    sums, rounds = np.zeros(len(spaces), kind), np.zeros(len(spaces), np.int32)
    adds_up_its_counter[(len(spaces),)](table, sums, rounds, target=target)
    assert rounds.tolist() == [len(s) for s in spaces]
    wrapped = [(sum(s) + end + 1) % 2**bits - end - 1 for s in spaces]
    assert sums.tolist() == wrapped


@tilewright.jit
def adds_up_by(ranges, sums, rounds, STEP: tl.constexpr):
    p = tl.program_id(0)
    total = tl.load(ranges + 2 * p) * 0
    count = 0
    for i in range(tl.load(ranges + 2 * p), tl.load(ranges + 2 * p + 1), STEP):
        total += i.to(sums.dtype.element_ty)
        count += 1
    tl.store(sums + p, total)
    tl.store(rounds + p, count)


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint32, np.uint64])
def test_ranges_as_far_as_integers_go(target: str, kind: type[np.integer[Any]]) -> None:
    """Up and down, next to both ends, over what a sign is in between, and over all there is."""
    least, most = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
    bits = np.iinfo(kind).bits
    middle = (least + most + 1) // 2
    ends = [(3, 50), (50, 3), (7, 7), (most - 40, most), (least, least + 40)]
    ends += [
        (middle - 9, middle + 9),
        (2 ** (bits - 1) - 9, most),
        (least, most),
        (least + 1, most),
    ]
    for step in (1, -1, 7, -7, 2 ** (bits - 4), -(2 ** (bits - 4))):
        spaces = [range(a, b, step) for a, b in [*ends, *(end[::-1] for end in ends)]]
        spaces = [space for space in spaces if (space.stop - space.start) // step < 100]
        table = np.array([(s.start, s.stop) for s in spaces], kind)
        sums, rounds = np.zeros(len(spaces), kind), np.zeros(len(spaces), np.int32)
        adds_up_by[(len(spaces),)](table, sums, rounds, STEP=step, target=target)
        assert rounds.tolist() == [len(s) for s in spaces], step
        assert [int(n) % 2**bits for n in sums] == [sum(s) % 2**bits for s in spaces], step


@tilewright.jit
def counts_down(ends, rounds):
    count = 0
    for _ in range(tl.load(ends), tl.load(ends + 1), -3):
        count += 1
    tl.store(rounds, count)


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_ranges_down_that_are_empty(target: str, kind: type[np.signedinteger[Any]]) -> None:
    """From the least number down to the largest one there is no way."""
    least, most = np.iinfo(kind).min, np.iinfo(kind).max
    for start, end in [(least, most), (0, most), (5, 5), (least + 1, least), (9, 0)]:
        rounds = np.zeros(1, np.int32)
        counts_down[(1,)](np.array([start, end], kind), rounds, target=target)
        assert rounds[0] == len(range(start, end, -3))


@tilewright.jit
def compares_with_no_pointer(x, out):
    i = tl.arange(0, 16)
    pointers = x + i
    tl.store(out + i, tl.zeros_like(pointers).to(tl.int64) == 0)


def test_zeros_like_pointers() -> None:
    x, out = np.ones(16, np.float32), np.zeros(16, np.int32)
    compares_with_no_pointer[(1,)](x, out)
    assert out.all()


@pytest.mark.parametrize(
    ("signature", "constants", "message"),
    [
        (None, None, r"a signature is a text such as '\*fp32, i32', not None"),
        (["*fp32", None], None, r"the types of a signature are texts such as '\*fp32', not None"),
        ({"x": 32, "out": "*i32"}, None, "the types of a signature are texts .*, not 32"),
        ("*fp32, *i32", [16], r"constants are given as {'BLOCK': 128}, not as \[16\]"),
    ],
)
def test_signatures_that_are_no_texts(signature: Any, constants: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        compares_with_no_pointer.compile(signature, constants)
