"""scripts/check-docs.py finds what is not true in the pages, and mends what a program can."""

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check-docs.py"
spec = importlib.util.spec_from_file_location("check_docs", SCRIPT)
check_docs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_docs)

KERNEL = """tile.kernel @k() {
  tile.return
}
"""
PAGE = f"""# A page

Save this as `k.mlir`:

```mlir
{KERNEL}```

```console
$ cat k.mlir
{KERNEL}$ printf 'one\\ntwo\\n  32 registers a thread\\n'
one
two
  30 registers a thread
```

[here](#a-page), [`there`](reference/Ops.md#tileload), `no[link](at-all)`
"""
GENERATED = "<!-- Made -->\n\n### `tile.load` (::tilewright::LoadOp)\n\nTraits: `Pure`\n\nLoads.\n"


@pytest.fixture
def check(tmp_path):
    """Checks a repository of one page, with a tile-opt that rejects what has `bad` in it."""
    tool = tmp_path / "build/bin/tile-opt"
    tool.parent.mkdir(parents=True)
    tool.write_text('#!/bin/sh\n! grep -q bad || { echo "error: bad" >&2; exit 1; }\n')
    tool.chmod(0o755)
    generated = tmp_path / "build/include/Ops.md"
    generated.parent.mkdir()
    generated.write_text(GENERATED)
    (tmp_path / "README.md").write_text("[docs](docs/page.md)\n")
    page = tmp_path / "docs/page.md"
    page.parent.mkdir()

    def run(text, update=False):
        page.write_text(text)
        checker = check_docs.Checker(tmp_path, tmp_path / "build", update)
        checker.run()
        return checker.faults, page.read_text()

    page.write_text(PAGE)
    check_docs.Checker(tmp_path, tmp_path / "build", True).check_reference()
    return run


def test_true_page(check):
    assert check(PAGE) == ([], PAGE)


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("@k()", "@bad()", 5, "tile-opt rejects this kernel\nerror: bad"),
        ("one\ntwo\n  30", "one\nthree\n  30", 11, "prints something else"),
        ("one\ntwo\n  30", "...\nthree\n  30", 11, "prints something else"),
        ("$ cat k.mlir", "$ cat none.mlir", 11, "prints something else"),
        ("$ cat k.mlir", "$ false\n$ cat k.mlir", 11, "'false' fails"),
        ("$ cat k.mlir", "$ no-such-tool\n$ cat k.mlir", 11, "'no-such-tool' fails"),
        ("#a-page", "#b-page", 22, "page.md has no heading #b-page"),
        ("Ops.md#tileload", "Ops.md#tilestore", 22, "Ops.md has no heading #tilestore"),
        ("reference/Ops.md", "Ops.md", 22, "there is no Ops.md#tileload"),
    ],
)
def test_faults(check, old, new, line, reason):
    faults, _ = check(PAGE.replace(old, new))
    assert any(f"docs/page.md:{line}: " in fault and reason in fault for fault in faults), faults


PROGRAM = (
    PAGE.replace(
        "```console\n",
        "A program, saved as `p.py`:\n\n```python\nprint(1 + 1)\n```\n\n"
        "```console\n$ python p.py\n2\n",
    )
    + """
```python
# Needs a GPU.
import no_such_module
```

```python
import p
```

In `p` is one:

```python
assert p.__name__ == "p"
print(p)
```

```output
<module ...
```
""".replace("<module ...", "...")
)


@pytest.fixture
def package(tmp_path):
    """A build with the package; what `python` is on the page is this Python."""
    module = tmp_path / "build/python/tilewright/_core.so"
    module.parent.mkdir(parents=True)
    module.write_text("")
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/python").symlink_to(sys.executable)


def test_program(check, package):
    assert check(PROGRAM) == ([], PROGRAM)
    faults, _ = check(PROGRAM.replace("1 + 1", "1 + 2"))
    assert len(faults) == 1 and "'python p.py' prints something else" in faults[0]


def test_program_that_no_command_runs(check, package):
    faults, _ = check(PROGRAM.replace("$ python p.py\n2\n", ""))
    assert faults == ["docs/page.md:13: no command of the page runs p.py"]


def test_blocks_of_python_are_one_program(check, package):
    faults, _ = check(PROGRAM.replace('== "p"', '== "q"'))
    assert len(faults) == 1
    assert faults[0].startswith("docs/page.md:44: this Python fails\n")
    assert "AssertionError" in faults[0]


def test_output_of_python(check, package):
    page = PROGRAM.replace("print(p)", "print(3)\nprint(4)").replace("\n...\n", "\n3\n5\n")
    faults, _ = check(page)
    assert len(faults) == 1
    assert faults[0].startswith("docs/page.md:49: the Python before it prints something else")
    assert "-5\n+4" in faults[0]
    assert check(page, update=True) == ([], page.replace("\n5\n", "\n4\n"))


def test_output_of_nothing(check, package):
    faults, _ = check(PROGRAM + "\n```output\n3\n```\n")
    assert faults == ["docs/page.md:52: no Python that runs stands before this output"]


def test_programs_need_the_package(check):
    assert check(PROGRAM.replace("2\n$", "3\n$"))[0] == []


def test_nothing_to_check_is_a_fault(check):
    faults, _ = check("# A page\n")
    assert [fault.partition(": ")[2] for fault in faults] == [
        "no kernels found: is the search for them broken?",
        "no commands found: is the search for them broken?",
    ]


def test_shortened_output(check):
    for shown in ["...\ntwo\n", "one\n...\n", "...\n"]:
        assert check(PAGE.replace("one\ntwo\n  30 registers a thread\n", shown))[0] == []


def test_stale_reference(check, tmp_path):
    page = tmp_path / "docs/reference/Ops.md"
    page.write_text(page.read_text().replace("Loads", "Stores"))
    (tmp_path / "docs/reference/Gone.md").write_text("")
    faults, _ = check(PAGE)
    assert len(faults) == 2
    assert "Ops.md:1: is not what the .td files say; run scripts/update-docs.sh" in faults[1]
    assert "Gone.md:1: is made of no .td file" in faults[0]


def test_pass_that_the_architecture_does_not_tell_of(check, tmp_path):
    generated = "<!-- Made -->\n\n### `-tile-fold`\n\nFolds.\n"
    (tmp_path / "build/include/TilePasses.md").write_text(generated)
    architecture = tmp_path / "docs/architecture.md"
    architecture.write_text("# Architecture\n\n1. `tile-unfold` unfolds.\n")
    check(PAGE, update=True)
    faults, _ = check(PAGE)
    assert faults == ["docs/architecture.md:1: does not say what `tile-fold` is there for"]
    architecture.write_text("# Architecture\n\n1. `tile-fold` folds.\n")
    assert check(PAGE)[0] == []


def test_decision_that_no_table_has(check, tmp_path):
    page = tmp_path / "docs/decisions/0001-rows.md"
    page.parent.mkdir()
    page.write_text("# Rows\n")
    assert check(PAGE)[0] == [
        "docs/decisions/0001-rows.md:1: stands in none of the tables of docs/decisions/README.md"
    ]
    (page.parent / "README.md").write_text("| [0001](0001-rows.md) | rows |\n")
    assert check(PAGE) == ([], PAGE)


def test_reference_page(check, tmp_path):
    text = (tmp_path / "docs/reference/Ops.md").read_text()
    assert "# Ops\n\n- [`tile.load`](#tileload)\n\n## `tile.load`\n\nLoads.\n" in text


def test_update(check):
    stale = PAGE.replace("one\ntwo\n  30", "three\n  30").replace("  tile.return\n}\n$", "$")
    faults, text = check(stale, update=True)
    assert faults == []
    assert text == PAGE.replace("  30 registers", "  32 registers")


def test_update_leaves_what_it_cannot_know(check):
    for stale in [
        PAGE.replace("one\ntwo\n  30", "...\nthree\n  30"),
        PAGE.replace("two\\n  32 registers a thread", "unknown: no ptxas"),
    ]:
        faults, text = check(stale, update=True)
        assert len(faults) == 1
        assert text == stale
