"""Races that are meant: a launch names the arrays, and the simulator reports none there."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests load a driver."""
    monkeypatch.setattr(tilewright._core, "get_gpu_target", lambda: None)


@tilewright.jit
def find_parents(sources, targets, parents, seen, count, BLOCK: tl.constexpr):
    """Of all edges that lead to a node, any one is its parent; each program says where it was."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    source = tl.load(sources + i, mask=i < count)
    target = tl.load(targets + i, mask=i < count)
    tl.store(parents + target, source, mask=i < count)
    tl.store(seen, tl.program_id(0))


def launch(**options: object) -> tuple[np.ndarray, np.ndarray]:
    sources = np.arange(100, dtype=np.int32)
    parents, seen = np.full(7, -1, np.int32), np.full(1, -1, np.int32)
    find_parents[(4,)](sources, sources % 7, parents, seen, 100, BLOCK=32, **options)
    return parents, seen


def test_races_that_are_meant() -> None:
    parents, seen = launch(races=("parents", "seen"))
    assert np.array_equal(parents % 7, np.arange(7))
    assert seen[0] in range(4)


@pytest.mark.parametrize(
    ("named", "found"), [("parents", "seen"), (["seen"], "parents"), ((), "parents")]
)
def test_races_of_other_arrays_are_found(named: object, found: str) -> None:
    with pytest.raises(tilewright.SimulatorError) as caught:
        launch(races=named)
    assert f"of array '{found}', which thread" in str(caught.value)
    assert not named or f"of array '{named}'" not in str(caught.value)
    assert str(caught.value).endswith("where every order is right, name the array in races=")


@tilewright.jit
def shift(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i + 1, tl.load(x + i, mask=i < n), mask=i < n)


def test_races_of_programs_that_share_a_block() -> None:
    """They go in step, and race where each has a block."""
    x = np.arange(129, dtype=np.float32)
    shift[(2,)](x, 128, BLOCK=64)
    assert np.array_equal(x[1:], np.arange(128))
    with pytest.raises(tilewright.SimulatorError, match=r"race: .* of array 'x', which thread"):
        shift[(2,)](x, 128, BLOCK=64, batch_programs=False)


def test_such_launches_give_the_same_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    first, seen = launch(races=("parents", "seen"))
    for _ in range(5):
        parents, last = launch(races=("parents", "seen"))
        assert np.array_equal(parents, first) and seen[0] == last[0]
    orders = set()
    for seed in range(8):
        monkeypatch.setenv("TILEWRIGHT_SIM_SEED", str(seed))
        orders.add(int(launch(races=("parents", "seen"))[1][0]))
    assert len(orders) > 1


def test_names_of_no_array() -> None:
    with pytest.raises(ValueError, match="races: there is no array 'count' among the arguments"):
        launch(races="count")
    with pytest.raises(
        TypeError, match="races is the name of an array, or a tuple of names, not 3"
    ):
        launch(races=3)
