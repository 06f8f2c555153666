"""The site that is made of docs/, and its pages that are made of docstrings."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import package_support
import pytest

package_support.import_package()

import tilewright  # noqa: E402
import tilewright.language as tl  # noqa: E402
from pages import api  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def build(root, site):
    """By MkDocs, without a network."""
    paths = [str(ROOT / "scripts"), *filter(None, sys.path)]
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    return subprocess.run(
        [*command, "--config-file", str(root / "mkdocs.yml")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "http_proxy": "http://0.0.0.0:1"},
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = build(ROOT, folder)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


def test_site_has_all_pages(site):
    pages = {path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")}
    assert len(pages) > 30
    made = {path.relative_to(site).with_suffix(".md") for path in site.rglob("*.html")}
    assert {page for page in pages if page.name != "README.md"} - made == set()
    # What pages show of the repository, and the list of a folder.
    assert "def softmax_kernel" in re.sub(
        r"<[^>]*>", "", (site / "sources/examples/python/softmax.py.html").read_text()
    )
    assert "0001-layouts-before-staging.html" in (site / "decisions/index.html").read_text()


def test_site_needs_nothing_of_other_places(site):
    for page in site.rglob("*.html"):
        loaded = re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="(https?:)', page.read_text())
        assert loaded == [], page


def test_markdown_of_github_is_that_of_the_site(site):
    # Lists, tables and blocks that one of both would take for text.
    text = re.compile(r"<p>(?:[^<]|<(?!/p>))*?(?:\n[-*] |\| ?---|```|\]\()")
    for page in site.rglob("*.html"):
        if "sources" not in page.parts:
            shown = re.sub(r"<(pre|code)\b.*?</\1>", "", page.read_text(), flags=re.DOTALL)
            assert text.search(shown) is None, page


def test_what_is_wrong_ends_the_build(tmp_path):
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    (tmp_path / "scripts").symlink_to(ROOT / "scripts")
    for name in ("examples", "benchmarks", "test", "README.md"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    page = tmp_path / "docs" / "math.md"
    page.write_text(page.read_text() + "\n[x](nothing.md)\n[x](words.md#nothing)\n")
    (tmp_path / "docs" / "new.md").write_text("# New\n")
    done = build(tmp_path, tmp_path / "site")
    assert done.returncode != 0
    for message in (
        "contains a link 'nothing.md'",
        "does not contain an anchor '#nothing'",
        'are not included in the "nav" configuration:\n  - new.md',
    ):
        assert message in done.stderr
    # Each of them is one of those that end it.
    assert done.stderr.count("WARNING") == 3


def test_everything_public_has_a_docstring():
    assert api.find_undocumented() == []


def test_a_missing_docstring_is_found(monkeypatch):
    def undocumented():
        pass

    monkeypatch.setattr(tilewright, "cdiv", undocumented)
    monkeypatch.setattr(tilewright.Config.all_kwargs, "__doc__", None)
    assert api.find_undocumented() == ["tilewright.Config.all_kwargs", "tilewright.cdiv"]


def test_everything_public_is_on_a_page():
    pages = api.make_pages()
    for name in tilewright.__all__:
        assert name == "__version__" or f"### `{name}" in pages["api/tilewright.md"], name
    modules = ("core", "extra", "libdevice", "math", "standard", "target_info")
    for name in tl.__all__:
        assert name in modules or re.search(rf"`(tl\.)?{name}\b", pages["api/language.md"]), name


def test_docstrings_become_markdown():
    text = api.format_docstring(
        "Does it, as ``that``.\n\n>>> do(1)\n2\n\n"
        "Args:\n    x, y: What it\n        is.\n    z: More.\n"
    )
    assert text == (
        "Does it, as `that`.\n\n```pycon\n>>> do(1)\n2\n```\n\n"
        "**Args**\n\n- `x, y`: What it is.\n- `z`: More."
    )
