"""Kernels in a notebook that Jupyter runs. That takes more packages than everything else here, so
setup.sh does not install it: .venv/bin/pip install nbclient ipykernel. Without, the tests of
test_cache.py that give functions the names of cells are all there is."""

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

START = """
import numpy as np
import tilewright
import tilewright.language as tl
from tilewright import _core

x = np.zeros(4, np.int32)
"""
HELPER = """
@tilewright.jit
def helper(x):
    return x + STEP
"""
KERNEL = """
@tilewright.jit
def kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, helper(i))
"""
LAUNCH = "made = kernel[(1,)](x, BLOCK=4); x.tolist()"
LAUNCH_OF_THE_OLD_ONE = """
try:
    kernel[(1,)](x, BLOCK=4)
except RuntimeError as error:
    print(error)
"""
CELLS = [
    START,
    HELPER.replace("STEP", "1"),
    KERNEL,
    LAUNCH,
    HELPER.replace("STEP", "2"),
    LAUNCH_OF_THE_OLD_ONE,
    KERNEL,
    LAUNCH,
    "_core.is_compiler_loaded()",
    # The page is drawn by the compiler's library.
    "made",
]


@pytest.fixture
def execute(tmp_path, monkeypatch):
    """Runs cells in a process of their own. Gives what each showed: data by types, or text."""
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))

    def execute(cells):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
        nbclient.NotebookClient(notebook, kernel_name="python3", timeout=60).execute()
        shown = [output for cell in notebook.cells for output in cell.outputs]
        return [output.get("data", output.get("text")) for output in shown]

    return execute


def test_a_helper_is_edited_and_the_kernel_found_again(execute):
    for compiles in (True, False):
        first, mistake, second, compiled, page = execute(CELLS)
        assert first["text/plain"] == "[1, 2, 3, 4]"
        assert "'helper' has another value" in mistake
        assert second["text/plain"] == "[2, 3, 4, 5]"
        assert compiled["text/plain"] == str(compiles)
        assert page["text/html"].startswith("<iframe")
        assert "&lt;h1&gt;kernel&lt;/h1&gt;" in page["text/html"]


def test_a_mistake_is_shown_with_its_cell(execute):
    with pytest.raises(nbclient.exceptions.CellExecutionError, match=r"<cell>:\d+:\d+: error"):
        execute([START, HELPER.replace("STEP", "1"), KERNEL, "kernel[(1,)](x, BLOCK=3)"])
