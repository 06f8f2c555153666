"""Attributes of Python's objects that a kernel reads, and that make an object each time."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests load a driver."""
    monkeypatch.setattr(tilewright._core, "get_gpu_target", lambda: None)


class Inner:
    """Says nothing of ==."""

    def __init__(self, size: Any, mark: Any = None) -> None:
        self.size = size
        self.mark = mark


class Slotted:
    __slots__ = ("size",)

    def __init__(self, size: Any) -> None:
        self.size = size


class Empty:
    size = 5


class Own(Inner):
    """Says itself what is equal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own) and self.size % 10 == other.size % 10

    __hash__ = None  # type: ignore[assignment]


class Mark:
    pass


class Settings:
    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make

    @property
    def inner(self) -> Any:
        return self.make()


def define(make: Callable[[], Any]) -> tuple[Settings, Callable[[], float]]:
    """What a kernel names, and its launches."""
    settings = Settings(make)

    @tilewright.jit
    def store_size(x):
        tl.store(x, settings.inner.size)

    def launch() -> float:
        x = np.zeros(1, np.float32)
        store_size[(1,)](x)
        return float(x[0])

    return settings, launch


@pytest.mark.parametrize(
    "make",
    [
        lambda: Inner(5),
        lambda: Inner(5, Inner(Inner(7), [1, {"a": (2.0, None)}])),
        lambda: Slotted(5),
        Empty,
        lambda: Own(5),
        lambda: Inner(5, functools.partial(max, 3)),
        lambda: Inner(5, float("nan")),
        lambda: Inner(5, np.float64("nan")),
        lambda: Inner(5, (np.float16("nan"), [np.float32("nan")])),
    ],
)
def test_equal_objects_are_the_same(make: Callable[[], Any]) -> None:
    _, launch = define(make)
    assert [launch() for _ in range(3)] == [5, 5, 5]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (lambda: Inner(5), lambda: Inner(6)),
        (lambda: Inner(1), lambda: Inner(True)),
        (lambda: Inner(0.0), lambda: Inner(-0.0)),
        (lambda: Inner(1, np.float32(0.0)), lambda: Inner(1, np.float32(-0.0))),
        (lambda: Inner(1, np.float32("nan")), lambda: Inner(1, -np.float32("nan"))),
        (lambda: Inner(1, np.float32(1)), lambda: Inner(1, np.float32(2))),
        (lambda: Inner(5), lambda: Slotted(5)),
        (lambda: Inner(5, [1, 2]), lambda: Inner(5, [1, 3])),
        (lambda: Inner(5, {"a": 1}), lambda: Inner(5, {"b": 1})),
        (lambda: Inner(5, Inner(1)), lambda: Inner(5, Inner(2))),
        (
            lambda: Inner(5, functools.partial(max, 3)),
            lambda: Inner(5, functools.partial(max, 4)),
        ),
        (lambda: Own(5), lambda: Own(6)),
    ],
)
def test_other_contents_are_refused(before: Callable[[], Any], after: Callable[[], Any]) -> None:
    settings, launch = define(before)
    launch()
    launch()
    settings.make = after
    with pytest.raises(RuntimeError, match=r"'settings\.inner' has another value than when"):
        launch()


def test_marks_are_told_by_which_they_are() -> None:
    """A kernel may ask `is`."""
    one, other = Mark(), Mark()
    settings, launch = define(lambda: Inner(5, one))
    assert launch() == launch() == 5
    settings.make = lambda: Inner(5, other)
    with pytest.raises(RuntimeError, match="another value"):
        launch()


def test_an_object_that_stays_is_told_by_which_it_is() -> None:
    first = Inner(5)
    settings, launch = define(lambda: first)
    assert launch() == 5
    second = Inner(5)
    settings.make = lambda: second
    with pytest.raises(RuntimeError, match="another value"):
        launch()


def test_what_differs_each_time_is_refused_at_once() -> None:
    counts: Iterator[int] = iter(range(100))
    _, launch = define(lambda: Inner(next(counts)))
    with pytest.raises(tilewright.CompileError, match="is another value each time it is read"):
        launch()


def test_what_holds_itself_is_refused() -> None:
    def make() -> Inner:
        inner = Inner(5)
        inner.mark = inner
        return inner

    _, launch = define(make)
    with pytest.raises(tilewright.CompileError, match="is another value each time it is read"):
        launch()
