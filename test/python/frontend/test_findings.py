"""What the simulator and the later passes find in kernels, at the line of the Python source."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


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
def load_beyond(pointer, i):
    return tl.load(pointer + i)


@tilewright.jit
def in_a_helper(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, load_beyond(x, i), mask=i < n)


def launch(kernel: tilewright.JITFunction, **options: int) -> None:
    x = np.random.default_rng(0).standard_normal(1000).astype(np.float32)
    kernel[(4,)](x, np.zeros_like(x), 1000, BLOCK=256, **options)


@pytest.mark.parametrize(
    ("kernel", "place", "what"),
    [
        (race, "tl.store(out", "race"),
        (missing_mask, "value = tl.load", "out-of-bounds"),
        (bad_offset, "value = tl.load", "out-of-bounds"),
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


def test_finding_in_a_helper() -> None:
    with pytest.raises(tilewright.SimulatorError) as caught:
        launch(in_a_helper)
    assert f"{line_of(load_beyond, 'tl.load')}: out-of-bounds" in str(caught.value)


@pytest.mark.parametrize("kernel", [no_race, right_offset])
def test_nothing_is_found(kernel: tilewright.JITFunction) -> None:
    launch(kernel)


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
