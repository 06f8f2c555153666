"""Programs that add to the same places of memory: blocks stay, and add once.

More programs than blocks run at once, along several axes, of which a kernel does not ask for all.
What other programs may see, or read, is added by each.
"""

import numpy as np
import pytest
from examples_support import as_on_gpus

import tilewright
import tilewright.language as tl

pytestmark = pytest.mark.usefixtures("without_ptxas")


@tilewright.jit
def sum_kernel(x, total, n, block: tl.constexpr):
    i = tl.program_id(0) * block + tl.arange(0, block)
    tl.atomic_add(total, tl.sum(tl.load(x + i, mask=i < n, other=0), axis=0))


@tilewright.jit
def bias_kernel(x, sums, count, m, n, rows: tl.constexpr, columns: tl.constexpr):
    r = tl.program_id(0) * rows + tl.arange(0, rows)
    c = tl.arange(0, columns)
    inside = (r < m)[:, None] & (c < n)[None, :]
    numbers = tl.load(x + r[:, None] * n + c[None, :], mask=inside, other=0)
    tl.atomic_add(sums + c, tl.sum(numbers, axis=0), mask=c < n)
    tl.atomic_add(count, 1)


@tilewright.jit
def axes_kernel(x, total):
    i = tl.program_id(2) * 32 + tl.arange(0, 32)
    tl.atomic_add(total + tl.arange(0, 32), tl.load(x + i))


@tilewright.jit
def apart_kernel(x, sums):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.atomic_add(sums + tl.program_id(0) % 3, tl.sum(tl.load(x + i), axis=0))


def draw(shape, dtype, seed):
    numbers = np.random.default_rng(seed).integers(-9, 9, shape)
    return as_on_gpus(numbers.astype(dtype))


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float16"])
def test_sums(target, dtype):
    x = draw(2048 * 70 + 5, dtype, 1)
    total = as_on_gpus(np.full(1, 3, dtype))
    if dtype == "float16":
        x[:] = 0
        x[::997] = 1
    sum_kernel[(-(-x.size // 128),)](x, total, x.size, block=128, target=target)
    assert total[0] == 3 + x.astype(np.float64).sum()


@pytest.mark.parametrize("dtype, n", [("float32", 200), ("int32", 256), ("float32", 1000)])
def test_columns_and_a_count(target, dtype, n):
    x = draw((1201, n), dtype, n)
    sums, count = as_on_gpus(np.zeros(n, dtype)), as_on_gpus(np.zeros(1, np.int32))
    columns = tilewright.next_power_of_2(n)
    bias_kernel[(-(-1201 // 4),)](x, sums, count, 1201, n, rows=4, columns=columns, target=target)
    np.testing.assert_array_equal(sums, x.sum(axis=0))
    assert count[0] == -(-1201 // 4)


def test_axes_that_nobody_asks_for(target):
    x, total = draw(32 * 5, "int32", 5), as_on_gpus(np.zeros(32, np.int32))
    axes_kernel[(3, 41, 5)](x, total, target=target)
    np.testing.assert_array_equal(total, 3 * 41 * x.reshape(5, 32).sum(axis=0))


def test_places_of_programs(target):
    x, sums = draw(64 * 300, "int32", 6), as_on_gpus(np.zeros(3, np.int32))
    apart_kernel[(300,)](x, sums, target=target)
    np.testing.assert_array_equal(sums, x.reshape(100, 3, 64).sum(axis=(0, 2)))


def test_what_is_read_may_be_added_to(target):
    """By programs of which each has a number of its own: the array is both."""
    x = draw(4096, "int32", 7)
    x[0] = 0
    before = x.copy()
    sum_kernel[(1,)](x, x, x.size, block=4096, target=target)
    assert x[0] == before.sum()


@tilewright.jit
def terms_kernel(x, counts, sums, n, KIND: tl.constexpr, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + program * BLOCK + c)
    if KIND == "mask":
        tl.atomic_add(counts, n)
        tl.atomic_add(sums + c, v, mask=c < n)
    elif KIND == "place":
        tl.atomic_add(counts + c, c)
        tl.atomic_add(sums + c + 1, v)
    elif KIND == "mask of itself":
        ones = (c < n).to(tl.int32)
        tl.atomic_add(sums + c, ones, mask=ones == 1)
        tl.atomic_add(counts, tl.sum(v, axis=0))
    elif KIND == "ones":
        tl.atomic_add(counts + c, tl.full([BLOCK], 1, tl.int32))
        tl.atomic_add(sums + c * n + 1, v)
    else:
        place = 0
        if n > 3:
            place = program * n + 1 if KIND == "branch" else n + 1
        tl.atomic_add(sums + place, tl.sum(v, axis=0))


@pytest.mark.parametrize("programs", [2, 301])
@pytest.mark.parametrize(
    "kind", ["mask", "place", "mask of itself", "ones", "branch", "branch of all"]
)
def test_places_and_masks_of_what_is_added(target, kind, programs):
    x, n, c = draw((programs, 128), "int32", programs), 5, np.arange(128)
    counts, sums = as_on_gpus(np.zeros(128, np.int32)), as_on_gpus(np.zeros(1700, np.int32))
    terms_kernel[(programs,)](
        as_on_gpus(x.reshape(-1)), counts, sums, n, KIND=kind, BLOCK=128, target=target
    )
    in_counts, in_sums, every = np.zeros(128, int), np.zeros(1700, int), x.sum(axis=0)
    if kind == "mask":
        in_counts[0], in_sums[:n] = n * programs, every[:n]
    elif kind == "place":
        in_counts, in_sums[1:129] = c * programs, every
    elif kind == "mask of itself":
        in_counts[0], in_sums[:n] = x.sum(), programs
    elif kind == "ones":
        in_counts[:], in_sums[c * n + 1] = programs, every
    elif kind == "branch":
        in_sums[np.arange(programs) * n + 1] = x.sum(axis=1)
    else:
        in_sums[n + 1] = x.sum()
    np.testing.assert_array_equal(counts, in_counts)
    np.testing.assert_array_equal(sums, in_sums)
