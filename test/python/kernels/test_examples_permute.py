"""examples/python/permute.py: in the simulator, beside NumPy, bit by bit."""

import itertools
import re
from types import SimpleNamespace

import examples_support  # noqa: F401, the folder of the example
import numpy as np
import pytest

import costs_of_blocks
import permute
import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")

# Elements of 1, 2, 4, 8 and 16 bytes.
TYPES = ("bool", "int8", "float16", "float32", "float64", "complex64", "complex128")


def bits(shape, dtype="uint8", seed=0):
    """Any bits, of which NaNs are some."""
    count = int(np.prod(shape)) * np.dtype(dtype).itemsize
    numbers = np.random.default_rng(seed).integers(0, 2 if dtype == "bool" else 256, count, "u1")
    return numbers.view(dtype).reshape(shape)


def same_bits(actual, expected):
    assert actual.shape == expected.shape
    assert actual.tobytes() == expected.tobytes()


def check(x, order, **options):
    expected = permute.reference(x, order)
    out = bits(expected.shape, x.dtype, seed=1)
    permute.permute(x, out, order, **options)
    same_bits(out, expected)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(1, 1), (70, 33), (128, 256), (3, 500), (515, 2), (259, 48)])
def test_transpose(dtype, shape):
    x, out = bits(shape, dtype), bits(shape[::-1], dtype, seed=1)
    permute.transpose(x, out)
    same_bits(out, x.T)


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64", "complex128"])
def test_all_orders_of_three_dimensions(dtype):
    for order in itertools.permutations(range(3)):
        check(bits((6, 35, 17), dtype), order)


@pytest.mark.parametrize("seed", range(40))
def test_any_order_of_any_shape(seed):
    random = np.random.default_rng(seed)
    rank = int(random.integers(1, 6))
    shape = random.choice([1, 2, 3, 4, 5, 8, 16, 17, 33], rank)
    check(bits(shape, random.choice(TYPES), seed), tuple(random.permutation(rank).tolist()))


@pytest.mark.parametrize(
    ("shape", "order"),
    [
        ((2, 3, 22, 22), (0, 2, 3, 1)),  # Channels last,
        ((2, 22, 22, 3), (0, 3, 1, 2)),  # and first.
        ((2, 4, 40, 64), (0, 2, 1, 3)),  # Heads: rows that stay rows.
        ((40, 41, 2), (1, 0, 2)),  # Rows too short to be moved alone.
        ((4, 300, 4), (2, 1, 0)),  # Short where it is dense, in both.
        ((3, 4, 70, 4), (2, 0, 3, 1)),
        ((2, 2, 2, 2, 2), (4, 3, 2, 1, 0)),
    ],
)
def test_orders_of_models(shape, order):
    for dtype in ("int8", "float16", "float32", "complex128"):
        check(bits(shape, dtype), order)


def test_arrays_of_any_strides():
    large = bits((40, 30, 20), "float32")
    check(large[3:37, ::2, 5:], (2, 0, 1))
    check(large.transpose(1, 0, 2)[:, ::3], (0, 2, 1))
    check(np.broadcast_to(large[:, :1, :3], (40, 7, 3)), (2, 1, 0))
    check(bits((12, 24), "complex128")[::2, 1::3], (1, 0))
    # A result with gaps, which keep what they have.
    x, out = bits((30, 40), "float16"), bits((90, 50), "float16", seed=1)
    expected = out.copy()
    expected[1:81:2, 7:37] = x.T
    permute.transpose(x, out[1:81:2, 7:37])
    same_bits(out, expected)
    # One that is dense along another dimension than its last.
    x, out = bits((30, 40, 5), "float32"), bits((5, 30, 40), "float32", seed=1).transpose(1, 2, 0)
    permute.permute(x, out, (0, 1, 2))
    same_bits(out.copy(), x)


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0), (0, 3, 4), (3, 0, 4)])
def test_nothing(shape):
    check(bits(shape, "float32"), tuple(range(len(shape)))[::-1])


def test_elements_that_are_one_and_the_same(target):
    large = bits((40, 1, 24), "float16")
    for order in itertools.permutations(range(3)):
        check(np.broadcast_to(large, (40, 9, 24)), order, target=target)
    check(np.broadcast_to(bits((1, 30), "int8"), (50, 30)), (1, 0), target=target)
    check(np.broadcast_to(bits((1, 1), "complex128"), (5, 30)), (1, 0), target=target)


def test_dimensions_that_go_backwards(target):
    for dtype in ("int8", "float32"):
        large = bits((30, 20, 36), dtype)
        for x in (large[::-1], large[:, ::-1, ::-1], large[::-2, :, 3:]):
            check(x, (2, 0, 1), target=target)
            check(x, (1, 0, 2), target=target)


def test_quotients_by_products():
    for divisor in [2, 3, 5, 7, 48, 64, 65, 641, 32767, 1 << 20, (1 << 30) + 1, (1 << 31) - 1]:
        factor, shift = costs_of_blocks.reciprocal(divisor)
        assert -(1 << 31) <= factor < 0 <= shift < 31
        for n in [0, 1, divisor - 1, divisor, 7 * divisor - 1, (1 << 31) // divisor * divisor - 1]:
            n = min(n, (1 << 31) - 1)
            assert (n * (factor + (1 << 32)) >> 32) >> shift == n // divisor


def test_elements_that_stay_side_by_side_are_moved_as_one(target):
    def count(shape, order, size, beside=0):
        return permute.count_together(dimensions(shape, order, size), size, beside)

    assert count((30, 7, 12), (1, 0, 2), 1) == 4
    assert count((30, 7, 12), (1, 0, 2), 1, beside=2) == 2
    assert count((30, 7, 12), (1, 0, 2), 1, beside=1) == 1
    assert count((30, 7, 24), (1, 0, 2), 1) == 8
    assert count((30, 7, 12), (1, 0, 2), 2) == 4
    assert count((30, 7, 6), (1, 0, 2), 4) == 2
    assert count((30, 7, 5), (1, 0, 2), 4) == count((30, 7, 6), (1, 0, 2), 8) == 1
    # Vectors are moved as they are, and what does not stay.
    assert count((30, 7, 32), (1, 0, 2), 1) == count((30, 12), (1, 0), 1) == 1
    for dtype in ("int8", "float16", "float32"):
        check(bits((30, 7, 3, 4), dtype), (1, 0, 2, 3), target=target)
        memory = bits((30 * 7 * 12 + 5,), dtype)
        for begin in (1, 2, 4):
            x = memory[begin : begin + 30 * 7 * 12].reshape(30, 7, 12)
            check(x, (1, 0, 2), target=target)
            check(x[:, :, :8], (1, 0, 2), target=target)
            check(x[::-1, ::2], (1, 0, 2), target=target)


def test_one_element():
    check(bits((), "float64"), ())
    check(bits((1, 1, 1), "complex128"), (2, 0, 1))


def test_dimensions_that_are_one():
    # Of x[a, b, c, d] in the order c, d, a, b there are two.
    dims = permute.collapse((5, 7, 2, 3), (7, 1, 105, 35), (42, 6, 3, 1))
    assert dims == [(6, 35, 1), (35, 1, 6)]
    assert permute.collapse((4, 1, 6), (6, 99, 1), (6, 55, 1)) == [(24, 1, 1)]
    assert permute.collapse((1, 1), (1, 1), (1, 1)) == [(1, 1, 1)]
    # A gap in one of both keeps them apart.
    assert permute.collapse((4, 6), (6, 1), (8, 1)) == [(6, 1, 1), (4, 6, 8)]


def test_a_thread_divides_as_often_however_large_its_block():
    def divisions(block):
        x, out = bits((64, 64), "int32"), bits((64, 64), "int32")
        grid = (64 // block[0] * (64 // block[1]),)
        kernel = permute.permute_kernel[grid](
            x,
            out,
            (64, 64),
            (((64,), (1,), ()), ((64,), (64,), ())),
            (((64,), (64,), ()), ((64,), (1,), ())),
            (64 // block[1], 1),
            1,
            BLOCK=block,
            num_warps=1,
            # A thread that runs several programs divides for each.
            batch_programs=False,
        )
        return len(re.findall(r"^\s*(?:div|rem)\.", kernel.ptx, re.MULTILINE))

    assert divisions((64, 64)) <= divisions((4, 4)) <= 2


def test_programs_have_axes_of_the_grid(monkeypatch):
    def place(*programs):
        return permute.place_programs(programs, 2)

    assert place(7) == ((7,), (1,))
    assert place(70000, 5) == ((70000, 5), (1,))
    assert place(2, 3, 5) == ((2, 3, 5), (1,))
    assert place(2, 3, 5, 7, 11) == ((2, 3, 5 * 7 * 11), (35, 5, 1))
    # Of all but the first axis there are few.
    assert place(2, 70000) == ((140000,), (2, 1))
    assert place(2, 3, 70000, 2) == ((840000,), (420000, 6, 2, 1))
    assert place(2, 70000, 1) == ((140000,), (140000, 2, 1))
    assert permute.place_programs((2, 3, 5), 0) == ((30,), (6, 2, 1))
    # Rows in fours divide.
    rows = permute.plan((777, 1000, 121), (121, 777 * 121, 1), (121000, 121, 1), 2, None)
    assert len(rows[0]) == 1 and rows[2]["IN_FOURS"]
    cases = [((9, 130), (1, 0)), ((40, 5, 33), (2, 0, 1)), ((3, 4, 5, 6, 7), (4, 2, 0, 3, 1))]
    for most in (0, 5, 65535):
        monkeypatch.setattr(permute, "MOST_PROGRAMS", most)
        permute.plan.cache_clear()
        for shape, order in cases:
            check(bits(shape, "float32"), order, shape=(4, 4, 1))
    permute.plan.cache_clear()


def test_a_matrix_is_moved_without_division(monkeypatch):
    kernel = tilewright.jit(permute.permute_kernel.fn)
    monkeypatch.setattr(permute, "permute_kernel", kernel)
    check(bits((192, 128), "float32"), (1, 0), shape=(64, 64, 16))
    ptx = kernel.kernels[0].variants[-1]["ptx"]
    assert "ctaid.y" in ptx and not re.search(r"^\s*(?:div|rem)\.", ptx, re.MULTILINE)


def test_streams(target):
    for shape, order, dtype in [
        ((63, 130), (1, 0), "float64"),
        ((64, 128), (1, 0), "int8"),
        ((5, 24, 70), (2, 0, 1), "float32"),
        ((131, 97), (1, 0), "float16"),
        ((34, 4096), (1, 0), "float64"),
        ((3, 8192), (1, 0), "float32"),
    ]:
        for streams in (2, 4):
            check(bits(shape, dtype), order, shape=(16, 16, 1, streams), target=target)


def test_streams_have_as_many_blocks():
    def streams(shape, asked):
        strides = (1, shape[1]), (shape[0], 1)
        grid, _, constants = permute.plan(shape[::-1], *strides, 8, (32, 32, 8, *asked))
        assert grid == ((shape[0] // 32) * (shape[1] // 32),)
        return constants["STREAMS"]

    assert streams((64, 64), [4]) == 4
    assert streams((96, 64), [4]) == 1
    assert streams((96, 64), [2]) == 2
    # They read 16 KB from one another, 64 blocks of 32 columns, of which 256 are below each.
    (_, (*_, apart), _), (_, (*_, of_halves), _) = (
        permute.plan((n, 1 << 14), (1, n), (1 << 14, 1), 8, (64, 32, 16, 2))
        for n in (1 << 14, 3 << 11)
    )
    assert (apart, of_halves) == (64 << 8, 96 << 8)
    # As is chosen for large ones.
    assert permute.choose_streams([(1 << 14, 1 << 14, 1), (1 << 14, 1, 1 << 14)], 8) == 2
    assert permute.choose_streams([(1 << 13, 1 << 14, 1), (1 << 14, 1, 1 << 13)], 8) == 1
    assert permute.choose_streams([(1 << 14, 1, 1), (1 << 14, 1 << 15, 1 << 14)], 8) == 1
    assert permute.choose_streams([(1 << 15, 1 << 15, 1), (1 << 15, 1, 1 << 15)], 4) == 1


@pytest.mark.parametrize("multiprocessors", [2, 100])
def test_the_first_programs_have_half_of_a_block(monkeypatch, multiprocessors):
    monkeypatch.setattr(
        permute, "properties_of", lambda _: {"multiprocessor_count": multiprocessors}
    )
    monkeypatch.setattr(permute, "AT_ONCE_BYTES", 2048)
    permute.plan.cache_clear()
    for shape, order, dtype in [
        ((64, 128), (1, 0), "int8"),
        ((70, 131), (1, 0), "int8"),
        ((33, 97), (1, 0), "float32"),
        # Where dimensions share an axis of the grid, or are more than two, none has.
        ((40, 70), (1, 0), "float64"),
        ((3, 40, 70), (0, 2, 1), "int8"),
    ]:
        check(bits(shape, dtype), order, shape=(16, 16, 1, 1, True))
    # A block of one column has no half.
    check(bits((40, 24), "int8"), (1, 0), shape=(16, 1, 1, 1, True))
    permute.plan.cache_clear()


def test_large_transposes_of_small_elements_begin_with_halves(monkeypatch):
    def first(size, rows, columns):
        steps = (1, columns), (rows, 1)
        grid, _, constants = permute.plan((columns, rows), *steps, size, None)
        halved = constants.get("narrow", 0) // 2
        assert grid == (rows // constants["BLOCK"][1], columns // constants["BLOCK"][0] + halved)
        return halved, constants.get("NARROW")

    monkeypatch.setattr(permute, "properties_of", lambda _: {"multiprocessor_count": 132})
    permute.plan.cache_clear()
    # 264 blocks begin first, of which 64 are side by side; 528 of half the size.
    assert first(1, 1 << 14, 1 << 14) == (4, (128, 256))
    assert first(1, 1 << 13, 1 << 13) == (8, (128, 128))
    assert first(2, 1 << 13, 1 << 13) == (8, (64, 128))
    # More are side by side than begin first, or there are few.
    assert first(1, 1 << 17, 1 << 11) == (0, None)
    assert first(1, 1 << 12, 1 << 12) == (0, None)
    # The grid has room for twice as many, or not.
    assert first(1, 1 << 8, 65271 << 8) == (264, (128, 256))
    assert first(1, 1 << 8, 65272 << 8) == (0, None)
    permute.plan.cache_clear()


def dimensions(shape, order, size):
    x = np.empty(shape, f"i{size}")
    out = np.empty(x.transpose(order).shape, x.dtype)
    steps = [[stride // size for stride in each.strides] for each in (x.transpose(order), out)]
    return permute.collapse(out.shape, *steps)


def joined(shape, order, size, runs):
    """Which dimensions of x count as one, from the fastest of the result on."""
    dims = dimensions(shape, order, size)
    assert permute.begins_with_vectors(dims, size)
    return [[n for n, _, _ in group] for group in permute.join(dims, *runs)]


def test_dimensions_that_count_as_one():
    backwards = (4, 3, 2, 1, 0)
    assert joined((48, 40, 36, 32, 44), backwards, 4, (64, 64)) == [[48, 40], [36], [44, 32]]
    # Blocks fit, or are as long as the dimension.
    assert joined((64, 40, 36, 32, 16), backwards, 4, (64, 64)) == [[64], [40], [36], [32], [16]]
    # What is dense in the other array stays by itself.
    assert joined((48, 40, 44), (2, 1, 0), 4, (64, 64)) == [[48, 40], [44]]
    assert joined((4, 44, 48), (0, 2, 1), 4, (64, 64)) == [[44], [48], [4]]
    # Rows that stay rows.
    assert joined((20, 30, 48), (1, 0, 2), 4, (64, 64)) == [[48], [20], [30]]


def test_dimensions_of_odd_rows_that_count_as_one():
    def grouped(shape, order, size, runs):
        dims = dimensions(shape, order, size)
        assert not permute.begins_with_vectors(dims, size)
        groups = permute.choose_groups(dims, size, *runs)
        return [[n for n, _, _ in group] for group in groups]

    assert grouped((256, 9, 14, 640), (0, 3, 2, 1), 1, (64, 128)) == [[9, 14], [640], [256]]
    assert grouped((956, 4, 243, 9, 5), (0, 1, 4, 3, 2), 4, (128, 64)) == [[243], [5, 9], [3824]]
    # Short rows, which go on with what is dense in the other array.
    shape, order = (7, 2373, 2, 14, 276), (4, 1, 0, 3, 2)
    assert grouped(shape, order, 1, (64, 128)) == [[2], [14], [7], [2373], [276]]
    # Small elements that are moved by rows, or are few in rows of both arrays.
    assert grouped((93, 4, 365, 215), (1, 3, 0, 2), 1, (512, 128)) == [[365], [93], [215], [4]]
    assert grouped((51, 17, 19, 23, 31), (0, 4, 3, 2, 1), 1, (64, 128))[0] == [17]
    # Blocks waste too little.
    assert grouped((60, 61, 121), (2, 1, 0), 4, (64, 64)) == [[60], [61], [121]]


def chosen(shape, order, size):
    """Which dimensions count as one, by what blocks cost, and the blocks."""
    out = (*(shape[d] for d in order),)
    dims = dimensions(shape, order, size)
    groups, block = permute.choose(dims, size, 0)
    assert sorted(dim for group in groups for dim in group) == sorted(dims) and out
    return [[n for n, _, _ in group] for group in groups], block


def test_ways_to_count_as_one():
    dims = dimensions((3, 4, 5, 6), (3, 2, 1, 0), 4)
    ways = [[[n for n, _, _ in group] for group in way] for way in costs_of_blocks.list_ways(dims)]
    assert ways[0] == [[3], [4], [5], [6]] and len(ways) == 6
    assert [[3, 4], [6, 5]] in ways and [[3, 4, 5], [6]] in ways and [[3], [6, 5, 4]] in ways
    # Pairs stay pairs.
    dims = dimensions((3, 4, 5, 2), (2, 1, 0, 3), 8)
    ways = [[[n for n, _, _ in group] for group in way] for way in costs_of_blocks.list_ways(dims)]
    assert ways == [[[2], [3], [4], [5]], [[2], [3], [5, 4]], [[2], [3, 4], [5]]]


def test_runs_of_blocks():
    dims = dimensions((3, 4, 5, 6), (3, 2, 1, 0), 4)
    alone = [[dim] for dim in dims]
    assert costs_of_blocks.find_run(alone, (4, 4, 8, 8), 1) == (6, 360)
    assert costs_of_blocks.find_run(alone, (2, 4, 8, 8), 1) == (6, 240)
    assert costs_of_blocks.find_run(alone, (4, 2, 8, 8), 2) == (3, 6)
    assert costs_of_blocks.find_run([dims[:2], dims[2:3], dims[3:]], (16, 2, 4), 2) == (12, 24)
    # Of a group only what follows one another.
    assert costs_of_blocks.find_run([dims[:2], dims[2:3], dims[3:]], (16, 8, 8), 1) == (6, 30)
    assert costs_of_blocks.find_run([[(7, 3, 2)], [(5, 40, 20)]], (8, 8), 1) == (1, 1)


@pytest.mark.parametrize(
    "shape, order",
    [
        ((6, 63634, 101, 366), (2, 1, 3, 0)),
        ((33, 7784, 15244, 8), (3, 1, 2, 0)),
        ((8446, 3, 771, 1862), (1, 0, 2, 3)),
    ],
)
def test_dimensions_that_32_bits_do_not_count_as_one(shape, order):
    steps = [int(np.prod(shape[d + 1 :], dtype=np.int64)) for d in range(4)]
    extents = tuple(shape[d] for d in order)
    out_steps = tuple(int(np.prod(extents[d + 1 :], dtype=np.int64)) for d in range(4))
    _, (lengths, *_), _ = permute.plan(extents, tuple(steps[d] for d in order), out_steps, 1, None)
    assert max(lengths) < 2**31


def test_what_blocks_cost():
    backwards = (4, 3, 2, 1, 0)
    # Runs of four in `out`, of eight halves in `x`.
    assert chosen((4, 24, 2232, 4, 56), (4, 3, 1, 2, 0), 4)[0] == [[4], [53568], [4], [56]]
    assert chosen((6577, 473, 10, 4), (3, 2, 1, 0), 2) == ([[6577], [4, 10, 473]], (256, 64, 8))
    # Blocks of bytes of which most is outside.
    assert chosen((614, 8, 200, 48), (1, 3, 2, 0), 1)[0] == [[614, 200], [48], [8]]
    assert chosen((344, 684336), (1, 0), 1) == ([[344], [684336]], (256, 64, 16))
    # Elements of 16 bytes.
    assert chosen((3, 17, 12, 104, 36, 2), (0, 3, 1, 4, 2, 5), 8)[0] == [
        [2],
        [12],
        [36, 104],
        [17],
        [3],
    ]
    # What is chosen by type and shape stays where others cost little less.
    assert chosen((48, 40, 36, 32, 44), backwards, 4)[1] == (64, 64, 16)
    assert chosen((300, 40, 121), (1, 0, 2), 2)[1] == (1024, 8, 4)


def test_what_costs_least_on(target):
    for shape, order, dtype in [
        ((7, 8, 20, 18, 27), (1, 3, 2, 4, 0), "int8"),
        ((61, 8, 20, 48), (1, 3, 2, 0), "int8"),
        ((300, 7, 11), (2, 1, 0), "int8"),
        ((257, 13, 10, 4), (3, 2, 1, 0), "float16"),
        # Short rows of one array, and long ones of the other.
        ((273, 6, 10), (1, 2, 0), "float16"),
        ((30, 260), (1, 0), "float16"),
        ((301, 11, 5), (2, 1, 0), "float16"),
        ((523, 31), (1, 0), "int8"),
        ((4, 301, 26), (0, 2, 1), "int8"),
        ((2, 88, 9, 15, 2), (2, 4, 0, 3, 1), "float16"),
        ((4, 2, 232, 4, 5), (4, 3, 1, 2, 0), "float32"),
        ((4, 6, 29, 51, 3), (4, 0, 1, 3, 2), "float64"),
        ((3, 7, 12, 10, 36), (0, 3, 1, 4, 2), "complex128"),
    ]:
        check(bits(shape, dtype), order, target=target)


def test_dimensions_that_count_as_one_on(target):
    for shape, order in [((12, 20, 3, 5, 44), (4, 3, 2, 1, 0)), ((24, 3, 5, 20), (3, 2, 1, 0))]:
        for dtype, runs in (("float32", (64, 64, 4)), ("float64", (32, 64, 8))):
            check(bits(shape, dtype), order, shape=runs, target=target)
    for shape, order, dtype in [
        ((2, 9, 14, 40), (0, 3, 2, 1), "int8"),
        ((3, 5, 33, 9, 5), (0, 1, 4, 3, 2), "float32"),
        ((9, 23, 2, 5, 65), (2, 4, 0, 1, 3), "float16"),
    ]:
        check(bits(shape, dtype), order, target=target)
    # Gaps in both arrays, whose rows begin with vectors all the same.
    large, memory = bits((13, 20, 5, 44), "float32"), bits((40, 5, 20, 16), "float32", seed=1)
    expected = memory.copy()
    x, out = large[:12, :, :, :40], memory[..., :12]
    expected[..., :12] = x.transpose(3, 2, 1, 0)
    permute.permute(x, out, (3, 2, 1, 0), shape=(64, 64, 4), target=target)
    same_bits(memory, expected)


def test_odd_rows_that_stay_rows(target):
    for shape, order, dtype in [
        ((36, 7, 121), (1, 0, 2), "float16"),
        ((64, 5, 33), (1, 0, 2), "int8"),
        ((4, 5, 3), (1, 0, 2), "float16"),
        ((2, 40, 9, 61), (0, 2, 1, 3), "float16"),
        ((3, 20, 2, 5, 7), (2, 1, 3, 0, 4), "int8"),
        ((7, 3, 5, 4, 119), (1, 3, 0, 2, 4), "int8"),
    ]:
        for runs in (None, (64, 8, 2)):
            check(bits(shape, dtype), order, shape=runs, target=target)
    # From any place on.
    memory = bits((1 + 36 * 7 * 121,), "int8")
    check(memory[1:].reshape(36, 7, 121), (1, 0, 2), target=target)
    # A thread stores four at once, or more.
    kernels = [each for each in permute.permute_kernel.kernels if each.target == target]
    accesses = [
        [access["vector_bytes"] for access in variant["report"]["accesses"]]
        for kernel in kernels
        for variant in kernel.variants
    ]
    assert any(len(each) == 5 and each[:4] == [1] * 4 and each[4] >= 4 for each in accesses)


def test_rows_in_fours_have_registers_for_addresses():
    """64 elements that are loaded alone, and 16 registers more, of 128 threads in six blocks."""
    e = np.empty(16, np.int16)
    rows = permute.plan((777, 1000, 121), (121, 777 * 121, 1), (121000, 121, 1), 2, None)
    grid, arguments, constants = rows
    kernel = permute.permute_kernel.warmup(
        e, e.copy(), *arguments, **constants, grid=grid, target="sm_90a"
    )
    assert ".minnctapersm 6" in kernel.ptx


def part(shape, size, random):
    """Memory, and an array in it that begins anywhere, with gaps or without."""
    gaps = random.integers(0, 4, len(shape))
    count, base = int(np.prod(gaps + shape)), int(random.integers(0, 20))
    whole = bits((base + count,), f"i{size}", int(random.integers(1 << 30)))
    inside = tuple(slice(0, n) for n in shape)
    return whole, whole[base:].reshape(gaps + shape)[inside]


def test_rows_that_begin_anywhere(target):
    random = np.random.default_rng(7)
    for size, shape, order, block in [
        (1, (258, 193), (1, 0), (256, 64, 4)),
        (1, (515, 131), (1, 0), (512, 128, 16)),
        (1, (300, 31), (1, 0), (512, 128, 16)),
        (1, (257, 3, 67), (2, 1, 0), (256, 64, 4)),
        (2, (131, 97), (1, 0), (256, 32, 8)),
        (2, (33, 259), (1, 0), (256, 32, 1)),
        (2, (5, 267, 41), (0, 2, 1), (256, 64, 2)),
        # Few such blocks leave much to the first-level cache.
        (1, (300, 259), (1, 0), (256, 256, 16)),
        (1, (261, 131), (1, 0), (256, 64, 32)),
        (2, (258, 65), (1, 0), (256, 32, 32)),
    ]:
        _, x = part(shape, size, random)
        whole, out = part([shape[d] for d in order], size, random)
        if random.integers(2):
            x = x[::-1]
        expected = whole.copy()
        # The same part of a copy.
        begin = (out.ctypes.data - whole.ctypes.data) // size
        np.lib.stride_tricks.as_strided(expected[begin:], out.shape, out.strides)[...] = (
            permute.reference(x, order)
        )
        permute.permute(x, out, order, shape=block, target=target)
        same_bits(whole, expected)
    kernels = [each for each in permute.permute_kernel.kernels if each.target == target]
    assert sum("prmt" in each.ptx and "cp.async" in each.ptx for each in kernels) >= 4
    for way in ("ca", "cg"):
        assert any(f"cp.async.{way}.shared.global" in each.ptx for each in kernels)


def test_columns_of_one_matrix(target):
    """What lies between the rows that are read is written: no byte of it may be read."""
    for dtype, block in (("int8", (512, 64, 8)), ("float16", (256, 64, 8))):
        for here, there in ((3, 303), (303, 3)):
            memory = bits((300, 641), dtype)
            x, out = (memory[:, begin : begin + 300] for begin in (here, there))
            expected = memory.copy()
            expected[:, there : there + 300] = x.T
            permute.permute(x, out, (1, 0), shape=block, target=target)
            same_bits(memory, expected)


def test_in_place():
    # One program, which has read all when it writes: rows of both begin anywhere.
    for dtype in ("int8", "float16"):
        memory = bits((253, 261), dtype)
        x = memory[:, :253]
        expected = x.T.copy()
        permute.permute(x, x, (1, 0), shape=(256, 256, 16))
        same_bits(x.copy(), expected)


def test_permutations_on(target):
    for dtype in ("int8", "float16", "float32", "float64", "complex128"):
        check(bits((70, 65), dtype), (1, 0), target=target)
        check(bits((3, 40, 2, 17), dtype), (3, 1, 0, 2), target=target)


@pytest.mark.parametrize(
    ("device", "number"),
    [(SimpleNamespace(index=1), 1), (SimpleNamespace(index=None), 0), ("cpu", 0)],
)
def test_the_gpu_is_that_of_the_array(device, number):
    assert permute.find_device(SimpleNamespace(device=device)) == number


def test_blocks_by_the_gpu_of_the_arrays(monkeypatch):
    counts = {0: 16, 1: 132}
    monkeypatch.setattr(
        permute, "properties_of", lambda device: {"multiprocessor_count": counts[device]}
    )
    n = permute.FEW_BYTES * 64 // 256 // 2 // 256 * 256
    chosen = [permute.choose_shape([(n, 256, 1), (256, 1, n)], 2, gpu) for gpu in counts]
    assert chosen == [(128, 128, 16), (64, 64, 8)]


def test_blocks_by_type_and_shape():
    def choose(shape, order, size):
        x = np.empty(shape, f"i{size}")
        out = np.empty(x.transpose(order).shape, x.dtype)
        steps = [[stride // size for stride in each.strides] for each in (x.transpose(order), out)]
        return permute.choose_shape(permute.collapse(out.shape, *steps), size)

    assert choose((128, 256), (1, 0), 1) == (128, 256, 8)
    # An array of the size that makes the difference, for any number of multiprocessors.
    rows = permute.properties_of(0)["multiprocessor_count"] * permute.FEW_BYTES // 256
    for size, few, many in [
        (2, (64, 64, 8), (128, 128, 16)),
        (4, (32, 64, 8), (64, 64, 16)),
        (8, (32, 32, 8), (64, 32, 16)),
    ]:
        fewer = rows // size // 256 * 256
        assert choose((fewer, 256), (1, 0), size) == few
        assert choose((256, fewer), (1, 0), size) == few
        assert choose((2, fewer // 2, 256), (0, 2, 1), size) == few
        assert choose((fewer + 256, 256), (1, 0), size) == many
        # Rows that stay rows.
        assert choose((fewer // 128, 128, 256), (1, 0, 2), size) == many
    assert choose((10000, 6000), (1, 0), 2) == (128, 128, 16)
    assert choose((64, 256, 3136), (0, 2, 1), 2) == (128, 64, 16)
    assert choose((16384, 16384), (1, 0), 1) == (256, 256, 16)
    assert choose((16384, 8192), (1, 0), 1) == (256, 256, 16)
    assert choose((8192, 8192), (1, 0), 1) == (128, 256, 8)
    assert choose((16384 + 128, 16384), (1, 0), 1) == (128, 256, 8)
    # Long rows of which few blocks do not fit, and such that begin with words only.
    assert choose((2500, 2500), (1, 0), 1) == (256, 128, 16)
    assert choose((7000, 5000), (1, 0), 1) == (256, 256, 16)
    assert choose((8208, 8176), (1, 0), 1) == (256, 256, 16)
    assert choose((8196, 8188), (1, 0), 2) == (128, 64, 16)
    assert choose((5000, 100), (1, 0), 2) == (128, 128, 8)
    assert choose((5000, 60), (1, 0), 2) == (128, 64, 4)
    # Rows of bytes that stay rows, and elements of 16 bytes.
    assert choose((20, 30, 121), (1, 0, 2), 1) == (1024, 8, 4)
    assert choose((21, 30, 121), (1, 0, 2), 1) == (1024, 8, 8)
    assert choose((64, 48, 2), (1, 0, 2), 8) == (16, 64, 8)
    assert choose((1024, 48), (1, 0), 4) == (64, 64, 16)
    assert choose((1024, 48), (1, 0), 8) == (32, 64, 16)
    assert choose((101, 1024), (1, 0), 4) == (128, 64, 8)
    assert choose((20, 30, 121), (1, 0, 2), 2) == (1024, 8, 4)
    assert choose((20, 30, 121), (1, 0, 2), 4) == (128, 8, 4)
    assert choose((21, 30, 121), (1, 0, 2), 2) == (256, 16, 8)
    assert choose((21, 30, 513), (1, 0, 2), 4) == (1024, 8, 4)
    assert choose((301, 103), (1, 0), 1) == (512, 128, 16)
    assert choose((301, 103), (1, 0), 2) == (256, 128, 8)
    assert choose((101, 103), (1, 0), 2) == (128, 64, 4)
    assert choose((101, 1024), (1, 0), 1) == (64, 128, 4)
    assert choose((1024, 101), (1, 0), 1) == (128, 128, 8)
    assert choose((150, 1024), (1, 0), 1) == (64, 128, 4)
    # Words are put together by lanes.
    assert choose((515, 1024), (1, 0), 1) == (256, 128, 8)
    assert choose((1023, 1024), (1, 0), 2) == (256, 64, 8)
    assert choose((515, 1024), (1, 0), 2) == (256, 64, 8)
    assert choose((515, 24), (1, 0), 2) == choose((101, 1024), (1, 0), 2) == (128, 64, 4)
    assert choose((30, 1024), (1, 0), 2) == (256, 64, 8)
    assert choose((30, 24), (1, 0), 2) == choose((1024, 60), (1, 0), 2) == (128, 64, 4)
    # Rows of `x` are short, and those of `out` long.
    assert choose((5003, 63), (1, 0), 1) == choose((515, 63), (1, 0), 1) == (256, 64, 8)
    assert choose((301, 63), (1, 0), 1) == (512, 128, 16)
    assert choose((5003, 13), (1, 0), 2) == (128, 64, 8)
    assert choose((5003, 15), (1, 0), 2) == (128, 128, 16)
    assert choose((20, 30, 128), (1, 0, 2), 2) == (128, 128, 16)
    assert choose((5003, 103), (1, 0), 1) == (256, 128, 16)
    assert choose((5003, 102), (1, 0), 2) == (128, 128, 16)
    assert choose((1025, 102), (1, 0), 4) == (64, 64, 8)
    assert choose((1025, 104), (1, 0), 4) == (128, 64, 8)
    assert choose((1025, 103), (1, 0), 8) == (32, 64, 8)
    assert choose((301, 103), (1, 0), 4) == (128, 64, 8)
    assert choose((4004, 103), (1, 0), 1) == (512, 128, 16)
    for size in (1, 2, 4, 8):
        for shape in permute.SHAPES[size]:
            for extents in ((4096, 4096), (1 << 20, 48), (3, 5000), (2, 2)):
                dims = [(extents[0], 1, extents[1]), (extents[1], extents[0], 1)]
                block = permute.choose_block(dims, *shape[:2])
                assert np.prod(block) <= shape[0] * shape[1]
                assert all(b < 2 * n for b, n in zip(block, extents, strict=True))


@tilewright.jit
def copy_far_block(x, out, first, extents, PLACES: tl.constexpr):
    """The block with the element `first`, where arrays begin that have no memory before it."""
    number = (first // 128).to(tl.int32)
    first = first.to(tl.int64)
    parts = ((extents, (2,), ()),)
    out_parts = ((extents, (1,), ()),)
    permute.copy_block(
        x - 2 * first, out - first, number, 0, extents, parts, out_parts, (1,),
        (128,), PLACES, IN_FOURS=False,
    )  # fmt: skip


@pytest.mark.parametrize("extent", [2**31 + 77, 2**31 - 20, 2**31 + 2**33 + 77])
def test_dimensions_of_more_elements_than_32_bits_count(extent):
    _, arguments, constants = permute.plan((extent,), (2,), (1,), 1, None)
    assert arguments[0] == (extent,)
    first = (extent - 1) // 128 * 128
    x = bits((2 * (extent - first),))
    out = bits((128,), seed=1)
    expected = out.copy()
    expected[: extent - first] = x[::2]
    copy_far_block[(1,)](x, out, first, (extent,), PLACES=constants["PLACES"])
    same_bits(out, expected)


def test_dimensions_that_32_bits_count():
    _, _, constants = permute.plan((2**31 - 2**14,), (2,), (1,), 1, None)
    assert "PLACES" not in constants
