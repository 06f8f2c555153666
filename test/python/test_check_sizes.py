"""scripts/check-sizes.py finds files that are too long."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check-sizes.py"


def run(root):
    return subprocess.run(
        [sys.executable, SCRIPT, root], capture_output=True, text=True, check=False
    )


@pytest.fixture
def tree(tmp_path):
    """Writes a file of so many lines into an otherwise empty repository."""
    (tmp_path / "lib").mkdir()

    def write(file, lines):
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("a line\n" * lines)
        return tmp_path

    return write


@pytest.mark.parametrize(
    ("file", "lines"),
    [
        ("lib/Layout/A.cpp", 700),
        ("docs/a.md", 0),
        # Nobody writes these.
        ("docs/reference/A.md", 701),
        ("benchmarks/results/day/a.md", 701),
        ("test/differential/cases/a.mlir", 701),
        ("test/gpu/kernels/a.ptx", 701),
        ("test/data/a.csv", 701),
        ("build/lib/A.cpp", 701),
    ],
)
def test_short_files_and_data_are_accepted(tree, file, lines):
    result = run(tree(file, lines))
    assert (result.returncode, result.stdout) == (0, "")


@pytest.mark.parametrize(
    "file",
    [
        "README.md",
        "docs/decisions/a.md",
        "include/tilewright/Layout/A.h",
        "lib/Layout/A.cpp",
        "lib/CMakeLists.txt",
        "python/tilewright/a.py",
        "scripts/a.sh",
        "test/Dialect/a.mlir",
        "test/tools/a.test",
        "test/python/test_a.py",
    ],
)
def test_long_files_are_reported(tree, file):
    result = run(tree(file, 701))
    assert result.returncode == 1
    assert result.stdout.startswith(f"{file}:701: there are 701 lines, and a file has 700")


def test_a_last_line_without_its_end_counts(tree):
    root = tree("docs/a.md", 700)
    with (root / "docs/a.md").open("a") as page:
        page.write("the end")
    assert run(root).returncode == 1


def test_wrong_folder_is_an_error(tmp_path):
    result = run(tmp_path)
    assert result.returncode == 1
    assert "not the repository" in result.stderr
