"""The ladder's rungs: what the compiler predicts of them is what the simulator counts."""

import functools
import json
import shutil
import subprocess
import sys
from pathlib import Path

import package_support
import pytest

import ladder
from bench import ladder_rungs
from bench.ladder_rungs import RUNGS
from gputools.tools import EXAMPLES

ROOT = Path(__file__).resolve().parents[2]

package_support.import_package()

# A block that is simulated once says all that is asked here.
count = functools.cache(ladder_rungs.count)


@pytest.mark.parametrize("rung", RUNGS, ids=lambda rung: rung.file.stem)
def test_predicted_wavefronts_are_counted(rung):
    made = count(rung)
    assert ladder.is_good(made)
    assert not ladder.is_good({**made, "is_right": False})
    for kind in ("wavefronts", "copies"):
        assert not ladder.is_good({**made, "predicted": {**made["predicted"], kind: -1}})


def test_each_rung_takes_less_of_memory():
    """Of shared memory, or of global memory before there is any, for each multiply-add."""
    counts = [count(rung)["counted"] for rung in RUNGS]
    sectors = [each["global_load_sectors"] / each["multiply_adds"] for each in counts]
    wavefronts = [(each["wavefronts"] + each["copies"]) / each["multiply_adds"] for each in counts]
    assert sectors[0] > 4 * sectors[1] > 8 * sectors[2] > 8 * sectors[3]
    # Tiles in registers pay with conflicts for what they save, until these are gone.
    assert wavefronts[2] > wavefronts[3] > wavefronts[4] > wavefronts[5] > wavefronts[6]
    assert wavefronts[6] > wavefronts[7] > wavefronts[8]
    conflicts = [count(rung)["predicted"]["conflicts"] for rung in RUNGS]
    assert [each > 0 for each in conflicts] == [4 <= rung <= 6 for rung in range(len(RUNGS))]


def test_all_rungs_are_there():
    files = sorted(EXAMPLES.glob("ladder/*.mlir"))
    assert files == [rung.file for rung in RUNGS[:-1]] and len(files) == 10


# The page


def run_page(root, *options):
    command = [sys.executable, root / "scripts/ladder-page.py", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_page_is_what_the_record_says():
    assert run_page(ROOT).returncode == 0


def test_a_page_of_another_record_is_stale(tmp_path):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "scripts/ladder-page.py", tmp_path / "scripts")
    for name in ("ladder.md", "ladder.svg"):
        shutil.copy(ROOT / "docs" / name, tmp_path / "docs")
    path = next(ROOT.glob("benchmarks/results/*/ladder.json"))
    record = json.loads(path.read_text())
    record["rungs"][3]["of_cublas"] = 0.123
    changed = tmp_path / "ladder.json"
    changed.write_text(json.dumps(record))
    stale = run_page(tmp_path, "--record", changed)
    assert stale.returncode == 1 and stale.stdout.count("--update") == 2
    assert run_page(tmp_path, "--record", changed, "--update").returncode == 0
    assert run_page(tmp_path, "--record", changed).returncode == 0
    assert "| 0.123 |" in (tmp_path / "docs/ladder.md").read_text()
    assert "12.3%" in (tmp_path / "docs/ladder.svg").read_text()
