"""Runs the Python blocks of a page that are not saved as files.

They are one program, in the order of the page, and run in an empty folder beside what the page
saves. A block whose first line begins with "# Needs a GPU" is shown and not run. What a block
prints, an ```output block behind it may show.
"""

from __future__ import annotations

import itertools
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pages.markdown import Block

NEEDS_GPU = "# Needs a GPU"
# Printed behind each block.
END = "\x1e"
# Where a traceback says that a line of the page is.
PLACE = re.compile(r'File "[^"]*page\.py", line (\d+)')


def is_run(block: Block) -> bool:
    return (
        block.language == "python"
        and not block.file
        and not block.text.lstrip().startswith(NEEDS_GPU)
    )


@dataclass
class Run:
    """What the blocks printed, each by itself; of a failure, the line of the page and the text."""

    outputs: list[str]
    failure: tuple[int, str] | None = None


def _join(blocks: Sequence[Block]) -> str:
    """Their text, each line where the page has it, so that messages name lines of the page."""
    text = ""
    for block in blocks:
        text += "\n" * (block.line - text.count("\n")) + block.text + f"print({END!r})\n"
    return text


def run_blocks(blocks: Sequence[Block], folder: Path, environment: Mapping[str, str]) -> Run:
    program = folder / "page.py"
    program.write_text(_join(blocks), encoding="utf-8")
    done = subprocess.run(
        ["python", program.name],
        cwd=folder,
        env=dict(environment),
        capture_output=True,
        text=True,
    )
    outputs = done.stdout.split(END + "\n")
    if done.returncode == 0:
        return Run(outputs[:-1])
    places = PLACE.findall(done.stderr)
    line = int(places[-1]) if places else blocks[0].line
    return Run(outputs[:-1], (line, outputs[-1] + done.stderr))


def pair_outputs(blocks: Sequence[Block]) -> list[tuple[Block, Block]]:
    """The blocks that run and have an ```output block as their next one, with it."""
    return [
        (block, shown)
        for block, shown in itertools.pairwise(blocks)
        if shown.language == "output" and is_run(block)
    ]
