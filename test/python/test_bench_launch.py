"""The benchmark of launches, on a driver that does nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

LAUNCH = Path(__file__).resolve().parents[2] / "benchmarks" / "launch.py"


def test_launches_are_timed_without_a_gpu(fake_driver, tmp_path):
    driver = Path(os.environ["TILEWRIGHT_FAKE_CUDA"]) / "libcuda.so.1"
    path = tmp_path / "launch.json"
    result = subprocess.run(
        [sys.executable, LAUNCH, "--fake-driver", driver, "--rounds", "3", "--json", path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    record = json.loads(path.read_text())
    assert json.loads(result.stdout) == record
    assert record["complete"]
    times = record["nanoseconds"]
    assert times["triton"] is None
    assert 0 < times["driver"]["least"] <= times["driver"]["median"]
    assert times["ours_over_driver"]["median"] > 0
    # A launch has all of its parts; a machine with other work makes no more exact.
    parts = times["ours"]["parts"]
    assert times["ours"]["launch"]["least"] > parts["kernel[grid]"]["least"]
    assert set(record["first_call_milliseconds"]) == {"parse", "compile"}


def test_a_gpu_is_needed_without():
    pytest.importorskip("tilewright")
    result = subprocess.run([sys.executable, LAUNCH], capture_output=True, text=True, check=False)
    assert result.returncode != 0
