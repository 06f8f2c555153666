"""docs/performance.md has the tables that its records say."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_tables_are_those_of_the_records():
    command = [sys.executable, str(ROOT / "scripts/performance-page.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
