"""Words whose steps become a loop where threads hold many elements."""

from __future__ import annotations

import time

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.language import sorting


@pytest.fixture
def loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """As large tiles have them, for small ones."""
    monkeypatch.setattr(sorting, "_UNROLLED", 0)


@tilewright.jit
def sorts(x, y, M: tl.constexpr, N: tl.constexpr, FALLS: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y + i, tl.sort(tl.load(x + i), descending=FALLS))


@tilewright.jit
def merges(x, y, M: tl.constexpr, N: tl.constexpr, FALLS: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y + i, tl.bitonic_merge(tl.load(x + i), descending=FALLS))


@tilewright.jit
def finds(x, y, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    o = tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :]
    tl.store(y + o, tl.topk(tl.load(x + i), K))


@tilewright.jit
def flips(x, y, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(y + i, tl.flip(tl.load(x + i), AXIS))


def make_rows(shape: tuple[int, int]) -> np.ndarray:
    """With numbers that are there often, and NaN."""
    x = np.random.default_rng(7).integers(-1000, 1000, shape).astype(np.float32)
    x[:, ::37] = np.nan
    return x


@pytest.mark.parametrize("shape", [(1, 512), (4, 64), (64, 2)])
@pytest.mark.parametrize("falls", [False, True])
def test_sort(loops: None, target: str, shape: tuple[int, int], falls: bool) -> None:
    x = make_rows(shape)
    y = np.empty_like(x)
    sorts[(1,)](x, y, *shape, falls)
    wanted = np.sort(x)
    np.testing.assert_array_equal(y, wanted[:, ::-1] if falls else wanted)


@pytest.mark.parametrize("falls", [False, True])
def test_merge(loops: None, target: str, falls: bool) -> None:
    half = np.sort(make_rows((8, 64)).reshape(8, 2, 32))
    x = np.concatenate([half[:, 0], half[:, 1, ::-1]], 1)
    y = np.empty_like(x)
    merges[(1,)](x, y, *x.shape, falls)
    wanted = np.sort(x)
    np.testing.assert_array_equal(y, wanted[:, ::-1] if falls else wanted)


@pytest.mark.parametrize(("shape", "k"), [((4, 128), 16), ((16, 32), 1), ((2, 128), 128)])
def test_topk(loops: None, target: str, shape: tuple[int, int], k: int) -> None:
    x = make_rows(shape)
    y = np.empty((shape[0], k), np.float32)
    finds[(1,)](x, y, *shape, k)
    np.testing.assert_array_equal(y, np.sort(x)[:, ::-1][:, :k])


@pytest.mark.parametrize(("shape", "axis"), [((1, 512), 1), ((16, 32), 1), ((32, 16), 0)])
def test_flip(loops: None, target: str, shape: tuple[int, int], axis: int) -> None:
    x = make_rows(shape)
    y = np.empty_like(x)
    flips[(1,)](x, y, *shape, axis)
    np.testing.assert_array_equal(y, np.flip(x, axis))


@pytest.mark.parametrize("kernel", [sorts, merges])
def test_the_code_of_a_large_tile_has_a_limit(kernel) -> None:
    """Of 64 elements a thread it is that of all steps, of 512 about that of one."""

    def count_lines(rows: int) -> int:
        x = np.empty((rows, 1024), np.float32)
        compiled = kernel.warmup(x, x.copy(), rows, 1024, False, grid=(1,))
        return len(compiled.ptx.splitlines()) // rows

    assert count_lines(128) < count_lines(8)


@pytest.mark.parametrize(("dtype", "is_loop"), [("i32", False), ("i64", True)])
def test_elements_of_two_registers_are_two(dtype: str, is_loop: bool) -> None:
    compiled = sorts.compile(f"*{dtype}, *{dtype}", {"M": 1, "N": 8192, "FALLS": False})
    assert ("scf.for" in compiled.ir("tile")) == is_loop


def test_a_sort_of_2_to_the_18_elements_compiles() -> None:
    """In some seconds; a code for each step took minutes."""
    x = np.empty((512, 512), np.float32)
    begin = time.process_time()
    sorts.warmup(x, x.copy(), 512, 512, False, grid=(1,))
    assert time.process_time() - begin < 20


@tilewright.jit
def reads_far(x, y, STEPS: tl.constexpr, N: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * N + tl.arange(0, N)
    places = offsets
    for step in tl.static_range(STEPS):
        places = tl.minimum(places * 3 - step, places)
    tl.store(y + offsets, tl.load(x + places))


def test_thousands_of_sums_compile() -> None:
    """In less than a second; a pass that compares each with all took 12."""
    x = np.empty(16384, np.float32)
    begin = time.process_time()
    reads_far.warmup(x, x.copy(), 22, 16384, grid=(1,))
    assert time.process_time() - begin < 6
