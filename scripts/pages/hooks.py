# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What makes a site of docs/ as it is: MkDocs calls these functions while it builds.

The pages are written for GitHub, too. So headings have GitHub's anchors, a link to a file of the
repository leads to a page that shows the file, and one to a folder to a list of its pages. Pages
that are made of docstrings are added.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from pygments.formatters import HtmlFormatter

from pages.api import make_pages
from pages.markdown import CODE, FENCE, LINK, find_links, slug, title_of

# Where the pages are that show files of the repository.
SOURCES = "sources"
LANGUAGES = {".py": "python", ".sh": "bash", ".md": "markdown", ".json": "json"}
STYLE = "css/code.css"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    config.mdx_configs["toc"] = {
        **config.mdx_configs.get("toc", {}),
        "slugify": lambda heading, separator: slug(heading),
    }
    config.extra_css.append(STYLE)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    docs = Path(config.docs_dir)
    pages = {path: docs / path for path in files.src_uris if path.endswith(".md")}
    for path, text in make_pages().items():
        files.append(File.generated(config, path, content=text))
    for folder in sorted({target for target in _find_targets(pages) if (docs / target).is_dir()}):
        files.append(File.generated(config, f"{folder}/index.md", content=_list(docs / folder)))
    for target in sorted(_find_targets(pages)):
        if target.startswith("../"):
            text = _show(docs / target, target.removeprefix("../"))
            files.append(File.generated(config, _page_of(target), content=text))
    css = HtmlFormatter(style="friendly").get_style_defs(".codehilite")
    files.append(File.generated(config, STYLE, content=css))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """The page with links to where the site has what they lead to."""
    folder = posixpath.dirname(page.file.src_uri)

    def change(link: re.Match[str]) -> str:
        target, mark, anchor = link[1].partition("#")
        path = posixpath.normpath(posixpath.join(folder, target))
        if path.startswith("../"):
            path = _page_of(path)
        elif target and not posixpath.splitext(path)[1]:
            path += "/index.md"
        else:
            return link[0]
        begin, end = (each - link.start() for each in link.span(1))
        there = posixpath.relpath(path, folder or ".") + mark + anchor
        return link[0][:begin] + there + link[0][end:]

    return _outside_code(markdown, lambda text: LINK.sub(change, text))


def _outside_code(markdown: str, change: Any) -> str:
    """A page of which what is neither in a block nor in quotes of code is changed."""
    kept: list[str] = []

    def keep(code: re.Match[str]) -> str:
        kept.append(code[0])
        return f"\0{len(kept) - 1}\0"

    text = CODE.sub(keep, FENCE.sub(keep, markdown))
    text = change(text)
    while "\0" in text:
        text = re.sub(r"\0(\d+)\0", lambda place: kept[int(place[1])], text)
    return str(text)


def _find_targets(pages: dict[str, Path]) -> set[str]:
    """Where relative links lead, seen from docs/."""
    targets = set()
    for path, file in pages.items():
        for link, _ in find_links(file.read_text(encoding="utf-8")):
            if target := link.partition("#")[0]:
                targets.add(posixpath.normpath(posixpath.join(posixpath.dirname(path), target)))
    return targets


def _page_of(target: str) -> str:
    return f"{SOURCES}/{target.removeprefix('../')}.md"


def _show(path: Path, name: str) -> str:
    """The page of a file, or of a folder."""
    if path.is_dir():
        rows = (f"- `{each.name}`" for each in sorted(path.iterdir()) if each.is_file())
        return f"# {name}\n\n" + "\n".join(rows) + "\n"
    language = LANGUAGES.get(path.suffix, "text")
    return f"# {name}\n\n````{language}\n{path.read_text(encoding='utf-8')}````\n"


def _list(folder: Path) -> str:
    """The list of a folder's pages."""
    rows = (f"- [{title_of(path)}]({path.name})" for path in sorted(folder.glob("*.md")))
    return f"# {folder.name.capitalize()}\n\n" + "\n".join(rows) + "\n"
