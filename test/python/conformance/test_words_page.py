# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/words.md says what the words say, and each row of its table is shown by a case."""

import re
import subprocess
import sys
from pathlib import Path

import package_support

package_support.import_package()
ROOT = Path(__file__).resolve().parents[3]
# Before scripts/, which has a differential.py too.
sys.path.insert(0, str(ROOT / "test"))

from conformance.cases import collect  # noqa: E402


def test_the_lists_are_those_of_the_words():
    command = [sys.executable, str(ROOT / "scripts/words-page.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_difference_is_shown_by_a_case():
    page = (ROOT / "docs/words.md").read_text(encoding="utf-8")
    table = page.split("| what | NumPy | here |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)[1:]
    rows = [row.replace("`", "") for row in rows]
    shown = {case.shows for case in collect()} - {""}
    assert len(rows) > 20
    assert set(rows) == shown
