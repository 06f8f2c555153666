"""benchmarks/compare.py as a whole, on stand-ins for PyTorch and the driver."""

import ctypes
import json
import sys

import fake_torch
import pytest

import compare

REPORT = {
    "kernel": "transpose_f32",
    "grid": ["1"],
    "launch": {"threads": 32, "dynamic_shared_bytes": 0, "tensor_maps": []},
    "arguments": [
        {"name": "A", "type": "f32", "bytes": 8, "is_pointer": True, "divisibility": 1},
        {"name": "B", "type": "f32", "bytes": 8, "is_pointer": True, "divisibility": 1},
        {"name": "M", "type": "i64", "bytes": 8, "is_pointer": False, "divisibility": 1},
        {"name": "N", "type": "i64", "bytes": 8, "is_pointer": False, "divisibility": 1},
    ],
}


class Library:
    """A driver whose kernels transpose matrices of f32, or do nothing."""

    works = True

    def cuLaunchKernel(self, *call):  # noqa: N802
        if not self.works:
            return 0
        pointers = call[9]

        def value(index):
            return ctypes.cast(pointers[index], ctypes.POINTER(ctypes.c_int64)).contents.value

        m_size, n_size = value(2), value(3)
        a = ctypes.cast(value(0), ctypes.POINTER(ctypes.c_float))
        b = ctypes.cast(value(1), ctypes.POINTER(ctypes.c_float))
        for m in range(m_size):
            for n in range(n_size):
                b[n * m_size + m] = a[m * n_size + n]
        return 0

    def cuMemcpyDtoDAsync_v2(self, target, source, count, stream):  # noqa: N802
        ctypes.memmove(target.value, source.value, count.value)
        return 0

    def __getattr__(self, name):
        return lambda *arguments: 0


@pytest.fixture
def run(tools, tmp_path, monkeypatch):
    """Runs compare.py on one small transpose; returns its exit status and record."""
    text = json.dumps({"kernels": [REPORT]}, indent=2)
    tools.write(
        "tile-compile",
        f"print(line if '--version' not in line else 'fake 1')\nprint({text!r}, file=sys.stderr)\n",
    )
    tools.prints("nvidia-smi", "580.1")
    shapes = tmp_path / "shapes.json"
    entry = {"problem": "transpose", "dtypes": ["f32"], "sizes": [{"M": 5, "N": 7}]}
    shapes.write_text(json.dumps({"cases": [entry]}))
    monkeypatch.setitem(sys.modules, "torch", fake_torch)
    monkeypatch.setattr("bench.timing.MIN_FLUSH_BYTES", 4096)
    monkeypatch.setattr(ctypes, "CDLL", lambda name: Library())
    record = tmp_path / "record.json"

    def call(*arguments):
        options = ["--shapes", str(shapes), "--without=triton", "--rounds=2", f"--json={record}"]
        monkeypatch.setattr(sys, "argv", ["compare.py", *options, *arguments])
        return compare.main(), json.loads(record.read_text())

    return call


def test_all_contenders_are_checked_timed_and_recorded(run, capsys):
    status, record = run()
    assert status == 0
    (result,) = record["results"]
    assert set(result["contenders"]) == {"us", "copy", "torch"}
    assert result["work"] == 2 * 5 * 7 * 4
    # A microsecond passes between two events.
    assert result["contenders"]["us"]["microseconds"]["median"] == pytest.approx(1)
    assert result["ratios"] == {"copy": pytest.approx(1), "triton": None, "torch": pytest.approx(1)}
    assert (record["gpu"], record["driver"]) == ("fake GPU", "580.1")
    assert "| transpose f32 | 5 x 7 |" in capsys.readouterr().out


def test_the_best_of_several_variants_stands_for_us(run, capsys):
    status, record = run("--variants", "--tiles=16x16")
    assert status == 0
    (result,) = record["results"]
    configs = set(result["candidates"]["us"])
    assert {"auto", "none 4 warps", "16x16 pad 16 warps"} <= configs
    assert result["contenders"]["us"]["config"] in configs
    assert "transpose f32 5 x 7, us:" in capsys.readouterr().out


def test_unknown_peers_are_named_in_one_order(run, capsys):
    peers = [f"peer{number}" for number in range(9)]
    with pytest.raises(SystemExit):
        run(f"--without={','.join(peers[::-1])}")
    assert f"no peer {', '.join(peers)}; there are" in capsys.readouterr().err


def test_a_kernel_that_does_nothing_is_wrong(run, monkeypatch):
    monkeypatch.setattr(Library, "works", False)
    status, record = run()
    assert status == 1
    assert record["results"][0]["wrong"] == ["us auto"]


def test_a_contender_that_cannot_run_is_left_out(run, monkeypatch):
    monkeypatch.setattr(Library, "cuLaunchKernel", lambda self, *call: 2)
    status, record = run()
    assert status == 1
    (result,) = record["results"]
    assert "launching transpose_f32" in result["failed"]["us auto"]
    assert set(result["contenders"]) == {"copy", "torch"}


def test_what_does_not_fit_is_skipped(run, monkeypatch):
    def fail(*arguments, **keywords):
        raise fake_torch.OutOfMemoryError

    monkeypatch.setattr(fake_torch, "randn", fail)
    status, record = run()
    assert status == 0
    assert record["results"][0]["skipped"] == "not enough GPU memory"
