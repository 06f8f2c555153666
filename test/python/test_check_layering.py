"""scripts/check-layering.py finds what the architecture forbids."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check-layering.py"


def run(root):
    return subprocess.run(
        [sys.executable, SCRIPT, root], capture_output=True, text=True, check=False
    )


@pytest.fixture
def tree(tmp_path):
    """Writes one source line into a file of an otherwise empty repository."""
    (tmp_path / "lib").mkdir()

    def write(file, line):
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("// A comment.\n" + line + "\n")
        return tmp_path

    return write


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("lib/Layout/Algebra/A.cpp", '#include "tilewright/Layout/Algebra/LinearLayout.h"'),
        ("lib/Layout/Algebra/A.cpp", '#include "llvm/ADT/StringRef.h"'),
        ("lib/Compiler/A.cpp", '#include "tilewright/Target/GpuTarget.h"'),
        ("lib/Dialect/Tile/Transforms/A.cpp", '#include "tilewright/Dialect/Tile/IR/A.h"'),
        ("lib/Dialect/Tile/IR/A.cpp", '#include "mlir/IR/Builders.h"'),
        ("tools/tile-run/A.cpp", '#include "tilewright/Runtime/Driver.h"'),
        ("lib/Layout/Algebra/A.cpp", '// #include "mlir/IR/Builders.h"'),
    ],
)
def test_downward_includes_are_accepted(tree, file, line):
    result = run(tree(file, line))
    assert (result.returncode, result.stdout) == (0, "")


@pytest.mark.parametrize(
    ("file", "line", "reason"),
    [
        (
            "lib/Layout/Algebra/A.cpp",
            '#include "mlir/IR/Builders.h"',
            "Layout/Algebra uses no MLIR",
        ),
        ("include/tilewright/Simulator/A.h", "#include <mlir-c/IR.h>", "Simulator uses no MLIR"),
        (
            "lib/Layout/Algebra/A.cpp",
            '#include "tilewright/Compiler/A.h"',
            "nothing of the project",
        ),
        (
            "lib/Dialect/Tile/IR/A.cpp",
            '#include "tilewright/Dialect/Tile/Transforms/Passes.h"',
            "is Dialect/Tile/Transforms",
        ),
        (
            "include/tilewright/Dialect/Tile/IR/A.td",
            'include "tilewright/Compiler/A.td"',
            "is Compiler",
        ),
        ("lib/Runtime/A.cpp", '#include "../Simulator/A.h"', "leaves its own folder"),
        ("lib/Runtime/A.cpp", '#include "tilewright/Utils/A.h"', "belongs to no part"),
        ("lib/Utils/A.cpp", "", "this folder is no part"),
        ("lib/Layout/A.cpp", "", "this folder is no part"),
        (
            "lib/Layout/Shared/A.cpp",
            '#include "tilewright/Layout/Registers/MmaLayout.h"',
            "is Layout/Registers",
        ),
        ("tools/tile-run/A.cpp", '#include "tilewright/Utils/A.h"', "belongs to no part"),
    ],
)
def test_other_includes_are_reported_with_their_line(tree, file, line, reason):
    result = run(tree(file, line))
    assert result.returncode == 1
    number = 2 if line else 1
    assert result.stdout.startswith(f"{file}:{number}: ")
    assert reason in result.stdout


def test_private_headers_count(tree):
    root = tree("lib/Simulator/Machine/Warp.h", "")
    tree("lib/Simulator/Program/A.cpp", '#include "Machine/Warp.h"')
    result = run(root)
    assert result.returncode == 1
    assert "'Machine/Warp.h' is Simulator/Machine" in result.stdout


def test_wrong_folder_is_an_error(tmp_path):
    result = run(tmp_path)
    assert result.returncode == 1
    assert "not the repository" in result.stderr
