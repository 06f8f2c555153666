"""Every example is right at small sizes, in the simulator: test/example_sizes.py says at which."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from example_sizes import EXAMPLES, Sizes, find_examples, find_sizes

from gputools.check import describe_mistakes
from gputools.server import Servers
from gputools.tools import Run, parse_result

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


def find_faults(file, sizes):
    """By processes that stay: it takes half the time of one for each size."""
    with Servers("sim") as servers, ThreadPoolExecutor(os.cpu_count()) as pool:

        def run(arguments):
            finished = servers.ask(Run(file, arguments), ["--check"], timeout=300)
            result = parse_result(finished)
            is_right = finished.code == 0 and result["passed"] and result["outputs"]
            return None if is_right else f"{arguments}: {describe_mistakes(result)}"

        return [fault for fault in pool.map(run, sizes) if fault]


needs_tool = pytest.mark.skipif(
    not (BIN / "tile-run").exists(), reason="tile-run is not built: scripts/build.sh"
)


@needs_tool
@pytest.mark.parametrize("example", find_examples())
def test_every_size_is_right(example):
    assert not find_faults(EXAMPLES / f"{example}.mlir", find_sizes(example).sweep())


@needs_tool
def test_what_is_wrong_is_found(tmp_path):
    text = (EXAMPLES / "scale_f32.mlir").read_text(encoding="utf-8")
    wrong = tmp_path / "wrong.mlir"
    wrong.write_text(text.replace("alpha * X[i]", "alpha + X[i]"), encoding="utf-8")
    (fault,) = find_faults(wrong, ["n=70 alpha=5"])
    assert fault.startswith("n=70 alpha=5: Y: 70 of 70 elements are wrong, first ")
