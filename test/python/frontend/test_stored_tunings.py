"""Tuning results that are kept on disk, and what they depend on."""

from __future__ import annotations

import json
import os
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from package_support import import_package
from tuning_support import CONFIGS, FakeGpu, Tuner, tuned

tilewright = import_package()
tl = pytest.importorskip("tilewright.language")

from tilewright import __main__ as command  # noqa: E402
from tilewright.cache_key import make_contents_key  # noqa: E402

core = tilewright._core


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where results go."""
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def list_results() -> list[str]:
    return core.list_cached("tuning-")


def launch_stored(monkeypatch: pytest.MonkeyPatch, n: int = 100, **options: Any) -> Tuner:
    """As another process would."""
    tuner = Tuner(monkeypatch, cache_results=True, **options)
    tuner.launch(n=n)
    return tuner


def test_another_process_finds_them(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = launch_stored(monkeypatch)
    assert len(first.timed) == 4
    (key,) = list_results()
    record = json.loads(core.get_cached(key))
    assert record["format"] == 1 and record["best"] == 3
    assert record["key"]["device"] == "NVIDIA Fake" and record["key"]["values"] == {"n": "100"}
    second = launch_stored(monkeypatch)
    assert second.timed == []
    assert second.kernel.best_config is CONFIGS[3]
    tuning = second.kernel.tuning
    assert tuning.is_stored and tuning.trials == first.kernel.tuning.trials
    assert "4 of 4 configurations kept from another process" in repr(tuning)


def test_they_are_found_under_capture(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launch_stored(monkeypatch)
    monkeypatch.setattr(FakeGpu, "captures", True)
    assert launch_stored(monkeypatch).timed == []


def test_why_a_configuration_was_passed_over_is_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configs = [tilewright.Config({"BLOCK": 100}), CONFIGS[0]]
    reasons = launch_stored(monkeypatch, configs=configs).kernel.passed_over
    again = launch_stored(monkeypatch, configs=configs)
    assert again.timed == [] and again.kernel.passed_over == reasons
    assert "arange(0, 100)" in reasons[configs[0]]


def test_what_they_depend_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launch_stored(monkeypatch)
    assert len(launch_stored(monkeypatch, n=101).timed) == 4
    assert launch_stored(monkeypatch, configs=CONFIGS[:2]).timed == [64, 128]
    tuner = Tuner(monkeypatch, cache_results=True)
    tuner.launch(np.zeros(1000, np.int32))
    assert len(tuner.timed) == 4
    monkeypatch.setattr(FakeGpu, "name", "NVIDIA Other")
    assert len(launch_stored(monkeypatch).timed) == 4
    monkeypatch.setattr(FakeGpu, "driver", "13.1")
    assert len(launch_stored(monkeypatch).timed) == 4
    assert launch_stored(monkeypatch).timed == []
    assert len(list_results()) == 6


def test_without_a_folder_nothing_is_kept(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", "")
    for _ in range(2):
        assert len(launch_stored(monkeypatch).timed) == 4
    assert not folder.exists()


def test_they_are_kept_only_where_asked(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    Tuner(monkeypatch).launch()
    assert core.list_cached("") and not list_results()


def test_a_key_without_a_name_is_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @tilewright.jit
    def chosen(x, n, BLOCK: tl.constexpr, which: tl.constexpr):
        tl.store(x, n)

    tuner = Tuner(monkeypatch, chosen.fn, key=["which"], cache_results=True)
    tuner.kernel[(1,)](np.zeros(4, np.float32), 3, which=object())
    assert len(tuner.timed) == 4 and not list_results()


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"format": 1', '"format": 2'),
        lambda text: text.replace('"best": 3', '"best": 9'),
        lambda text: text.replace('"best": 3', '"best": "x"'),
        lambda text: text.replace('"13.0"', '"13.9"'),
        lambda text: "[]",
        lambda text: "\x00\xff",
    ],
)
def test_damaged_results_are_made_anew(
    folder: Path, monkeypatch: pytest.MonkeyPatch, damage: Any
) -> None:
    launch_stored(monkeypatch)
    (key,) = list_results()
    text = core.get_cached(key).decode()
    assert damage(text) != text
    core.put_cached(key, damage(text).encode("latin-1"))
    command.main(["cache", "--tunings"])
    assert len(launch_stored(monkeypatch).timed) == 4
    assert launch_stored(monkeypatch).timed == []


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "file"))
    assert len(launch_stored(monkeypatch).timed) == 4


def test_they_are_shown_and_removed_with_the_cache(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def show(*options: str) -> list[str]:
        assert command.main(["cache", *options]) == 0
        return capsys.readouterr().out.splitlines()

    launch_stored(monkeypatch)
    launch_stored(monkeypatch, n=101)
    capsys.readouterr()
    assert show()[0] == str(folder)
    assert "entries, 2 of them results of tuning, " in show()[1]
    best = "on NVIDIA Fake: BLOCK: 512, num_warps: 4, num_stages: 3"
    assert show("--tunings") == [f"tuned, n=100, {best}", f"tuned, n=101, {best}"]
    assert show("--clear")[1].startswith("0 entries, 0.0 of")
    assert show("--tunings") == [] and list_results() == []
    assert len(launch_stored(monkeypatch).timed) == 4


def test_they_are_bounded_with_the_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was not used for the longest time makes room, when an entry is added."""
    launch_stored(monkeypatch)
    (key,) = list_results()
    path = folder / f"llvmcache-{key}"
    old = path.stat().st_mtime - 31 * 24 * 3600
    os.utime(path, (old, old))
    (folder / "llvmcache.timestamp").unlink(missing_ok=True)
    core.put_cached("other", b"bytes")
    assert list_results() == []


# What a kernel is made of

SOURCE = """
import tilewright
import tilewright.language as tl
from types import SimpleNamespace

SIZE = tl.constexpr(4)

class Settings:
    factor = tl.constexpr(2)

def compute(n):
    return n + 1

@tilewright.jit
def inner(x):
    return x * 2

@tilewright.jit
def helper(x):
    return inner(x) + SIZE

@tilewright.jit
def kernel(x):
    tl.store(x, helper(tl.load(x)) * Settings.factor + compute(3))
"""


def digest_of(tmp_path: Path, text: str) -> str | None:
    path = tmp_path / "made.py"
    path.write_text(textwrap.dedent(text))
    names: dict[str, Any] = {"__name__": "made"}
    import linecache

    linecache.clearcache()
    exec(compile(path.read_text(), str(path), "exec"), names)
    return make_contents_key(names["kernel"])


def test_contents_are_the_same_in_any_process(tmp_path: Path) -> None:
    assert digest_of(tmp_path, SOURCE) == digest_of(tmp_path, SOURCE)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("constexpr(4)", "constexpr(5)"),
        ("factor = tl.constexpr(2)", "factor = tl.constexpr(3)"),
        ("return n + 1", "return n + 2"),
        ("return x * 2", "return x * 3"),
        ("return inner(x) + SIZE", "return inner(x) - SIZE"),
        ("tl.store(x,", "tl.store(x + 1,"),
    ],
)
def test_contents_follow_helpers_and_constants(tmp_path: Path, before: str, after: str) -> None:
    assert before in SOURCE
    assert digest_of(tmp_path, SOURCE) != digest_of(tmp_path, SOURCE.replace(before, after))


def test_contents_of_closures() -> None:
    def make(size: int) -> Any:
        amount = tl.constexpr(size)

        @tilewright.jit
        def kernel(x):
            tl.store(x, amount)

        return kernel

    assert make_contents_key(make(1)) == make_contents_key(make(1)) != make_contents_key(make(2))
    assert make_contents_key(tuned.kernel) == make_contents_key(tuned.kernel)
