"""Control flow, names and calls of kernels, run in the simulator."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

import tilewright
import tilewright.language as tl

WIDTH = tl.constexpr(16)


def run(kernel, *arguments, grid=(1,), **keywords):
    """Launches on host arrays; gives the first one."""
    kernel[grid](*arguments, **keywords)
    return arguments[0]


def zeros(count: int = 16, dtype: type = np.int32) -> np.ndarray:
    return np.zeros(count, dtype)


@tilewright.jit
def sum_of_squares(out, n):
    total = 0
    for i in range(n):
        total += i * i
    tl.store(out, total)


@pytest.mark.parametrize("n", [0, 1, 2, 9])
def test_for(n: int) -> None:
    assert run(sum_of_squares, zeros(), n)[0] == sum(i * i for i in range(n))


@tilewright.jit
def steps(out, start, end, STEP: tl.constexpr):
    count = 0
    last = -100
    for i in range(start, end, STEP):
        count += 1
        last = i
    tl.store(out, count)
    tl.store(out + 1, last)


@pytest.mark.parametrize(
    ("start", "end", "step"),
    [
        (2**31 - 1, -(2**31), -(2**30)),
        (0, 10, 3),
        (10, 0, -3),
        (5, 5, 1),
        (7, 3, 1),
        (3, 7, -1),
        (-4, 9, 5),
        (9, -9, -6),
        (2, 1, -1),
    ],
)
def test_for_steps(start: int, end: int, step: int) -> None:
    values = list(range(start, end, step))
    out = run(steps, zeros(), start, end, STEP=step)
    assert list(out[:2]) == [len(values), values[-1] if values else -100]


@tilewright.jit
def unrolled(out, N: tl.constexpr):
    for i in tl.static_range(N):
        if i % 2 == 0:
            tl.store(out + i, i)
        else:
            tl.store(out + i, -i)


def test_static_range() -> None:
    out = run(unrolled, zeros(), N=5)
    assert list(out[:6]) == [0, -1, 2, -3, 4, 0]


@tilewright.jit
def either_range(out, N: tl.constexpr):
    total = 0
    for i in (tl.static_range if N <= 4 else range)(N):
        total += i
    tl.store(out, total)


@pytest.mark.parametrize("n", [3, 7])
def test_range_that_a_constant_chooses(n: int) -> None:
    assert run(either_range, zeros(), N=n)[0] == sum(range(n))


@tilewright.jit
def collatz(out, n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    tl.store(out, steps)


@pytest.mark.parametrize(("n", "steps"), [(2, 1), (7, 16), (27, 111)])
def test_while(n: int, steps: int) -> None:
    assert run(collatz, zeros(), n)[0] == steps


@tilewright.jit
def classify(out, n):
    if n < 0:
        kind = -1
    elif n == 0:
        kind = 0
    elif n < 10:
        kind = 1
    else:
        kind = 2
    tl.store(out, kind)


@pytest.mark.parametrize(("n", "kind"), [(-5, -1), (0, 0), (5, 1), (10, 2)])
def test_elif(n: int, kind: int) -> None:
    assert run(classify, zeros(), n)[0] == kind


@tilewright.jit
def early(out, n):
    tl.store(out, 1)
    if n > 3:
        if n > 5:
            tl.store(out, 2)
            return
        tl.store(out + 1, 7)
    if n == 0:
        return
    tl.store(out + 2, 9)


@pytest.mark.parametrize("n", [0, 2, 4, 6])
def test_early_return(n: int) -> None:
    expected = [1, 0, 0]
    if n > 5:
        expected[0] = 2
    else:
        expected[1] = 7 if n > 3 else 0
        expected[2] = 9 if n != 0 else 0
    assert list(run(early, zeros(), n)[:3]) == expected


@tilewright.jit
def sign(x):
    if x > 0:
        return 1
    if x < 0:
        return -1
    return 0


@tilewright.jit
def divide(a, b, offset=10, scale: tl.constexpr = 1):
    quotient = a // b
    return quotient + offset, (a % b) * scale


@tilewright.jit
def calls(out, n):
    tl.store(out, sign(n))
    q, r = divide(n, 4)
    tl.store(out + 1, q)
    tl.store(out + 2, r)
    both = divide(b=3, a=n, scale=2, offset=0)
    tl.store(out + 3, both[0])
    tl.store(out + 4, both[1])


@pytest.mark.parametrize("n", [0, 17, 5])
def test_helpers(n: int) -> None:
    expected = [np.sign(n), n // 4 + 10, n % 4, n // 3, 2 * (n % 3)]
    assert list(run(calls, zeros(), n)[:5]) == expected


@tilewright.jit
def swap(out, n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    tl.store(out, a)


def test_tuples_go_around() -> None:
    assert run(swap, zeros(), 10)[0] == 55


@tilewright.jit
def in_tuple(out, pair, n):
    state = (tl.zeros((16,), tl.int32), 3)
    for i in range(n):
        state = (state[0] + pair[0], state[1] + i)
    tl.store(out + tl.arange(0, 16), state[0] + state[1] * pair[1])


def test_tuple_argument() -> None:
    out = run(in_tuple, zeros(), (2, 5), 4)
    assert list(out) == [8 + (3 + 6) * 5] * 16


@tilewright.jit
def cut_off(out, other, MODE: tl.constexpr, FLAG: tl.constexpr = None):
    if MODE == "double":
        value = 2
    elif MODE == "no_such_thing":
        value = tl.no_such_word(unknown_name)  # noqa: F821
    else:
        value = 1
    if FLAG is not None and FLAG > 3:
        value += tl.missing(FLAG)
    if other is None:
        value += 10
    else:
        value += tl.load(other)
    tl.store(out, value)


def test_constants_cut_off() -> None:
    assert run(cut_off, zeros(), None, MODE="double")[0] == 12
    other = np.full(1, 100, np.int32)
    assert run(cut_off, zeros(), other, MODE="other", FLAG=2)[0] == 101


@tilewright.jit
def chooses(out, n):
    a = 5 if n > 2 else n
    tile = tl.arange(0, WIDTH)
    scale = tl.load(out) if n > 2 else 1
    tl.store(out + tile, tl.where(tile < 8, tile * a, -tile) + scale)


@pytest.mark.parametrize("n", [1, 4])
def test_conditional_expression(n: int) -> None:
    i = np.arange(16)
    expected = np.where(i < 8, i * (5 if n > 2 else n), -i) + (0 if n > 2 else 1)
    assert np.array_equal(run(chooses, zeros(), n), expected)


@tilewright.jit
def logic(out, a, b, FLAG: tl.constexpr):
    if (a > 2 and b > 2) or not FLAG:
        tl.store(out, 1)
    if FLAG and a > 2:
        tl.store(out + 1, 1)
    if FLAG or undefined_name:  # noqa: F821
        tl.store(out + 2, 1)
    tile = tl.arange(0, 16)
    tl.store(out + tile, 2, mask=(tile > 7) and (tile < 10))


def test_logic() -> None:
    assert list(run(logic, zeros(), 3, 1, FLAG=True)[:3]) == [0, 1, 1]
    out = run(logic, zeros(), 3, 3, FLAG=True)
    assert list(out) == [1, 1, 1, 0, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0]


@tilewright.jit
def joins(out, x, n):
    tile = tl.load(x + tl.arange(0, 16))
    if n > 2:
        tile = tile + 1
        flag = tile > 3
        scalar = 0
    else:
        flag = tile > 5
        scalar = tl.load(x)
    if n > 100:
        big = tl.full((16,), 3, tl.int32)
    else:
        big = tile * 0
    tl.store(out + tl.arange(0, 16), tl.where(flag, tile, scalar) + big)


@pytest.mark.parametrize("n", [1, 3])
def test_joined_values(n: int) -> None:
    x = np.arange(16, dtype=np.int32) + 2
    tile = x + (1 if n > 2 else 0)
    expected = np.where(tile > (3 if n > 2 else 5), tile, 0 if n > 2 else x[0])
    assert np.array_equal(run(joins, zeros(), x, n), expected)


@tilewright.jit
def ones(out, n, m):
    # An argument that is 1 is a constant, and a scalar too.
    tl.store(out, n.to(tl.int32) + m)
    tl.store(out + 1, (n * 3).to(tl.float32).to(tl.int32))


@pytest.mark.parametrize("n", [1, 2])
def test_argument_one(n: int) -> None:
    assert list(run(ones, zeros(), n, 1)[:2]) == [n + 1, 3 * n]


@tilewright.jit
def apply(function: tl.constexpr, x):
    return function(x)


@tilewright.jit
def twice(x):
    return x * 2


@tilewright.jit
def functions(out, n):
    tl.store(out, apply(twice, n) + apply(function=sign, x=n))


def test_functions_as_values() -> None:
    assert run(functions, zeros(), 7)[0] == 15


@tilewright.jit
def types(out, x, DTYPE: tl.constexpr):
    value = tl.load(x).to(DTYPE)
    if x.dtype.element_ty == tl.float16:
        tl.store(out, 1)
    elif x.type.element_ty.is_floating():
        tl.store(out, 2)
    if value.dtype == tl.bfloat16 and DTYPE != "bf16":
        tl.store(out + 1, 3)
    tl.store(out + 2, out.dtype.element_ty.primitive_bitwidth)
    name: tl.constexpr = f"int{out.dtype.element_ty.int_bitwidth}"
    if name == "int32":
        tl.store(out + 3, 4)


def test_types_as_values() -> None:
    assert list(run(types, zeros(), np.zeros(1, np.float16), tl.bfloat16)[:4]) == [1, 3, 32, 4]
    assert list(run(types, zeros(), np.zeros(1, np.float32), tl.float16)[:4]) == [2, 0, 32, 4]


@tilewright.jit
def host(out, N: tl.constexpr):
    block: tl.constexpr = tilewright.next_power_of_2(N)
    i = tl.arange(0, block)
    shape: tl.constexpr = [2, block // 2]
    tile = tl.reshape(i, shape)
    rows = tile.shape[:-1] + [1]
    column = tl.full(rows, 100, tl.int32)
    tl.store(out + i, tl.reshape(tile + column, block), mask=i < N)
    tl.store(out + 15, tl.cdiv(N, 4) + max(N, 3) + min(i.shape[0], 2) + len(shape))


def test_host_python() -> None:
    out = run(host, zeros(), N=13)
    assert list(out[:13]) == [100 + i for i in range(13)]
    assert out[15] == 4 + 13 + 2 + 2


@tilewright.jit
def nested(out, n):
    total = tl.zeros((16,), tl.int32)
    for i in range(n):
        j = 0
        while j < i:
            if (i + j) % 3 == 0:
                total += tl.arange(0, 16) * j
            else:
                for k in range(j):
                    total = total + k
            j += 1
    tl.store(out + tl.arange(0, 16), total)


def test_nested_loops() -> None:
    total = np.zeros(16, np.int32)
    for i in range(6):
        for j in range(i):
            if (i + j) % 3 == 0:
                total += np.arange(16) * j
            else:
                total += sum(range(j))
    assert np.array_equal(run(nested, zeros(), 6), total)


@tilewright.jit
def index_names(out, n):
    total = 0
    for k in tl.static_range(2):
        total += k
    for _ in range(n):
        for k in range(4):
            total += k
    tl.store(out, total)


def test_names_of_counters_are_used_again() -> None:
    assert run(index_names, zeros(), 3)[0] == 1 + 3 * 6


@tilewright.jit
def structures(out, n):
    state = (None, (0, tl.zeros((16,), tl.int32)))
    for i in range(n):
        state = (None, (state[1][0] + i, state[1][1] + 2))
    if state[0] is None:
        tl.store(out + tl.arange(0, 16), state[1][1] + state[1][0])


@tilewright.jit
def local_of_a_loop(out, n):
    tmp = 1.5
    for i in range(n):
        tmp = tl.arange(0, 16) + i
        tl.store(out + tl.arange(0, 16), tmp)


def test_structures_go_around() -> None:
    assert list(run(structures, zeros(), 4)) == [6 + 8] * 16
    assert np.array_equal(run(local_of_a_loop, zeros(), 3), np.arange(16) + 2)


class Outer:
    """Helpers may be attributes of classes and modules."""

    helper = staticmethod(twice)


@tilewright.jit
def through_class(out):
    tl.store(out, Outer.helper(4))


def test_call_through_class() -> None:
    assert run(through_class, zeros())[0] == 8


def make_kernel(amount: int, helper: tilewright.JITFunction) -> tilewright.JITFunction:
    constant = tl.constexpr(amount)

    @tilewright.jit
    def closed(out):
        tl.store(out, helper(constant))

    return closed


def test_closure() -> None:
    assert run(make_kernel(5, twice), zeros())[0] == 10
    assert run(make_kernel(-3, sign), zeros())[0] == -1


@tilewright.jit
def guards(out, a, b):
    x = 0
    if a > 0:
        x += 1
        if b > 10:
            tl.store(out, -1)
            return
    if a > 1:
        x += 2
        if b > 9:
            tl.store(out, -2)
            return
    else:
        x += 100
        if b > 8:
            tl.store(out, -3)
            return
        y = x * 2
        x = y
    if a > 2:
        if b > 7:
            return
        x += 4
    tl.store(out, x)


def guards_in_python(a: int, b: int) -> int:
    x = 0
    if a > 0:
        x += 1
        if b > 10:
            return -1
    if a > 1:
        x += 2
        if b > 9:
            return -2
    else:
        x += 100
        if b > 8:
            return -3
        x = x * 2
    if a > 2:
        if b > 7:
            return 0
        x += 4
    return x


@pytest.mark.parametrize("a", range(5))
def test_returns_behind_returns(a: int) -> None:
    for b in range(6, 13):
        assert run(guards, zeros(), a, b)[0] == guards_in_python(a, b)


@tilewright.jit
def pick(a, b, tile):
    if a > 0:
        tile = tile + 1
        if b > 5:
            return tile, 1
        if b > 3:
            return tile * 2, 2
        scale = 3
    else:
        scale = 4
        if b > 4:
            return tile * 10, 3
    if b == 0:
        return tile, 4
    return tile * scale, a


@tilewright.jit
def picks(out, a, b):
    i = tl.arange(0, 8)
    tile, number = pick(a, b, i)
    tl.store(out + i, tile)
    tl.store(out + 8, number)


@pytest.mark.parametrize("a", [-1, 1])
@pytest.mark.parametrize("b", range(7))
def test_values_from_the_middle(a: int, b: int) -> None:
    tile, number = pick.fn(a, b, np.arange(8))
    out = run(picks, zeros(), a, b)
    assert np.array_equal(out[:8], tile) and out[8] == number


def make_many(source: str):
    linecache.cache["<many>"] = (len(source), None, source.splitlines(True), "<many>")
    names: dict = {"tl": tl}
    exec(compile(source, "<many>", "exec"), names)
    return tilewright.jit(names["many"])


def test_many_guards_stay_small() -> None:
    lines = "".join(
        f"    if a > {i}:\n        x += 1\n        if b > {i}:\n            return\n"
        for i in range(40)
    )
    many = make_many(f"def many(out, a, b):\n    x = 0\n{lines}    tl.store(out, x)\n")
    text = many.compile("*i32, i32, i32").ir("tile")
    assert text.count("scf.if") < 200
    assert run(many, zeros(), 30, -1)[0] == 30


# Each branch is in the one before: who walks them twice does not end.
def test_many_cases() -> None:
    cases = "".join(f"    elif a == {i}:\n        x = x * {i} + s\n" for i in range(1, 40))
    many = make_many(
        "def many(out, a):\n    i = tl.arange(0, 16)\n    x = tl.load(out + i)\n"
        f"    s = tl.sum(x, 0)\n    if a == 0:\n        x = -x\n{cases}"
        "    else:\n        x = tl.cumsum(x, 0)\n    tl.store(out + i, x)\n"
    )
    numbers = np.arange(16, dtype=np.int32)
    assert np.array_equal(run(many, numbers.copy(), 33), numbers * 33 + numbers.sum())
    assert np.array_equal(run(many, numbers.copy(), 40), numbers.cumsum())


@tilewright.jit
def add_columns_around(x, y, n, N, BLOCK: tl.constexpr):
    j = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    while j < n:
        total += tl.load(x + (j * BLOCK + tl.arange(0, BLOCK)) % N)
        j += tl.num_programs(0)
    tl.store(y + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), total)


@pytest.mark.parametrize(("columns", "width"), [(640, 4), (40, 4), (37, 1)])
def test_remainders_of_what_a_while_counts(columns: int, width: int) -> None:
    """They are consecutive, as those of a counter of a for are: loads are wide."""
    x = np.arange(columns, dtype=np.float32)
    y = np.zeros((2, 512), np.float32)
    promised = f"i32:{columns & -columns}" if columns % 2 == 0 else "i32"
    kernel = add_columns_around.warmup("*fp32:16", "*fp32:16", "i32", promised, 512)
    assert ("ld.global.v4" in kernel.variants[-1]["ptx"]) == (width == 4)
    add_columns_around[(2,)](x, y, 7, columns, BLOCK=512)
    places = np.arange(7 * 512).reshape(7, 512) % columns
    assert np.array_equal(y, [x[places[first::2]].sum(0) for first in (0, 1)])


@tilewright.jit
def adds_columns(out, i: tl.constexpr, WIDTH: tl.constexpr, flag: tl.constexpr):
    """Programs of others call tl.constexpr what is a tile."""
    if flag > 0:
        tl.store(out + i, i * WIDTH)


@tilewright.jit
def calls_with_tiles(out, n):
    adds_columns(out, tl.arange(0, 16), 3, n)


def test_values_of_run_time_for_constants_of_helpers() -> None:
    assert np.array_equal(run(calls_with_tiles, zeros(), 1), 3 * np.arange(16))
    assert not run(calls_with_tiles, zeros(), 0).any()


@tilewright.jit
def makes_tile(SIZE: tl.constexpr):
    return tl.zeros((SIZE,), tl.int32)


@tilewright.jit
def needs_a_constant(out, n):
    tl.store(out + tl.arange(0, 16), makes_tile(n))


def test_what_needs_a_constant_says_so() -> None:
    with pytest.raises(tilewright.CompileError, match="an extent of a shape is a value of run"):
        run(needs_a_constant, zeros(), 16)


@tilewright.jit
def double_parts(x, y, COUNT: tl.constexpr, PART: tl.constexpr):
    i = tl.arange(0, PART)
    for part in tl.static_range(COUNT):
        tl.store(y + part * PART + i, tl.load(x + part * PART + i) * 2)


def test_many_accesses_have_their_places() -> None:
    count, part = 70, 16
    x = np.arange(count * part, dtype=np.float32)
    y = np.full(count * part + 1, -1, np.float32)
    double_parts[(1,)](x, y, COUNT=count, PART=part)
    assert np.array_equal(y, np.append(2 * x, np.float32(-1)))


@tilewright.jit
def count_down_kernel(out, n):
    step = n.to(tl.uint8)
    for i in range(9, 0, -step):
        tl.store(out + i, 1.0)


def test_a_step_that_is_never_below_0():
    with pytest.raises(tilewright.CompileError, match="type uint8 is never below 0: make it"):
        count_down_kernel[(1,)](np.zeros(10, np.float32), 3)
