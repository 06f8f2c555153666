"""scripts/check-file-names.py finds functions of one name in two files of a library."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPT = REPOSITORY / "scripts" / "check-file-names.py"

LISTS = """
tilewright_library(Some MLIR
  SOURCES
    A.cpp
    Parts/B.cpp
    Parts/C.cpp
  LINK Other
)
tilewright_library(Other SOURCES D.cpp)
"""
A = "static int count(int number) {\n  return number;\n}\n"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("check_file_names", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tree(tmp_path):
    """Writes another file beside A.cpp, and more into the list of files."""

    def write(file, text, more=""):
        folder = tmp_path / "lib/Some"
        for name, content in {"CMakeLists.txt": LISTS + more, "A.cpp": A, file: text}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content)
        for name in ("Parts/B.cpp", "Parts/C.cpp", "D.cpp"):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).touch()
        return tmp_path

    return write


@pytest.mark.parametrize(
    "text",
    [
        "static int count(long number) {\n  return 1;\n}\n",
        "static int\ncount(const Known &known,\n      Count count = {}) {\n}\n",
        "template <typename Op>\nstatic SmallVector<int, 2> count(Op op) {\n}\n",
        "static Operation *count(Value value) { return nullptr; }\n",
        "static std::optional<int>\ncount(Value value) {\n}\n",
    ],
)
def test_functions_of_one_name_are_reported(script, tree, text):
    (offence,) = script.check(tree("Parts/B.cpp", text))
    assert offence == (
        "lib/Some/Parts/B.cpp:1: calls it count, as lib/Some/A.cpp:1 does another function"
    )


def test_functions_of_a_namespace_without_a_name_are_reported(script, tree):
    text = "namespace {\nclass A {\npublic:\n  int n;\n};\nint count(long n) {\n}\n} // namespace\n"
    (offence,) = script.check(tree("Parts/B.cpp", text))
    assert offence.startswith("lib/Some/Parts/B.cpp:6: calls it count")


@pytest.mark.parametrize(
    "text",
    [
        "static int countMore(int number) {\n}\n",
        # Not a file's own.
        "int count(long number) {\n}\n",
        "namespace {\nint other() {\n}\n} // namespace\n\nint count(long number) {\n}\n",
        "int Some::count(long number) {\n}\n",
        "namespace {\nstruct Some {\n  static int count(long number) {\n  }\n};\n} // namespace\n",
        "namespace {\nclass Some {\npublic:\n  int count(long number) {\n  }\n};\n} // namespace\n",
        # No function, and none that is defined.
        "static constexpr int kCount = count(1L);\n",
        "static int count(long number);\n",
        "// static int count(long number) {\n",
        'static const char *text = "static int count(long number) {";\n',
        "#define COUNT(n) \\\nstatic int count(n) {\n",
    ],
)
def test_others_are_accepted(script, tree, text):
    assert script.check(tree("Parts/B.cpp", text)) == []


@pytest.mark.parametrize(
    ("file", "more"),
    [
        ("D.cpp", ""),
        ("Parts/C.cpp", "tilewright_alone(Parts/B.cpp Parts/C.cpp)"),
        (
            "Parts/C.cpp",
            "list(FILTER parts INCLUDE REGEX ^Parts/)\ntilewright_alone(${parts})",
        ),
        ("Parts/C.cpp", "set_target_properties(Some PROPERTIES UNITY_BUILD OFF)"),
    ],
)
def test_files_that_are_not_compiled_together_are_accepted(script, tree, file, more):
    assert script.check(tree(file, A, more)) == []


def test_the_files_of_this_repository_are_found(script):
    libraries = [
        {path.relative_to(REPOSITORY).as_posix() for path in library}
        for library in script.find_libraries(REPOSITORY)
    ]
    passes = {
        "lib/Dialect/Tile/Transforms/Rows/UnrollRows.cpp",
        "lib/Dialect/Tile/Transforms/Registers/RegisterRewriter.cpp",
    }
    assert any(passes <= library for library in libraries)
    files = set().union(*libraries)
    assert all((REPOSITORY / file).is_file() for file in files)
    assert "lib/Simulator/Families/Barrier.cpp" not in files


def test_wrong_folder_is_an_error(tmp_path):
    result = subprocess.run(
        [sys.executable, SCRIPT, tmp_path], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert "not the repository" in result.stderr
