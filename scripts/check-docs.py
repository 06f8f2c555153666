#!/usr/bin/env python3
"""Checks that README.md and docs/ say what the tools do.

    scripts/check-docs.py [--update] [BUILD]

BUILD is a build folder (default: build) with tile-opt, tile-compile and
tile-run, and where Python runs the Python package. Eight things are checked:

  reference   docs/reference is what mlir-tblgen makes of the .td files
  passes      docs/architecture.md names each pass of the reference
  decisions   docs/decisions/README.md has each page beside it
  kernels     each complete kernel in an ```mlir block passes tile-opt
  consoles    each command of a ```console block prints what the block shows
  programs    each ```python block that is saved as a file is run by a command
  python      the other ```python blocks of a page run, one after the other, and print
              what an ```output block behind one shows
  links       each relative link leads to a file, and to a heading of it

A command is a line that begins with "$ "; what follows is its output, in which a
line "..." stands for any lines. A command that shows no output must succeed. It
runs in an empty folder with a link to examples/ and with the kernels of its page
that the text names: "as `NAME.mlir`:" or "as `NAME.py`:" just before a block saves
it there. Blocks of Python run there too, but those that begin with "# Needs a GPU".
Lines that depend on the ptxas at hand are not compared. `python` is that of .venv,
with the package of BUILD; a build that has none runs neither.

--update writes the reference and the outputs anew; see scripts/update-docs.sh.
Prints each fault as FILE:LINE: REASON and exits with 1 when there is one.
"""

import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from pages.markdown import anchors_of, blocks_of, find_links, slug
from pages.programs import is_run, pair_outputs, run_blocks

ROOT = Path(__file__).resolve().parent.parent
UPDATE_COMMAND = "scripts/update-docs.sh"

# The titles of the pages that mlir-tblgen gives none. The build has all pages
# where the .td files are in include/.
TITLES = {
    "TilePasses.md": "Passes from a tile program to a placed program",
    "TileRowCopyOps.md": "Ops of the tile dialect that copy rows ahead",
    "TileProductPartOps.md": "Ops of the tile dialect for products in parts",
    "TileClusterOps.md": "Ops of the tile dialect for programs of a cluster",
    "TileToNVVMPasses.md": "Passes from a placed program to threads",
    "ArithToNVVMPasses.md": "The pass that gives arithmetic its results",
    "MathToNVVMPasses.md": "The pass that makes functions of math into instructions",
}

# What ptxas says, and the occupancy that follows.
PTXAS_LINE = re.compile(
    r"^  (?:\d+ registers a thread|\d+ blocks \(\d+ warps\) an SM|unknown: no ptxas).*\n",
    re.MULTILINE,
)


def is_complete_kernel(block):
    return (
        block.language == "mlir"
        and "tile.kernel " in block.text
        and "tile.return" in block.text
        and not any(map(is_ellipsis, block.text.splitlines()))
    )


class Checker:
    def __init__(self, root, build, update):
        self.root = root
        self.build = build
        self.update = update
        self.faults = []
        self.counts = dict.fromkeys(
            ["reference pages", "kernels", "commands", "blocks of Python", "links"], 0
        )
        self.has_package = any(build.glob("python/tilewright/_core*.so"))
        folders = [build / "bin", root / ".venv/bin"]
        paths = [*map(str, folders), os.environ["PATH"], "/usr/local/cuda/bin"]
        self.environment = {
            **os.environ,
            "PATH": os.pathsep.join(paths),
            "PYTHONPATH": str(build / "python"),
            # No folders of compiled files beside the examples.
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def fault(self, path, line, reason):
        self.faults.append(f"{path.relative_to(self.root)}:{line}: {reason}")

    def run(self):
        self.check_reference()
        self.check_passes()
        self.check_decisions()
        pages = [self.root / "README.md", *sorted((self.root / "docs").rglob("*.md"))]
        for page in pages:
            blocks = list(blocks_of(page))
            for block in filter(is_complete_kernel, blocks):
                self.check_kernel(block)
            self.check_programs(blocks)
            self.run_page(page, blocks)
        for page in pages:
            self.check_links(page)
        for what, count in self.counts.items():
            if count == 0 and (self.has_package or what != "blocks of Python"):
                self.fault(
                    self.root / "docs", 1, f"no {what} found: is the search for them broken?"
                )

    # The reference

    def check_reference(self):
        folder = self.root / "docs/reference"
        generated = {
            path.name: make_reference_page(path) for path in self.build.glob("include/**/*.md")
        }
        self.counts["reference pages"] = len(generated)
        for name in {path.name for path in folder.glob("*.md")} - set(generated):
            self.fault(folder / name, 1, "is made of no .td file; remove it")
        for name, text in generated.items():
            page = folder / name
            if page.exists() and page.read_text() == text:
                continue
            if self.update:
                folder.mkdir(exist_ok=True)
                page.write_text(text)
            else:
                self.fault(page, 1, f"is not what the .td files say; run {UPDATE_COMMAND}")

    # The passes

    def check_passes(self):
        """The page of the pipeline tells of all passes; a test of Python asks in which order."""
        page = self.root / "docs/architecture.md"
        told = page.read_text() if page.exists() else ""
        for path in sorted((self.root / "docs/reference").glob("*Passes.md")):
            for name in re.findall(r"^## `-([\w-]+)`$", path.read_text(), re.MULTILINE):
                if f"`{name}`" not in told:
                    self.fault(page, 1, f"does not say what `{name}` is there for")

    # The decisions

    def check_decisions(self):
        folder = self.root / "docs/decisions"
        index = folder / "README.md"
        told = index.read_text() if index.exists() else ""
        for page in sorted(folder.glob("[0-9]*.md")):
            if f"({page.name})" not in told:
                self.fault(page, 1, "stands in none of the tables of docs/decisions/README.md")

    # Kernels

    def check_kernel(self, block):
        self.counts["kernels"] += 1
        result = subprocess.run(
            ["tile-opt", "-", "-o", os.devnull],
            input=block.text,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        if result.returncode != 0:
            self.fault(block.path, block.line, f"tile-opt rejects this kernel\n{result.stderr}")

    # Programs

    def check_programs(self, blocks):
        commands = [
            command
            for block in blocks
            if block.language == "console"
            for command, _ in steps_of(block)
        ]
        for block in blocks:
            if block.file.endswith(".py") and not any(block.file in each for each in commands):
                self.fault(block.path, block.line, f"no command of the page runs {block.file}")
        shown = {block.start for _, block in pair_outputs(blocks)}
        for block in blocks:
            if block.language == "output" and block.start not in shown:
                self.fault(block.path, block.line, "no Python that runs stands before this output")

    # What runs

    def run_page(self, page, blocks):
        consoles = [block for block in blocks if block.language == "console"]
        programs = [block for block in blocks if is_run(block) and self.runs_alone(block)]
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "examples").symlink_to(self.root / "examples")
            for block in blocks:
                if block.file:
                    Path(folder, block.file).write_text(block.text)
            texts = [self.check_console(block, folder) for block in consoles]
            shown = []
            if programs and self.has_package:
                shown = self.check_python(page, programs, pair_outputs(blocks), Path(folder))
        if self.update:
            changes = [*zip(consoles, texts, strict=True), *shown]
            changes.sort(key=lambda change: change[0].start)
            write_blocks(page, changes)

    def runs_alone(self, block):
        """README.md has a program that is for PyTorch, which tests do not have."""
        return block.path.parent != self.root

    def check_python(self, page, blocks, pairs, folder):
        """The blocks of outputs, each with the text that it should have."""
        self.counts["blocks of Python"] += len(blocks)
        run = run_blocks(blocks, folder, self.environment)
        if run.failure:
            line, output = run.failure
            self.fault(page, line, f"this Python fails\n{output}")
        printed = {block.start: output for block, output in zip(blocks, run.outputs, strict=False)}
        changes = []
        for block, shown in pairs:
            output = printed.get(block.start, shown.text)
            reason = find_difference(shown.text, output, 0)
            if reason and self.update and can_update(shown.text, output):
                changes.append((shown, output))
            elif reason:
                self.fault(page, shown.line, f"the Python before it {reason}")
        return changes

    def check_console(self, block, folder):
        """The block with the outputs that its commands have now."""
        text = ""
        for command, shown in steps_of(block):
            if runs_python(command) and not self.has_package:
                text += f"$ {command}\n{shown}"
                continue
            self.counts["commands"] += 1
            result = subprocess.run(
                ["bash", "-c", command],
                cwd=folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            output = result.stdout
            reason = find_difference(shown, output, result.returncode)
            if reason and self.update and can_update(shown, output):
                shown = output
            elif reason:
                self.fault(block.path, block.line, f"'{command}' {reason}")
            text += f"$ {command}\n{shown}"
        return text

    # Links

    def check_links(self, page):
        for link, line in find_links(page.read_text()):
            self.counts["links"] += 1
            target, _, anchor = link.partition("#")
            path = (page.parent / target).resolve() if target else page
            if not path.exists():
                self.fault(page, line, f"there is no {link}")
            elif anchor and anchor not in anchors_of(path):
                self.fault(page, line, f"{path.name} has no heading #{anchor}")


def steps_of(block):
    """The commands of a console block, each with the output that it shows."""
    parts = re.split(r"^\$ (.*)\n", block.text, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def runs_python(command):
    return command.split()[:1] == ["python"]


def find_difference(shown, output, status):
    """Why `shown` does not stand for what a command printed, or an empty text."""
    if not shown:
        return f"fails\n{output}" if status else ""
    shown, output = PTXAS_LINE.sub("", shown), PTXAS_LINE.sub("", output)
    pattern = "".join(
        r"(?:.*\n)*?" if is_ellipsis(line) else re.escape(line) + r"\n"
        for line in shown.splitlines()
    )
    if re.fullmatch(pattern, output):
        return ""
    difference = difflib.unified_diff(
        shown.splitlines(), output.splitlines(), "the page", "the tools", lineterm="", n=1
    )
    return f"prints something else; run {UPDATE_COMMAND}\n" + "\n".join(difference)


def is_ellipsis(line):
    return line.strip() == "..."


def can_update(shown, output):
    """What a person has shortened, only a person can update; and what only ptxas
    knows, only a machine that has it."""
    return not any(map(is_ellipsis, shown.splitlines())) and "unknown: no ptxas" not in output


def write_blocks(page, changes):
    """Puts texts in place of those of blocks; `changes`: pairs of both, in order."""
    text = page.read_text()
    for block, new in reversed(changes):
        text = text[: block.start] + new + text[block.start + len(block.text) :]
    if text != page.read_text():
        page.write_text(text)


def make_reference_page(path):
    """A page of mlir-tblgen as it reads well on GitHub: with a title and a list
    of contents, and without what only the C++ of the dialect needs."""
    text = re.sub(r" \(::[\w:]+\)$", "", path.read_text(), flags=re.MULTILINE)
    text = re.sub(r"^(?:Traits|Interfaces|Effects): .*\n\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"\n{3,}", "\n\n", text)
    contents = "".join(
        f"- [{entry}](#{slug(entry)})\n" for entry in re.findall(r"^### (.*)$", text, re.MULTILINE)
    )
    note, _, body = text.partition("\n")
    if "[TOC]\n" in body:
        body = body.replace("[TOC]\n", contents)
        body = body.replace("# 'tile' Dialect", "# The `tile` dialect")
    else:
        title = TITLES.get(path.name, path.stem)
        body = f"\n# {title}\n\n{contents}{body}"
        body = body.replace("\n### ", "\n## ").replace("\n#### ", "\n### ")
    return f"{note}\n<!-- by {UPDATE_COMMAND}; the text is in the .td files -->\n{body.rstrip()}\n"


def main():
    parser = argparse.ArgumentParser(description="Checks README.md and docs/ against the tools.")
    parser.add_argument("build", nargs="?", default=ROOT / "build", type=Path, metavar="BUILD")
    parser.add_argument("--update", action="store_true", help="write what is stale anew")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    for tool in ["tile-opt", "tile-compile", "tile-run"]:
        if not (build / "bin" / tool).exists():
            parser.error(f"there is no {build}/bin/{tool}; run scripts/build.sh first")

    checker = Checker(ROOT, build, arguments.update)
    checker.run()
    for fault in checker.faults:
        print(fault, file=sys.stderr)
    print(", ".join(f"{count} {what}" for what, count in checker.counts.items()) + " checked")
    return 1 if checker.faults else 0


if __name__ == "__main__":
    sys.exit(main())
