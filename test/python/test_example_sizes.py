"""Every example is right at small sizes, in the simulator: test/example_sizes.py says at which."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from example_sizes import EXAMPLES, Sizes, find_examples, find_sizes

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("TILEWRIGHT_BIN", ROOT / "build" / "bin"))


def test_a_sweep_gives_each_extent_all_of_its_sizes():
    names = list(Sizes({"M": 64, "N": 100}, (), "alpha=1").sweep())
    assert names[0] == "M=1 N=1 alpha=1"
    values = [[pair.split("=")[1] for pair in name.split()] for name in names]
    for column, tile in ((0, 64), (1, 100)):
        sizes = {int(row[column]) for row in values}
        assert {1, 2, 3, 16, 31, tile - 1, tile, tile + 1} <= sizes


def test_an_example_without_sizes_is_an_error_that_says_what_to_do():
    with pytest.raises(LookupError, match="'unheard_of': give it a line in"):
        find_sizes("unheard_of")


@pytest.mark.skipif(
    not (BIN / "tile-run").exists(), reason="tile-run is not built: scripts/build.sh"
)
@pytest.mark.parametrize("example", find_examples())
def test_every_size_is_right(example):
    def run(arguments):
        command = [BIN / "tile-run", EXAMPLES / f"{example}.mlir", "--device=sim", "--check"]
        return subprocess.run(
            [*command, "--args", arguments], capture_output=True, text=True, check=False
        )

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(run, find_sizes(example).sweep()))
    wrong = [result for result in results if result.returncode != 0]
    assert not wrong, "\n".join(result.stdout + result.stderr for result in wrong)
