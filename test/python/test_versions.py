"""What benchmarks/versions.py writes, without a GPU."""

import argparse
import json
from types import SimpleNamespace

import pytest

import versions

KEYS = ["sm_80 copy 1", "sm_90a copy 1", "sm_90a copy 2"]
PROBLEMS = [SimpleNamespace(title="copy", shape=shape) for shape in ("1", "2")]
TORCH = SimpleNamespace(cuda=SimpleNamespace(empty_cache=lambda: None))


@pytest.fixture
def options(tmp_path, monkeypatch):
    """Two versions, which have the same code for one of three."""
    monkeypatch.setattr(versions, "open_gpu", lambda: TORCH)
    monkeypatch.setattr(versions, "describe_environment", lambda *_: {"gpu": "a GPU"})
    paths = {}
    for version in ("old", "new"):
        code = {key: {"ptx": version, "report": {}} for key in KEYS}
        code[KEYS[1]]["ptx"] = "the same // but for this: " + version
        paths[version] = tmp_path / f"{version}.json"
        paths[version].write_text(json.dumps(code))
    return argparse.Namespace(**paths, rounds=5, limit=None, json=tmp_path / "result.json")


def result(ratio):
    return {"right": True, "old_us": 1.0, "ratio": ratio, "spread": 0.0}


def test_what_differs_is_timed(options, monkeypatch, capsys):
    ratios = iter([0.5, 2.0])
    monkeypatch.setattr(versions, "time_pair", lambda *_: result(next(ratios)))
    assert versions.time_all(PROBLEMS, options) == 0
    written = json.loads(options.json.read_text())
    assert written["complete"] and written["same"] == 1 and written["gpu"] == "a GPU"
    assert [each["problem"] for each in written["results"]] == [KEYS[0], KEYS[2]]
    assert capsys.readouterr().out.splitlines()[1].startswith(f"2.0000 {KEYS[2]}")
    options.limit = 1.5
    ratios = iter([0.5, 2.0])
    assert versions.time_all(PROBLEMS, options) == 1


def test_a_run_that_is_cut_keeps_what_it_has(options, monkeypatch):
    def time_pair(torch, problem, *_):
        if problem.shape == "2":
            raise KeyboardInterrupt
        return result(1.0)

    monkeypatch.setattr(versions, "time_pair", time_pair)
    with pytest.raises(KeyboardInterrupt):
        versions.time_all(PROBLEMS, options)
    written = json.loads(options.json.read_text())
    assert not written["complete"]
    assert [each["problem"] for each in written["results"]] == [KEYS[0]]
