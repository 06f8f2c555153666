"""scripts/demo.sh shows a few kernels in a few lines, and says which fail. Runs the built tools."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = os.environ.get("TILEWRIGHT_BIN")


@pytest.fixture
def demo(tmp_path):
    """The script in a tree like that of the unpacked archive, which has nothing to build."""
    if BIN is None:
        pytest.skip("TILEWRIGHT_BIN names no tools")
    (tmp_path / "scripts").mkdir()
    for script in ("demo.sh", "common.sh"):
        shutil.copy(ROOT / "scripts" / script, tmp_path / "scripts")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "bin").mkdir()
    for tool in ("tile-compile", "tile-run"):
        (tmp_path / "bin" / tool).symlink_to(Path(BIN) / tool)
    marker = tmp_path / "bin/tilewright"
    marker.write_text("#!/bin/sh\n")
    marker.chmod(0o755)

    def run(*arguments):
        command = ["bash", tmp_path / "scripts/demo.sh", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    run.folder = tmp_path
    return run


def test_one_kernel_of_each_kind_in_under_60_lines(demo):
    finished = demo()
    assert finished.returncode == 0, finished.stdout + finished.stderr
    lines = finished.stdout.splitlines()
    assert 20 < len(lines) < 60
    assert sum(line.startswith("  check ") and ": correct" in line for line in lines) == 4
    assert sum(line.startswith("  time bound ") for line in lines) == 4
    assert any("by wgmma" in line or "by mma.sync" in line for line in lines)
    assert "==> 4 of 4 examples compiled, ran and were right." in lines
    assert not finished.stderr


def test_three_kernels_in_python():
    """What the demonstration shows in a clone, where there is the package."""
    if BIN is None:
        pytest.skip("TILEWRIGHT_BIN names no tools")
    command = [sys.executable, ROOT / "scripts" / "demo.py", "--bin", BIN]
    finished = subprocess.run(command, capture_output=True, text=True)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert finished.stdout.count(", right") == 3
    assert finished.stdout.count("  time bound ") == 3
    assert "by wgmma" in finished.stdout or "by mma.sync" in finished.stdout
    assert "wavefronts, ideal 4" in finished.stdout
    assert len(finished.stdout.splitlines()) < 60


def test_an_example_is_shown_wholly(demo):
    finished = demo("examples/copy_f32.mlir")
    assert finished.returncode == 0, finished.stderr
    assert "accesses of one block" in finished.stdout
    assert "1 of 1 examples" in finished.stdout


def test_a_wrong_result_fails(demo):
    path = demo.folder / "examples/transpose_f32.mlir"
    path.write_text(path.read_text().replace('"B[n, m] = A[m, n]"', '"B[n, m] = A[m, n] + 1"'))
    finished = demo()
    assert finished.returncode == 1
    assert "WRONG" in finished.stdout
    assert "demo.sh: error: 1 of 4 examples failed: transpose_f32.mlir" in finished.stderr


@pytest.mark.parametrize(
    ("argument", "message"),
    [("--some", "unknown option '--some'"), ("no.mlir", "there is no example no.mlir")],
)
def test_wrong_arguments(demo, argument, message):
    finished = demo(argument)
    assert finished.returncode == 1
    assert message in finished.stderr
