"""scripts/check-layering.py finds what the architecture forbids."""

import graphlib
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check-layering.py"


specification = importlib.util.spec_from_file_location("check_layering", SCRIPT)
layering = importlib.util.module_from_spec(specification)
specification.loader.exec_module(layering)


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
        comment = "#" if path.suffix == ".py" else "//"
        path.write_text(f"{comment} A comment.\n{line}\n")
        return tmp_path

    return write


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("lib/Layout/Algebra/A.cpp", '#include "tilewright/Layout/Algebra/LinearLayout.h"'),
        ("lib/Layout/Algebra/A.cpp", '#include "llvm/ADT/StringRef.h"'),
        ("lib/Compiler/A.cpp", '#include "tilewright/Target/GpuTarget.h"'),
        ("lib/Dialect/Tile/Transforms/Rows/A.cpp", '#include "tilewright/Dialect/Tile/IR/A.h"'),
        ("lib/Dialect/Tile/IR/A.cpp", '#include "mlir/IR/Builders.h"'),
        ("tools/tile-run/A.cpp", '#include "tilewright/Runtime/Driver.h"'),
        ("lib/Layout/Algebra/A.cpp", '// #include "mlir/IR/Builders.h"'),
        ("python/tilewright/frontend/a.py", "from tilewright.language.types import dtype"),
        ("python/tilewright/frontend/a.py", "from tilewright.frontend import calls"),
        ("python/tilewright/frontend/a.py", "from tilewright import _core"),
        ("python/tilewright/frontend/a.py", "import tilewright.language as tl"),
        ("python/tilewright/tuning/a.py", "def f():\n    from tilewright import testing"),
        ("python/tilewright/testing/a.py", "import numpy, importlib.util"),
        ("python/tilewright/testing/a.py", "# from tilewright import jit"),
        ("python/tilewright/__init__.py", "from tilewright.tuning import autotune"),
        ("python/tilewright/__main__.py", "from tilewright.jit_function import JITFunction"),
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


def test_families_of_passes_count(tree):
    root = tree("lib/Dialect/Tile/Transforms/Rows/RowsAhead.h", "")
    tree("lib/Dialect/Tile/Transforms/Loads/A.cpp", '#include "Rows/RowsAhead.h"')
    result = run(root)
    assert result.returncode == 1
    assert "'Rows/RowsAhead.h' is Dialect/Tile/Transforms/Rows" in result.stdout


def test_wrong_folder_is_an_error(tmp_path):
    result = run(tmp_path)
    assert result.returncode == 1
    assert "not the repository" in result.stderr


@pytest.mark.parametrize(
    ("file", "line", "reason"),
    [
        ("frontend/a.py", "from tilewright.jit_function import jit", "is jit_function"),
        ("frontend/a.py", "import os, tilewright.cache_key", "is cache_key"),
        ("frontend/a.py", "from tilewright import launcher", "is launcher"),
        ("frontend/a.py", "import tilewright", "imports the whole package"),
        ("frontend/a.py", "from tilewright import jit", "belongs to no part"),
        ("frontend/a.py", "from ..jit_function import jit", "import by the full name"),
        ("frontend/a.py", "from . import calls", "import by the full name"),
        ("language/extra/a.py", "from tilewright.frontend import calls", "language may import"),
        ("testing/a.py", "from tilewright.tuning import Config", "testing may import tables;"),
        ("sizes.py", "from tilewright.tables import Table", "may import nothing of the package"),
        # What hides a circle from Python does not hide it from a reader.
        (
            "cache_key.py",
            "def f():\n    from tilewright.jit_function import jit",
            "is jit_function",
        ),
        (
            "cache_key.py",
            "if TYPE_CHECKING:\n    import tilewright.jit_function",
            "is jit_function",
        ),
    ],
)
def test_other_imports_are_reported_with_their_line(tree, file, line, reason):
    result = run(tree(f"python/tilewright/{file}", line))
    assert result.returncode == 1
    number = 2 + line.count("\n")
    assert result.stdout.startswith(f"python/tilewright/{file}:{number}: ")
    assert reason in result.stdout


def test_a_new_part_of_the_package_is_reported(tree):
    result = run(tree("python/tilewright/helpers/a.py", ""))
    assert result.returncode == 1
    assert result.stdout.startswith("python/tilewright/helpers/a.py:1: this is of no part")


def test_the_tables_have_no_circle():
    parts = layering.ALLOWED
    graph = {
        part: [each for each in parts if each != part and layering.may_include(part, each)]
        for part in parts
    }
    graphlib.TopologicalSorter(graph).prepare()
    graphlib.TopologicalSorter(layering.PYTHON_ALLOWED).prepare()
