"""What the simulator and the later passes find in kernels, at the line of the Python source."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests load a driver, and with a GPU assertions have to be asked for."""
    monkeypatch.setattr(tilewright._core, "get_gpu_target", lambda: None)


def line_of(kernel: tilewright.JITFunction, text: str) -> str:
    """ "file.py:12", where that stands in a kernel."""
    lines, first = inspect.getsourcelines(kernel.fn)
    (index,) = [i for i, line in enumerate(lines) if text in line]
    return f"{__file__}:{first + index}"


@tilewright.jit
def race(x, out, n, BLOCK: tl.constexpr):
    # Every program writes the first block.
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n) + tl.program_id(0)
    tl.store(out + i, value, mask=i < n)


@tilewright.jit
def no_race(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n) + tl.program_id(0)
    tl.store(out + i, value, mask=i < n)


@tilewright.jit
def missing_mask(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i)
    tl.store(out + i, value, mask=i < n)


@tilewright.jit
def bad_offset(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i - 1, mask=i < n)
    tl.store(out + i, value, mask=i < n)


@tilewright.jit
def right_offset(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i - 1, mask=(i < n) & (i > 0))
    tl.store(out + i, value, mask=i < n)


@tilewright.jit
def endless(x, out, n, BLOCK: tl.constexpr):
    k = 1
    while k < n:
        tl.store(out + k, tl.load(x + k))
        k = k * 1


@tilewright.jit
def endless_and_silent(x, out, n, BLOCK: tl.constexpr):
    k = 0
    while k < n:
        k += 0
    tl.store(out, k)


@tilewright.jit
def broken_multiple(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # The neighbours of multiples are none.
    j = tl.max_contiguous(tl.multiple_of((i + 1) % n, 16), 16)
    tl.store(out + i, tl.load(x + j, mask=i < n), mask=i < n)


@tilewright.jit
def broken_scalar(x, out, n, BLOCK: tl.constexpr):
    stride = tl.multiple_of(n, 16)
    i = tl.arange(0, BLOCK)
    tl.store(out + i + tl.program_id(0) * BLOCK, tl.load(x + i + stride - n))


@tilewright.jit
def broken_assumption(x, out, n, BLOCK: tl.constexpr):
    tl.assume(n % BLOCK == 0)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


@tilewright.jit
def kept_promises(x, out, n, BLOCK: tl.constexpr):
    tl.assume(n > BLOCK)
    first = tl.multiple_of(tl.program_id(0) * BLOCK, BLOCK)
    i = tl.max_contiguous(first + tl.arange(0, BLOCK), BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


@tilewright.jit
def adds_to_scratch(x, out, n, BLOCK: tl.constexpr):
    # Nobody has made `out` zero.
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(out + i, mask=i < n) + tl.load(x + i, mask=i < n)
    tl.store(out + i, value, mask=i < n)


@tilewright.jit
def fills_scratch(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)
    tl.debug_barrier()
    tl.store(out + i, tl.load(out + i, mask=i < n) * 2, mask=i < n)


@tilewright.jit
def load_beyond(pointer, i):
    return tl.load(pointer + i)


@tilewright.jit
def in_a_helper(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, load_beyond(x, i), mask=i < n)


def launch(kernel: tilewright.JITFunction, **options: Any) -> np.ndarray:
    x = np.random.default_rng(0).standard_normal(1000).astype(np.float32)
    out = np.zeros_like(x)
    kernel[(4,)](x, out, 1000, BLOCK=256, **options)
    return out


@pytest.mark.parametrize(
    ("kernel", "place", "what"),
    [
        (race, "tl.store(out", "race"),
        (missing_mask, "value = tl.load", "out-of-bounds"),
        (bad_offset, "value = tl.load", "out-of-bounds"),
        (broken_multiple, "j = tl.max", "broken-promise"),
        (broken_scalar, "stride = tl.mult", "broken-promise"),
        (broken_assumption, "tl.assume", "trap"),
    ],
)
def test_finding(kernel: tilewright.JITFunction, place: str, what: str) -> None:
    with pytest.raises(tilewright.SimulatorError) as caught:
        launch(kernel)
    assert f"{line_of(kernel, place)}: {what}" in str(caught.value)


@pytest.mark.parametrize("kernel", [endless, endless_and_silent])
def test_endless_loop(kernel: tilewright.JITFunction) -> None:
    with pytest.raises(tilewright.SimulatorError) as caught:
        launch(kernel, instruction_limit=100_000)
    line = int(line_of(kernel, "while").rpartition(":")[2])
    places = [f"{__file__}:{line + offset}" for offset in range(3)]
    assert any(place in str(caught.value) for place in places)


@tilewright.jit
def waits_by_plain_loads(x, out, n, BLOCK: tl.constexpr):
    while tl.load(out) == 0:
        pass
    tl.store(out + 1, tl.load(x))


def test_a_wait_that_sees_nothing() -> None:
    """The load is made once, in front of the loop: the text says how to wait."""
    with pytest.raises(tilewright.SimulatorError) as caught:
        launch(waits_by_plain_loads, instruction_limit=100_000)
    assert "a wait for memory takes volatile loads or atomics" in str(caught.value)


def test_finding_in_a_helper() -> None:
    with pytest.raises(tilewright.SimulatorError) as caught:
        launch(in_a_helper)
    assert f"{line_of(load_beyond, 'tl.load')}: out-of-bounds" in str(caught.value)


@pytest.mark.parametrize("kernel", [no_race, right_offset, kept_promises])
def test_nothing_is_found(kernel: tilewright.JITFunction) -> None:
    launch(kernel)


@pytest.mark.parametrize("names", ["out", ("out",)])
def test_reads_of_what_nobody_has_written(names: Any) -> None:
    launch(adds_to_scratch)
    with pytest.raises(tilewright.SimulatorError) as caught:
        launch(adds_to_scratch, uninitialized=names)
    assert f"{line_of(adds_to_scratch, 'value = tl.load')}: uninitialized" in str(caught.value)
    assert np.any(launch(fills_scratch, uninitialized=names))


def test_what_is_not_written_stays() -> None:
    x, out = np.ones(300, np.float32), np.arange(600, dtype=np.float32)
    fills_scratch[(2,)](x, out[::2], 100, BLOCK=64, uninitialized="out")
    # One by one: the stride is the caller's.
    assert np.array_equal(out[:100], np.full(100, 2))
    assert np.array_equal(out[100:], np.arange(100, 600))


def test_uninitialized_arrays_are_named() -> None:
    with pytest.raises(ValueError, match="uninitialized: there is no array 'n' among the argum"):
        launch(no_race, uninitialized=("out", "n"))
    with pytest.raises(TypeError, match="uninitialized is the name of an array, or a tuple of"):
        launch(no_race, uninitialized=3)


@tilewright.jit
def product(a, b):
    return tl.dot(a, b)


@tilewright.jit
def too_large(x, N: tl.constexpr):
    i = tl.arange(0, N)
    places = x + i[:, None] * N + i[None, :]
    tile = tl.load(places)
    tl.store(places, product(tile, tile).to(tl.float16))


def test_late_mistake_shows_the_source() -> None:
    with pytest.raises(tilewright.CompileError) as caught:
        too_large[(1,)](np.zeros((1024, 1024), np.float16), N=1024)
    place, line, _ = str(caught.value).splitlines()[:3]
    assert place.startswith(line_of(too_large, "places = x"))
    assert line.strip() == "places = x + i[:, None] * N + i[None, :]"
    assert "more than 4096: use smaller tiles or more warps" in place


def test_what_lies_in_front_of_an_array_is_said_of_it() -> None:
    """And not of the array before it, which is further off."""
    with pytest.raises(tilewright.SimulatorError) as caught:
        launch(bad_offset)
    assert "at byte -4 from the start of array 'x' of" in str(caught.value)


@tilewright.jit
def every_element_twice(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + 1 + i // 2, i)


def test_a_race_names_its_byte_and_its_line_once() -> None:
    """However many instructions the line has become."""
    with pytest.raises(tilewright.SimulatorError) as caught:
        every_element_twice[(1,)](None, np.zeros(2048, np.int32), 0, BLOCK=2048)
    (found,) = [line for line in str(caught.value).splitlines() if ": race: " in line]
    assert "writes byte 4 of array 'out', which thread 0,0,0 writes in PTX line" in found


def test_arrays_are_named() -> None:
    """Not by the order in which copies of them were made."""
    memory = np.zeros(80, np.float32)
    x, out = memory[:40], memory[40:].copy()
    with pytest.raises(tilewright.SimulatorError) as error:
        missing_mask[(2,)](x, out, 40, BLOCK=32)
    assert "from the start of array 'x' of 160 bytes" in str(error.value)
    with pytest.raises(tilewright.SimulatorError) as error:
        missing_mask[(3,)](memory[:40], memory[:48], 48, BLOCK=32)
    assert "from the start of array 'x' and 'out' of 192 bytes" in str(error.value)
